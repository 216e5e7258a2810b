package brokers

import s "fillbook/internal/intake/statement"

// zerodhaTradebook is the list of fills.
var zerodhaTradebook = s.Preset{
	Broker: "Zerodha", Export: "tradebook", Evidence: s.RealFile, Format: s.Executions, Zone: kolkata, Units: true,
	Header: s.Cols("symbol;trade_date|Trade Date;exchange;segment;trade_type|Trade Type;quantity;price;trade_id|Trade ID"),
	Layout: &s.Layout{
		Key: "symbol|quantity", Symbol: "{symbol} {expiry_date|Expiry Date}", Namer: nameNSE, Side: "trade_type|Trade Type",
		Quantity: "quantity", Price: "price", Time: "order_execution_time|Order Execution Time|trade_date|Trade Date",
		Currency: "=INR", Currencies: s.CurrencyOfFile,
		Adjust: func(w *s.Row, r *s.Record) {
			adjustNSE(w, r.Fill, w.Text("exchange"), w.Text("trade_id|Trade ID"), w.Text("segment"))
		},
	},
}

// zerodhaExits are the finished trades of the tax report, in tables with a title
// each, known from other people's code only. The report has values instead of prices
// and does not say which came first: a trade is read as bought and then sold.
var zerodhaExits = s.Preset{
	Broker: "Zerodha", Export: "tax report, exits", Evidence: s.Documented, Format: s.JournalTrades, Zone: kolkata, Units: true, Costs: s.CostsPositive,
	Header: s.Cols(zerodhaExitColumns),
	Sections: []s.Section{{Header: s.Cols(zerodhaExitColumns), Layout: &s.Layout{
		Key: "Entry Date|Exit Date", Prepare: computeExitPrices, Symbol: "Symbol", Namer: nameNSE, Multiplier: "=1", Side: "=buy", Quantity: "Quantity",
		Commission: "Brokerage", Fees: "Exchange Transaction Charges+IPFT+SEBI Charges+CGST+SGST+IGST+Stamp Duty+STT",
		Result: "Profit", Results: s.ResultNever, Currency: "=INR", Currencies: s.CurrencyOfFile,
		RoundTrip: s.RoundTrip{OpenTime: "Entry Date", OpenPrice: "@bought", CloseTime: "Exit Date", ClosePrice: "@sold"},
		Adjust: func(w *s.Row, r *s.Record) { // a rounded price does not give the result to the paisa
			t := r.Trip
			t.TrustPnL = !t.OpenPrice.Mul(t.Quantity).Equal(w.Decimal("Buy Value")) || !t.ClosePrice.Decimal.Mul(t.Quantity).Equal(w.Decimal("Sell Value"))
		},
	}}},
}

const zerodhaExitColumns = "Symbol;Entry Date;Exit Date;Quantity;Buy Value;Sell Value;Profit"

// zerodhaSums is a report without days.
var zerodhaSums = s.Preset{
	Broker: "Zerodha", Export: "profit and loss", Evidence: s.RealFile, Format: s.JournalTrades, Zone: kolkata,
	Header: s.Cols("Symbol;Buy Value;Sell Value;Realized P&L"), Without: s.Cols("Entry Date;Trade Date;Buy Date"),
	Refuse: "This report has no days, only sums by symbol. Import the tradebook, or the sheet Tradewise Exits of the tax report.",
}

// computeExitPrices divides the values of a finished trade by its quantity.
func computeExitPrices(w *s.Row) {
	if w.Text("Entry Date|Exit Date") == "" {
		return
	}
	quantity := w.Required("Quantity").Abs()
	if quantity.IsZero() {
		w.Fail("There is no quantity.")
		return
	}
	w.Set("bought", priceOfValue(w.Required("Buy Value"), quantity).String())
	w.Set("sold", priceOfValue(w.Required("Sell Value"), quantity).String())
}
