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

// Row is one data row, read by column name. An unreadable value fails the row: it becomes
// a Problem, and its records are dropped. The methods return zero values then, so a
// preset can continue.
type Row struct {
	cells
	times []parse.Moment // read so far
	// symbol and currency belong to a row read by names; coins are costs in another
	// currency. See chargeCoins.
	symbol, currency string
	coins            []coinAmount
	rowNotes
}

// cells are a row's values.
type cells struct {
	tabular.Row
	outcome
	r    *Reader
	at   parse.Moment // once it was read
	word string       // for its kind, as the file writes it
	// values are those set by Parse and Prepare.
	values map[string]string
	// noFees and noCommission report a cost read as 0.
	noFees, noCommission bool
	// traded is the fill's value, for costs in percent.
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

// reset makes the row the table's next one.
func (w *Row) reset(r *Reader, from tabular.Row) {
	r.Out.Rows++
	fills, times := w.fills[:0], w.times[:0]
	*w = Row{cells: cells{Row: from, r: r, outcome: outcome{Number: r.Out.Rows, fills: fills}}, times: times}
}

// rowNotes are what a hook says about a row.
type rowNotes struct {
	zone            string // for its times
	chargesName     string // for its tax and fees; the word for its kind if empty
	otherLeg        coinAmount
	countsContracts bool
}

// SetZone sets the zone for the times in this row.
func (n *rowNotes) SetZone(zone string) { n.zone = zone }

// NameCharges sets the name for tax and fees in notes, instead of the row's kind.
func (n *rowNotes) NameCharges(name string) { n.chargesName = name }

// SetOtherLeg adds a second coin to a KindLeg row.
func (n *rowNotes) SetOtherLeg(amount decimal.Decimal, coin string) {
	n.otherLeg = coinAmount{amount, coinName(coin)}
}

// CountContracts notes that the quantity counts contracts with an unknown size on a crypto
// exchange. Their stated result counts.
func (n *rowNotes) CountContracts() { n.countsContracts = true }

// AddTotal adds to a total the file states about itself; see [Statement.Sum] for the
// items.
func (w *Row) AddTotal(item string, n decimal.Decimal) { w.r.state.addSum(item, n) }

// Reader returns the row's reader.
func (w *cells) Reader() *Reader { return w.r }

// Text returns the value in the first column with any of the names and a value here.
func (w *cells) Text(names string) string {
	_, text := w.find(names)
	return text
}

// find returns an expression's value in this row, and its column, -1 for a value outside
// the columns.
func (w *cells) find(names Col) (column int, text string) { return w.findIn(w.r.parse(names)) }

// findIn is find for a parsed expression.
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

// Ignore leaves out a row without the key value: a total, a title, a footer. A row that
// still looks like data, because most of its columns are filled, is counted and skipped
// with a reason.
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

// looksLikeData reports whether more than half the table's columns are filled here, any
// of them with a number.
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

// Null returns the number in a column, absent if it is empty.
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

// Decimal returns the number in a column, 0 if it is empty.
func (w *cells) Decimal(names string) decimal.Decimal { return w.Null(names).Or(decimal.Zero) }

// Required returns the number in a column that must not be empty.
func (w *cells) Required(names string) decimal.Decimal {
	n := w.Null(names)
	if !n.Valid {
		w.Fail("There is no value in column %s.", firstName(names))
	}
	return n.Or(decimal.Zero)
}

// Cost adds up cost columns: the result is positive for costs paid, whichever way the
// file writes them.
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

// percentCost returns a cost written as a share of the traded value, to the cent.
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

// percentPrice reads a bond price written as a share of its nominal value.
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

// setZone sets the zone for a time without one, from its clock.
func (w *Row) setZone(m *parse.Moment, clock *parse.Clock) {
	if m.Zone == "" {
		m.Zone = clock.Zone()
		w.r.Out.columnZone = m.Zone
	}
}

// dateAndTimeIn returns the instant in two columns, in a zone named by another column.
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

// DateAndTime returns the instant in two columns.
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

// At returns the instant in a text, in the file's zone, for times inside other text.
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

// Side returns the side named in a column.
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

// sideWord reads a word, the preset's own first, or the side at the beginning of a text.
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

// sideWord is what a word says about a fill's side.
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

// emitFill is Fill for a fill from newFill.
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

// fillPool allocates many fills at a time, because files have so many.
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

// assumeUnits sets the multiplier in a file whose quantities are units.
func (r *Reader) assumeUnits(f *Fill) {
	if r.Preset.Units && !f.Multiplier.Valid {
		f.Multiplier, f.MultiplierAssumed = decimal.Of(decimal.New(1)), true
	}
}

// Money emits a cash row; its amount's sign decides which way money moved. The journal
// stores every fee as paid and every deposit as received, so a refunded fee is an
// adjustment, and a reversed deposit is a withdrawal.
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

// Annotate emits annotations for a fill's trade; empty annotations are dropped.
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

// writeOutcome writes the row's outcome to the statement.
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

// firstName returns the first column in an expression, for messages.
func firstName(names Col) string {
	list := splitAlternatives(names)
	for _, name := range list {
		if name != "" && !strings.ContainsAny(name[:1], "@={") {
			return name
		}
	}
	return strings.TrimPrefix(list[0], "@")
}
