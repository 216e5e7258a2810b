package db_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// childTask names, in a process that a test started from its own binary, what
// that process is to do until it is killed.
const childTask = "FILLBOOK_TEST_CHILD"

// childFile is the SQLite file or the PostgreSQL address the child works on.
const childFile = "FILLBOOK_TEST_FILE"

func TestMain(m *testing.M) {
	task, isChild := map[string]func(context.Context, string) error{
		"write":       writeUntilKilled,
		"migrate":     migrateOnce,
		"migrate-all": migrateAll,
	}[os.Getenv(childTask)]
	if !isChild {
		os.Exit(m.Run())
	}
	if err := task(context.Background(), os.Getenv(childFile)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// probe is a table with a column for every type the schema uses, and another one
// referring to it.
const probe = `
-- The types of ADR 1.
CREATE TABLE probe (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  label TEXT COLLATE "C" NOT NULL UNIQUE,
  n BIGINT NOT NULL,
  small SMALLINT NOT NULL DEFAULT 7,
  flag BOOLEAN NOT NULL DEFAULT FALSE,
  amount TEXT,
  at BIGINT,
  raw BYTEA
);
CREATE TABLE probe_part (
  probe_id TEXT COLLATE "C" NOT NULL REFERENCES probe (id) ON DELETE CASCADE,
  part BIGINT NOT NULL,
  PRIMARY KEY (probe_id, part)
) /* clustered */;
CREATE TABLE probe_anchor (
  probe_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES probe (id)
);
CREATE TABLE probe_brake (
  probe_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES probe (id) ON DELETE RESTRICT
);
`

// eachProbe runs fn on both engines with the probe tables in place.
func eachProbe(t *testing.T, fn func(t *testing.T, d *db.DB)) {
	t.Helper()
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		must(t, d.Define(t.Context(), probe))
		fn(t, d)
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put inserts one probe row; label and id are the same.
func put(ctx context.Context, tx *db.Tx, id string) error {
	_, err := tx.Exec(ctx, `INSERT INTO probe (id, label, n) VALUES ($1, $2, $3)`, id, id, 0)
	return err
}

// update runs a writing transaction that must succeed.
func update(t testing.TB, d *db.DB, fn func(ctx context.Context, tx *db.Tx) error) {
	t.Helper()
	must(t, d.Update(t.Context(), func(tx *db.Tx) error { return fn(t.Context(), tx) }))
}

// count counts a table's rows, seen from its own transaction.
func count(t testing.TB, d *db.DB, table string) int {
	t.Helper()
	var n int
	must(t, d.View(t.Context(), func(tx *db.Tx) (err error) {
		n, err = countIn(t.Context(), tx, table)
		return err
	}))
	return n
}

func countIn(ctx context.Context, tx *db.Tx, table string) (int, error) {
	var n int
	err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM `+table).Scan(&n)
	return n, err
}
