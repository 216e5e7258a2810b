package connections

import (
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/jobs"
)

// Progress is how far a connection has fetched. A pass fetches everything from its
// beginning to the present; it may take several runs.
type Progress struct {
	// CoversFrom and CoversTo are the period fetched and stored without a gap; nil before
	// the first window is complete.
	CoversFrom, CoversTo *time.Time
	// Position is where the next window of the present pass begins; nil between two
	// passes.
	Position *time.Time
	// WindowTo is the end of a window of which only a part was fetched.
	WindowTo *time.Time
	// State is what the connector keeps.
	State string
	// CompletedAt is the end of the last far-reaching pass; the first one is one.
	CompletedAt *time.Time
	// Revision counts the changes after which a run must begin again.
	Revision int64
}

const (
	// leastDelay is how old a fill must be at least before it is fetched: brokers list
	// new ones late.
	leastDelay = time.Minute
	// historyMargin is the time after the end of a broker's history that is not asked
	// for: it may be over when the request arrives.
	historyMargin = time.Hour
	// deepEvery is how often a pass looks far back, and deepTime how far.
	deepEvery = 7 * 24 * time.Hour
	deepTime  = 35 * 24 * time.Hour
	// jitterTime is the longest time by which daily runs differ, and hourlyJitter by
	// which hourly ones do.
	jitterTime   = 15 * time.Minute
	hourlyJitter = 6 * time.Minute
)

// firstDay is where a pass begins if neither the user nor the broker has a limit.
const firstDay journal.Day = "2010-01-01"

// timing computes the windows of a broker at one time.
type timing struct {
	about connector.Description
	zone  *time.Location
	now   time.Time
}

func newTiming(about connector.Description, now time.Time) timing {
	zone, err := time.LoadLocation(about.Zone)
	if err != nil {
		zone = time.UTC
	}
	return timing{about: about, zone: zone, now: now}
}

// midnight returns the start of an instant's day, some days later.
func (t timing) midnight(at time.Time, days int) time.Time {
	year, month, day := at.In(t.zone).Date()
	return time.Date(year, month, day+days, 0, 0, 0, 0, t.zone).UTC()
}

// today returns the present day of the broker.
func (t timing) today() journal.Day { return journal.DayOf(t.now.In(t.zone)) }

// startOf returns the start of a day of the broker.
func (t timing) startOf(day journal.Day) time.Time {
	year, month, date := day.Time().Date()
	return time.Date(year, month, date, 0, 0, 0, 0, t.zone).UTC()
}

// earliest returns the first instant to fetch.
func (t timing) earliest(since journal.Day) time.Time {
	if since == "" {
		since = firstDay
	}
	first := t.startOf(since)
	if t.about.History == 0 {
		return first
	}
	oldest := t.now.Add(historyMargin - t.about.History)
	if t.about.WholeDays {
		oldest = t.midnight(oldest, 1)
	}
	return later(first, oldest)
}

// end returns the instant up to which the broker is sure to return everything.
func (t timing) end() time.Time {
	end := t.now.Add(-max(t.about.Delay, leastDelay))
	if t.about.WholeDays {
		end = t.midnight(end, 0)
	}
	return end
}

// windowEnd returns the end of a window from its start.
func (t timing) windowEnd(from, end time.Time) time.Time {
	to := end
	switch {
	case t.about.Window > 0 && t.about.WholeDays:
		to = t.midnight(from, max(int(t.about.Window/(24*time.Hour)), 1))
	case t.about.Window > 0:
		to = from.Add(t.about.Window)
	}
	return earlier(to, end)
}

// begin begins a pass, unless one has begun. lost is the time the broker no longer has;
// it is empty if nothing was lost.
func (t timing) begin(p *Progress, since journal.Day) (lost string) {
	first := t.earliest(since)
	if p.CoversTo != nil && p.CoversTo.Before(first) {
		lost = describeTime(*p.CoversTo, first, t.zone)
		*p = Progress{Revision: p.Revision}
	}
	oldest := first
	if p.WindowTo != nil { // the broker still answers for a window that has begun
		oldest = first.Add(-historyMargin)
	}
	if p.Position != nil && p.Position.Before(oldest) {
		p.Position, p.WindowTo = &first, nil
	}
	if p.Position != nil {
		return lost
	}
	from := first
	if p.CoversTo != nil {
		back := t.about.Overlap
		if t.isDeep(*p) {
			back = max(back, deepTime)
		}
		from = p.CoversTo.Add(-back)
		if t.about.WholeDays {
			from = t.midnight(from, 0)
		}
		from = later(from, later(first, *p.CoversFrom))
	}
	p.Position, p.WindowTo = &from, nil
	return lost
}

// isDeep reports whether the present pass looks far back.
func (t timing) isDeep(p Progress) bool {
	return p.CompletedAt == nil || t.now.Sub(*p.CompletedAt) >= deepEvery
}

// complete moves a progress to the end of a window of which a part has been fetched, all
// of it as a rule. After a gap the covered time begins again.
func (p *Progress) complete(windowTo, from, to time.Time) {
	p.Position, p.WindowTo = &windowTo, nil
	switch {
	case !from.Before(to):
	case p.CoversTo == nil || p.CoversTo.Before(from):
		p.CoversFrom, p.CoversTo = &from, &to
	case p.CoversTo.Before(to):
		p.CoversTo = &to
	}
}

// endPass ends a pass. The next one begins a little before its end.
func (t timing) endPass(p *Progress) {
	if t.isDeep(*p) {
		p.CompletedAt = &t.now
	}
	p.Position = nil
}

// moveBack forgets what was fetched after a time, so it is fetched again. Without a time
// everything is.
func (p *Progress) moveBack(to *time.Time) {
	kept := Progress{Revision: p.Revision + 1}
	if to != nil && p.CoversFrom != nil && to.After(*p.CoversFrom) {
		end := earlier(*to, *p.CoversTo)
		kept.CoversFrom, kept.CoversTo, kept.CompletedAt = p.CoversFrom, &end, p.CompletedAt
	}
	*p = kept
}

// limit makes the covered period begin with the first wanted day, or forgets it if that
// day is earlier.
func (p *Progress) limit(first time.Time) {
	p.Position, p.WindowTo, p.State = nil, nil, ""
	p.Revision++
	switch {
	case p.CoversFrom == nil:
	case first.Before(*p.CoversFrom), !first.Before(*p.CoversTo):
		p.CoversFrom, p.CoversTo, p.CompletedAt = nil, nil, nil
	default:
		p.CoversFrom = &first
	}
}

// done returns the completed part of the first pass, or nil after it.
func (p Progress) done(now time.Time) *float64 {
	if p.CompletedAt != nil || p.CoversTo == nil {
		return nil
	}
	part := float64(p.CoversTo.Sub(*p.CoversFrom)) / float64(max(now.Sub(*p.CoversFrom), 1))
	return &part
}

// next returns when a connection is due after a run, or nil if it is only when asked.
func (t timing) next(schedule Schedule, id journal.ConnectionID) *time.Time {
	var at time.Time
	switch schedule {
	case Hourly:
		at = t.now.Add(time.Hour + jobs.Jitter(string(id), hourlyJitter))
	case Daily:
		for days := 0; !at.After(t.now); days++ {
			year, month, day := t.now.In(t.zone).Date()
			// The clock shows this time also on days on which it is changed.
			of := time.Date(year, month, day+days, 0, int(t.about.DailyAt/time.Minute), 0, 0, t.zone)
			at = of.Add(jobs.Jitter(string(id), jitterTime)).UTC()
		}
	default:
		return nil
	}
	return &at
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func describeTime(from, to time.Time, zone *time.Location) string {
	const layout = "2006-01-02"
	return from.In(zone).Format(layout) + " to " + to.In(zone).Format(layout)
}
