// Package journals knows the files of trading journals: our own tables,
// Tradervue, TradeZella, TradesViz, TraderSync, TraderMemos, TradeJourney, and the
// sheets that traders keep themselves. Most have one row a finished trade.
//
// A row becomes a position of its own, opened and closed at the averages that
// the journal states, together with what its owner wrote on it: notes, tags,
// setups, mistakes, risk. What the row says that the trade made decides where
// prices cannot: averages are rounded, lots are not units, and a journal knows
// the worth of a contract that the table of contracts does not have.
//
// TradeNote's template is a list of fills of the blotter family and is read
// there. No layout of Edgewonk is known; the mapping of columns by the user
// carries it.
package journals

import (
	"slices"

	"fillbook/internal/imports/statement"
)

// Presets lists the files that this package reads.
func Presets() []*statement.Preset {
	return slices.Concat(fillbook(), tradervue(), tradeZella(), traderSync(), traderMemos(), tradeJourney(), spreadsheets(), []*statement.Preset{&tradesvizExecutions})
}
