package brokers

import (
	"strings"

	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
)

// schwabRealized is the list of realized gains: closed lots. The cost basis includes the
// costs.
var schwabRealized = statement.Preset{
	Broker: "Charles Schwab", Export: "realized gain/loss", Evidence: statement.SampleFile, Format: statement.JournalTrades, Zone: newYork,
	Header: statement.Cols("Symbol;Quantity;Cost Per Share;Proceeds Per Share;Opened Date;Closed Date;Gain/Loss ($)"), Order: parse.MonthFirst,
	Layout: &statement.Layout{
		Key: "Closed Date", Symbol: "Symbol", Quantity: "Quantity", NetResult: "Gain/Loss ($)",
		RoundTrip: statement.RoundTrip{
			OpenTime: "Opened Date", OpenPrice: "Cost Per Share", CloseTime: "Closed Date", ClosePrice: "Proceeds Per Share",
		},
	},
}

// schwabTransactions is an account history, whose columns changed places over the years.
// A cash merger has a row with the money and another with the shares.
var schwabTransactions = statement.Preset{
	Broker: "Charles Schwab", Export: "transactions", Evidence: statement.RealFile, Format: statement.Executions, Zone: newYork,
	Header: statement.Cols("Date;Action;Symbol;Description;Quantity;Price;Fees & Comm;Amount"),
	Order:  parse.MonthFirst, NewestFirst: true, Costs: statement.CostsPositive,
	Layout: &statement.Layout{
		Kind: "Action", Words: schwabWords, Symbol: "Symbol", Time: "Date", Quantity: "Quantity", Price: "Price", Fees: "Fees & Comm",
		Amount: "Amount", Note: "Description", HiddenCosts: statement.CostFees, SplitsAdd: true, ShortWord: true,
		Company: "Description",
		Join: []statement.Join{{
			Kinds: []statement.Kind{statement.KindLeg}, By: "{day} {Symbol}", As: statement.JoinHalves,
			Need: []statement.Col{"Quantity", "Amount"}, Then: statement.KindSellClose, Else: statement.KindCorporateAction,
		}},
		Adjust: func(w *statement.Row, r *statement.Record) {
			if r.Cash != nil && strings.HasPrefix(strings.ToLower(w.Text("Action")), "cash merger") {
				r.Cash.Note = w.Text("Symbol") + " " + w.Text("Action")
			}
		},
	},
}

// schwabWords are the actions other than trades, which have the shared words.
var schwabWords = []statement.Word{
	{Kind: statement.KindBuy, Words: "reinvest shares"},
	{Kind: statement.KindExpiry, Words: "expired"},
	{Kind: statement.KindAssignment, Words: "assigned"},
	{Kind: statement.KindExercise, Words: "exchange or exercise"},
	{Kind: statement.KindLeg, Words: "cash merger*"},
	{Kind: statement.KindTransfer, Words: "moneylink transfer|moneylink deposit|moneylink adj|wire sent|wire received|wire funds|wire funds received|" +
		"wire funds adj|journal|journaled cash|funds received|funds paid|internal transfer|bank transfer|" +
		"futures mm sweep|visa purchase|atm withdrawal"},
	{Kind: statement.KindDividend, Words: "cash dividend|qualified dividend|non-qualified div|special dividend|special qual div|special non qual div|" +
		"pr yr cash div|pr yr special div|pr yr non-qual div|reinvest dividend|qual div reinvest|pr yr div reinvest|long term cap gain|" +
		"short term cap gain|long term cap gain reinvest|short term cap gain reinvest"},
	{Kind: statement.KindWithholding, Words: "nra withholding|nra tax adj|foreign tax paid|foreign tax reclaim"},
	{Kind: statement.KindInterest, Words: "credit interest|bank interest|bond interest|margin interest|cd interest"},
	{Kind: statement.KindFee, Words: "service fee|advisor fee|adr mgmt fee|misc fee"},
	{Kind: statement.KindAdjustment, Words: "cash in lieu|misc cash entry|misc credits|promotional award|adjustment"},
	{Kind: statement.KindMovement, Words: "stock split|reverse split|stock merger|spin-off|name change|conversion|stock div dist|journaled shares|security transfer"},
}
