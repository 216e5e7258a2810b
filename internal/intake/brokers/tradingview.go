package brokers

import (
	"slices"
	"strings"

	"fillbook/internal/intake/metatrader"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// tradingViewOrders are orders of the paper account or of a broker. Times are those
// of the chart, whose zone is not in the file. Only what was filled has a price.
var tradingViewOrders = s.Preset{
	Broker: "TradingView", Export: "orders", Evidence: s.SampleFile, Format: s.Executions, Costs: s.CostsPositive, NewestFirst: true, RowLimit: 100,
	Header: s.Cols("Symbol;Side;Type;Quantity|Qty;Fill Price;Placing Time;Closing Time;Order ID"),
	Layout: &s.Layout{
		Prepare: skipUnfilledOrder, Symbol: "Symbol", Namer: nameChart, Side: "Side", Quantity: "Filled qty|Filled quantity|Quantity|Qty",
		Price: "Fill Price", Time: "Closing Time", Commission: "Commission", ID: "Order ID",
	},
}

// skipUnfilledOrder skips an order without a price. One that was canceled after a
// part of it was filled fails if the file does not state how much.
func skipUnfilledOrder(w *s.Row) {
	if w.Text("Symbol") == "" {
		return
	}
	status := strings.ToLower(w.Text("Status"))
	switch {
	case w.Decimal("Fill Price").IsZero():
		w.Skip(s.ReasonNotFilled)
	case status != "" && status != "filled" && w.Text("Filled qty|Filled quantity") == "":
		w.Fail("The order is %s but has a fill price: a part of it was filled, and the file does not say how much.", status)
	}
}

// Exchanges whose symbols are futures, coins, or contracts for difference. What
// is on none of them is a share.
var (
	futuresExchanges = []string{"CME", "CBOT", "NYMEX", "COMEX", "EUREX", "ICEUS", "ICEEUR", "CME_MINI", "CBOT_MINI", "NYMEX_MINI", "COMEX_MINI", "CFE", "SGX"}
	coinExchanges    = []string{
		"BINANCE", "BINANCEUS", "BITFINEX", "BITGET", "BITSTAMP", "BYBIT", "COINBASE", "CRYPTO", "CRYPTOCOM", "GATEIO", "GEMINI",
		"HTX", "KRAKEN", "KUCOIN", "MEXC", "OKX", "POLONIEX",
	}
	dealers = []string{"FX", "FX_IDC", "OANDA", "FOREXCOM", "PEPPERSTONE", "CAPITALCOM", "EIGHTCAP", "ICMARKETS", "SAXO", "FXCM", "FXOPEN", "TVC", "BLACKBULL"}
)

// nameChart builds an instrument from the symbol of a chart, such as
// CME_MINI:MES1!.
func nameChart(symbol, _ string) s.Instrument {
	exchange, _, _ := strings.Cut(strings.ToUpper(symbol), ":")
	name := s.WithoutExchange(strings.ToUpper(strings.TrimSpace(symbol)))
	const pair = 6
	kind := ""
	switch {
	case slices.Contains(coinExchanges, exchange):
		kind = instruments.TypeCrypto
	case slices.Contains(futuresExchanges, exchange):
		kind = instruments.TypeFuture
	case len(name) == pair && metatrader.InstrumentType(name) == instruments.TypeForex:
		kind = instruments.TypeForex
	case slices.Contains(dealers, exchange):
		kind = instruments.TypeCFD
	}
	return s.NameAny(name, kind)
}
