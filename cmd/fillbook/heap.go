package main

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// importGCPercent is the garbage collector's target while large imports run. By
	// default Go lets the heap double between collections, which is a lot during a large
	// import.
	importGCPercent = 50
	// importDelay is how long after the last large import its memory is returned to the
	// system. An import following a preview uses it again.
	importDelay = 10 * time.Second
	// briefDelay is the same for memory only needed by the start or a password hash.
	briefDelay = 2 * time.Second
)

// heapTuner lowers the garbage collector's target while at least one large import runs,
// and returns memory to the system after memory-intensive work.
type heapTuner struct {
	mu       sync.Mutex
	running  int
	previous int // the target to restore
	release  *time.Timer
}

// reduceHeapGrowth lowers the target and returns a function restoring it when the last
// import has ended. It never raises an operator's lower target.
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
	t.releaseAfter(importDelay)
}

// releaseSoon returns unused memory to the system after a short delay.
func (t *heapTuner) releaseSoon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running == 0 {
		t.releaseAfter(briefDelay)
	}
}

// releaseAfter expects t.mu to be held. A later call replaces an earlier one.
func (t *heapTuner) releaseAfter(delay time.Duration) {
	if t.release == nil {
		t.release = time.AfterFunc(delay, debug.FreeOSMemory)
	} else {
		t.release.Reset(delay)
	}
}
