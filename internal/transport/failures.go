package transport

import (
	"context"
	"net/http"
	"sync"
	"time"

	"fillbook/internal/base/journal"
)

// FailureLimiter counts the failed calls for each key and rejects calls for a key with
// too many: Burst failures within the time in which a bucket with that rate refills.
// Successful calls are not counted. At most as many calls for a key run at the same time
// as may still fail, and the others wait, so parallel guesses cannot exceed the limit
// together. Its memory is bounded.
type FailureLimiter struct {
	size   Rate
	window time.Duration
	clock  journal.Clock

	mu   sync.Mutex
	keys map[string]*failureCount
}

// failureCount is a key's state.
type failureCount struct {
	failures []time.Time // within the window, oldest first
	running  int
	waiting  int
	changed  chan struct{} // closed and replaced when a call ends
}

const (
	// failureWait is how long a call waits for other calls for its key.
	failureWait = 20 * time.Second
	// maxFailureWaiting is the maximum number of waiting calls per key.
	maxFailureWaiting = 250
)

// NewFailureLimiter returns an empty limiter. The zero Rate limits nothing.
func NewFailureLimiter(size Rate, clock journal.Clock) *FailureLimiter {
	l := &FailureLimiter{size: size, clock: clock, keys: map[string]*failureCount{}}
	if size.Burst > 0 {
		l.window = time.Duration(float64(size.Burst) / size.PerSecond * float64(time.Second)).Round(100 * time.Millisecond)
	}
	return l
}

// Begin waits until a call for a key may run and returns a function to call once with its
// outcome. For a key with too many failures it returns an error with the time to wait.
func (l *FailureLimiter) Begin(ctx context.Context, key string) (end func(failed bool), err error) {
	if l.size.Burst == 0 {
		return func(bool) {}, nil
	}
	timer := time.NewTimer(failureWait)
	defer timer.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		count := l.count(key)
		switch {
		case len(count.failures) >= l.size.Burst:
			return nil, journal.Limited(count.failures[0].Add(l.window).Sub(l.clock()))
		case len(count.failures)+count.running < l.size.Burst:
			count.running++
			return func(failed bool) { l.end(key, failed) }, nil
		case count.waiting >= maxFailureWaiting:
			return nil, tooManyWaiting(failureWait)
		}
		if err := l.wait(ctx, count, timer); err != nil {
			return nil, err
		}
	}
}

// CountByAddress counts a failed request not limited before, by client address. It
// returns an error with the time to wait if the address has too many.
func (l *FailureLimiter) CountByAddress(ctx context.Context) error {
	if l.size.Burst == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock()
	count := l.count(limitKey(RequestOf(ctx).Address))
	if len(count.failures) >= l.size.Burst {
		return journal.Limited(count.failures[0].Add(l.window).Sub(now))
	}
	count.failures = append(count.failures, now)
	return nil
}

// wait releases the lock until a call for the key has ended.
func (l *FailureLimiter) wait(ctx context.Context, count *failureCount, timer *time.Timer) error {
	changed := count.changed
	count.waiting++
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		count.waiting--
	}()
	select {
	case <-changed:
		return nil
	case <-timer.C:
		return tooManyWaiting(failureWait)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *FailureLimiter) end(key string, failed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	count := l.count(key)
	count.running--
	if failed {
		count.failures = append(count.failures, l.clock())
	}
	close(count.changed)
	count.changed = make(chan struct{})
	if !count.isInUse() {
		delete(l.keys, key)
	}
}

// count returns a key's state without expired failures.
func (l *FailureLimiter) count(key string) *failureCount {
	count := l.keys[key]
	if count == nil {
		l.evictKeys()
		count = &failureCount{changed: make(chan struct{})}
		l.keys[key] = count
	}
	count.dropExpired(l.clock(), l.window)
	return count
}

// dropExpired removes the failures older than the window. Failures in the
// future are set to now: the clock was set back.
func (c *failureCount) dropExpired(now time.Time, window time.Duration) {
	for i, at := range c.failures {
		if at.After(now) {
			c.failures[i] = now
		}
	}
	for len(c.failures) > 0 && now.Sub(c.failures[0]) >= window {
		c.failures = c.failures[1:]
	}
}

func (c *failureCount) isInUse() bool { return len(c.failures) > 0 || c.running > 0 || c.waiting > 0 }

// evictKeys removes the keys whose failures have expired, and then others without running
// or waiting calls, until there is space for new keys.
func (l *FailureLimiter) evictKeys() {
	if len(l.keys) < maxBuckets {
		return
	}
	now := l.clock()
	for key, count := range l.keys {
		if count.dropExpired(now, l.window); !count.isInUse() {
			delete(l.keys, key)
		}
	}
	for key, count := range l.keys {
		if len(l.keys) < maxBuckets*9/10 {
			return
		}
		if count.running == 0 && count.waiting == 0 {
			delete(l.keys, key)
		}
	}
}

// ByAddress limits the failures per client address. isFailure decides by the response's
// status and error code.
func (l *FailureLimiter) ByAddress(isFailure func(status int, code string) bool) Middleware {
	return l.newMiddleware(func(r *Request) string { return limitKey(r.Address) }, isFailure)
}

// ByUser limits the failures per signed-in user.
func (l *FailureLimiter) ByUser(isFailure func(status int, code string) bool) Middleware {
	return l.newMiddleware(func(r *Request) string { return r.User }, isFailure)
}

func (l *FailureLimiter) newMiddleware(key func(*Request) string, isFailure func(status int, code string) bool) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			request := RequestOf(r.Context())
			end, err := l.Begin(r.Context(), key(request))
			if err != nil {
				WriteError(w, r, err)
				return
			}
			defer func() { end(isFailure(request.Refused.Status, request.Refused.Body.Error.Code)) }()
			next.ServeHTTP(w, r)
		})
	}
}

// tooManyWaiting returns the error for a call that would wait too long.
func tooManyWaiting(retryAfter time.Duration) error {
	return &journal.Error{
		Kind: journal.KindUnavailable, Code: "unavailable", RetryAfter: retryAfter,
		Message: "Too many of your requests are waiting. Try again in a few seconds.",
	}
}
