// Package filelock locks files between processes. The system releases a lock
// when its process ends, however it ends.
package filelock

import (
	"errors"
	"fmt"
	"os"
)

// ErrLocked means another process, or another call in this one, has the lock.
var ErrLocked = errors.New("the file is locked")

// Lock creates a file readable only by its owner, if none, and locks it without
// waiting. The lock is held until release is called.
func Lock(path string) (release func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("creating the lock: %w", err)
	}
	if err := lockFile(file); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("%w: %w", ErrLocked, err)
	}
	return func() { _ = file.Close() }, nil
}
