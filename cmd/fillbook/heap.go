package main

import (
	"runtime/debug"
	"sync"
)

// importGCPercent is the garbage collector's target while large imports run. By
// default Go lets the heap double between collections, which is a lot when the
// data of an import is large.
const importGCPercent = 50

// heapTuner lowers the garbage collector's target while at least one large import
// runs.
type heapTuner struct {
	mu       sync.Mutex
	running  int
	previous int // the target to restore
}

// reduceHeapGrowth lowers the target and returns a function that restores it when
// the last import has ended. It never raises a lower target of the operator.
func (t *heapTuner) reduceHeapGrowth() (restore func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running++; t.running == 1 {
		t.previous = debug.SetGCPercent(importGCPercent)
		if t.previous >= 0 && t.previous < importGCPercent {
			debug.SetGCPercent(t.previous)
		}
	}
	return t.restore
}

func (t *heapTuner) restore() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running--; t.running == 0 {
		debug.SetGCPercent(t.previous)
		// The heap of a large import is several times that of everything else.
		// Without a collection it would stay for minutes.
		go debug.FreeOSMemory()
	}
}
