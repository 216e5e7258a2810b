package america

import (
	"regexp"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// fidelity knows the account history in its generations, which differ in the
// order of columns and in whether money columns have a "($)", and the page of
// orders as it is pasted into a spreadsheet.
func fidelity() []*statement.Preset {
	return []*statement.Preset{
		{
			Broker: "Fidelity", Export: "account history", Evidence: statement.SampleFile, Format: statement.Executions,
			Header: []string{
				"Run Date", "Action", "Symbol", "Description|Security Description", "Type|Security Type", "Price|Price ($)", "Quantity",
				"Commission|Commission ($)", "Fees|Fees ($)", "Amount|Amount ($)",
			},
			Zone: newYork, Order: statement.MonthFirst, NewestFirst: true, Costs: statement.CostsPositive,
			Each: fidelityRow, Done: fidelityEnd,
			Columns: map[statement.Target]string{
				statement.TargetExecutedAt: "Run Date", statement.TargetSide: "Action", statement.TargetSymbol: "Symbol",
				statement.TargetQuantity: "Quantity", statement.TargetPrice: "Price|Price ($)",
				statement.TargetCommission: "Commission|Commission ($)", statement.TargetFees: "Fees|Fees ($)",
			},
		},
		{
			Broker: "Fidelity", Export: "orders page", Evidence: statement.RealFile, Format: statement.Executions,
			Header: []string{"Symbol", "Status", "Order Time", "Order Type", "Trade Description", "Quantity"},
			Zone:   newYork, Order: statement.MonthFirst, Each: fidelityOrder,
		},
	}
}

// fidelityActions say by their first words what a row is. The first that fits
// is taken.
var fidelityActions = []struct {
	words string
	action
}{
	{"YOU BOUGHT", action{sense: trade, side: matching.Buy}},
	{"YOU SOLD", action{sense: trade, side: matching.Sell}},
	{"REINVESTMENT", action{sense: trade, side: matching.Buy}},
	{"REDEMPTION PAYOUT", action{trade, matching.Sell, statement.Closing}},
	{"EXPIRED", action{sense: expired}},
	{"ASSIGNED", action{sense: assigned}},
	{"EXERCISED", action{sense: exercised}},
	{"DIVIDEND", action{sense: dividend}},
	{"LONG-TERM CAP GAIN", action{sense: dividend}},
	{"SHORT-TERM CAP GAIN", action{sense: dividend}},
	{"RETURN OF CAPITAL", action{sense: dividend}},
	{"ROYALTY", action{sense: dividend}},
	{"FOREIGN TAX", action{sense: dividend}},
	{"NON-RESIDENT TAX", action{sense: dividend}},
	{"INTEREST", action{sense: interest}},
	{"MUNI EXEMPT INT", action{sense: interest}},
	{"MARGIN INTEREST", action{sense: interest}},
	{"FEE", action{sense: fee}},
	{"ADVISORY FEE", action{sense: fee}},
	{"ADJUST FEE", action{sense: fee}},
	{"SERVICE FEE", action{sense: fee}},
	{"FOREIGN CUSTODY FEE", action{sense: fee}},
	{"IN LIEU OF", action{sense: adjustment}},
	{"CASH IN LIEU", action{sense: adjustment}},
	{"PURCHASE INTO CORE", action{sense: nothing}}, // the account's own cash
	{"REDEMPTION FROM CORE", action{sense: nothing}},
	{"EXCHANGE INTO CORE", action{sense: nothing}},
	{"ELECTRONIC FUNDS TRANSFER", action{sense: transfer}},
	{"DIRECT D", action{sense: transfer}}, // deposit and debit
	{"TRANSFER", action{sense: transfer}},
	{"WIRE ", action{sense: transfer}},
	{"CHECK ", action{sense: transfer}},
	{"CASH CONTRIBUTION", action{sense: transfer}},
	{"CONTRIBUTION", action{sense: transfer}},
	{"PARTIC CONTR", action{sense: transfer}},
	{"CO CONTR", action{sense: transfer}},
	{"ROLLOVER", action{sense: transfer}},
	{"NORMAL DISTR", action{sense: transfer}},
	{"BILL PAYMENT", action{sense: transfer}},
	{"DEBIT CARD", action{sense: transfer}},
	{"CASH ADVANCE", action{sense: transfer}},
	{"DEPOSIT", action{sense: transfer}},
	{"JOURNALED", action{sense: transfer}},
	{"MERGER", action{sense: corporate}},
	{"DISTRIBUTION", action{sense: corporate}},
	{"STOCK SPLIT", action{sense: corporate}},
	{"REVERSE SPLIT", action{sense: corporate}},
	{"NAME CHANGE", action{sense: corporate}},
	{"TENDERED", action{sense: corporate}},
	{"EXCHANGED", action{sense: corporate}},
}

// fidelityAction reads what the text of an action says.
func fidelityAction(text string) (found action, words string) {
	text = strings.ToUpper(text)
	for _, known := range fidelityActions {
		if strings.HasPrefix(text, known.words) {
			found = known.action
			switch {
			case strings.Contains(text, "OPENING TRANSACTION"), strings.Contains(text, "SHORT SALE"):
				found.effect = statement.Opening
			case strings.Contains(text, "CLOSING TRANSACTION"), strings.Contains(text, "SHORT COVER"):
				found.effect = statement.Closing
			}
			return found, known.words
		}
	}
	return action{}, firstWords(text)
}

// firstWords are enough of a text to know it by.
func firstWords(text string) string {
	const enough = 3
	words := strings.Fields(text)
	return strings.Join(words[:min(len(words), enough)], " ")
}

func fidelityRow(w *statement.Row) {
	text := w.Text("Action")
	if text == "" || isFidelityFooter(w.Text("Run Date"), text) {
		w.Ignore() // disclaimers and the date of the download
		return
	}
	if account := w.Text("Account Number|Account"); account != "" {
		remembered(w.Reader()).accounts[account] = true
	}
	quantity, price, currency := fidelityShifted(w)
	e := &entry{
		symbol: w.Text("Symbol"), note: text, at: fidelityDate(w, text),
		amount: w.Null("Amount|Amount ($)"), fees: w.Cost("Fees|Fees ($)"), commission: w.Cost("Commission|Commission ($)"),
	}
	e.action, e.word = fidelityAction(text)
	e.quantity, e.price, e.currency = w.Null(quantity), w.Null(price), w.Text(currency)
	fidelitySense(w, e)
	e.emit(w)
}

// isFidelityFooter reports whether the row is a line of the footer: the text in
// the place of the date is not one, and the action is not a known one. Where a
// disclaimer is not quoted, its commas spread it over the columns.
func isFidelityFooter(date, action string) bool {
	if known, _ := fidelityAction(action); known.sense != unknown {
		return false
	}
	const sentence = 4 // words; a date has three at most
	return !strings.ContainsAny(date, "0123456789") || len(strings.Fields(date)) >= sentence
}

// fidelityShifted says in which columns quantity, price and currency are. Some
// files name three columns in another order than they fill them: the quantity
// is USD then.
func fidelityShifted(w *statement.Row) (quantity, price, currency string) {
	if text := w.Text("Quantity"); text != "" && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		return "Price", "Currency", "Quantity"
	}
	return "Quantity", "Price|Price ($)", "Currency"
}

// fidelitySense looks at what the words alone do not tell.
func fidelitySense(w *statement.Row, e *entry) {
	shares := !e.quantity.Decimal.IsZero()
	switch {
	case e.sense == expired:
		e.side = sideOf(e.quantity.Decimal) // what is owed comes back with a plus
	case e.sense == transfer && shares:
		e.sense = corporate
	case e.sense == dividend && shares && e.amount.Decimal.IsZero():
		e.sense = corporate // paid in shares
	case e.sense == trade && isCUSIP(e.symbol) && e.word == "REDEMPTION PAYOUT":
		e.price = decimal.Of(decimal.New(100)) // written as 1, unlike every other price of a bond
	}
	if paid := w.Null("Accrued Interest|Accrued Interest ($)"); paid.Valid && e.sense == trade {
		if e.side == matching.Sell {
			paid.Decimal = paid.Decimal.Neg()
		}
		e.fees = e.fees.Add(paid.Decimal)
	}
}

var fidelityAsOf = regexp.MustCompile(`(?i)\bas of ([a-z]{3}-\d{2}-\d{4}|\d{4}-\d{2}-\d{2}|\d{2}-\d{2}-\d{2,4})\b`)

// fidelityDate is the day on which the row was booked, or the one as of which
// it counts: options expire on Friday and are booked on Monday.
func fidelityDate(w *statement.Row, text string) statement.Moment {
	if asOf := fidelityAsOf.FindStringSubmatch(text); asOf != nil {
		return w.At(asOf[1])
	}
	return w.Moment("Run Date")
}

// fidelityEnd warns of files with several accounts, whose positions would mix.
func fidelityEnd(r *statement.Reader) {
	if n := len(remembered(r).accounts); n > 1 {
		r.Out.Warn("The file has rows of %d accounts. All of them go into this one; download the history of a single account to keep them apart.", n)
	}
}
