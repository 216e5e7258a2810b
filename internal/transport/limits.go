package transport

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"fillbook/internal/base/journal"
)

// Rate is the size of a token bucket: tokens per second, and the most at once.
// The zero value limits nothing.
type Rate struct {
	PerSecond float64
	Burst     int
}

// UnmarshalText parses RATE/BURST, for example 2/20, or off.
func (r *Rate) UnmarshalText(text []byte) error {
	if string(text) == "off" {
		*r = Rate{}
		return nil
	}
	perSecond, burst, ok := strings.Cut(string(text), "/")
	parsed, err1 := strconv.ParseFloat(perSecond, 64)
	size, err2 := strconv.Atoi(burst)
	if !ok || err1 != nil || err2 != nil || !(parsed > 0 && parsed <= 1e6) || size < 1 {
		return fmt.Errorf("%q is not RATE/BURST, such as 2/20, or off", text)
	}
	*r = Rate{PerSecond: parsed, Burst: size}
	return nil
}

// String formats the rate for UnmarshalText.
func (r Rate) String() string {
	if r.Burst == 0 {
		return "off"
	}
	return strconv.FormatFloat(r.PerSecond, 'g', -1, 64) + "/" + strconv.Itoa(r.Burst)
}

// Limiter has a token bucket for each key. Its memory is bounded.
type Limiter struct {
	size  Rate
	clock journal.Clock

	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

// maxBuckets bounds a limiter's memory to about ten megabytes.
const maxBuckets = 100_000

// NewLimiter returns an empty limiter.
func NewLimiter(size Rate, clock journal.Clock) *Limiter {
	return &Limiter{size: size, clock: clock, buckets: map[string]*rate.Limiter{}}
}

// Take takes a token for a key. If there is none, it returns an error with the
// time to wait.
func (l *Limiter) Take(key string) error {
	_, err := l.Reserve(key)
	return err
}

// Reserve takes a token like Take, and returns a function that gives it back.
func (l *Limiter) Reserve(key string) (giveBack func(), err error) {
	if l.size.Burst == 0 {
		return func() {}, nil
	}
	now := l.clock()
	l.mu.Lock()
	defer l.mu.Unlock()
	bucket, ok := l.buckets[key]
	if !ok {
		l.evictBuckets(now)
		bucket = rate.NewLimiter(rate.Limit(l.size.PerSecond), l.size.Burst)
		l.buckets[key] = bucket
	}
	reservation := bucket.ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait == 0 {
		return func() { reservation.CancelAt(now) }, nil
	}
	reservation.CancelAt(now)
	return nil, journal.Limited(wait)
}

// evictBuckets removes the buckets that are full again, which has no effect on their
// keys. If this does not free enough, it removes others too.
func (l *Limiter) evictBuckets(now time.Time) {
	if len(l.buckets) < maxBuckets {
		return
	}
	for key, bucket := range l.buckets {
		if bucket.TokensAt(now) >= float64(l.size.Burst) {
			delete(l.buckets, key)
		}
	}
	for key := range l.buckets {
		if len(l.buckets) < maxBuckets*9/10 {
			return
		}
		delete(l.buckets, key)
	}
}

// ByAddress limits requests by client address.
func (l *Limiter) ByAddress() Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := l.Take(limitKey(RequestOf(r.Context()).Address)); err != nil {
				WriteError(w, r, err)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}
