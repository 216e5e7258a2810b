//go:build unix

package watch

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openShared opens a file for reading. It does not wait for a writer if the file
// has become a pipe, and fails if it has become a link.
func openShared(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
}

// isLocked reports whether another program has the file for itself.
func isLocked(err error) bool {
	return errors.Is(err, unix.EBUSY) || errors.Is(err, unix.ETXTBSY) || errors.Is(err, unix.EAGAIN)
}
