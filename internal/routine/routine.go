// Package routine is the daily checklist: what a trader means to do before,
// during and after the session, on which days, and what was really done.
//
// An [Item] holds from its start day up to, and without, its end day. Past
// days are never rewritten: to change an item's stage or weekdays ends it on
// that day and begins a successor, which takes the ticks of that day and later
// along; to delete it ends it. Only the title is changed in place.
//
// A tick may be set on any day before the item's end, also off its schedule
// and before its start. Whatever is scheduled on a day or ticked on it makes
// up that day's [Checklist], and the history is nothing but the checklists of
// its days counted.
//
// The first call of a user makes items of the checklist template, and ticks of
// the ticked lines of the daily logs written before. It happens once, whoever
// calls, however many call at once.
//
// The rules are pure functions; [Service] puts them into transactions.
package routine

import (
	"context"
	"errors"

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

// Service is the routine of everybody on one installation. Each method is
// one transaction.
type Service struct {
	db    *db.DB
	clock journal.Clock
	logs  DailyLogs
}

// New makes the service. logs gives what the user wrote before the routine
// was first used; nil means that there is nothing to be found.
func New(d *db.DB, clock journal.Clock, logs DailyLogs) *Service {
	if logs == nil {
		logs = func(context.Context, *db.Tx, journal.UserID, func(DailyLog) error) error { return nil }
	}
	return &Service{db: d, clock: clock, logs: logs}
}

// dayOrToday is the day that the caller calls today, by default the date in UTC.
func (s *Service) dayOrToday(day journal.Day) journal.Day {
	if day == "" {
		return s.clock.Today()
	}
	return day
}

var errUnseeded = errors.New("the routine has not been used yet")

// read runs fn on one snapshot of a routine that was seeded.
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
		return s.db.View(ctx, fn) // a routine that nobody has begun is an empty one
	}
	if err != nil {
		return err
	}
	return s.db.View(ctx, look)
}

// change runs fn in one transaction on a routine that was seeded, and alone:
// of two changes to one user's routine the second waits for the first.
func (s *Service) change(ctx context.Context, owner journal.UserID, firstDay journal.Day, fn func(*db.Tx) error) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		if err := s.seed(ctx, tx, owner, firstDay); err != nil {
			return err
		}
		return fn(tx)
	})
}

// runCheck runs the caller's own check of a stored record, where there is one.
func runCheck[T any](check func(T) error, stored T) error {
	if check == nil {
		return nil
	}
	return check(stored)
}

func errNoItem() error { return journal.NotFound("routine item") }
