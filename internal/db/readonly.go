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

// A SQLite file that cannot be written is opened to be read alone: the file
// system is mounted read-only, or the file or its directory belongs to somebody
// else. Nothing is created beside it.

// isLocked tells whether an existing file can be read but not written, given
// what came of opening it to be written. The write-ahead log needs a directory
// that can be written too.
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

// isForbidden tells whether a file could not be opened because it, or the file
// system, may not be written.
func isForbidden(err error) bool {
	failed, ok := errors.AsType[*fs.PathError](err)
	return ok && failed.Op == "open" && (errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission))
}

// lockedFile says how to open such a file. Where a log lies beside it, it is
// read with it. Otherwise the file is declared immutable, because SQLite would
// want to make a log: nobody may write it while we have it open.
func lockedFile(path string) url.Values {
	if _, err := os.Stat(path + "-wal"); err == nil {
		return url.Values{"mode": {"ro"}}
	}
	return url.Values{"mode": {"ro"}, "immutable": {"1"}}
}

// isWriting tells whether a pragma is about how to write.
func isWriting(pragma string) bool {
	name, _, _ := strings.Cut(pragma, "(")
	return slices.Contains([]string{"journal_mode", "synchronous", "journal_size_limit", "secure_delete"}, name)
}
