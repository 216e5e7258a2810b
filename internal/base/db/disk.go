package db

import (
	"fmt"
	"path/filepath"
)

// DefaultLeastRoom is the free disk space in bytes a large write requires by default.
const DefaultLeastRoom = 64 << 20

// CheckRoom returns ErrFull if a large write with need bytes would leave too little space
// on the SQLite file's disk, so small writes keep working. On PostgreSQL it returns nil.
func (d *DB) CheckRoom(need uint64) error {
	if d.engine != SQLite {
		return nil
	}
	free, known := freeBytes(filepath.Dir(d.path))
	if !known || free >= need+d.leastRoom {
		return nil
	}
	return fmt.Errorf("%w: %d MiB are free, %d MiB are needed", ErrFull, free>>20, (need+d.leastRoom)>>20)
}

// Failed returns a channel that is closed when the SQLite file's disk reports that it
// could not store written data. The kernel may have dropped the data and report success
// the next time, so nothing more is written; the process should exit and be restarted on
// a working disk. PostgreSQL handles this itself.
func (d *DB) Failed() <-chan struct{} { return d.failed }

func (d *DB) fail(cause error) {
	d.failing.Do(func() {
		d.log.Error("disk failed, writing stopped", "error", cause)
		close(d.failed)
	})
}
