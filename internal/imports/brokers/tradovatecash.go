package brokers

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
)

// tradovateCash describes Tradovate's Cash History. No whole file was seen, only
// rows of one.
func tradovateCash(broker string) *statement.Preset {
	return &statement.Preset{
		Broker: broker, Export: "Cash History", Evidence: statement.Documented, Format: statement.Executions,
		Header: []string{"Transaction ID", "Timestamp", "Delta", "Amount", "Cash Change Type"},
		Order:  statement.MonthFirst,
		Each:   tradovateCashRow, Done: closeTradovateCash,
	}
}

// leftOut adds up the cash rows that say again what fills say.
type leftOut struct{ results, commissions decimal.Decimal }

// tradovateCashRow reads what changed the balance. Results come with the fills,
// and so do commissions; the fees of exchange, clearing house and NFA are
// nowhere but here.
func tradovateCashRow(w *statement.Row) {
	kind := w.Text("Cash Change Type")
	if kind == "" {
		w.Ignore()
		return
	}
	delta := w.Required("Delta")
	out, _ := w.Reader().Memory.(leftOut)
	switch word := strings.ToLower(strings.ReplaceAll(kind, " ", "")); {
	case word == "tradepaired":
		out.results = out.results.Add(delta)
		w.Skip("results come with the fills")
	case word == "commission":
		out.commissions = out.commissions.Add(delta)
		w.Skip("commissions come with the fills")
	case delta.Sign() != 0:
		w.Money(statement.Cash{
			Type: cashType(word, delta), Amount: delta, Currency: strings.ToUpper(w.Text("Currency")),
			At: w.Moment("Timestamp").At, Note: strings.TrimSpace(kind + " " + w.Text("Contract")),
		})
	default:
		w.Skip(statement.ReasonNoAmount)
	}
	if !w.Failed() {
		w.Reader().Memory = out
	}
}

// cashType puts the kind of a change, in one word, into ours.
func cashType(word string, delta decimal.Decimal) string {
	switch {
	case strings.HasPrefix(word, "fundtransaction") && !strings.HasSuffix(word, "fee"), word == "withdrawal", word == "deposit":
		if delta.Sign() < 0 {
			return "withdrawal"
		}
		return "deposit"
	case strings.Contains(word, "fee"), strings.Contains(word, "subscription"):
		return "fee"
	case strings.Contains(word, "interest"):
		return "interest"
	}
	return "adjustment"
}

func closeTradovateCash(r *statement.Reader) {
	out, _ := r.Memory.(leftOut)
	if !out.results.IsZero() {
		r.Out.Warn("Results of trades (%s in all) were left out: they come with the fills of the Fills or Performance export.", out.results)
	}
	if !out.commissions.IsZero() {
		r.Out.Warn("Commissions (%s in all) were left out: the Fills export states them with each fill. If you import Orders or Performance instead, add them as a fee.",
			out.commissions)
	}
}
