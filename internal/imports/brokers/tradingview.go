package brokers

import (
	"slices"
	"strings"

	"fillbook/internal/imports/metatrader"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// tradingView are the exports of TradingView: orders of the paper account or of
// a broker, the history of the paper account's balance, and the list of trades
// of a strategy. Times are those of the chart, whose zone no export tells.
func tradingView() []*statement.Preset {
	return []*statement.Preset{
		{
			Broker: "TradingView", Export: "orders", Evidence: statement.SampleFile, Format: statement.Executions,
			Header: []string{"Symbol", "Side", "Type", "Quantity|Qty", "Fill Price", "Placing Time", "Closing Time", "Order ID"},
			Costs:  statement.CostsPositive, NewestFirst: true,
			Each: readOrder, Done: finishOrders,
		},
		{
			Broker: "TradingView", Export: "balance history", Evidence: statement.RealFile, Format: statement.JournalTrades,
			Header:      []string{"Time", "Balance before", "Balance after", "Realized PnL (value)", "Realized PnL (currency)", "Action"},
			NewestFirst: true,
			Each:        readAction,
		},
		{
			Broker: "TradingView", Export: "list of trades of a strategy", Evidence: statement.Documented, Format: statement.JournalTrades,
			Header: []string{
				"Trade #|Trade number", "Type", "Signal", "Date/Time|Date and time", "Contracts|Quantity|Size (qty)|Position size (qty)",
			},
			Whole: readStrategy,
		},
	}
}

// readOrder reads an order. Only what was filled has a price; how much of an
// order was filled that was canceled then, the file does not say.
func readOrder(w *statement.Row) {
	if w.Text("Symbol") == "" {
		w.Ignore()
		return
	}
	price := w.Decimal("Fill Price")
	if w.Failed() || price.IsZero() {
		w.Skip(statement.ReasonNotFilled)
		return
	}
	if status := strings.ToLower(w.Text("Status")); status != "" && status != "filled" && w.Text("Filled qty|Filled quantity") == "" {
		w.Fail("The order is %s but has a fill price: a part of it was filled, and the file does not say how much.", status)
		return
	}
	side, effect := w.Side("Side")
	at := w.Moment("Closing Time")
	f := statement.Fill{
		Side: side, Effect: effect, Quantity: w.Required("Filled qty|Filled quantity|Quantity|Qty"), Price: price, At: at.At, DateOnly: at.DateOnly,
		Commission: w.Cost("Commission"), ID: w.Text("Order ID"),
	}
	nameChart(&f, w.Text("Symbol"))
	w.Fill(f)
}

// finishOrders warns of a list that may have lost its beginning.
func finishOrders(r *statement.Reader) {
	const most = 100
	if r.Out.Rows == most {
		r.Out.Warn("The file has exactly %d orders, which is as many as TradingView exports: older ones may be missing, and with them the beginning of a position.", most)
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

// nameChart names a fill by the symbol of a chart, such as CME_MINI:MES1!.
func nameChart(f *statement.Fill, symbol string) {
	exchange, _, _ := strings.Cut(strings.ToUpper(symbol), ":")
	name := statement.WithoutExchange(strings.ToUpper(strings.TrimSpace(symbol)))
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
	f.Name(name, kind)
}
