package market

// RangeBuilder collects the time for which a bar file says what happened; see
// [DeclaredRanges]. Its zero value is not ready: use NewRangeBuilder.
type RangeBuilder struct {
	secs     int64
	calendar Calendar
	session  Range
	declared []Range
}

// NewRangeBuilder returns a builder for bars with the given length.
func NewRangeBuilder(secs int64, calendar Calendar) *RangeBuilder {
	return &RangeBuilder{secs: secs, calendar: calendar}
}

// Add adds bars, which must be later than those in the last call.
func (r *RangeBuilder) Add(bars []Bar) {
	for _, bar := range bars {
		if n := len(r.declared); n > 0 && bar.Time < r.session.To {
			r.declared[n-1].To = bar.Time + r.secs
			continue
		}
		r.session = r.sessionOf(bar.Time)
		r.declared = append(r.declared, Range{From: bar.Time, To: bar.Time + r.secs})
	}
}

// sessionOf returns a bar's session. Without a calendar it is an hour: Ranges joins them
// to sessions.
func (r *RangeBuilder) sessionOf(at int64) Range {
	if r.calendar == NoCalendar {
		start := floorDiv(at, hour) * hour
		return Range{From: start, To: start + hour}
	}
	return r.calendar.SessionOf(at)
}

const hour = 60 * 60

// Ranges returns the bars' declared time so far, in order.
func (r *RangeBuilder) Ranges() []Range {
	if r.calendar == NoCalendar {
		r.declared = joinDays(r.declared)
	}
	if r.calendar.hasDays() {
		// The market may never close, so a short pause around midnight is a pause like
		// any other.
		return Union(r.declared, 5*r.secs-1)
	}
	return r.declared
}

// joinDays joins the ranges in a day. A day begins in the middle of the longest pause
// shared by all days, in whole UTC hours, or at midnight if none.
func joinDays(hours []Range) (days []Range) {
	start := quietHour(hours) * hour
	for _, r := range hours {
		if n := len(days); n > 0 && floorDiv(days[n-1].From-start, day) == floorDiv(r.From-start, day) {
			days[n-1].To = max(days[n-1].To, r.To)
			continue
		}
		days = append(days, r)
	}
	return days
}

// quietHour returns the hour in the middle of the longest run of hours without a range, 0
// if there is no such hour.
func quietHour(ranges []Range) int64 {
	const hours = day / hour
	var isUsed [hours]bool
	for _, r := range ranges {
		for at := floorDiv(r.From, hour); at*hour < min(r.To, r.From+day); at++ {
			isUsed[at-floorDiv(at, hours)*hours] = true
		}
	}
	longest, found := 0, int64(0)
	run := 0
	for i := range 2 * hours { // twice, because a run may pass midnight
		if run++; isUsed[i%hours] {
			run = 0
		}
		if run > longest && run < hours {
			longest, found = run, int64(i-run+1+run/2)%hours
		}
	}
	return found
}
