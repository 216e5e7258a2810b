package transport

import (
	"context"
	"log/slog"
	"net"
	"net/http"
)

// ServeLimited is Serve with a limit of connections and timeouts for a test.
func ServeLimited(
	ctx context.Context, listener net.Listener, limit, crowded int, handler http.Handler, log *slog.Logger, timeouts Timeouts,
) error {
	return serve(ctx, newConnTracker(listener, limit, crowded), handler, log, timeouts)
}

// Buckets tells how many keys a limiter remembers.
func (l *Limiter) Buckets() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.buckets)
}

// MaxBuckets is the most that it may remember.
const MaxBuckets = maxBuckets

// The limits of a form, for tests that stand exactly on them.
const (
	MaxParts = maxParts
	MaxField = maxField
)

// KeepWhole is the longest answer that is held back.
const KeepWhole = keepWhole

// Keys returns how many keys a limiter of failures remembers.
func (l *FailureLimiter) Keys() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.keys)
}

// Users returns how many users have something in the spool.
func (s *Spool) Users() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.uses)
}
