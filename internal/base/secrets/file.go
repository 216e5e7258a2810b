package secrets

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// LoadOrCreate reads the root secret from a file, or creates it: 32 random bytes as
// base64 text, readable only by the owner. The secret is the text without surrounding
// space, so the same text in SVC_JWT_SECRET results in the same keys.
//
// Programs starting concurrently get the same secret: a new one is written to a temporary
// file and then linked to its name, which succeeds for only one of them. A file that is
// too short is an error and does not change.
func LoadOrCreate(path string) ([]byte, error) {
	root, err := Load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return root, err
	}
	if err := createFile(path); err != nil {
		return nil, fmt.Errorf("creating the secret file: %w", err)
	}
	return Load(path)
}

// Replace replaces the secret in path with the one in the file next, and keeps the former
// as old. After a crash path has either the old or the new one.
func Replace(path, next, old string) error {
	if err := os.Link(path, old); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("keeping the old secret: %w", err)
	}
	if err := os.Rename(next, path); err != nil {
		return fmt.Errorf("replacing the secret: %w", err)
	}
	return syncDirectory(filepath.Dir(path))
}

// Load reads the root secret from a file, which must exist.
func Load(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the secret file: %w", err)
	}
	root := bytes.TrimSpace(text)
	if len(root) < MinRoot {
		return nil, fmt.Errorf("the secret file %s has %d bytes and needs at least %d; restore the right secret, or remove the file to create a new one", path, len(root), MinRoot)
	}
	return root, nil
}

// createFile creates the file, or keeps one created meanwhile.
func createFile(path string) error {
	draft, err := writeDraft(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer os.Remove(draft) //nolint:errcheck // only the temporary name; the file itself stays
	if err := os.Link(draft, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDirectory(filepath.Dir(path))
}

// writeDraft writes a new secret to a temporary file with mode 0600 and returns
// its name.
func writeDraft(dir string) (string, error) {
	draft, err := os.CreateTemp(dir, ".secret-*")
	if err != nil {
		return "", err
	}
	root := make([]byte, MinRoot)
	_, _ = rand.Read(root) // never fails: the program ends instead
	_, err = draft.WriteString(base64.StdEncoding.EncodeToString(root) + "\n")
	err = errors.Join(err, draft.Sync(), draft.Close())
	if err != nil {
		err = errors.Join(err, os.Remove(draft.Name()))
	}
	return draft.Name(), err
}

// syncDirectory flushes a directory, so a new name survives a power failure. Windows does
// not support this.
func syncDirectory(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
