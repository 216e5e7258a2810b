package futures

import (
	"strings"

	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// tradovate knows the exports of Tradovate, which NinjaTrader's web platform
// writes with the same columns. Orders, Fills, Performance and Position History
// tell of the same fills. All but Fills show times on the browser's clock, to
// the second.
func tradovate() []*statement.Preset {
	const broker = "Tradovate"
	return []*statement.Preset{
		&tradovateOrders, &tradovateFills,
		{
			Broker: broker, Export: "Performance", Evidence: statement.RealFile, Format: statement.Executions,
			Header: []string{
				"symbol", "buyFillId", "sellFillId", "qty", "buyPrice", "sellPrice", "pnl", "boughtTimestamp", "soldTimestamp",
			},
			Instrument: instruments.TypeFuture, Order: statement.MonthFirst,
			Each: tradovatePair, Done: closeTradovate,
		},
		{
			Broker: broker, Export: "Position History", Evidence: statement.SampleFile, Format: statement.Executions,
			Header: []string{
				"Contract", "Buy Fill ID", "Sell Fill ID", "Paired Qty", "Buy Price", "Sell Price", "P/L", "Bought Timestamp", "Sold Timestamp",
			},
			Instrument: instruments.TypeFuture, Order: statement.MonthFirst,
			Each: tradovatePair, Done: closeTradovate,
		},
		tradovateCash(broker),
	}
}

// closeTradovate ends the reading of any export of fills.
func closeTradovate(r *statement.Reader) {
	joinParts(r.Out)
	closeBooks(r)
}

// tradovateOrders are orders, each a fill as far as it was filled. Their ids are
// not those of fills: Fills and Performance do not have them.
var tradovateOrders = statement.Preset{
	Broker: "Tradovate", Export: "Orders", Evidence: statement.RealFile, Format: statement.Executions, Order: statement.MonthFirst,
	Header:  statement.Cols("B/S;Contract;avgPrice|Avg Fill Price;filledQty|Filled Qty;Fill Time;Status"),
	Notices: []string{"Tradovate's Orders export states no commissions and fees, and an order as one fill however many it took. Prefer its Fills export, and import only one of the two."},
	Layout: &statement.Layout{
		Key: "Contract|Status", Orders: true, Side: "B/S", Symbol: "Contract", Namer: statement.NameFuture, Quantity: "filledQty|Filled Qty",
		Price: "decimalFillAvg|avgPrice|Avg Fill Price", Gross: "Notional Value", Time: "Fill Time|Timestamp", Account: "Account",
		SameInstant: statement.InstantByID,
	},
}

// tradovateFills have times finer than those of the other exports, which the
// ledger allows for.
var tradovateFills = statement.Preset{
	Broker: "Tradovate", Export: "Fills", Evidence: statement.RealFile, Format: statement.Executions, Order: statement.MonthFirst,
	Header:  statement.Cols("Fill ID|_id;B/S|_action;Contract;Quantity|_qty;Price|_price;commission;Timestamp|_timestamp"),
	Without: statement.Cols("Fill Time;Paired Qty"), Costs: statement.CostsPositive,
	Notices: []string{"Tradovate's Fills export states only the broker's commission; exchange, clearing and NFA fees are in its Cash History."},
	Layout: &statement.Layout{
		Key:  "Contract|Fill ID|_id",
		Only: []statement.Condition{{Col: "_active", Words: "|true", Reason: "the exchange took it back"}},
		Side: "B/S|_action", Symbol: "Contract", Namer: statement.NameFuture, Quantity: "Quantity|_qty", Price: "_price|Price",
		Commission: "commission", Time: "_timestamp|Timestamp", ID: "Fill ID|_id", Account: "Account",
		Join: []statement.Join{{As: statement.JoinParts}}, SameInstant: statement.InstantByID,
	},
}

// tradovatePair reads contracts that were bought and sold. A fill that was
// paired several times is in several rows under one id, and what is not paired
// yet is in none.
func tradovatePair(w *statement.Row) {
	symbol := contractName(w.Text("symbol|Contract"))
	quantity := w.Required("qty|Paired Qty")
	bought := w.Fill(statement.Fill{
		Symbol: symbol, Side: matching.Buy, Quantity: quantity, Price: price(w, "buyPrice|Buy Price", symbol),
		At: w.Moment("boughtTimestamp|Bought Timestamp").At, ID: fillID(w, "buyFillId|Buy Fill ID"), PartialQuantity: true,
	})
	sold := w.Fill(statement.Fill{
		Symbol: symbol, Side: matching.Sell, Quantity: quantity, Price: price(w, "sellPrice|Sell Price", symbol),
		At: w.Moment("soldTimestamp|Sold Timestamp").At, ID: fillID(w, "sellFillId|Sell Fill ID"), PartialQuantity: true,
	})
	b, out := booksOf(w.Reader()), w.Reader().Out
	made := w.Null("pnl|P/L")
	if made.Valid && !w.Failed() {
		b.made(symbol, made.Decimal, sold.Price.Sub(bought.Price), quantity)
	}
	b.account(w.Text("Account"))
	if w.Decimal("Net Pos").Sign() != 0 {
		out.Warn("The position in %s is still open. Fills that are not closed yet are not in this export; use Fills to have them.", symbol)
	}
	out.Warn("Tradovate's %s export states no commissions and fees; its Fills export has the commissions.", w.Reader().Preset.Export)
}

// fillID reads the id of a fill. Spreadsheets shorten long numbers, and many
// fills would share what is left; such an id is none.
func fillID(w *statement.Row, names string) string {
	id := w.Text(names)
	if strings.ContainsAny(id, "eE+") {
		w.Reader().Out.Warn("A spreadsheet has shortened the ids of the fills. Import the file as it was downloaded, so that fills are known again.")
		return ""
	}
	return id
}
