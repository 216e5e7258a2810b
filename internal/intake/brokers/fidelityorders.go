package brokers

import (
	"regexp"
	"strings"

	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// fidelityOrders is the page of orders, pasted into a spreadsheet. The status
// holds the price, in two lines; the time is above the day; the side begins the
// description.
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
	fidelityFilled = regexp.MustCompile(`(?i)^filled at\s+(\S+)$`)
	fidelityAsked  = regexp.MustCompile(`(?i)^([a-z ]+?)\s+[\d,.]+\b`)
)

func prepareFidelityOrder(w *s.Row) {
	description, at := w.Text("Trade Description"), w.Text("Order Time")
	if description == "" || at == "" {
		return
	}
	w.Set("key", description)
	w.Set("time", dayBeforeTime(at))
	if filled := fidelityFilled.FindStringSubmatch(w.Text("Status")); filled != nil {
		w.Set("price", filled[1])
		asked := fidelityAsked.FindStringSubmatch(description)
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
