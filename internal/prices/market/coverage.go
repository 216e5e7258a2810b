package market

import (
	"cmp"
	"slices"
)

// Range is a time from From up to, but not including, To, in seconds since 1970, UTC.
type Range struct {
	From, To int64
}

// Union returns the time in any of the ranges, in order and without overlaps. Ranges at
// most gap seconds apart become one.
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

// DeclaredRanges returns the time for which a bar file says what happened: for each
// session in the calendar, from its first bar's opening to its last bar's end. A minute
// without a bar inside it is a minute without a trade.
func DeclaredRanges(bars []Bar, secs int64, calendar Calendar) []Range {
	builder := NewRangeBuilder(secs, calendar)
	builder.Add(bars)
	return builder.Ranges()
}
