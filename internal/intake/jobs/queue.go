package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/outbound"
)

// Handler runs one kind of jobs.
type Handler interface {
	// Run runs a job. It calls [Finish] in its last transaction. The context ends when the
	// job is lost or the server stops.
	Run(ctx context.Context, job Job) error
	// RecordFailure stores what the user sees about a run that returned an error or
	// panicked, or whose server died. It returns when the job is due again: next, which
	// is later after each failure, or nil for only when asked. It runs inside the
	// transaction that ends the run.
	RecordFailure(ctx context.Context, tx *db.Tx, job Job, next time.Time) (*time.Time, error)
}

// Queue runs due jobs. It is safe for concurrent use.
type Queue struct {
	db       *db.DB
	clock    journal.Clock
	log      *slog.Logger
	handlers map[string]Handler
	wake     chan struct{}
	pollTime time.Duration
}

// workers is how many jobs one server runs at the same time, besides paused ones.
const workers = 4

// maxPerOwner is how many of a user's jobs run at the same time, so others' jobs do not
// wait for all of them.
const maxPerOwner = 2

// usualPollTime is how often a server looks for due jobs.
const usualPollTime = 5 * time.Second

// New returns a Queue. Handlers are by job kind; other kinds are not run.
func New(d *db.DB, clock journal.Clock, log *slog.Logger, handlers map[string]Handler) *Queue {
	return &Queue{db: d, clock: clock, log: log, handlers: handlers, wake: make(chan struct{}, 1), pollTime: usualPollTime}
}

// Wake makes the queue look for due jobs now.
func (q *Queue) Wake() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Run runs jobs until the context ends, and then waits for the running ones.
func (q *Queue) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	places := make(chan struct{}, workers)
	ticker := time.NewTicker(q.pollTime)
	defer ticker.Stop()
	for {
		for ctx.Err() == nil {
			places <- struct{}{}
			job, found, err := q.claim(ctx)
			if err != nil && ctx.Err() == nil {
				q.log.Warn("looking for jobs failed", "error", err)
			}
			if !found {
				<-places
				break
			}
			running.Go(func() {
				w := &worker{places: places, isHeld: true, wake: q.Wake}
				defer w.release() // the user's next job, or the same job, may be due
				q.run(context.WithValue(ctx, workerKey{}, w), job)
			})
		}
		select {
		case <-ctx.Done():
			return
		case <-q.wake:
		case <-ticker.C:
		}
	}
}

// worker is a run's place among concurrent runs. Only the run's goroutine uses it.
type worker struct {
	places chan struct{}
	isHeld bool
	wake   func()
}

type workerKey struct{}

// release frees the place for another job.
func (w *worker) release() {
	if w.isHeld {
		<-w.places
		w.isHeld = false
	}
	w.wake()
}

// acquire waits for a place.
func (w *worker) acquire(ctx context.Context) error {
	select {
	case w.places <- struct{}{}:
		w.isHeld = true
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Pause lets another job run while ctx's job waits. It returns a function waiting until
// the job may go on, which is not called if the run ends instead. Both are called by the
// goroutine that called [Handler].Run. The job's claim goes on.
func Pause(ctx context.Context) (resume func(context.Context) error) {
	w, ok := ctx.Value(workerKey{}).(*worker)
	if !ok { // RunDue has no workers
		return func(context.Context) error { return nil }
	}
	w.release()
	return w.acquire
}

// WithCaller returns a context for requests to other servers for a user. A run with a
// long wait there pauses.
func WithCaller(ctx context.Context, owner journal.UserID) context.Context {
	return outbound.WithCaller(ctx, outbound.Caller{
		Owner: fmt.Sprint(owner), Pause: func() func(context.Context) error { return Pause(ctx) },
	})
}

// RunDue runs the jobs due now, one after the other, and returns when none is left.
func (q *Queue) RunDue(ctx context.Context) error {
	for {
		job, found, err := q.claim(ctx)
		if err != nil || !found {
			return err
		}
		q.run(ctx, job)
	}
}

// run runs a claimed job and renews its claim meanwhile.
func (q *Queue) run(ctx context.Context, job Job) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		ticker := time.NewTicker(renewTime)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if err := q.renew(ctx, job); errors.Is(err, ErrLost) {
				cancel()
			}
		}
	}()
	err := q.call(ctx, job)
	switch {
	case err == nil, errors.Is(err, ErrLost):
	case ctx.Err() != nil: // the server stops
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
		if err := q.release(ctx, job); err != nil && !errors.Is(err, ErrLost) {
			q.log.Warn("releasing a job failed", "kind", job.Kind, "id", job.ID, "error", err)
		}
	default:
		q.fail(ctx, job, err)
	}
}

// stopTime is the time limit for a stopping server to release a job.
const stopTime = 5 * time.Second

// call calls a job's handler. A panic becomes an error: it must not end the server.
func (q *Queue) call(ctx context.Context, job Job) (err error) {
	defer recoverPanic(&err)
	return q.handlers[job.Kind].Run(ctx, job)
}

func recoverPanic(err *error) {
	if reason := recover(); reason != nil {
		*err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
	}
}

// fail ends the claim of a job whose run has failed. If the handler cannot record it, the
// job is due again all the same.
func (q *Queue) fail(ctx context.Context, job Job, cause error) {
	log := q.log.With("kind", job.Kind, "id", job.ID)
	log.Warn("job failed", "failures", job.Failures+1, "error", cause)
	err := q.finishFailed(ctx, job, q.handlers[job.Kind].RecordFailure)
	if err == nil || errors.Is(err, ErrLost) {
		return
	}
	log.Error("recording a failed job failed", "error", err)
	err = q.finishFailed(ctx, job, func(_ context.Context, _ *db.Tx, _ Job, next time.Time) (*time.Time, error) { return &next, nil })
	if err != nil && !errors.Is(err, ErrLost) {
		log.Error("finishing a failed job failed", "error", err)
	}
}

type recordFunc func(ctx context.Context, tx *db.Tx, job Job, next time.Time) (*time.Time, error)

func (q *Queue) finishFailed(ctx context.Context, job Job, record recordFunc) error {
	now := q.clock()
	return q.db.Update(ctx, func(tx *db.Tx) (err error) {
		defer recoverPanic(&err)
		if err := Hold(ctx, tx, job); err != nil {
			return err
		}
		next, err := record(ctx, tx, job, now.Add(job.Delay()))
		if err != nil {
			return err
		}
		return Finish(ctx, tx, job, now, Outcome{Next: next, Failed: true})
	})
}
