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
	mu      sync.Mutex
	batches map[journal.BatchID]Progress
}

func newRunning() *running { return &running{batches: map[journal.BatchID]Progress{}} }

func (r *running) of(id journal.BatchID) *Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, ok := r.batches[id]; ok {
		return &p
	}
	return nil
}

func (r *running) enter(id journal.BatchID, stage string, rows int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.batches[id] = Progress{Stage: stage, Rows: rows}
}

func (r *running) leave(id journal.BatchID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.batches, id)
}
