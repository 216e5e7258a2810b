package imports

import (
	"sync"

	"fillbook/internal/journal"
)

// Progress tells how far a running commit is.
type Progress struct {
	Stage string // checking, writing, annotating
	Rows  int    // how many fills and cash rows there are to write
}

// running knows the commits of this process. It is a courtesy to whoever
// waits: the truth is in the batch's status.
type running struct {
	mu       sync.Mutex
	batches  map[journal.BatchID]Progress
	watchers map[journal.BatchID]func(Progress)
}

func newRunning() *running {
	return &running{batches: map[journal.BatchID]Progress{}, watchers: map[journal.BatchID]func(Progress){}}
}

// begin makes a commit known, and has watch, which may be nil, told of its
// stages.
func (r *running) begin(id journal.BatchID, watch func(Progress)) {
	r.mu.Lock()
	if watch != nil {
		r.watchers[id] = watch
	}
	r.mu.Unlock()
	r.enter(id, "checking", 0)
}

func (r *running) of(id journal.BatchID) *Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, ok := r.batches[id]; ok {
		return &p
	}
	return nil
}

func (r *running) enter(id journal.BatchID, stage string, rows int) {
	now := Progress{Stage: stage, Rows: rows}
	r.mu.Lock()
	r.batches[id] = now
	watch := r.watchers[id]
	r.mu.Unlock()
	if watch != nil {
		watch(now)
	}
}

func (r *running) leave(id journal.BatchID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.batches, id)
	delete(r.watchers, id)
}
