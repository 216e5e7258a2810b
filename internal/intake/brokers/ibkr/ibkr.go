// Package ibkr reads what Interactive Brokers and its partners export: Flex
// queries as XML and as CSV, trade confirmations, activity statements and the
// transaction history.
//
// They describe the same trades in different ways. A Flex query has each execution
// with its id and the columns that its owner chose; the activity statement has
// orders in sections, one below the other in one file; the transaction history has
// days only. What is common to them is common
// here: costs are written below zero and a rebate above, one word says what
// sort of cash moved, and one table says which asset class is which instrument.
//
// A trade that was canceled is reported again with the opposite sign and the code
// Ca. Both are removed if both are there, see [report.removeCanceled].
package ibkr

import "fillbook/internal/intake/statement"

// broker is the name that detection answers with. The files of partners such as
// CapTrader do not say whose they are.
const broker = "Interactive Brokers"

// zone is that of accounts that did not choose another.
const zone = "America/New_York"

// Presets are the exports of Interactive Brokers.
func Presets() []*statement.Preset {
	return []*statement.Preset{
		flexXML(), transactionHistory(), activityStatement(), flexTrades(), flexCash(),
	}
}
