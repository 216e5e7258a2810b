package brokers

import (
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
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

// tradingViewBalance is the history of the paper account's balance: positions that
// were closed, whose times of opening are not in the file, and money.
var tradingViewBalance = s.Preset{
	Broker: "TradingView", Export: "balance history", Evidence: s.RealFile, Format: s.JournalTrades, NewestFirst: true,
	Header: s.Cols("Time;Balance before;Balance after;Realized PnL (value);Realized PnL (currency);Action"),
	Layout: &s.Layout{
		Key: "Action|Time", Prepare: setBalanceChange, Parse: []s.Pattern{{In: "Action", Re: closingText}}, Kind: "@direction|Action",
		Words: []s.Word{
			{Kind: s.KindBuyOpen, Words: "long"},
			{Kind: s.KindSellOpen, Words: "short"},
			{Kind: s.KindFee, Words: "*commission*"},
			{Kind: s.KindDividend, Words: "*dividend*"},
			{Kind: s.KindTransfer, Words: "*deposit*|*withdrawal*"},
			{Kind: s.KindInterest, Words: "*interest*"},
			{Kind: s.KindAdjustment, Words: "*"},
		},
		Symbol: "@symbol", Namer: nameChart, Multiplier: "@worth", Quantity: "@units", Result: "Realized PnL (value)", Results: s.ResultNever,
		RoundTrip: s.RoundTrip{OpenPrice: "@entry", CloseTime: "Time", ClosePrice: "@exit"},
		Time:      "Time", CashAmount: "@change", Note: "Action", Currency: "Realized PnL (currency)", Currencies: s.CurrencyOfFile,
		Adjust: func(w *s.Row, r *s.Record) {
			if r.Trip != nil { // in another currency only the file has the result
				r.Trip.TrustPnL = !w.Decimal("@rate").Equal(decimal.New(1))
			}
		},
	},
}

// closingText is how the paper account describes a position that it closed: with
// the price of entry, what a point is worth, and the rate to its own currency.
var closingText = lazyregexp.New(`^Close (?P<direction>long|short) position for symbol (?P<symbol>\S+) at price (?P<exit>\S+) for (?P<units>\S+) units\. ` +
	`Position AVG Price was (?P<entry>[^\s,]+), currency: \w+, rate: (?P<rate>[^\s,]+), point value: (?P<worth>\S+?)\.?$`)

// setBalanceChange computes what a row that is not a trade did to the balance.
func setBalanceChange(w *s.Row) {
	if action := w.Text("Action"); !closingText().MatchString(action) && (action != "" || w.Text("Time") != "") {
		w.Set("change", w.Required("Balance after").Sub(w.Required("Balance before")).String())
	}
}
