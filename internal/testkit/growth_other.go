//go:build !unix

package testkit

import (
	"testing"
	"time"
)

// ProcessorTime skips the test: only Unix reports a process's processor time in the same
// way everywhere.
func ProcessorTime(t testing.TB) time.Duration {
	t.Helper()
	t.Skip("processor time is not measured on this system")
	return 0
}
