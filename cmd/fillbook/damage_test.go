package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fillbook/internal/base/db"
)

// TestDamagedDatabase starts the server on damaged files. It must exit with an error
// saying what to do and not change the file; check reports the damage; nothing panics.
func TestDamagedDatabase(t *testing.T) {
	t.Parallel()
	v := newVictim(t, db.SQLite)
	file := newImportFile(0, fillsOfImport)
	k := &killing{victim: v}
	if status, answer, err := k.upload("/imports/commit", file); err != nil || status != http.StatusOK {
		t.Fatalf("the import returned %d %v %v", status, answer, err)
	}
	v.p.stop()
	intact := compact(t, filepath.Join(dataDir(v.env), databaseFile))
	secret, err := os.ReadFile(filepath.Join(dataDir(v.env), secretFile))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range damaged(intact) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			refuseDamage(t, dir, secret, content)
		})
	}
}

// compact returns a file without unused pages, whose damage has no effect.
func compact(t *testing.T, file string) []byte {
	t.Helper()
	d, err := db.Open(t.Context(), db.Options{Path: file})
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "compact.db")
	if err := errors.Join(d.Snapshot(t.Context(), to), d.Close()); err != nil {
		t.Fatal(err)
	}
	// To open the copy makes it one with a write-ahead log, as any file in use.
	if d, err = db.Open(t.Context(), db.Options{Path: to}); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(to)
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	return content
}

const pageSize = 4096

// damaged returns file contents the server must reject.
func damaged(intact []byte) map[string][]byte {
	contents := map[string][]byte{
		"no database":   []byte("dear diary,\n" + strings.Repeat("nothing happened today. ", 1000)),
		"half of it":    intact[:len(intact)/2],
		"a page short":  intact[:len(intact)-pageSize],
		"zeroed header": append(make([]byte, 100), intact[100:]...),
	}
	pages := len(intact) / pageSize
	for range 8 {
		content := bytes.Clone(intact)
		first := 1 + rand.IntN(pages-3)
		for i := first * pageSize; i < min(first+3, pages)*pageSize; i++ {
			content[i] = byte(rand.Int())
		}
		contents[fmt.Sprintf("garbage from page %d of %d", first, pages)] = content
	}
	return contents
}

func refuseDamage(t *testing.T, dir string, secret, content []byte) {
	t.Helper()
	file := filepath.Join(dir, databaseFile)
	for path, text := range map[string][]byte{file: content, filepath.Join(dir, secretFile): secret} {
		if err := makeDataDir(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"SVC_DATA_DIR=" + dir}
	for command, want := range map[string]int{"serve": exitUsage, "check": 0} {
		run := program(t, env, command)
		output, _ := run.CombinedOutput()
		code := run.ProcessState.ExitCode()
		if want != 0 && code != want || code == 0 || code > exitUsage {
			t.Errorf("%s ends with %d\n%s", command, code, output)
		}
		if bytes.Contains(output, []byte("goroutine ")) {
			t.Errorf("%s panics\n%s", command, output)
		}
		if command == "serve" && !bytes.Contains(output, []byte("restore your latest backup into an empty data directory")) {
			t.Errorf("serve does not say what to do\n%s", output)
		}
	}
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, content) {
		t.Errorf("the file was changed: %d bytes, were %d (%v)", len(now), len(content), err)
	}
}
