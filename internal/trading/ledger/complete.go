package ledger

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/matching"
)

// completeFrom adds values that another source has and the fill does not; both are for
// the same instrument. Known values are not overwritten, except by a record replacing the
// fill, and by a later record from the same source with the same id; previous are the
// values this source had before, nil if there are none. Values the user edited stay.
func (f *fill) completeFrom(s *source, previous *fill) {
	edits, by := f.edits(), &s.values
	if f.externalID != "" && slices.Contains(s.replaces, f.externalID) {
		f.replaceBy(by, edits)
	}
	sameID := f.externalID != "" && f.externalID == by.externalID
	if !edits.has(FiguresEdited) && f.side != by.side {
		return
	}
	if sameID && previous != nil && (edits.has(TimeEdited) || f.sameInstant(&by.fillTime)) {
		f.correctFrom(by, previous, edits)
	}
	if !edits.has(FiguresEdited) && !f.sameDeal(by) {
		return
	}
	if !sameID && !edits.has(TimeEdited) && !f.sameTime(&by.fillTime) {
		return
	}
	f.completeCosts(by, edits)
	f.completeTime(by, edits, sameID)
	if f.externalID == "" {
		f.externalID = by.externalID
	}
	if !edits.has(MultiplierEdited) && f.facts.has(FactsRecorded) && !f.facts.has(MultiplierStated) && by.facts.has(MultiplierStated) {
		f.multiplier = by.multiplier
		f.facts |= MultiplierStated
	}
	if edits.has(FiguresEdited) {
		return
	}
	if !f.stated.Valid {
		f.stated = by.stated
	}
	if f.kind == matching.KindTrade && by.kind != matching.KindTrade {
		f.fillKind = by.fillKind
	}
	f.closes = f.closes || by.closes && f.kind == matching.KindTrade
	f.details = completeDetails(f.details, by.details)
}

// completeDetails returns details with the order and the event that other details have and
// they do not. Both are JSON, or empty.
func completeDetails(text, other string) string {
	if text == other || !strings.Contains(other, keyOrder) && !strings.Contains(other, keyEvent) {
		return text
	}
	var details, from map[string]string
	if json.Unmarshal([]byte(other), &from) != nil || text != "" && json.Unmarshal([]byte(text), &details) != nil {
		return text // the stored text is invalid: fillbook check reports it
	}
	complete := maps.Clone(details)
	for _, key := range []string{keyOrder, keyEvent} {
		if complete == nil {
			complete = map[string]string{}
		}
		if complete[key] == "" && from[key] != "" {
			complete[key] = from[key]
		}
	}
	if maps.Equal(complete, details) {
		return text
	}
	written, err := json.Marshal(complete)
	if err != nil || len(written) > maxDetails {
		return text
	}
	return string(written)
}

// completeCosts copies unknown costs. Two sources may divide the same costs
// differently between fees and commission, so a cost is copied only if the
// other one does not contradict it.
func (f *fill) completeCosts(by *fill, edits Facts) {
	mayTake := func(value, other, byOther decimal.Decimal, otherKnown, byOtherKnown bool) bool {
		if !otherKnown {
			return true
		}
		if byOtherKnown {
			return other.Equal(byOther)
		}
		return value.IsZero() || !value.Equal(other)
	}
	feesKnown, commissionKnown := f.isFeesKnown(), f.isCommissionKnown()
	fees, commission := f.fees, f.commission
	if !feesKnown && by.isFeesKnown() && !edits.has(FeesEdited) &&
		mayTake(by.fees, commission, by.commission, commissionKnown, by.isCommissionKnown()) {
		f.fees = by.fees
		f.facts |= FeesStated
	}
	if !commissionKnown && by.isCommissionKnown() && !edits.has(CommissionEdited) &&
		mayTake(by.commission, fees, by.fees, feesKnown, by.isFeesKnown()) {
		f.commission = by.commission
		f.facts |= CommissionStated
	}
}

// completeTime copies a time that is more precise, or whose zone is certain.
func (f *fill) completeTime(by *fill, edits Facts, sameID bool) {
	if edits.has(TimeEdited) || by.precision() > f.precision() {
		return
	}
	finer := by.precision() < f.precision() && f.sameTime(&by.fillTime)
	surer := f.facts.has(ZoneAssumed) && !by.facts.has(ZoneAssumed) && (f.sameTime(&by.fillTime) || sameID && f.sameInstant(&by.fillTime))
	if finer || surer {
		f.at = by.at
		f.facts = f.facts&^timeFacts | by.facts&timeFacts
	}
}

// correctFrom replaces price, quantity and costs by those in a later record from the same
// source with the same id, unless that record has fewer values. Values from other
// sources, which differ from what this source said before, stay.
func (f *fill) correctFrom(by, previous *fill, edits Facts) {
	if !previous.isCorrectedBy(by) {
		return
	}
	hasOwnCosts := f.sameCosts(previous, edits)
	if !edits.has(FiguresEdited) && f.sameDeal(previous) && !f.sameDeal(by) {
		f.takeDeal(by)
	}
	if hasOwnCosts {
		f.takeCosts(by, edits)
	}
}

// replaceBy replaces all values the user did not edit by those in the broker's correcting
// record.
func (f *fill) replaceBy(by *fill, edits Facts) {
	f.externalID = by.externalID
	if !edits.has(FiguresEdited) {
		f.side = by.side
		f.takeDeal(by)
	}
	if !edits.has(TimeEdited) && !f.sameInstant(&by.fillTime) {
		f.at = by.at
		f.facts = f.facts&^timeFacts | by.facts&timeFacts
	}
	f.takeCosts(by, edits)
}

// takeDeal copies quantity, price and stated result.
func (f *fill) takeDeal(by *fill) {
	f.quantity, f.price, f.stated, f.fillKind = by.quantity, by.price, by.stated, by.fillKind
	f.facts = f.facts&^PartialQuantity | by.facts&PartialQuantity
}

// takeCosts copies known costs the user did not edit.
func (f *fill) takeCosts(by *fill, edits Facts) {
	if by.isFeesKnown() && !edits.has(FeesEdited) {
		f.fees = by.fees
		f.facts |= FeesStated
	}
	if by.isCommissionKnown() && !edits.has(CommissionEdited) {
		f.commission = by.commission
		f.facts |= CommissionStated
	}
}

// sameCosts compares the costs the user did not edit, unknown ones included.
func (f *fill) sameCosts(g *fill, edits Facts) bool {
	return (edits.has(FeesEdited) || f.isFeesKnown() == g.isFeesKnown() && f.fees.Equal(g.fees)) &&
		(edits.has(CommissionEdited) || f.isCommissionKnown() == g.isCommissionKnown() && f.commission.Equal(g.commission))
}

// isCorrectedBy reports whether a later record with the same id may replace the fill's
// values. A source that lists partial fills replaces only fewer parts.
func (f *fill) isCorrectedBy(by *fill) bool {
	switch {
	case by.facts.has(PartialQuantity):
		return f.facts.has(PartialQuantity) && by.quantity.Cmp(f.quantity) > 0
	case f.facts.has(PartialQuantity):
		return true
	}
	knowsLess := f.isFeesKnown() && !by.isFeesKnown() || f.isCommissionKnown() && !by.isCommissionKnown() ||
		by.precision() > f.precision()
	return !knowsLess
}

// mergeSources returns sources' merged values, in arrival order, and the first one's
// instrument.
func mergeSources(list []*source) (*fill, streamKey) {
	merged := list[0].values
	for i, s := range list[1:] {
		if s.key == list[0].key {
			merged.completeFrom(s, previousOf(list[:i+1], s))
		}
	}
	return &merged, list[0].key
}

// previousOf returns the merged values that a source corrects, nil if there are none.
func previousOf(earlier []*source, s *source) (merged *fill) {
	id := s.correctorID()
	if id == "" {
		return nil
	}
	for _, e := range earlier {
		switch {
		case e.key != s.key || e.correctorID() != id:
		case merged == nil:
			values := e.values
			merged = &values
		default:
			previous := *merged
			merged.completeFrom(e, &previous)
		}
	}
	return merged
}

// rebuild returns a stored fill with its sources' merged values. Values the user edited
// stay.
func (f *fill) rebuild(list []*source) (after *fill, key streamKey) {
	merged, key := mergeSources(list)
	out := *f
	edits := f.edits()
	out.facts = merged.facts&sourceFacts | f.facts&(editFacts|hasSources)
	if !edits.has(FeesEdited) {
		out.fees = merged.fees
	}
	if !edits.has(CommissionEdited) {
		out.commission = merged.commission
	}
	if !edits.has(MultiplierEdited) {
		out.multiplier = merged.multiplier
	}
	if edits.has(TimeEdited) {
		out.facts = out.facts&^timeFacts | f.facts&timeFacts
	} else {
		out.at = merged.at
	}
	if !edits.has(FiguresEdited) {
		out.side, out.quantity, out.price = merged.side, merged.quantity, merged.price
		out.stated, out.details = merged.stated, merged.details
		out.fillKind = merged.fillKind
		if out.kind == matching.KindRemoval && f.kind == matching.KindRemoval {
			out.price = f.price // computed from its trade
		}
	}
	out.externalID = merged.externalID
	out.state, out.was = edited, f.at
	return &out, key
}

// hasSameValues reports whether an arrival in the same instrument has a stored fill's
// values. Values the user edited are not compared.
func (f *fill) hasSameValues(a *fill) bool {
	edits := f.edits()
	different := Facts(0)
	if f.facts.has(FactsRecorded) && a.facts.has(FactsRecorded) {
		different = f.facts ^ a.facts
	}
	isSame := func(edited, facts Facts, equal bool) bool { return edits.has(edited) || equal && !different.has(facts) }
	return f.externalID == a.externalID &&
		isSame(TimeEdited, timeFacts, f.at == a.at) &&
		isSame(FeesEdited, FeesStated, f.fees.Equal(a.fees)) &&
		isSame(CommissionEdited, CommissionStated, f.commission.Equal(a.commission)) &&
		isSame(MultiplierEdited, MultiplierStated, f.multiplier.Equal(a.multiplier) || !(f.facts|a.facts).has(MultiplierStated)) &&
		isSame(FiguresEdited, PartialQuantity, f.sameDeal(a) && f.sameKind(a) && f.stated.Equal(a.stated) && f.details == a.details)
}

// sameRow reports whether two fill versions are stored as the same row.
func sameRow(f, g *fill) bool {
	return f.stream == g.stream && sameFigures(f, g) && f.externalID == g.externalID && f.facts == g.facts && f.details == g.details
}
