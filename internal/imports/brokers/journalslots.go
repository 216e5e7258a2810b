package brokers

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// tradeJourney describes the standard file of TradeJourney, from its
// documentation; no file was seen.
func tradeJourney() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "TradeJourney", Export: "standard CSV", Evidence: statement.Documented, Format: statement.JournalTrades,
		Header: []string{"importName", "accountName", "symbol", "openDate", "closeDate", "type", "lot", "openPrice", "closePrice", "profit"},
		Costs:  statement.CostsPositive,
		Each:   tradeJourneyTrade, Done: closeAccounts,
	}}
}

func tradeJourneyTrade(w *statement.Row) {
	account(w, "accountName|accountFullname")
	t := inLots(w.Text("symbol"), w.Required("lot").Abs())
	t.Short = isShort(w, "type")
	t.Open, t.OpenPrice = w.Moment("openDate"), w.Required("openPrice")
	t.Close, t.ClosePrice = w.Moment("closeDate"), w.Null("closePrice")
	t.Commission, t.GrossPnL = w.Cost("commission"), w.Null("profit")
	emit(w, t)
}

// inLots begins a trade in something that is traded in lots. The file does not
// say how large a lot is, so the stated result is the only one.
func inLots(symbol string, lots decimal.Decimal) statement.Trip {
	t := statement.Trip{
		Symbol: strings.ToUpper(strings.ReplaceAll(symbol, "/", "")), Type: instruments.TypeCFD, TrustPnL: true, Quantity: lots,
		Details: map[string]string{"unit": "lot"},
	}
	t.Multiplier = decimal.Of(instruments.LotMultiplier(t.Symbol, lots))
	if isPair(t.Symbol) {
		t.Type = instruments.TypeForex
	}
	return t
}

// currencies are those that pairs are made of.
const currencies = " AUD CAD CHF CNH CZK DKK EUR GBP HKD HUF ILS JPY MXN NOK NZD PLN SEK SGD THB TRY USD ZAR "

// isPair reports whether a symbol begins with two currencies; a broker's own
// ending, as in EURUSD.m, does not matter.
func isPair(symbol string) bool {
	return len(symbol) >= 6 && strings.Contains(currencies, " "+symbol[:3]+" ") && strings.Contains(currencies, " "+symbol[3:6]+" ")
}
