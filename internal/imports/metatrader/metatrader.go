// Package metatrader reads the statements of MetaTrader 5 and MetaTrader 4.
//
// Terminals write them in some thirty languages, as HTML, as workbooks, and
// people save those again as something else. Only the labels are translated:
// times, types such as buy and balance, and directions such as in and out are
// the same everywhere. So rows are known by their shape and labels are not
// looked at, apart from totals that nothing else tells apart.
//
// On a hedging account several positions in one symbol run side by side, in
// both directions. Each is a trade of its own: its id is the lot of its fills.
// Deals say what happened, but a closing deal does not say which position it
// closes; the table of positions does. On a netting account the symbol alone
// decides.
//
// Volumes are in lots, whose size no statement tells. The stated profit of each
// closing is taken therefore, and never computed. Commission and swap keep
// their signs: a swap may well be paid to the trader.
package metatrader

import (
	"fillbook/internal/imports/statement"
)

// The names that detection answers with.
const (
	terminal5 = "MetaTrader 5"
	terminal4 = "MetaTrader 4"
)

// serverZone is where the clocks of most trading servers are set to.
const serverZone = "Europe/Athens"

// Presets gives the statements that the package reads, behind those that look
// like one and are refused with a word on what to import instead.
func Presets() []*statement.Preset {
	return []*statement.Preset{
		{
			Broker: terminal5, Export: "strategy tester report", Evidence: statement.Documented,
			Format: statement.Executions, Source: statement.FromStatement, Zone: serverZone,
			Matches: isBacktest, Whole: refuseBacktest,
		},
		{
			Broker: terminal5, Export: "trade report of open positions", Evidence: statement.Documented,
			Format: statement.Executions, Source: statement.FromStatement, Zone: serverZone,
			Matches: isOpenReport, Whole: refuseOpenReport,
		},
		{
			Broker: terminal5, Export: "history report", Evidence: statement.RealFile,
			Format: statement.Executions, Source: statement.FromStatement, Zone: serverZone,
			Units: true, Costs: statement.CostsNegative,
			Matches: isHistory, Whole: readHistory,
		},
		{
			Broker: terminal4, Export: "statement", Evidence: statement.RealFile,
			Format: statement.Executions, Source: statement.FromStatement, Zone: serverZone,
			Units: true, Costs: statement.CostsNegative,
			Matches: isStatement, Whole: readStatement,
		},
	}
}
