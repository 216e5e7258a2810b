package transport_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/transport"
)

// fail reports a failed call for a key, or checks that the call is rejected.
func fail(t *testing.T, limiter *transport.FailureLimiter, key string, wait time.Duration) {
	t.Helper()
	end, err := limiter.Begin(t.Context(), key)
	if wait == 0 {
		if err != nil {
			t.Fatalf("%s is rejected: %v", key, err)
		}
		end(true)
		return
	}
	var refusal *journal.Error
	if !errors.As(err, &refusal) || refusal.Kind != journal.KindLimited || refusal.RetryAfter != wait {
		t.Fatalf("%s gets %v, want to wait %s", key, err, wait)
	}
}

func TestFailuresAreCountedInAWindow(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock()
	limiter := transport.NewFailureLimiter(transport.Rate{PerSecond: 0.05, Burst: 3}, clock.Now)
	for range 3 {
		fail(t, limiter, "a", 0)
		clock.Advance(10 * time.Second)
	}
	fail(t, limiter, "a", 30*time.Second)
	fail(t, limiter, "b", 0)
	clock.Advance(30 * time.Second)
	fail(t, limiter, "a", 0) // the first one is a minute old
	fail(t, limiter, "a", 10*time.Second)
	clock.Advance(-time.Hour)
	fail(t, limiter, "a", time.Minute) // the clock was set back: as if they were now
	clock.Advance(time.Minute)
	fail(t, limiter, "a", 0)
	for range 1000 {
		end, err := limiter.Begin(t.Context(), "a")
		if err != nil {
			t.Fatal("a successful call is rejected:", err)
		}
		end(false)
	}
}

func TestFailuresOff(t *testing.T) {
	t.Parallel()
	limiter := transport.NewFailureLimiter(transport.Rate{}, testkit.NewClock().Now)
	for range 1000 {
		fail(t, limiter, "a", 0)
	}
	if limiter.Keys() != 0 {
		t.Error("a limiter that is off keeps keys")
	}
}

// TestRunningCallsAreLimited checks that only as many calls run at once as may fail.
func TestRunningCallsAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limiter := transport.NewFailureLimiter(transport.Rate{PerSecond: 0.05, Burst: 3}, time.Now)
		var all sync.WaitGroup
		var mu sync.Mutex
		looked, running, most := 0, 0, 0
		for range 50 {
			all.Go(func() {
				end, err := limiter.Begin(t.Context(), "a")
				if err != nil {
					return
				}
				mu.Lock()
				looked++
				running++
				most = max(most, running)
				mu.Unlock()
				time.Sleep(time.Second) //nolint:forbidigo // a slow client is what is tested
				mu.Lock()
				running--
				mu.Unlock()
				end(true)
			})
		}
		all.Wait()
		if looked != 3 || most != 3 {
			t.Errorf("%d guesses were checked, %d at once", looked, most)
		}
	})
}

// TestWaitingCallsAreBounded checks number and time of waiting calls.
func TestWaitingCallsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limiter := transport.NewFailureLimiter(transport.Rate{PerSecond: 0.05, Burst: 1}, time.Now)
		end, err := limiter.Begin(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		outcomes := make(chan error, 300)
		for range cap(outcomes) {
			go func() {
				_, err := limiter.Begin(t.Context(), "a")
				outcomes <- err
			}()
		}
		synctest.Wait()
		if n := len(outcomes); n != 50 {
			t.Errorf("%d of 300 are rejected at once", n)
		}
		for range cap(outcomes) {
			if err := <-outcomes; !journal.IsKind(err, journal.KindUnavailable) {
				t.Errorf("the error is %v", err)
			}
		}
		if waited := time.Since(begun); waited != 20*time.Second {
			t.Errorf("they waited %s", waited)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := limiter.Begin(gone, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("a canceled call gets %v", err)
		}
		end(false)
		if limiter.Keys() != 0 {
			t.Errorf("%d keys are kept without a failure", limiter.Keys())
		}
	})
}

func TestFailureMemoryIsBounded(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock()
	limiter := transport.NewFailureLimiter(transport.Rate{PerSecond: 1, Burst: 1}, clock.Now)
	for i := range transport.MaxBuckets + 10 {
		fail(t, limiter, fmt.Sprint("flood ", i), 0)
	}
	if n := limiter.Keys(); n > transport.MaxBuckets {
		t.Errorf("%d keys are kept", n)
	}
	clock.Advance(time.Hour)
	for i := range transport.MaxBuckets / 4 {
		fail(t, limiter, fmt.Sprint("second flood ", i), 0)
	}
	if n := limiter.Keys(); n > transport.MaxBuckets/2 {
		t.Errorf("%d keys are kept although those of an hour ago are old", n)
	}
}
