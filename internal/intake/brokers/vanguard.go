package brokers

import (
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// vanguardTransactions is the download for spreadsheets: holdings first, then the
// transactions of all accounts. Cash is a money market fund: money that is swept
// into it or out of it stays in the account, and so do its own dividends.
var vanguardTransactions = s.Preset{
	Broker: "Vanguard", Export: "transactions", Evidence: s.Documented, Format: s.Executions, Zone: newYork, Order: parse.MonthFirst,
	Header: s.Cols("Account Number;Trade Date;Settlement Date;Transaction Type;Transaction Description;Investment Name;Symbol;Shares;Share Price;" +
		"Principal Amount;Commission Fees|Commissions and Fees;Net Amount;Accrued Interest;Account Type"),
	NewestFirst: true, Costs: s.CostsPositive,
	Layout: &s.Layout{
		Key: "Transaction Type", Kind: "@kind|Transaction Type", Symbol: "Symbol|Investment Name", Name: "Investment Name", Time: "Trade Date",
		Quantity: "Shares", Price: "Share Price", Amount: "Net Amount", Fees: "Commission Fees|Commissions and Fees", Account: "Account Number",
		Currency: "=USD", Note: "{Transaction Type} {Symbol|Investment Name}",
		Parse: []s.Pattern{{In: "{Transaction Type} {Symbol}", Re: lazyregexp.New(`(?i)^(?P<kind>reinvestment VM[FRS]XX)$`)}},
		Words: []s.Word{
			{Kind: s.KindRepeated, Words: "sweep*|reinvestment vm?xx"},
			{Kind: s.KindBuy, Words: "buy*|reinvestment*"},
			{Kind: s.KindSell, Words: "sell*|corp action (redemption)"},
			{Kind: s.KindDividend, Words: "dividend*|capital gain*"},
			{Kind: s.KindInterest, Words: "interest*"},
			{Kind: s.KindFee, Words: "fee*"},
			{Kind: s.KindCorporateAction, Words: "stock split*|corp action*|share conversion*|transfer (*|exchange*|conversion*|recharacterization*|rollover*"},
			{Kind: s.KindTransfer, Words: "funds received|contribution*|withdrawal*|distribution*|wire *|transfer *|federal wire *"},
		},
	},
}
