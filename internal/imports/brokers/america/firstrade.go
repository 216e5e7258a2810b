package america

import (
	"regexp"
	"slices"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// firstrade describes the account history, in which options and bonds have no
// symbol and some rows have the time inside their description.
func firstrade() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Firstrade", Export: "account history", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Symbol", "Quantity", "Price", "Action", "Description", "TradeDate", "SettledDate", "Amount", "Commission", "Fee", "RecordType"},
		Zone:   newYork, Order: statement.MonthFirst, Costs: statement.CostsPositive,
		Each: firstradeRow, Done: firstradeEnd,
		Columns: map[statement.Target]string{
			statement.TargetExecutedAt: "TradeDate", statement.TargetSide: "Action", statement.TargetSymbol: "Symbol",
			statement.TargetQuantity: "Quantity", statement.TargetPrice: "Price",
			statement.TargetCommission: "Commission", statement.TargetFees: "Fee",
		},
	}}
}

// firstradeActions are the actions of rows that are no trades.
var firstradeActions = map[string]action{
	"dividend": {sense: dividend}, "interest": {sense: interest}, "fee": {sense: fee},
	"deposit": {sense: transfer}, "withdrawal": {sense: transfer}, "ach": {sense: transfer}, "wire": {sense: transfer}, "transfer": {sense: transfer},
}

func firstradeRow(w *statement.Row) {
	word := w.Text("Action")
	if word == "" {
		w.Ignore()
		return
	}
	e := &entry{
		action: firstradeActions[strings.ToLower(word)], word: word, symbol: w.Text("Symbol"), note: w.Text("Description"),
		quantity: w.Null("Quantity"), price: w.Null("Price"), amount: w.Null("Amount"),
		commission: w.Cost("Commission"), fees: w.Cost("Fee"),
	}
	e.at = firstradeTime(w, e.note)
	if side, effect, ok := statement.SideWord(word); ok {
		e.action = action{trade, side, effect}
		firstradeTrade(w, e)
	} else if e.sense == unknown {
		firstradeOther(e)
	}
	e.emit(w)
}

// firstradeTrade finds out what was traded, and whether it opened or closed.
func firstradeTrade(w *statement.Row, e *entry) {
	if e.symbol == "" {
		if _, ok := instruments.ParseOption(e.note); ok {
			e.contract = e.note
		} else {
			e.symbol = w.Text("CUSIP")
		}
	}
	switch text := strings.ToUpper(e.note); {
	case strings.Contains(text, "OPEN CONTRACT"), strings.Contains(text, "OPENING CONTRACT"):
		e.effect = statement.Opening
	case strings.Contains(text, "CLOSING CONTRACT"):
		e.effect = statement.Closing
	}
	// Accrued interest of a bond is paid with it; a minus is what was paid.
	e.fees = e.fees.Sub(w.Decimal("Interest"))
}

// firstradeOther reads what the action does not say from the description.
func firstradeOther(e *entry) {
	text := strings.ToUpper(e.note)
	_, option := instruments.ParseOption(e.note)
	switch {
	case option && strings.Contains(text, "ASSIGNED"):
		e.sense = assigned
	case option && strings.Contains(text, "EXERCISED"):
		e.sense = exercised
	case option && strings.Contains(text, "EXPIRED"):
		e.sense = expired
	case strings.Contains(text, "DIVIDEND"):
		e.sense = dividend
	case strings.Contains(text, "INTEREST"):
		e.sense = interest
	case strings.Contains(text, "ACH "), strings.Contains(text, "WIRE "):
		e.sense = transfer
	}
	if option {
		e.contract = e.note
	}
}

var firstradeExecuted = regexp.MustCompile(`EXEC TIME: *(\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2})`)

func firstradeTime(w *statement.Row, description string) statement.Moment {
	if found := firstradeExecuted.FindStringSubmatch(description); found != nil {
		return w.At(found[1])
	}
	return w.Moment("TradeDate")
}

// firstradeEnd puts the fills in order. Within a day the file may run forwards
// or backwards and does not say so; the way in which less is sold that is not
// held is taken.
func firstradeEnd(r *statement.Reader) {
	settleEndings(r)
	backwards := slices.Clone(r.Out.Fills)
	slices.Reverse(backwards)
	byTime(r.Out.Fills)
	byTime(backwards)
	if soldShort(backwards) < soldShort(r.Out.Fills) {
		r.Out.Fills = backwards
	}
}

func byTime(fills []*statement.Fill) {
	slices.SortStableFunc(fills, func(a, b *statement.Fill) int { return a.At.Compare(b.At) })
}

// soldShort counts the sales of shares that are not held.
func soldShort(fills []*statement.Fill) int {
	n := 0
	held := map[string]decimal.Decimal{}
	for _, f := range fills {
		if f.Right != "" {
			continue
		}
		held[f.Symbol] = held[f.Symbol].Add(signed(f))
		if f.Side == matching.Sell && held[f.Symbol].Sign() < 0 {
			n++
		}
	}
	return n
}
