package brokers

import (
	"strings"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// merrillActivity is the activity in Merrill accounts. The description says what a row
// is; the type is often empty. Commissions are in the amounts only.
var merrillActivity = s.Preset{
	Broker: "Merrill", Export: "activity", Evidence: s.Documented, Format: s.Executions, Zone: newYork, Order: parse.MonthFirst, NewestFirst: true,
	Header: s.Cols("Settlement Date;Description;Type;Symbol/ CUSIP;Quantity;Price;Amount"),
	Layout: &s.Layout{
		Key: "Description", Kind: "@kind|Description", Words: merrillWords, Symbol: "Symbol/ CUSIP", Time: "Trade Date|Settlement Date",
		Quantity: "Quantity", Price: "@price|Price", Amount: "@amount|Amount", Currency: "=USD", HiddenCosts: s.CostFees,
		Account: "Account", Note: "Description", Prepare: prepareMerrill,
	},
}

// merrillWords are the first words in descriptions. Shares bought by a dividend have two
// rows: one for the shares, one for the money.
var merrillWords = []s.Word{
	{Kind: s.KindBuy, Words: "purchase *|reinvestment share(s)*"},
	{Kind: s.KindSell, Words: "sale *|fractional share sale*|redemption *"},
	{Kind: s.KindRepeated, Words: "reinvestment program*|deposit ml bank*|withdrawal ml*|check accumulation*"},
	{Kind: s.KindDividend, Words: "dividend *|foreign dividend *|short term capital gain*|long term capital gain*"},
	{Kind: s.KindInterest, Words: "interest *|bank interest *"},
	{Kind: s.KindFee, Words: "advisory program fee*"},
	{Kind: s.KindWithholding, Words: "foreign tax*"},
	{Kind: s.KindAdjustment, Words: "other income*"},
	{Kind: s.KindTransfer, Words: "funds received*|funds transfer*"},
	{Kind: s.KindMovement, Words: "dividend in shares|stock dividend due bill*|exchange *"},
}

var (
	merrillReinvested = lazyregexp.New(`(?i)REINV AMT \$?([\d,.]+)`)
	merrillPrice      = lazyregexp.New(`(?i)REINV PRICE \$?([\d,.]+)`)
)

// prepareMerrill reads the cost of shares bought by a dividend, and shortens an unknown
// description to the words before the security.
func prepareMerrill(w *s.Row) {
	text := w.Text("Description")
	kind := s.FindKind(merrillWords, text)
	if amount := merrillReinvested().FindStringSubmatch(text); kind == s.KindBuy && amount != nil {
		w.Set("amount", "-"+amount[1])
	}
	if price := merrillPrice().FindStringSubmatch(text); kind == s.KindBuy && price != nil {
		w.Set("price", price[1])
	}
	switch words := strings.Fields(text); {
	case kind == s.KindDividend && !w.Decimal("Quantity").IsZero() && w.Decimal("Amount").IsZero():
		w.Set("kind", "dividend in shares")
	case kind == "" && len(words) > 2:
		w.Set("kind", strings.Join(words[:2], " "))
	}
}
