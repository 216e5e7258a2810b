package statement

import (
	"maps"
	"slices"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/parse"
	"fillbook/internal/journal"
	"fillbook/internal/matching"
)

// mapping assigns columns and constants to targets.
type mapping map[Target]string

// newMappedReader returns the function that reads a row by a mapping: the preset's
// columns, replaced by those that the user chose.
func (r *Reader) newMappedReader() (func(*Row), error) {
	m := mapping{}
	maps.Copy(m, r.Preset.Columns)
	maps.Copy(m, r.Hints.Mapping)
	if err := r.checkMapping(m); err != nil {
		return nil, err
	}
	if err := r.requireDays(m); err != nil {
		return nil, err
	}
	missing := m.missing(r.Preset.Format)
	if r.needsSide(m) {
		missing = append(missing, string(TargetSide))
	}
	if len(missing) > 0 {
		return nil, MappingRequired(missing)
	}
	r.noteAccounts(m)
	if r.Preset.Format == JournalTrades {
		return func(w *Row) { w.roundTrip(m) }, nil
	}
	return func(w *Row) { w.execution(m) }, nil
}

// needsSide reports whether nothing says which rows bought and which sold: no
// column or constant for the side, and no quantity below zero. A known broker's
// own columns are trusted.
func (r *Reader) needsSide(m mapping) bool {
	if m[TargetSide] != "" || m[TargetQuantity] == "" || r.Preset.Broker != "" && len(r.Hints.Mapping) == 0 {
		return false
	}
	i := r.column(m[TargetQuantity])
	return i < 0 || !slices.ContainsFunc(r.values(i), func(v string) bool {
		n, err := parse.Number(v, r.separator(i))
		return err == nil && n.Sign() < 0
	})
}

// noteAccounts sets the name of the account, and warns if there are several.
func (r *Reader) noteAccounts(m mapping) {
	i := r.column(m[TargetAccount])
	if m[TargetAccount] == "" || i < 0 {
		return
	}
	const enough = 5
	var names []string
	for _, v := range r.values(i) {
		if !parse.Blank(v) && len(names) <= enough && !slices.Contains(names, v) {
			names = append(names, v)
		}
	}
	switch {
	case len(names) == 1:
		r.Out.Account.Name = names[0]
	case len(names) > enough:
		names[enough] = "…"
		fallthrough
	case len(names) > 1:
		r.Out.Warn("The file holds several accounts (%s), and all of them go into this one. Export them one by one to keep them apart.",
			strings.Join(names, ", "))
	}
}

// checkMapping checks that the columns of a mapping exist.
func (r *Reader) checkMapping(m mapping) error {
	for target, name := range r.Hints.Mapping {
		if !slices.Contains(Targets(), target) {
			return journal.InvalidField("column_mapping", "%q is not something that a column can be.", string(target))
		}
		if name == "" {
			delete(m, target)
			continue
		}
		if !strings.HasPrefix(name, "=") && !r.Has(name) {
			return journal.InvalidField("column_mapping", "The file has no column %q.", name)
		}
	}
	return nil
}

// mappingRequired is the code of the error for a file that needs a mapping.
const mappingRequired = "mapping_required"

// MappingRequired returns the error for a file whose columns are not known.
func MappingRequired(missing []string) error {
	return &journal.Error{
		Kind: journal.KindInvalid, Code: mappingRequired,
		Message: "Say which columns hold: " + strings.Join(missing, ", ") + ".",
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

// text returns the value of a target in this row.
func (m mapping) text(w *Row, t Target) string {
	name, mapped := m[t]
	if !mapped {
		return ""
	}
	if constant, ok := strings.CutPrefix(name, "="); ok {
		return constant
	}
	return w.Text(name)
}

func (m mapping) null(w *Row, t Target) decimal.Null {
	name, mapped := m[t]
	if !mapped {
		return decimal.Null{}
	}
	if constant, ok := strings.CutPrefix(name, "="); ok {
		n, err := parse.Number(constant, parse.Point)
		if err != nil {
			w.Fail("%s: %v.", t, err)
			return decimal.Null{}
		}
		return decimal.Of(n)
	}
	return w.Null(name)
}

func (m mapping) cost(w *Row, t Target) decimal.Decimal {
	name, mapped := m[t]
	if !mapped || strings.HasPrefix(name, "=") {
		constant := m.null(w, t)
		w.noteZero(t, constant.Valid && constant.Decimal.IsZero())
		return constant.Or(decimal.Zero)
	}
	fees, commission := w.noFees, w.noCommission
	cost := w.Cost(strings.Split(name, "+")...)
	isZero := w.noFees != fees || w.noCommission != commission
	w.noFees, w.noCommission = fees, commission // the mapping says which of the two it is
	w.noteZero(t, isZero)
	return cost
}

// moment reads an instant from one column, or from a date and a time.
func (m mapping) moment(w *Row, whole, date, time Target) parse.Moment {
	switch {
	case m[whole] != "" && m[date] != "" && whole != date:
		return w.DateAndTime(m[date], m[whole])
	case m[whole] != "":
		return m.whole(w, m[whole])
	case m[time] != "":
		return w.DateAndTime(m[date], m[time])
	default:
		return m.whole(w, m[date])
	}
}

func (m mapping) whole(w *Row, name string) parse.Moment {
	if constant, ok := strings.CutPrefix(name, "="); ok {
		return w.At(constant)
	}
	return w.Moment(name)
}

// execution reads a row as one fill.
func (w *Row) execution(m mapping) {
	if !w.meetsConditions() {
		return
	}
	quantity, filled := m.filled(w)
	if !filled {
		return
	}
	f := Fill{}
	m.instrument(w, &f)
	if !quantity.Valid || quantity.Decimal.Sign() == 0 {
		w.noQuantity(m, quantity)
		return
	}
	f.Quantity = quantity.Decimal
	m.side(w, &f)
	price := m.null(w, "price")
	if !price.Valid {
		w.Fail("There is no price.")
	}
	f.Price = price.Decimal
	at := m.moment(w, "executed_at", "date", "time")
	f.At, f.DateOnly = at.At, at.DateOnly
	f.Fees = m.cost(w, "fees").Add(m.swap(w))
	f.Commission = m.cost(w, "commission")
	f.ID = m.text(w, "external_id")
	w.Fill(f)
}

// filled reads the quantity of a row and skips orders that were not filled. Of
// an order that was filled in part, be it canceled afterwards, the quantity is
// the filled one.
func (m mapping) filled(w *Row) (quantity decimal.Null, ok bool) {
	quantity = m.null(w, TargetQuantity)
	word := m.text(w, TargetStatus)
	status := parse.Status(word)
	if word == "" || status == parse.StatusFilled || status == parse.StatusUnknown {
		if word != "" && status == parse.StatusUnknown {
			w.r.Out.Warn("The status %q is not known; rows with it were read as filled.", parse.Shorten(word))
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
func (w *Row) filledQuantity() decimal.Null {
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
func (w *Row) noQuantity(m mapping, quantity decimal.Null) {
	switch {
	case !quantity.Valid && m.text(w, "symbol") == "" && m.text(w, "side") == "":
		w.Ignore()
	case quantity.Valid && (w.r.Preset.Broker != "" || w.r.filledColumn() >= 0):
		w.Skip("%s", ReasonNotFilled)
	default:
		w.Fail("There is no quantity.")
	}
}

// meetsConditions reports whether the row meets the conditions of the preset.
func (w *Row) meetsConditions() bool {
	for names, values := range w.r.Preset.Keep {
		if text := w.Text(names); w.r.Has(names) && !slices.Contains(values, strings.ToLower(text)) {
			w.Skip("%s", conditionReason(w.r.Header(names), text))
			return false
		}
	}
	return true
}

// conditionReason returns why a row does not meet a condition.
func conditionReason(column, value string) string {
	if reason := parse.SkipReasons[parse.Status(value)]; reason != "" {
		return reason
	}
	return strings.TrimSpace(column) + ": " + parse.Shorten(strings.TrimSpace(value))
}

// instrument reads what was traded.
func (m mapping) instrument(w *Row, f *Fill) {
	kind := w.r.Preset.Instrument
	if word := m.text(w, "instrument_type"); word != "" {
		kind = InstrumentType(word)
	}
	f.Multiplier = m.null(w, "multiplier")
	w.r.name(f, m.text(w, "symbol"), kind)
	if right := strings.ToLower(m.text(w, "option_right")); right != "" && f.Right == "" {
		f.Type = "option"
		f.Right = right
		switch right[:1] {
		case "c":
			f.Right = "call"
		case "p":
			f.Right = "put"
		}
		f.Strike = m.null(w, "strike")
		f.Expiry = m.day(w, "expiry")
	}
	currency := strings.ToUpper(m.text(w, "currency"))
	w.r.Out.NoteCurrency(currency)
	if currency != "" && w.r.Hints.Currency != "" && currency != w.r.Hints.Currency {
		w.r.Out.Warn("Some rows are in %s, the account is in %s: their amounts were taken as they are.", currency, w.r.Hints.Currency)
		f.Details = map[string]string{"currency": currency}
	}
}

func (m mapping) day(w *Row, t Target) journal.Day {
	name := m[t]
	if name == "" {
		return ""
	}
	constant, ok := strings.CutPrefix(name, "=")
	if !ok {
		return w.Day(name)
	}
	day, err := journal.ParseDay(string(t), constant)
	if err != nil {
		w.Fail("%q is not a day.", parse.Shorten(constant))
	}
	return day
}

// side reads the side, or takes it from the sign of the quantity.
func (m mapping) side(w *Row, f *Fill) {
	word := m.text(w, "side")
	if word == "" {
		f.Side = matching.Buy
		if f.Quantity.Sign() < 0 {
			f.Side = matching.Sell
		} else if m["side"] != "" {
			w.Fail("There is no side.")
		}
		return
	}
	side, effect, ok := w.sideWord(word)
	if !ok {
		w.Fail("%q is neither a buy nor a sell.", parse.Shorten(word))
	}
	f.Side, f.Effect = side, effect
}

// swap is the cost of holding overnight. Files write what it did to the account:
// below zero is a cost.
func (m mapping) swap(w *Row) decimal.Decimal { return m.null(w, "swap").Or(decimal.Zero).Neg() }
