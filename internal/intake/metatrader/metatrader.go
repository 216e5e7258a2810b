// Package metatrader reads statements from MetaTrader 5 and MetaTrader 4.
//
// Terminals write them in some thirty languages, as HTML, as workbooks, and users save
// those again in other formats. Only the labels are translated: times, types such as buy
// and balance, and directions such as in and out are the same everywhere. So rows are
// recognized by their shape and labels are ignored, apart from otherwise
// indistinguishable totals.
//
// On a hedging account several positions in one symbol can be open at once, in both
// directions. Each is a separate trade: its id is the lot of its fills. A closing deal
// does not name its position; the position table does. On a netting account the symbol
// alone decides.
//
// Volumes are in lots, whose size no statement contains. Each closing's stated profit is
// therefore used, and never computed. Commission and swap keep their signs, because a
// swap may be paid to the trader.
package metatrader

import (
	"fillbook/internal/intake/statement"
)

// The terminal names.
const (
	terminal5 = "MetaTrader 5"
	terminal4 = "MetaTrader 4"
)

// serverZone is most trading servers' time zone.
const serverZone = "Europe/Athens"

// Presets returns the package's presets. Files that only look like a statement come first
// and are rejected with a hint what to import instead.
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
