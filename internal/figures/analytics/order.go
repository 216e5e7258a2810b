package analytics

import (
	"math/bits"
	"slices"
	"sort"

	"fillbook/internal/base/decimal"
)

// sortKeys assigns keys that sort like the numbers: the numbers themselves if they fit
// into 64 bits, else their ranks. Medians, windows and heaps then work on plain integers.
type sortKeys[T number[T]] struct {
	keys []int64
	// byRank maps a key to its number if keys are ranks.
	byRank []T
}

func newSortKeys[T number[T]](values []T) sortKeys[T] {
	keys := make([]int64, len(values))
	var zero T
	if !zero.keys(keys, values) {
		return rankKeys(values)
	}
	return sortKeys[T]{keys: keys}
}

func rankKeys[T number[T]](values []T) sortKeys[T] {
	sorted := slices.Clone(values)
	slices.SortFunc(sorted, T.cmp)
	sorted = slices.CompactFunc(sorted, func(a, b T) bool { return a.cmp(b) == 0 })
	o := sortKeys[T]{keys: make([]int64, len(values)), byRank: sorted}
	for i, v := range values {
		rank, _ := slices.BinarySearchFunc(sorted, v, T.cmp)
		o.keys[i] = int64(rank)
	}
	return o
}

// decimal returns a key's number.
func (o *sortKeys[T]) decimal(key int64, scale int32) decimal.Decimal {
	if o.byRank != nil {
		return o.byRank[key].decimal(scale)
	}
	return newInt128(key).decimal(scale)
}

// twoThirdsKey returns the greatest key whose number is at most two thirds of the value
// at an index, or at most zero if the index is nowhere. The values must not be negative.
func (o *sortKeys[T]) twoThirdsKey(values []T, at int) int64 {
	if o.byRank == nil {
		if at == nowhere {
			return 0
		}
		key := o.keys[at]
		return key/3*2 + key%3*2/3
	}
	var limit T
	if at != nowhere {
		limit = values[at].times(2)
	}
	return int64(sort.Search(len(o.byRank), func(i int) bool { return o.byRank[i].times(3).cmp(limit) > 0 })) - 1
}

// half returns 0.5, which is exact, so a mean of two needs no rounding.
func half() decimal.Decimal { return decimal.FromScaled(5, 1) }

// middleKeys returns a list's two middle keys, which are the same if its length is odd.
// The list must not be empty.
func middleKeys(keys []int64) (low, high int64) {
	middle := selectRanks(keys, (len(keys)-1)/2, len(keys)/2)
	return middle[0], middle[1]
}

// selectNth returns the n-th smallest key, counted from 0.
func selectNth(keys []int64, n int) int64 { return selectRanks(keys, n)[0] }

// selectRanks returns the keys at some ranks, counted from 0 for the smallest. It counts
// the keys in 1024 spans with equal width and repeats this for each span containing a
// rank: at most seven times, and nearly always twice.
func selectRanks(keys []int64, ranks ...int) []int64 {
	const spans, spanBits = 1024, 10
	low, high := keys[0], keys[0]
	for _, key := range keys {
		low, high = min(low, key), max(high, key)
	}
	// Differences are taken as unsigned: they fit, whatever the signs.
	shift := max(0, bits.Len64(uint64(high)-uint64(low))-spanBits)
	var counts [spans]int32
	for _, key := range keys {
		counts[(uint64(key)-uint64(low))>>shift]++
	}
	found := make([]int64, len(ranks))
	var places [spans]uint8 // each needed span's place in inside, from 1 on
	inside := make([][]int64, 0, len(ranks))
	rest := make([]int, len(ranks))
	for i, n := range ranks {
		span := 0
		for ; n >= int(counts[span]); span++ {
			n -= int(counts[span])
		}
		found[i], rest[i] = int64(span), n
		if places[span] == 0 {
			inside = append(inside, make([]int64, 0, counts[span]))
			places[span] = uint8(len(inside))
		}
	}
	for _, key := range keys {
		if place := places[(uint64(key)-uint64(low))>>shift]; place > 0 {
			inside[place-1] = append(inside[place-1], key)
		}
	}
	for i, span := range found {
		if list := inside[places[span]-1]; shift == 0 {
			found[i] = list[0] // all are equal
		} else {
			found[i] = selectNth(list, rest[i])
		}
	}
	return found
}

// splitMix64 is the random number generator SplitMix64, which is short, fast and the
// same on every machine. Its value is the state, which starts as the seed.
type splitMix64 uint64

func (d *splitMix64) next() uint64 {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// intn returns a random number from 0 to n − 1. The multiplication's bias is below n /
// 2^32, which is negligible.
func (d *splitMix64) intn(n int) int {
	return int(d.next() >> 32 * uint64(n) >> 32)
}

// shuffle puts a list in random order.
func shuffle[T any](d *splitMix64, list []T) {
	for i := len(list) - 1; i > 0; i-- {
		j := d.intn(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}
