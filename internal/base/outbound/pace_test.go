package outbound

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// waitFor waits for a request's turn.
func waitFor(ctx context.Context, p *Pacer, path string) error {
	return p.Wait(httptest.NewRequestWithContext(ctx, http.MethodGet, "https://api.acme.example"+path, http.NoBody))
}

func withOwner(ctx context.Context, owner string) context.Context {
	return WithCaller(ctx, Caller{Owner: owner})
}

// wantTimes sends requests one after the other and checks when they are sent, in
// seconds.
func wantTimes(t *testing.T, p *Pacer, path string, want ...float64) {
	t.Helper()
	start := time.Now()
	for i, seconds := range want {
		if err := waitFor(t.Context(), p, path); err != nil || time.Since(start).Seconds() != seconds {
			t.Errorf("request %d is sent after %s, want %v s, %v", i, time.Since(start), seconds, err)
		}
	}
}

func TestRequestsKeepTheRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewPacer(Limits{PerMinute: 120})
		wantTimes(t, p, "/", 0, 0.5, 1)
		<-time.After(time.Hour)
		wantTimes(t, p, "/", 0, 0.5)
	})
}

// TestBurst sends some requests before their time after a pause, a second apart, and keeps
// the rate over a longer time.
func TestBurst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewPacer(Limits{PerMinute: 6, Burst: 3})
		wantTimes(t, p, "/", 0, 1, 2, 3, 10, 20, 30)
		<-time.After(70 * time.Second)
		wantTimes(t, p, "/", 0, 1, 2, 3, 10)
	})
}

// TestWeights has requests with different weights, in an address bucket and in account
// buckets.
func TestWeights(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewPacer(Limits{
			Buckets: []Bucket{{Name: "address", PerMinute: 60}, {Name: "account", PerMinute: 600, PerOwner: true}},
			Costs: []Cost{
				{Path: "/heavy/*", Weights: map[string]int{"address": 1, "account": 100}}, {Path: "/light", Weights: map[string]int{"address": 2}},
			},
		})
		wantTimes(t, p, "/heavy/1", 0, 10, 20)
		wantTimes(t, p, "/light", 1, 3) // a second after the last one
		wantTimes(t, p, "/free", 0, 0, 0)
		start := time.Now()
		if err := waitFor(withOwner(t.Context(), "other"), p, "/heavy/1"); err != nil || time.Since(start) != 2*time.Second {
			t.Errorf("another account waits %s, %v", time.Since(start), err)
		}
	})
}

// TestCanceledRequestsLeave cancels many requests from one user. Another user's requests
// are sent as if they had not existed.
func TestCanceledRequestsLeave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewPacer(Limits{PerMinute: 6})
		if err := waitFor(withOwner(t.Context(), "a"), p, "/"); err != nil {
			t.Fatal(err)
		}
		for range 100 {
			ctx, cancel := context.WithTimeout(withOwner(t.Context(), "a"), 10*time.Millisecond)
			if err := waitFor(ctx, p, "/"); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			cancel()
		}
		start := time.Now()
		if err := waitFor(withOwner(t.Context(), "b"), p, "/"); err != nil || time.Since(start) != 9*time.Second {
			t.Errorf("the request waits %s, %v", time.Since(start), err)
		}
		if len(p.owners) != 0 || p.turns.Len() != 0 || p.waiting != 0 {
			t.Errorf("%d owners, %d turns, %d requests are left", len(p.owners), p.turns.Len(), p.waiting)
		}
	})
}

// TestUsersTakeTurns has a user with many requests and others with few.
func TestUsersTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewPacer(Limits{PerMinute: 60})
		var order []string
		send := func(owner string, n int) {
			for range n {
				go func() {
					if err := waitFor(withOwner(t.Context(), owner), p, "/"); err != nil {
						t.Error(err)
					}
					order = append(order, owner) // one each second
				}()
			}
			synctest.Wait()
		}
		send("a", 10)
		send("b", 2)
		send("c", 1)
		<-time.After(time.Minute)
		synctest.Wait()
		if want := []string{"a", "a", "b", "c", "a", "b", "a", "a", "a", "a", "a", "a", "a"}; !slices.Equal(order, want) {
			t.Errorf("the requests are sent in the order %v, want %v", order, want)
		}
	})
}

// TestWaitingIsBounded checks that a provider with many waiting requests still accepts
// one from each user.
func TestWaitingIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewPacer(Limits{PerMinute: 1})
		ctx, cancel := context.WithCancel(t.Context())
		for i := range usualWaiting + 1 {
			go func() { _ = waitFor(withOwner(ctx, fmt.Sprint("user ", i%4)), p, "/") }()
		}
		synctest.Wait()
		if err := waitFor(withOwner(ctx, "user 0"), p, "/"); !errors.Is(err, ErrBusy) {
			t.Error(err)
		}
		go cancel()
		if err := waitFor(withOwner(ctx, "new"), p, "/"); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// TestLongWaitsPause checks that a caller pauses only during a long wait, and that a
// request whose caller can't go on gives its place back.
func TestLongWaitsPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := NewPacer(Limits{PerMinute: 6})
		paused, resumed := 0, 0
		failure := error(nil)
		ctx := WithCaller(t.Context(), Caller{Owner: "a", Pause: func() func(context.Context) error {
			paused++
			return func(context.Context) error {
				resumed++
				return failure
			}
		}})
		if err := waitFor(ctx, p, "/"); err != nil || paused != 0 {
			t.Fatalf("%d pauses, %v", paused, err)
		}
		if err := waitFor(ctx, p, "/"); err != nil || paused != 1 || resumed != 1 {
			t.Fatalf("%d pauses, %d ends, %v", paused, resumed, err)
		}
		<-time.After(9500 * time.Millisecond)
		if err := waitFor(ctx, p, "/"); err != nil || paused != 1 {
			t.Errorf("%d pauses, %v", paused, err)
		}
		failure = context.Canceled
		if err := waitFor(ctx, p, "/"); !errors.Is(err, failure) {
			t.Error(err)
		}
		wantTimes(t, p, "/", 0)
	})
}
