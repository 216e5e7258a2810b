package brokers

import (
	"regexp"

	"fillbook/internal/base/decimal"
	s "fillbook/internal/intake/statement"
)

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
var closingText = regexp.MustCompile(`^Close (?P<direction>long|short) position for symbol (?P<symbol>\S+) at price (?P<exit>\S+) for (?P<units>\S+) units\. ` +
	`Position AVG Price was (?P<entry>[^\s,]+), currency: \w+, rate: (?P<rate>[^\s,]+), point value: (?P<worth>\S+?)\.?$`)

// setBalanceChange computes what a row that is not a trade did to the balance.
func setBalanceChange(w *s.Row) {
	if action := w.Text("Action"); !closingText.MatchString(action) && (action != "" || w.Text("Time") != "") {
		w.Set("change", w.Required("Balance after").Sub(w.Required("Balance before")).String())
	}
}
