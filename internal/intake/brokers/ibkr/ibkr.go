// Package ibkr reads exports from Interactive Brokers and its partners: Flex queries as
// XML and as CSV, trade confirmations, activity statements and the transaction history.
//
// They describe the same trades in different ways. A Flex query has each execution with
// its id and the owner's choice of columns; the activity statement has orders in
// sections, one below the other in one file; the transaction history has days only. What
// they share is shared here: costs are written below zero and a rebate above, a word says
// what sort of cash moved, and one table maps asset classes to instrument types.
//
// A canceled trade is reported again with the opposite sign and the code Ca. Both are
// removed if both are there, see [report.removeCanceled].
package ibkr

import "fillbook/internal/intake/statement"

// broker is the name in the detection result. Files from partners such as CapTrader do
// not say whose they are.
const broker = "Interactive Brokers"

// zone is for accounts without another choice.
const zone = "America/New_York"

// Presets are the Interactive Brokers exports.
func Presets() []*statement.Preset {
	return []*statement.Preset{
		flexXML(), transactionHistory(), activityStatement(), flexTrades(), flexCash(),
	}
}
