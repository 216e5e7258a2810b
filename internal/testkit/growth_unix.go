//go:build unix

package testkit

import (
	"syscall"
	"testing"
	"time"
)

// ProcessorTime returns the processor time used by the process.
func ProcessorTime(t testing.TB) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
