// Package testkit is what the tests of every package share: a fresh,
// migrated database of each engine, and a clock that the test moves.
//
// PostgreSQL comes from the server whose URL is in SVC_TEST_POSTGRES; the test
// command of the README starts a throwaway one. Without it the PostgreSQL half
// is skipped with a line that says so.
package testkit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"fillbook/internal/db"
)

// EachEngine runs fn once on SQLite and once on PostgreSQL, each time with
// a database of its own that holds the newest schema and no rows. The two run
// in parallel with each other and with other tests.
func EachEngine(t *testing.T, fn func(t *testing.T, d *db.DB)) {
	t.Helper()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			fn(t, Open(t, engine))
		})
	}
}

// Open gives a fresh, migrated database of one engine, closed with the test.
func Open(t testing.TB, engine db.Engine) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), Options(t, engine))
	if err != nil {
		t.Fatalf("opening %s: %v", engine, err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// Options names a fresh, migrated database of one engine for a test that
// opens it by itself, or opens it twice.
func Options(t testing.TB, engine db.Engine) db.Options {
	t.Helper()
	if engine == db.SQLite {
		return db.Options{Path: freshFile(t), Readers: 4}
	}
	return db.Options{URL: freshPostgres(t), Readers: 8}
}

// Empty names a database of one engine that has no schema yet.
func Empty(t testing.TB, engine db.Engine) db.Options {
	t.Helper()
	if engine == db.SQLite {
		return db.Options{Path: filepath.Join(t.TempDir(), "fillbook.db")}
	}
	return db.Options{URL: emptyPostgres(t), Readers: 8}
}

// fileTemplate is a migrated SQLite file, made once a process and copied for
// each test: copying costs a tenth of migrating.
var fileTemplate = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "fillbook-template-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	path := filepath.Join(dir, "fillbook.db")
	if err := migrated(db.Options{Path: path}); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func freshFile(t testing.TB) string {
	t.Helper()
	template, err := fileTemplate()
	if err != nil {
		t.Fatalf("making the SQLite template: %v", err)
	}
	path := filepath.Join(t.TempDir(), "fillbook.db")
	if err := os.WriteFile(path, template, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func migrated(options db.Options) error {
	ctx := context.Background()
	d, err := db.Open(ctx, options)
	if err != nil {
		return err
	}
	if err := d.Migrate(ctx); err != nil {
		return errors.Join(err, d.Close())
	}
	return d.Close()
}

// RequirePostgres skips the test, loudly, where there is no server.
func RequirePostgres(t testing.TB) {
	t.Helper()
	if os.Getenv("SVC_TEST_POSTGRES") == "" {
		t.Skip("NOT TESTED on PostgreSQL: SVC_TEST_POSTGRES is not set; run make test")
	}
}
