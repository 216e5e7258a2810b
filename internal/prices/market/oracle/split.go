package oracle

import (
	"math/big"

	"fillbook/internal/prices/market"
)

// splits are the split and reverse split ratios.
var splits = [][2]int64{
	{3, 2},
	{2, 1},
	{3, 1},
	{4, 1},
	{5, 1},
	{6, 1},
	{7, 1},
	{8, 1},
	{10, 1},
	{15, 1},
	{20, 1},
	{25, 1},
	{30, 1},
	{50, 1},
	{1, 2},
	{1, 4},
	{1, 5},
	{1, 8},
	{1, 10},
	{1, 20},
	{1, 25},
	{1, 50},
}

// span is a bar, or a fill without one, with its first and its last price.
type span struct {
	from, to    int64 // seconds
	first, last *big.Rat
	isDay       bool
}

// HasSplit reports whether the price jumped as in a split while a position was held: over
// two hours or more without a price, or between two daily bars. The first and the last
// fill count if no bar contains them.
func HasSplit(fills []market.Fill, b market.Block, isOpen bool) bool {
	opened, closed := fills[0], fills[len(fills)-1]
	var list []span
	for _, bar := range b.Bars {
		if (bar.Time+b.Secs)*micros > opened.At && (isOpen || bar.Time*micros <= closed.At) {
			list = append(list, span{
				from: bar.Time, to: bar.Time + b.Secs, first: price(bar.Open, b.PriceScale), last: price(bar.Close, b.PriceScale), isDay: b.Secs >= 24*60*60,
			})
		}
	}
	if len(list) == 0 {
		return false
	}
	if at := opened.At / micros; at < list[0].from {
		list = append([]span{{from: at, to: at, first: opened.Price.Rat(), last: opened.Price.Rat()}}, list...)
	}
	if at := closed.At / micros; !isOpen && at > list[len(list)-1].to {
		list = append(list, span{from: at, to: at, first: closed.Price.Rat(), last: closed.Price.Rat()})
	}
	for i := 1; i < len(list); i++ {
		before, after := list[i-1], list[i]
		isPause := after.from-before.to >= 2*60*60 || before.isDay && after.isDay
		if isPause && isSplit(before.last, after.first) {
			return true
		}
	}
	return false
}

// isSplit reports whether the ratio between two prices is a split, within six percent.
func isSplit(before, after *big.Rat) bool {
	if before.Sign() <= 0 || after.Sign() <= 0 {
		return false
	}
	ratio := new(big.Rat).Quo(before, after)
	for _, s := range splits {
		part := new(big.Rat).Mul(ratio, big.NewRat(s[1], s[0]))
		if part.Cmp(big.NewRat(94, 100)) >= 0 && part.Cmp(big.NewRat(106, 100)) <= 0 {
			return true
		}
	}
	return false
}
