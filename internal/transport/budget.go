package transport

import (
	"cmp"
	"container/list"
	"context"
	"net/http"
	"sync"
	"time"
)

// BodyBudget bounds the total memory for public request bodies, from callers who did not
// sign in. A body that does not fit waits. It is safe for concurrent use.
type BodyBudget struct {
	total, perKey int64

	mu      sync.Mutex
	used    int64
	keys    map[string]int64
	waiting list.List // *bodyClaim elements, oldest first
}

// bodyClaim is a body waiting for memory.
type bodyClaim struct {
	key     string
	size    int64
	granted chan struct{}
}

const (
	// maxUncounted is the size of the largest uncounted body. A connection needs more
	// memory anyway.
	maxUncounted = 4 << 10
	// maxBudgetWait is how long a body waits for memory.
	maxBudgetWait = 20 * time.Second
)

// NewBodyBudget returns a budget with total bytes, of which bodies with the same key hold
// at most perKey.
func NewBodyBudget(total, perKey int64) *BodyBudget {
	return &BodyBudget{total: total, perKey: perKey, keys: map[string]int64{}}
}

// Acquire waits until a body with some bytes may be held in memory and returns a function
// to call once when it no longer is. Claims are granted in arrival order, except those
// whose key holds too much.
func (b *BodyBudget) Acquire(ctx context.Context, key string, size int64) (release func(), err error) {
	claim := &bodyClaim{key: key, size: min(size, b.perKey), granted: make(chan struct{})}
	b.mu.Lock()
	element := b.waiting.PushBack(claim)
	b.grant()
	b.mu.Unlock()
	timer := time.NewTimer(maxBudgetWait)
	defer timer.Stop()
	err = tooManyWaiting(queueRetryAfter)
	select {
	case <-claim.granted:
		return func() { b.release(claim) }, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-claim.granted: // meanwhile
		return func() { b.release(claim) }, nil
	default:
	}
	b.waiting.Remove(element)
	b.grant()
	return nil, err
}

// grant grants the claims that fit.
func (b *BodyBudget) grant() {
	for element := b.waiting.Front(); element != nil; {
		claim, next := element.Value.(*bodyClaim), element.Next()
		switch {
		case b.keys[claim.key]+claim.size > b.perKey:
		case b.used+claim.size > b.total:
			return
		default:
			b.used += claim.size
			b.keys[claim.key] += claim.size
			close(claim.granted)
			b.waiting.Remove(element)
		}
		element = next
	}
}

func (b *BodyBudget) release(claim *bodyClaim) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= claim.size
	if b.keys[claim.key] -= claim.size; b.keys[claim.key] == 0 {
		delete(b.keys, claim.key)
	}
	b.grant()
}

// reserve waits for a body's memory. The time is added to the client's deadline.
func (in Intake) reserve(r *http.Request) (release func(), err error) {
	size := r.ContentLength
	if size < 0 || size > in.Limit {
		size = in.Limit
	}
	if in.Budget == nil || in.Body == NoBody || size <= maxUncounted {
		return func() {}, nil
	}
	request, begun := RequestOf(r.Context()), time.Now()
	release, err = in.Budget.Acquire(r.Context(), cmp.Or(request.Sender, limitKey(request.Address)), size)
	if body, ok := r.Body.(*timedBody); ok && err == nil {
		body.pause(time.Since(begun))
	}
	return release, err
}
