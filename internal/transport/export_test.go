package transport

import (
	"context"
	"log/slog"
	"net"
	"net/http"
)

// ServeLimited is Serve with a connection limit and timeouts for a test.
func ServeLimited(
	ctx context.Context, listener net.Listener, limit, evictAbove int, handler http.Handler, log *slog.Logger, timeouts Timeouts,
) error {
	return serve(ctx, newConnTracker(listener, limit, evictAbove), handler, log, timeouts)
}

// Buckets returns how many keys a limiter keeps.
func (l *Limiter) Buckets() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.buckets)
}

// MaxBuckets is the most that it may keep.
const MaxBuckets = maxBuckets

// Limits of a form, for tests of the exact values.
const (
	MaxParts = maxParts
	MaxField = maxField
)

// MaxBuffered is the size of the largest buffered response.
const MaxBuffered = maxBuffered

// Keys returns how many keys a failure limiter keeps.
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

// Bytes returns how much is in the spool.
func (s *Spool) Bytes() (n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, use := range s.uses {
		n += use.bytes
	}
	return n
}
