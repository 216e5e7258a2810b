package brokers

import (
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// tradovateCash is Tradovate's Cash History, of which no whole file was seen, only
// rows. Results and commissions come with the fills; the fees of exchange, clearing
// house and NFA are nowhere but here.
var tradovateCash = s.Preset{
	Broker: "Tradovate", Export: "Cash History", Evidence: s.Documented, Format: s.Executions, MarketZone: chicago, Order: parse.MonthFirst,
	Header:  s.Cols("Transaction ID;Timestamp;Delta;Amount;Cash Change Type"),
	Notices: []string{"Tradovate's Fills export states commissions with each fill. If you import Orders or Performance instead, add the commissions as a fee."},
	Layout: &s.Layout{
		Kind: "Cash Change Type", Words: tradovateCashWords, Time: "Timestamp", Amount: "Delta", Currency: "Currency", Note: "{Cash Change Type} {Contract}",
	},
}

var tradovateCashWords = []s.Word{
	{Kind: s.KindResult, Words: "trade paired|tradepaired|commission"},
	{Kind: s.KindFee, Words: "fund*transaction*fee"},
	{Kind: s.KindTransfer, Words: "fund*transaction*|withdrawal|deposit"},
	{Kind: s.KindFee, Words: "*fee*|*subscription*"},
	{Kind: s.KindInterest, Words: "*interest*"},
	{Kind: s.KindAdjustment, Words: "*"},
}
