package market

import (
	"sort"

	"fillbook/internal/base/decimal"
)

// CountInside counts the fills with a bar, and those whose price lies between its low and
// its high.
func CountInside(b Block, fills []Fill) (inside, checked int) {
	for _, fill := range fills {
		bar, ok := b.barAt(floorDiv(fill.At, micros))
		if !ok {
			continue
		}
		checked++
		if isBetween(fill.Price, decimal.FromScaled(bar.Low, b.PriceScale), decimal.FromScaled(bar.High, b.PriceScale)) {
			inside++
		}
	}
	return inside, checked
}

// barAt returns the bar containing a second.
func (b Block) barAt(second int64) (Bar, bool) {
	at := sort.Search(len(b.Bars), func(i int) bool { return b.Bars[i].Time > second }) - 1
	if at < 0 || second >= b.Bars[at].Time+b.Secs {
		return Bar{}, false
	}
	return b.Bars[at], true
}
