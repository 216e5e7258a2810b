package ledger

import (
	"time"

	"fillbook/internal/base/db"
)

// Facts states how reliable a fill's values are. It is a bit set, so a stored fill needs
// two bytes for it.
type Facts int64

// The facts. A fill without FactsRecorded was stored before facts were kept, or comes
// from a source without them: a zero cost is then unknown.
const (
	FactsRecorded    Facts = 1 << iota
	FeesStated             // the source states the fees, even if they are 0
	CommissionStated       // the source states the commission, even if it is 0
	MultiplierStated       // the source states the multiplier; otherwise it is the usual one
	MinutePrecision        // the time was written without seconds
	DayPrecision           // only the day was written; the instant is its start
	Uploaded               // from an uploaded file: a later upload with the same id may correct it
	ZoneAssumed            // the source named no zone
	PartialQuantity        // the source shows partial fills and may not show them all
	hasSources             // fill_sources has rows for the fill
	FeesEdited             // the user changed the fees
	CommissionEdited
	MultiplierEdited
	TimeEdited
	FiguresEdited // the user changed side, quantity, price, stated result, instrument or details

	// ZeroFraction: the time was written with fractional seconds, which is 0. A time with
	// another fraction needs no fact. It is the sign bit in the two stored bytes.
	ZeroFraction Facts = -1 << 15
)

const (
	timeFacts   = MinutePrecision | DayPrecision | ZeroFraction | ZoneAssumed
	sourceFacts = FactsRecorded | FeesStated | CommissionStated | MultiplierStated | timeFacts | Uploaded | PartialQuantity
	editFacts   = FeesEdited | CommissionEdited | MultiplierEdited | TimeEdited | FiguresEdited
)

// factNames are the fact names in backups.
var factNames = []struct {
	fact Facts
	word string
}{
	{FactsRecorded, "recorded"},
	{FeesStated, "fees_stated"},
	{CommissionStated, "commission_stated"},
	{MultiplierStated, "multiplier_stated"},
	{MinutePrecision, "minute_precision"},
	{DayPrecision, "day_precision"},
	{ZeroFraction, "zero_fraction"},
	{ZoneAssumed, "zone_assumed"},
	{PartialQuantity, "partial_quantity"},
	{FeesEdited, "fees_edited"},
	{CommissionEdited, "commission_edited"},
	{MultiplierEdited, "multiplier_edited"},
	{TimeEdited, "time_edited"},
	{FiguresEdited, "figures_edited"},
}

// Names returns the fact names that a backup writes.
func (x Facts) Names() []string {
	var words []string
	for _, f := range factNames {
		if x.has(f.fact) {
			words = append(words, f.word)
		}
	}
	return words
}

// FactsFromNames returns the facts with the given names. Unknown names are
// ignored.
func FactsFromNames(words []string) (x Facts) {
	for _, word := range words {
		for _, f := range factNames {
			if f.word == word {
				x |= f.fact
			}
		}
	}
	return x
}

func (x Facts) has(fact Facts) bool { return x&fact != 0 }

// clean returns a new fill's facts without contradictions: a cost other than 0 is always
// stated, and only a time with whole seconds has a zero fraction.
func (x Facts) clean(n *NewFill) Facts {
	if !x.has(FactsRecorded) {
		return x & editFacts
	}
	x &= sourceFacts | editFacts
	if !n.Fees.IsZero() {
		x |= FeesStated
	}
	if !n.Commission.IsZero() {
		x |= CommissionStated
	}
	if !n.Multiplier.Valid {
		x &^= MultiplierStated
	}
	return x.cleanFraction(n.ExecutedAt)
}

// cleanFraction removes ZeroFraction if the time has a fraction other than 0, or
// no seconds.
func (x Facts) cleanFraction(at time.Time) Facts {
	if db.Micros(at)%second != 0 || x.has(MinutePrecision|DayPrecision) {
		x &^= ZeroFraction
	}
	return x
}

// edits returns the facts about edits. Of a fill edited before facts were recorded, only
// its origin shows it.
func (f *fill) edits() Facts {
	if f.origin != "" && !f.facts.has(FactsRecorded) {
		return f.facts&editFacts | TimeEdited | FiguresEdited
	}
	return f.facts & editFacts
}

// isFeesKnown reports whether a source stated the fees, or the user did.
func (f *fill) isFeesKnown() bool { return !f.fees.IsZero() || f.facts.has(FeesStated|FeesEdited) }

// isCommissionKnown reports whether a source stated the commission, or the user
// did.
func (f *fill) isCommissionKnown() bool {
	return !f.commission.IsZero() || f.facts.has(CommissionStated|CommissionEdited)
}

const (
	second = int64(time.Second / time.Microsecond)
	minute = 60 * second
	day    = 24 * 60 * minute
	// widestZone is the greatest error that an assumed zone can cause.
	widestZone = 15 * 60 * minute
)

// fillTime is when a fill happened, and how reliably that and its other values are
// known.
type fillTime struct {
	at    int64 // microseconds
	facts Facts
}

// precision returns how long the interval is that the fill's time denotes; it begins at
// the fill's instant.
func (f *fillTime) precision() int64 {
	switch {
	case f.facts.has(DayPrecision):
		return day
	case f.facts.has(MinutePrecision):
		return minute
	case !f.hasFraction():
		return second
	}
	return 1
}

// width returns how long after its instant the fill may have happened.
func (f *fillTime) width() int64 {
	if f.facts.has(MinutePrecision | DayPrecision) {
		return f.precision() - 1
	}
	return 0
}

// hasFraction reports whether the time was written with fractional seconds, even if it is
// 0.
func (f *fillTime) hasFraction() bool { return f.at%second != 0 || f.facts.has(ZeroFraction) }

// sameSecond reports whether two fills' instants may be the same: equal, or in the same
// second if one has no fraction.
func (f *fillTime) sameSecond(g *fillTime) bool {
	return f.at == g.at || f.at/second == g.at/second && (!f.hasFraction() || !g.hasFraction())
}

// sameTime reports whether two fills' times agree within the coarser precision.
func (f *fillTime) sameTime(g *fillTime) bool {
	if f.sameSecond(g) {
		return true
	}
	coarse, fine := f, g
	if coarse.precision() < fine.precision() {
		coarse, fine = g, f
	}
	return coarse.precision() > fine.precision() && fine.at >= coarse.at && fine.at < coarse.at+coarse.precision()
}

// sameInstant reports whether two times with the same id agree: within their precision,
// or within widestZone if one zone was assumed.
func (f *fillTime) sameInstant(g *fillTime) bool {
	if f.sameTime(g) {
		return true
	}
	apart := f.at - g.at
	return (f.facts | g.facts).has(ZoneAssumed) && apart < widestZone && -apart < widestZone
}

// sameFill reports whether two fills in one stream are equal within their times'
// precision.
func (f *fill) sameFill(g *fill) bool { return f.sameDeal(g) && f.sameTime(&g.fillTime) }

// sameDeal compares side, quantity and price.
func (f *fill) sameDeal(g *fill) bool {
	return f.side == g.side && f.quantity.Equal(g.quantity) && f.comparedPrice().Equal(g.comparedPrice())
}

// sameKind compares the kinds and what the sources say beside them.
func (f *fill) sameKind(g *fill) bool { return f.fillKind == g.fillKind }

// sameWrittenContent compares two fills in one stream whose times have the same
// precision.
func (f *fill) sameWrittenContent(g *fill) bool {
	return f.sameContent(g) && f.hasFraction() == g.hasFraction()
}

// sameContentBySecond compares two fills in one stream whose times may be written to the
// second.
func (f *fill) sameContentBySecond(g *fill) bool { return f.sameDeal(g) && f.sameSecond(&g.fillTime) }

// factsEdited returns a fill's facts after an edit: the fields with another value are the
// user's now. A changed time has the precision with which the user wrote it.
func (f *fill) factsEdited(after *fill, moved bool) Facts {
	facts := f.facts
	note := func(changed bool, fact Facts) {
		if changed {
			facts |= fact
		}
	}
	note(!f.fees.Equal(after.fees), FeesEdited)
	note(!f.commission.Equal(after.commission), CommissionEdited)
	note(!f.multiplier.Equal(after.multiplier), MultiplierEdited)
	note(moved || !f.sameDeal(after) || !f.sameKind(after) || !f.stated.Equal(after.stated) || f.details != after.details, FiguresEdited)
	if f.at != after.at {
		facts = facts&^timeFacts | TimeEdited | after.facts&ZeroFraction
	}
	return facts
}
