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
	// Places is how many callers work at the same time; 0 is any number.
	Places int
	// PerKey is how many of them may have the same key; 0 is any number.
	PerKey int
	// Waiting is how many callers of one key may wait.
	Waiting int
	// Patience is how long a caller waits.
	Patience time.Duration
}

// Queue hands out places. It is safe for concurrent use.
type Queue struct {
	options Options

	mu    sync.Mutex
	taken int
	lines map[string]*line // only keys with a place or a waiting caller
	turns list.List        // of *line with waiting callers, the next turn first
}

// line is the callers of one key.
type line struct {
	key     string
	taken   int
	waiting list.List // of chan struct{}, closed when the caller gets a place
	turn    *list.Element
}

// New makes a queue.
func New(options Options) *Queue {
	return &Queue{options: options, lines: map[string]*line{}}
}

// Acquire waits for a place and returns the function that gives it back, which
// must be called once. The error is ErrBusy when too many wait or the wait was
// too long, else that of ctx.
func (q *Queue) Acquire(ctx context.Context, key string) (release func(), err error) {
	q.mu.Lock()
	l := q.line(key)
	if l.waiting.Len() == 0 && q.hasPlace(l) {
		q.take(l)
		q.mu.Unlock()
		return q.releaser(l), nil
	}
	if l.waiting.Len() >= q.options.Waiting {
		q.forget(l)
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
	if l := q.lines[key]; l != nil {
		return l.taken, l.waiting.Len()
	}
	return 0, 0
}

func (q *Queue) wait(ctx context.Context, l *line, element *list.Element, granted chan struct{}) (func(), error) {
	timer := time.NewTimer(q.options.Patience)
	defer timer.Stop()
	err := ErrBusy
	select {
	case <-granted:
		return q.releaser(l), nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-granted: // in this very moment
		return q.releaser(l), nil
	default:
	}
	l.waiting.Remove(element)
	q.endTurn(l)
	q.forget(l)
	return nil, err
}

func (q *Queue) releaser(l *line) func() {
	return sync.OnceFunc(func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.taken--
		l.taken--
		q.grant()
		q.forget(l)
	})
}

// grant gives the free places to the keys whose turn it is.
func (q *Queue) grant() {
	for turn := q.turns.Front(); turn != nil; {
		l := turn.Value.(*line)
		next := turn.Next()
		if q.hasPlace(l) {
			q.take(l)
			close(l.waiting.Remove(l.waiting.Front()).(chan struct{}))
			q.turns.MoveToBack(turn)
			q.endTurn(l)
			next = q.turns.Front()
		}
		turn = next
	}
}

func (q *Queue) hasPlace(l *line) bool {
	return (q.options.Places == 0 || q.taken < q.options.Places) && (q.options.PerKey == 0 || l.taken < q.options.PerKey)
}

func (q *Queue) take(l *line) {
	q.taken++
	l.taken++
}

func (q *Queue) line(key string) *line {
	l := q.lines[key]
	if l == nil {
		l = &line{key: key}
		q.lines[key] = l
	}
	return l
}

// endTurn takes a key off the round when none of its callers wait.
func (q *Queue) endTurn(l *line) {
	if l.turn != nil && l.waiting.Len() == 0 {
		q.turns.Remove(l.turn)
		l.turn = nil
	}
}

// forget drops a key without callers.
func (q *Queue) forget(l *line) {
	if l.taken == 0 && l.waiting.Len() == 0 && q.lines[l.key] == l {
		delete(q.lines, l.key)
	}
}
