package europe

import (
	"regexp"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// ig describes the transaction history: a row for each closed deal, with both
// levels and the result in money, and a row for each movement of cash. Only its
// header has been seen as IG writes it; that the sign of the size is the
// direction is general knowledge.
func ig() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "IG", Export: "transaction history", Evidence: statement.Documented, Format: statement.JournalTrades,
		Header: []string{"TextDate|Date", "Summary", "MarketName", "Period", "ProfitAndLoss", "Transaction type", "Reference", "Open level", "Close level", "Size", "PL Amount", "DateUtc"},
		Zone:   "UTC", Order: statement.DayFirst, NewestFirst: true,
		Each: igRow,
	}}
}

// igTrade is how a trade in shares is told: "Acorn 100 @ 10".
var igTrade = regexp.MustCompile(`^(.+?) ([\d.,]+) ?@ ?([\d.,]+)$`)

func igRow(w *statement.Row) {
	if w.Text("Summary") == "" && w.Text("Transaction type") == "" {
		w.Ignore()
		return
	}
	market, kind := strings.Join(strings.Fields(w.Text("MarketName")), " "), w.Text("Transaction type")
	e := event{
		word: w.Text("Summary"), at: w.Moment("DateUtc|TextDate|Date"), amount: w.Null("PL Amount"), note: market,
		currency: strings.ToUpper(w.Text("CurrencyIsoCode")),
	}
	if w.Text("Open level") != "" && w.Text("Close level") != "" {
		igTrip(w, e, market)
		return
	}
	side, _, sided := statement.SideWord(kind)
	trade := igTrade.FindStringSubmatch(market)
	if sided && trade != nil {
		e.amount = decimal.Null{} // its meaning in such a row is unknown
		e.symbol = trade[1]
		d := deal{
			event: e, side: side, quantity: inText(w, trade[2], statement.Unsettled), price: inText(w, trade[3], statement.Unsettled),
		}
		d.fill(w)
		return
	}
	e.emit(w, igSense(kind, e.word+" "+market))
}

// igSense returns the kind of a row of cash, by its text or else by its type.
func igSense(kind, text string) sense {
	if s := senseOf(text); s != unknown {
		return s
	}
	switch strings.ToUpper(kind) {
	case "DEPO", "WITH":
		return transfer
	}
	return unknown
}

// igTrip reads a closed deal. Its reference comes again for every part, so it
// is not taken for an id.
func igTrip(w *statement.Row, e event, market string) {
	size := w.Required("Size")
	t := statement.Trip{
		Symbol: strings.ToUpper(market), Type: instruments.TypeCFD, Short: sideOf(size) == matching.Sell, Quantity: size.Abs(),
		Open: w.Moment("OpenDateUtc"), OpenPrice: w.Required("Open level"),
		Close: e.at, ClosePrice: decimal.Of(w.Required("Close level")),
		GrossPnL: decimal.Of(w.Required("PL Amount")), TrustPnL: true, Multiplier: decimal.Of(decimal.New(1)),
	}
	if period := w.Text("Period"); period != "" {
		t.Details = map[string]string{"period": period}
	}
	inMoney(w.Reader(), e.currency)
	w.Trip(t)
}
