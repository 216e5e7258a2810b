package market

import "fillbook/internal/base/decimal"

// Running is a position at a bar's close.
type Running struct {
	// Held is the quantity, negative if short.
	Held decimal.Decimal
	// Result is the amount received less the amount paid so far, plus the value held.
	Result decimal.Decimal
}

// RunningResults returns a position at each bar's close in a block. A fill counts from
// the last bar opening at or before it, and from the first bar on if it was before all of
// them. Fills from until on, in seconds, do not count. Fills are in time order.
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

// RunningMAE returns a position's MAE up to the end of each bar in a block; see
// [Position.MeasureExcursion].
func (p *Position) RunningMAE(b Block) ([]Bounds, error) {
	list := make([]Bounds, len(b.Bars))
	w := walk{Position: p, scale: b.PriceScale}
	done := 0 // fills
	for i := range b.Bars {
		bar := &b.Bars[i]
		begin, end := bar.Time*micros, (bar.Time+b.Secs)*micros
		for ; done < len(p.fills) && p.ends[done] < end; done++ {
			w.addCertain(p.result(done, p.fills[done].Price))
		}
		first, last := w.partsDuring(begin, end)
		if first < last {
			if err := w.addMixedBar(bar, begin, end); err != nil {
				return nil, err
			}
		} else if !p.isFlat(first) {
			w.addCertain(p.result(first, w.price(bar.High)))
			w.addCertain(p.result(first, w.price(bar.Low)))
		}
		list[i] = w.excursion().MAE
	}
	return list, nil
}
