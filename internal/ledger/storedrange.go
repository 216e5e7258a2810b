package ledger

import (
	"context"
	"math"
	"slices"

	"fillbook/internal/db"
)

// storedFills are the stored fills of one stream in time order. The intervals of
// successive calls must be in order and must not overlap.
type storedFills interface {
	between(from, to int64) []*fill
}

// fillList is a list of stored fills that were read before.
type fillList struct{ rest []*fill }

func (l *fillList) between(from, to int64) []*fill {
	for len(l.rest) > 0 && l.rest[0].at < from {
		l.rest = l.rest[1:]
	}
	n := 0
	for n < len(l.rest) && l.rest[n].at < to {
		n++
	}
	here := l.rest[:n]
	l.rest = l.rest[n:]
	return here
}

const (
	// minRange is the number of arrivals from which all stored fills of their
	// period may be read at once, in the order of the table.
	minRange = 500
	// maxRangeShare is how many stored fills may be read for each arrival.
	maxRangeShare = 2

	storedInRange = ` FROM executions WHERE user_id = $1 AND account = $2 AND executed_at >= $3 AND executed_at < $4`
)

var (
	countInRange    = `SELECT COUNT(*) FROM (SELECT 1 AS one` + storedInRange + db.Limit(5) + `) AS few`
	comparedInRange = `SELECT ` + comparedColumns + storedInRange + ` ORDER BY executed_at, seq`
)

// loadRange reads the stored fills of the streams of arrivals, from the first to
// the last second of the arrivals, by the number of their stream. A sequential
// read of a period takes a fraction of the time of reading its streams one by
// one. loaded is false if there are few arrivals, or if the period has many
// more fills.
func (d *deduper) loadRange(ctx context.Context, groups map[*streamKey][]*arrival) (byStream map[int64]*fillList, loaded bool, err error) {
	count, first, last := 0, int64(math.MaxInt64), int64(math.MinInt64)
	for _, list := range groups {
		count += len(list)
		first, last = min(first, startOfSecond(list[0]).At), max(last, startOfSecond(list[len(list)-1]).At)
	}
	if count < minRange {
		return nil, false, nil
	}
	byStream = make(map[int64]*fillList, len(groups))
	for key := range groups {
		s, err := d.b.findStream(ctx, *key)
		if err != nil {
			return nil, false, err
		}
		if s != nil {
			byStream[s.number] = &fillList{}
		}
	}
	args := []any{d.b.owner, d.b.account.number, first, last + second}
	stored, limit := 0, maxRangeShare*count
	if err := d.b.tx.QueryRow(ctx, countInRange, append(slices.Clip(args), limit+1)...).Scan(&stored); err != nil || stored > limit {
		return nil, false, err
	}
	d.b.read += stored
	return byStream, true, db.Each(ctx, d.b.tx, func(row db.Scanner) error {
		f, err := d.b.scanCompared(row)
		if list := byStream[f.stream]; list != nil {
			list.rest = append(list.rest, f)
		}
		return err
	}, comparedInRange, args...)
}
