package main

import (
	"runtime/debug"
	"sync"
	"time"
)

const (
	// importGCPercent is the garbage collector's target while large imports run. By
	// default Go lets the heap double between collections, which is a lot when the
	// data of an import is large.
	importGCPercent = 50
	// releaseDelay is how long after the last large import the target is restored
	// and its memory is returned to the system. The import that follows a preview
	// uses both again.
	releaseDelay = 10 * time.Second
	// startDelay is how long after its start a server returns the memory that only
	// the start needed.
	startDelay = 2 * time.Second
)

// heapTuner lowers the garbage collector's target while large imports run, and a
// little longer: changing it waits for a collection in progress, so it is not
// changed between a preview and its import.
type heapTuner struct {
	mu       sync.Mutex
	running  int
	lowered  bool
	previous int // the target to restore
	release  *time.Timer
}

// reduceHeapGrowth lowers the target and returns a function to be called when the
// import has ended. It never raises a lower target of the operator.
func (t *heapTuner) reduceHeapGrowth() (end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running++
	if !t.lowered {
		t.lowered = true
		t.previous = debug.SetGCPercent(importGCPercent)
		if t.previous >= 0 && t.previous < importGCPercent {
			debug.SetGCPercent(t.previous)
		}
	}
	return t.end
}

// end schedules the release of the memory if this was the last import.
func (t *heapTuner) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch t.running--; {
	case t.running > 0:
	case t.release == nil:
		t.release = time.AfterFunc(releaseDelay, t.restore)
	default:
		t.release.Reset(releaseDelay)
	}
}

// restore restores the target, unless a large import runs, and releases memory.
// Without that, the heap of an import, which is several times that of everything
// else, would stay for minutes.
func (t *heapTuner) restore() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running > 0 || !t.lowered {
		return
	}
	t.lowered = false
	debug.SetGCPercent(t.previous)
	releaseMemory()
}

// releaseMemory returns the memory that is not used any more to the system.
func releaseMemory() {
	debug.FreeOSMemory()
	_ = releaseProgramPages() // they are only a part of the memory, and can stay
}
