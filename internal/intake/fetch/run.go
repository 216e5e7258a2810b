package fetch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/outbound"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/jobs"
)

// The limits for a run and its record.
const (
	// MaxRequests and MaxTime end a run: the rest is fetched by the next one.
	MaxRequests = 500
	MaxTime     = 10 * time.Minute
	// LeastPause is the time between two runs a user starts.
	LeastPause = time.Minute
	// maxFailing is how long a record is tried again.
	maxFailing = 10 * 24 * time.Hour
)

var (
	// ErrEnough ends a run that has reached one of its limits.
	ErrEnough = errors.New("the run has reached its limit")
	// ErrStore ends a run that could not be stored.
	ErrStore = errors.New("storing a run")
)

// StoreError returns an error that wraps ErrStore.
func StoreError(err error) error { return fmt.Errorf("%w: %w", ErrStore, err) }

// IsRefusal reports whether an error may be shown to the user.
func IsRefusal(err error) bool {
	var refusal *journal.Error
	return errors.As(err, &refusal)
}

// IsExpected reports whether an error is a condition the record's state shows: one of
// every provider, or one of the given ones.
func IsExpected(err error, others ...error) bool {
	var limited *remote.RateLimited
	return IsRefusal(err) || errors.As(err, &limited) || slices.ContainsFunc(
		append(others, ErrEnough, remote.ErrUnauthorized, remote.ErrForbidden, remote.ErrUnavailable, outbound.ErrBusy),
		func(kind error) bool { return errors.Is(err, kind) })
}

// Runner is a run: what differs between the kinds.
type Runner interface {
	// Begin reads the record, and records that the run has begun.
	Begin(ctx context.Context) error
	// Fetch fetches until everything is there or an error stops it.
	Fetch(ctx context.Context) error
	// LogUnexpected logs the error of Fetch unless the record's state shows it.
	LogUnexpected(err error)
	// End records how the run ended and when the next one is due.
	End(ctx context.Context, err error) error
}

// Execute runs a job.
func Execute(ctx context.Context, job jobs.Job, r Runner) error {
	ctx = jobs.WithCaller(ctx, job.Owner)
	if err := r.Begin(ctx); err != nil {
		return err
	}
	err := r.Fetch(ctx)
	if ctx.Err() != nil {
		return ctx.Err() // the server stops, or the job is lost: it is claimed again
	}
	if errors.Is(err, ErrStore) {
		return err
	}
	if err != nil {
		r.LogUnexpected(err)
	}
	return r.End(ctx, err)
}

// Hold holds a job and returns its record, locked. It is a step.
func (k *Kind[ID, T, R]) Hold(ctx context.Context, tx *db.Tx, job jobs.Job) (none T, err error) {
	if err := jobs.Hold(ctx, tx, job); err != nil {
		return none, err
	}
	return k.Read(ctx, tx, job.Owner, ID(job.ID), tx.Lock())
}

// BeginRun ends the record's open runs with a message: they were interrupted, and their
// claims are over. Then it stores a run's record, unless that is nil. It is a step.
func (s *Service[ID, T, R, P]) BeginRun(ctx context.Context, tx *db.Tx, job jobs.Job, interrupted string, run *R) error {
	if err := s.endOpenRuns(ctx, tx, job, s.Clock(), StatusInterrupted, interrupted); err != nil || run == nil {
		return err
	}
	_, err := tx.Exec(ctx, s.Runs.Insert(), s.Runs.Values(job.Owner, run)...)
	return err
}

func (k *Kind[ID, T, R]) endOpenRuns(ctx context.Context, tx *db.Tx, job jobs.Job, now time.Time, outcome Status, message string) error {
	_, err := tx.Exec(ctx, `UPDATE `+k.Runs.Name+` SET outcome = $1, message = $2, ended_at = $3 WHERE user_id = $4 AND `+k.RunOf+` = $5 AND ended_at IS NULL`,
		outcome, message, db.Micros(now), job.Owner, job.ID)
	return err
}

// Verdict is what a run means for its record.
type Verdict struct {
	Status  Status
	Message string
	jobs.Outcome
	// Err ends the transaction in which the run is judged.
	Err error
}

// NewWaiting returns the verdict for a run after which the next one is due at a time.
func NewWaiting(message string, next time.Time) Verdict {
	return Verdict{Status: StatusWaiting, Message: message, Outcome: jobs.Outcome{Next: &next}}
}

// NewAttention returns the verdict for a run after which the user must do something.
func NewAttention(message string) Verdict {
	return Verdict{Status: StatusAttention, Message: message}
}

// NewFailure returns the verdict for a failed run: it is tried again after a time, or
// after the job's if the time is 0, and no longer if it has failed for ten days. describe
// completes the message.
func NewFailure(job jobs.Job, now time.Time, title, message string, after time.Duration, describe func(string) string) Verdict {
	if after == 0 {
		after = job.Delay()
	}
	v := NewWaiting(describe(message), now.Add(after))
	v.Failed = true
	if hasFailedLong(job, now) {
		v.Status, v.Next, v.Message = StatusFailed, nil, describe(title+" hasn't answered for ten days. Start a run to try again.")
	}
	return v
}

func hasFailedLong(job jobs.Job, now time.Time) bool {
	return job.FailingSince != nil && now.Sub(*job.FailingSince) > maxFailing
}

// EndRun records how a run ended and when the next one is due. judge decides it, and sets
// the current record's status and message. run is nil if it has no record.
func (s *Service[ID, T, R, P]) EndRun(
	ctx context.Context, job jobs.Job, run *R, requests int, judge func(tx *db.Tx, record *T, now time.Time) Verdict,
) error {
	now := s.Clock()
	return s.DB.Update(ctx, func(tx *db.Tx) error {
		record, err := s.Hold(ctx, tx, job)
		if err != nil {
			return err
		}
		v := judge(tx, &record, now)
		if v.Err != nil {
			return v.Err
		}
		s.StateOf(&record).LastRunAt = &now
		if err := s.Store(ctx, tx, job.Owner, &record); err != nil {
			return err
		}
		if run != nil {
			ended := *run
			common := s.RunIn(&ended)
			common.EndedAt, common.Outcome, common.Message, common.Requests = &now, v.Status, v.Message, requests
			if err := s.StoreRun(ctx, tx, job.Owner, &ended); err != nil {
				return err
			}
			if err := s.deleteOldRuns(ctx, tx, job, now); err != nil {
				return err
			}
		}
		return jobs.Finish(ctx, tx, job, now, v.Outcome)
	})
}

// deleteOldRuns deletes a record's runs that are not kept.
func (k *Kind[ID, T, R]) deleteOldRuns(ctx context.Context, tx *db.Tx, job jobs.Job, now time.Time) (err error) {
	of := k.Runs.Name + ` WHERE user_id = $1 AND ` + k.RunOf + ` = $2`
	if k.MaxAge > 0 {
		_, err = tx.Exec(ctx, `DELETE FROM `+of+` AND started_at < $3`, job.Owner, job.ID, db.Micros(now.Add(-k.MaxAge)))
	} else {
		_, err = tx.Exec(ctx, `DELETE FROM `+of+` AND id IN (SELECT id FROM `+of+` ORDER BY id DESC LIMIT 1000 OFFSET $3)`, job.Owner, job.ID, k.MaxRuns)
	}
	return err
}

// RecordFailed records that a run stopped because of an error on this server. stop
// returns the message for a record that is not tried again, empty for others. It returns
// when the job is due again, nil if not, and the record. It is a step.
func (s *Service[ID, T, R, P]) RecordFailed(
	ctx context.Context, tx *db.Tx, job jobs.Job, next time.Time, stop func(*T) string,
) (again *time.Time, record T, err error) {
	now := s.Clock()
	if record, err = s.Read(ctx, tx, job.Owner, ID(job.ID), tx.Lock()); err != nil {
		return nil, record, err
	}
	state := s.StateOf(&record)
	again = &next
	state.Status, state.Message = StatusWaiting, "The run stopped because of an error on this server. Fillbook tries again later."
	if message := stop(&record); message != "" {
		again, state.Status, state.Message = nil, StatusFailed, message
	} else if hasFailedLong(job, now) {
		again, state.Status = nil, StatusFailed
		state.Message = "All runs of ten days stopped because of an error on this server. Tell the person who runs it."
	}
	state.LastRunAt = &now
	if err := s.Store(ctx, tx, job.Owner, &record); err != nil {
		return nil, record, err
	}
	return again, record, s.endOpenRuns(ctx, tx, job, now, state.Status, state.Message)
}

// Shorten returns a text with at most some characters.
func Shorten(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
