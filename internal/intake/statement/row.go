package statement

import (
	"fmt"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/tabular"
	"fillbook/internal/trading/annotations"
	"fillbook/internal/trading/matching"
)

// Row is one data row, read by column name. A value that cannot be read fails
// the row: it becomes a Problem, and nothing that it emitted is taken. The
// methods return zero values then, so that a preset can continue.
type Row struct {
	cells
	times []parse.Moment // that were read
	// symbol and currency are those of a row that is read by names; coins are costs
	// that are in another currency. See chargeCoins.
	symbol, currency string
	coins            []coinAmount
	rowNotes
}

// cells are the values of a row.
type cells struct {
	tabular.Row
	outcome
	r    *Reader
	at   parse.Moment // of the row, once it was read
	word string       // for its kind, as the file writes it
	// values are those that Parse and Prepare have set.
	values map[string]string
	// noFees and noCommission report that a cost was read and is 0.
	noFees, noCommission bool
	// traded is the value of the fill that costs in percent are a share of.
	traded decimal.Decimal
}

// outcome is what a row becomes.
type outcome struct {
	// Number is what the row is called in messages: 1 is the first data row.
	Number      int
	fills       []*Fill
	cash        []*Cash
	annotations []*Annotations
	reason      string // why the row failed
	skipped     string // why the row holds nothing
}

// reset makes the row the next one of the table.
func (w *Row) reset(r *Reader, from tabular.Row) {
	r.Out.Rows++
	fills, times := w.fills[:0], w.times[:0]
	*w = Row{cells: cells{Row: from, r: r, outcome: outcome{Number: r.Out.Rows, fills: fills}}, times: times}
}

// rowNotes are what a hook says about a row.
type rowNotes struct {
	zone            string // of its times
	chargesName     string // what its tax and its fees are of; the word for its kind if empty
	otherLeg        coinAmount
	countsContracts bool
}

// SetZone sets the zone of the times in this row.
func (n *rowNotes) SetZone(zone string) { n.zone = zone }

// NameCharges sets what the notes of tax and fees name instead of the kind of the row.
func (n *rowNotes) NameCharges(name string) { n.chargesName = name }

// SetOtherLeg adds a second coin to a row of KindLeg.
func (n *rowNotes) SetOtherLeg(amount decimal.Decimal, coin string) {
	n.otherLeg = coinAmount{amount, coinName(coin)}
}

// CountContracts says that the quantity counts contracts of unknown size on a crypto
// exchange. Their stated result counts.
func (n *rowNotes) CountContracts() { n.countsContracts = true }

// AddTotal adds to a figure that the file states about itself; see [Statement.Sum]
// for the items.
func (w *Row) AddTotal(item string, n decimal.Decimal) { w.r.state.addSum(item, n) }

// Reader returns the reader that the row comes from.
func (w *cells) Reader() *Reader { return w.r }

// Text returns the value of the first column that has one of the names and a
// value here.
func (w *cells) Text(names string) string {
	_, text := w.find(names)
	return text
}

// find returns the value of an expression in this row, and its column, which is
// -1 if the value is not in one.
func (w *cells) find(names Col) (column int, text string) { return w.findIn(w.r.parse(names)) }

// findIn is find for an expression that was looked up.
func (w *cells) findIn(e *expression) (column int, text string) {
	if e.terms != nil {
		return w.resolve(e.terms)
	}
	column = -1
	for _, i := range e.columns {
		if i >= len(w.Cells) {
			continue
		}
		if column < 0 {
			column = i
		}
		if !parse.Blank(w.Cells[i]) {
			return i, w.Cells[i]
		}
	}
	return column, ""
}

// Fail leaves the row out, for the first reason given.
func (w *outcome) Fail(format string, args ...any) {
	if w.reason == "" {
		w.reason = fmt.Sprintf(format, args...)
	}
}

// Failed reports whether the row is left out.
func (w *outcome) Failed() bool { return w.reason != "" }

// Ignore leaves out a row that lacks what every data row has: a total, a
// title, a footer. A row that looks like data all the same, because most of its
// columns are filled, is counted and skipped with a reason.
func (w *Row) Ignore() {
	if w.looksLikeData() {
		w.Skip("%s", unrecognizedRow)
		return
	}
	w.Drop()
}

// Drop removes the row from the count: it is certainly not a data row, or it is
// read elsewhere.
func (w *outcome) Drop() {
	w.fills, w.cash, w.annotations = nil, nil, nil
	w.Number = 0
}

const unrecognizedRow = "unrecognized row"

// looksLikeData reports whether more than half of the table's columns are
// filled here, and one of them with a number.
func (w *cells) looksLikeData() bool {
	filled, numbers := 0, 0
	for i, cell := range w.Cells {
		if i >= len(w.r.header) || parse.Blank(cell) {
			continue
		}
		filled++
		if _, err := parse.Number(cell, parse.Unsettled); err == nil {
			numbers++
		}
	}
	const fewest = 3
	return filled >= fewest && numbers > 0 && filled*2 > len(w.r.header)
}

// Null is the number of a column, absent where it is empty.
func (w *cells) Null(names string) decimal.Null { return w.nullIn(w.r.parse(names), names) }

func (w *cells) nullIn(e *expression, names Col) decimal.Null {
	i, text := w.findIn(e)
	if text == "" {
		return decimal.Null{}
	}
	name, separator := string(w.r.constants[names]), parse.Point
	if !isConstant(names) {
		name, separator = w.r.nameOf(i, names), w.r.separatorFor(i, text)
	}
	n, err := parse.Number(text, separator)
	if err != nil {
		w.Fail("%s: %v.", name, err)
		return decimal.Null{}
	}
	return decimal.Of(n)
}

// Decimal is the number of a column, 0 where it is empty.
func (w *cells) Decimal(names string) decimal.Decimal { return w.Null(names).Or(decimal.Zero) }

// Required is the number of a column that must not be empty.
func (w *cells) Required(names string) decimal.Decimal {
	n := w.Null(names)
	if !n.Valid {
		w.Fail("There is no value in column %s.", firstName(names))
	}
	return n.Or(decimal.Zero)
}

// Cost adds up columns of costs: the result is positive for what was paid,
// whichever way the file writes it.
func (w *cells) Cost(columns ...string) decimal.Decimal {
	sum := decimal.Zero
	for _, names := range columns {
		sum = sum.Add(w.cost(names))
	}
	return sum
}

// cost returns the cost in one column.
func (w *cells) cost(names Col) decimal.Decimal { return w.costIn(w.r.parse(names), names) }

func (w *cells) costIn(e *expression, names Col) decimal.Decimal {
	i, text := w.findIn(e)
	n, isRate := w.percentCost(i, text)
	if !isRate {
		n = w.nullIn(e, names).Or(decimal.Zero)
	}
	if i < 0 {
		if w.r.Preset.Costs == CostsNegative {
			return n.Neg()
		}
		return n
	}
	w.noteCost(i, n)
	if w.r.costsBelowZero(i) {
		return n.Neg()
	}
	return n
}

// percentCost returns a cost that is written as a share of what was traded, to
// the cent.
func (w *cells) percentCost(column int, text string) (decimal.Decimal, bool) {
	if w.traded.IsZero() {
		return decimal.Zero, false
	}
	rate, ok := parse.Percent(text, w.r.separatorFor(column, text))
	if !ok {
		return decimal.Zero, false
	}
	w.r.Out.Warn("Column %q has percentages. The costs were computed from quantity and price.", w.r.nameOf(column, ""))
	const cents = 2
	return w.traded.Mul(rate).Mul(hundredth).Round(cents), true
}

// percentPrice reads the price of a bond that is written as a share of its
// nominal value.
func (w *cells) percentPrice(column int, text string) (decimal.Decimal, bool) {
	return parse.Percent(text, w.r.separatorFor(column, text))
}

// Moment is the instant in a column.
func (w *Row) Moment(names string) parse.Moment { return w.momentIn(w.r.parse(names), names) }

func (w *Row) momentIn(e *expression, names Col) parse.Moment {
	i, text := w.findIn(e)
	if isConstant(names) {
		return w.At(text)
	}
	if text == "" {
		w.Fail("There is no time in column %s.", firstName(names))
		return parse.Moment{}
	}
	clock, err := w.r.clock("", i)
	if err == nil {
		var m parse.Moment
		if m, err = w.r.momentOf(clock, text); err == nil {
			w.r.noteZone(m, i)
			return w.noteTime(m, i)
		}
	}
	w.Fail("%s: %v.", w.r.nameOf(i, names), err)
	return parse.Moment{}
}

// MomentIn is the instant in a column whose zone another column names.
func (w *Row) MomentIn(zone, names string) parse.Moment {
	i, text := w.find(names)
	if i < 0 || text == "" || zone == "" {
		return w.Moment(names)
	}
	clock, err := w.r.clock(zone, i)
	if err == nil {
		var m parse.Moment
		if m, err = clock.Moment(text); err == nil {
			w.setZone(&m, clock)
			return w.noteTime(m, i)
		}
	}
	w.Fail("%s: %v.", w.r.nameOf(i, names), err)
	return parse.Moment{}
}

// setZone sets the zone of a time that names none and whose clock has the zone
// that the file states.
func (w *Row) setZone(m *parse.Moment, clock *parse.Clock) {
	if m.Zone == "" {
		m.Zone = clock.Zone()
		w.r.Out.columnZone = m.Zone
	}
}

// dateAndTimeIn is the instant in two columns, in a zone that another column
// names.
func (w *Row) dateAndTimeIn(zone string, dates, times Col) parse.Moment {
	i, date := w.find(dates)
	clock, err := w.r.clock(zone, i)
	if err == nil {
		var m parse.Moment
		if m, err = clock.DateAndTime(date, w.Text(times)); err == nil {
			w.setZone(&m, clock)
			return w.noteTime(m, i)
		}
	}
	w.Fail("%s: %v.", w.r.nameOf(i, dates), err)
	return parse.Moment{}
}

// DateAndTime is the instant that two columns have together.
func (w *Row) DateAndTime(dates, times string) parse.Moment {
	i, date := w.find(dates)
	if date == "" {
		w.Fail("There is no date in column %s.", firstName(dates))
		return parse.Moment{}
	}
	j, tod := w.find(times)
	zoned := i
	if j >= 0 {
		if _, ok := w.r.zoneInHeader(j); ok {
			zoned = j
		}
	}
	clock, err := w.r.clock(w.r.zoneOf(zoned), i)
	if err == nil {
		var m parse.Moment
		if m, err = clock.DateAndTime(date, tod); err == nil {
			w.r.noteZone(m, zoned)
			return w.noteTime(m, zoned)
		}
	}
	w.Fail("%s: %v.", w.r.nameOf(i, dates), err)
	return parse.Moment{}
}

// At is the instant that a text states in the zone of the file, for times inside
// other text.
func (w *Row) At(text string) parse.Moment {
	clock, err := w.r.clock(w.r.zone, -1)
	if err == nil {
		var m parse.Moment
		if m, err = clock.Moment(text); err == nil {
			return w.noteTime(m, -1)
		}
	}
	w.Fail("%v.", err)
	return parse.Moment{}
}

// Day is the calendar day in a column, empty where there is none.
func (w *Row) Day(names string) journal.Day {
	i, text := w.find(names)
	if text == "" {
		return ""
	}
	clock, err := w.r.clock(w.r.zone, i)
	if err == nil {
		var d journal.Day
		if d, err = clock.Day(text); err == nil {
			return d
		}
	}
	w.Fail("%s: %v.", w.r.nameOf(i, names), err)
	return ""
}

// Side is the side that a column names.
func (w *Row) Side(names string) (matching.Side, parse.Effect) {
	i, text := w.find(names)
	if text == "" {
		w.Fail("There is no side in column %s.", firstName(names))
		return matching.Buy, parse.EffectUnknown
	}
	side, effect, ok := w.sideWord(text)
	if !ok {
		w.Fail("%s: %q is neither a buy nor a sell.", w.r.nameOf(i, names), parse.Shorten(text))
	}
	return side, effect
}

// sideWord reads a word, the preset's own first, or the side that a text begins
// with.
func (w *Row) sideWord(text string) (matching.Side, parse.Effect, bool) {
	word := w.findSideWord(text)
	return word.side, word.effect, word.ok
}

func (w *Row) findSideWord(text string) sideWord {
	word, known := w.r.sides[text]
	if !known {
		word = w.r.Preset.readSide(text)
		const most = 1000 // a file has few words for sides
		if len(w.r.sides) < most {
			w.r.sides[text] = word
		}
	}
	return word
}

// sideWord is what a word says about the side of a fill.
type sideWord struct {
	side   matching.Side
	effect parse.Effect
	ok     bool
	whole  bool // the whole text is a side, and not only its start
}

func (p *Preset) readSide(text string) (word sideWord) {
	if d, ok := p.Sides[strings.ToLower(strings.TrimSpace(text))]; ok {
		if d.Buy {
			return sideWord{side: matching.Buy, effect: d.Effect, ok: true, whole: true}
		}
		return sideWord{side: matching.Sell, effect: d.Effect, ok: true, whole: true}
	}
	if word.side, word.effect, word.ok = parse.SideWord(text); word.ok {
		word.whole = true
		return word
	}
	word.side, word.effect, word.ok = parse.LeadingSide(text)
	return word
}

// Fill emits a fill. Row is filled in; a quantity below zero has its sign
// dropped, as the side says it.
func (w *Row) Fill(f Fill) *Fill {
	into := w.r.pool.newFill()
	*into = f
	w.emitFill(into)
	return into
}

// emitFill is Fill for one that newFill has returned.
func (w *Row) emitFill(f *Fill) {
	f.Row = w.Number
	f.Quantity = f.Quantity.Abs()
	if f.Type == "" {
		f.Type = w.r.Preset.Instrument
	}
	w.r.assumeUnits(f)
	w.noteFacts(f)
	w.fills = append(w.fills, f)
}

// fillPool allocates fills many at a time, because a file has so many of them.
type fillPool struct {
	spare []Fill
	size  int
}

// newFill returns an empty fill.
func (p *fillPool) newFill() *Fill {
	if len(p.spare) == 0 {
		const fewest, most = 8, 256
		p.size = min(max(fewest, 2*p.size), most)
		p.spare = make([]Fill, p.size)
	}
	f := &p.spare[0]
	p.spare = p.spare[1:]
	return f
}

// assumeUnits sets the multiplier of a file whose quantities are units.
func (r *Reader) assumeUnits(f *Fill) {
	if r.Preset.Units && !f.Multiplier.Valid {
		f.Multiplier, f.MultiplierAssumed = decimal.Of(decimal.New(1)), true
	}
}

// Money emits a cash row; the sign of its amount decides which way money moved.
// The journal stores every fee as paid and every deposit as received, so a fee
// that was refunded is an adjustment, and a deposit that was reversed is a
// withdrawal.
func (w *outcome) Money(c Cash) {
	c.Row = w.Number
	switch {
	case c.Type == cashFee && c.Amount.Sign() > 0:
		c.Type = cashAdjustment
	case c.Type == cashDeposit && c.Amount.Sign() < 0:
		c.Type = cashWithdrawal
	}
	w.cash = append(w.cash, &c)
}

// Annotate emits the annotations of the trade of a fill; empty annotations
// are dropped.
func (w *outcome) Annotate(m Annotations) {
	m.Row = w.Number
	if !m.IsEmpty() {
		w.annotations = append(w.annotations, &m)
	}
}

// IsEmpty reports whether the annotations are empty.
func (m *Annotations) IsEmpty() bool {
	return annotations.Fields.IsEmpty(&m.Values) && len(m.Tags)+len(m.Mistakes)+len(m.Setups) == 0
}

// writeOutcome writes the outcome of the row to the statement.
func (w *Row) writeOutcome() {
	out := w.r.Out
	for _, f := range w.fills {
		w.checkFill(f)
	}
	switch {
	case w.Number == 0:
		out.Rows--
	case w.reason != "":
		out.Problems = append(out.Problems, Problem{Row: w.Number, Message: w.reason})
	case w.skipped != "" || len(w.fills)+len(w.cash)+len(w.annotations) == 0:
		out.Skip(w.Number, w.skipReason())
	default:
		out.Fills = append(out.Fills, w.fills...)
		out.Cash = append(out.Cash, w.cash...)
		out.Annotations = append(out.Annotations, w.annotations...)
	}
}

// checkFill fails the row if a fill is incomplete.
func (w *outcome) checkFill(f *Fill) {
	switch {
	case f.Symbol == "":
		w.Fail("There is no symbol.")
	case f.Quantity.Sign() == 0:
		w.Fail("The quantity of %s is zero.", f.Symbol)
	case f.At.IsZero():
		w.Fail("There is no time.")
	}
}

// firstName returns the first column of an expression, for messages.
func firstName(names Col) string {
	list := splitAlternatives(names)
	for _, name := range list {
		if name != "" && !strings.ContainsAny(name[:1], "@={") {
			return name
		}
	}
	return strings.TrimPrefix(list[0], "@")
}
