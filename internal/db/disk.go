package db

import (
	"fmt"
	"path/filepath"
)

// DefaultLeastRoom is how much must be free on a disk before a large write is
// begun, unless an installation says otherwise.
const DefaultLeastRoom = 64 << 20

// CheckRoom refuses what writes much, and needs so many bytes, while the disk of
// SQLite's file is nearly full: small writes are to go on for as long as they
// can. PostgreSQL has a disk of its own.
func (d *DB) CheckRoom(need uint64) error {
	if d.engine != SQLite {
		return nil
	}
	free, known := freeBytes(filepath.Dir(d.path))
	if !known || free >= need+d.leastRoom {
		return nil
	}
	return fmt.Errorf("%w: %d MiB are free, and %d MiB are wanted", ErrFull, free>>20, (need+d.leastRoom)>>20)
}

// Failed is closed when the disk under SQLite's file reports that it could not
// keep what was written. The kernel may have dropped it and tell of success the
// next time, so nothing more is written; the process should end, and be started
// on a disk that works. PostgreSQL looks after itself.
func (d *DB) Failed() <-chan struct{} { return d.failed }

func (d *DB) fail(cause error) {
	d.failing.Do(func() {
		d.log.Error("the disk has failed; nothing is written any more", "error", cause)
		close(d.failed)
	})
}
