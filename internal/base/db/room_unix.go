//go:build linux || darwin

package db

import "golang.org/x/sys/unix"

// freeBytes returns a directory's free file system space.
func freeBytes(dir string) (free uint64, known bool) {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return 0, false
	}
	return disk.Bavail * uint64(disk.Bsize), true // a block has no negative size
}
