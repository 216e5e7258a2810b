package imports

import (
	"sync"

	"fillbook/internal/base/journal"
)

// Progress is a running commit's state.
type Progress struct {
	Stage string // checking, writing, annotating
	Rows  int    // how many fills and cash rows there are to write
}

// running tracks the progress of commits in this process, for display only: a batch's
// status is in the database.
type running struct {
	mu       sync.Mutex
	batches  map[journal.BatchID]Progress
	watchers map[journal.BatchID]func(Progress)
}

func newRunning() *running {
	return &running{batches: map[journal.BatchID]Progress{}, watchers: map[journal.BatchID]func(Progress){}}
}

// begin starts tracking a commit. watch, which may be nil, is called at each stage.
func (r *running) begin(id journal.BatchID, watch func(Progress)) {
	r.mu.Lock()
	if watch != nil {
		r.watchers[id] = watch
	}
	r.mu.Unlock()
	r.setStage(id, "checking", 0)
}

func (r *running) progress(id journal.BatchID) *Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, ok := r.batches[id]; ok {
		return &p
	}
	return nil
}

func (r *running) setStage(id journal.BatchID, stage string, rows int) {
	now := Progress{Stage: stage, Rows: rows}
	r.mu.Lock()
	r.batches[id] = now
	watch := r.watchers[id]
	r.mu.Unlock()
	if watch != nil {
		watch(now)
	}
}

func (r *running) end(id journal.BatchID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.batches, id)
	delete(r.watchers, id)
}
