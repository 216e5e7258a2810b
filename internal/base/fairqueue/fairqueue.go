// Package fairqueue limits concurrent work. It admits waiting callers round-robin by key
// (user, client address), so a key with many calls does not delay the others.
package fairqueue

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// ErrBusy is returned if a caller would have to wait too long.
var ErrBusy = errors.New("too many are waiting")

// Options are a [Queue]'s bounds.
type Options struct {
	// MaxActive is the maximum number of active callers; 0 means no limit.
	MaxActive int
	// MaxPerKey is the maximum number of active callers per key; 0 means no limit.
	MaxPerKey int
	// MaxWaiting is the maximum number of waiting callers per key.
	MaxWaiting int
	// MaxWait is the longest wait.
	MaxWait time.Duration
}

// Queue admits callers. It is safe for concurrent use.
type Queue struct {
	options Options

	mu     sync.Mutex
	active int
	queues map[string]*keyQueue // only keys with an active or waiting caller
	turns  list.List            // *keyQueue elements with waiting callers, the next first
}

// keyQueue has a key's callers.
type keyQueue struct {
	key     string
	active  int
	waiting list.List // chan struct{} elements, closed when the caller is admitted
	turn    *list.Element
}

// New returns a queue.
func New(options Options) *Queue {
	return &Queue{options: options, queues: map[string]*keyQueue{}}
}

// Acquire waits until the caller is admitted and returns a release function, which must
// be called once. The error is ErrBusy if too many callers wait or the wait was too long,
// else ctx's error.
func (q *Queue) Acquire(ctx context.Context, key string) (release func(), err error) {
	q.mu.Lock()
	l := q.queueFor(key)
	if l.waiting.Len() == 0 && q.hasCapacity(l) {
		q.addActive(l)
		q.mu.Unlock()
		return q.newRelease(l), nil
	}
	if l.waiting.Len() >= q.options.MaxWaiting {
		q.dropIfIdle(l)
		q.mu.Unlock()
		return nil, ErrBusy
	}
	granted := make(chan struct{})
	element := l.waiting.PushBack(granted)
	if l.turn == nil {
		l.turn = q.turns.PushBack(l)
	}
	q.mu.Unlock()
	return q.wait(ctx, l, element, granted)
}

// Load returns how many callers with a key are active and how many wait.
func (q *Queue) Load(key string) (working, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l := q.queues[key]; l != nil {
		return l.active, l.waiting.Len()
	}
	return 0, 0
}

func (q *Queue) wait(ctx context.Context, l *keyQueue, element *list.Element, granted chan struct{}) (func(), error) {
	timer := time.NewTimer(q.options.MaxWait)
	defer timer.Stop()
	err := ErrBusy
	select {
	case <-granted:
		return q.newRelease(l), nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-granted: // admitted meanwhile
		return q.newRelease(l), nil
	default:
	}
	l.waiting.Remove(element)
	q.endTurn(l)
	q.dropIfIdle(l)
	return nil, err
}

func (q *Queue) newRelease(l *keyQueue) func() {
	return sync.OnceFunc(func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.active--
		l.active--
		q.grantNext()
		q.dropIfIdle(l)
	})
}

// grantNext admits waiting callers while there is capacity, in turn by key.
func (q *Queue) grantNext() {
	for turn := q.turns.Front(); turn != nil; {
		l := turn.Value.(*keyQueue)
		next := turn.Next()
		if q.hasCapacity(l) {
			q.addActive(l)
			close(l.waiting.Remove(l.waiting.Front()).(chan struct{}))
			q.turns.MoveToBack(turn)
			q.endTurn(l)
			next = q.turns.Front()
		}
		turn = next
	}
}

func (q *Queue) hasCapacity(l *keyQueue) bool {
	return (q.options.MaxActive == 0 || q.active < q.options.MaxActive) && (q.options.MaxPerKey == 0 || l.active < q.options.MaxPerKey)
}

func (q *Queue) addActive(l *keyQueue) {
	q.active++
	l.active++
}

func (q *Queue) queueFor(key string) *keyQueue {
	l := q.queues[key]
	if l == nil {
		l = &keyQueue{key: key}
		q.queues[key] = l
	}
	return l
}

// endTurn removes a key without waiting callers from the turns.
func (q *Queue) endTurn(l *keyQueue) {
	if l.turn != nil && l.waiting.Len() == 0 {
		q.turns.Remove(l.turn)
		l.turn = nil
	}
}

// dropIfIdle deletes a key without callers.
func (q *Queue) dropIfIdle(l *keyQueue) {
	if l.active == 0 && l.waiting.Len() == 0 && q.queues[l.key] == l {
		delete(q.queues, l.key)
	}
}
