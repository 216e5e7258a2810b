package market

import (
	"math"
	"slices"
	"sort"

	"fillbook/internal/base/decimal"
)

// barsDuring returns the bars overlapping a period in microseconds.
func (b Block) barsDuring(from, to int64) []Bar {
	first := sort.Search(len(b.Bars), func(i int) bool { return (b.Bars[i].Time+b.Secs)*micros > from })
	end := sort.Search(len(b.Bars), func(i int) bool { return b.Bars[i].Time*micros >= to })
	return b.Bars[first:max(first, end)]
}

// closeAt returns the close of the last bar ending at or before an instant in seconds.
func (b Block) closeAt(at int64) (decimal.Decimal, bool) {
	n := sort.Search(len(b.Bars), func(i int) bool { return b.Bars[i].Time+b.Secs > at })
	if n == 0 {
		return decimal.Zero, false
	}
	return decimal.FromScaled(b.Bars[n-1].Close, b.PriceScale), true
}

// ResultAt returns the result at a price for a position with all fills.
func ResultAt(fills []Fill, multiplier, price decimal.Decimal) decimal.Decimal {
	var held, paid decimal.Decimal
	for _, f := range fills {
		held, paid = held.Add(f.Quantity), paid.Add(f.Quantity.Mul(f.Price))
	}
	return held.Mul(price).Sub(paid).Mul(multiplier)
}

// Result returns a closed position's result: the amount received less the amount paid.
func Result(fills []Fill, multiplier decimal.Decimal) decimal.Decimal {
	return ResultAt(fills, multiplier, decimal.Zero)
}

// BestExit returns bounds for the result the closed position could have had if only its
// last fill had been placed elsewhere: between the fill before it and until, in seconds,
// at the best price. A bar counts for sure if all of it is in that time.
func (p *Position) BestExit(b Window, until int64) Bounds {
	n := len(p.fills) - 1
	low := p.result(n, p.fills[n].Price)
	if n > 0 {
		low = decimal.Max(low, p.result(n, p.fills[n-1].Price))
	}
	high := low
	// Only the best price in each group matters: all bars in that time, those entirely
	// inside it, and the closes of those beginning before it.
	sign := int64(p.held[n].Sign())
	from, sure := p.starts[max(n-1, 0)], p.ends[max(n-1, 0)]
	first := b.findEnd(0, from)
	begun := first + sort.Search(len(b.Bars)-first, func(i int) bool { return b.Bars[first+i].Time >= until })
	ended := first + sort.Search(begun-first, func(i int) bool { return b.Bars[first+i].Time+b.Secs > until })
	inside := b.findEnd(first, sure)
	certain := int64(math.MinInt64)
	for ; inside < ended && b.Bars[inside].Time*micros <= sure; inside++ {
		certain = max(certain, sign*b.Bars[inside].Close)
	}
	price := func(best int64) decimal.Decimal { return p.result(n, decimal.FromScaled(sign*best, b.PriceScale)) }
	if inside < ended {
		certain = max(certain, b.bestOf(inside, ended, sign))
	}
	if certain > math.MinInt64 {
		low = decimal.Max(low, price(certain))
	}
	if first < begun {
		high = decimal.Max(high, price(b.bestOf(first, begun, sign)))
	}
	return Bounds{Low: low, High: decimal.Max(low, high)}
}

// bestOf returns the best price in some bars for a side, 1 if long and -1 if short, times
// the side.
func (w Window) bestOf(from, to int, side int64) int64 {
	high, low := w.extremes(from, to)
	return max(side*high, side*low)
}

// AfterExit returns how much more a closed position's last fill would have brought at the
// close of the last bar ending at or before an instant in seconds. It is absent without
// such a bar.
func AfterExit(fills []Fill, multiplier decimal.Decimal, b Block, at int64) decimal.Null {
	price, ok := b.closeAt(at)
	if !ok {
		return decimal.Null{}
	}
	last := fills[len(fills)-1]
	return decimal.Of(price.Sub(last.Price).Mul(last.Quantity.Neg()).Mul(multiplier))
}

// FindStrayFill returns the index of a fill too far outside its bar to be in the same
// market, or -1: by more than the bar's range and more than the median bar range on its
// day.
func (p *Position) FindStrayFill(b Block) int {
	price := func(n int64) decimal.Decimal { return decimal.FromScaled(n, b.PriceScale) }
	for i := range p.fills {
		isStray := false
		for _, bar := range b.barsDuring(p.starts[i], p.ends[i]+1) {
			outside := decimal.Max(p.fills[i].Price.Sub(price(bar.High)), price(bar.Low).Sub(p.fills[i].Price))
			if isStray = outside.Sign() > 0 && outside.Cmp(price(max(bar.High-bar.Low, b.medianRange(bar.Time)))) > 0; !isStray {
				break
			}
		}
		if isStray {
			return i
		}
	}
	return -1
}

// medianRange returns the median bar range (high less low) on a UTC day.
func (b Block) medianRange(at int64) int64 {
	start := floorDiv(at, day) * day
	var ranges []int64
	for _, bar := range b.barsDuring(start*micros, (start+day)*micros) {
		ranges = append(ranges, bar.High-bar.Low)
	}
	if len(ranges) == 0 {
		return 0
	}
	slices.Sort(ranges)
	return ranges[len(ranges)/2]
}
