package market

// RangeBuilder collects the time for which a file of bars says what happened; see
// [DeclaredRanges]. Its zero value is not ready: use NewRangeBuilder.
type RangeBuilder struct {
	secs     int64
	calendar Calendar
	session  Range
	declared []Range
}

// NewRangeBuilder returns a builder for bars of the given length.
func NewRangeBuilder(secs int64, calendar Calendar) *RangeBuilder {
	return &RangeBuilder{secs: secs, calendar: calendar}
}

// Add adds bars, which must be later than those of the last call.
func (r *RangeBuilder) Add(bars []Bar) {
	for _, bar := range bars {
		if n := len(r.declared); n > 0 && bar.Time < r.session.To {
			r.declared[n-1].To = bar.Time + r.secs
			continue
		}
		r.session = r.calendar.SessionOf(bar.Time)
		r.declared = append(r.declared, Range{From: bar.Time, To: bar.Time + r.secs})
	}
}

// Ranges returns the declared time of the bars so far, in order.
func (r *RangeBuilder) Ranges() []Range {
	if r.calendar == AroundTheClock {
		// The market never closes, so a short pause around midnight is a pause like
		// any other.
		return Union(r.declared, 5*r.secs-1)
	}
	return r.declared
}
