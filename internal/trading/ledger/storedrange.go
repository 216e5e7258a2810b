package ledger

import (
	"cmp"
	"context"
	"slices"

	"fillbook/internal/base/db"
)

const (
	// minRange is how many arrivals make it worth reading all fills stored in their
	// period at once, in the table's order.
	minRange = 500
	// maxRangeShare is how many stored fills may be read for each arrival.
	maxRangeShare = 2

	storedInRange = ` FROM executions WHERE user_id = $1 AND account = $2 AND executed_at >= $3 AND executed_at < $4`
)

var (
	countInRange    = `SELECT COUNT(*) FROM (SELECT 1 AS one` + storedInRange + db.Limit(5) + `) AS few`
	comparedInRange = `SELECT ` + comparedColumns + storedInRange + ` ORDER BY executed_at, seq`
)

// matchRange matches arrivals by content with fills stored in all streams, from the first
// to the last arrival second. Reading a period sequentially takes a fraction of the time
// that reading its streams one by one takes. matched is false if nothing was done because
// there are few arrivals, or because the period has many more fills.
func (d *deduper) matchRange(ctx context.Context, arrivals []*arrival) (matched bool, err error) {
	list := unknownByTime(arrivals)
	if len(list) < minRange {
		return false, nil
	}
	m := &rangeMatcher{deduper: d, arrivals: list, streams: map[*streamKey]int64{}}
	if err := m.findStreams(ctx); err != nil {
		return false, err
	}
	args := []any{d.b.owner, d.b.account.number, startOfSecond(list[0]).At, startOfSecond(list[len(list)-1]).At + second}
	if limit := maxRangeShare * len(list); d.b.nextSeq-1 > int64(limit) {
		stored := 0
		if err := d.b.tx.QueryRow(ctx, countInRange, append(slices.Clip(args), limit+1)...).Scan(&stored); err != nil || stored > limit {
			return false, err
		}
	}
	reader := d.b.newFillReader((*fill).scanCompared)
	err = db.EachAhead(ctx, d.b.tx, func(row db.Scanner) error {
		f, err := reader.read(row)
		m.add(f)
		return err
	}, comparedInRange, args...)
	m.matchCurrent()
	return true, err
}

// unknownByTime returns the unmatched arrivals in time order.
func unknownByTime(arrivals []*arrival) []*arrival {
	list := make([]*arrival, 0, len(arrivals))
	for _, a := range arrivals {
		if a.known == nil {
			list = append(list, a)
		}
	}
	if !slices.IsSortedFunc(list, byArrivalTime) {
		slices.SortStableFunc(list, byArrivalTime)
	}
	return list
}

// rangeMatcher matches arrivals in many streams with stored fills read in time order,
// second by second.
type rangeMatcher struct {
	*deduper
	arrivals []*arrival           // those that are not before the current second
	streams  map[*streamKey]int64 // their stream numbers; 0 if nothing is stored
	second   int64                // when the current second starts
	stored   []*fill              // fills stored in the current second
}

// findStreams looks up the arrivals' streams.
func (m *rangeMatcher) findStreams(ctx context.Context) error {
	for _, a := range m.arrivals {
		if _, known := m.streams[a.key]; known {
			continue
		}
		s, err := m.b.findStream(ctx, *a.key)
		if err != nil {
			return err
		}
		m.streams[a.key] = 0
		if s != nil {
			m.streams[a.key] = s.number
		}
	}
	return nil
}

// add adds the next stored fill.
func (m *rangeMatcher) add(f *fill) {
	m.b.read++
	if start := f.at - f.at%second; start != m.second {
		m.matchCurrent()
		m.second, m.stored = start, m.stored[:0]
	}
	m.stored = append(m.stored, f)
}

// matchCurrent matches the current second's arrivals with its stored fills.
func (m *rangeMatcher) matchCurrent() {
	here := m.takeArrivals()
	if len(here) == 0 {
		return
	}
	byStream := func(f, g *fill) int { return cmp.Compare(f.stream, g.stream) }
	slices.SortStableFunc(m.stored, byStream)
	slices.SortStableFunc(here, func(a, b *arrival) int { return cmp.Compare(m.streams[a.key], m.streams[b.key]) })
	for stored := m.stored; len(stored) > 0 && len(here) > 0; {
		number := stored[0].stream
		n := countWhile(stored, func(f *fill) bool { return f.stream == number })
		here = here[countWhile(here, func(a *arrival) bool { return m.streams[a.key] < number }):]
		same := countWhile(here, func(a *arrival) bool { return m.streams[a.key] == number })
		m.matchSecond(here[:same], stored[:n])
		stored, here = stored[n:], here[same:]
	}
}

// takeArrivals returns the current second's arrivals and removes them and all before
// them.
func (m *rangeMatcher) takeArrivals() []*arrival {
	m.arrivals = m.arrivals[countWhile(m.arrivals, func(a *arrival) bool { return a.at < m.second }):]
	n := countWhile(m.arrivals, func(a *arrival) bool { return a.at < m.second+second })
	here := m.arrivals[:n]
	m.arrivals = m.arrivals[n:]
	return here
}

// countWhile counts the elements before the first that does not meet a condition.
func countWhile[T any](list []T, meets func(T) bool) int {
	for i, element := range list {
		if !meets(element) {
			return i
		}
	}
	return len(list)
}
