package market

import (
	"math"
	"slices"
	"sort"

	"fillbook/internal/decimal"
)

// barsDuring returns the bars that meet a time in microseconds.
func (b Block) barsDuring(from, to int64) []Bar {
	first := sort.Search(len(b.Bars), func(i int) bool { return (b.Bars[i].Time+b.Secs)*micros > from })
	end := sort.Search(len(b.Bars), func(i int) bool { return b.Bars[i].Time*micros >= to })
	return b.Bars[first:max(first, end)]
}

// closeAt returns the close of the last bar that ended at or before an instant in
// seconds.
func (b Block) closeAt(at int64) (decimal.Decimal, bool) {
	n := sort.Search(len(b.Bars), func(i int) bool { return b.Bars[i].Time+b.Secs > at })
	if n == 0 {
		return decimal.Zero, false
	}
	return decimal.FromScaled(b.Bars[n-1].Close, b.PriceScale), true
}

// ResultAt returns the result of a position of all fills at a price.
func ResultAt(fills []Fill, multiplier, price decimal.Decimal) decimal.Decimal {
	var held, paid decimal.Decimal
	for _, f := range fills {
		held, paid = held.Add(f.Quantity), paid.Add(f.Quantity.Mul(f.Price))
	}
	return held.Mul(price).Sub(paid).Mul(multiplier)
}

// Result returns the result of a closed position: what was received less what was
// paid.
func Result(fills []Fill, multiplier decimal.Decimal) decimal.Decimal {
	return ResultAt(fills, multiplier, decimal.Zero)
}

// BestExit returns bounds of the result that a closed position could have had if only
// its last fill had been placed elsewhere: between the fill before it and until, in
// seconds, at the best price. A bar counts for sure if all of it is in that time.
func BestExit(fills []Fill, multiplier decimal.Decimal, b Block, until int64) Bounds {
	n := len(fills) - 1
	w := newWalk(fills, multiplier, b.PriceScale)
	best := func(price decimal.Decimal) decimal.Decimal { return w.result(n, price) }
	low := best(fills[n].Price)
	if n > 0 {
		low = decimal.Max(low, best(fills[n-1].Price))
	}
	high := low
	// Only the best price of each kind matters: of bars that lie in that time as a whole,
	// of the closes of those that begin before it, and of all.
	sign := int64(w.held[n].Sign())
	certain, possible := int64(math.MinInt64), int64(math.MinInt64)
	from, sure := w.starts[max(n-1, 0)], w.ends[max(n-1, 0)]
	for _, bar := range b.barsDuring(from, until*micros) {
		best := max(sign*bar.High, sign*bar.Low)
		possible = max(possible, best)
		end := bar.Time + b.Secs
		switch isInside := bar.Time*micros > sure && end <= until; {
		case isInside:
			certain = max(certain, best)
		case end*micros > sure && end <= until:
			certain = max(certain, sign*bar.Close)
		}
	}
	if certain > math.MinInt64 {
		low = decimal.Max(low, best(w.price(sign*certain)))
	}
	if possible > math.MinInt64 {
		high = decimal.Max(high, best(w.price(sign*possible)))
	}
	return Bounds{Low: low, High: decimal.Max(low, high)}
}

// AfterExit returns how much more the last fill of a closed position would have
// brought at the close of the last bar that ended at or before an instant in seconds.
// It is absent without such a bar.
func AfterExit(fills []Fill, multiplier decimal.Decimal, b Block, at int64) decimal.Null {
	price, ok := b.closeAt(at)
	if !ok {
		return decimal.Null{}
	}
	last := fills[len(fills)-1]
	return decimal.Of(price.Sub(last.Price).Mul(last.Quantity.Neg()).Mul(multiplier))
}

// FindStrayFill returns the index of a fill that lies too far outside its bar to be of
// the same market, or -1: by more than the range of the bar and more than the median
// range of the bars of its day.
func FindStrayFill(fills []Fill, b Block) int {
	w := newWalk(fills, decimal.New(1), b.PriceScale)
	for i, f := range fills {
		isStray := false
		for _, bar := range b.barsDuring(w.starts[i], w.ends[i]+1) {
			outside := decimal.Max(f.Price.Sub(w.price(bar.High)), w.price(bar.Low).Sub(f.Price))
			if isStray = outside.Sign() > 0 && outside.Cmp(w.price(max(bar.High-bar.Low, b.medianRange(bar.Time)))) > 0; !isStray {
				break
			}
		}
		if isStray {
			return i
		}
	}
	return -1
}

// medianRange returns the median of high less low of the bars of a day of UTC.
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
