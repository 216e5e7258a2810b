// Package routine implements the daily checklist: what a trader plans to do before,
// during and after the session, on which days, and what was done.
//
// An [Item] is active from its start day to the day before its end day. Past days never
// change: changing an item's stage or weekdays ends it on that day and starts a
// successor, which gets the ticks from that day on; deleting an item ends it. Only the
// title changes in place.
//
// A tick may be set on any day before the item's end, also off its schedule and before
// its start. A day's [Checklist] has the items scheduled or ticked on it, and the history
// has the checklists' counts.
//
// A user's first call creates items from the checklist template, and ticks from ticked
// lines in earlier daily logs. This happens once, even if several calls are concurrent.
//
// The rules are pure functions; [Service] applies them in transactions.
package routine

import (
	"context"
	"errors"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Service manages all users' routines. Each method is one transaction.
type Service struct {
	db    *db.DB
	clock journal.Clock
	logs  DailyLogs
}

// New returns a service. logs returns a user's daily logs from before the routine was
// first used; it may be nil.
func New(d *db.DB, clock journal.Clock, logs DailyLogs) *Service {
	if logs == nil {
		logs = func(context.Context, *db.Tx, journal.UserID, func(DailyLog) error) error { return nil }
	}
	return &Service{db: d, clock: clock, logs: logs}
}

// dayOrToday returns the day, or today in UTC if it is empty.
func (s *Service) dayOrToday(day journal.Day) journal.Day {
	if day == "" {
		return s.clock.Today()
	}
	return day
}

var errUnseeded = errors.New("the routine has not been used yet")

// read runs fn in one snapshot, after the routine was seeded.
func (s *Service) read(ctx context.Context, owner journal.UserID, firstDay journal.Day, fn func(*db.Tx) error) error {
	look := func(tx *db.Tx) error {
		if seeded, err := isSeeded(ctx, tx, owner, ""); err != nil {
			return err
		} else if !seeded {
			return errUnseeded
		}
		return fn(tx)
	}
	err := s.db.View(ctx, look)
	if !errors.Is(err, errUnseeded) {
		return err
	}
	err = s.change(ctx, owner, firstDay, func(*db.Tx) error { return nil })
	if errors.Is(err, db.ErrReadOnly) {
		return s.db.View(ctx, fn) // a routine that was never used is empty
	}
	if err != nil {
		return err
	}
	return s.db.View(ctx, look)
}

// change runs fn in one transaction, after the routine was seeded. Changes to one user's
// routine are serialized.
func (s *Service) change(ctx context.Context, owner journal.UserID, firstDay journal.Day, fn func(*db.Tx) error) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		if err := s.seed(ctx, tx, owner, firstDay); err != nil {
			return err
		}
		return fn(tx)
	})
}

// runCheck calls the caller's check with a stored record, if there is one.
func runCheck[T any](check func(T) error, stored T) error {
	if check == nil {
		return nil
	}
	return check(stored)
}

func errNoItem() error { return journal.NotFound("routine item") }
