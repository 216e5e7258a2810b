package brokers

import (
	"strings"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// fidelityHistory is the account history in its generations, which differ in column order
// and in whether money columns have a "($)". The action is a sentence beginning with the
// row's kind.
var fidelityHistory = s.Preset{
	Broker: "Fidelity", Export: "account history", Evidence: s.SampleFile, Format: s.Executions, Zone: newYork, Order: parse.MonthFirst, NewestFirst: true,
	Header: s.Cols("Run Date;Action;Symbol;Description|Security Description;Type|Security Type;Price|Price ($);Quantity;Commission|Commission ($);Fees|Fees ($);Amount|Amount ($)"),
	Costs:  s.CostsPositive,
	Layout: &s.Layout{
		Kind: "@kind|Action", Words: fidelityWords, Symbol: "Symbol", Time: "@day|Run Date", Quantity: "@quantity|Quantity", Price: "@price|Price|Price ($)",
		Amount: "Amount|Amount ($)", Commission: "Commission|Commission ($)", Fees: "Fees|Fees ($)+@accrued", Currency: "@currency|Currency",
		HiddenCosts: s.CostFees, Account: "Account Number|Account", Note: "Action", Prepare: prepareFidelity, ShortWord: true,
		Company: "Description|Security Description", AdjustAction: adjustFidelityAction,
	},
}

// fidelityWords are the first words in actions.
var fidelityWords = []s.Word{
	{Kind: s.KindBuyOpen, Words: "you bought*opening transaction*"},
	{Kind: s.KindBuyClose, Words: "you bought*closing transaction*|you bought*short cover*"},
	{Kind: s.KindSellOpen, Words: "you sold*opening transaction*|you sold*short sale*"},
	{Kind: s.KindSellClose, Words: "you sold*closing transaction*|redemption payout*"},
	{Kind: s.KindBuy, Words: "you bought*|reinvestment*"},
	{Kind: s.KindSell, Words: "you sold*"},
	{Kind: s.KindExpiry, Words: "expired*"},
	{Kind: s.KindAssignment, Words: "assigned*"},
	{Kind: s.KindExercise, Words: "exercised*"},
	{Kind: s.KindDividend, Words: "dividend*|long-term cap gain*|short-term cap gain*|return of capital*|royalty*|foreign tax*|non-resident tax*"},
	{Kind: s.KindInterest, Words: "interest*|muni exempt int*|margin interest*"},
	{Kind: s.KindFee, Words: "fee*|advisory fee*|adjust fee*|service fee*|foreign custody fee*"},
	{Kind: s.KindAdjustment, Words: "in lieu of*|cash in lieu*"},
	{Kind: s.KindRepeated, Words: "purchase into core*|redemption from core*|exchange into core*"}, // the account's cash
	{Kind: s.KindMovement, Words: "transferred shares|dividend in shares|merger*|distribution*|stock split*|reverse split*|name change*|tendered*|exchanged*"},
	{Kind: s.KindTransfer, Words: "electronic funds transfer*|direct d*|transfer*|wire *|check *|cash contribution*|contribution*|partic contr*|co contr*|" +
		"rollover*|normal distr*|bill payment*|debit card*|cash advance*|deposit*|journaled*"},
}

var (
	fidelityAsOf = lazyregexp.New(`(?i)\bas of ([a-z]{3}-\d{2}-\d{4}|\d{4}-\d{2}-\d{2}|\d{2}-\d{2}-\d{2,4})\b`)
	fidelityBond = lazyregexp.New(`^\d[0-9A-Z]{8}$`)
	fidelityCode = lazyregexp.New(`^[A-Z]+$`)
	// fidelityAction is the number of a reorganization, in which the last digits are those of
	// the row. fidelityParent names the symbol of which shares were distributed.
	fidelityAction = lazyregexp.New(`#REOR ?([A-Z]?\d+)\d{4}\b`)
	fidelityParent = lazyregexp.New(`(?i)\bSPIN-?OFF FROM: ?\(([A-Z.]+) *\)`)
)

// prepareFidelity reads what the action says besides the kind: the day on which a row
// counts, as options expire on Friday and are booked on Monday.
func prepareFidelity(w *s.Row) {
	text := w.Text("Action")
	kind := s.FindKind(fidelityWords, text)
	if date := w.Text("Run Date"); kind == "" && (!strings.ContainsAny(date, "0123456789") || len(strings.Fields(date)) > 3) {
		w.Ignore() // a disclaimer, whose commas spread it over the columns
		return
	}
	if asOf := fidelityAsOf().FindStringSubmatch(text); asOf != nil {
		w.Set("day", asOf[1])
	}
	if fidelityCode().MatchString(w.Text("Quantity")) { // three columns are filled in another order than they are named
		w.Set("quantity", w.Text("Price"))
		w.Set("price", w.Text("Currency"))
		w.Set("currency", w.Text("Quantity"))
	}
	hasShares := !w.Decimal("@quantity|Quantity").IsZero()
	switch {
	case hasShares && kind == s.KindTransfer:
		w.Set("kind", "transferred shares")
	case hasShares && kind == s.KindDividend && w.Decimal("Amount|Amount ($)").IsZero():
		w.Set("kind", "dividend in shares")
	case kind == s.KindMovement || kind == "":
		words := strings.Fields(text)
		w.Set("kind", strings.Join(words[:min(len(words), 3)], " ")) // the security follows
	case strings.HasPrefix(strings.ToUpper(text), "REDEMPTION PAYOUT") && fidelityBond().MatchString(w.Text("Symbol")):
		w.Set("price", "100") // written as 1, unlike every other bond price
	}
	accrued := w.Text("Accrued Interest|Accrued Interest ($)")
	if accrued != "" && (kind == s.KindSell || kind == s.KindSellClose) {
		accrued = "-" + accrued
	}
	w.Set("accrued", accrued)
}

// adjustFidelityAction finds the number of a reorganization and the symbol of which shares were
// distributed.
func adjustFidelityAction(w *s.Row, a *s.ActionRow) {
	text := w.Text("Action")
	if action := fidelityAction().FindStringSubmatch(text); action != nil {
		a.Group = action[1]
	}
	if parent := fidelityParent().FindStringSubmatch(text); parent != nil {
		a.Parent = parent[1]
	}
}

// fidelityOrders is the orders page, pasted into a spreadsheet. The status holds the
// price, in two lines; the time is above the day; the side begins the description.
var fidelityOrders = s.Preset{
	Broker: "Fidelity", Export: "orders page", Evidence: s.RealFile, Format: s.Executions, Zone: newYork, Order: parse.MonthFirst,
	Header: s.Cols("Symbol;Status;Order Time;Order Type;Trade Description;Quantity"),
	Layout: &s.Layout{
		Key: "@key", Only: []s.Condition{{Col: "@price", Words: "?*", Reason: s.ReasonNotFilled}},
		Side: "@side", Symbol: "Symbol", Quantity: "Quantity", Price: "@price", Time: "@time",
		Prepare: prepareFidelityOrder,
	},
}

var (
	fidelityFilled = lazyregexp.New(`(?i)^filled at\s+(\S+)$`)
	fidelityAsked  = lazyregexp.New(`(?i)^([a-z ]+?)\s+[\d,.]+\b`)
)

func prepareFidelityOrder(w *s.Row) {
	description, at := w.Text("Trade Description"), w.Text("Order Time")
	if description == "" || at == "" {
		return
	}
	w.Set("key", description)
	w.Set("time", dayBeforeTime(at))
	if filled := fidelityFilled().FindStringSubmatch(w.Text("Status")); filled != nil {
		w.Set("price", filled[1])
		asked := fidelityAsked().FindStringSubmatch(description)
		if asked == nil {
			w.Fail("Trade Description does not say what was bought or sold.")
			return
		}
		w.Set("side", asked[1])
	}
}

// dayBeforeTime returns "05/27/2022 07:42:23 AM" for "07:42:23 AM\n05/27/2022".
func dayBeforeTime(text string) string {
	words := strings.Fields(text)
	last := len(words) - 1
	if last < 1 || !strings.Contains(words[last], "/") {
		return text
	}
	return words[last] + " " + strings.Join(words[:last], " ")
}
