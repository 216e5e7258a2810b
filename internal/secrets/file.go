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

// LoadOrCreate reads the root secret from a file, or makes one there: 32
// random bytes as base64 text, readable by the owner alone. The secret is the
// text without the blanks around it, so the same text in SVC_JWT_SECRET gives
// the same keys.
//
// Programs that start at once end with the same secret: a new one is written
// whole beside the file and then linked to its name, which only one of them
// can do. A file that is too short is refused and left alone.
func LoadOrCreate(path string) ([]byte, error) {
	root, err := Load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return root, err
	}
	if err := createFile(path); err != nil {
		return nil, fmt.Errorf("making the secret file: %w", err)
	}
	return Load(path)
}

// Replace puts the secret of the file next in the place of the one in path,
// which is kept as old. A crash leaves the old one in place or the new one.
func Replace(path, next, old string) error {
	if err := os.Link(path, old); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("keeping the old secret: %w", err)
	}
	if err := os.Rename(next, path); err != nil {
		return fmt.Errorf("putting the new secret in place: %w", err)
	}
	return syncDirectory(filepath.Dir(path))
}

// Load reads the root secret from a file that must be there.
func Load(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the secret file: %w", err)
	}
	root := bytes.TrimSpace(text)
	if len(root) < MinRoot {
		return nil, fmt.Errorf("the secret file %s holds %d bytes and needs at least %d; put the right secret there or remove the file to have one made", path, len(root), MinRoot)
	}
	return root, nil
}

// createFile makes the file, or leaves the one that somebody else made meanwhile.
func createFile(path string) error {
	draft, err := writeDraft(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer os.Remove(draft) //nolint:errcheck // the name beside the file; the file itself stays
	if err := os.Link(draft, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDirectory(filepath.Dir(path))
}

// writeDraft writes a new secret under a name of its own, with mode 0600.
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

// syncDirectory makes the new name survive a power cut. Windows has no such
// call for a directory.
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
