package brokers

import (
	"strings"

	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// hyperliquidTrades is written by the browser: in its zone, and with its order of day and
// month. A position may be reversed in one fill, or be liquidated.
var hyperliquidTrades = statement.Preset{
	Broker: "Hyperliquid", Export: "trade history", Evidence: statement.SampleFile, Format: statement.Executions, Costs: statement.CostsPositive,
	Header: statement.Cols("time;coin;dir;px;sz;ntl;fee;closedPnl"),
	Sides: map[string]statement.Direction{
		"long > short": {}, "liquidated isolated long": {}, "liquidated cross long": {},
		"short > long": {Buy: true}, "liquidated isolated short": {Buy: true}, "liquidated cross short": {Buy: true},
	},
	Layout: &statement.Layout{
		Coins: true, Symbol: "coin", Namer: nameHyperliquid, Side: "dir", Time: "time", Quantity: "sz", Price: "px",
		Fees: "fee", FeesCurrency: "feeToken|@base", Prepare: prepareHyperliquid,
	},
}

// nameHyperliquid builds a pair if the name is one, and otherwise a contract.
func nameHyperliquid(symbol, kind string) statement.Instrument {
	if strings.Contains(symbol, "/") {
		return statement.NamePair(symbol, kind)
	}
	return statement.NewCoinContract(symbol, strings.ToUpper(symbol), "USDC")
}

// prepareHyperliquid finds purchase fees in the bought coin: a purchase's result is only
// the fee, in money.
func prepareHyperliquid(w *statement.Row) {
	base, _, isPair := strings.Cut(w.Text("coin"), "/")
	if side, _, _ := parse.SideWord(w.Text("dir")); !isPair || side != matching.Buy {
		return
	}
	fee, result := w.Decimal("fee"), w.Decimal("closedPnl")
	asMoney, asCoin := result.Add(fee).Abs(), result.Add(fee.Mul(w.Decimal("px"))).Abs()
	if asCoin.Cmp(asMoney) < 0 {
		w.Set("base", base)
	}
}

// hyperliquidFunding is what was paid and received for holding contracts.
var hyperliquidFunding = statement.Preset{
	Broker: "Hyperliquid", Export: "funding history", Evidence: statement.Documented, Format: statement.Executions,
	Header: statement.Cols("time;coin;sz;side;payment;rate"),
	Layout: &statement.Layout{
		Coins: true, Key: "coin", Kind: "=funding", Time: "time", Amount: "payment", Currency: "=USDC", Note: "funding {coin}",
		Words: []statement.Word{{Kind: statement.KindInterest, Words: "funding"}},
	},
}
