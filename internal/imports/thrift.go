package imports

import (
	"runtime/debug"
	"sync"
)

// From thriftyFrom rows on an import leaves less garbage lying about: what it
// works on is large by then, and by default Go lets as much again pile up.
const (
	thriftyFrom    = 20_000
	thriftyPercent = 50
)

// thrift lowers the garbage collector's target while large imports run.
type thrift struct {
	mu      sync.Mutex
	running int
	before  int
}

// enter returns what is to be called at the end.
func (t *thrift) enter(rows int) (leave func()) {
	if rows <= thriftyFrom {
		return func() {}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running++; t.running == 1 {
		t.before = debug.SetGCPercent(thriftyPercent)
		if t.before >= 0 && t.before < thriftyPercent { // the operator is thriftier
			debug.SetGCPercent(t.before)
		}
	}
	return t.leave
}

func (t *thrift) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running--; t.running == 0 {
		debug.SetGCPercent(t.before)
	}
}
