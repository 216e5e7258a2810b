package main

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// importGCPercent is the garbage collector's target while large imports run. By
	// default Go lets the heap double between collections, which is a lot when the
	// data of an import is large.
	importGCPercent = 50
	// releaseDelay is how long after the last large import its memory is returned
	// to the system. The import that follows a preview uses it again.
	releaseDelay = 10 * time.Second
	// startDelay is how long after its start a server returns the memory that only
	// the start needed.
	startDelay = 2 * time.Second
)

// heapTuner lowers the garbage collector's target while at least one large import
// runs.
type heapTuner struct {
	mu       sync.Mutex
	running  int
	previous int // the target to restore
	release  *time.Timer
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
	if t.running--; t.running > 0 {
		return
	}
	debug.SetGCPercent(t.previous)
	// The heap of a large import is several times that of everything else.
	// Without a collection it would stay for minutes, and the next import would
	// grow it further.
	go runtime.GC()
	if t.release == nil {
		t.release = time.AfterFunc(releaseDelay, releaseMemory)
	} else {
		t.release.Reset(releaseDelay)
	}
}

// releaseMemory returns the memory that is not used any more to the system.
func releaseMemory() {
	debug.FreeOSMemory()
	_ = releaseProgramPages() // they are only a part of the memory, and can stay
}
