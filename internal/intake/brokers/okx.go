package brokers

import (
	"strings"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
)

// okxTrading is OKX's trading history, in its two generations of column names. OKX's
// presets were written from single rows; no whole file was seen.
//
// A spot fill has two rows: each coin's balance change, and the fee taken from what came
// in. Order parts filled at one price in one second are one fill. Contracts may be
// counted, not measured.
var okxTrading = statement.Preset{
	Broker: "OKX", Export: "trading history", Evidence: statement.Documented, Format: statement.Executions, NewestFirst: true,
	Header: statement.Cols("Order id;Time;Trade Type;Symbol|Instrument;Action|Type;Amount;PnL|PL;Fee;Position Change;Position Balance;Balance Change;Balance"),
	Costs:  statement.CostsNegative,
	Layout: &statement.Layout{
		Coins: true, Key: "Action|Type", Kind: "@kind|Action|Type", Symbol: "{@base}-{@quote}|Symbol|Instrument", Namer: statement.NameCoinContract,
		Side: "Action|Type", Time: "Time", Quantity: "Amount", Price: "Filled Price",
		Fees: "Fee", FeesCurrency: "Fee Unit", Result: "PnL|PL", CashAmount: "@change|Balance Change", Currency: "Balance Unit|Unit#2",
		Note: "{kind} {Symbol|Instrument}", ID: "id", Prepare: prepareOKX,
		Join: []statement.Join{{By: "{Symbol|Instrument} {Time} {Order id} {Filled Price}", As: statement.JoinLegs, Pair: "Symbol|Instrument"}},
		Words: []statement.Word{
			{Kind: statement.KindLeg, Words: "spot fill"},
			{Kind: statement.KindTransfer, Words: "*transfer*"},
			{Kind: statement.KindInterest, Words: "*fund*|*interest*"},
			{Kind: statement.KindTrade, Words: "*liquidation*"},
		},
	},
}

// okxZone finds the zone in the line above the table: Time Zone:UTC+8.
var okxZone = lazyregexp.New(`(?i)time zone:\s*((?:UTC|GMT)[^,\s]*)`)

// prepareOKX sets the zone, and for a spot fill the balance change before the fee.
func prepareOKX(w *statement.Row) {
	for _, table := range w.Reader().File.Tables {
		for _, row := range table.Rows[:min(3, len(table.Rows))] {
			if found := okxZone().FindStringSubmatch(strings.Join(row.Cells, " ")); found != nil {
				w.SetZone(found[1])
			}
		}
	}
	if strings.EqualFold(w.Text("Trading Unit|Unit"), "cont") {
		w.CountContracts()
	}
	_, _, isSide := parse.SideWord(w.Text("Action|Type"))
	if !isSide || !strings.EqualFold(w.Text("Trade Type"), "Spot") || w.Text("Symbol|Instrument") == "" {
		return
	}
	w.Set("kind", "spot fill")
	unit := w.Text("Balance Unit|Unit#2")
	isInUnit := w.Text("Fee Unit") == "" || strings.EqualFold(w.Text("Fee Unit"), unit)
	change := w.Required("Balance Change")
	if isInUnit && !change.Abs().Equal(w.Decimal("Amount").Abs()) {
		w.Set("change", change.Sub(w.Decimal("Fee")).String())
	}
}

// okxOrders is an order list in the style of the trading history.
var okxOrders = statement.Preset{
	Broker: "OKX", Export: "order history", Evidence: statement.Documented, Format: statement.Executions, NewestFirst: true,
	Header: statement.Cols("Order ID;Instrument;Order Type;Side;Avg Fill Price;Filled Quantity;PnL;Fee;Order Time"),
	Layout: &statement.Layout{
		Coins: true, Orders: true, Symbol: "Instrument", Namer: nameOKX, Side: "Side", Time: "Order Time", Quantity: "Filled Quantity",
		Price: "Avg Fill Price", Fees: "Fee", Result: "PnL", ID: "Order ID",
	},
}

// okxContract is how contract names end, or how many parts they have.
var okxContract = lazyregexp.New(`(?i)SWAP|PERP|-[CP]$|-.*-`)

// nameOKX builds a contract or a pair from its name.
func nameOKX(symbol, kind string) statement.Instrument {
	if okxContract().MatchString(symbol) {
		return statement.NameCoinContract(symbol, kind)
	}
	return statement.NamePair(symbol, kind)
}
