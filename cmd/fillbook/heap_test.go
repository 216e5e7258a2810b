package main

import (
	"runtime/debug"
	"testing"
)

// TestReduceHeapGrowth reads the garbage collector's own setting, so it does not
// run in parallel.
func TestReduceHeapGrowth(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	percent := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	var tuner heapTuner
	endFirst, endSecond := tuner.reduceHeapGrowth(), tuner.reduceHeapGrowth()
	endFirst()
	if got := percent(); got != importGCPercent {
		t.Errorf("the target during an import is %d, want %d", got, importGCPercent)
	}
	endSecond()
	if got := percent(); got != 100 {
		t.Errorf("the target after both imports is %d, want 100", got)
	}
	debug.SetGCPercent(20)
	end := tuner.reduceHeapGrowth()
	if got := percent(); got != 20 {
		t.Errorf("the lower target 20 became %d during an import", got)
	}
	end()
	if got := percent(); got != 20 {
		t.Errorf("the lower target 20 became %d after an import", got)
	}
}
