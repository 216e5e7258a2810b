package db_test

import (
	"context"
	"database/sql"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// stepsUntil are our own migrations up to one: what a program had at that time.
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

// TestMigrateStepByStep updates a database with some programs that there were, and in make
// soak with each, and ends with the same schema as a new database has.
func TestMigrateStepByStep(t *testing.T) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			d := open(t, testkit.Empty(t, engine))
			for version := 0; version < db.Latest(); {
				version = min(version+testkit.Rounds(5, 1), db.Latest())
				must(t, d.MigrateFiles(t.Context(), stepsUntil(t, version)))
				expectVersion(t, d, version)
			}
			if diff := cmp.Diff(schema(t, testkit.Open(t, engine)), schema(t, d)); diff != "" {
				t.Errorf("the schema differs (-new +migrated):\n%s", diff)
			}
			expectIntact(t, d)
		})
	}
}

// TestMigrateFromEveryVersion starts at each schema that there ever was and ends
// with the same one as a new database has. make test starts at the first only,
// because TestMigrateStepByStep has started at others; make soak starts at each.
func TestMigrateFromEveryVersion(t *testing.T) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			want := schema(t, testkit.Open(t, engine))
			step := testkit.Rounds(db.Latest(), 1)
			for from := 1; from < db.Latest(); from += step {
				d := open(t, testkit.Empty(t, engine))
				must(t, d.MigrateFiles(t.Context(), stepsUntil(t, from)))
				expectVersion(t, d, from)
				must(t, d.Migrate(t.Context()))
				expectVersion(t, d, db.Latest())
				if diff := cmp.Diff(want, schema(t, d)); diff != "" {
					t.Errorf("from version %d the schema differs (-new +migrated):\n%s", from, diff)
				}
				expectIntact(t, d)
			}
		})
	}
}

// TestAnnotationsKeepTheirReferences renames annotation tables under rows referring to
// them, and checks that the references are to the new tables.
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
			expectIntact(t, d)
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
			expectIntact(t, d)
		})
	}
}

// TestPreferencesAreCopied migrates a database in which settings and layouts are
// preferences, and checks that valid ones are copied and that preferences stay.
func TestPreferencesAreCopied(t *testing.T) {
	const layouts = `[{"signature":"0a1b","name":"Broker","at":"2026-03-09T10:00:00.000Z","zone":"America/New_York+7","order":"day_first","mapping":{"symbol":"Name"},` +
		`"accounts":[{"file":"U1","id":"a","name":"Old name"},{"file":"","id":"gone","name":"Other"},{"file":"","id":"gone","name":"Twice"}]},` +
		`{"signature":"0a1b","name":"Repeated","at":"2026-03-09T10:00:00Z","zone":"","order":"","mapping":null,"accounts":[]},` +
		`{"signature":"plain","name":"","at":"2026-03-08T10:00:00Z","zone":"","order":"","mapping":null,"accounts":[]},` +
		`{"signature":"zone","name":"","at":"2026-03-08T10:00:00Z","zone":"Nowhere","order":"","mapping":null,"accounts":[]},` +
		`{"signature":"","name":"","at":"2026-03-08T10:00:00Z","zone":"","order":"","mapping":null,"accounts":[]},` +
		`{"signature":"time","name":"","at":"yesterday","zone":"","order":"","mapping":null,"accounts":[]},5]`
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			d := open(t, testkit.Empty(t, engine))
			must(t, d.MigrateFiles(t.Context(), stepsUntil(t, 31)))
			update(t, d, func(ctx context.Context, tx *db.Tx) error {
				for _, text := range []string{
					`INSERT INTO users (number, id, email, email_key, password_hash, is_admin, created_at) VALUES (1, 'u', 'u', 'u', '', TRUE, 0), (2, 'v', 'v', 'v', '', FALSE, 0), (3, 'w', 'w', 'w', '', FALSE, 0)`,
					`INSERT INTO accounts (user_id, id, number, name, broker, account_type, base_currency, starting_balance, created_at, updated_at)
						VALUES (1, 'a', 1, 'New name', '', '', 'USD', '0', 0, 0), (1, 'b', 2, 'Other', '', '', 'USD', '0', 0, 0),
						(1, 'c', 3, 'Twice', '', '', 'USD', '0', 0, 0), (1, 'd', 4, 'Twice', '', '', 'USD', '0', 0, 0)`,
					`INSERT INTO preferences (user_id, key, value) VALUES (1, 'breakeven_tolerance', '{"amount": 2.50}'), (1, 'time_zone', '"Europe/Berlin"'),
						(1, 'import.layouts', '` + layouts + `'), (1, 'theme', '"dark"'), (2, 'breakeven_tolerance', '{"amount": -1}'),
						(2, 'time_zone', '"Nowhere/Town"'), (2, 'import.layouts', '"x"'), (3, 'time_zone', 'null'), (3, 'breakeven_tolerance', '0.5')`,
				} {
					if _, err := tx.Exec(ctx, text); err != nil {
						return err
					}
				}
				return nil
			})
			before := readTexts(t, d, `SELECT user_id, key, value FROM preferences ORDER BY user_id, key`)
			must(t, d.Migrate(t.Context()))
			for query, want := range map[string][]string{
				`SELECT user_id, timezone, breakeven_tolerance FROM journal_settings ORDER BY user_id`: {
					`1|Europe/Berlin|{"amount": 2.50}`, `3||0.5`,
				},
				`SELECT user_id, signature, name, source_tz, date_order, column_mapping, used_at FROM import_layouts ORDER BY signature`: {
					`1|0a1b|Broker|America/New_York+7|day_first|{"symbol":"Name"}|1773050400000000`, `1|plain|||||1772964000000000`,
				},
				`SELECT user_id, signature, place, file_account, account_id FROM import_layout_accounts ORDER BY signature, place`: {
					`1|0a1b|0|U1|a`, `1|0a1b|1||b`,
				},
				`SELECT user_id, key, value FROM preferences ORDER BY user_id, key`: before,
			} {
				if diff := cmp.Diff(want, readTexts(t, d, query)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", query, diff)
				}
			}
			expectIntact(t, d)
		})
	}
}

// TestViewNamesGetTheirAccounts migrates views whose names were unique whatever their
// accounts. TestNameKey of the package views expects the same keys.
func TestViewNamesGetTheirAccounts(t *testing.T) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			d := open(t, testkit.Empty(t, engine))
			must(t, d.MigrateFiles(t.Context(), stepsUntil(t, 32)))
			update(t, d, func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.Exec(ctx, `INSERT INTO users (number, id, email, email_key, password_hash, is_admin, created_at) VALUES (1, 'u', 'u', 'u', '', TRUE, 0)`)
				if err != nil {
					return err
				}
				for key, filter := range map[string]string{
					"ALL": "", "WIN": "outcome=win", "EMPTY": "account_id=", "ONE": "account_id=a", "TWO": "account_id=b%2C+a%2C%2Ca&outcome=win", "TEXT": "q=account_id%3Da",
				} {
					_, err := tx.Exec(ctx, `INSERT INTO views (user_id, id, name, name_key, filter, list_columns, sort_key, sort_order, pinned, position, created_at, updated_at)
						VALUES (1, $1, $1, $1, $2, '[]', '', '', FALSE, 0, 0, 0)`, key, filter)
					if err != nil {
						return err
					}
				}
				return nil
			})
			must(t, d.Migrate(t.Context()))
			want := []string{
				"ALL|ALL", "EMPTY|EMPTY", "ONE|ONE\n87428fc522803d31065e7bce3cf03fe4", "TEXT|TEXT", "TWO|TWO\n911169ddaaf146aff539f58c26c489af", "WIN|WIN",
			}
			if diff := cmp.Diff(want, readTexts(t, d, `SELECT id, name_key FROM views ORDER BY id`)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			expectIntact(t, d)
		})
	}
}

// readTexts returns rows as texts with the columns separated by |.
func readTexts(t *testing.T, d *db.DB, query string) (rows []string) {
	t.Helper()
	selected, _, _ := strings.Cut(query, " FROM ")
	columns := strings.Count(selected, ",") + 1
	must(t, d.View(t.Context(), func(tx *db.Tx) error {
		return db.Each(t.Context(), tx, func(row db.Scanner) error {
			values, dest := make([]sql.NullString, columns), make([]any, columns)
			for i := range values {
				dest[i] = &values[i]
			}
			err := row.Scan(dest...)
			texts := make([]string, columns)
			for i, v := range values {
				texts[i] = v.String
			}
			rows = append(rows, strings.Join(texts, "|"))
			return err
		}, query)
	}))
	return rows
}
