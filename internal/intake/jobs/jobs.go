// Package jobs runs background work that survives a crash and that only one of several
// servers does at a time.
//
// A job is a row with the time at which it is due. A server claims it for a minute and
// renews the claim while it works; if the server dies, another one claims the job after
// that minute. Each claim has a new number. A transaction in the work calls [Hold], which
// fails if the job was claimed again, so a server suspended for a while cannot write
// late.
//
// A run that returns an error, panics or ends its server is tried again, later each time,
// and its handler records the failure for the user.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Key identifies a job.
type Key struct {
	Owner journal.UserID
	// Kind selects the function running it; ID is the id of the record it works on.
	Kind, ID string
}

// Job is a claimed job.
type Job struct {
	Key
	// Request is what the [Schedule] caller asked for; empty if the job is due by itself.
	Request string
	// Failures counts the failed runs since the last success, and FailingSince is when
	// the first happened.
	Failures     int
	FailingSince *time.Time

	run int64
	// interrupted reports whether the previous claim was not ended: its server died.
	interrupted bool
}

// State is what is known about a job.
type State struct {
	// DueAt is nil if the job runs only when asked.
	DueAt *time.Time
	// Running reports whether a server has claimed the job.
	Running bool
	// StartedAt is when it was last claimed; nil before the first claim.
	StartedAt *time.Time
	// Request is what the last [Schedule] caller asked for, until the run ends.
	Request  string
	Failures int
}

// ErrLost means the job was claimed by another server, or deleted.
var ErrLost = errors.New("the job is no longer held by this server")

// How long a claim lasts and when it is renewed.
const (
	leaseTime = time.Minute
	renewTime = 20 * time.Second
)

// Schedule makes a job due at a time, or earlier if it already is, and creates it if it
// does not exist. A non-empty request replaces the last one. It runs inside a
// transaction.
func Schedule(ctx context.Context, tx *db.Tx, key Key, at time.Time, request string) error {
	_, err := tx.Exec(ctx, `INSERT INTO jobs (user_id, kind, id, due_at, request, run, lease_until, failures) VALUES ($1, $2, $3, $4, $5, 0, 0, 0)
		ON CONFLICT (user_id, kind, id) DO UPDATE SET
			due_at = CASE WHEN jobs.due_at < excluded.due_at THEN jobs.due_at ELSE excluded.due_at END,
			request = CASE WHEN excluded.request = '' THEN jobs.request ELSE excluded.request END`,
		key.Owner, key.Kind, key.ID, db.Micros(at), request)
	return err
}

// Suspend makes a job run only when asked. A running job is not stopped. It runs inside a
// transaction.
func Suspend(ctx context.Context, tx *db.Tx, key Key) error {
	_, err := tx.Exec(ctx, `UPDATE jobs SET due_at = NULL, request = '' WHERE user_id = $1 AND kind = $2 AND id = $3`, key.Owner, key.Kind, key.ID)
	return err
}

// Delete deletes a job. A running job can write nothing more. It runs inside a
// transaction.
func Delete(ctx context.Context, tx *db.Tx, key Key) error {
	_, err := tx.Exec(ctx, `DELETE FROM jobs WHERE user_id = $1 AND kind = $2 AND id = $3`, key.Owner, key.Kind, key.ID)
	return err
}

// Load returns a job's state at a time. A missing job has the zero state. It runs inside
// a transaction.
func Load(ctx context.Context, tx *db.Tx, key Key, now time.Time) (state State, err error) {
	var leaseUntil int64
	err = tx.QueryRow(ctx, `SELECT due_at, lease_until, started_at, request, failures FROM jobs WHERE user_id = $1 AND kind = $2 AND id = $3`,
		key.Owner, key.Kind, key.ID).Scan(db.NullInstant(&state.DueAt), &leaseUntil, db.NullInstant(&state.StartedAt), &state.Request, &state.Failures)
	if errors.Is(err, db.ErrNoRows) {
		return State{}, nil
	}
	state.Running = leaseUntil > db.Micros(now)
	return state, err
}

// Hold locks a claimed job until the end of the transaction. It returns ErrLost if the
// job was claimed again or deleted.
func Hold(ctx context.Context, tx *db.Tx, job Job) error {
	var run int64
	err := tx.QueryRow(ctx, `SELECT run FROM jobs WHERE user_id = $1 AND kind = $2 AND id = $3`+tx.Lock(), job.Owner, job.Kind, job.ID).Scan(&run)
	if errors.Is(err, db.ErrNoRows) || err == nil && run != job.run {
		return ErrLost
	}
	return err
}

// UpdateRequest replaces a claimed job's request: a run after a crash continues with the
// new one. It runs inside a transaction.
func UpdateRequest(ctx context.Context, tx *db.Tx, job Job, request string) error {
	if err := Hold(ctx, tx, job); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE jobs SET request = $1 WHERE user_id = $2 AND kind = $3 AND id = $4`, request, job.Owner, job.Kind, job.ID)
	return err
}

// Outcome is how a run ended.
type Outcome struct {
	// Next is when the job is due again; nil if only when asked.
	Next *time.Time
	// Failed counts the run as a failure. Otherwise the failures before are forgotten.
	Failed bool
}

// Finish ends a job's claim. It runs inside a transaction.
func Finish(ctx context.Context, tx *db.Tx, job Job, now time.Time, outcome Outcome) error {
	if err := Hold(ctx, tx, job); err != nil {
		return err
	}
	failures, since := 0, (*time.Time)(nil)
	if outcome.Failed {
		job.countFailure(now)
		failures, since = job.Failures, job.FailingSince
	}
	_, err := tx.Exec(ctx, `UPDATE jobs SET due_at = $1, request = '', lease_until = 0, failures = $2, failing_since = $3
		WHERE user_id = $4 AND kind = $5 AND id = $6`, db.NullMicros(outcome.Next), failures, db.NullMicros(since), job.Owner, job.Kind, job.ID)
	return err
}

func (j *Job) countFailure(now time.Time) {
	j.Failures++
	if j.FailingSince == nil {
		j.FailingSince = &now
	}
}

// delays are the times until the next attempt after one, two, … failures.
var delays = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}

// Delay returns the time until the next attempt for a job whose current run failed too.
// It differs by up to a tenth between jobs, so they are not all due at once.
func (j Job) Delay() time.Duration {
	delay := delays[min(j.Failures, len(delays)-1)]
	return delay + Jitter(j.ID, delay/10)
}

// Jitter returns a part of a duration, depending on an id.
func Jitter(id string, most time.Duration) time.Duration {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(id))
	return most * time.Duration(hash.Sum32()%1000) / 1000
}

// claim claims the job due for longest, except for users with enough running jobs. It
// returns false if none is due.
func (q *Queue) claim(ctx context.Context) (Job, bool, error) {
	due, err := q.listDue(ctx)
	if err != nil {
		return Job{}, false, fmt.Errorf("looking for a job: %w", err)
	}
	for _, job := range due {
		if q.handlers[job.Kind] == nil {
			continue
		}
		// The first interruption may be chance. A job interrupted again may be the reason
		// why servers die, and waits as after any other failure.
		again := job.interrupted && job.Failures > 0
		if job.interrupted && !again {
			job.countFailure(q.clock())
		}
		claimed, err := q.claimJob(ctx, &job)
		switch {
		case err != nil:
			return Job{}, false, fmt.Errorf("claiming a job: %w", err)
		case claimed && again:
			q.fail(ctx, job, errInterrupted)
		case claimed:
			return job, true, nil
		}
	}
	return Job{}, false, nil
}

var errInterrupted = errors.New("the server stopped during the run, not for the first time")

// claimJob claims a job. It returns false if another server has claimed it meanwhile.
func (q *Queue) claimJob(ctx context.Context, job *Job) (claimed bool, err error) {
	now := q.clock()
	err = q.db.Update(ctx, func(tx *db.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE jobs SET run = run + 1, lease_until = $1, started_at = $2, failures = $3, failing_since = $4
			WHERE user_id = $5 AND kind = $6 AND id = $7 AND run = $8 AND lease_until <= $2`,
			db.Micros(now.Add(leaseTime)), db.Micros(now), job.Failures, db.NullMicros(job.FailingSince), job.Owner, job.Kind, job.ID, job.run)
		claimed = n == 1
		return err
	})
	job.run++
	return claimed, err
}

func (q *Queue) listDue(ctx context.Context) (list []Job, err error) {
	err = q.db.Peek(ctx, func(tx *db.Tx) error {
		list, err = db.List(ctx, tx, func(row db.Scanner) (j Job, err error) {
			var leaseUntil int64
			err = row.Scan(&j.Owner, &j.Kind, &j.ID, &j.Request, &j.run, &leaseUntil, &j.Failures, db.NullInstant(&j.FailingSince))
			j.interrupted = leaseUntil > 0 // the end of each run sets it to 0
			return j, err
		}, `SELECT user_id, kind, id, request, run, lease_until, failures, failing_since FROM jobs AS due
			WHERE due_at <= $1 AND lease_until <= $1
			AND (SELECT COUNT(*) FROM jobs AS held WHERE held.user_id = due.user_id AND held.lease_until > $1) < $2
			ORDER BY due_at, id LIMIT 8`, db.Micros(q.clock()), maxPerOwner)
		return err
	})
	return list, err
}

// renew extends a job's claim. It returns ErrLost if the job was claimed again.
func (q *Queue) renew(ctx context.Context, job Job) error {
	return q.setLease(ctx, job, db.Micros(q.clock().Add(leaseTime)))
}

// release ends an unfinished job's claim, so another server can claim it at once.
func (q *Queue) release(ctx context.Context, job Job) error { return q.setLease(ctx, job, 0) }

func (q *Queue) setLease(ctx context.Context, job Job, until int64) error {
	return q.db.Update(ctx, func(tx *db.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE jobs SET lease_until = $1 WHERE user_id = $2 AND kind = $3 AND id = $4 AND run = $5`,
			until, job.Owner, job.Kind, job.ID, job.run)
		if err == nil && n == 0 {
			err = ErrLost
		}
		return err
	})
}
