package market

import "fillbook/internal/decimal"

// Running is a position at the close of a bar.
type Running struct {
	// Held is the quantity, negative if short.
	Held decimal.Decimal
	// Result is what was received less what was paid so far, plus the value of what is
	// held.
	Result decimal.Decimal
}

// RunningResults returns a position at the close of each bar of a block. A fill counts
// from the last bar on that opens at or before it, and from the first bar on if it was
// before all of them. Fills from until on, in seconds, do not count. Fills are in order
// of time.
func RunningResults(fills []Fill, multiplier decimal.Decimal, b Block, until int64) []Running {
	list := make([]Running, len(b.Bars))
	var held, paid decimal.Decimal
	next := 0
	for i, bar := range b.Bars {
		end := until
		if i < len(b.Bars)-1 {
			end = b.Bars[i+1].Time
		}
		for next < len(fills) && fills[next].At < end*micros {
			f := fills[next]
			held, paid = held.Add(f.Quantity), paid.Add(f.Quantity.Mul(f.Price))
			next++
		}
		price := decimal.FromScaled(bar.Close, b.PriceScale)
		list[i] = Running{Held: held, Result: held.Mul(price).Sub(paid).Mul(multiplier)}
	}
	return list
}
