package market

import "sort"

// Sessions finds a calendar's sessions and caches them: finding one in a zone with
// changing clocks takes longer than measuring a trade. It is not safe for concurrent use.
type Sessions struct {
	calendar Calendar
	known    map[int64][]*session // by UTC day
	last     *session             // the last one found
}

// NewSessions returns a calendar's sessions.
func NewSessions(c Calendar) *Sessions {
	return &Sessions{calendar: c, known: map[int64][]*session{}, last: &session{}}
}

// find returns the session containing an instant in seconds.
func (s *Sessions) find(at int64) *session {
	if s.last.From <= at && at < s.last.To {
		return s.last
	}
	key := floorDiv(at, day)
	for _, known := range s.known[key] {
		if known.From <= at && at < known.To {
			s.last = known
			return known
		}
	}
	found := s.calendar.findSession(at)
	s.last = &found
	if !s.calendar.hasDays() {
		s.known[key] = append(s.known[key], s.last)
	}
	return s.last
}

// Of is [Calendar.SessionOf].
func (s *Sessions) Of(at int64) Range { return s.find(at).Range }

// openRanges returns when the market is open within a range, in time order.
func (s *Sessions) openRanges(within Range) (open []Range) {
	if s.calendar.hasDays() {
		return []Range{within}
	}
	at := within.From
	for n := 0; at < within.To && n < maxCalendarDays; n++ {
		found := s.find(at)
		open = appendOverlaps(open, found.open, within)
		at = found.To
	}
	return open
}

// appendOverlaps appends the parts of ranges within another.
func appendOverlaps(list, ranges []Range, within Range) []Range {
	for _, r := range ranges {
		if r = (Range{From: max(r.From, within.From), To: min(r.To, within.To)}); r.From < r.To {
			list = append(list, r)
		}
	}
	return list
}

// rangesDuring returns the ranges overlapping a period; they are in order and do not
// overlap.
func rangesDuring(ranges []Range, within Range) []Range {
	from := sort.Search(len(ranges), func(i int) bool { return ranges[i].To > within.From })
	to := from + sort.Search(len(ranges)-from, func(i int) bool { return ranges[from+i].From >= within.To })
	return ranges[from:to]
}

// lengthOf returns how many seconds in a period lie in ranges without overlaps.
func lengthOf(ranges []Range, within Range) (sum int64) {
	for _, r := range ranges {
		sum += max(min(r.To, within.To)-max(r.From, within.From), 0)
	}
	return sum
}
