package brokers

import (
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// vanguardUKTransactions are the cash transactions of an account in Britain. The
// details have quantity and name of a trade, and for ETFs the symbol. The report
// repeats trades in a second table.
var vanguardUKTransactions = s.Preset{
	Broker: "Vanguard UK", Export: "transactions", Evidence: s.Documented, Format: s.Executions, Zone: london, Order: parse.DayFirst,
	Header: s.Cols(vanguardUKCash), Exact: true,
	Sections: []s.Section{
		{Header: s.Cols(vanguardUKCash), Layout: &vanguardUKLayout},
		{Header: s.Cols("Date;InvestmentName;TransactionDetails;Quantity;Price;Cost"), Layout: &s.Layout{
			Key: "Cost", Kind: "=trade of the first table", Time: "Date", Words: []s.Word{{Kind: s.KindRepeated, Words: "trade of the first table"}},
		}},
	},
}

const vanguardUKCash = "Date;Details;Amount;Balance"

var vanguardUKLayout = s.Layout{
	Key: "Amount", Kind: "@kind|Details", Symbol: "@symbol|@name", Name: "@name", Namer: s.NamePlain, Time: "Date", Quantity: "@quantity",
	Amount: "Amount", Currency: "=GBP", Note: "Details",
	Parse: []s.Pattern{{
		In: "Details", Re: lazyregexp.New(`^(?P<kind>Bought|Sold) (?P<quantity>[\d,]*\.?\d+) (?P<name>.+?)(?:\s*\((?P<symbol>[^()]+)\))?$`),
	}},
	Words: []s.Word{
		{Kind: s.KindBuy, Words: "bought"},
		{Kind: s.KindSell, Words: "sold"},
		{Kind: s.KindDividend, Words: "div: *|reversal of div: *"},
		{Kind: s.KindInterest, Words: "cash account interest"},
		{Kind: s.KindFee, Words: "*account fee*|*dealing fee*"},
		{Kind: s.KindTransfer, Words: "*deposit*|cash transfer*|payment by*"},
	},
}
