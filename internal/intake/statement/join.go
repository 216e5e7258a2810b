package statement

import (
	"cmp"
	"slices"
	"time"

	"fillbook/internal/intake/parse"
)

// Join combines rows with the same value in By.
type Join struct {
	// Kinds are the kinds to combine; all if empty.
	Kinds []Kind
	By    Col
	As    JoinRule
	// Pair names the coin pair, if the file has it. Without it, exchanges trading a
	// stable coin for state money set Fiat.
	Pair Col
	Fiat bool
	// Need are the columns that complete two halves. Then is the kind for the whole, Else
	// for a half alone.
	Need       []Col
	Then, Else Kind
	// Within is how far a cost may be from its trade in time.
	Within time.Duration
}

// JoinRule defines how rows are combined.
type JoinRule string

// The rules.
//
// JoinParts: fills with the same id are parts of one fill. JoinRates: two sides of a
// money exchange state a rate for cash in foreign currencies. JoinLegs: KindLeg rows are
// the coins in one trade, KindLegFee rows its fees. Amount and Currency are read from
// each. JoinHalves: two rows have the columns for one record between them. JoinCosts: a
// row is a cost for the trade before it.
const (
	JoinParts  JoinRule = "parts"
	JoinRates  JoinRule = "rates"
	JoinLegs   JoinRule = "legs"
	JoinHalves JoinRule = "halves"
	JoinCosts  JoinRule = "costs"
)

// joinOf returns the rule for a kind.
func (l *Layout) joinOf(kind Kind) *Join {
	for i, j := range l.Join {
		switch {
		case j.As == JoinParts || j.As == JoinRates:
		case len(j.Kinds) == 0 && (j.As != JoinLegs || kind == KindLeg || kind == KindLegFee), slices.Contains(j.Kinds, kind):
			return &l.Join[i]
		}
	}
	return nil
}

// joinRow adds a row to the rows it belongs to. It reports whether the row waits for them
// or ended with them.
func (lr *layoutReader) joinRow(w *Row, kind Kind) bool {
	j := lr.layout.joinOf(kind)
	if j == nil {
		return false
	}
	switch j.As {
	case JoinLegs:
		lr.addLeg(w, kind, j)
	case JoinHalves:
		lr.addHalf(w, j)
	case JoinCosts:
		return lr.addCost(w, j)
	case JoinParts, JoinRates:
	}
	return true
}

// halves are rows with the columns for one record between them.
type halves struct {
	reader *layoutReader
	rows   []*Row
}

// addHalf reads a row once it and the rows before it have all columns the record needs.
func (lr *layoutReader) addHalf(w *Row, j *Join) {
	lr.momentOf(w)
	if w.Failed() {
		return
	}
	key := w.Text(j.By)
	h := lr.halves[key]
	if h == nil {
		h = &halves{reader: lr}
		lr.halves[key] = h
	}
	h.rows = append(h.rows, w)
	whole := h.merged()
	if slices.ContainsFunc(j.Need, func(col Col) bool { return whole.Text(col) == "" }) {
		return
	}
	delete(lr.halves, key)
	for _, other := range h.rows[:len(h.rows)-1] {
		other.Join(w.Number)
	}
	w.Cells = whole.Cells
	lr.r.Out.WarnRow(w.Number, "Two rows were read as one trade (%s of %s).", w.word, w.Text(lr.layout.Symbol))
	lr.readKind(w, j.Then)
}

// merged returns the last row with its empty cells filled from the others.
func (h *halves) merged() *Row {
	last := *h.rows[len(h.rows)-1]
	last.Cells = slices.Clone(last.Cells)
	for _, other := range h.rows {
		for i, cell := range other.Cells {
			if i < len(last.Cells) && parse.Blank(last.Cells[i]) {
				last.Cells[i] = cell
			}
		}
	}
	return &last
}

// closeHalves reads the halves left alone.
func (s *layoutState) closeHalves() {
	var left []*halves
	for _, h := range s.halves {
		left = append(left, h)
	}
	slices.SortFunc(left, func(a, b *halves) int { return cmp.Compare(a.rows[0].Number, b.rows[0].Number) })
	for _, h := range left {
		lr := h.reader
		for _, w := range h.rows {
			j := lr.layout.joinOf(lr.kindOf(w))
			if j == nil {
				continue
			}
			lr.r.Out.WarnRow(w.Number, "%s of %s has only one of its two rows, so no trade was read. Enter it by hand.", w.word, w.Text(lr.layout.Symbol))
			lr.readKind(w, j.Else)
		}
	}
}

// costTarget is the last trade a cost may belong to.
type costTarget struct {
	row  *Row
	fill *Fill
}

// noteCostTarget keeps a trade for the costs following it.
func (lr *layoutReader) noteCostTarget(w *Row) {
	for _, j := range lr.layout.Join {
		if j.As == JoinCosts && len(w.fills) > 0 && !w.Failed() {
			lr.costTargets[w.Text(j.By)] = costTarget{w, w.fills[len(w.fills)-1]}
		}
	}
}

// addCost adds a cost to the trade before it. It reports whether there is one; if
// not, the row is cash.
func (lr *layoutReader) addCost(w *Row, j *Join) bool {
	l := lr.layout
	target, ok := lr.costTargets[w.Text(j.By)]
	if !ok {
		return false
	}
	at := lr.momentOf(w)
	amount := w.Required(l.amountColumn())
	if w.Failed() || j.Within > 0 && at.At.Sub(target.fill.At).Abs() > j.Within {
		return w.Failed()
	}
	f := target.fill
	f.Commission = f.Commission.Sub(amount)
	if f.StatedCashFlow.Valid {
		f.StatedCashFlow.Decimal = f.StatedCashFlow.Decimal.Add(amount)
	}
	f.CommissionKnown = true
	w.Join(target.row.Number)
	return true
}

// FillBlanks copies cells from another row into blank ones in some columns, for rows
// continuing the one above.
func (w *Row) FillBlanks(from *Row, columns ...Col) {
	w.Cells = slices.Clone(w.Cells)
	for _, col := range columns {
		for _, i := range w.r.columnsNamed(col) {
			if i < len(w.Cells) && i < len(from.Cells) && parse.Blank(w.Cells[i]) {
				w.Cells[i] = from.Cells[i]
			}
		}
	}
}
