// Package futures reads the exports of futures platforms and of the prop firms
// that run on them: Tradovate, TopstepX and ProjectX, NinjaTrader, Rithmic,
// Quantower, Sierra Chart, MotiveWave, ATAS and Profit.
//
// They have three things in common. What they write is a future unless it says
// otherwise, so ES is never the share ES. Their times are those of the PC or
// browser that made the file, mostly without saying which, so that the user is
// asked. And they state results, from which the worth of a contract follows
// that the table of contracts does not know.
//
// Several platforms export the same fills in several ways. Where two exports
// have an id in common the fills have it; where they do not, the fills are
// equal in symbol, side, quantity, price and second, so that importing both
// adds nothing and one completes the other. An order id is therefore kept only where every export of the
// platform has it.
package futures

import (
	"slices"

	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// futureType is the type of everything in most of these files.
const futureType = instruments.TypeFuture

// Presets lists the exports that this package reads.
func Presets() []*statement.Preset {
	return slices.Concat(
		tradovate(), []*statement.Preset{&topstepTrades, &projectXOrders, &propOrders}, ninjaTrader(), rithmic(),
		[]*statement.Preset{&quantowerTrades, &sierraActivity, &motiveWaveTrades, &atasJournal}, nelogica(),
	)
}
