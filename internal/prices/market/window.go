package market

import (
	"math"
	"sort"
)

// Window is a block, or a part of one, whose extremes over a long time are found without
// reading every bar. A window without an index reads every bar.
type Window struct {
	Block
	// Index has the bars' extremes; it may be nil.
	Index *Index
	// offset is the first bar's place in the index.
	offset int
}

// Index has the highest and the lowest price in each run of bars in a block. The zero
// value is an empty index. It is not safe for concurrent use.
type Index struct {
	bars      []Bar
	high, low []int64
	// splitBars are those among the first splitsTo bars before which the price jumped as
	// in a split.
	splitBars []int
	splitsTo  int
}

// runLength is the number of bars in an index run.
const runLength = 64

// Reset makes it the index for a block, whose bars must not change until the next Reset.
// The extremes are computed when they are needed first.
func (x *Index) Reset(b Block) {
	x.bars, x.high, x.low = b.Bars, x.high[:0], x.low[:0]
	x.splitBars, x.splitsTo = x.splitBars[:0], 0
}

// build computes the extremes for all complete runs.
func (x *Index) build() {
	for first := runLength * len(x.high); first+runLength <= len(x.bars); first += runLength {
		high, low := extremesOf(x.bars[first : first+runLength])
		x.high, x.low = append(x.high, high), append(x.low, low)
	}
}

func extremesOf(bars []Bar) (high, low int64) {
	high, low = math.MinInt64, math.MaxInt64
	for i := range bars {
		high, low = max(high, bars[i].High), min(low, bars[i].Low)
	}
	return high, low
}

// During returns the part of the window whose bars open within a period.
func (w Window) During(within Range) Window {
	from := sort.Search(len(w.Bars), func(i int) bool { return w.Bars[i].Time >= within.From })
	to := from + sort.Search(len(w.Bars)-from, func(i int) bool { return w.Bars[from+i].Time >= within.To })
	w.Bars, w.offset = w.Bars[from:to], w.offset+from
	return w
}

// extremes returns the highest and the lowest price in the bars from one up to, but not
// including, another. Without a bar the highest is below the lowest.
func (w Window) extremes(from, to int) (high, low int64) {
	if w.Index == nil || to-from < 2*runLength {
		return extremesOf(w.Bars[from:max(from, to)])
	}
	w.Index.build()
	first, last := (w.offset+from+runLength-1)/runLength, (w.offset+to)/runLength
	high, low = extremesOf(w.Bars[from : first*runLength-w.offset])
	for run := first; run < last; run++ {
		high, low = max(high, w.Index.high[run]), min(low, w.Index.low[run])
	}
	h, l := extremesOf(w.Bars[last*runLength-w.offset : to])
	return max(high, h), min(low, l)
}

// findEnd returns the first bar, from the given one on, ending after an instant in
// microseconds. It searches near the given bar first.
func (b Block) findEnd(from int, at int64) int {
	isAfter := func(i int) bool { return (b.Bars[i].Time+b.Secs)*micros > at }
	to, step := from, 1
	for to < len(b.Bars) && !isAfter(to) {
		from, to, step = to+1, to+step, 2*step
	}
	to = min(to, len(b.Bars))
	return from + sort.Search(to-from, func(i int) bool { return isAfter(from + i) })
}
