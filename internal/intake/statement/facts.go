package statement

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
)

// costColumns are the cost columns in a table.
type costColumns struct {
	fees, commission []int
}

// costColumns finds the cost columns by their names.
func (r *table) costColumns() *costColumns {
	if r.costs != nil {
		return r.costs
	}
	r.costs = &costColumns{}
	for i, name := range r.header {
		m, known := meaningOf(name)
		if !known {
			continue
		}
		switch m.target {
		case TargetCommission:
			r.costs.commission = append(r.costs.commission, i)
		case TargetFees, TargetSwap:
			r.costs.fees = append(r.costs.fees, i)
		default:
		}
	}
	return r.costs
}

// noteCost remembers that a cost column says 0, which is not the same as saying nothing.
func (w *cells) noteCost(column int, cost decimal.Decimal) {
	if !cost.IsZero() || parse.Blank(w.Cells[column]) {
		return
	}
	w.noteZero(w.r.costTarget(column), true)
}

// costTarget returns whether a column holds fees or commission, by its name.
func (r *table) costTarget(column int) Target {
	c := r.columnState(column)
	if c.cost == "" {
		c.cost = TargetFees
		if m, known := meaningOf(r.header[column]); known && m.target == TargetCommission ||
			!known && strings.Contains(HeaderKey(r.header[column]), "comm") {
			c.cost = TargetCommission
		}
	}
	return c.cost
}

// noteZero remembers a cost read as 0.
func (w *cells) noteZero(target Target, isZero bool) {
	switch {
	case !isZero:
	case target == TargetCommission:
		w.noCommission = true
	default:
		w.noFees = true
	}
}

// noteTime remembers a time read from a column, -1 for text, and reports in it whether
// its zone was assumed.
func (w *Row) noteTime(m parse.Moment, column int) parse.Moment {
	switch {
	case m.Zone != "":
		w.r.Out.noteValueZone(m.Zone)
	case !w.r.hasZoneInHeader(column):
		m.ZoneAssumed = !m.DateOnly && w.r.ZoneIsGuessed()
		w.r.Out.noteUnzoned(m)
	}
	if m.DateOnly || m.NoSeconds || m.ZeroFraction || m.ZoneAssumed {
		w.times = append(w.times, m)
	}
	return m
}

// noteFacts notes in a fill how exact its values are: how finely its time is written, and
// whether it states zero costs.
func (w *Row) noteFacts(f *Fill) {
	for _, m := range w.times {
		if m.At.Equal(f.At) {
			f.NoTime = f.NoTime || m.DateOnly
			f.NoSeconds = f.NoSeconds || m.NoSeconds
			f.ZeroFraction = f.ZeroFraction || m.ZeroFraction
			f.ZoneAssumed = f.ZoneAssumed || m.ZoneAssumed
		}
	}
	f.NoTime = f.NoTime || f.DateOnly
	costs := w.r.costColumns()
	f.FeesKnown = f.FeesKnown || !f.Fees.IsZero() || w.noFees || w.hasZero(costs.fees)
	f.CommissionKnown = f.CommissionKnown || !f.Commission.IsZero() || w.noCommission || w.hasZero(costs.commission)
}

// hasZero reports whether any column says 0. Another number missing from the fill was
// left out for a reason, and says nothing about the cost.
func (w *cells) hasZero(columns []int) bool {
	for _, i := range columns {
		if i >= len(w.Cells) || parse.Blank(w.Cells[i]) {
			continue
		}
		if n, err := parse.Number(w.Cells[i], w.r.separator(i)); err == nil && n.IsZero() {
			return true
		}
	}
	return false
}
