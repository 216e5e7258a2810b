package filelock_test

import (
	"errors"
	"path/filepath"
	"testing"

	"fillbook/internal/base/filelock"
)

func TestLockIsExclusiveUntilReleased(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	release, err := filelock.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := filelock.Lock(path); !errors.Is(err, filelock.ErrLocked) {
		t.Fatalf("a second lock returned %v", err)
	}
	release()
	release, err = filelock.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	release()
}
