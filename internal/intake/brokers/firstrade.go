package brokers

import (
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// firstradeHistory is the account history. Options and bonds have no symbol, and
// some rows have the time inside their description. Within a day the file may run
// forwards or backwards.
var firstradeHistory = s.Preset{
	Broker: "Firstrade", Export: "account history", Evidence: s.SampleFile, Format: s.Executions, Zone: newYork, Order: parse.MonthFirst,
	Header: s.Cols("Symbol;Quantity;Price;Action;Description;TradeDate;SettledDate;Amount;Commission;Fee;RecordType"), Costs: s.CostsPositive,
	Layout: &s.Layout{
		Key: "Action", Kind: "@kind|Action", Words: firstradeWords, Symbol: "Symbol|@bond", Contract: "@contract", Effect: "@effect",
		Time: "@executed|TradeDate", Quantity: "Quantity", Price: "Price", Amount: "Amount", Commission: "Commission", Fees: "Fee+@accrued",
		HiddenCosts: s.CostFees, Note: "Description", SameInstant: s.InstantByHoldings, Prepare: prepareFirstrade,
		Parse: []s.Pattern{{In: "Description", Re: lazyregexp.New(`EXEC TIME: *(?P<executed>\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2})`)}},
	},
}

// firstradeWords are the actions in rows other than trades.
var firstradeWords = []s.Word{
	{Kind: s.KindExpiry, Words: "expired"},
	{Kind: s.KindAssignment, Words: "assigned"},
	{Kind: s.KindExercise, Words: "exercised"},
	{Kind: s.KindTransfer, Words: "deposit|withdrawal|ach|wire|transfer"},
	{Kind: s.KindDividend, Words: "dividend"},
	{Kind: s.KindInterest, Words: "interest"},
	{Kind: s.KindFee, Words: "fee"},
}

// firstradeTexts are description words for rows whose action says nothing.
var firstradeTexts = []s.Word{
	{Kind: s.KindDividend, Words: "*dividend*"}, {Kind: s.KindInterest, Words: "*interest*"}, {Kind: s.KindTransfer, Words: "*ach *|*wire *"},
}

// firstradeEndings are description words for ended options.
var firstradeEndings = lazyregexp.New(`(?i)assigned|exercised|expired`)

// firstradeEffect is how an option's description says what a trade does.
var firstradeEffect = lazyregexp.New(`(?i)(open|closing|opening) contract`)

// prepareFirstrade reads what only the description says.
func prepareFirstrade(w *s.Row) {
	note := w.Text("Description")
	_, isOption := instruments.ParseOption(note)
	_, _, traded := parse.SideWord(w.Text("Action"))
	switch {
	case traded && w.Text("Symbol") == "" && !isOption:
		w.Set("bond", w.Text("CUSIP"))
	case isOption && (!traded || w.Text("Symbol") == ""):
		w.Set("contract", note)
	}
	if traded {
		if effect := firstradeEffect().FindStringSubmatch(note); effect != nil {
			w.Set("effect", effect[1])
		}
		// A bond's accrued interest is paid with it; a minus is what was paid.
		w.Set("accrued", w.Decimal("Interest").Neg().String())
	} else if s.FindKind(firstradeWords, w.Text("Action")) == "" {
		kind := string(s.FindKind(firstradeTexts, note))
		if isOption && firstradeEndings().MatchString(note) {
			kind = firstradeEndings().FindString(note)
		}
		w.Set("kind", kind)
	}
}
