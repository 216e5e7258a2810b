package market

import (
	"cmp"
	"slices"
	"sort"
)

// Hours is when a series should have bars: the time declared by its files, and time
// without bars in which the market was open. The calendar decides what is open, or the
// bars on the same weekday and time in the weeks around it if there is no calendar, if it
// is a broker's, or if the series is from another market. docs/metrics.md has the rule.
// It is not safe for concurrent use.
type Hours struct {
	sessions *Sessions
	// declared is in order and without overlaps, as is observed: the declared time with
	// all pauses up to a week.
	declared, observed []Range
	// gaps are the missing parts before each declared range but the first, once they are
	// needed.
	gaps  [][]missingPart
	weeks map[int64]weekCheck
	modes map[int64]bool  // isByBars answers
	spans map[int64]Range // open time by session start
}

// HoursReach is how many seconds around a time have the bars deciding whether it is open.
const HoursReach = (votingWeeks + 2) * week

const (
	// weekStart is the start of a week, when fewest markets are open: Saturday, 12:00 in
	// UTC.
	weekStart = 2*day + day/2
	// votingWeeks is how many weeks before and after a time are compared with it, and
	// leastVotes how many must be observed.
	votingWeeks = 4
	leastVotes  = 2
	// leastWeeks is how many weeks must have bars to say something about a calendar.
	leastWeeks = 3
	// leastStrange is how many seconds per week outside the usual hours are a sign of
	// another market, if in addition one of maxLacking parts of the hours is missing.
	leastStrange = 60 * 60
	maxLacking   = 10
	// shortGap is how many seconds next to bars are not missing if only bars say so:
	// clocks change, and a day's first bar may be late.
	shortGap = 60 * 60
)

// missingPart is a time in which a series should have bars.
type missingPart struct {
	Range
	// isDoubtful reports whether it is unknown if the market was open.
	isDoubtful bool
	// isVoted reports whether bars in other weeks show it was.
	isVoted bool
}

// NewHours returns the hours for a series with its declared time, which must be in order
// and without overlaps.
func NewHours(sessions *Sessions, declared []Range) *Hours {
	return &Hours{
		sessions: sessions, declared: declared, observed: Union(declared, week),
		gaps: make([][]missingPart, len(declared)), weeks: map[int64]weekCheck{}, modes: map[int64]bool{}, spans: map[int64]Range{},
	}
}

// HeldTime is how much of a period a position was held in an open market, in
// microseconds.
type HeldTime struct {
	// Covered is the declared part of Held.
	Covered, Held int64
	// Missing contains all undeclared parts, in seconds; it is empty if none.
	Missing Range
	// IsDoubtful reports whether the market may have been closed in some missing parts.
	IsDoubtful bool
}

func (h *HeldTime) addMissing(from, to int64, part missingPart) {
	from, to = max(from, part.From*micros), min(to, part.To*micros)
	if from >= to {
		return
	}
	h.Held += to - from
	if h.Missing == (Range{}) {
		h.Missing.From = floorDiv(from, micros)
	}
	h.Missing.To = floorDiv(to+micros-1, micros)
	h.IsDoubtful = h.IsDoubtful || part.isDoubtful
}

// CoveredTime returns how much of the time from from to to, in microseconds, a position
// was held while the market was open, and how much of it is declared. Declared time
// counts as open.
func (h *Hours) CoveredTime(from, to int64) (held HeldTime) {
	i := sort.Search(len(h.declared), func(i int) bool { return h.declared[i].To*micros > from })
	if i < len(h.declared) && h.declared[i].From*micros <= from && to <= h.declared[i].To*micros {
		return HeldTime{Covered: to - from, Held: to - from}
	}
	for ; ; i++ {
		for _, part := range h.missingBefore(i, Range{From: floorDiv(from, micros), To: floorDiv(to, micros) + 1}) {
			held.addMissing(from, to, part)
		}
		if i == len(h.declared) || h.declared[i].From*micros >= to {
			return held
		}
		covered := max(min(to, h.declared[i].To*micros)-max(from, h.declared[i].From*micros), 0)
		held.Covered, held.Held = held.Covered+covered, held.Held+covered
	}
}

// missingBefore returns the missing parts in the pause before a declared range; those
// before the first and after the last one are cut to a period.
func (h *Hours) missingBefore(i int, within Range) []missingPart {
	gap := h.gapBefore(i)
	if i == 0 || i == len(h.declared) {
		// A cut part must not look like a short one.
		within = Range{From: max(gap.From, within.From-2*shortGap), To: min(gap.To, within.To+2*shortGap)}
		return h.findMissing(gap, within)
	}
	if h.gaps[i] == nil {
		h.gaps[i] = append([]missingPart{}, h.findMissing(gap, gap)...)
	}
	return h.gaps[i]
}

// gapBefore returns the time without bars before a declared range.
func (h *Hours) gapBefore(i int) Range {
	gap := Range{From: -1 << 40, To: 1 << 40}
	if i > 0 {
		gap.From = h.declared[i-1].To
	}
	if i < len(h.declared) {
		gap.To = h.declared[i].From
	}
	return gap
}

// findMissing returns the missing parts of a gap within a period.
func (h *Hours) findMissing(gap, within Range) (list []missingPart) {
	if h.sessions.calendar == AroundTheClock {
		return appendPart(nil, missingPart{Range: within})
	}
	// No bars are near the middle in a long gap.
	middle := Range{From: gap.From + HoursReach, To: gap.To - HoursReach}
	for part := (Range{From: within.From}); part.From < within.To; part.From = part.To {
		part.To = min(within.To, weekOf(part.From)*week+weekStart+week)
		switch {
		case middle.From <= part.From && part.From < middle.To:
			part.To = min(within.To, middle.To)
			list = h.appendOpen(list, part)
		case h.isByBars(weekOf(part.From)):
			list = h.appendVoted(list, part)
		default:
			list = h.appendOpen(list, part)
		}
	}
	return slices.DeleteFunc(list, func(p missingPart) bool {
		return p.isVoted && p.To-p.From <= shortGap && (p.From == gap.From || p.To == gap.To)
	})
}

// weekOf returns the week number of an instant in seconds.
func weekOf(at int64) int64 { return floorDiv(at-weekStart, week) }

// appendPart appends a part, or extends the last one by it.
func appendPart(list []missingPart, p missingPart) []missingPart {
	if p.From >= p.To {
		return list
	}
	if n := len(list); n > 0 && list[n-1].To == p.From && list[n-1].isDoubtful == p.isDoubtful && list[n-1].isVoted == p.isVoted {
		list[n-1].To = p.To
		return list
	}
	return append(list, p)
}

// appendOpen appends the time in which the calendar is open.
func (h *Hours) appendOpen(list []missingPart, within Range) []missingPart {
	for _, r := range h.sessions.openRanges(within) {
		list = appendPart(list, missingPart{Range: r, isDoubtful: h.sessions.calendar == NoCalendar})
	}
	return list
}

// appendVoted appends the time in which the bars in other weeks show an open market.
func (h *Hours) appendVoted(list []missingPart, within Range) []missingPart {
	cuts := h.cutsOf(within)
	for i := 1; i < len(cuts); i++ {
		part := Range{From: cuts[i-1], To: cuts[i]}
		switch votes, all := h.vote(part.From); {
		case all < leastVotes:
			list = h.appendOpen(list, part)
		case 2*votes > all:
			for _, r := range h.withoutHolidays(part) {
				list = appendPart(list, missingPart{Range: r, isVoted: true})
			}
		}
	}
	return list
}

// cutsOf returns the instants in a range at which votes may change, with its ends, in
// order.
func (h *Hours) cutsOf(within Range) []int64 {
	cuts := []int64{within.From, within.To}
	for k := int64(-votingWeeks); k <= votingWeeks; k++ {
		shifted := Range{From: within.From + k*week, To: within.To + k*week}
		for _, ranges := range [][]Range{h.declared, h.observed} {
			for _, r := range rangesDuring(ranges, shifted) {
				cuts = append(cuts, max(r.From, shifted.From)-k*week, min(r.To, shifted.To)-k*week)
			}
		}
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

// vote returns how many weeks around an instant are observed at the same weekday and
// time, and how many have bars there.
func (h *Hours) vote(at int64) (votes, all int) {
	for k := int64(-votingWeeks); k <= votingWeeks; k++ {
		other := Range{From: at + k*week, To: at + k*week + 1}
		if k == 0 || len(rangesDuring(h.observed, other)) == 0 {
			continue
		}
		all++
		votes += len(rangesDuring(h.declared, other))
	}
	return votes, all
}

// withoutHolidays returns a range without the holidays in a broker's calendar.
func (h *Hours) withoutHolidays(within Range) (list []Range) {
	if !h.hasHolidays() {
		return []Range{within}
	}
	for at := within.From; at < within.To; {
		s := h.sessions.find(at)
		part := Range{From: at, To: min(s.To, within.To)}
		if s.holiday.From < s.holiday.To {
			part.To = min(part.To, max(s.holiday.From, at))
		}
		list = append(list, part)
		at = s.To
	}
	return list
}

// hasHolidays reports whether the holidays of the calendar count even if its hours do
// not.
func (h *Hours) hasHolidays() bool {
	s := h.sessions.calendar.schedule
	return s != nil && s.isBroker
}

// weekCheck is how the bars of a week agree with the calendar.
type weekCheck struct {
	// hasBars reports whether there are any, isAgainst whether they say that the hours of
	// the calendar are not those of the series.
	hasBars, isAgainst bool
}

// isByBars reports whether bars decide what is open in a week.
func (h *Hours) isByBars(number int64) bool {
	switch h.sessions.calendar {
	case AroundTheClock:
		return false
	case NoCalendar:
		return true
	}
	isByBars, known := h.modes[number]
	if !known {
		isByBars = h.isContradicted(number)
		h.modes[number] = isByBars
	}
	return isByBars
}

// isContradicted reports whether most of the weeks around one speak against the calendar.
func (h *Hours) isContradicted(number int64) bool {
	all, against := 0, 0
	for k := number - votingWeeks; k <= number+votingWeeks; k++ {
		c, known := h.weeks[k]
		if !known {
			c = h.checkWeek(k)
			h.weeks[k] = c
		}
		if c.hasBars {
			all++
		}
		if c.isAgainst {
			against++
		}
	}
	return all >= leastWeeks && 2*against > all
}

// checkWeek compares the bars of a week with the calendar. A broker's calendar is left for
// bars that have at least half of its hours.
func (h *Hours) checkWeek(number int64) weekCheck {
	start := number*week + weekStart
	within := Range{From: start, To: start + week}
	declared := rangesDuring(h.declared, within)
	if len(declared) == 0 {
		return weekCheck{}
	}
	var open, present, strange int64
	strange = lengthOf(declared, within)
	for at := within.From; at < within.To; {
		s := h.sessions.find(at)
		for _, r := range appendOverlaps(nil, s.open, within) {
			present += lengthOf(declared, r)
			open += lengthOf(rangesDuring(h.observed, r), r)
		}
		for _, r := range appendOverlaps(nil, s.wide, within) {
			strange -= lengthOf(declared, r)
		}
		at = s.To
	}
	c := weekCheck{hasBars: true, isAgainst: strange >= leastStrange && maxLacking*(open-present) > open}
	if h.hasHolidays() {
		c.isAgainst = 2*present >= open
	}
	return c
}

// span returns the time of a session from the first opening to the last close.
func (h *Hours) span(s *session) Range {
	if len(h.declared) == 0 || h.sessions.calendar == AroundTheClock || !h.isByBars(weekOf(s.From)) {
		return s.openSpan()
	}
	found, known := h.spans[s.From]
	if known {
		return found
	}
	i := sort.Search(len(h.declared), func(i int) bool { return h.declared[i].To > s.From })
	var parts []Range
	for ; i <= len(h.declared); i++ {
		for _, p := range h.missingBefore(i, s.Range) {
			parts = appendOverlaps(parts, []Range{p.Range}, s.Range)
		}
		if i == len(h.declared) || h.declared[i].From >= s.To {
			break
		}
		parts = appendOverlaps(parts, h.declared[i:i+1], s.Range)
	}
	if len(parts) > 0 {
		last := slices.MaxFunc(parts, func(a, b Range) int { return cmp.Compare(a.To, b.To) })
		found = Range{From: parts[0].From, To: last.To}
	}
	h.spans[s.From] = found
	return found
}

// Of is [Calendar.SessionOf].
func (h *Hours) Of(at int64) Range { return h.sessions.Of(at) }

// End returns when the session of an instant ends: the end of the open time, or of the
// session itself if the instant is after that. All are in seconds.
func (h *Hours) End(at int64) int64 {
	s := h.sessions.find(at)
	if end := h.span(s).To; at < end {
		return end
	}
	return s.To
}

// isWhole reports whether nine tenths of the open time of a session are declared.
func (h *Hours) isWhole(at int64) bool {
	s := h.sessions.find(at)
	if h.isByBars(weekOf(s.From)) {
		held := h.CoveredTime(s.From*micros, s.To*micros)
		return held.Covered > 0 && 10*held.Covered >= 9*held.Held
	}
	var open, covered int64
	for _, r := range s.open {
		open += r.To - r.From
		covered += lengthOf(rangesDuring(h.declared, r), r)
	}
	return open > 0 && 10*covered >= 9*open
}
