package brokers

import (
	"fillbook/internal/base/lazyregexp"
	s "fillbook/internal/intake/statement"
)

// selfWealthTrades is SelfWealth's movement list: a purchase total includes the
// brokerage, a sale total does not.
var selfWealthTrades = s.Preset{
	Broker: "SelfWealth", Export: "movements", Evidence: s.SampleFile, Format: s.Executions, Zone: sydney, Costs: s.CostsPositive,
	Header: s.Cols("Trade Date;Settlement Date;Action;Reference;Code;Name;Units;Average Price;Consideration;Brokerage;Total"),
	Layout: &s.Layout{
		Key: "Code|Action", Kind: "Action", Symbol: "Code", Namer: s.NamePlain, Name: "Name", Time: "Trade Date", Midnight: true, Quantity: "Units",
		Price: "Average Price", Commission: "Brokerage", Gross: "Consideration", Unsigned: true, ID: "Reference", Currency: "Currency",
		Words: []s.Word{
			{Kind: s.KindBuy, Words: "drp|spp|ipo"},
			{Kind: s.KindMovement, Words: "in|out|transfer*|*split*|*conversion*"},
		},
	},
}

// selfWealthCash is SelfWealth's cash report. Orders and their brokerage come with the
// movements.
var selfWealthCash = s.Preset{
	Broker: "SelfWealth", Export: "cash report", Evidence: s.SampleFile, Format: s.Executions, Zone: sydney,
	Header: s.Cols("TransactionDate;Comment;Credit;Debit"),
	Layout: &s.Layout{
		Key: "TransactionDate", Kind: "@kind|Comment", Time: "TransactionDate", Amount: "@amount", Note: "Comment", Prepare: prepareSelfWealthCash,
		Parse: []s.Pattern{{In: "Comment", Re: lazyregexp.New(`^(?P<kind>Order) \d+`)}},
		Words: []s.Word{
			{Kind: s.KindRepeated, Words: "order"},
			{Kind: s.KindExchange, Words: "transfer * to *|*estimate*"},
			{Kind: s.KindDividend, Words: "*dividend*|*distribution*"},
			{Kind: s.KindInterest, Words: "*interest*"},
			{Kind: s.KindFee, Words: "*fee*|*premium*"},
			{Kind: s.KindTransfer, Words: "*"},
		},
	},
}

// prepareSelfWealthCash makes one amount from credit and debit.
func prepareSelfWealthCash(w *s.Row) {
	w.Set("amount", w.Decimal("Credit").Sub(w.Decimal("Debit")).String())
}
