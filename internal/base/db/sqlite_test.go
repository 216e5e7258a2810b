package db_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

func TestSnapshotUnderWriteLoad(t *testing.T) {
	t.Parallel()
	d := testkit.Open(t, db.SQLite)
	must(t, d.Define(t.Context(), probe))
	ctx, stop := context.WithCancel(t.Context())
	writing := make(chan struct{}, 1_000_000)
	group, _ := errgroup.WithContext(ctx)
	group.Go(func() error {
		for ctx.Err() == nil {
			err := d.Update(ctx, func(tx *db.Tx) error {
				_, err := writePair(ctx, tx)
				return err
			})
			if err != nil && !errors.Is(err, context.Canceled) {
				return err
			}
			writing <- struct{}{}
		}
		return nil
	})
	for i := range 5 {
		for range 10 {
			<-writing // make sure that it is busy
		}
		to := filepath.Join(t.TempDir(), "copy.db")
		must(t, d.Snapshot(t.Context(), to))
		if rows := expectPairs(t, db.Options{Path: to}, 10*(i+1)-1); rows == 0 {
			t.Error("the copy is empty")
		}
		info, err := os.Stat(to)
		must(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("the copy's mode is %v", info.Mode())
		}
	}
	stop()
	must(t, group.Wait())
	expectIntact(t, d)
}

func TestSnapshotTouchesNoOtherFile(t *testing.T) {
	t.Parallel()
	d := testkit.Open(t, db.SQLite)
	taken := filepath.Join(t.TempDir(), "taken.db")
	must(t, os.WriteFile(taken, []byte("mine"), 0o600))
	if err := d.Snapshot(t.Context(), taken); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Snapshot = %v, want that the file exists", err)
	}
	if data, _ := os.ReadFile(taken); string(data) != "mine" {
		t.Errorf("the file now holds %q", data)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	failed := filepath.Join(t.TempDir(), "failed.db")
	if err := d.Snapshot(canceled, failed); err == nil {
		t.Error("a canceled Snapshot succeeded")
	}
	if _, err := os.Stat(failed); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a failed Snapshot left its file: %v", err)
	}
	update(t, d, func(context.Context, *db.Tx) error { return nil })
}

func TestSnapshotIsForFiles(t *testing.T) {
	t.Parallel()
	d := testkit.Open(t, db.PostgreSQL)
	if err := d.Snapshot(t.Context(), filepath.Join(t.TempDir(), "copy.db")); err == nil {
		t.Error("PostgreSQL made a file")
	}
}

func TestInspectFindsDamage(t *testing.T) {
	t.Parallel()
	options := testkit.Options(t, db.SQLite)
	d := open(t, options)
	must(t, d.Define(t.Context(), probe))
	update(t, d, func(ctx context.Context, tx *db.Tx) error {
		for i := range 2000 {
			must(t, put(ctx, tx, strconv.Itoa(i)+strings.Repeat("x", 50)))
		}
		return nil
	})
	expectIntact(t, d)
	must(t, d.Close())
	damage(t, options.Path)
	d, err := db.Open(t.Context(), options)
	if err != nil {
		if !errors.Is(err, db.ErrDamaged) {
			t.Errorf("Open = %v, want ErrDamaged", err)
		}
		return
	}
	defer d.Close() //nolint:errcheck // damaged on purpose
	problems, err := d.Inspect(t.Context(), false)
	if len(problems) == 0 && !errors.Is(err, db.ErrDamaged) {
		t.Errorf("Inspect found nothing (%v) in a damaged file", err)
	}
}

// damage overwrites pages in the file's last third, where rows are.
func damage(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	must(t, err)
	from := len(data) * 2 / 3 / 4096 * 4096
	copy(data[from:], bytes.Repeat([]byte{0xA5}, 20*4096))
	must(t, os.WriteFile(file, data, 0o600))
}

func TestWhatIsNoDatabaseIsRefusedAndKept(t *testing.T) {
	t.Parallel()
	intact, err := os.ReadFile(testkit.Options(t, db.SQLite).Path)
	must(t, err)
	contents := map[string][]byte{
		"text":        []byte("dear diary,\n"),
		"short":       []byte("SQLite"),
		"zeros":       make([]byte, 8192),
		"header only": intact[:16],
		"100 bytes":   intact[:100],
		"one page":    intact[:4096],
		"half":        intact[:len(intact)/2],
	}
	for range 20 {
		n := 1 + rand.IntN(len(intact)-4097)
		contents[strconv.Itoa(n)+" bytes"] = intact[:n]
	}
	for name, content := range contents {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "fillbook.db")
			must(t, os.WriteFile(file, content, 0o600))
			if _, err := db.FileVersion(t.Context(), file); !errors.Is(err, db.ErrDamaged) {
				t.Errorf("FileVersion = %v, want ErrDamaged", err)
			}
			if err := openAndMigrate(t.Context(), file); !errors.Is(err, db.ErrDamaged) {
				t.Errorf("Open and Migrate = %v, want ErrDamaged", err)
			}
			if now, _ := os.ReadFile(file); !bytes.Equal(now, content) {
				t.Errorf("the file was changed: %d bytes, were %d", len(now), len(content))
			}
		})
	}
}

func openAndMigrate(ctx context.Context, file string) error {
	d, err := db.Open(ctx, db.Options{Path: file})
	if err != nil {
		return err
	}
	return errors.Join(d.Migrate(ctx), d.Close())
}

func TestOddFileNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"my journal.db", "100%.db", "a%20b.db", "what?.db", "c#.db", "ünïcode 日本.db", "a&b=c.db", "file:x.db"} {
		file := filepath.Join(t.TempDir(), name)
		d, err := db.Open(t.Context(), db.Options{Path: file})
		must(t, err)
		must(t, errors.Join(d.MigrateFiles(t.Context(), stepsUntil(t, 1)), d.Close()))
		if _, err := os.Stat(file); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if version, err := db.FileVersion(t.Context(), file); err != nil || version != 1 {
			t.Errorf("%q: FileVersion = %d, %v, want 1", name, version, err)
		}
		entries, err := os.ReadDir(filepath.Dir(file))
		if err != nil || len(entries) != 1 {
			t.Errorf("%q: its directory holds %v, %v", name, entries, err)
		}
	}
}

func TestFileIsPrivate(t *testing.T) {
	t.Parallel()
	options := testkit.Empty(t, db.SQLite)
	d := open(t, options)
	must(t, d.Migrate(t.Context()))
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(options.Path + suffix)
		must(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", filepath.Base(options.Path)+suffix, info.Mode())
		}
	}
}

func TestPragmasHold(t *testing.T) {
	t.Parallel()
	d := testkit.Open(t, db.SQLite)
	want := map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "10000",
		"trusted_schema": "0", "cell_size_check": "1", "temp_store": "2", "journal_size_limit": "67108864", "secure_delete": "2",
	}
	for place, run := range map[string]func(context.Context, func(*db.Tx) error) error{"reader": d.View, "writer": d.Update} {
		must(t, run(t.Context(), func(tx *db.Tx) error {
			for pragma, value := range want {
				var got string
				must(t, tx.QueryRow(t.Context(), `PRAGMA `+pragma).Scan(&got))
				if got != value {
					t.Errorf("%s: %s = %s, want %s", place, pragma, got, value)
				}
			}
			return nil
		}))
	}
}

func TestCloseWaitsAndRefusesNewWork(t *testing.T) {
	t.Parallel()
	options := testkit.Options(t, db.SQLite)
	d := open(t, options)
	must(t, d.Define(t.Context(), probe))
	open, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 2)
	go func() {
		done <- d.Update(t.Context(), func(tx *db.Tx) error {
			close(open)
			<-release
			return put(t.Context(), tx, "a")
		})
	}()
	<-open
	go func() { done <- d.Close() }()
	for !errors.Is(d.Ping(t.Context()), db.ErrUnavailable) {
		continue // until Close has begun
	}
	close(release)
	must(t, <-done)
	must(t, <-done)
	must(t, d.Close())
	if err := d.Update(t.Context(), func(*db.Tx) error { return nil }); !errors.Is(err, db.ErrUnavailable) {
		t.Errorf("Update of a closed database = %v, want ErrUnavailable", err)
	}
	if _, err := os.Stat(options.Path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the write-ahead log was not folded in: %v", err)
	}
	expectRow(t, options)
}

func expectRow(t *testing.T, options db.Options) {
	t.Helper()
	if n := count(t, open(t, options), "probe"); n != 1 {
		t.Errorf("%d rows after closing, want 1", n)
	}
}
