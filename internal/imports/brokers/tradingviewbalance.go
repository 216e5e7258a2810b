package brokers

import (
	"regexp"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/metatrader"
	"fillbook/internal/imports/statement"
)

// actionText is how the paper account tells that it closed a position: with the
// price of entry, what a point is worth, and the rate into its own currency.
var actionText = regexp.MustCompile(`^Close (long|short) position for symbol (\S+) at price (\S+) for (\S+) units\. ` +
	`Position AVG Price was ([^\s,]+), currency: (\w+), rate: ([^\s,]+), point value: (\S+?)\.?$`)

// readAction reads a change of the balance: a trade that was closed, whose time
// of opening is not in the file, or money.
func readAction(w *statement.Row) {
	action := w.Text("Action")
	found := actionText.FindStringSubmatch(action)
	if found == nil {
		changeOfBalance(w, action)
		return
	}
	number := func(text string) decimal.Decimal {
		n, err := statement.Number(text, statement.Point)
		if err != nil {
			w.Fail("Action: %v.", err)
		}
		return n
	}
	at := w.Moment("Time")
	var f statement.Fill
	nameChart(&f, found[2])
	rate := number(found[7])
	w.Reader().Out.Account.Currency = w.Text("Realized PnL (currency)")
	t := statement.Trip{
		Symbol: f.Symbol, Type: f.Type, Short: found[1] == "short", Quantity: number(found[4]), Close: at,
		OpenPrice: number(found[5]), ClosePrice: decimal.Of(number(found[3])), Multiplier: decimal.Of(number(found[8])),
		GrossPnL: w.Null("Realized PnL (value)"), TrustPnL: !rate.Equal(decimal.New(1)),
	}
	openedUnseen(w, &t)
	w.Trip(t)
}

// changeOfBalance reads money by what it did to the balance.
func changeOfBalance(w *statement.Row, action string) {
	if action == "" && w.Text("Time") == "" {
		w.Ignore()
		return
	}
	amount := w.Required("Balance after").Sub(w.Required("Balance before"))
	at := w.Moment("Time")
	if w.Failed() || amount.IsZero() {
		w.Skip(statement.ReasonNoAmount)
		return
	}
	lower, kind := strings.ToLower(action), "adjustment"
	for _, word := range []string{"commission", "dividend", "deposit", "withdrawal", "interest"} {
		if strings.Contains(lower, word) {
			kind = metatrader.CashType(word, amount)
			break
		}
	}
	w.Money(statement.Cash{Type: kind, Amount: amount, Currency: w.Text("Realized PnL (currency)"), At: at.At, Note: action})
}
