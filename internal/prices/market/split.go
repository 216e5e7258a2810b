package market

import (
	"slices"

	"fillbook/internal/base/decimal"
)

// leastPause is how long the market is closed, in seconds, when a split takes effect.
const leastPause = 2 * 60 * 60

// splitTolerance is how much the price may move besides a split, in percent.
const splitTolerance = 6

var splitRatios = SplitRatios()

// isSplitJump reports whether the step from one price to the next is about a split or
// reverse split ratio.
func isSplitJump(before, after decimal.Decimal) bool {
	if before.Sign() <= 0 || after.Sign() <= 0 {
		return false
	}
	for _, ratio := range splitRatios {
		expected := after.Mul(ratio)
		if before.Sub(expected).Abs().Mul(decimal.New(100)).Cmp(expected.Mul(decimal.New(splitTolerance))) <= 0 {
			return true
		}
	}
	return false
}

// isSplitAt reports whether the price jumped as in a split before a bar, while the market
// was closed.
func (b Block) isSplitAt(i int) bool {
	before, after := &b.Bars[i-1], &b.Bars[i]
	isPause := b.Secs >= day || after.Time-before.Time-b.Secs >= leastPause
	return isPause && isSplitJump(b.price(before.Close), b.price(after.Open))
}

// nextSplit returns the first bar from one on, up to but not including another, before
// which the price jumped as in a split, or the other one.
func (w Window) nextSplit(from, to int) int {
	if w.Index == nil {
		for i := max(from, 1); i < to; i++ {
			if w.isSplitAt(i) {
				return i
			}
		}
		return to
	}
	splits := w.Index.splits(w.Block)
	next, _ := slices.BinarySearch(splits, max(from, 1)+w.offset)
	if next < len(splits) {
		return min(splits[next]-w.offset, to)
	}
	return to
}

// splits returns the bars before which the price jumped as in a split. They are few, and
// found once for all positions.
func (x *Index) splits(of Block) []int {
	all := of
	all.Bars = x.bars
	for ; x.splitsTo < len(x.bars); x.splitsTo++ {
		if x.splitsTo > 0 && all.isSplitAt(x.splitsTo) {
			x.splitBars = append(x.splitBars, x.splitsTo)
		}
	}
	return x.splitBars
}

// FindSplit returns the period in which the price jumped as in a split while the position
// was held, in seconds, and whether it did. Fills without a bar are compared with the
// first bar after the first of them and with the last bar before the last. A position not
// ended by its last fill is held to the end of the bars.
func (p *Position) FindSplit(w Window, isOpen bool) (Range, bool) {
	n := len(p.fills)
	first, end := w.findEnd(0, p.starts[0]), len(w.Bars)
	if !isOpen {
		end = w.findEnd(first, p.ends[n-1])
		if end < len(w.Bars) && w.Bars[end].Time*micros <= p.ends[n-1] {
			end++ // the last fill's bar
		}
	}
	if first >= end {
		return Range{}, false
	}
	if at := w.nextSplit(first+1, end); at < end {
		return Range{From: w.Bars[at-1].Time + w.Secs, To: w.Bars[at].Time}, true
	}
	opened := Range{From: p.ends[0] / micros, To: w.Bars[first].Time}
	if opened.To-opened.From >= leastPause && isSplitJump(p.fills[0].Price, w.price(w.Bars[first].Open)) {
		return opened, true
	}
	closed := Range{From: w.Bars[end-1].Time + w.Secs, To: p.starts[n-1] / micros}
	isAfter := !isOpen && closed.To-closed.From >= leastPause
	if isAfter && isSplitJump(w.price(w.Bars[end-1].Close), p.fills[n-1].Price) {
		return closed, true
	}
	return Range{}, false
}

func (b Block) price(n int64) decimal.Decimal { return decimal.FromScaled(n, b.PriceScale) }
