package db

import (
	"fmt"
	"sync"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"
)

// No connection is used by two goroutines at a time, so connection mutexes do nothing
// here, which is SQLite's mode "multi-thread" (ADR 23). Mutexes for what connections
// share, such as their memory, are Go's.

// It must come before the process's first connection.
func init() {
	if err := installMutexes(); err != nil {
		panic(err)
	}
}

// installMutexes makes SQLite use this file's functions.
func installMutexes() error {
	tls := libc.NewTLS()
	defer tls.Close()
	list := libc.Xmalloc(tls, types.Size_t(unsafe.Sizeof(uintptr(0))))
	defer libc.Xfree(tls, list)
	result := sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_MUTEX, libc.VaList(list, uintptr(unsafe.Pointer(&mutexMethods))))
	if result == sqlite3.SQLITE_OK {
		// It has a connection mutex, so it must not run twice at a time.
		result = sqlite3.Xsqlite3_initialize(tls)
	}
	if result != sqlite3.SQLITE_OK {
		return fmt.Errorf("configuring the mutexes of SQLite: result %d", result)
	}
	return nil
}

// mutexMethods are the functions as pointers that C code, translated to Go, can
// call.
var mutexMethods = sqlite3.Tsqlite3_mutex_methods{
	FxMutexInit: *(*uintptr)(unsafe.Pointer(&struct{ f func(*libc.TLS) int32 }{startMutexes})),
	FxMutexEnd:  *(*uintptr)(unsafe.Pointer(&struct{ f func(*libc.TLS) int32 }{startMutexes})),
	FxMutexAlloc: *(*uintptr)(unsafe.Pointer(&struct {
		f func(*libc.TLS, int32) uintptr
	}{newMutex})),
	FxMutexFree:  *(*uintptr)(unsafe.Pointer(&struct{ f func(*libc.TLS, uintptr) }{freeMutex})),
	FxMutexEnter: *(*uintptr)(unsafe.Pointer(&struct{ f func(*libc.TLS, uintptr) }{lockMutex})),
	FxMutexTry: *(*uintptr)(unsafe.Pointer(&struct {
		f func(*libc.TLS, uintptr) int32
	}{tryMutex})),
	FxMutexLeave: *(*uintptr)(unsafe.Pointer(&struct{ f func(*libc.TLS, uintptr) }{unlockMutex})),
}

var (
	connectionMutex sync.Mutex // every connection's mutex; it is never locked
	staticMutexes   [sqlite3.SQLITE_MUTEX_STATIC_VFS3 + 1]sync.Mutex
)

// addressOf returns a variable's address; the variable must be global or C memory.
func addressOf(m *sync.Mutex) uintptr { return uintptr(unsafe.Pointer(m)) }

// mutexAt returns the mutex at an address.
func mutexAt(address uintptr) *sync.Mutex { return *(**sync.Mutex)(unsafe.Pointer(&address)) }

func startMutexes(*libc.TLS) int32 { return sqlite3.SQLITE_OK }

// newMutex returns a new mutex's address, or a static one's. Only connections and the
// initialization use recursive mutexes.
func newMutex(tls *libc.TLS, kind int32) uintptr {
	switch kind {
	case sqlite3.SQLITE_MUTEX_RECURSIVE:
		return addressOf(&connectionMutex)
	case sqlite3.SQLITE_MUTEX_FAST:
		return libc.Xcalloc(tls, 1, types.Size_t(unsafe.Sizeof(sync.Mutex{})))
	default:
		return addressOf(&staticMutexes[kind])
	}
}

func freeMutex(tls *libc.TLS, address uintptr) {
	if address != addressOf(&connectionMutex) {
		libc.Xfree(tls, address)
	}
}

func lockMutex(_ *libc.TLS, address uintptr) {
	if address != addressOf(&connectionMutex) {
		mutexAt(address).Lock()
	}
}

func tryMutex(_ *libc.TLS, address uintptr) int32 {
	if address == addressOf(&connectionMutex) || mutexAt(address).TryLock() {
		return sqlite3.SQLITE_OK
	}
	return sqlite3.SQLITE_BUSY
}

func unlockMutex(_ *libc.TLS, address uintptr) {
	if address != addressOf(&connectionMutex) {
		mutexAt(address).Unlock()
	}
}
