package brokers

import s "fillbook/internal/intake/statement"

// freetradeActivity is an account's activity: a row for each order, with the rate before
// the exchange fee, and that fee.
var freetradeActivity = s.Preset{
	Broker: "Freetrade", Export: "activity", Evidence: s.SampleFile, Format: s.Executions, Zone: london, Costs: s.CostsPositive, NewestFirst: true,
	Header: s.Cols("Title;Type;Timestamp;Account Currency;Total Amount;Buy / Sell;Ticker;Quantity;Order ID;Price per Share"),
	Layout: &s.Layout{
		Key: "Type", Kind: "Buy / Sell|Type", Words: []s.Word{{Kind: s.KindWithdrawal, Words: "*withdrawal*"}}, Symbol: "Ticker", Namer: s.NamePlain, Name: "Title", Time: "Timestamp", Quantity: "Quantity",
		Price: "Price per Share|Price per Share in Account Currency", Amount: "Total Amount", Unsigned: true, Fees: "Stamp Duty+FX Fee Amount",
		Currency: "Account Currency", PriceCurrency: "@currency", Rate: "Base FX Rate|FX Rate", Currencies: s.CurrencyOfAccount, ID: "Order ID",
		IDs: s.IDPerSide, Note: "Title",
		Prepare: func(w *s.Row) {
			switch {
			case w.Text("Price per Share") != "":
				w.Set("currency", w.Text("Instrument Currency"))
			case w.Text("Buy / Sell") != "":
				w.Required("Price per Share in Account Currency")
			}
		},
		Adjust: addFreeShare,
	},
}

// addFreeShare adds the money for a share given away.
func addFreeShare(w *s.Row, r *s.Record) {
	if amount := w.Decimal("Total Amount"); r.Fill != nil && w.Text("Type") == "FREESHARE_ORDER" && !amount.IsZero() {
		r.Also = []s.Record{{Kind: s.KindDeposit, Cash: &s.Cash{
			Type: "deposit", Amount: amount.Abs(), Currency: w.Text("Account Currency"), At: r.Fill.At, Note: w.Text("Ticker") + " Free share",
		}}}
	}
}
