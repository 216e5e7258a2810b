package imports

import "testing"

// TestStartLarge checks that only large files call the hook, and that it is
// optional.
func TestStartLarge(t *testing.T) {
	t.Parallel()
	started, ended := 0, 0
	s := New(Options{BeforeLarge: func() func() {
		started++
		return func() { ended++ }
	}})
	s.startLarge(largeRows)()
	if started != 0 || ended != 0 {
		t.Errorf("a file of %d rows called the hook: %d started, %d ended", largeRows, started, ended)
	}
	end := s.startLarge(largeRows + 1)
	if started != 1 || ended != 0 {
		t.Errorf("during a large file: %d started, %d ended; want 1 and 0", started, ended)
	}
	end()
	if ended != 1 {
		t.Errorf("after a large file: %d ended, want 1", ended)
	}
	New(Options{}).startLarge(largeRows + 1)()
}
