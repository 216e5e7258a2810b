package america

import (
	"regexp"
	"strings"

	"fillbook/internal/imports/statement"
)

var (
	fidelityFilled = regexp.MustCompile(`(?i)^filled at\s+(\S+)$`)
	fidelityAsked  = regexp.MustCompile(`(?i)^([a-z ]+?)\s+([\d,.]+)\b`)
)

// fidelityOrder reads an order of the pasted page. Its status holds the price,
// in two lines; the time stands above the day; the side begins the description.
func fidelityOrder(w *statement.Row) {
	if w.Text("Trade Description") == "" || w.Text("Order Time") == "" {
		w.Ignore()
		return
	}
	filled := fidelityFilled.FindStringSubmatch(w.Text("Status"))
	if filled == nil {
		w.Skip(statement.ReasonNotFilled)
		return
	}
	asked := fidelityAsked.FindStringSubmatch(w.Text("Trade Description"))
	if asked == nil {
		w.Fail("Trade Description does not say what was bought or sold.")
		return
	}
	side, effect, ok := statement.SideWord(asked[1])
	if !ok {
		w.Fail("%q is neither a buy nor a sell.", asked[1])
	}
	price, err := statement.Number(filled[1], statement.Point)
	if err != nil {
		w.Fail("Status: %v.", err)
	}
	f := statement.Fill{Side: side, Effect: effect, Quantity: w.Required("Quantity"), Price: price}
	f.Name(w.Text("Symbol"), "")
	at := w.At(dayBeforeTime(w.Text("Order Time")))
	f.At, f.DateOnly = at.At, at.DateOnly
	w.Fill(f)
}

// dayBeforeTime turns "07:42:23 AM\n05/27/2022" around.
func dayBeforeTime(text string) string {
	words := strings.Fields(text)
	last := len(words) - 1
	if last < 1 || !strings.Contains(words[last], "/") {
		return text
	}
	return words[last] + " " + strings.Join(words[:last], " ")
}
