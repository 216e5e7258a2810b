package brokers

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
	"fillbook/internal/trading/matching"
)

// degiroStatement is DEGIRO's account. It has the same trades as the transactions, to the
// minute, and they are read alike.
var degiroStatement = statement.Preset{
	Broker: "DEGIRO", Export: "account", Evidence: statement.SampleFile, Format: statement.Executions,
	Header: []string{degiroDate, degiroTime, degiroProduct, degiroISIN, degiroText, degiroChange, degiroBalance, degiroOrder},
	Zone:   amsterdam, Order: parse.DayFirst, NewestFirst: true, Whole: degiroAccount,
}

// degiroTrade is how the account describes a trade: the number, in some languages the
// product, the price and its currency. Text in front of a colon marks a product change
// instead of a trade.
var degiroTrade = lazyregexp.New(
	`^(?:(.+?)\s*:\s*)?(\p{L}+) ([\d.,\s\p{Zs}']*\d)(?: .*?)?(?:\s?@\s?|\s(?:zu je|za)\s)([\d.,]+) ([A-Z]{3})\b`)

// degiroFX is the column with the rate, filled in one of the two rows for a money
// exchange. Some languages call it the type.
const degiroFX = "FX|Tipo|Type|Kurz|Kurs"

// degiroSides are DEGIRO's own words for buying and selling.
var degiroSides = map[string]matching.Side{
	"nákup": matching.Buy, "prodej": matching.Sell, "zakup": matching.Buy, "sprzedaz": matching.Sell,
}

// degiroBook is what must be known about the whole file: its columns, how numbers are
// written, and what belongs to each order.
type degiroBook struct {
	headers   []string
	separator parse.Separator
	orders    map[string]*degiroPaid
	ordered   []*degiroPaid // as they appear
}

// degiroAccount reads the account: one trade is several rows with one order id, its price
// in foreign money, the money changed for it and its costs. So the file is read twice.
func degiroAccount(r *statement.Reader) error {
	table, header := joinDegiroRows(r)
	book := &degiroBook{headers: r.Out.Headers, separator: degiroSeparator(r.File.Tables[0]), orders: map[string]*degiroPaid{}}
	book.gather(table.Rows[header+1:])
	r.Section(table, header, len(table.Rows)).EachRow(func(w *statement.Row) { readDegiro(w, book) })
	for _, paid := range book.ordered {
		paid.settle(r)
	}
	return nil
}

// joinDegiroRows returns the table with every continued line joined to the row above, and
// the header's place. The export wraps long ids and texts onto a separate line, which has
// no date and no amount.
func joinDegiroRows(r *statement.Reader) (tabular.Table, int) {
	table := r.File.Tables[0]
	header := 0
	for header < len(table.Rows)-1 && !isDegiroHeader(table.Rows[header].Cells) {
		header++
	}
	joined := table
	joined.Rows = append([]tabular.Row(nil), table.Rows[:header+1]...)
	for _, row := range table.Rows[header+1:] {
		last := len(joined.Rows) - 1
		if last == header || !continuesDegiroRow(row.Cells, r.Out.Headers) {
			joined.Rows = append(joined.Rows, row)
			continue
		}
		joined.Rows[last].Cells = appendDegiroCells(joined.Rows[last].Cells, row.Cells)
	}
	return joined, header
}

// isDegiroHeader reports whether the cells are the table's header.
func isDegiroHeader(cells []string) bool {
	return slices.ContainsFunc(cells, func(cell string) bool {
		key := statement.HeaderKey(cell)
		return key == statement.HeaderKey("ISIN") || key == statement.HeaderKey("Code ISIN")
	})
}

// continuesDegiroRow reports whether a line belongs to the row above: it has text, but
// neither a date nor an amount.
func continuesDegiroRow(cells, headers []string) bool {
	text := false
	for i, cell := range cells {
		if strings.TrimSpace(cell) == "" {
			continue
		}
		if i < len(headers) && headers[i] != "" && headers[i][0] != '#' && isDegiroText(headers[i]) {
			text = true
			continue
		}
		return false
	}
	return text
}

// isDegiroText reports whether a column holds text that can be wrapped.
func isDegiroText(header string) bool {
	key := statement.HeaderKey(header)
	for _, names := range []string{degiroProduct, degiroISIN, degiroText, degiroOrder} {
		for name := range strings.SplitSeq(names, "|") {
			if statement.HeaderKey(name) == key {
				return true
			}
		}
	}
	return false
}

// appendDegiroCells joins a line's cells to the row above: words with a blank between
// them, the parts of an id without one.
func appendDegiroCells(above, below []string) []string {
	cells := append([]string(nil), above...)
	for i, cell := range below {
		cell = strings.TrimSpace(cell)
		if cell == "" {
			continue
		}
		for len(cells) <= i {
			cells = append(cells, "")
		}
		left := strings.TrimSpace(cells[i])
		if left != "" && !strings.HasSuffix(left, "-") && !strings.HasSuffix(left, "/") {
			left += " "
		}
		cells[i] = left + cell
	}
	return cells
}

// gather finds out which orders trade, and what was changed and paid for them. Money
// changed without an order belongs to the rows in its minute.
func (b *degiroBook) gather(rows []tabular.Row) {
	text, change, fx, order := b.column(degiroText), b.column(degiroChange), b.column(degiroFX), b.column(degiroOrder)
	date, tod := b.column(degiroDate), b.column(degiroTime)
	for _, row := range rows {
		cells := degiroCells(row.Cells)
		key := cells.at(order)
		if key == "" {
			key = cells.at(date) + " " + cells.at(tod)
		}
		currency, number := cells.at(change), cells.at(change+1)
		if !isDegiroCode(currency) {
			currency, number = number, currency
		}
		n, err := parse.Number(number, b.separator)
		if err != nil {
			continue // its own row will tell
		}
		b.order(key).add(degiroEntry{text: cells.at(text), currency: currency, amount: n, rate: degiroRateIn(cells.at(fx), b.separator)})
	}
	for _, paid := range b.ordered {
		paid.sort()
	}
}

// degiroRateIn reads the rate in a cell, if there is one.
func degiroRateIn(text string, sep parse.Separator) decimal.Null {
	n, err := parse.Number(text, sep)
	if err != nil || n.Sign() <= 0 {
		return decimal.Null{}
	}
	return decimal.Of(n)
}

// order returns what is known about an order, or about a minute.
func (b *degiroBook) order(key string) *degiroPaid {
	if b.orders[key] == nil {
		b.orders[key] = &degiroPaid{changed: map[string]decimal.Decimal{}, costs: map[string]degiroCost{}}
		b.ordered = append(b.ordered, b.orders[key])
	}
	return b.orders[key]
}

// orderOf returns a row's order, or its minute if it has none.
func (b *degiroBook) orderOf(w *statement.Row) *degiroPaid {
	if id := w.Text(degiroOrder); id != "" {
		return b.orders[id]
	}
	return b.orders[w.Text(degiroDate)+" "+w.Text(degiroTime)]
}

// degiroEvent is a row in the account.
type degiroEvent struct {
	text, symbol, name string
	at                 parse.Moment
	amount             decimal.Null
	currency           string
}

// readDegiro reads a row in the account.
func readDegiro(w *statement.Row, book *degiroBook) {
	text := w.Text(degiroText)
	if text == "" && w.Text(degiroDate) == "" {
		w.Ignore()
		return
	}
	e := degiroEvent{text: text, name: w.Text(degiroProduct), at: w.DateAndTime(degiroDate, degiroTime)}
	e.amount, e.currency = book.amount(w, book.column(degiroChange))
	if isin := strings.ToUpper(w.Text(degiroISIN)); statement.IsISIN(isin) {
		e.symbol = isin
	}
	paid, ordered := book.orderOf(w), w.Text(degiroOrder) != ""
	if trade := degiroTrade().FindStringSubmatch(text); trade != nil {
		if !ordered {
			paid = nil
		}
		readDegiroTrade(w, e, trade, paid, book.separator)
		return
	}
	entry := degiroEntry{text: text, currency: e.currency, amount: e.amount.Decimal, rate: degiroRateIn(w.Text(degiroFX), book.separator)}
	leg := paid != nil && paid.isLeg(entry)
	if leg {
		paid.quote(w, e.currency, e.at.At)
	}
	switch {
	case ordered && paid != nil && paid.trades:
		paid.skip(w, entry, leg)
	case leg:
		e.emitCash(w, statement.KindExchange)
	default:
		e.emitCash(w, statement.FindCashKind(text))
	}
}

// emitCash adds a row other than a trade as cash, or skips it.
func (e *degiroEvent) emitCash(w *statement.Row, kind statement.Kind) {
	amount := e.amount.Decimal
	if kind == "" && !amount.IsZero() {
		if kind, _ = w.ChosenKind(e.text); kind == "" {
			w.SkipUnknownKind(e.text, statement.Cash{Amount: amount, Currency: e.currency})
			return
		}
	}
	cash := statement.CashType(kind, amount, e.text)
	switch {
	case kind == statement.KindRepeated:
		w.Skip(statement.ReasonRepeated)
	case kind == statement.KindMovement:
		e.skipMovement(w, e.text, decimal.Zero)
	case amount.IsZero() || w.Failed():
		w.Skip(statement.ReasonNoAmount)
	case cash == "":
		w.Skip(statement.ReasonIgnored)
	default:
		note := strings.Join(strings.Fields(e.text), " ")
		if !strings.Contains(note, e.symbol) {
			note = e.symbol + " " + note
		}
		w.Money(statement.Cash{Type: cash, Amount: amount, Currency: e.currency, At: e.at.At, Note: note})
	}
}

// skipMovement skips a row moving securities without a trade. quantity is what came, negative
// for what left, and zero if the row does not state it.
func (e *degiroEvent) skipMovement(w *statement.Row, word string, quantity decimal.Decimal) {
	w.Skip(statement.ReasonSecurities)
	day := e.at.At
	if zone, err := time.LoadLocation(w.Reader().Out.Zone); err == nil {
		day = day.In(zone)
	}
	out := w.Reader().Out
	warn := func() {
		out.Warn("%s of %s on %s was skipped: it is not a trade. Adjust your position manually if it changed.",
			word, cmp.Or(e.symbol, "an unnamed security"), day.Format(time.DateOnly))
	}
	kind, _ := statement.FindActionKind(word)
	if kind == "" || e.symbol == "" || quantity.IsZero() || w.Failed() {
		warn()
		return
	}
	w.Action(statement.ActionRow{
		Kind: kind, Symbol: e.symbol, Company: e.name, Day: w.Reader().ActionDay(e.at), Quantity: quantity, Group: statement.WordKey(word),
	}, warn)
}

// readDegiroTrade reads the row with an order's trade.
func readDegiroTrade(w *statement.Row, e degiroEvent, trade []string, paid *degiroPaid, sep parse.Separator) {
	side, _, ok := parse.SideWord(trade[2])
	if own := degiroSides[strings.ToLower(trade[2])]; own != "" {
		side, ok = own, true
	}
	if !ok || trade[1] != "" {
		word := strings.TrimSpace(trade[1])
		if !ok {
			word = trade[2]
		}
		if e.amount.Decimal.IsZero() {
			quantity, _ := parse.Number(trade[3], sep)
			switch {
			case !ok:
				quantity = decimal.Zero
			case side == matching.Sell:
				quantity = quantity.Neg()
			}
			e.skipMovement(w, word, quantity)
			return
		}
		e.emitCash(w, statement.KindAdjustment)
		return
	}
	f := statement.Fill{Symbol: e.symbol, Side: side, At: e.at.At, DateOnly: e.at.DateOnly, Details: map[string]string{}}
	f.Multiplier = e.readNumbers(w, &f, trade, sep)
	if paid != nil {
		if rate, home := paid.rate(e.currency); rate.Valid {
			f.Multiplier = decimal.Of(f.Multiplier.Or(decimal.New(1)).Mul(rate.Decimal))
			e.amount, e.currency = decimal.Of(e.amount.Decimal.Mul(rate.Decimal).Round(2)), home
		}
	}
	e.fill(w, &f, trade[5])
	if filled := w.Fill(f); paid != nil && !w.Failed() {
		paid.fills, paid.home, paid.row = append(paid.fills, filled), e.currency, w.Number
	}
}

// fill completes a fill with its amount, its name and its currencies.
func (e *degiroEvent) fill(w *statement.Row, f *statement.Fill, priced string) {
	f.StatedCashFlow = e.amount
	if e.amount.Valid {
		f.StatedCashFlow.Decimal = e.amount.Decimal.Abs()
		if f.Side == matching.Buy {
			f.StatedCashFlow.Decimal = f.StatedCashFlow.Decimal.Neg()
		}
	}
	if f.Multiplier.Decimal.Sign() <= 0 {
		f.Multiplier = decimal.Null{} // the amounts do not belong together
	}
	if e.name != "" && !strings.EqualFold(e.name, f.Symbol) {
		f.Details["name"] = e.name
	}
	if priced != "" && priced != e.currency {
		f.Details["currency"] = priced
	}
	if e.currency == "" {
		return
	}
	out := w.Reader().Out
	out.DeriveCurrency(e.currency)
	if home := w.Reader().Hints.Currency; home != "" && home != e.currency {
		out.WarnCurrency(e.currency, home)
	}
}

// skip accounts for a row in an order that trades: the trade has its costs and the money
// changed for it. A row with an unknown kind is no cost.
func (p *degiroPaid) skip(w *statement.Row, entry degiroEntry, leg bool) {
	if leg || entry.isCost() {
		p.rows = append(p.rows, w.Number)
		return
	}
	w.Reader().Out.Warn("Rows of the kind %q are not known; those that belong to an order were left out.", entry.text)
	w.Skip("rows of the kind %q are not known", entry.text)
}

// readNumbers reads quantity and price from a text, which is written in the language of
// its day and not always like the columns: the reading that explains the amount is right.
// It returns the value of a price unit in its row's currency: a hundredth for pence, a
// hundred for options, else none.
func (e *degiroEvent) readNumbers(w *statement.Row, f *statement.Fill, trade []string, sep parse.Separator) decimal.Null {
	one, hundredth := decimal.New(1), decimal.Must("0.01")
	read := func(s parse.Separator) (failed error) {
		var err, wrong error
		f.Quantity, err = parse.Number(trade[3], s)
		f.Price, wrong = parse.Number(trade[4], s)
		return cmp.Or(err, wrong)
	}
	for _, s := range []parse.Separator{sep, parse.Comma, parse.Point} {
		if read(s) != nil {
			continue
		}
		for _, each := range []decimal.Decimal{one, hundredth, decimal.New(100)} {
			if isDegiroNear(f.Quantity.Mul(f.Price).Mul(each), e.amount.Decimal.Abs()) {
				return decimal.Null{Decimal: each, Valid: !each.Equal(one)}
			}
		}
	}
	if err := read(sep); err != nil {
		w.Fail("%v.", err)
	}
	if (trade[5] == "GBX" || trade[5] == "GBp") && (e.currency == "" || e.currency == "GBP") {
		return decimal.Of(hundredth)
	}
	return decimal.Null{}
}

// isDegiroNear reports whether two amounts are the same but for rounding: a cent, or half
// a percent.
func isDegiroNear(computed, stated decimal.Decimal) bool {
	allowed := decimal.Max(decimal.Must("0.01"), stated.Mul(decimal.Must("0.005")))
	return computed.Sub(stated).Abs().Cmp(allowed) <= 0
}

// isDegiroCode reports whether a text looks like a currency code.
func isDegiroCode(text string) bool {
	return len(text) == 3 && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// degiroCells are a row's cells.
type degiroCells []string

// at returns the text in a place.
func (c degiroCells) at(i int) string {
	if i < 0 || i >= len(c) {
		return ""
	}
	return strings.TrimSpace(c[i])
}

// column returns the place of the first column with any of the names, or -1.
func (b *degiroBook) column(names string) int {
	for name := range strings.SplitSeq(names, "|") {
		key := statement.HeaderKey(name)
		i := slices.IndexFunc(b.headers, func(h string) bool { return key != "" && statement.HeaderKey(h) == key })
		if i >= 0 {
			return i
		}
	}
	return -1
}

// isUnnamed reports whether a column has no name, and so belongs to the one before.
// The reader numbers such names from the second on.
func (b *degiroBook) isUnnamed(i int) bool {
	return i >= len(b.headers) || b.headers[i] == "" || b.headers[i][0] == '#'
}

// number reads the number in a place.
func (b *degiroBook) number(w *statement.Row, i int) decimal.Null {
	text := degiroCells(w.Cells).at(i)
	if parse.Blank(text) {
		return decimal.Null{}
	}
	n, err := parse.Number(text, b.separator)
	if err != nil {
		w.Fail("%s: %v.", b.headers[i], err)
		return decimal.Null{}
	}
	return decimal.Of(n)
}

// amount reads the number in a place and its currency, which is in front of it under the
// same name, after it, or in the name.
func (b *degiroBook) amount(w *statement.Row, i int) (decimal.Null, string) {
	if i < 0 {
		return decimal.Null{}, ""
	}
	cells := degiroCells(w.Cells)
	switch {
	case isDegiroCode(cells.at(i)) && b.isUnnamed(i+1):
		return b.number(w, i+1), cells.at(i)
	case isDegiroCode(cells.at(i + 1)):
		return b.number(w, i), cells.at(i + 1)
	}
	name := b.headers[i]
	if code := name[strings.LastIndexByte(name, ' ')+1:]; isDegiroCode(code) && code != name {
		return b.number(w, i), code
	}
	return b.number(w, i), ""
}

// degiroSeparator decides over the whole file which sign marks decimals, as columns
// without a name cannot be looked up one by one.
func degiroSeparator(table tabular.Table) parse.Separator {
	var values []string
	for _, row := range table.Rows {
		for _, cell := range row.Cells {
			if strings.ContainsAny(cell, ",.") {
				values = append(values, cell)
			}
		}
	}
	return parse.SettleSeparator(slices.Values(values))
}
