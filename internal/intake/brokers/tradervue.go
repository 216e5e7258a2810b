package brokers

import (
	"fillbook/internal/base/decimal"
	s "fillbook/internal/intake/statement"
)

// tradervueTrades is Tradervue's export of trades, in 13 or in 29 columns.
var tradervueTrades = s.Preset{
	Broker: "Tradervue", Export: "trades", Evidence: s.SampleFile, Format: s.JournalTrades, Zone: newYork, Costs: s.CostsPositive,
	Header: s.Cols("Open Datetime;Close Datetime;Symbol;Side;Volume;Exec Count;Entry Price;Exit Price;Gross P&L"),
	Layout: &s.Layout{
		Symbol: "Symbol", Namer: s.NameWithoutExchange, Side: "Side", Quantity: "Volume", Commission: "Commissions", Fees: "Fees",
		Result: "Gross P&L", NetResult: "Net P&L", Settle: halveTradervueVolume,
		RoundTrip: s.RoundTrip{
			OpenTime: "Open Datetime", OpenPrice: "Entry Price", CloseTime: "Close Datetime", ClosePrice: "Exit Price",
		},
		AnnotationColumns: s.AnnotationColumns{Notes: "Notes", Tags: "Tags", Risk: "Initial Risk", MAE: "Position MAE", MFE: "Position MFE"},
	},
}

// halveTradervueVolume corrects the quantity of a closed trade, which counts what was
// bought and what was sold, unless the result shows that it does not.
func halveTradervueVolume(_ *s.Row, t *s.Trip) {
	if !t.Close.At.IsZero() && (t.OpenPrice.Equal(t.ClosePrice.Or(t.OpenPrice)) || !t.ResultByPrices().Equal(t.GrossPnL.Decimal)) {
		t.Quantity = t.Quantity.DivRound(decimal.New(2), 12)
	}
}

// tradervueFills is the file of fills that Tradervue imports, which other
// programs write for it. A file without one of the fees is like any other list
// of fills, and is read as such.
var tradervueFills = s.Preset{
	Broker: "Tradervue", Export: "generic import", Evidence: s.Documented, Format: s.Executions, Zone: newYork, Costs: s.CostsPositive,
	Header: s.Cols("Date;Time;Symbol;Quantity;Price;TransFee|ECNFee"),
	Columns: map[s.Target]string{
		s.TargetDate: "Date", s.TargetTime: "Time", s.TargetSymbol: "Symbol", s.TargetSide: "Side", s.TargetQuantity: "Quantity",
		s.TargetPrice: "Price", s.TargetCommission: "Commission", s.TargetFees: "TransFee+ECNFee",
	},
}
