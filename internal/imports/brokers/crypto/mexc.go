package crypto

import (
	"strings"

	"fillbook/internal/imports/statement"
)

// mexc describes the spot and futures histories of MEXC, from code; no file was
// seen.
func mexc() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "MEXC", Export: "spot trades", Evidence: statement.Documented, Format: statement.Executions,
		Header:      []string{"Pairs", "Time", "Side", "Filled Price", "Executed Amount", "Total", "Fee", "Role"},
		NewestFirst: true, Each: mexcSpot, Done: tell,
	}, {
		Broker: "MEXC", Export: "futures orders", Evidence: statement.Documented, Format: statement.Executions,
		Header:      []string{"Futures Trading Pair", "Direction", "Filled Qty (Crypto)", "Average Filled Price", "Closing PNL", "Trading Fee", "Fee-payment Crypto|Fee Crypto", "Status"},
		NewestFirst: true, Each: mexcFuture, Done: tell,
	}}
}

func mexcSpot(w *statement.Row) {
	pair := w.Text("Pairs")
	if pair == "" {
		w.Ignore()
		return
	}
	d := deal{symbol: pair, at: w.Moment("Time")}
	d.base, d.quote = split(pair)
	d.quantity, d.price = amountOf(w, "Executed Amount", d.base).amount, amountOf(w, "Filled Price", d.quote).amount
	d.side, d.effect = w.Side("Side")
	d.costs = []coins{{w.Cost("Fee"), amountOf(w, "Fee", d.quote, d.base, "MX").coin}}
	d.emit(w)
}

func mexcFuture(w *statement.Row) {
	symbol := strings.TrimSpace(strings.TrimSuffix(strings.ToUpper(w.Text("Futures Trading Pair")), "PERPETUAL"))
	if symbol == "" {
		w.Ignore()
		return
	}
	d := deal{symbol: symbol, contract: true}
	d.base, d.quote = split(symbol)
	d.quantity = amountOf(w, "Filled Qty (Crypto)", d.base, d.quote).amount
	if d.quantity.IsZero() {
		w.Skip(statement.ReasonNotFilled)
		return
	}
	d.price = amountOf(w, "Average Filled Price", d.quote).amount
	d.at = w.Moment(starting(w.Reader(), "Time"))
	d.side, d.effect = w.Side("Direction")
	d.costs = []coins{{w.Cost("Trading Fee"), w.Text("Fee-payment Crypto|Fee Crypto")}}
	d.settledInCoin(amountOf(w, "Closing PNL", d.quote, d.base).amount)
	d.emit(w)
}
