package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/intake/jobs"
	"fillbook/internal/testkit"
)

// fixture is a queue on one engine with a due job.
type fixture struct {
	*testing.T
	db    *db.DB
	clock *testkit.Clock
	key   jobs.Key
}

func eachEngine(t *testing.T, fn func(f fixture)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		owner, _ := testkit.NewUser(t, d)
		f := fixture{T: t, db: d, clock: testkit.NewClock(), key: jobs.Key{Owner: owner, Kind: "test", ID: "1"}}
		f.schedule(0, "")
		fn(f)
	})
}

func (f fixture) update(fn func(ctx context.Context, tx *db.Tx) error) {
	f.Helper()
	if err := f.db.Update(f.Context(), func(tx *db.Tx) error { return fn(f.Context(), tx) }); err != nil {
		f.Fatal(err)
	}
}

func (f fixture) schedule(in time.Duration, request string) {
	f.Helper()
	f.update(func(ctx context.Context, tx *db.Tx) error {
		return jobs.Schedule(ctx, tx, f.key, f.clock.Now().Add(in), request)
	})
}

func (f fixture) state() (state jobs.State) {
	f.Helper()
	f.update(func(ctx context.Context, tx *db.Tx) (err error) {
		state, err = jobs.Load(ctx, tx, f.key, f.clock.Now())
		return err
	})
	return state
}

func (f fixture) finish(job jobs.Job, outcome jobs.Outcome) error {
	return f.db.Update(f.Context(), func(tx *db.Tx) error {
		return jobs.Finish(f.Context(), tx, job, f.clock.Now(), outcome)
	})
}

// handler runs a job with a function and keeps the failures to record.
type handler struct {
	run      func(ctx context.Context, job jobs.Job) error
	record   func(next time.Time) (*time.Time, error)
	recorded []int // failures before each
}

func (h *handler) Run(ctx context.Context, job jobs.Job) error { return h.run(ctx, job) }

func (h *handler) RecordFailure(_ context.Context, _ *db.Tx, job jobs.Job, next time.Time) (*time.Time, error) {
	h.recorded = append(h.recorded, job.Failures)
	if h.record != nil {
		return h.record(next)
	}
	return &next, nil
}

// runDue runs what is due with a new queue, as another server would.
func (f fixture) runDue(run func(ctx context.Context, job jobs.Job) error) {
	f.Helper()
	f.runHandler(f.Context(), &handler{run: run})
}

func (f fixture) runHandler(ctx context.Context, handle *handler) {
	f.Helper()
	queue := jobs.New(f.db, f.clock.Now, slog.New(slog.DiscardHandler), map[string]jobs.Handler{"test": handle})
	if err := queue.RunDue(ctx); err != nil && ctx.Err() == nil {
		f.Fatal(err)
	}
}

func TestJobRunsWhenDue(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		runs := 0
		var next time.Time
		handle := func(_ context.Context, job jobs.Job) error {
			runs++
			if !f.state().Running {
				f.Error("the job does not count as running")
			}
			next = f.clock.Now().Add(time.Hour)
			return f.finish(job, jobs.Outcome{Next: &next})
		}
		f.runDue(handle)
		f.runDue(handle)
		if state := f.state(); runs != 1 || state.Running || state.DueAt == nil || !state.DueAt.Equal(next) {
			f.Errorf("%d runs, %+v", runs, state)
		}
		f.clock.Advance(time.Hour)
		f.runDue(handle)
		if runs != 2 {
			f.Errorf("%d runs", runs)
		}
	})
}

// TestOneServerRunsAJob starts a second server while the first one works, and a third
// one after the first has died.
func TestOneServerRunsAJob(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		var first, third jobs.Job
		f.runDue(func(_ context.Context, job jobs.Job) error {
			first = job
			f.clock.Advance(59 * time.Second)
			f.runDue(func(context.Context, jobs.Job) error { f.Error("a second server claimed the job"); return nil })
			return nil // as if it was killed here
		})
		f.clock.Advance(time.Second)
		f.runDue(func(_ context.Context, job jobs.Job) error { third = job; return nil })
		if third.ID != "1" {
			f.Fatal("no server claimed the job of a dead one")
		}
		if err := f.finish(first, jobs.Outcome{}); !errors.Is(err, jobs.ErrLost) {
			f.Errorf("the first server finished: %v", err)
		}
		if err := f.finish(third, jobs.Outcome{}); err != nil {
			f.Error(err)
		}
	})
}

// TestJobsOfOneUserLeaveRoom claims a user's jobs while others from the same user run.
func TestJobsOfOneUserLeaveRoom(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		other := f
		owner, _ := testkit.NewUser(f.T, f.db)
		other.key.Owner = owner
		for _, id := range []string{"2", "3", "4"} {
			f.key.ID = id
			f.schedule(0, "")
		}
		f.clock.Advance(time.Second)
		other.schedule(0, "") // due after all the first user's jobs
		most, running, isOtherRun := 0, 0, false
		var run func(ctx context.Context, job jobs.Job) error
		run = func(_ context.Context, job jobs.Job) error {
			if job.Owner == owner {
				isOtherRun = true
				return f.finish(job, jobs.Outcome{})
			}
			running++
			most = max(most, running)
			f.runDue(run) // the next worker
			running--
			return f.finish(job, jobs.Outcome{})
		}
		f.runDue(run)
		if most != 2 || !isOtherRun {
			f.Errorf("%d jobs of one user ran at once; another user's ran: %t", most, isOtherRun)
		}
	})
}

// TestEndOfAJobStartsTheNext checks that one user's jobs, which do not run all at once,
// follow each other without another search for due jobs.
func TestEndOfAJobStartsTheNext(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		ids := []string{"1", "2", "3", "4", "5", "6"}
		for _, id := range ids {
			f.key.ID = id
			f.schedule(0, "")
		}
		ctx, stop := context.WithCancel(f.Context())
		defer stop()
		var left atomic.Int64
		left.Store(int64(len(ids)))
		handle := &handler{run: func(_ context.Context, job jobs.Job) error {
			if err := f.finish(job, jobs.Outcome{}); err != nil {
				return err
			}
			if left.Add(-1) == 0 {
				stop()
			}
			return nil
		}}
		queue := jobs.New(f.db, f.clock.Now, slog.New(slog.DiscardHandler), map[string]jobs.Handler{"test": handle})
		queue.NeverPoll()
		queue.Run(ctx)
		if n := left.Load(); n != 0 {
			f.Errorf("%d jobs did not run", n)
		}
	})
}

// TestPausedJobsHoldNoWorker lets two users have two waiting runs each, which fill all
// places. A third user's job runs meanwhile, and the paused ones go on afterwards.
func TestPausedJobsHoldNoWorker(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		second, third := f, f
		second.key.Owner, _ = testkit.NewUser(f.T, f.db)
		third.key.Owner, _ = testkit.NewUser(f.T, f.db)
		second.schedule(0, "")
		f.key.ID, second.key.ID = "2", "2"
		f.schedule(0, "")
		second.schedule(0, "")
		ctx, stop := context.WithCancel(f.Context())
		defer stop()
		goOn := make(chan struct{})
		var paused, ended, running atomic.Int64
		var queue *jobs.Queue
		handle := &handler{run: func(ctx context.Context, job jobs.Job) error {
			if job.Owner == third.key.Owner {
				defer close(goOn)
				return f.finish(job, jobs.Outcome{})
			}
			resume := jobs.Pause(ctx)
			if paused.Add(1) == 4 {
				third.schedule(0, "")
				queue.Wake()
			}
			<-goOn
			if err := resume(ctx); err != nil {
				return err
			}
			if running.Add(1) > 4 {
				f.Error("more jobs run at once than there are workers")
			}
			defer running.Add(-1)
			if ended.Add(1) == 4 {
				defer stop()
			}
			return f.finish(job, jobs.Outcome{})
		}}
		queue = jobs.New(f.db, f.clock.Now, slog.New(slog.DiscardHandler), map[string]jobs.Handler{"test": handle})
		queue.Run(ctx)
		if n := ended.Load(); n != 4 {
			f.Errorf("%d paused jobs went on", n)
		}
	})
}

func TestFailuresDelayTheNextRun(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		var delays []time.Duration
		began := f.clock.Now()
		for range 7 {
			f.runDue(func(_ context.Context, job jobs.Job) error {
				if job.Failures > 0 && !job.FailingSince.Equal(began) {
					f.Errorf("failing since %v", job.FailingSince)
				}
				delays = append(delays, job.Delay())
				next := f.clock.Now().Add(job.Delay())
				return f.finish(job, jobs.Outcome{Next: &next, Failed: true})
			})
			f.clock.Advance(delays[len(delays)-1])
		}
		for i, want := range []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour, 24 * time.Hour} {
			if delays[i] < want || delays[i] > want+want/10 {
				f.Errorf("after failure %d: %v", i+1, delays[i])
			}
		}
		f.runDue(func(_ context.Context, job jobs.Job) error { return f.finish(job, jobs.Outcome{}) })
		if state := f.state(); state.Failures != 0 || state.DueAt != nil {
			f.Errorf("after a success: %+v", state)
		}
	})
}

func TestRequestReachesTheRun(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		f.schedule(0, "first")
		f.schedule(time.Hour, "") // neither later nor without the request
		f.runDue(func(_ context.Context, job jobs.Job) error {
			if job.Request != "first" {
				f.Errorf("the request is %q", job.Request)
			}
			return f.finish(job, jobs.Outcome{})
		})
		f.schedule(0, "")
		f.runDue(func(_ context.Context, job jobs.Job) error {
			if job.Request != "" {
				f.Errorf("the request is %q", job.Request)
			}
			return f.finish(job, jobs.Outcome{})
		})
		f.schedule(0, "x")
		f.update(func(ctx context.Context, tx *db.Tx) error { return jobs.Suspend(ctx, tx, f.key) })
		f.runDue(func(context.Context, jobs.Job) error { f.Error("a suspended job ran"); return nil })
	})
}

func TestDeletedJobIsLost(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		f.runDue(func(_ context.Context, job jobs.Job) error {
			f.update(func(ctx context.Context, tx *db.Tx) error { return jobs.Delete(ctx, tx, f.key) })
			if err := f.finish(job, jobs.Outcome{}); !errors.Is(err, jobs.ErrLost) {
				f.Error(err)
			}
			return nil
		})
		if state := f.state(); state != (jobs.State{}) {
			f.Errorf("%+v", state)
		}
	})
}

// TestRunsThatFailUnexpectedly checks that a run that returns an error, panics or cannot
// even be recorded is tried again later each time.
func TestRunsThatFailUnexpectedly(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, handle := range map[string]handler{
		"error":                {run: func(context.Context, jobs.Job) error { return broken }},
		"panic":                {run: func(context.Context, jobs.Job) error { panic("broken") }},
		"error while recorded": {run: func(context.Context, jobs.Job) error { return broken }, record: func(time.Time) (*time.Time, error) { return nil, broken }},
		"panic while recorded": {run: func(context.Context, jobs.Job) error { return broken }, record: func(time.Time) (*time.Time, error) { panic("broken") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(f fixture) {
				handle := handle
				for i, want := range []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute} {
					f.runHandler(f.Context(), &handle)
					state := f.state()
					if state.Running || state.Failures != i+1 || state.DueAt == nil || len(handle.recorded) != i+1 || handle.recorded[i] != i {
						f.Fatalf("after run %d: %+v, recorded %v", i+1, state, handle.recorded)
					}
					wait := state.DueAt.Sub(f.clock.Now())
					if wait < want || wait > want+want/10 {
						f.Errorf("after run %d: due in %v", i+1, wait)
					}
					f.clock.Advance(wait)
				}
			})
		})
	}
}

func TestHandlerEndsAttempts(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		f.runHandler(f.Context(), &handler{
			run: func(context.Context, jobs.Job) error { panic("broken") }, record: func(time.Time) (*time.Time, error) { return nil, nil },
		})
		if state := f.state(); state.DueAt != nil || state.Failures != 1 {
			f.Errorf("%+v", state)
		}
	})
}

// TestJobThatKillsServers lets the server die during each run. The job runs again at once
// after the first time, and later each time after that.
func TestJobThatKillsServers(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		runs := 0
		handle := &handler{run: func(context.Context, jobs.Job) error {
			runs++
			return nil // without Finish, as if the server was killed here
		}}
		start := f.clock.Now()
		var at []time.Duration
		for range 80 {
			before := runs
			if f.runHandler(f.Context(), handle); runs > before {
				at = append(at, f.clock.Now().Sub(start))
			}
			f.clock.Advance(time.Minute)
		}
		// Its claim lasts a minute; then it waits 5, 15 and 60 minutes, or a tenth more.
		if want := []time.Duration{0, time.Minute, 8 * time.Minute, 26 * time.Minute}; len(at) != len(want) || at[2] > want[2] || at[3] > want[3] || at[1] != want[1] {
			f.Errorf("runs after %v", at)
		}
		if len(handle.recorded) != 3 {
			f.Errorf("recorded %v", handle.recorded)
		}
	})
}

// TestStoppedServerReleasesItsJob stops a server during a run: another one continues at
// once, with the first one's request.
func TestStoppedServerReleasesItsJob(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		f.schedule(0, "first")
		ctx, stop := context.WithCancel(f.Context())
		f.runHandler(ctx, &handler{run: func(ctx context.Context, job jobs.Job) error {
			f.update(func(ctx context.Context, tx *db.Tx) error { return jobs.UpdateRequest(ctx, tx, job, "rest") })
			stop()
			return ctx.Err()
		}})
		if state := f.state(); state.Running || state.Failures != 0 {
			f.Errorf("%+v", state)
		}
		request := ""
		f.runDue(func(_ context.Context, job jobs.Job) error {
			request = job.Request
			return f.finish(job, jobs.Outcome{})
		})
		if request != "rest" {
			f.Errorf("the request of the next run is %q", request)
		}
	})
}
