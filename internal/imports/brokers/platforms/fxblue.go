package platforms

import (
	"slices"
	"strings"

	"fillbook/internal/imports/statement"
)

// fxBlue is the list of orders that FX Blue keeps, be it of several accounts.
func fxBlue() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "FX Blue", Export: "orders", Evidence: statement.SampleFile, Format: statement.JournalTrades,
		Header: []string{"Type", "Ticket", "Symbol", "Lots", "Buy/sell", "Open price", "Close price", "Open time", "Close time", "Profit", "Net profit"},
		Zone:   serverZone, Costs: statement.CostsNegative,
		Each: readFXBlue, Done: tellAccounts,
	}}
}

var fxBlueColumns = lots{
	id: "Ticket", side: "Buy/sell", volume: "Lots", symbol: "Symbol", openTime: "Open time", openPrice: "Open price",
	closeTime: "Close time", closePrice: "Close price", commission: "Commission", swap: "Swap", profit: "Profit",
	stop: "S/L", target: "T/P", comment: "Order comment",
}

// accountKey is how accounts are remembered beside ids.
const accountKey = "account "

// readFXBlue reads a row by its type. Money has no symbol, but zeros for prices.
func readFXBlue(w *statement.Row) {
	if name := w.Text("Account"); name != "" {
		again(w, accountKey+name)
	}
	switch kind := strings.ToLower(w.Text("Type")); kind {
	case "closed position", "open position":
		fxBlueColumns.trade(w)
	case "pending order", "cancelled order", "canceled order":
		w.Skip(statement.ReasonNotFilled)
	case "":
		w.Ignore()
	default:
		fxBlueColumns.money(w, kind)
	}
}

// tellAccounts warns of a file with the trades of several accounts.
func tellAccounts(r *statement.Reader) {
	var names []string
	seen, _ := r.Memory.(map[string]int)
	for key := range seen {
		if name, ok := strings.CutPrefix(key, accountKey); ok {
			names = append(names, name)
		}
	}
	if len(names) > 1 {
		slices.Sort(names)
		r.Out.Warn("The file has trades of several accounts (%s); all were read as one. Export them one by one to keep them apart.",
			strings.Join(names, ", "))
	}
}
