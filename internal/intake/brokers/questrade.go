package brokers

import (
	"strings"

	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// questradeExecutions is the trading platform's list.
var questradeExecutions = s.Preset{
	Broker: "Questrade", Export: "executions", Evidence: s.SampleFile, Format: s.Executions, Zone: toronto,
	Header: s.Cols("Symbol;Action;Fill qty;Fill price;Exec time;Commission"),
	Layout: &s.Layout{
		Orders: true, Symbol: "Symbol", Contract: "Option", Side: "Action", Quantity: "Fill qty", Price: "Fill price", Time: "Exec time",
		Commission: "Commission", Currency: "Currency",
	},
}

// questradeConfirmations is known from other people's tests only. Rows without a trade
// number are account sums.
var questradeConfirmations = s.Preset{
	Broker: "Questrade", Export: "trade confirmations", Evidence: s.Documented, Format: s.Executions, Zone: toronto, Order: parse.DayFirst,
	Header: s.Cols("Trade Date;Settlement date;Trade #;Action;Quantity;Symbol;Price;Gross amount;Comm;SEC fees"),
	Layout: &s.Layout{
		Key: "Quantity", Symbol: "Symbol", Contract: "Description", Side: "Action", Quantity: "Quantity", Price: "Price", Time: "Trade Date",
		Commission: "Comm", Fees: "SEC fees", Amount: "Net amount", Currency: "@currency", ID: "Trade #", Account: "@account",
		Prepare: func(w *s.Row) {
			group := w.Text("CurrencyCode_Group_Account")
			if strings.HasPrefix(group, "Canadian") {
				w.Set("currency", "CAD")
			}
			if _, account, ok := strings.Cut(group, "Account "); ok {
				w.Set("account", account)
			}
		},
	},
}

// questradeActivities is an account history, known from other people's code only. Every
// time is midnight. Assigned shares have a separate row.
var questradeActivities = s.Preset{
	Broker: "Questrade", Export: "activities", Evidence: s.Documented, Format: s.Executions, Zone: toronto, Costs: s.CostsNegative,
	Header: s.Cols("Transaction Date;Settlement Date;Action;Symbol;Quantity;Price;Net Amount;Activity Type"), NewestFirst: true,
	Layout: &s.Layout{
		Kind: "{Activity Type} {Action}", Side: "Action", Symbol: "Symbol", Contract: "Description", Quantity: "Quantity", Price: "Price",
		Time: "Transaction Date", Midnight: true, Commission: "Commission", Amount: "Net Amount", Currency: "Currency",
		Words: []s.Word{
			{Kind: s.KindExpiry, Words: "* exp"},
			{Kind: s.KindAssignment, Words: "* asn"},
			{Kind: s.KindExercise, Words: "* exr"},
			{Kind: s.KindTrade, Words: "trades *"},
			{Kind: s.KindBuy, Words: "dividend reinvestment *"},
			{Kind: s.KindDeposit, Words: "deposits *"},
			{Kind: s.KindWithdrawal, Words: "withdrawals *"},
			{Kind: s.KindDividend, Words: "dividends *"},
			{Kind: s.KindInterest, Words: "interest *"},
			{Kind: s.KindFee, Words: "fees and rebates *"},
			{Kind: s.KindExchange, Words: "fx conversion *"},
			{Kind: s.KindAdjustment, Words: "other *"},
			{Kind: s.KindMovement, Words: "transfers *"},
		},
		Adjust: func(w *s.Row, r *s.Record) {
			if r.Cash != nil {
				r.Cash.Note = w.Text("Description")
			}
		},
	},
}
