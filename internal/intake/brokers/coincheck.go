package brokers

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/statement"
)

// coincheckHistory is the Japanese exchange Coincheck's history in its standard format.
// Purchases from the exchange itself have the total in yen. A trade has the received
// amount, and rate and pair in its comment; its order's rows lock money and release it.
var coincheckHistory = statement.Preset{
	Broker: "Coincheck", Export: "transactions", Evidence: statement.SampleFile, Format: statement.Executions, Zone: tokyo, Costs: statement.CostsPositive,
	Header: statement.Cols("id;time;operation;amount;trading_currency;price;original_currency;fee;comment"),
	Layout: &statement.Layout{
		Coins: true, Key: "operation", Kind: "{operation} {@side}", Time: "time", Symbol: "@pair|{trading_currency}/{original_currency}",
		Quantity: "@quantity|amount", Price: "@rate", Gross: "@total", Unsigned: true, Fees: "fee", FeesCurrency: "=JPY", ID: "id",
		CashAmount: "amount", Currency: "trading_currency", Note: "operation", Prepare: prepareCoincheck,
		Words: []statement.Word{
			{Kind: statement.KindBuy, Words: "buy *|buy|credit card purchase*|completed trading contracts buy"},
			{Kind: statement.KindSell, Words: "sell *|sell|completed trading contracts sell"},
			{Kind: statement.KindRepeated, Words: "limit order*|cancel limit order*|market order*|cancel market order*|stop order*|cancel stop order*"},
			{Kind: statement.KindWithdrawal, Words: "bank withdrawal*|sent*"},
			{Kind: statement.KindDeposit, Words: "received*|deposit*|bank deposit*"},
			{Kind: statement.KindInternal, Words: "transfer*"},
		},
	},
}

// coincheckRate is a trade's comment.
var coincheckRate = lazyregexp.New(`(?i)Rate: *([\d.]+), *Pair: *([a-z0-9]+)_([a-z]+)`)

// prepareCoincheck reads a trade from its comment. If money was received, the coin was
// sold.
func prepareCoincheck(w *statement.Row) {
	found := coincheckRate().FindStringSubmatch(w.Text("comment"))
	if found == nil {
		w.Set("total", w.Text("price"))
		return
	}
	coin, money, received := strings.ToUpper(found[2]), strings.ToUpper(found[3]), strings.ToUpper(w.Text("trading_currency"))
	w.Set("pair", coin+"/"+money)
	w.Set("rate", found[1])
	w.Set("side", "buy")
	if rate, err := decimal.Parse(found[1]); err == nil && received == money && rate.Sign() > 0 {
		w.Set("side", "sell")
		w.Set("quantity", w.Decimal("amount").DivRound(rate, decimal.MaxDecimals).String())
	}
}
