package brokers

import (
	"strings"

	"fillbook/internal/base/lazyregexp"
	s "fillbook/internal/intake/statement"
)

// rithmicOrders are R|Trader Pro's orders, in several tables with a title each. The
// export has order numbers and no fill numbers, so a fill is an order here, with its
// number as the id. Orders still working may be partly filled too.
var rithmicOrders = s.Preset{
	Broker: "Rithmic", Export: "completed orders", Evidence: s.SampleFile, Format: s.Executions, MarketZone: chicago, Instrument: futureType, Costs: s.CostsPositive,
	Header: s.Cols("Buy/Sell;Symbol;Avg Fill Price;Order Number;Qty Filled"),
	Sections: []s.Section{{Header: s.Cols("Qty Filled"), Layout: &s.Layout{
		Orders: true, Symbol: "Symbol", Namer: s.NameFuture, Side: "Buy/Sell", Quantity: "Qty Filled", Price: "Avg Fill Price", Time: "Update Time…",
		Commission: "Commission", ID: "Order Number", Account: "Account", Join: []s.Join{{As: s.JoinParts}}, SameInstant: s.InstantByID,
		Adjust: func(w *s.Row, r *s.Record) {
			if w.Text("Commission") == "" {
				r.Fill.Commission = w.Cost("Commission Fill Rate").Mul(r.Fill.Quantity)
			}
		},
	}}},
}

// rithmicPerformance has entries with their exits, in tables below their account and
// contract. An order closed by several is in several rows. The layout was read in another
// importer; no file was seen.
var rithmicPerformance = s.Preset{
	Broker: "Rithmic", Export: "performance", Evidence: s.Documented, Format: s.Executions, MarketZone: chicago, Instrument: futureType, Costs: s.CostsPositive,
	Header: s.Cols("Entry Order Number;Entry Buy/Sell;Entry Price;Exit Order Number;Exit Price;Fill Size"),
	Sections: []s.Section{{Header: s.Cols("Entry Order Number"), Layout: &s.Layout{
		Key: "Entry Order Number|Fill Size", Prepare: readRithmicTitles, Symbol: "Instrument|Symbol|@contract", Namer: s.NameFuture, Side: "Entry Buy/Sell",
		Quantity: "Fill Size", Commission: "Commission & Fees", Result: "Trade P&L", Account: "@account",
		BoughtSold: s.BoughtSold{
			BuyTime: "Entry Time…", BuyPrice: "Entry Price", BuyID: "Entry Order Number",
			SellTime: "Exit Time…", SellPrice: "Exit Price", SellID: "Exit Order Number",
		},
		Join: []s.Join{{As: s.JoinParts}}, SameInstant: s.InstantByID,
	}}},
}

// datedContract is a contract with its month, in the contract table or not.
var datedContract = lazyregexp.New(`^[A-Z0-9]{1,4}[FGHJKMNQUVXZ]\d{1,2}$`)

// readRithmicTitles reads contract and account from the titles above a table.
func readRithmicTitles(w *s.Row) {
	for _, title := range w.Reader().Titles() {
		if datedContract().MatchString(title) {
			w.Set("contract", title)
		} else if !strings.Contains(title, " ") {
			w.Set("account", title)
		}
	}
}
