package brokers

import (
	"strings"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// tastytradeTransactions is the transaction history, with and without the column Total.
// Its times are in the exporting user's zone and name it.
var tastytradeTransactions = s.Preset{
	Broker: "tastytrade", Export: "transactions", Evidence: s.RealFile, Format: s.Executions, Zone: newYork, Order: parse.MonthFirst, NewestFirst: true,
	Header: s.Cols("Date;Type;Sub Type;Action;Symbol;Instrument Type;Description;Value;Quantity;Commissions;Fees"), Layout: &tastytradeLayout,
}

// tastytradeEarly is the history from before 2021, known from programs reading it. Its
// times name no zone.
var tastytradeEarly = s.Preset{
	Broker: "tastytrade", Export: "early transactions", Evidence: s.Documented, Format: s.Executions, MarketZone: newYork, Order: parse.MonthFirst, NewestFirst: true,
	Header: s.Cols("Date/Time;Transaction Code;Transaction Subcode;Symbol;Buy/Sell;Open/Close;Quantity;Price;Fees;Amount;Description"),
	Layout: &tastytradeLayout,
}

const (
	tastytradeType   = "Type|Transaction Code"
	tastytradeWord   = "Sub Type|Transaction Subcode"
	tastytradeAction = "Action|{Buy/Sell} to {Open/Close}"
	tastytradeValue  = "Value|Amount"
)

var tastytradeLayout = s.Layout{
	Key: tastytradeType, Kind: "@kind|" + tastytradeWord, Words: tastytradeWords, Side: "@side", Symbol: "Symbol", Namer: nameTastytrade,
	Type: "Instrument Type", Right: "Call or Put|Call/Put", Strike: "Strike Price|Strike", Expiry: "Expiration Date", Multiplier: "Multiplier",
	Time: "Date|Date/Time", Quantity: "@quantity", Price: "@price", Amount: "@total", CashAmount: "Total|" + tastytradeValue,
	Commission: "Commissions", Fees: "Fees", Currency: "@currency", Note: "Description", Order: "Order #", Prepare: prepareTastytrade, Adjust: adjustTastytrade,
}

var tastytradeWords = []s.Word{
	{Kind: s.KindExpiry, Words: "expiration"},
	{Kind: s.KindAssignment, Words: "assignment|cash settled assignment"},
	{Kind: s.KindExercise, Words: "exercise|cash settled exercise"},
	{Kind: s.KindSplit, Words: "exchange (*"},
	{Kind: s.KindMovement, Words: "delivery (*"},
}

// tastytradeCash are words for cash movements in their type and description: interest and
// dividends are sometimes called deposits.
var tastytradeCash = []s.Word{
	{Kind: s.KindDividend, Words: "*dividend*|*withholding*"},
	{Kind: s.KindInterest, Words: "*interest*"},
	{Kind: s.KindTransfer, Words: "deposit: *|withdrawal: *|transfer: *|wire: *"},
	{Kind: s.KindFee, Words: "*fee*"},
	{Kind: s.KindAdjustment, Words: "*adjustment*: *"},
}

var (
	tastytradePrice   = lazyregexp.New(`@ (-?[\d,]*\.?\d+)`)
	tastytradeRemoved = lazyregexp.New(`Removal of ([\d,.]+) `)
)

// prepareTastytrade finds out what a row is.
func prepareTastytrade(w *s.Row) {
	word, note := w.Text(tastytradeWord), w.Text("Description")
	w.Set("quantity", w.Text("Quantity"))
	switch strings.ToLower(w.Text(tastytradeType)) {
	case "trade":
		w.Set("kind", w.Text(tastytradeAction+"|"+tastytradeWord))
		prepareTastytradeFill(w)
	case "receive deliver":
		prepareTastytradeDelivery(w, word)
	case "money movement":
		w.Set("quantity", "")
		w.Set("currency", w.Text("Currency"))
		w.Set("kind", string(s.FindKind(tastytradeCash, word+": "+note)))
		if strings.EqualFold(word, "mark to market") {
			w.Reader().Out.Warn("The daily settlement of futures was left out, as their fills have it already.")
			w.Skip("daily settlement of futures, which the fills have already")
		}
	}
}

// prepareTastytradeDelivery reads what came into the account or left it without an
// order: options that ended, shares for them, and splits, which are booked as a
// sale of the old and a purchase of the new shares. Some files write 20 for 2.0
// options; the description has the right number.
func prepareTastytradeDelivery(w *s.Row, word string) {
	action := w.Text(tastytradeAction)
	_, _, traded := parse.SideWord(word)
	switch kind := s.FindKind(tastytradeWords, word); {
	case kind != "":
		if removed := tastytradeRemoved().FindStringSubmatch(w.Text("Description")); removed != nil {
			w.Set("quantity", removed[1])
		}
		return
	case traded:
		w.Set("kind", w.Text(tastytradeAction+"|"+tastytradeWord))
	case action != "" && !w.Decimal(tastytradeValue).IsZero():
		w.Set("kind", "Exchange ("+word+")")
		w.Set("side", action)
	default:
		w.Set("kind", "Delivery ("+word+")")
		return
	}
	prepareTastytradeFill(w)
}

// prepareTastytradeFill reads the price, which adjustTastytrade compares with the
// value, and what moved: of a future only the costs move at once.
func prepareTastytradeFill(w *s.Row) {
	price := w.Text("Price")
	if found := tastytradePrice().FindStringSubmatch(w.Text("Description")); found != nil {
		price = strings.ReplaceAll(found[1], ",", "")
	}
	if price == "" && !w.Decimal(tastytradeValue).IsZero() {
		price = "0"
	}
	w.Set("price", price)
	if s.InstrumentType(w.Text("Instrument Type")) != instruments.TypeFuture {
		w.Set("total", w.Text("Total"))
	}
}

// adjustTastytrade computes the price from the value, which is exact, unless the
// stated price gives the same. Fees are rounded because some files have what
// binary arithmetic left: 0.17199999999999993.
func adjustTastytrade(w *s.Row, r *s.Record) {
	if r.Fill == nil {
		return
	}
	const cents, feeScale, priceScale = 2, 6, 8
	f := r.Fill
	f.Fees = f.Fees.Round(feeScale)
	usual, _ := instruments.DefaultMultiplier(f.Symbol, f.Type)
	units := f.Quantity.Mul(f.Multiplier.Or(usual))
	value := w.Decimal(tastytradeValue).Abs()
	if value.IsZero() || units.IsZero() || f.Price.Mul(units).Abs().Round(cents).Equal(value) {
		return
	}
	f.Price = value.DivRound(units, priceScale)
}

// nameTastytrade builds a future without the slash and the exchange of its symbol,
// if the rest is a known contract.
func nameTastytrade(symbol, kind string) s.Instrument {
	switch kind {
	case instruments.TypeFuture:
		return s.Instrument{Symbol: futureSymbol(symbol), Type: kind}
	case instruments.TypeCrypto:
		return s.Instrument{Symbol: strings.ToUpper(symbol), Type: kind}
	}
	return s.NameAny(symbol, strings.TrimPrefix(kind, instruments.TypeStock))
}
