package db_test

import (
	"context"
	"database/sql"
	"io/fs"
	"os"
	"path"
	"strconv"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/db"
	"fillbook/internal/testkit"
)

// stepsUntil are our own migrations up to one of them: what a program of that
// time had.
func stepsUntil(t *testing.T, last int) fs.FS {
	t.Helper()
	steps := fstest.MapFS{}
	names, err := fs.Glob(os.DirFS("."), "migrations/*.sql")
	must(t, err)
	for _, name := range names {
		number, err := strconv.Atoi(path.Base(name)[:4])
		must(t, err)
		if number <= last {
			text, err := os.ReadFile(name)
			must(t, err)
			steps[name] = &fstest.MapFile{Data: text}
		}
	}
	return steps
}

// TestMigrateStepByStep updates a database with each program that there ever was,
// and ends with the same schema as a new database has.
func TestMigrateStepByStep(t *testing.T) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			d := open(t, testkit.Empty(t, engine))
			for version := 1; version <= db.Latest(); version++ {
				must(t, d.MigrateFiles(t.Context(), stepsUntil(t, version)))
				expectVersion(t, d, version)
			}
			if diff := cmp.Diff(schema(t, testkit.Open(t, engine)), schema(t, d)); diff != "" {
				t.Errorf("the schema differs (-new +migrated):\n%s", diff)
			}
			expectSound(t, d)
		})
	}
}

// TestMigrateFromEveryVersion starts at each schema that there ever was and ends
// with the same one as a new database has. make test starts at three of them,
// because TestMigrateStepByStep has started at all; make soak starts at each.
func TestMigrateFromEveryVersion(t *testing.T) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			want := schema(t, testkit.Open(t, engine))
			step := testkit.Rounds((db.Latest()-1)/2, 1)
			for from := 1; from < db.Latest(); from += step {
				d := open(t, testkit.Empty(t, engine))
				must(t, d.MigrateFiles(t.Context(), stepsUntil(t, from)))
				expectVersion(t, d, from)
				must(t, d.Migrate(t.Context()))
				expectVersion(t, d, db.Latest())
				if diff := cmp.Diff(want, schema(t, d)); diff != "" {
					t.Errorf("from version %d the schema differs (-new +migrated):\n%s", from, diff)
				}
				expectSound(t, d)
			}
		})
	}
}

// TestAnnotationsKeepTheirReferences renames the tables of annotations under
// rows that refer to them, and checks that the references are to the new tables.
func TestAnnotationsKeepTheirReferences(t *testing.T) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			d := open(t, testkit.Empty(t, engine))
			must(t, d.MigrateFiles(t.Context(), stepsUntil(t, 10)))
			must(t, d.Define(t.Context(), `
				INSERT INTO users (id, email, email_key, password_hash, is_admin, created_at) VALUES ('u', 'u', 'u', '', TRUE, 0);
				INSERT INTO accounts (user_id, id, number, name, broker, account_type, base_currency, starting_balance, created_at, updated_at)
					VALUES ('u', 'a', 1, 'a', '', '', 'USD', '0', 0, 0);
				INSERT INTO tags (user_id, id, name, name_key, color, description, kind, created_at) VALUES ('u', 't', 't', 't', '', '', 'custom', 0);
				INSERT INTO trade_marks (user_id, trade_id, account_id, notes, emotional_state, last_stop, updated_at) VALUES ('u', '01900000-0000-7000-8000-000000000001', 'a', 'kept', '', '5', 0);
				INSERT INTO trade_tags (user_id, trade_id, tag_id) VALUES ('u', '01900000-0000-7000-8000-000000000001', 't');
				INSERT INTO orphaned_marks (user_id, trade_id, account_id, symbol, orphaned_at) VALUES ('u', '01900000-0000-7000-8000-000000000001', 'a', '', 0);
				INSERT INTO orphaned_fills (user_id, account_id, fill_key, trade_id) VALUES ('u', 'a', 'k', '01900000-0000-7000-8000-000000000001');`))
			must(t, d.Migrate(t.Context()))
			var notes string
			must(t, d.Update(t.Context(), func(tx *db.Tx) error {
				if err := tx.QueryRow(t.Context(), `SELECT notes FROM trade_annotations WHERE last_stop = '5'`).Scan(&notes); err != nil {
					return err
				}
				_, err := tx.Exec(t.Context(), `DELETE FROM trade_annotations`)
				return err
			}))
			if notes != "kept" {
				t.Errorf("the notes are %q", notes)
			}
			must(t, d.View(t.Context(), func(tx *db.Tx) error {
				for _, table := range []string{"trade_tags", "orphaned_annotations", "orphaned_fills"} {
					var rows int
					if err := tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM `+table).Scan(&rows); err != nil {
						return err
					}
					if rows != 0 {
						t.Errorf("%d rows of %s outlived the annotations that they refer to", rows, table)
					}
				}
				return nil
			}))
			expectSound(t, d)
		})
	}
}

// TestTokensKeepTheirOwners migrates a database with tokens and checks that each
// is found by its hash, and that what moved to the states of users is there.
func TestTokensKeepTheirOwners(t *testing.T) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			d := open(t, testkit.Empty(t, engine))
			must(t, d.MigrateFiles(t.Context(), stepsUntil(t, 13)))
			update(t, d, func(ctx context.Context, tx *db.Tx) error {
				for _, insert := range []struct {
					text string
					hash []byte
				}{
					{`INSERT INTO users (id, email, email_key, password_hash, is_admin, created_at, last_seen_at, totp_secret, totp_last_step)
						VALUES ('u', 'u', 'u', '', TRUE, 0, 7, $1, 8)`, []byte("s")},
					{`INSERT INTO sessions (user_id, id, created_at, last_used_at, expires_at, ip, user_agent)
						VALUES ('u', 's', length($1), 0, 0, '', '')`, []byte("s")},
					{`INSERT INTO refresh_tokens (user_id, session_id, hash, created_at, expires_at) VALUES ('u', 's', $1, 0, 5)`, []byte("r")},
					{`INSERT INTO access_tokens (user_id, id, name, token_prefix, hash, scope, created_at) VALUES ('u', 'a', '', '', $1, 'full', 0)`, []byte("a")},
					{`INSERT INTO share_links (user_id, id, token_hash, token_sealed, scope, created_at, expires_at) VALUES ('u', 'l', $1, $1, '', 0, 6)`, []byte("l")},
				} {
					if _, err := tx.Exec(ctx, insert.text, insert.hash); err != nil {
						return err
					}
				}
				return nil
			})
			must(t, d.Migrate(t.Context()))
			must(t, d.View(t.Context(), func(tx *db.Tx) error {
				for hash, want := range map[string]sql.NullInt64{
					"r": {Int64: 5 + 30*24*3600*1e6, Valid: true}, "a": {}, "l": {Int64: 6, Valid: true},
				} {
					var user int
					var after sql.NullInt64
					err := tx.QueryRow(t.Context(), `SELECT user_id, delete_after FROM token_owners WHERE hash = $1`, []byte(hash)).Scan(&user, &after)
					if err != nil || user != 1 || after != want {
						t.Errorf("token %s: owner %d, kept until %v, %v", hash, user, after, err)
					}
				}
				var seen, step int
				err := tx.QueryRow(t.Context(), `SELECT last_seen_at, totp_last_step FROM user_states WHERE user_id = 1`).Scan(&seen, &step)
				if seen != 7 || step != 8 {
					t.Errorf("last seen %d, last step %d, want 7 and 8", seen, step)
				}
				return err
			}))
			expectSound(t, d)
		})
	}
}
