// Package fairqueue hands out a bounded number of places for work, taking turns
// between keys (users, client addresses), so that the one who asks for most does
// not keep the others waiting.
package fairqueue

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// ErrBusy is returned to a caller who would have to wait too long.
var ErrBusy = errors.New("too many are waiting")

// Options are the bounds of a [Queue].
type Options struct {
	// MaxActive is how many callers work at the same time; 0 is any number.
	MaxActive int
	// MaxPerKey is how many of them may have the same key; 0 is any number.
	MaxPerKey int
	// MaxWaiting is how many callers of one key may wait.
	MaxWaiting int
	// MaxWait is how long a caller waits.
	MaxWait time.Duration
}

// Queue hands out places. It is safe for concurrent use.
type Queue struct {
	options Options

	mu     sync.Mutex
	active int
	queues map[string]*keyQueue // only keys with a place or a waiting caller
	turns  list.List            // of *line with waiting callers, the next turn first
}

// keyQueue is the callers of one key.
type keyQueue struct {
	key     string
	active  int
	waiting list.List // of chan struct{}, closed when the caller gets a place
	turn    *list.Element
}

// New makes a queue.
func New(options Options) *Queue {
	return &Queue{options: options, queues: map[string]*keyQueue{}}
}

// Acquire waits for a place and returns the function that gives it back, which
// must be called once. The error is ErrBusy when too many wait or the wait was
// too long, else that of ctx.
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

// Load returns how many callers of a key work and how many wait.
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
	case <-granted: // in this very moment
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

// grantNext gives the free places to the keys whose turn it is.
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

// endTurn takes a key off the round when none of its callers wait.
func (q *Queue) endTurn(l *keyQueue) {
	if l.turn != nil && l.waiting.Len() == 0 {
		q.turns.Remove(l.turn)
		l.turn = nil
	}
}

// dropIfIdle drops a key without callers.
func (q *Queue) dropIfIdle(l *keyQueue) {
	if l.active == 0 && l.waiting.Len() == 0 && q.queues[l.key] == l {
		delete(q.queues, l.key)
	}
}
