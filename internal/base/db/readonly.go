package db

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// A SQLite file that cannot be written is opened for reading only: the file
// system is mounted read-only, or the file or its directory belongs to another
// user. Nothing is created next to it.

// isLocked reports whether an existing file can be read but not written; opened is the
// error from opening it for writing. The write-ahead log needs a writable directory too.
func isLocked(path string, opened error) bool {
	info, err := os.Stat(path)
	if err != nil || info.Size() == 0 {
		return false
	}
	if opened != nil {
		return isForbidden(opened)
	}
	probe, err := os.CreateTemp(filepath.Dir(path), ".fillbook-probe-*")
	if err != nil {
		return isForbidden(err)
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	return false
}

// isForbidden reports whether a file could not be opened because it or its file
// system is read-only.
func isForbidden(err error) bool {
	failed, ok := errors.AsType[*fs.PathError](err)
	return ok && failed.Op == "open" && (errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission))
}

// lockedFile returns the parameters for opening such a file. A file with a log
// is read together with it. Otherwise the file is declared immutable, because
// SQLite would try to create a log; no program may write to it while it is
// open.
func lockedFile(path string) url.Values {
	if _, err := os.Stat(path + "-wal"); err == nil {
		return url.Values{"mode": {"ro"}}
	}
	return url.Values{"mode": {"ro"}, "immutable": {"1"}}
}

// isWriting reports whether a pragma affects writing only.
func isWriting(pragma string) bool {
	name, _, _ := strings.Cut(pragma, "(")
	return slices.Contains([]string{"journal_mode", "synchronous", "journal_size_limit", "secure_delete"}, name)
}
