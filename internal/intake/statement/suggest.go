package statement

import (
	"cmp"
	"slices"
)

// SuggestMapping suggests which column holds what. Each target has at most one column,
// and each column at most one target.
//
// Names alone do not decide it. "Time" is a time of day next to a "Date" and a whole
// moment without one; with two columns "Price", the first is for opening a trade, and the
// second for closing it.
func SuggestMapping(headers []string) map[Target]int {
	s := newSuggestion(headers)
	s.bareOpenAndClose(headers)
	s.twins(headers)
	if s.roundTrips() {
		s.mapTrip()
	} else {
		s.mapFill()
	}
	if slices.ContainsFunc(headers, func(h string) bool { return lettersOf(h) == "limitprice" }) {
		s.drop(TargetStopPrice) // an order's trigger, not a planned stop
	}
	if !s.has(TargetOptionRight) && !s.has(TargetStrike) {
		s.drop(TargetOrderID) // only option legs are found by it, and each fill would be larger
	}
	mapping := map[Target]int{}
	for target, columns := range s.columns {
		if len(columns) > 0 {
			mapping[target] = columns[0]
		}
	}
	return mapping
}

// suggestion lists the possible columns for each target, best first.
type suggestion struct {
	columns map[Target][]int
}

func newSuggestion(headers []string) *suggestion {
	s := &suggestion{columns: map[Target][]int{}}
	ranks := make([]int, len(headers))
	for i, h := range headers {
		if m, ok := meaningOf(h); ok {
			s.columns[m.target] = append(s.columns[m.target], i)
			ranks[i] = m.rank
		}
	}
	for _, columns := range s.columns {
		slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(ranks[a], ranks[b]) })
	}
	return s
}

func (s *suggestion) has(t Target) bool { return len(s.columns[t]) > 0 }

func (s *suggestion) drop(targets ...Target) {
	for _, t := range targets {
		delete(s.columns, t)
	}
}

// become moves a target's best column to another target without one.
func (s *suggestion) become(from, to Target) {
	if s.has(from) && !s.has(to) {
		s.columns[to] = s.columns[from][:1:1]
		s.columns[from] = s.columns[from][1:]
	}
}

// bareOpenAndClose reads columns "Open" and "Close": they are times next to a
// price, and prices if something else is the time.
func (s *suggestion) bareOpenAndClose(headers []string) {
	timed := s.has(TargetDate) || s.has(TargetTime) || s.has(TargetExecutedAt) || s.has(TargetOpenDate) || s.has(TargetCloseDate)
	if s.has(TargetPrice) || s.has(TargetOpenPrice) || s.has(TargetClosePrice) || !timed {
		return
	}
	bare := func(t Target, word string) bool {
		return len(s.columns[t]) == 1 && lettersOf(headers[s.columns[t][0]]) == word
	}
	if bare(TargetOpenTime, "open") && bare(TargetCloseTime, "close") {
		s.become(TargetOpenTime, TargetOpenPrice)
		s.become(TargetCloseTime, TargetClosePrice)
	}
}

// twins reads columns with the same name: times and prices are those for opening and
// closing, and a second commission column is another fee, as in Japanese statements.
func (s *suggestion) twins(headers []string) {
	for _, pair := range [...]struct{ of, first, second Target }{
		{TargetTime, TargetOpenTime, TargetCloseTime},
		{TargetExecutedAt, TargetOpenTime, TargetCloseTime},
		{TargetDate, TargetOpenDate, TargetCloseDate},
		{TargetPrice, TargetOpenPrice, TargetClosePrice},
		{TargetCommission, TargetCommission, TargetFees},
	} {
		columns := s.columns[pair.of]
		if len(columns) < 2 || HeaderKey(headers[columns[0]]) != HeaderKey(headers[columns[1]]) || s.has(pair.second) {
			continue
		}
		if pair.first != pair.of && s.has(pair.first) {
			continue
		}
		s.drop(pair.of)
		s.columns[pair.first], s.columns[pair.second] = columns[:1:1], columns[1:2:2]
	}
}

// roundTrips reports whether a row is a whole trade: it has two prices or two times.
func (s *suggestion) roundTrips() bool {
	opens := s.has(TargetOpenTime) || s.has(TargetOpenDate)
	closes := s.has(TargetCloseTime) || s.has(TargetCloseDate)
	price := s.has(TargetPrice) || s.has(TargetOpenPrice)
	return price && s.has(TargetClosePrice) || s.has(TargetOpenPrice) && closes || opens && closes
}

// mapTrip settles times and prices for rows with whole trades. A single date stays a date
// for both ends; next to one end's date it is the other end's.
func (s *suggestion) mapTrip() {
	s.become(TargetPrice, TargetOpenPrice)
	s.drop(TargetPrice)
	s.becomeEnd(TargetOpenTime, TargetOpenDate, s.has(TargetCloseTime) || s.has(TargetCloseDate))
	s.becomeEnd(TargetCloseTime, TargetCloseDate, s.has(TargetOpenTime) || s.has(TargetOpenDate))
	if s.has(TargetOpenTime) || s.has(TargetCloseTime) {
		s.drop(TargetExecutedAt, TargetDate, TargetTime)
	} else {
		s.oneMoment()
	}
}

// becomeEnd settles one end of a trade when the other is known.
func (s *suggestion) becomeEnd(time, date Target, other bool) {
	if other && !s.has(time) && !s.has(date) {
		switch {
		case s.has(TargetExecutedAt):
			s.become(TargetExecutedAt, time)
		case s.has(TargetDate) && s.has(TargetTime):
			s.become(TargetDate, date)
			s.become(TargetTime, time)
		case s.has(TargetDate):
			s.become(TargetDate, date)
		default:
			s.become(TargetTime, time)
		}
	}
	if !s.has(time) {
		s.become(date, time)
	}
}

// mapFill settles times and prices for rows with fills. An order's closing time is its
// fill time.
func (s *suggestion) mapFill() {
	s.become(TargetOpenPrice, TargetPrice)
	s.drop(TargetOpenPrice, TargetClosePrice)
	if !s.has(TargetExecutedAt) && !s.has(TargetDate) && !s.has(TargetTime) {
		for _, t := range []Target{TargetCloseTime, TargetCloseDate, TargetOpenTime, TargetOpenDate} {
			s.become(t, TargetExecutedAt)
		}
	}
	s.drop(TargetOpenTime, TargetOpenDate, TargetCloseTime, TargetCloseDate)
	s.oneMoment()
}

// oneMoment settles when the row happened: a column for the whole moment, or else a date
// with a time, or else either.
func (s *suggestion) oneMoment() {
	switch {
	case s.has(TargetExecutedAt):
		s.drop(TargetDate, TargetTime)
	case s.has(TargetDate) && s.has(TargetTime):
	default:
		s.become(TargetDate, TargetExecutedAt)
		s.become(TargetTime, TargetExecutedAt)
		s.drop(TargetDate, TargetTime)
	}
}
