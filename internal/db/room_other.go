//go:build !linux && !darwin && !windows

package db

// freeBytes is not known here.
func freeBytes(string) (free uint64, known bool) { return 0, false }
