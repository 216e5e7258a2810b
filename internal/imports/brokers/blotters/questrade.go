package blotters

import (
	"slices"
	"strings"

	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// toronto is the zone of Questrade.
const toronto = "America/Toronto"

// questrade reads the executions of the platform, the confirmations of trades
// and the activities of an account.
func questrade() []*statement.Preset {
	const broker = "Questrade"
	return []*statement.Preset{
		{
			Broker: broker, Export: "executions", Evidence: statement.SampleFile, Format: statement.Executions,
			Header: []string{"Symbol", "Action", "Fill qty", "Fill price", "Exec time", "Commission"},
			Zone:   toronto, Each: questradeExecution,
		},
		{
			// Known from other people's tests only.
			Broker: broker, Export: "trade confirmations", Evidence: statement.Documented, Format: statement.Executions,
			Header: []string{"Trade Date", "Settlement date", "Trade #", "Action", "Quantity", "Symbol", "Price", "Gross amount", "Comm", "SEC fees"},
			Zone:   toronto, Order: statement.DayFirst, Each: questradeConfirmation,
		},
		{
			// Known from other people's code only.
			Broker: broker, Export: "activities", Evidence: statement.Documented, Format: statement.Executions,
			Header: []string{"Transaction Date", "Settlement Date", "Action", "Symbol", "Quantity", "Price", "Net Amount", "Activity Type"},
			Zone:   toronto, Costs: statement.CostsNegative, NewestFirst: true, Each: questradeActivity,
			Sides: map[string]statement.Direction{"rei": {Buy: true}}, // a dividend that bought more of its share
		},
	}
}

var questradeExecutions = columns{
	symbol: "Symbol", side: "Action", quantity: "Fill qty", price: "Fill price", at: "Exec time", commission: "Commission",
}

func questradeExecution(w *statement.Row) {
	f, filled := questradeExecutions.fill(w)
	if !filled {
		return
	}
	nameQuestrade(&f, w.Text("Symbol"), w.Text("Option"))
	foreign(w, &f, w.Text("Currency"))
	w.Fill(f)
}

var questradeConfirmations = columns{
	symbol: "Symbol", side: "Action", quantity: "Quantity", price: "Price", at: "Trade Date", commission: "Comm", fees: []string{"SEC fees"},
}

func questradeConfirmation(w *statement.Row) {
	f, filled := questradeConfirmations.fill(w)
	if !filled {
		w.Ignore() // the sums below each account
		return
	}
	nameQuestrade(&f, w.Text("Symbol"), w.Text("Description"))
	f.ID = w.Text("Trade #")
	f.StatedCashFlow = w.Null("Net amount")
	if strings.HasPrefix(w.Text("CurrencyCode_Group_Account"), "Canadian") {
		foreign(w, &f, "CAD")
	}
	w.Fill(f)
}

// nameQuestrade names the instrument. Shares of Canadian exchanges have a dot
// before or a suffix behind them; an option is told by the text beside it.
func nameQuestrade(f *statement.Fill, symbol, text string) {
	if o, ok := instruments.ParseOption(text); ok {
		f.Contract(o)
		return
	}
	f.Name(symbol, "")
}

// questradeKinds are the sorts of activity that move cash alone.
var questradeKinds = map[string]string{
	"deposits": "deposit", "withdrawals": "withdrawal", "dividends": "dividend", "interest": "interest",
	"fees and rebates": "fee", "fx conversion": "adjustment", "other": "adjustment",
}

var questradeActivities = columns{
	symbol: "Symbol", side: "Action", quantity: "Quantity", price: "Price", at: "Transaction Date", commission: "Commission",
}

func questradeActivity(w *statement.Row) {
	sort := strings.ToLower(w.Text("Activity Type"))
	kind, cash := questradeKinds[sort]
	switch {
	case slices.Contains([]string{"EXP", "ASN", "EXR"}, strings.ToUpper(w.Text("Action"))):
		questradeEnd(w)
	case cash:
		questradeCash(w, kind)
	case sort == "trades" || sort == "dividend reinvestment":
		f, ok := questradeActivities.fill(w)
		if !ok {
			w.Fail("There is no quantity.")
			return
		}
		f.StatedCashFlow, f.DateOnly = w.Null("Net Amount"), true // every time is midnight
		emitQuestrade(w, f)
	default:
		w.Reader().Out.Warn("Rows of the type %q were left out: they are no trades and no cash.", w.Text("Activity Type"))
		w.Skip("it is neither a trade nor cash")
	}
}

func emitQuestrade(w *statement.Row, f statement.Fill) {
	nameQuestrade(&f, w.Text("Symbol"), w.Text("Description"))
	foreign(w, &f, w.Text("Currency"))
	w.Fill(f)
}

// questradeEnd reads the end of an option: it leaves the account at no price. The
// shares of an assignment have a row of their own.
func questradeEnd(w *statement.Row) {
	at := w.Moment("Transaction Date")
	f := statement.Fill{Quantity: w.Required("Quantity"), Side: matching.Buy, Effect: statement.Closing, At: at.At, DateOnly: true}
	if f.Quantity.Sign() < 0 {
		f.Side = matching.Sell
	}
	emitQuestrade(w, f)
}

// questradeCash reads money that moved. A fee that was paid back is an
// adjustment, as the journal takes every fee for money out.
func questradeCash(w *statement.Row, kind string) {
	amount := w.Required("Net Amount")
	if amount.IsZero() {
		questradeJournal(w)
		return
	}
	if kind == "withdrawal" && amount.Sign() > 0 {
		kind = "deposit" // it came back
	}
	w.Money(statement.Cash{
		Type: kind, Amount: amount, Currency: strings.ToUpper(w.Text("Currency")), At: w.Moment("Transaction Date").At, Note: w.Text("Description"),
	})
}

// questradeJournal skips a row that moved no money. One with a quantity is a
// journal entry, such as BRW: it moves securities between accounts or listings.
func questradeJournal(w *statement.Row) {
	if w.Decimal("Quantity").IsZero() {
		w.Skip(statement.ReasonNoAmount)
		return
	}
	w.Skip(statement.ReasonSecurities)
	w.Reader().Out.Warn("%s of %s on %s was left out, as it is not a trade. If it changed your position, enter the change by hand.",
		w.Text("Action"), w.Text("Symbol|Description"), w.Moment("Transaction Date").At.Format("2006-01-02"))
}
