package alerts

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// state is up to where a user's journal was evaluated.
type state struct {
	owner      journal.UserID
	position   int64
	dueAt      time.Time
	backedUpAt *time.Time
}

// isChanged reports whether something was written since, up to a position.
func (s *state) isChanged(position int64) bool { return s.position != position }

const (
	// pollTime is how often a server looks for journals to evaluate, and gatherTime how long
	// it waits after a write, so that the writes of a burst are evaluated together.
	pollTime   = 4 * time.Second
	gatherTime = 500 * time.Millisecond
	// leaseTime is how long a server has to evaluate the journals that it took.
	leaseTime = 30 * time.Second
	// atOnce is how many journals it takes at a time.
	atOnce = 32
)

// Wake makes the service look for changed journals soon. It is called after a commit.
func (s *Service) Wake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Run evaluates journals until the context ends.
func (s *Service) Run(ctx context.Context) {
	ticker := time.NewTicker(pollTime)
	defer ticker.Stop()
	gather := time.NewTimer(0)
	defer gather.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
			gather.Reset(gatherTime)
			continue
		case <-gather.C:
		case <-ticker.C:
		}
		if err := s.RunDue(ctx); err != nil && ctx.Err() == nil {
			s.Log.Warn("evaluating alerts failed", "error", err)
		}
	}
}

// RunDue evaluates the journals that changed or are due.
func (s *Service) RunDue(ctx context.Context) error {
	for {
		claimed, err := s.claim(ctx)
		if err != nil || len(claimed) == 0 {
			return err
		}
		var done []finished
		var failed error
		for _, owner := range claimed {
			result, err := s.evaluateOne(ctx, owner)
			if err != nil {
				// The lease is kept: the journal is tried again after it.
				failed = errors.Join(failed, fmt.Errorf("user %d: %w", owner.owner, err))
				continue
			}
			done = append(done, result)
		}
		if err := s.finish(ctx, done); err != nil {
			return errors.Join(failed, err)
		}
		if failed != nil {
			return failed
		}
	}
}

// claim takes changed or due journals, so that no other server evaluates them now.
func (s *Service) claim(ctx context.Context) (claimed []state, err error) {
	now := db.Micros(s.Clock())
	due, err := db.Get(ctx, s.DB.Peek, func(tx *db.Tx) ([]journal.UserID, error) {
		return db.List(ctx, tx, db.Single[journal.UserID], `SELECT h.user_id FROM `+history.LastChanges+` h LEFT JOIN alert_states s ON s.user_id = h.user_id
			WHERE (s.user_id IS NULL OR s.lease_until <= $1 AND (s.position <> h.position OR s.due_at <= $1))
			ORDER BY h.at, h.user_id`+db.Limit(2), now, atOnce)
	})
	if err != nil || len(due) == 0 {
		return nil, err
	}
	err = s.DB.Update(ctx, func(tx *db.Tx) error {
		claimed = nil
		slices.Sort(due) // two servers lock rows in one order
		for _, owner := range due {
			_, err := tx.Exec(ctx, `INSERT INTO alert_states (user_id, position, due_at, lease_until)
				VALUES ($1, 0, 0, 0) ON CONFLICT (user_id) DO NOTHING`, owner)
			if err != nil {
				return err
			}
			st := state{owner: owner}
			err = tx.QueryRow(ctx, `UPDATE alert_states SET lease_until = $1 WHERE user_id = $2 AND lease_until <= $3 RETURNING position, due_at, backed_up_at`,
				now+leaseTime.Microseconds(), owner, now).Scan(&st.position, db.Instant(&st.dueAt), db.NullInstant(&st.backedUpAt))
			if errors.Is(err, db.ErrNoRows) {
				continue // another server has it
			}
			if err != nil {
				return err
			}
			claimed = append(claimed, st)
		}
		return nil
	})
	return claimed, err
}

// finished is an evaluated journal.
type finished struct {
	owner    journal.UserID
	position int64
	next     time.Time
}

// finish stores up to where journals were evaluated.
func (s *Service) finish(ctx context.Context, list []finished) error {
	return s.DB.Update(ctx, func(tx *db.Tx) error {
		for _, f := range list {
			_, err := tx.Exec(ctx, `UPDATE alert_states SET position = $1, due_at = $2, lease_until = 0 WHERE user_id = $3`,
				f.position, db.Micros(f.next), f.owner)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// evaluateOne evaluates a journal and stores new alerts. A panic becomes an error: it must
// not end the server.
func (s *Service) evaluateOne(ctx context.Context, st state) (f finished, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	e := &evaluation{service: s, owner: st.owner, now: s.Clock(), state: st}
	err = s.DB.View(ctx, func(tx *db.Tx) error {
		e.tx = tx
		return e.run(ctx)
	})
	if err != nil {
		return f, err
	}
	e.found = slices.DeleteFunc(e.found, func(a Alert) bool { return !a.isRecent(e.now) })
	if len(e.found)+len(e.devices) > 0 {
		err = s.DB.Update(ctx, func(tx *db.Tx) error { return s.storeFound(ctx, tx, e) })
	}
	return finished{st.owner, e.position, e.next}, err
}

// maxStored is how many alerts one evaluation stores; more are not for people.
const maxStored = 200

// storeFound stores the alerts that are new and enabled, and hands them to the sender.
func (s *Service) storeFound(ctx context.Context, tx *db.Tx, e *evaluation) error {
	for _, agent := range e.devices {
		_, err := tx.Exec(ctx, `INSERT INTO alert_devices (user_id, user_agent) VALUES ($1, $2) ON CONFLICT (user_id, user_agent) DO NOTHING`, e.owner, agent)
		if err != nil {
			return err
		}
	}
	wanted, err := ReadSettings(ctx, tx, e.owner)
	if err != nil {
		return err
	}
	keys := make([]string, len(e.found))
	for i := range e.found {
		keys[i] = e.found[i].dedup
	}
	known := map[string]bool{}
	err = db.EachIn(ctx, tx, keys, func(row db.Scanner) error {
		key, err := db.Single[string](row)
		known[key] = true
		return err
	}, `SELECT dedup FROM alerts WHERE user_id = $1 AND dedup IN $keys`, e.owner)
	if err != nil {
		return err
	}
	slices.SortStableFunc(e.found, func(a, b Alert) int { return a.At.Compare(b.At) })
	stored := 0
	for i := range e.found {
		a := e.found[i]
		if known[a.dedup] || !wanted.Wants(a.Kind) || stored >= min(maxStored, limits.Alerts.Max) {
			continue
		}
		if a.Kind == DailyLoss {
			if passed, err := hasHigherLevel(ctx, tx, e.owner, &a); err != nil || passed {
				if err != nil {
					return err
				}
				continue
			}
		}
		a.ID, a.FiredAt = journal.NewID[journal.AlertID](), e.now
		if isNew, err := insert(ctx, tx, e.owner, &a); err != nil || !isNew {
			if err != nil {
				return err
			}
			continue
		}
		stored++
		if s.Sender != nil {
			if err := s.Sender.SendAlert(ctx, tx, e.owner, &a, wanted); err != nil {
				return err
			}
		}
	}
	return nil
}

// hasHigherLevel reports whether a higher level of the same day's loss has fired, before
// the trades of that day changed.
func hasHigherLevel(ctx context.Context, tx *db.Tx, owner journal.UserID, a *Alert) (found bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM alerts WHERE user_id = $1 AND kind = $2 AND rule_id = $3 AND day = $4
		AND CAST(level AS INTEGER) > CAST($5 AS INTEGER))`, owner, DailyLoss, *a.Rule, string(a.Day), a.Level).Scan(&found)
	return found, err
}

// RecordBackup stores that the user downloaded a complete backup.
func (s *Service) RecordBackup(ctx context.Context, owner journal.UserID) error {
	return s.DB.Update(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO alert_states (user_id, position, due_at, lease_until, backed_up_at) VALUES ($1, 0, 0, 0, $2)
			ON CONFLICT (user_id) DO UPDATE SET backed_up_at = excluded.backed_up_at`, owner, db.Micros(s.Clock()))
		return err
	})
}
