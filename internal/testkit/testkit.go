// Package testkit provides what tests in all packages share: a new, migrated database for
// each engine, and a clock advanced by the test.
//
// PostgreSQL is the server in SVC_TEST_POSTGRES; make test starts a temporary one.
// Without it, tests on PostgreSQL are skipped with a message.
package testkit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// NewUser inserts a user and returns its number and its public id.
func NewUser(t testing.TB, d *db.DB) (id journal.UserID, public journal.PublicID) {
	t.Helper()
	public = journal.NewID[journal.PublicID]()
	err := d.Update(context.Background(), func(tx *db.Tx) error {
		return tx.QueryRow(context.Background(), `
			INSERT INTO users (id, email, email_key, password_hash, is_admin, created_at) VALUES ($1, $2, $3, '', FALSE, 0)
			RETURNING number`, public, string(public), string(public)).Scan(&id)
	})
	if err != nil {
		t.Fatal(err)
	}
	return id, public
}

// EachEngine runs fn on SQLite and on PostgreSQL, each with a new, migrated and
// empty database. Both run in parallel with each other and with other tests.
func EachEngine(t *testing.T, fn func(t *testing.T, d *db.DB)) {
	t.Helper()
	runEngines(t, []db.Engine{db.SQLite, db.PostgreSQL}, fn)
}

// EachEngineIfLong is [EachEngine] if SVC_TEST_LONG is set, as make soak does, and
// otherwise runs fn on SQLite only. It is for long tests whose statements shorter
// tests send to both engines.
func EachEngineIfLong(t *testing.T, fn func(t *testing.T, d *db.DB)) {
	t.Helper()
	runEngines(t, []db.Engine{db.SQLite, db.PostgreSQL}[:Rounds(1, 2)], fn)
}

func runEngines(t *testing.T, engines []db.Engine, fn func(t *testing.T, d *db.DB)) {
	t.Helper()
	for _, engine := range engines {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			fn(t, Open(t, engine))
		})
	}
}

// Open returns a new, migrated database on one engine, closed after the test.
func Open(t testing.TB, engine db.Engine) *db.DB {
	t.Helper()
	if engine == db.PostgreSQL {
		return openPostgres(t)
	}
	d, err := db.Open(t.Context(), Options(t, engine))
	if err != nil {
		t.Fatalf("opening %s: %v", engine, err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// manyStatements are more than any test runs. Preparing one takes longer than running it
// on a small journal.
const manyStatements = 500

// Options returns the options for a new, migrated database, for tests opening it
// themselves.
func Options(t testing.TB, engine db.Engine) db.Options {
	t.Helper()
	if engine == db.SQLite {
		return db.Options{Path: freshFile(t), Readers: 4, Statements: manyStatements, Server: true}
	}
	return db.Options{URL: freshPostgres(t), Readers: 8, Trace: checkStatements(t)}
}

// Empty returns the options for a database without a schema.
func Empty(t testing.TB, engine db.Engine) db.Options {
	t.Helper()
	if engine == db.SQLite {
		return db.Options{Path: filepath.Join(t.TempDir(), "fillbook.db")}
	}
	return db.Options{URL: emptyPostgres(t), Readers: 8}
}

// EmptyCluster returns the options for a database with Citus, without a schema.
func EmptyCluster(t testing.TB) db.Options {
	t.Helper()
	if !IsDistributed() {
		t.Fatal("SVC_TEST_CITUS is not set; run scripts/with-citus")
	}
	name := newName("empty")
	if err := createCluster(name); err != nil {
		t.Fatalf("creating a distributed database: %v", err)
	}
	return db.Options{URL: databaseURL(name), Readers: 8}
}

// fileTemplate is a migrated SQLite file, created once per process and copied for each
// test, which takes a tenth of a migration's time.
var fileTemplate = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "fillbook-template-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	path := filepath.Join(dir, "fillbook.db")
	if err := migrate(db.Options{Path: path}); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func freshFile(t testing.TB) string {
	t.Helper()
	template, err := fileTemplate()
	if err != nil {
		t.Fatalf("creating the SQLite template: %v", err)
	}
	path := filepath.Join(t.TempDir(), "fillbook.db")
	if err := os.WriteFile(path, template, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func migrate(options db.Options) error {
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

// RequirePostgres skips the test if there is no server.
func RequirePostgres(t testing.TB) {
	t.Helper()
	if os.Getenv("SVC_TEST_POSTGRES") == "" {
		t.Skip("NOT TESTED on PostgreSQL: SVC_TEST_POSTGRES is not set; run make test")
	}
}
