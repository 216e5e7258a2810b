package statement

import (
	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
)

// plainColumns are the columns of a table with nothing but a fill's usual values: then
// most rows can be read without looking up expressions. A column is -1 if it is missing.
type plainColumns struct {
	symbol, side, quantity, price, time, fees, commission, id, order int
	width                                                            int // how many cells have all of them
}

// findPlainColumns returns the columns for readPlainFill, or nil if a row may have other
// values.
func (r *mappedReader) findPlainColumns(l *Layout) *plainColumns {
	if r.amount >= 0 || r.feeCurrency >= 0 || r.priceCurrency != "" || r.status != "" || r.day != "" || len(r.results) > 0 {
		return nil
	}
	for _, col := range []Col{l.Date, l.Clock, l.Type, l.Right, l.Multiplier, l.Currency, l.Swap} {
		if col != "" {
			return nil
		}
	}
	p := &plainColumns{}
	for _, c := range []struct {
		column   *int
		names    []Col
		required bool
	}{
		{&p.symbol, []Col{l.Symbol}, true},
		{&p.side, []Col{l.Side}, true},
		{&p.quantity, []Col{l.Quantity}, true},
		{&p.price, []Col{l.Price}, true},
		{&p.time, []Col{l.Time}, true},
		{&p.id, []Col{l.ID}, false},
		{&p.order, []Col{l.Order}, false},
		{&p.fees, r.fees, false},
		{&p.commission, r.commission, false},
	} {
		var ok bool
		if *c.column, ok = r.findOnlyColumn(c.names); !ok || c.required && *c.column < 0 {
			return nil
		}
		p.width = max(p.width, *c.column+1)
	}
	isCost := func(col Col, column int, target Target) bool {
		return column < 0 && col == "" || column >= 0 && r.costTarget(column) == target
	}
	if !isCost(l.Fees, p.fees, TargetFees) || !isCost(l.Commission, p.commission, TargetCommission) {
		return nil
	}
	return p
}

// findOnlyColumn returns the column for at most one expression, -1 for none. ok is false
// if there are several or other values.
func (r *table) findOnlyColumn(names []Col) (column int, ok bool) {
	if len(names) == 0 || len(names) == 1 && names[0] == "" {
		return -1, true
	}
	e := r.parse(names[0])
	if len(names) > 1 || e.terms != nil || len(e.columns) != 1 {
		return -1, false
	}
	return e.columns[0], true
}

// readPlainFill reads a row as readExecution does if all its values are plain. It returns
// false for any other row, and then has changed nothing.
func (r *mappedReader) readPlainFill(w *Row) bool {
	p, cells := r.plain, w.Cells
	if p == nil || len(cells) < p.width || parse.Blank(cells[p.symbol]) || parse.Blank(cells[p.side]) {
		return false
	}
	side := w.findSideWord(cells[p.side])
	quantity, isQuantity := r.plainNumber(cells, p.quantity)
	price, isPrice := r.plainNumber(cells, p.price)
	if !side.whole || !isQuantity || quantity.IsZero() || !isPrice || parse.Blank(cells[p.time]) {
		return false
	}
	fees, isFees := r.plainCost(cells, p.fees)
	commission, isCommission := r.plainCost(cells, p.commission)
	if !isFees || !isCommission {
		return false
	}
	clock, err := r.clock("", p.time)
	if err != nil {
		return false
	}
	at, err := clock.Moment(cells[p.time]) // last, because the clock remembers it
	if err != nil {
		return false
	}
	r.noteZone(at, p.time)
	at = w.noteTime(at, p.time)
	w.noteZero(TargetFees, p.fees >= 0 && fees.IsZero() && !parse.Blank(cells[p.fees]))
	w.noteZero(TargetCommission, p.commission >= 0 && commission.IsZero() && !parse.Blank(cells[p.commission]))
	f := r.pool.newFill()
	f.setInstrument(r.nameInstrument(r.layout, "", cells[p.symbol], r.Preset.Instrument))
	f.Side, f.Effect, f.Quantity, f.Price = side.side, side.effect, quantity, price
	f.At, f.DateOnly, f.Fees, f.Commission = at.At, at.DateOnly, fees, commission
	if p.id >= 0 && !parse.Blank(cells[p.id]) {
		f.ID = cells[p.id]
	}
	if p.order >= 0 && !parse.Blank(cells[p.order]) {
		f.SetOrder(cells[p.order])
	}
	w.emitFill(f)
	return true
}

// plainNumber returns the number in a cell. ok is false if it has none.
func (r *mappedReader) plainNumber(cells []string, column int) (n decimal.Decimal, ok bool) {
	if parse.Blank(cells[column]) {
		return decimal.Zero, false
	}
	n, err := parse.Number(cells[column], r.separator(column))
	return n, err == nil
}

// plainCost returns the cost in a cell, 0 if it is empty. ok is false for a cost with
// more than a number, such as its coin.
func (r *mappedReader) plainCost(cells []string, column int) (cost decimal.Decimal, ok bool) {
	if column < 0 || parse.Blank(cells[column]) {
		return decimal.Zero, true
	}
	text := cells[column]
	if !parse.IsDigit(text[len(text)-1]) {
		return decimal.Zero, false
	}
	n, ok := r.plainNumber(cells, column)
	if ok && r.costsBelowZero(column) {
		n = n.Neg()
	}
	return n, ok
}
