package providertest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// Describe returns the fills, the cash and the delivery problems, one in a line, in time
// order, and then what was skipped.
func Describe(list []connector.Delivery) string {
	var fills []*statement.Fill
	var cash []*statement.Cash
	var others []string
	for _, d := range list {
		if d.Statement == nil {
			others = append(others, fmt.Sprintf("file %s\n%s", d.FileName, d.File))
			continue
		}
		fills, cash = append(fills, d.Statement.Fills...), append(cash, d.Statement.Cash...)
		for _, p := range d.Statement.Problems {
			others = append(others, "problem "+p.Message)
		}
		for _, s := range d.Statement.Skipped {
			others = append(others, "skipped "+s.Reason)
		}
	}
	slices.SortStableFunc(fills, func(a, b *statement.Fill) int { return a.At.Compare(b.At) })
	slices.SortStableFunc(cash, func(a, b *statement.Cash) int { return a.At.Compare(b.At) })
	slices.Sort(others)
	var text strings.Builder
	for _, f := range fills {
		text.WriteString(describeFill(f) + "\n")
	}
	for _, c := range cash {
		fmt.Fprintf(&text, "%s cash %s %s %s %q\n", formatTime(c.At), c.Type, c.Amount, c.Currency, c.Note)
	}
	for _, line := range others {
		text.WriteString(line + "\n")
	}
	return text.String()
}

func formatTime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.999999999Z") }

func describeFill(f *statement.Fill) string {
	text := fmt.Sprintf("%s %s %s %s %s", formatTime(f.At), f.Side, f.Quantity, f.Type, f.Symbol)
	add := func(name, value string) {
		if value != "" {
			text += " " + name + " " + value
		}
	}
	if f.Right != "" {
		text += fmt.Sprintf(" %s %s %s", f.Expiry, f.Strike, f.Right)
	}
	add("@", f.Price.String())
	if f.Multiplier.Valid {
		add("x", f.Multiplier.String())
	}
	if !f.Fees.IsZero() {
		add("fees", f.Fees.String())
	}
	if !f.Commission.IsZero() {
		add("commission", f.Commission.String())
	}
	if f.StatedPnL.Valid {
		add("pnl", f.StatedPnL.String())
	}
	add("lot", f.Lot)
	for _, key := range slices.Sorted(maps.Keys(f.Details)) {
		add(key, strconv.Quote(f.Details[key]))
	}
	add("id", f.ID)
	return text
}

// Messages returns the delivery sentences, each once.
func Messages(list []connector.Delivery) (lines []string) {
	for _, d := range list {
		for _, m := range d.Messages {
			if !slices.Contains(lines, m) {
				lines = append(lines, m)
			}
		}
	}
	return lines
}

// maxState is how long a delivery's state may be.
const maxState = 64 << 10

// CheckDelivery returns what is wrong with a delivery, or an empty text.
func (c FillCase) CheckDelivery(query connector.Query, d connector.Delivery) string {
	switch {
	case (d.Statement == nil) == (d.File == nil):
		return "it must have either a statement or a file"
	case len(d.State) > maxState || strings.Contains(d.State, Secret):
		return "its state is too long or has a secret"
	case d.IsPartial && d.State == "":
		return "it is partial and has no state"
	}
	for _, m := range d.Messages {
		if !strings.HasSuffix(m, ".") {
			return fmt.Sprintf("%q is not a sentence", m)
		}
	}
	if d.Statement == nil {
		return ""
	}
	if problem := checkRows(d.Statement); problem != "" {
		return problem
	}
	return c.checkRecords(query, d.Statement)
}

// checkRows checks that every row is in one place.
func checkRows(s *statement.Statement) string {
	if s.Broker == "" || s.Format != statement.Executions || s.Source == "" {
		return fmt.Sprintf("the statement is of %q, format %q, source %q", s.Broker, s.Format, s.Source)
	}
	counts := make([]int, s.Rows+1)
	count := func(row int) { counts[min(max(row, 0), s.Rows)]++ }
	for _, f := range s.Fills {
		count(f.Row)
	}
	for _, cash := range s.Cash {
		count(cash.Row)
	}
	for _, p := range s.Problems {
		count(p.Row)
	}
	for _, skip := range s.Skipped {
		count(skip.Row)
	}
	for row := range s.Joined {
		count(row)
	}
	for row, n := range counts {
		if row == 0 && n > 0 || row > 0 && n != 1 {
			return fmt.Sprintf("row %d of %d is in %d places", row, s.Rows, n)
		}
	}
	return ""
}

// checkRecords checks the values of fills and cash.
func (c FillCase) checkRecords(query connector.Query, s *statement.Statement) string {
	isOutside := func(at time.Time) bool {
		return !c.HasOtherTimes && (at.Before(query.From) || !at.Before(query.To))
	}
	known := map[string]bool{}
	last := time.Time{}
	for _, f := range s.Fills {
		switch {
		case f.ID == "" || known[f.ID]:
			return fmt.Sprintf("the id %q is empty or not unique", f.ID)
		case isOutside(f.At) || f.At.Before(last):
			return fmt.Sprintf("fill %s at %s is outside of the query or not in order", f.ID, f.At)
		case f.Symbol == "" || f.Quantity.Sign() <= 0 || f.Side != matching.Buy && f.Side != matching.Sell:
			return "a fill has no symbol, quantity or side: " + describeFill(f)
		}
		known[f.ID], last = true, f.At
	}
	for _, cash := range s.Cash {
		if isOutside(cash.At) || cash.Amount.IsZero() || !slices.Contains(cashTypes, cash.Type) {
			return fmt.Sprintf("cash %s of %s at %s is outside of the query, 0 or of an unknown type", cash.Type, cash.Amount, cash.At)
		}
	}
	return ""
}

// cashTypes are the types of cash in the API.
var cashTypes = []string{"deposit", "withdrawal", "fee", "dividend", "interest", "adjustment"}
