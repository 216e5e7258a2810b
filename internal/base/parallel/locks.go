package parallel

import (
	"context"
	"sync"
)

// Locks are locks by key, so that what several callers need is computed once: the first
// computes, the others wait and find it. The zero value is ready for use.
type Locks[K comparable] struct {
	mu   sync.Mutex
	held map[K]chan struct{}
}

// Lock waits until a key is free, or the context ends. The caller must call unlock.
func (l *Locks[K]) Lock(ctx context.Context, key K) (unlock func(), err error) {
	for {
		l.mu.Lock()
		running, isHeld := l.held[key]
		if !isHeld {
			if l.held == nil {
				l.held = map[K]chan struct{}{}
			}
			done := make(chan struct{})
			l.held[key] = done
			l.mu.Unlock()
			return func() {
				l.mu.Lock()
				delete(l.held, key)
				l.mu.Unlock()
				close(done)
			}, nil
		}
		l.mu.Unlock()
		select {
		case <-running:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
