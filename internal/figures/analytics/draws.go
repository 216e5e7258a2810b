package analytics

import "math"

// draws is the random numbers behind drawn histories. Breakdown rows all begin with the
// same seed, so they share them.
type draws struct {
	count   int // histories to draw
	seed    uint64
	numbers []uint32
}

// newDraws returns the numbers to draw histories from at most that many days.
func newDraws(count, days int, seed uint64) *draws {
	d := &draws{count: count, seed: seed, numbers: make([]uint32, count*min(days, evidenceBlocks))}
	generator := splitMix64(seed)
	for i := range d.numbers {
		d.numbers[i] = uint32(generator.next() >> 32)
	}
	return d
}

// drawnHistory is one drawn history's result, mean result per trade and profit factor.
type drawnHistory[T number[T]] struct {
	net          T
	trades       int
	mean, factor float64
}

func newDrawnHistory[T number[T]](trades int, losses, even, profits T, scale int32) drawnHistory[T] {
	h := drawnHistory[T]{net: losses.add(even).add(profits), trades: trades, factor: math.Inf(1)}
	h.mean = h.net.float(scale) / float64(trades)
	if losses.sign() != 0 {
		h.factor = profits.float(scale) / -losses.float(scale)
	}
	return h
}

// drawHistories draws histories, each with as many blocks as given.
func drawHistories[T number[T]](from []tally[T], scale int32, d *draws) []drawnHistory[T] {
	list := make([]drawnHistory[T], d.count)
	short := shortenBlocks(from)
	var zero T
	for i := range list {
		numbers := d.numbers[i*len(from) : (i+1)*len(from)]
		if short != nil {
			t := drawShort(short, numbers)
			list[i] = newDrawnHistory(int(t.trades), zero.fromKey(t.losses), zero.fromKey(t.even), zero.fromKey(t.profits), scale)
			continue
		}
		var t tally[T]
		for _, number := range numbers {
			t = t.plus(&from[drawIndex(number, len(from))])
		}
		list[i] = newDrawnHistory(t.trades(), t.lossSum(), t.sum[breakeven-loss], t.profitSum(), scale)
	}
	return list
}

// drawIndex returns a number from 0 to n − 1; see [splitMix64.intn].
func drawIndex(number uint32, n int) int { return int(uint64(number) * uint64(n) >> 32) }

// shortBlock is a block's sums in 64 bits, which are several times faster to add up.
type shortBlock struct{ losses, even, profits, trades int64 }

// shortenBlocks returns blocks in 64 bits, nil if a sum of drawn blocks may not fit.
func shortenBlocks[T number[T]](from []tally[T]) []shortBlock {
	const most = math.MaxInt64 / evidenceBlocks
	list := make([]shortBlock, len(from))
	for i := range from {
		var sums [outcomeCount]int64
		for k, sum := range from[i].sum {
			key, fits := sum.key()
			if !fits || key > most || key < -most {
				return nil
			}
			sums[k] = key
		}
		list[i] = shortBlock{losses: sums[0], even: sums[breakeven-loss], profits: sums[win-loss], trades: int64(from[i].trades())}
	}
	return list
}

// drawShort adds up the blocks that the numbers draw.
func drawShort(from []shortBlock, numbers []uint32) (sum shortBlock) {
	for _, number := range numbers {
		block := &from[drawIndex(number, len(from))]
		sum.losses += block.losses
		sum.even += block.even
		sum.profits += block.profits
		sum.trades += block.trades
	}
	return sum
}

// findBounds returns the history with cut histories below it, and the one with as many
// above it. Equal ones are in drawing order.
func findBounds[T number[T]](list []drawnHistory[T], cut int, of func(*drawnHistory[T]) float64) (low, high *drawnHistory[T]) {
	keys := make([]int64, len(list))
	for i := range list {
		keys[i] = floatKey(of(&list[i]))
	}
	return &list[findNth(keys, cut)], &list[findNth(keys, len(keys)-1-cut)]
}

// floatKey returns an int64 that sorts like a float.
func floatKey(v float64) int64 {
	bits := int64(math.Float64bits(v + 0)) // without -0
	return bits ^ (bits >> 63 & math.MaxInt64)
}

// findNth returns the index of the n-th smallest key, counted from 0; equal keys are in
// list order.
func findNth(keys []int64, n int) int {
	value, at := selectNth(keys, n), 0
	for _, key := range keys {
		if key < value {
			n--
		}
	}
	for i, key := range keys {
		if key != value {
			continue
		}
		at = i
		if n--; n < 0 {
			break
		}
	}
	return at
}
