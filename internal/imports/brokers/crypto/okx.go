package crypto

import (
	"regexp"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
)

// okx describes the trading history of OKX, in its two generations of column names,
// and order lists that follow it. Single rows were seen, no whole file.
func okx() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "OKX", Export: "trading history", Evidence: statement.Documented, Format: statement.Executions,
		Header:      []string{"Order id", "Time", "Trade Type", "Symbol|Instrument", "Action|Type", "Amount", "PnL|PL", "Fee", "Position Change", "Position Balance", "Balance Change", "Balance"},
		NewestFirst: true, Costs: statement.CostsNegative, Each: okxRow, Done: closeOKX,
	}, {
		Broker: "OKX", Export: "order history", Evidence: statement.Documented, Format: statement.Executions,
		Header:      []string{"Order ID", "Instrument", "Order Type", "Side", "Avg Fill Price", "Filled Quantity", "PnL", "Fee", "Order Time"},
		NewestFirst: true, Each: okxOrder, Done: tell,
		Columns: columns("Instrument", "Side", "Order Time", "Filled Quantity", "Avg Fill Price", "Fee", "Order ID"),
	}}
}

// okxZone finds the zone in the line above the table: Time Zone:UTC+8.
var okxZone = regexp.MustCompile(`(?i)time zone:\s*((?:UTC|GMT)[^,\s]*)`)

func zoneAbove(r *statement.Reader) string {
	const preamble = 3
	for _, table := range r.File.Tables {
		for _, row := range table.Rows[:min(preamble, len(table.Rows))] {
			if found := okxZone.FindStringSubmatch(strings.Join(row.Cells, " ")); found != nil {
				return found[1]
			}
		}
	}
	return ""
}

// okxRow reads a change of the trading account.
func okxRow(w *statement.Row) {
	action := strings.ToLower(w.Text("Action|Type"))
	if action == "" {
		w.Ignore()
		return
	}
	at := w.MomentIn(zoneAbove(w.Reader()), "Time")
	symbol, change := strings.ToUpper(w.Text("Symbol|Instrument")), w.Decimal("Balance Change")
	unit := strings.ToUpper(w.Text("Balance Unit|Unit#2"))
	_, _, isSide := statement.SideWord(action)
	switch {
	case w.Failed():
	case strings.Contains(action, "transfer"):
		pay(w, inOrOut(change), coins{change, unit}, at, action)
	case strings.Contains(action, "fund"), strings.Contains(action, "interest"):
		pay(w, "interest", coins{change, unit}, at, strings.TrimSpace(action+" "+symbol))
	case symbol != "" && strings.EqualFold(w.Text("Trade Type"), "Spot") && isSide:
		okxSpot(w, symbol, unit, at)
	case symbol != "" && (isSide || strings.Contains(action, "liquidation")):
		okxContract(w, symbol, at)
	default:
		pay(w, "adjustment", coins{change, unit}, at, strings.TrimSpace(action+" "+symbol))
	}
}

// okxSpot reads one of the two rows of a spot fill: what the balance of its coin
// changed by, and the fee that was taken from what came in. The parts of an
// order that were filled at one price in one second are one fill.
func okxSpot(w *statement.Row, symbol, unit string, at statement.Moment) {
	key := strings.Join([]string{symbol, at.At.String(), w.Text("Order id"), w.Text("Filled Price")}, "|")
	fee := coins{w.Cost("Fee"), strings.ToUpper(w.Text("Fee Unit"))}
	if fee.coin == "" {
		fee.coin = unit
	}
	change := w.Required("Balance Change")
	if w.Failed() {
		return
	}
	if fee.coin == unit && !change.Abs().Equal(w.Decimal("Amount").Abs()) {
		change = change.Add(fee.amount) // the balance changed by what is left
	}
	g := remembered(w.Reader()).ledger.of(w, key, "", at)
	g.base, g.quote = split(symbol)
	if g.base == unit && g.id == "" {
		g.id = w.Text("id")
	}
	g.legs = append(g.legs, coins{change, unit})
	g.costs = append(g.costs, fee)
}

// okxContract reads a fill in a contract. Its amount is in contracts, whose size
// the file does not tell, so that the stated result counts.
func okxContract(w *statement.Row, symbol string, at statement.Moment) {
	d := deal{
		symbol: symbol, contract: true, quantity: w.Required("Amount").Abs(), price: w.Required("Filled Price"), at: at,
		id: w.Text("id"), costs: []coins{{w.Cost("Fee"), w.Text("Fee Unit")}},
	}
	d.base, d.quote = split(symbol)
	d.side, d.effect = w.Side("Action|Type")
	result := w.Decimal("PnL|PL")
	d.settledInCoin(result)
	if strings.EqualFold(w.Text("Trading Unit|Unit"), "cont") {
		w.Reader().Out.Warn("Quantities of contracts are counts of contracts, whose size the file does not tell: the stated results were taken.")
		if !result.IsZero() || d.effect == statement.Closing {
			d.pnl = decimal.Of(result)
		}
	}
	d.emit(w)
}

func closeOKX(r *statement.Reader) {
	remembered(r).ledger.settle(r, quotes, func(base, quote string) string { return base + "-" + quote })
	tell(r)
}

// okxOrder reads an order of a list; those that were not filled have nothing.
func okxOrder(w *statement.Row) {
	symbol := w.Text("Instrument")
	if symbol == "" {
		w.Ignore()
		return
	}
	base, quote := split(symbol)
	quantity := amountOf(w, "Filled Quantity", base, quote)
	if quantity.amount.IsZero() {
		w.Skip(statement.ReasonNotFilled)
		return
	}
	d := deal{
		symbol: symbol, base: base, quote: quote, quantity: quantity.amount, price: w.Required("Avg Fill Price"), id: w.Text("Order ID"),
		costs: []coins{{w.Cost("Fee"), amountOf(w, "Fee", quote, base).coin}}, at: w.Moment("Order Time"),
		contract: isContract(symbol),
	}
	d.side, d.effect = w.Side("Side")
	d.emit(w)
}

// isContract reports whether an instrument is a contract, by its name.
func isContract(symbol string) bool {
	symbol = strings.ToUpper(symbol)
	return strings.Contains(symbol, "SWAP") || strings.Contains(symbol, "PERP") || strings.HasSuffix(symbol, "-C") ||
		strings.HasSuffix(symbol, "-P") || strings.Count(symbol, "-") >= 2
}
