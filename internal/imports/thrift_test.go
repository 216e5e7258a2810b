package imports

import (
	"runtime/debug"
	"testing"
)

// TestThriftIsGivenUpAgain looks at the garbage collector's own setting, so it
// runs alone.
func TestThriftIsGivenUpAgain(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	percent := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	var saving thrift
	saving.enter(thriftyFrom)()
	if got := percent(); got != 100 {
		t.Errorf("after a small import the setting is %d", got)
	}
	first, second := saving.enter(thriftyFrom+1), saving.enter(thriftyFrom+1)
	first()
	if got := percent(); got != thriftyPercent {
		t.Errorf("while a large import runs the setting is %d", got)
	}
	second()
	if got := percent(); got != 100 {
		t.Errorf("after both the setting is %d", got)
	}
	debug.SetGCPercent(20)
	leave := saving.enter(thriftyFrom + 1)
	if got := percent(); got != 20 {
		t.Errorf("a thriftier setting became %d", got)
	}
	leave()
	if got := percent(); got != 20 {
		t.Errorf("a thriftier setting was left as %d", got)
	}
}
