package transport

import (
	"context"
	"net/http"
	"sync"
	"time"

	"fillbook/internal/journal"
)

// FailureLimiter counts the failed calls of each key and refuses a key that has
// too many: Burst of them within the time in which a bucket of that rate fills
// again. Calls that succeed are not counted. No more calls of a key run at the
// same time than may still fail, and the others wait, so that parallel guesses
// do not get past the count together. Its memory is bounded.
type FailureLimiter struct {
	size   Rate
	window time.Duration
	clock  journal.Clock

	mu   sync.Mutex
	keys map[string]*failureCount
}

// failureCount is what is known of one key.
type failureCount struct {
	failures []time.Time // within the window, oldest first
	running  int
	waiting  int
	changed  chan struct{} // closed and replaced when a call ends
}

const (
	// failurePatience is how long a call waits for others of its key.
	failurePatience = 20 * time.Second
	// maxFailureWaiting is how many calls of one key may wait.
	maxFailureWaiting = 250
)

// NewFailureLimiter makes an empty limiter; a Rate that is off limits nothing.
func NewFailureLimiter(size Rate, clock journal.Clock) *FailureLimiter {
	l := &FailureLimiter{size: size, clock: clock, keys: map[string]*failureCount{}}
	if size.Burst > 0 {
		l.window = time.Duration(float64(size.Burst) / size.PerSecond * float64(time.Second)).Round(100 * time.Millisecond)
	}
	return l
}

// Begin waits until a call of a key may run and returns the function that must
// be called once with its outcome. The error tells a key with too many failures
// how long to wait.
func (l *FailureLimiter) Begin(ctx context.Context, key string) (end func(failed bool), err error) {
	if l.size.Burst == 0 {
		return func(bool) {}, nil
	}
	timer := time.NewTimer(failurePatience)
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
			return nil, tooManyWaiting(failurePatience)
		}
		if err := l.wait(ctx, count, timer); err != nil {
			return nil, err
		}
	}
}

// wait releases the lock until a call of the key has ended.
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
		return tooManyWaiting(failurePatience)
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

// count returns the count of a key without the failures that are too old.
func (l *FailureLimiter) count(key string) *failureCount {
	count := l.keys[key]
	if count == nil {
		l.makeRoom()
		count = &failureCount{changed: make(chan struct{})}
		l.keys[key] = count
	}
	count.forget(l.clock(), l.window)
	return count
}

// forget drops the failures that are older than the window. One from the future
// is dated now: the clock was set back.
func (c *failureCount) forget(now time.Time, window time.Duration) {
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

// makeRoom drops the keys whose failures are too old; if all are recent, some
// that nobody uses at the moment are dropped all the same.
func (l *FailureLimiter) makeRoom() {
	if len(l.keys) < maxBuckets {
		return
	}
	now := l.clock()
	for key, count := range l.keys {
		if count.forget(now, l.window); !count.isInUse() {
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

// ByAddress limits the failures of a client address. isFailure looks at the
// status and the code of a refusal.
func (l *FailureLimiter) ByAddress(isFailure func(status int, code string) bool) Middleware {
	return l.by(func(r *Request) string { return bucketOf(r.Address) }, isFailure)
}

// ByUser limits the failures of the signed-in user.
func (l *FailureLimiter) ByUser(isFailure func(status int, code string) bool) Middleware {
	return l.by(func(r *Request) string { return r.User }, isFailure)
}

func (l *FailureLimiter) by(key func(*Request) string, isFailure func(status int, code string) bool) Middleware {
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

// tooManyWaiting refuses a call that would wait too long for its turn.
func tooManyWaiting(retryAfter time.Duration) error {
	return &journal.Error{
		Kind: journal.KindUnavailable, Code: "unavailable", RetryAfter: retryAfter,
		Message: "Too many of your requests are waiting. Try again in a few seconds.",
	}
}
