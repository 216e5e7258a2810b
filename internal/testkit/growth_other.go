//go:build !unix

package testkit

import (
	"testing"
	"time"
)

// processorTime skips the test: only Unix reports a process's processor time in the same
// way everywhere.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	t.Skip("processor time is not measured on this system")
	return 0
}
