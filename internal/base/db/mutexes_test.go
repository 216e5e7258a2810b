package db

import (
	"testing"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// TestMutexesOfSharedData checks that mutexes for shared data exclude each other, and
// connection mutexes do not.
func TestMutexesOfSharedData(t *testing.T) {
	t.Parallel()
	tls := libc.NewTLS()
	defer tls.Close()
	for kind, excludes := range map[int32]bool{
		sqlite3.SQLITE_MUTEX_FAST: true, sqlite3.SQLITE_MUTEX_STATIC_APP1: true, sqlite3.SQLITE_MUTEX_RECURSIVE: false,
	} {
		m := newMutex(tls, kind)
		lockMutex(tls, m)
		if got := tryMutex(tls, m) != sqlite3.SQLITE_OK; got != excludes {
			t.Errorf("kind %d: a locked mutex excludes others: %t, want %t", kind, got, excludes)
		}
		unlockMutex(tls, m)
		if tryMutex(tls, m) != sqlite3.SQLITE_OK {
			t.Errorf("kind %d: the mutex is locked after it was unlocked", kind)
		}
		unlockMutex(tls, m)
		if kind == sqlite3.SQLITE_MUTEX_FAST {
			freeMutex(tls, m)
		}
	}
	if newMutex(tls, sqlite3.SQLITE_MUTEX_STATIC_APP1) == newMutex(tls, sqlite3.SQLITE_MUTEX_STATIC_APP2) {
		t.Error("two static mutexes are the same")
	}
}

// TestSQLiteUsesTheMutexes checks that the configuration took effect.
func TestSQLiteUsesTheMutexes(t *testing.T) {
	t.Parallel()
	tls := libc.NewTLS()
	defer tls.Close()
	if got := sqlite3.Xsqlite3_mutex_alloc(tls, sqlite3.SQLITE_MUTEX_RECURSIVE); got != addressOf(&connectionMutex) {
		t.Errorf("SQLite allocates a mutex for a connection at %x", got)
	}
}
