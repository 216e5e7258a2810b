package market

import (
	"cmp"
	"slices"
)

// Range is a time from From up to, but not including, To, in seconds since 1970, UTC.
type Range struct {
	From, To int64
}

// Union returns the time that is in any of the ranges, in order and without
// overlaps. Ranges whose distance is at most gap seconds become one.
func Union(ranges []Range, gap int64) []Range {
	ranges = slices.Clone(ranges)
	slices.SortFunc(ranges, func(a, b Range) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	union := ranges[:0]
	for _, r := range ranges {
		switch n := len(union); {
		case r.To <= r.From:
		case n > 0 && r.From <= union[n-1].To+gap:
			union[n-1].To = max(union[n-1].To, r.To)
		default:
			union = append(union, r)
		}
	}
	return union
}

// DeclaredRanges returns the time for which a file of bars says what happened: for
// each session of the calendar, from the opening of its first bar to the end of its
// last. A minute without a bar inside of that is a minute without a trade.
func DeclaredRanges(bars []Bar, secs int64, calendar Calendar) []Range {
	builder := NewRangeBuilder(secs, calendar)
	builder.Add(bars)
	return builder.Ranges()
}

// CoveredTime returns how much of the time from from to to, in microseconds, a
// position was held while the market was open, and how much of that is in the
// declared ranges. Time that is declared counts as open.
func CoveredTime(from, to int64, declared []Range, calendar Calendar) (covered, held int64) {
	open := calendar.OpenRanges(Range{From: floorDiv(from, micros), To: floorDiv(to, micros) + 1})
	declared = Union(declared, 0)
	covered = overlap(from, to, declared)
	held = overlap(from, to, Union(append(open, declared...), 0))
	return covered, held
}

// overlap returns how many microseconds of the time lie in the ranges, which do not
// overlap each other.
func overlap(from, to int64, ranges []Range) (sum int64) {
	for _, r := range ranges {
		sum += max(min(to, r.To*micros)-max(from, r.From*micros), 0)
	}
	return sum
}
