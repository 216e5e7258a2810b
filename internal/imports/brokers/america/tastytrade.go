package america

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// tastytrade describes the transaction history, with and without the column Total,
// and the one from before 2021, which is known from programs that read it. Its
// times are the exporter's: the newer file says which zone that is.
func tastytrade() []*statement.Preset {
	history := statement.Preset{
		Broker: "tastytrade", Export: "transactions", Evidence: statement.RealFile, Format: statement.Executions,
		Header: []string{"Date", "Type", "Sub Type", "Action", "Symbol", "Instrument Type", "Description", "Value", "Quantity", "Commissions", "Fees"},
		Zone:   newYork, Order: statement.MonthFirst, Each: tastyRow, Done: tastyEnd,
		Columns: map[statement.Target]string{
			statement.TargetExecutedAt: "Date|Date/Time", statement.TargetSide: "Action|Buy/Sell", statement.TargetSymbol: "Symbol",
			statement.TargetQuantity: "Quantity", statement.TargetPrice: "Average Price|Price",
			statement.TargetCommission: "Commissions", statement.TargetFees: "Fees",
		},
	}
	early := history
	early.Export, early.Evidence, early.Zone = "early transactions", statement.Documented, ""
	early.Header = []string{
		"Date/Time", "Transaction Code", "Transaction Subcode", "Symbol", "Buy/Sell", "Open/Close", "Quantity", "Price", "Fees", "Amount", "Description",
	}
	return []*statement.Preset{&history, &early}
}

func tastyRow(w *statement.Row) {
	switch strings.ToLower(w.Text("Type|Transaction Code")) {
	case "trade":
		tastyFill(w, tastyAction(w))
	case "receive deliver":
		tastyDelivery(w)
	case "money movement":
		tastyMoney(w)
	case "":
		w.Ignore()
	default:
		e := tastyEntry(w)
		e.emit(w)
	}
}

func tastyEntry(w *statement.Row) *entry {
	return &entry{
		word: w.Text("Sub Type|Transaction Subcode"), symbol: w.Text("Symbol"), note: w.Text("Description"),
		at: w.Moment("Date|Date/Time"), amount: w.Null("Total|Value|Amount"), quantity: w.Null("Quantity"), currency: w.Text("Currency"),
	}
}

// tastyAction reads side and effect from the action, or from the columns that
// early files have instead.
func tastyAction(w *statement.Row) action {
	text := w.Text("Action")
	if text == "" && w.Text("Buy/Sell") != "" {
		text = w.Text("Buy/Sell")
		if effect := w.Text("Open/Close"); effect != "" {
			text += " to " + effect
		}
	}
	if text == "" {
		text = w.Text("Sub Type|Transaction Subcode")
	}
	side, effect, ok := statement.SideWord(text)
	if !ok {
		w.Fail("%q is neither a buy nor a sell.", text)
	}
	return action{trade, side, effect}
}

// tastyFill emits a fill.
func tastyFill(w *statement.Row, a action) *statement.Fill {
	f := tastyContract(w)
	f.Side, f.Effect = a.side, a.effect
	f.Price = tastyPrice(w, &f)
	if f.Type != instruments.TypeFuture {
		f.StatedCashFlow = w.Null("Total") // of a future only the costs move at once
	}
	return w.Fill(f)
}

// feeScale cuts what binary arithmetic left behind: 0.17199999999999993.
const feeScale = 6

// tastyContract reads what the row is about: instrument, quantity, costs and
// time.
func tastyContract(w *statement.Row) statement.Fill {
	at := w.Moment("Date|Date/Time")
	f := statement.Fill{
		Quantity: w.Required("Quantity"), Commission: w.Cost("Commissions"), Fees: w.Cost("Fees").Round(feeScale),
		At: at.At, DateOnly: at.DateOnly,
	}
	if multiplier := w.Null("Multiplier"); multiplier.Decimal.Sign() > 0 {
		f.Multiplier = multiplier
	}
	symbol, kind := w.Text("Symbol"), statement.InstrumentType(w.Text("Instrument Type"))
	switch kind {
	case instruments.TypeFuture:
		f.Symbol, f.Type = futureSymbol(symbol), kind
	case instruments.TypeCrypto:
		f.Symbol, f.Type = strings.ToUpper(symbol), kind
	default:
		f.Name(symbol, strings.TrimPrefix(kind, instruments.TypeStock))
	}
	if right := w.Text("Call or Put|Call/Put"); right != "" && f.Right == "" {
		f.Contract(instruments.Option{
			Root: symbol, Underlying: symbol, Right: rightOf(right), Strike: w.Required("Strike Price|Strike"), Expiry: w.Day("Expiration Date"),
		})
	}
	return f
}

func rightOf(word string) instruments.Right {
	if strings.HasPrefix(strings.ToUpper(word), "P") {
		return instruments.Put
	}
	return instruments.Call
}

// futureSymbol takes the slash and the exchange from a future's symbol, if what
// is left still names it.
func futureSymbol(symbol string) string {
	symbol, _, _ = strings.Cut(strings.ToUpper(symbol), ":")
	bare := strings.TrimPrefix(symbol, "/")
	if _, ok := instruments.ParseFuture(bare); ok {
		return bare
	}
	return symbol
}

var tastyAt = regexp.MustCompile(`@ (-?[\d,]*\.?\d+)`)

// tastyPrice finds the price. The average price of the file is rounded and has
// had several signs. The value is exact, so the price in the description counts
// only where it gives that value, or where there is none, as for futures.
func tastyPrice(w *statement.Row, f *statement.Fill) decimal.Decimal {
	units := f.Quantity.Mul(worth(f))
	value := w.Decimal("Value|Amount").Abs()
	written := tastyWritten(w)
	const cents = 2
	switch {
	case value.IsZero() || units.IsZero():
		if !written.Valid {
			w.Fail("There is no price.")
		}
		return written.Decimal
	case written.Valid && written.Decimal.Mul(units).Abs().Round(cents).Equal(value):
		return written.Decimal
	}
	return perUnit(value, units)
}

// tastyWritten is the price that the row writes, in its description or, in
// early files, in a column.
func tastyWritten(w *statement.Row) decimal.Null {
	if found := tastyAt.FindStringSubmatch(w.Text("Description")); found != nil {
		if price, err := statement.Number(found[1], statement.Point); err == nil {
			return decimal.Of(price)
		}
	}
	return w.Null("Price")
}

// tastyDelivery reads what came into the account or left it without an order:
// options that ended, shares for them, and splits, which are written as a sale
// of the old and a purchase of the new.
func tastyDelivery(w *statement.Row) {
	kind := strings.ToLower(w.Text("Sub Type|Transaction Subcode"))
	switch kind {
	case "expiration":
		f := tastyEnded(w, matching.Buy)
		settleLater(w, w.Fill(f), false)
		return
	case "assignment", "cash settled assignment":
		w.Fill(tastyEnded(w, matching.Buy))
		return
	case "exercise", "cash settled exercise":
		w.Fill(tastyEnded(w, matching.Sell))
		return
	}
	if _, _, ok := statement.SideWord(kind); ok {
		tastyFill(w, tastyAction(w))
		return
	}
	traded := w.Text("Action|Buy/Sell") != "" && !w.Decimal("Value|Amount").IsZero()
	if !traded {
		e := tastyEntry(w)
		e.sense = corporate
		e.emit(w)
		return
	}
	w.Reader().Out.Warn("%s of %s was taken as fills at the value that the file states.", w.Text("Sub Type|Transaction Subcode"), w.Text("Symbol"))
	remembered(w.Reader()).exchanges[tastyFill(w, tastyAction(w))] = true
}

var tastyRemoved = regexp.MustCompile(`Removal of ([\d,.]+) `)

// tastyEnded is the fill of an option's end, at nothing or at what it was
// settled for in cash. The description knows the quantity better: some files
// write 20 for 2.0.
func tastyEnded(w *statement.Row, side matching.Side) statement.Fill {
	f := tastyContract(w)
	f.Side, f.Effect = side, statement.Closing
	if found := tastyRemoved.FindStringSubmatch(w.Text("Description")); found != nil {
		if n, err := statement.Number(found[1], statement.Point); err == nil {
			f.Quantity = n
		}
	}
	if f.Right == "" {
		w.Fail("Symbol: %q is not an option.", f.Symbol)
	}
	units := f.Quantity.Mul(worth(&f))
	if value := w.Decimal("Value|Amount"); !value.IsZero() && !units.IsZero() {
		f.Price = perUnit(value, units)
	}
	return f
}

// tastyMoney reads a movement of cash. Interest and dividends are sometimes
// called deposits; the description tells.
func tastyMoney(w *statement.Row) {
	e := tastyEntry(w)
	e.quantity = decimal.Null{}
	text := strings.ToLower(e.word + " " + e.note)
	switch kind := strings.ToLower(e.word); {
	case kind == "mark to market":
		w.Reader().Out.Warn("The daily settlement of futures was left out, as their fills have it already.")
		w.Skip("daily settlement of futures, which the fills have already")
		return
	case strings.Contains(text, "dividend"), strings.Contains(text, "withholding"):
		e.sense = dividend
	case strings.Contains(text, "interest"):
		e.sense = interest
	case kind == "deposit", kind == "withdrawal", kind == "transfer", kind == "wire":
		e.sense = transfer
	case strings.Contains(text, "fee"):
		e.sense = fee
	case strings.Contains(kind, "adjustment"):
		e.sense = adjustment
	}
	e.emit(w)
}

// tastyEnd puts the fills in order. Files run backwards, as a rule; the two
// rows of a split have one time and are in either order, but what was held must
// go before what takes its place comes.
func tastyEnd(r *statement.Reader) {
	settleEndings(r)
	fills := r.Out.Fills
	steps := 0
	for i := 1; i < len(fills); i++ {
		steps += fills[i].At.Compare(fills[i-1].At)
	}
	if steps <= 0 {
		slices.Reverse(fills)
	}
	exchanges := remembered(r).exchanges
	rank := func(f *statement.Fill) int {
		switch {
		case !exchanges[f]:
			return 0
		case f.Effect == statement.Closing:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(fills, func(a, b *statement.Fill) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(rank(a), rank(b)))
	})
}
