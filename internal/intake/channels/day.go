package channels

import (
	"context"
	"encoding/json"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/jobs"
)

// DayJobKind is the kind of the jobs that send day.closed.
const DayJobKind = "channel_day"

// dayDelay is how long after midnight a day is closed.
const dayDelay = 5 * time.Minute

// recheckTime is how often the end of the day is computed again: the user may have changed
// the time zone.
const recheckTime = time.Hour

func dayKey(owner journal.UserID) jobs.Key {
	return jobs.Key{Owner: owner, Kind: DayJobKind, ID: "day"}
}

// lastDay returns the last day that has ended, and when it began and ended.
func lastDay(now time.Time, zone *time.Location) (day journal.Day, from, to time.Time) {
	local := now.Add(-dayDelay).In(zone)
	to = time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, zone)
	from = time.Date(local.Year(), local.Month(), local.Day()-1, 0, 0, 0, 0, zone)
	return journal.DayOf(local).AddDays(-1), from, to
}

// nextCheck returns when the next day may have ended.
func nextCheck(now time.Time, zone *time.Location) time.Time {
	local := now.Add(-dayDelay).In(zone)
	end := time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, zone).Add(dayDelay)
	if later := now.Add(recheckTime); later.Before(end) {
		return later
	}
	return end
}

// scheduleDays begins to send day.closed, with the present day.
func (s *Service) scheduleDays(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	now := s.Clock()
	state, err := jobs.Load(ctx, tx, dayKey(owner), now)
	if err != nil || state.DueAt != nil || state.Running {
		return err
	}
	zone, err := s.Zone(ctx, tx, owner)
	if err != nil {
		return err
	}
	day, _, _ := lastDay(now, zone)
	_, err = tx.Exec(ctx, `INSERT INTO channel_sequences (user_id, account_id, last, day) VALUES ($1, '', 0, $2)
		ON CONFLICT (user_id, account_id) DO UPDATE SET day = excluded.day`, owner, day)
	if err != nil {
		return err
	}
	return jobs.Schedule(ctx, tx, dayKey(owner), nextCheck(now, zone), "")
}

// Days returns the handler of the jobs that send day.closed.
func (s *Service) Days() jobs.Handler { return dayHandler{s} }

type dayHandler struct{ *Service }

// Run implements [jobs.Handler]. It closes the last day, once.
func (h dayHandler) Run(ctx context.Context, job jobs.Job) error {
	return h.DB.Update(ctx, func(tx *db.Tx) error {
		if err := jobs.Hold(ctx, tx, job); err != nil {
			return err
		}
		zone, err := h.Zone(ctx, tx, job.Owner)
		if err != nil {
			return err
		}
		now := h.Clock()
		day, from, to := lastDay(now, zone)
		n, err := tx.Exec(ctx, `UPDATE channel_sequences SET day = $1 WHERE user_id = $2 AND account_id = '' AND day < $1`, day, job.Owner)
		if err != nil {
			return err
		}
		if n > 0 {
			if err := h.closeDay(ctx, tx, job.Owner, day, from, to); err != nil {
				return err
			}
		}
		next := nextCheck(now, zone)
		return jobs.Finish(ctx, tx, job, now, jobs.Outcome{Next: &next})
	})
}

func (h dayHandler) closeDay(ctx context.Context, tx *db.Tx, owner journal.UserID, day journal.Day, from, to time.Time) error {
	trades, err := h.CountDay(ctx, tx, owner, from, to)
	if err != nil || trades == 0 {
		return err
	}
	return h.Emit(ctx, tx, owner, Event{
		Type: DayClosed, Day: day, Counts: map[string]int{"trade": trades}, Link: "/calendar/" + string(day),
	})
}

// RecordFailure implements [jobs.Handler].
func (h dayHandler) RecordFailure(_ context.Context, _ *db.Tx, _ jobs.Job, next time.Time) (*time.Time, error) {
	return &next, nil
}

// readAlert returns the alert in a webhook's body.
func readAlert(body string) (entry digestEntry, ok bool) {
	var parsed struct {
		Data digestEntry `json:"data"`
	}
	err := json.Unmarshal([]byte(body), &parsed)
	return parsed.Data, err == nil && parsed.Data.Alert != ""
}
