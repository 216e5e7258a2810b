package crypto

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// hyperliquid describes the trade and the funding history of Hyperliquid, which are
// written by the browser: in its zone, and with its order of day and month.
func hyperliquid() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Hyperliquid", Export: "trade history", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"time", "coin", "dir", "px", "sz", "ntl", "fee", "closedPnl"},
		Costs:  statement.CostsPositive, Each: hyperliquidFill, Done: tell,
		Columns: columns("coin", "dir", "time", "sz", "px", "fee", ""),
	}, {
		Broker: "Hyperliquid", Export: "funding history", Evidence: statement.Documented, Format: statement.Executions,
		Header: []string{"time", "coin", "sz", "side", "payment", "rate"},
		Each:   hyperliquidFunding, Done: tell,
	}}
}

// hyperliquidFill reads a fill: in a coin if the coin is a pair, in a contract
// otherwise.
func hyperliquidFill(w *statement.Row) {
	coin := strings.ToUpper(w.Text("coin"))
	if coin == "" {
		w.Ignore()
		return
	}
	d := deal{
		symbol: coin, base: coin, quote: "USDC", contract: true,
		quantity: w.Required("sz"), price: w.Required("px"), at: w.Moment("time"),
	}
	fee := coins{w.Cost("fee"), strings.ToUpper(w.Text("feeToken"))}
	if strings.Contains(coin, "/") {
		d.base, d.quote = split(coin)
		d.contract = false
	}
	d.side, d.effect = hyperliquidSide(w)
	if fee.coin == "" && !d.contract && d.side == matching.Buy && inBase(fee.amount, d.price, w.Decimal("closedPnl")) {
		fee.coin = d.base
	}
	d.costs = []coins{fee}
	d.emit(w)
}

// hyperliquidSide reads the direction. A position may be turned over in one fill,
// or be closed for its owner.
func hyperliquidSide(w *statement.Row) (matching.Side, statement.Effect) {
	switch strings.ToLower(w.Text("dir")) {
	case "long > short", "liquidated isolated long", "liquidated cross long":
		return matching.Sell, statement.EffectUnknown
	case "short > long", "liquidated isolated short", "liquidated cross short":
		return matching.Buy, statement.EffectUnknown
	}
	return w.Side("dir")
}

// inBase reports whether the fee of a purchase is in the coin that was bought: the
// result of a purchase is nothing but the fee, in money.
func inBase(fee, price, result decimal.Decimal) bool {
	asMoney, asCoin := result.Add(fee).Abs(), result.Add(fee.Mul(price)).Abs()
	return asCoin.Cmp(asMoney) < 0
}

func hyperliquidFunding(w *statement.Row) {
	coin := strings.ToUpper(w.Text("coin"))
	if coin == "" {
		w.Ignore()
		return
	}
	pay(w, "interest", coins{w.Required("payment"), "USDC"}, w.Moment("time"), "funding "+coin)
}
