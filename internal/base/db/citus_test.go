//go:build citus

// These tests need a Citus cluster: run them with scripts/with-citus.

package db_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/sync/errgroup"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// newDistributed returns a new distributed database.
func newDistributed(t *testing.T) (*db.DB, db.Distribution) {
	t.Helper()
	d := open(t, testkit.EmptyCluster(t))
	must(t, d.Migrate(t.Context()))
	changes, err := d.Distribute(t.Context())
	must(t, err)
	return d, changes
}

func TestCitusDistributesEveryTable(t *testing.T) {
	t.Parallel()
	d, changes := newDistributed(t)
	want, err := db.DistributionColumns(t.Context())
	must(t, err)
	if len(changes.Distributed) != len(want) || len(changes.Constraints) != 3 || !slices.Contains(changes.Reference, "users") {
		t.Errorf("it changed %+v", changes)
	}
	got := map[string]string{}
	for _, entry := range ids(t, d, `SELECT logicalrelid || '.' || column_to_column_name(logicalrelid, partkey) AS place
		FROM pg_dist_partition WHERE partmethod = 'h' ORDER BY place`) {
		table, column, _ := strings.Cut(entry, ".")
		got[table] = column
	}
	if !maps.Equal(got, want) {
		t.Errorf("the distribution columns are %v, want %v", got, want)
	}
	again, err := d.Distribute(t.Context())
	if err != nil || len(again.Distributed)+len(again.Reference)+len(again.Constraints) != 0 {
		t.Errorf("distributing again: %+v, %v", again, err)
	}
}

// TestCitusLaterMigration applies a migration that changes a distributed table and
// creates tables referring to others.
func TestCitusLaterMigration(t *testing.T) {
	t.Parallel()
	d, _ := newDistributed(t)
	addUsers(t, d, 1)
	steps := stepsUntil(t, db.Latest()).(fstest.MapFS) // its own
	steps[fmt.Sprintf("migrations/%04d_later.sql", db.Latest()+1)] = &fstest.MapFile{Data: []byte(`
		-- A comment; with a semicolon.
		ALTER TABLE accounts ADD COLUMN later TEXT;
		UPDATE accounts SET later = name;
		CREATE TABLE later_things (
		  user_id ` + userKeyType + ` NOT NULL REFERENCES users (` + userKey + `) ON DELETE CASCADE,
		  account_id TEXT COLLATE "C" NOT NULL,
		  PRIMARY KEY (user_id, account_id),
		  FOREIGN KEY (user_id, account_id) REFERENCES accounts (user_id, id) ON DELETE CASCADE
		);
		INSERT INTO later_things SELECT user_id, id FROM accounts;
		CREATE INDEX later_things_account ON later_things (user_id, account_id);
		ALTER TABLE users ADD COLUMN later BIGINT NOT NULL DEFAULT 1;`)}
	must(t, d.MigrateFiles(t.Context(), steps))
	if n := count(t, d, "later_things"); n != 1 {
		t.Errorf("%d rows were copied, want 1", n)
	}
	if n := count(t, d, "pg_dist_partition WHERE logicalrelid = 'later_things'::regclass AND partmethod = 'h'"); n != 1 {
		t.Error("the new table is not distributed")
	}
}

// TestCitusCopyIsOneSnapshot copies a database while a writer adds pairs of rows
// on different nodes. A copy with half of a pair is not one snapshot.
func TestCitusCopyIsOneSnapshot(t *testing.T) {
	t.Parallel()
	d, _ := newDistributed(t)
	ctx, stop := context.WithCancel(t.Context())
	var group errgroup.Group
	group.Go(func() error {
		for i := 0; ctx.Err() == nil; i++ {
			if err := addPair(context.WithoutCancel(ctx), d, i); err != nil {
				return err
			}
		}
		return nil
	})
	for i := range 5 {
		to := open(t, db.Options{Path: filepath.Join(t.TempDir(), "copy.db")})
		must(t, to.Migrate(t.Context()))
		must(t, db.Copy(t.Context(), d, to, db.CopyOptions{Skip: []string{"schema_migrations"}}))
		accounts := ids(t, to, `SELECT name AS place FROM accounts GROUP BY name HAVING COUNT(*) <> 2`)
		users := ids(t, to, `SELECT email AS place FROM users WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE accounts.user_id = users.`+userKey+`)`)
		if len(accounts)+len(users) != 0 {
			t.Errorf("copy %d has half of the pairs %v, and the users without an account %v", i, accounts, users)
		}
	}
	stop()
	must(t, group.Wait())
}

// TestCitusCopyInto copies a database into a distributed one.
func TestCitusCopyInto(t *testing.T) {
	t.Parallel()
	d, _ := newDistributed(t)
	from := testkit.Open(t, db.SQLite)
	addUsers(t, from, 20)
	must(t, db.Copy(t.Context(), from, d, db.CopyOptions{Skip: []string{"schema_migrations"}}))
	if users, accounts := count(t, d, "users"), count(t, d, "accounts"); users != 20 || accounts != 20 {
		t.Errorf("%d users and %d accounts were copied, want 20 each", users, accounts)
	}
}

// The column of users that other tables refer to as user_id, and its type.
const (
	userKey     = "number"
	userKeyType = "INTEGER"
)

// addUsers adds users with one account each.
func addUsers(t *testing.T, d *db.DB, n int) {
	t.Helper()
	update(t, d, func(ctx context.Context, tx *db.Tx) error {
		for i := range n {
			if err := addUser(ctx, tx, fmt.Sprint("user", i), fmt.Sprint("account", i)); err != nil {
				return err
			}
		}
		return nil
	})
}

// addPair adds two users whose accounts have the same name.
func addPair(ctx context.Context, d *db.DB, i int) error {
	return d.Update(ctx, func(tx *db.Tx) error {
		for _, side := range []string{"a", "b"} {
			if err := addUser(ctx, tx, fmt.Sprint("user", i, side), fmt.Sprint("pair", i)); err != nil {
				return err
			}
		}
		return nil
	})
}

func addUser(ctx context.Context, tx *db.Tx, name, account string) error {
	var user int64
	err := tx.QueryRow(ctx, `INSERT INTO users (id, email, email_key, password_hash, is_admin, created_at)
		VALUES ($1, $2, $3, '', FALSE, 0) RETURNING number`, name, name, name).Scan(&user)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO accounts (user_id, id, number, name, broker, account_type, base_currency, starting_balance, created_at, updated_at)
		VALUES ($1, $2, 1, $3, '', '', 'USD', '0', 0, 0)`, user, account, account)
	return err
}
