package market

// Sessions finds the sessions of a calendar and keeps those that it found: to find one
// in a zone with changing clocks takes longer than to measure a trade. It is not safe
// for concurrent use.
type Sessions struct {
	calendar Calendar
	known    map[int64][]sessionHours // by the day of UTC
	last     sessionHours             // the one that was found last
}

// sessionHours is a session and the time in it in which the market is open, which is
// empty on weekends.
type sessionHours struct {
	session, open Range
}

// NewSessions returns the sessions of a calendar.
func NewSessions(c Calendar) *Sessions {
	return &Sessions{calendar: c, known: map[int64][]sessionHours{}}
}

// find returns the session that contains an instant in seconds.
func (s *Sessions) find(at int64) sessionHours {
	if s.calendar == AroundTheClock {
		session := s.calendar.SessionOf(at)
		return sessionHours{session, session}
	}
	if s.last.session.From <= at && at < s.last.session.To {
		return s.last
	}
	key := floorDiv(at, day)
	for _, h := range s.known[key] {
		if h.session.From <= at && at < h.session.To {
			s.last = h
			return h
		}
	}
	h := sessionHours{session: s.calendar.SessionOf(at)}
	if open := s.calendar.OpenRanges(h.session); len(open) > 0 {
		h.open = open[0]
	}
	s.known[key] = append(s.known[key], h)
	s.last = h
	return h
}

// Of is [Calendar.SessionOf].
func (s *Sessions) Of(at int64) Range { return s.find(at).session }

// End returns when the session of an instant ends: the end of the open time, or of the
// session itself if the instant is after that. All are in seconds.
func (s *Sessions) End(at int64) int64 {
	h := s.find(at)
	if at < h.open.To {
		return h.open.To
	}
	return h.session.To
}

// CoveredTime is [CoveredTime] for ranges that are in order and do not overlap.
func (s *Sessions) CoveredTime(from, to int64, declared []Range) (covered, held int64) {
	h := s.find(floorDiv(from, micros))
	if to >= h.session.To*micros {
		return CoveredTime(from, to, declared, s.calendar)
	}
	covered = overlap(from, to, declared)
	// The open time and the declared time, less what is in both.
	held = covered + overlap(from, to, []Range{h.open})
	for _, r := range declared {
		held -= overlap(from, to, []Range{{From: max(r.From, h.open.From), To: min(r.To, h.open.To)}})
	}
	return covered, held
}
