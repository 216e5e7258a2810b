package brokers

import (
	"strings"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// E*TRADE's transaction history has three generations. The first is known from programs
// reading it.
var (
	etradeTransactions = newETradePreset("transactions", s.SampleFile,
		"Activity/Trade Date|Transaction Date;Activity Type|Transaction Type;Description;Symbol;Quantity #;Price $;Amount $;Commission")
	etradeSecond = newETradePreset("transactions of the second kind", s.SampleFile,
		"TransactionDate;TransactionType;SecurityType;Symbol;Quantity;Amount;Price;Commission;Description")
	etradeFirst = newETradePreset("transactions of the first kind", s.Documented,
		"Date;Transaction type;Description;Quantity;Price;Commission;Fees;Amount", "Symbol")
)

func newETradePreset(export string, evidence s.Evidence, header string, without ...s.Col) *s.Preset {
	return &s.Preset{
		Broker: "E*TRADE", Export: export, Evidence: evidence, Format: s.Executions, Header: s.Cols(header), Without: without,
		Zone: newYork, Order: parse.MonthFirst, NewestFirst: true, Costs: s.CostsPositive, Layout: &etradeLayout,
	}
}

const etradeType = "Activity Type|Transaction Type|TransactionType"

var etradeLayout = s.Layout{
	Key: etradeType, Kind: "@kind|" + etradeType, Words: etradeWords, Symbol: "@symbol", Contract: "@contract",
	Time: "Activity/Trade Date|Transaction Date|TransactionDate|Date", Quantity: "Quantity #|Quantity", Price: "@price", Amount: "Amount $|Amount",
	Commission: "Commission", Fees: "Fees", HiddenCosts: s.CostFees, Note: "Description", Prepare: prepareETrade, ShortWord: true,
}

// etradeWords are the types for rows other than trades.
var etradeWords = []s.Word{
	{Kind: s.KindExpiry, Words: "option expired|option expiration|expired|expiration"},
	{Kind: s.KindAssignment, Words: "option assigned|option assignment|assigned|assignment"},
	{Kind: s.KindExercise, Words: "option exercised|option exercise|exercised|exercise"},
	{Kind: s.KindTransfer, Words: "transfer|online transfer|wire|wire in|wire out|ach|deposit|withdrawal|contribution|distribution|funds received|" +
		"cash transfer|direct debit|check|bill payment"},
	{Kind: s.KindDividend, Words: "dividend|qualified dividend|dividend reinvestment|lt cap gain distribution|st cap gain distribution|" +
		"tax withholding|foreign tax|return of capital"},
	{Kind: s.KindInterest, Words: "interest|interest income|margin interest|credit interest"},
	{Kind: s.KindFee, Words: "fee|service fee|adr fee|misc fee"},
	{Kind: s.KindAdjustment, Words: "adjustment|cash in lieu|miscellaneous|misc"},
	{Kind: s.KindMovement, Words: "reorganization|stock split|reverse split|journal|stock dividend|name change"},
	{Kind: s.KindBuy, Words: "reinvested"},
}

var (
	etradePrice  = lazyregexp.New(`REINVEST PRICE \$ *([\d.,]+)`)
	etradeOption = lazyregexp.New(`(?i)^opt|to (open|close)|short|cover|option|expir|assign|exerc`)
)

// prepareETrade finds the option, named only in the description, as the symbol is the
// underlying's, and the price for a dividend that bought shares.
func prepareETrade(w *s.Row) {
	word, symbol, note := w.Text(etradeType), w.Text("Symbol"), strings.Join(strings.Fields(w.Text("Description")), " ")
	_, isOption := instruments.ParseOption(note)
	isOption = isOption && (symbol == "" || etradeOption().MatchString(word) || strings.HasPrefix(strings.ToUpper(w.Text("SecurityType")), "OPT"))
	if isOption {
		w.Set("contract", note)
	} else {
		symbol = strings.ReplaceAll(symbol, "--", "") // AAPL--250620C00150000
		if symbol == "" && !strings.Contains(note, " ") {
			symbol = note
		}
	}
	w.Set("symbol", symbol)
	w.Set("price", w.Text("Price $|Price"))
	if strings.Contains(strings.ToLower(word), "dividend") && w.Decimal("Quantity #|Quantity").Sign() > 0 && w.Decimal("Amount $|Amount").Sign() < 0 {
		w.Set("kind", "reinvested")
		w.Set("price", "")
		if found := etradePrice().FindStringSubmatch(note); found != nil {
			w.Set("price", found[1])
		}
	}
}
