package identity

import (
	"context"
	"sync"
	"time"

	"fillbook/internal/base/db"
)

const (
	auditDay = int64(24 * time.Hour / time.Microsecond)
	// auditFinal is how old a day must be for its event count to be cached. Events are
	// stored within minutes.
	auditFinal = 2 * auditDay
)

// auditCounts caches the event counts for past days, so an audit page counts only the
// last days' events.
type auditCounts struct {
	mu   sync.Mutex
	days map[int64]int // by day number since 1970, in UTC
}

// count returns the number of events since oldest, as of now; both are in
// microseconds since 1970.
func (c *auditCounts) count(ctx context.Context, tx *db.Tx, oldest, now int64) (total int, err error) {
	first, end := (oldest+auditDay-1)/auditDay, (now-auditFinal)/auditDay // the cached days
	if first >= end {
		err = tx.QueryRow(ctx, `SELECT COUNT(*) FROM audit_events WHERE at >= $1`, oldest).Scan(&total)
		return total, err
	}
	cached, err := c.pastDays(ctx, tx, first, end)
	if err != nil {
		return 0, err
	}
	err = tx.QueryRow(ctx, `
		SELECT (SELECT COUNT(*) FROM audit_events WHERE at >= $1 AND at < $2) + (SELECT COUNT(*) FROM audit_events WHERE at >= $3)`,
		oldest, first*auditDay, end*auditDay).Scan(&total)
	return cached + total, err
}

// pastDays returns the number of events from the first day up to, and not including, the
// end. It counts the days not cached yet, which are the last ones, and drops those before
// the first.
func (c *auditCounts) pastDays(ctx context.Context, tx *db.Tx, first, end int64) (total int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	missing := first
	for day := first; day < end; day++ {
		n, known := c.days[day]
		if !known {
			missing = day
			break
		}
		total += n
		missing = day + 1
	}
	counted := make(map[int64]int, end-first)
	for day := first; day < missing; day++ {
		counted[day] = c.days[day]
	}
	if missing < end {
		err = db.Each(ctx, tx, func(row db.Scanner) error {
			var day int64
			var n int
			err := row.Scan(&day, &n)
			counted[day] = n
			total += n
			return err
		}, `SELECT at / 86400000000 AS day, COUNT(*) FROM audit_events WHERE at >= $1 AND at < $2 GROUP BY at / 86400000000 ORDER BY day`,
			missing*auditDay, end*auditDay)
		if err != nil {
			return 0, err
		}
	}
	for day := missing; day < end; day++ {
		counted[day] += 0 // a day without events is known as well
	}
	c.days = counted
	return total, nil
}
