package asia

import (
	"slices"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// upstox reads the trade report. It names companies where others have symbols.
func upstox() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Upstox", Export: "trade report", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Date", "Company", "Scrip Code", "Instrument Type", "Strike Price", "Expiry", "Trade Num", "Trade Time", "Side", "Quantity", "Price"},
		Zone:   kolkata, Order: statement.DayFirst, Units: true, Each: upstoxRow, Done: func(r *statement.Reader) { in(r, "INR") },
	}}
}

func upstoxRow(w *statement.Row) {
	if w.Text("Company") == "" && w.Text("Quantity") == "" {
		w.Ignore()
		return
	}
	f := statement.Fill{Quantity: w.Required("Quantity"), Price: w.Required("Price")}
	f.Side, f.Effect = w.Side("Side")
	at := w.DateAndTime("Date", "Trade Time")
	f.At, f.DateOnly = at.At, at.DateOnly
	f.ID = tradeID(f.At, w.Text("Exchange"), w.Text("Trade Num"))
	nameUpstox(w, &f)
	warnLots(w, w.Text("Segment"))
	w.Fill(f)
}

// nameUpstox names the instrument by company, day of expiry and strike.
func nameUpstox(w *statement.Row, f *statement.Fill) {
	company, kind := strings.ToUpper(w.Text("Company")), strings.ToUpper(w.Text("Instrument Type"))
	f.Symbol, f.Type = company, instruments.TypeStock
	switch {
	case strings.HasPrefix(kind, "FUT"):
		f.Symbol, f.Type = futureOf(company, w.Day("Expiry")), instruments.TypeFuture
	case strings.HasPrefix(kind, "OPT") || kind == "CE" || kind == "PE":
		words := strings.Fields(kind + " " + company + " " + strings.ToUpper(w.Text("Scrip Code")))
		i := slices.IndexFunc(words, func(word string) bool { return word == "CE" || word == "PE" })
		if i < 0 {
			w.Fail("The row does not say whether the option on %s is a call or a put.", company)
			return
		}
		root := strings.TrimSpace(strings.TrimSuffix(company, words[i]))
		f.Contract(instruments.Option{Root: root, Right: rightOf(words[i]), Strike: w.Required("Strike Price"), Expiry: w.Day("Expiry")})
	}
}

// angelOne reads the history of trades: one column for the price of a buy and one
// for that of a sell, and every charge in a column.
func angelOne() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Angel One", Export: "trades history", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Scrip/Contract", "Buy/Sell", "Buy Price", "Sell Price", "Quantity", "Brokerage", "Trade ID", "Date"},
		Zone:   kolkata, Order: statement.MonthFirst, Units: true, Costs: statement.CostsPositive,
		Each: angelRow, Done: func(r *statement.Reader) { in(r, "INR") },
	}}
}

func angelRow(w *statement.Row) {
	if w.Text("Scrip/Contract") == "" {
		w.Ignore()
		return
	}
	f := statement.Fill{Quantity: w.Required("Quantity"), Commission: w.Cost("Brokerage")}
	f.Side, f.Effect = w.Side("Buy/Sell")
	f.Price = w.Required("Sell Price")
	if f.Side == matching.Buy {
		f.Price = w.Required("Buy Price")
	}
	f.Fees = w.Cost("GST", "STT", "Sebi Tax", "Exchange Turnover Charges", "Stamp Duty", "Other Charges", "IPFT Charges")
	at := w.Moment("Date")
	f.At = at.At
	f.DateOnly = at.DateOnly || strings.HasSuffix(w.Text("Date"), " 0:00") || strings.HasSuffix(w.Text("Date"), " 00:00")
	f.ID = tradeID(f.At, w.Text("Exchange"), w.Text("Trade ID"))
	nameAngel(w, &f)
	w.Fill(f)
}

// nameAngel names the instrument. Contracts are written out: FUTIDX NIFTY Oct 28
// 2026, OPTCUR EURINR Oct 28 2026 90.50 PE.
func nameAngel(w *statement.Row, f *statement.Fill) {
	text := strings.ToUpper(w.Text("Scrip/Contract"))
	class, rest, _ := strings.Cut(text, " ")
	warnLots(w, class)
	if o, ok := instruments.ParseOption(text); ok {
		f.Contract(o)
		return
	}
	if strings.HasPrefix(class, "FUT") && len(class) == len("FUTIDX") {
		// Put as an option its day is read by who knows all the ways to write it.
		o, ok := instruments.ParseOption(rest + " 1 CE")
		if !ok {
			w.Fail("%q is not a contract that can be read.", text)
			return
		}
		f.Symbol, f.Type = futureOf(o.Root, o.Expiry), instruments.TypeFuture
		return
	}
	nameNSE(f, text, "")
}

// groww reads the order history, a workbook with lines about its owner on top.
// It is known from other people's code only.
func groww() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Groww", Export: "order history", Evidence: statement.Documented, Format: statement.Executions,
		Header: []string{"Stock name", "Symbol", "ISIN", "Type", "Quantity", "Value", "Execution date and time", "Order status"},
		Zone:   kolkata, Order: statement.DayFirst, Units: true, Each: growwRow, Done: func(r *statement.Reader) { in(r, "INR") },
	}}
}

func growwRow(w *statement.Row) {
	if w.Text("Symbol") == "" && w.Text("Quantity") == "" {
		w.Ignore()
		return
	}
	if !strings.EqualFold(w.Text("Order status"), "executed") {
		w.Skip(statement.ReasonNotFilled)
		return
	}
	f := statement.Fill{Quantity: w.Required("Quantity")}
	value := w.Required("Value")
	f.Side, f.Effect = w.Side("Type")
	if f.Quantity.IsZero() {
		w.Fail("There is no quantity.")
		return
	}
	f.Price = price(value, f.Quantity)
	f.StatedCashFlow = decimal.Of(value)
	if f.Side == matching.Buy {
		f.StatedCashFlow = decimal.Of(value.Neg())
	}
	at := w.Moment("Execution date and time")
	f.At, f.DateOnly = at.At, at.DateOnly
	nameNSE(&f, w.Text("Symbol"), "")
	w.Fill(f)
}
