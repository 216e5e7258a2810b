package america

import (
	"strings"

	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// schwab knows the history of transactions, whose columns changed places over
// the years, and the list of realised gains.
func schwab() []*statement.Preset {
	return []*statement.Preset{
		{
			Broker: "Charles Schwab", Export: "transactions", Evidence: statement.RealFile, Format: statement.Executions,
			Header: []string{"Date", "Action", "Symbol", "Description", "Quantity", "Price", "Fees & Comm", "Amount"},
			Zone:   newYork, Order: statement.MonthFirst, NewestFirst: true, Costs: statement.CostsPositive,
			Each: schwabRow, Done: schwabEnd,
			Columns: map[statement.Target]string{
				statement.TargetExecutedAt: "Date", statement.TargetSide: "Action", statement.TargetSymbol: "Symbol",
				statement.TargetQuantity: "Quantity", statement.TargetPrice: "Price", statement.TargetFees: "Fees & Comm",
			},
		},
		{
			Broker: "Charles Schwab", Export: "realized gain/loss", Evidence: statement.SampleFile, Format: statement.JournalTrades,
			Header: []string{"Symbol", "Quantity", "Cost Per Share", "Proceeds Per Share", "Opened Date", "Closed Date", "Gain/Loss ($)"},
			Zone:   newYork, Order: statement.MonthFirst, Each: schwabRealized,
			Columns: map[statement.Target]string{
				statement.TargetSymbol: "Symbol", statement.TargetQuantity: "Quantity", statement.TargetNetPnL: "Gain/Loss ($)",
				statement.TargetOpenDate: "Opened Date", statement.TargetOpenPrice: "Cost Per Share",
				statement.TargetCloseDate: "Closed Date", statement.TargetClosePrice: "Proceeds Per Share",
			},
		},
	}
}

// schwabActions are the actions that are no trades; those have the words that
// every broker has.
var schwabActions = map[string]action{
	"reinvest shares":      {sense: trade, side: matching.Buy},
	"expired":              {sense: expired},
	"assigned":             {sense: assigned},
	"exchange or exercise": {sense: exercised},

	"moneylink transfer": {sense: transfer}, "moneylink deposit": {sense: transfer}, "moneylink adj": {sense: transfer},
	"wire sent": {sense: transfer}, "wire received": {sense: transfer}, "wire funds": {sense: transfer},
	"wire funds received": {sense: transfer}, "wire funds adj": {sense: transfer}, "journal": {sense: transfer},
	"journaled cash": {sense: transfer}, "funds received": {sense: transfer}, "funds paid": {sense: transfer},
	"internal transfer": {sense: transfer}, "bank transfer": {sense: transfer}, "futures mm sweep": {sense: transfer},
	"visa purchase": {sense: transfer}, "atm withdrawal": {sense: transfer},

	"cash dividend": {sense: dividend}, "qualified dividend": {sense: dividend}, "non-qualified div": {sense: dividend},
	"special dividend": {sense: dividend}, "special qual div": {sense: dividend}, "special non qual div": {sense: dividend},
	"pr yr cash div": {sense: dividend}, "pr yr special div": {sense: dividend}, "pr yr non-qual div": {sense: dividend},
	"reinvest dividend": {sense: dividend}, "qual div reinvest": {sense: dividend}, "pr yr div reinvest": {sense: dividend},
	"long term cap gain": {sense: dividend}, "short term cap gain": {sense: dividend},
	"long term cap gain reinvest": {sense: dividend}, "short term cap gain reinvest": {sense: dividend},
	"nra withholding": {sense: dividend}, "nra tax adj": {sense: dividend}, "foreign tax paid": {sense: dividend},
	"foreign tax reclaim": {sense: dividend},

	"credit interest": {sense: interest}, "bank interest": {sense: interest}, "bond interest": {sense: interest},
	"margin interest": {sense: interest}, "cd interest": {sense: interest},

	"service fee": {sense: fee}, "advisor fee": {sense: fee}, "adr mgmt fee": {sense: fee}, "misc fee": {sense: fee},

	"cash in lieu": {sense: adjustment}, "misc cash entry": {sense: adjustment}, "misc credits": {sense: adjustment},
	"promotional award": {sense: adjustment}, "adjustment": {sense: adjustment},

	"stock split": {sense: corporate}, "reverse split": {sense: corporate}, "stock merger": {sense: corporate},
	"spin-off": {sense: corporate}, "name change": {sense: corporate}, "conversion": {sense: corporate},
	"stock div dist": {sense: corporate}, "journaled shares": {sense: corporate}, "security transfer": {sense: corporate},
}

func schwabRow(w *statement.Row) {
	word := w.Text("Action")
	if word == "" {
		w.Ignore() // the row of totals, and remarks
		return
	}
	e := &entry{
		word: word, symbol: w.Text("Symbol"), note: w.Text("Description"), at: schwabDate(w),
		quantity: w.Null("Quantity"), price: w.Null("Price"), amount: w.Null("Amount"), fees: w.Cost("Fees & Comm"),
	}
	key := strings.ToLower(word)
	known, ok := schwabActions[key]
	switch {
	case ok:
		e.action = known
	case strings.HasPrefix(key, "cash merger"):
		mergeForCash(w, e)
		return
	default:
		if side, effect, traded := statement.SideWord(word); traded {
			e.action = action{trade, side, effect}
		}
	}
	if e.sense == transfer && e.amount.Decimal.IsZero() && !e.quantity.Decimal.IsZero() {
		e.sense = corporate
	}
	e.emit(w)
}

// schwabDate reads "04/27/2023 as of 04/25/2023": posted on the first, done on
// the second.
func schwabDate(w *statement.Row) statement.Moment {
	if _, done, ok := strings.Cut(w.Text("Date"), " as of "); ok {
		return w.At(done)
	}
	return w.Moment("Date")
}

// schwabRealized reads a lot that was closed.
func schwabRealized(w *statement.Row) {
	symbol := w.Text("Symbol")
	if symbol == "" || strings.EqualFold(symbol, "total") || w.Text("Closed Date") == "" {
		w.Ignore()
		return
	}
	var f statement.Fill
	f.Name(symbol, "")
	quantity := w.Required("Quantity")
	w.Trip(statement.Trip{
		Symbol: f.Symbol, Type: f.Type, Right: f.Right, Strike: f.Strike, Expiry: f.Expiry,
		Short: quantity.Sign() < 0, Quantity: quantity.Abs(),
		Open: w.Moment("Opened Date"), OpenPrice: w.Required("Cost Per Share"),
		Close: w.Moment("Closed Date"), ClosePrice: w.Null("Proceeds Per Share"),
		NetPnL: w.Null("Gain/Loss ($)"), // the cost basis has the costs
	})
}
