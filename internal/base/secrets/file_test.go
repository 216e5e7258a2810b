package secrets_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"fillbook/internal/base/secrets"
)

func TestLoadOrCreateMakesAPrivateFileOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	first, err := secrets.LoadOrCreate(path)
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := base64.StdEncoding.DecodeString(string(first)); err != nil || len(raw) != 32 {
		t.Errorf("the secret is %d bytes of base64, %v", len(raw), err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	again, err := secrets.LoadOrCreate(path)
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("the second start reads %q, %v", again, err)
	}
	checkOnlyFile(t, path)
}

func TestLoadOrCreateReadsTheTextAsItStands(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	const text = "a passphrase of the operator's own choice"
	if err := os.WriteFile(path, []byte(" "+text+" \r\n"), 0o400); err != nil {
		t.Fatal(err)
	}
	root, err := secrets.LoadOrCreate(path)
	if err != nil || string(root) != text {
		t.Errorf("read %q, %v", root, err)
	}
}

func TestLoadOrCreateRefusesAShortFileAndLeavesIt(t *testing.T) {
	for _, text := range []string{"", "\n", "short", "0123456789012345678901234567890\n"} {
		path := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := secrets.LoadOrCreate(path); err == nil {
			t.Errorf("%q was accepted", text)
		}
		if kept, err := os.ReadFile(path); err != nil || string(kept) != text {
			t.Errorf("%q became %q, %v", text, kept, err)
		}
	}
}

func TestLoadOrCreateAtOnceGivesOneSecret(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), "secret")
		roots := make([][]byte, 8)
		var group sync.WaitGroup
		for i := range roots {
			group.Go(func() {
				var err error
				if roots[i], err = secrets.LoadOrCreate(path); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		for _, root := range roots {
			if !bytes.Equal(root, roots[0]) {
				t.Fatalf("two starts have two secrets: %q and %q", root, roots[0])
			}
		}
		checkOnlyFile(t, path)
	}
}

func TestLoadOrCreateReportsWriteErrors(t *testing.T) {
	if _, err := secrets.LoadOrCreate(filepath.Join(t.TempDir(), "missing", "secret")); err == nil {
		t.Error("a file was created without a directory")
	}
	if _, err := secrets.LoadOrCreate(t.TempDir()); err == nil {
		t.Error("a directory was accepted")
	}
}

// checkOnlyFile checks that no temporary file is left.
func checkOnlyFile(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, %v", entries, err)
	}
}

// TestReplace checks that both secrets are on disk after
// a replacement.
func TestReplace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, next, old := filepath.Join(dir, "secret.key"), filepath.Join(dir, "secret.key.next"), filepath.Join(dir, "secret.key.before")
	first, err := secrets.LoadOrCreate(file)
	if err != nil {
		t.Fatal(err)
	}
	second, err := secrets.LoadOrCreate(next)
	if err != nil {
		t.Fatal(err)
	}
	if err := secrets.Replace(file, next, old); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{file: second, old: first} {
		if got, err := secrets.Load(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s holds another secret: %v", filepath.Base(name), err)
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s can be read by others: %v", filepath.Base(name), err)
		}
	}
	if _, err := secrets.Load(next); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the new secret is still there under its first name: %v", err)
	}
}
