package brokers

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// igHistory is the transaction history: a row for each closed deal, with both levels and
// the result in money, and a row for each cash movement. Only its header has been seen as
// IG writes it; the size's sign as the direction is general knowledge. A deal reference
// comes again for every part, so it is not an id.
var igHistory = s.Preset{
	Broker: "IG", Export: "transaction history", Evidence: s.Documented, Format: s.JournalTrades, Zone: utc, Order: parse.DayFirst, NewestFirst: true,
	Header: s.Cols("TextDate|Date;Summary;MarketName;Period;ProfitAndLoss;Transaction type;Reference;Open level;Close level;Size;PL Amount;DateUtc"),
	Layout: &s.Layout{
		Key: "Summary|Transaction type", Prepare: prepareIG, Kind: "@kind|{Summary} {MarketName}", Words: []s.Word{{Kind: s.KindTrade, Words: "closed deal"}},
		Symbol: "@market", Type: "@type", Namer: s.NamePlain, Time: igTime, Quantity: "@quantity|Size", CashAmount: "PL Amount", Result: "PL Amount", Results: s.ResultAlways,
		RoundTrip: s.RoundTrip{OpenTime: "OpenDateUtc|@executed", OpenPrice: "@price|Open level", CloseTime: igTime, ClosePrice: "Close level"},
		Currency:  "CurrencyIsoCode", Currencies: s.CurrencyOfAccount, Note: "MarketName", Details: map[string]s.Col{"period": "Period"}, Adjust: adjustIG,
	},
}

const igTime = "DateUtc|TextDate|Date"

// igShares is the market in a share trade: "Acorn 100 @ 10".
var igShares = lazyregexp.New(`^(.+?) ([\d.,]+) ?@ ?([\d.,]+)$`)

// prepareIG finds out whether a row is a closed deal, a trade in shares or cash.
func prepareIG(w *s.Row) {
	market, kind := strings.Join(strings.Fields(w.Text("MarketName")), " "), w.Text("Transaction type")
	_, _, traded := parse.SideWord(kind)
	shares := igShares().FindStringSubmatch(market)
	switch {
	case w.Text("Open level") != "" && w.Text("Close level") != "":
		w.Set("kind", "closed deal")
		w.Set("market", market)
		w.Set("type", instruments.TypeCFD)
	case traded && shares != nil:
		w.Set("kind", kind)
		w.Set("market", shares[1])
		w.Set("quantity", shares[2])
		w.Set("price", shares[3])
		w.Set("executed", w.Text(igTime))
	case s.FindCashKind(w.Text("{Summary} {MarketName}")) == "" && (strings.EqualFold(kind, "DEPO") || strings.EqualFold(kind, "WITH")):
		w.Set("kind", "transfer")
	}
}

// adjustIG makes a share trade a separate fill. The meaning of its amount is unknown.
func adjustIG(w *s.Row, r *s.Record) {
	t := r.Trip
	switch {
	case t == nil:
	case w.Text("@executed") == "":
		t.Multiplier = decimal.Of(decimal.New(1))
	default:
		f := s.Fill{Symbol: t.Symbol, Side: matching.Buy, Quantity: t.Quantity, Price: t.OpenPrice, At: t.Open.At, DateOnly: t.Open.DateOnly}
		if t.Short {
			f.Side = matching.Sell
		}
		r.Trip, r.Fill = nil, &f
	}
}
