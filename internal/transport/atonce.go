package transport

import (
	"net/http"
	"sync"
	"time"

	"fillbook/internal/journal"
)

// AtOnce bounds how many requests of one user are worked on at the same time,
// so that the work of one cannot keep the processor from all others.
type AtOnce struct {
	most int

	mu   sync.Mutex
	busy map[string]int // only users with a request under way
}

// NewAtOnce makes a bound; 0 bounds nothing.
func NewAtOnce(most int) *AtOnce {
	return &AtOnce{most: most, busy: map[string]int{}}
}

// Enter takes a place for a key, or tells as an error that all are taken. Who
// entered calls leave once.
func (a *AtOnce) Enter(key string) (leave func(), err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.most > 0 && a.busy[key] >= a.most {
		return nil, &journal.Error{
			Kind: journal.KindLimited, Code: "rate_limited", RetryAfter: time.Second,
			Message: "Your other requests of this kind are not finished yet; wait a little and try again.",
		}
	}
	a.busy[key]++
	return func() { a.leave(key) }, nil
}

func (a *AtOnce) leave(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.busy[key]--; a.busy[key] == 0 {
		delete(a.busy, key)
	}
}

// ByUser lets a request pass while its user has a place.
func (a *AtOnce) ByUser() Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			leave, err := a.Enter(RequestOf(r.Context()).User)
			if err != nil {
				WriteError(w, r, err)
				return
			}
			defer leave()
			next.ServeHTTP(w, r)
		})
	}
}
