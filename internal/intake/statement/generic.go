package statement

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/trading/matching"
)

// mapping assigns columns and constants to targets.
type mapping map[Target]string

// mappedReader reads a table by a mapping: the preset's columns, replaced by those
// that the user chose.
type mappedReader struct {
	*Reader
	mapping     mapping
	feeCurrency int   // the column for the coin of costs; -1 for none
	repeated    []int // columns of costs that others have too
}

// newMappedReader returns the function that reads a row by a mapping.
func (r *Reader) newMappedReader() (func(*Row), error) {
	m := mapping{}
	maps.Copy(m, r.Preset.Columns)
	maps.Copy(m, r.Hints.Mapping)
	mapped := &mappedReader{Reader: r, mapping: m, feeCurrency: -1}
	return mapped.newRowReader()
}

func (r *mappedReader) newRowReader() (func(*Row), error) {
	if err := r.checkMapping(); err != nil {
		return nil, err
	}
	if err := r.requireDays(); err != nil {
		return nil, err
	}
	missing := r.mapping.missing(r.Preset.Format)
	if len(r.Hints.Mapping) == 0 && r.holdsNoFills(missing) {
		return nil, journal.InvalidField("file", "The file has no columns with a quantity and a price, so it holds no fills. Export the list of trades, fills or orders instead.")
	}
	if r.needsSide() {
		missing = append(missing, string(TargetSide))
	}
	if len(missing) > 0 {
		return nil, MappingRequired(missing)
	}
	r.noteAccounts()
	r.amount = -1
	if r.Out.ByNames = r.isReadByNames(); r.Out.ByNames {
		r.checkColumns()
	}
	fields := r.newFieldMap()
	if r.Preset.Format == JournalTrades {
		return fields.readRoundTrip, nil
	}
	return fields.readExecution, nil
}

// checkColumns looks for what the mapping of a file without a preset leaves out:
// costs, the amount that proves the figures, and other money. It runs for the
// user's mapping too.
func (r *mappedReader) checkColumns() {
	r.addCostColumns()
	r.feeCurrency = slices.IndexFunc(r.header, func(header string) bool { return feeCurrencyNames[lettersOf(header)] })
	if r.Preset.Format == Executions {
		r.amount = r.findAmountColumn()
	}
	r.listUnusedMoney()
}

// isReadByNames reports whether the columns of the file are not those of a preset:
// the file has none, or the user chose other columns.
func (r *Reader) isReadByNames() bool { return r.Preset.Broker == "" || len(r.Hints.Mapping) > 0 }

// needsSide reports whether nothing says which rows bought and which sold: no
// column or constant for the side, and no quantity below zero. A known broker's
// own columns are trusted.
func (r *mappedReader) needsSide() bool {
	m := r.mapping
	if m[TargetSide] != "" || m[TargetQuantity] == "" || !r.isReadByNames() {
		return false
	}
	i := r.column(m[TargetQuantity])
	return i < 0 || !r.hasValue(i, func(v string) bool {
		n, err := parse.Number(v, r.separator(i))
		return err == nil && n.Sign() < 0
	})
}

// noteAccounts notes the account of every row.
func (r *mappedReader) noteAccounts() {
	i := r.column(r.mapping[TargetAccount])
	if i < 0 {
		return
	}
	for v := range r.values(i) {
		if !parse.Blank(v) {
			r.Out.NoteAccount(v)
		}
	}
}

// checkMapping checks that the columns of a mapping exist.
func (r *mappedReader) checkMapping() error {
	for target, name := range r.Hints.Mapping {
		if !slices.Contains(Targets(), target) {
			return journal.InvalidField("column_mapping", "%q is not something that a column can be.", string(target))
		}
		if name == "" {
			delete(r.mapping, target)
			continue
		}
		if !strings.HasPrefix(name, "=") && !r.Has(name) {
			return journal.InvalidField("column_mapping", "The file has no column %q.", name)
		}
	}
	return nil
}

// holdsNoFills reports whether a file cannot have fills: neither quantity nor price
// was found, and it has not two columns with numbers.
func (r *mappedReader) holdsNoFills(missing []string) bool {
	if !slices.Contains(missing, "quantity") || !slices.Contains(missing, "price") && !slices.Contains(missing, "open_price") {
		return false
	}
	numbers := 0
	for i := range r.header {
		if looksNumeric(r.filledValues(i)) {
			numbers++
		}
	}
	const fewest = 2
	return numbers < fewest
}

// mappingRequired is the code of the error for a file that needs a mapping.
const mappingRequired = "mapping_required"

// MappingRequired returns the error for a file whose columns are not known.
func MappingRequired(missing []string) error {
	return &journal.Error{
		Kind: journal.KindInvalid, Code: mappingRequired,
		Message: "Choose the columns for: " + strings.Join(missing, ", ") + ".",
		Details: map[string]any{"missing": missing},
	}
}

// missing lists the targets that the mapping needs and does not have.
func (m mapping) missing(format Format) []string {
	var list []string
	need := func(name string, oneOf ...Target) {
		for _, t := range oneOf {
			if m[t] != "" {
				return
			}
		}
		list = append(list, name)
	}
	need("symbol", "symbol")
	need("quantity", "quantity")
	if format == JournalTrades {
		need("open_time", "open_time", "open_date", "close_time", "close_date", "executed_at", "date")
		need("open_price", "open_price")
		need("close_price", "close_price", "pnl", "net_pnl")
		return list
	}
	need("price", "price")
	need("executed_at", "executed_at", "date")
	return list
}

// fieldMap is a mapping whose columns were looked up in a table. The fields that
// every row of fills needs have names; of returns any.
type fieldMap struct {
	*mappedReader
	fields map[Target]*field

	symbol, side, quantity, price, executedAt, date, time, fees, commission, swap *field
	instrumentType, optionRight, strike, expiry, multiplier, externalID, currency *field
	status                                                                        *field
	results                                                                       []*field // what a fill made, by the file
}

// field is what a target is read from: a column, a constant or nothing.
type field struct {
	target     Target
	name       Col // as it was mapped; empty if the target is not mapped
	isConstant bool
	constant   string
	columns    *expression
	// costs are the columns whose sum is a cost.
	costs []costPart
}

type costPart struct {
	name    Col
	columns *expression
}

func (r *mappedReader) newFieldMap() *fieldMap {
	f := &fieldMap{mappedReader: r, fields: make(map[Target]*field, len(r.mapping))}
	for target, name := range r.mapping {
		f.fields[target] = r.newField(target, name)
	}
	for target, into := range map[Target]**field{
		TargetSymbol: &f.symbol, TargetSide: &f.side, TargetQuantity: &f.quantity, TargetPrice: &f.price,
		TargetExecutedAt: &f.executedAt, TargetDate: &f.date, TargetTime: &f.time,
		TargetFees: &f.fees, TargetCommission: &f.commission, TargetSwap: &f.swap,
		TargetInstrumentType: &f.instrumentType, TargetOptionRight: &f.optionRight, TargetStrike: &f.strike, TargetExpiry: &f.expiry,
		TargetMultiplier: &f.multiplier, TargetExternalID: &f.externalID, TargetCurrency: &f.currency, TargetStatus: &f.status,
	} {
		*into = f.of(target)
	}
	for _, target := range []Target{TargetPnL, TargetNetPnL} {
		if field := f.fields[target]; field != nil && !field.isConstant {
			f.results = append(f.results, field)
		}
	}
	return f
}

func (r *mappedReader) newField(target Target, name Col) *field {
	f := &field{target: target, name: name}
	if f.constant, f.isConstant = strings.CutPrefix(name, "="); f.isConstant {
		return f
	}
	f.columns = r.parse(name)
	for _, part := range r.costNames(name) {
		f.costs = append(f.costs, costPart{part, r.parse(part)})
	}
	return f
}

// of returns the field of a target.
func (m *fieldMap) of(t Target) *field {
	if f := m.fields[t]; f != nil {
		return f
	}
	return &field{target: t}
}

func (f *field) isMapped() bool { return f.name != "" }

// text returns the value of a field in this row.
func (f *field) text(w *Row) string {
	switch {
	case !f.isMapped():
		return ""
	case f.isConstant:
		return f.constant
	}
	_, text := w.findIn(f.columns)
	return text
}

func (f *field) null(w *Row) decimal.Null {
	switch {
	case !f.isMapped():
		return decimal.Null{}
	case f.isConstant:
		n, err := parse.Number(f.constant, parse.Point)
		if err != nil {
			w.Fail("%s: %v.", f.target, err)
			return decimal.Null{}
		}
		return decimal.Of(n)
	}
	return w.nullIn(f.columns, f.name)
}

// peek returns the number of a field, or 0. It never fails the row.
func (f *field) peek(w *Row) decimal.Decimal { return w.peek(f.name) }

// cost reads a cost. Costs in other coins are kept apart; see chargeCoins.
func (m *fieldMap) cost(w *Row, f *field) decimal.Decimal {
	if !f.isMapped() || f.isConstant {
		constant := f.null(w)
		w.noteZero(f.target, constant.Valid && constant.Decimal.IsZero())
		return constant.Or(decimal.Zero)
	}
	fees, commission := w.noFees, w.noCommission
	cost := decimal.Zero
	for _, c := range f.costs {
		n := w.costIn(c.columns, c.name)
		if coin := m.coinOfCost(w, c.columns); coin != "" {
			w.coins = append(w.coins, coinAmount{n, coin})
			continue
		}
		cost = cost.Add(n)
	}
	isZero := w.noFees != fees || w.noCommission != commission
	w.noFees, w.noCommission = fees, commission // the mapping says which of the two it is
	w.noteZero(f.target, isZero)
	return cost
}

// readMoment reads an instant from one column, or from a date and a time.
func (m *fieldMap) readMoment(w *Row, whole, date, time *field) parse.Moment {
	switch {
	case whole.isMapped() && date.isMapped() && whole.target != date.target:
		return w.DateAndTime(date.name, whole.name)
	case whole.isMapped():
		return whole.moment(w)
	case time.isMapped():
		return w.DateAndTime(date.name, time.name)
	default:
		return date.moment(w)
	}
}

// moment reads an instant from the field alone.
func (f *field) moment(w *Row) parse.Moment {
	switch {
	case f.isConstant:
		return w.At(f.constant)
	case !f.isMapped():
		return w.Moment("")
	}
	return w.momentIn(f.columns, f.name)
}

// readExecution reads a row as one fill.
func (m *fieldMap) readExecution(w *Row) {
	if w.r.Out.ByNames && m.skipCash(w) {
		return
	}
	quantity, filled := m.filled(w)
	if !filled {
		return
	}
	f := w.r.pool.newFill()
	m.readInstrument(w, f)
	if !quantity.Valid || quantity.Decimal.Sign() == 0 {
		m.checkSideWord(w)
		m.noQuantity(w, quantity)
		return
	}
	f.Quantity = quantity.Decimal
	m.readSide(w, f)
	m.readPrice(w, f)
	w.traded = f.Quantity.Mul(f.Price).Mul(f.effectiveMultiplier()).Abs()
	at := m.readMoment(w, m.executedAt, m.date, m.time)
	f.At, f.DateOnly = at.At, at.DateOnly
	f.Fees = m.cost(w, m.fees).Add(m.readSwap(w))
	f.Commission = m.cost(w, m.commission)
	m.chargeCoins(w, f)
	m.readAmount(w, f)
	f.ID = m.externalID.text(w)
	for _, result := range m.results {
		f.hasResult = f.hasResult || f.statesResult(result.peek(w))
	}
	w.emitFill(f)
}

// filled reads the quantity of a row and skips orders that were not filled. Of
// an order that was filled in part, be it canceled afterwards, the quantity is
// the filled one.
func (m *fieldMap) filled(w *Row) (quantity decimal.Null, ok bool) {
	quantity = m.quantity.null(w)
	word := m.status.text(w)
	if word == "" {
		return quantity, true
	}
	status := parse.Status(word)
	if status == parse.StatusFilled || status == parse.StatusUnknown {
		if status == parse.StatusUnknown {
			w.r.Out.WarnRow(w.Number, "The status %q is not known and was read as filled.", parse.Shorten(word))
		}
		return quantity, true
	}
	done := w.filledQuantity()
	switch {
	case done.Decimal.Sign() != 0:
		if quantity.Decimal.Sign() < 0 {
			done.Decimal = done.Decimal.Abs().Neg()
		}
		return done, true
	case status != parse.StatusPartial:
		w.Skip("%s", parse.SkipReasons[status])
	case done.Valid:
		w.Skip("%s", ReasonNotFilled)
	default:
		w.Fail("The order was filled in part, but the file does not say how much of it.")
	}
	return quantity, false
}

// filledQuantity returns how much of an order was filled, if a column says so.
func (w *cells) filledQuantity() decimal.Null {
	i := w.r.filledColumn()
	if i < 0 || i >= len(w.Cells) || parse.Blank(w.Cells[i]) {
		return decimal.Null{}
	}
	n, err := parse.Number(w.Cells[i], w.r.separator(i))
	if err != nil {
		return decimal.Null{}
	}
	return decimal.Of(n)
}

// noQuantity ends a row without a quantity: an order that was not filled is
// skipped, a line of text is ignored, and any other row fails.
func (m *fieldMap) noQuantity(w *Row, quantity decimal.Null) {
	switch {
	case !quantity.Valid && m.symbol.text(w) == "" && m.side.text(w) == "":
		w.Ignore()
	case quantity.Valid && (w.r.Preset.Broker != "" || w.r.filledColumn() >= 0):
		w.Skip("%s", ReasonNotFilled)
	default:
		w.Fail("There is no quantity.")
	}
}

// conditionReason returns why a row does not meet a condition.
func conditionReason(column, value string) string {
	if reason := parse.SkipReasons[parse.Status(value)]; reason != "" {
		return reason
	}
	return strings.TrimSpace(column) + ": " + parse.Shorten(strings.TrimSpace(value))
}

// readInstrument reads what was traded.
func (m *fieldMap) readInstrument(w *Row, f *Fill) {
	kind := w.r.Preset.Instrument
	if word := m.instrumentType.text(w); word != "" {
		kind = InstrumentType(word)
	}
	f.Multiplier = m.multiplier.null(w)
	w.r.name(f, m.symbol.text(w), kind)
	if right := strings.ToLower(m.optionRight.text(w)); right != "" && f.Right == "" {
		f.Type = "option"
		f.Right = right
		switch right[:1] {
		case "c":
			f.Right = "call"
		case "p":
			f.Right = "put"
		}
		f.Strike = m.strike.null(w)
		f.Expiry = m.expiry.day(w)
	}
	currency := strings.ToUpper(m.currency.text(w))
	if currency == "" && w.r.Out.ByNames && !m.price.isConstant {
		if i := w.r.column(m.price.name); i >= 0 {
			currency = knownCurrencyIn(w.r.header[i])
		}
	}
	w.symbol, w.currency = f.Symbol, currency
	if currency == "" {
		return
	}
	w.r.Out.NoteCurrency(currency)
	if w.r.Hints.Currency != "" && currency != w.r.Hints.Currency {
		w.r.Out.WarnCurrency(currency, w.r.Hints.Currency)
		f.Details = map[string]string{"currency": currency}
	}
}

func (f *field) day(w *Row) journal.Day {
	switch {
	case !f.isMapped():
		return ""
	case !f.isConstant:
		return w.Day(f.name)
	}
	day, err := journal.ParseDay(string(f.target), f.constant)
	if err != nil {
		w.Fail("%q is not a day.", parse.Shorten(f.constant))
	}
	return day
}

// readPrice reads the price. One in percent is that of a bond.
func (m *fieldMap) readPrice(w *Row, f *Fill) {
	if !m.price.isConstant && m.price.isMapped() {
		if price, ok := w.percentPrice(w.findIn(m.price.columns)); ok {
			f.Price, f.Type = price, cmp.Or(f.Type, typeBond)
			f.Multiplier = decimal.Null{Decimal: f.Multiplier.Or(hundredth), Valid: true}
			return
		}
	}
	price := m.price.null(w)
	if !price.Valid {
		w.Fail("There is no price.")
	}
	f.Price = price.Decimal
}

// readSide reads the side, or takes it from the sign of the quantity.
func (m *fieldMap) readSide(w *Row, f *Fill) {
	word := m.side.text(w)
	if word == "" {
		f.Side = matching.Buy
		if f.Quantity.Sign() < 0 {
			f.Side = matching.Sell
		} else if m.side.isMapped() {
			w.Fail("There is no side.")
		}
		return
	}
	f.Side, f.Effect, _ = w.sideWord(word)
	m.checkSideWord(w)
}

// checkSideWord fails a row whose word for the side is not known.
func (m *fieldMap) checkSideWord(w *Row) {
	word := m.side.text(w)
	if word == "" {
		return
	}
	if _, _, ok := w.sideWord(word); !ok {
		w.Fail("%q is neither a buy nor a sell.", parse.Shorten(word))
		m.noteLeft(w, word)
	}
}

// readSwap reads the cost of holding overnight. Files write what it did to the
// account: below zero is a cost.
func (m *fieldMap) readSwap(w *Row) decimal.Decimal { return m.swap.null(w).Or(decimal.Zero).Neg() }
