//go:build !linux && !darwin && !windows

package db

// freeBytes reports that the free space is unknown on this system.
func freeBytes(string) (free uint64, known bool) { return 0, false }
