package oracle

import "fillbook/internal/prices/market"

// Market is what a calendar says about a second.
type Market struct {
	// NeverCloses and HasCalendar are false if nothing is known about the hours. IsBroker
	// reports whether the hours differ between brokers.
	NeverCloses, HasCalendar, IsBroker bool
	// IsOpen, IsUsual and IsHoliday are called only if HasCalendar is set.
	IsOpen, IsUsual, IsHoliday func(second int64) bool
}

// Series is a series' declared time, and its market.
type Series struct {
	Market
	Declared []market.Range
	// Step is the piece length, in seconds. All times must be multiples.
	Step int64

	weeks map[int64]weekTotals
}

const (
	daySecs  = 24 * 60 * 60
	weekSecs = 7 * daySecs
	hourSecs = 60 * 60
	// firstSaturday is Saturday, 3 January 1970, 12:00 in UTC, the start of week 0.
	firstSaturday = 2*daySecs + 12*hourSecs
)

// CoveredTime returns how many seconds in a period are declared, how many others are
// missing, and whether it is doubtful if the market was open in some of them: piece by
// piece, by the definition in docs/metrics.md.
func (s *Series) CoveredTime(from, to int64) (covered, missing int64, isDoubtful bool) {
	for at := from; at < to; at += s.Step {
		if s.isDeclared(at) {
			covered += s.Step
			continue
		}
		isOpen, isVoted, isUnknown := s.look(at)
		if !isOpen || isVoted && s.isShort(at) {
			continue
		}
		missing += s.Step
		isDoubtful = isDoubtful || isUnknown
	}
	return covered, missing, isDoubtful
}

func (s *Series) isDeclared(at int64) bool {
	for _, r := range s.Declared {
		if r.From <= at && at < r.To {
			return true
		}
	}
	return false
}

// isObserved reports whether a piece is declared, or in a pause of up to a week.
func (s *Series) isObserved(at int64) bool {
	before, after := int64(-1<<60), int64(1<<60)
	for _, r := range s.Declared {
		if r.From <= at && at < r.To {
			return true
		}
		if r.To <= at {
			before = max(before, r.To)
		} else {
			after = min(after, r.From)
		}
	}
	return after-before <= weekSecs
}

// look returns whether the market was open in a piece without bars, whether other weeks
// say so, and whether nothing does.
func (s *Series) look(at int64) (isOpen, isVoted, isUnknown bool) {
	if s.NeverCloses {
		return true, false, false
	}
	if s.isByBars(at) {
		votes, all := 0, 0
		for _, k := range []int64{-4, -3, -2, -1, 1, 2, 3, 4} {
			if s.isObserved(at + k*weekSecs) {
				all++
			}
			if s.isDeclared(at + k*weekSecs) {
				votes++
			}
		}
		if all >= 2 {
			isHoliday := s.IsBroker && s.IsHoliday(at)
			return votes*2 > all && !isHoliday, true, false
		}
	}
	if !s.HasCalendar {
		return true, false, true
	}
	return s.IsOpen(at), false, false
}

// isShort reports whether a piece belongs to a missing period up to an hour, next to
// bars.
func (s *Series) isShort(at int64) bool {
	isSame := func(at int64) bool {
		isOpen, isVoted, _ := s.look(at)
		return !s.isDeclared(at) && isOpen && isVoted
	}
	from, to := at, at+s.Step
	for to-from <= hourSecs && isSame(from-s.Step) {
		from -= s.Step
	}
	for to-from <= hourSecs && isSame(to) {
		to += s.Step
	}
	return to-from <= hourSecs && (s.isDeclared(from-s.Step) || s.isDeclared(to))
}

// isByBars reports whether the bars decide what is open, and not the calendar.
func (s *Series) isByBars(at int64) bool {
	if !s.HasCalendar {
		return true
	}
	number := (at - firstSaturday) / weekSecs
	weeks, against := 0, 0
	for k := number - 4; k <= number+4; k++ {
		totals := s.totalsOf(k)
		if totals.declared > 0 {
			weeks++
		}
		if s.isAgainst(totals) {
			against++
		}
	}
	return weeks >= 3 && against*2 > weeks
}

// weekTotals are a week's totals in seconds.
type weekTotals struct {
	declared int64
	// unusual is declared at unusual times, open is when the market is open and the
	// series observed, and present its declared part.
	unusual, open, present int64
}

func (s *Series) isAgainst(t weekTotals) bool {
	switch {
	case t.declared == 0:
		return false
	case s.IsBroker:
		return t.present*2 >= t.open
	}
	return t.unusual >= hourSecs && (t.open-t.present)*10 > t.open
}

func (s *Series) totalsOf(number int64) (t weekTotals) {
	if known, ok := s.weeks[number]; ok {
		return known
	}
	start := firstSaturday + number*weekSecs
	for at := start; at < start+weekSecs; at += s.Step {
		isDeclared, isOpen := s.isDeclared(at), s.IsOpen(at)
		if isDeclared {
			t.declared += s.Step
			if !s.IsUsual(at) {
				t.unusual += s.Step
			}
		}
		if isOpen && s.isObserved(at) {
			t.open += s.Step
		}
		if isOpen && isDeclared {
			t.present += s.Step
		}
	}
	if s.weeks == nil {
		s.weeks = map[int64]weekTotals{}
	}
	s.weeks[number] = t
	return t
}
