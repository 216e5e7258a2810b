package db_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// beforeSmallRows is the last schema before rows became small.
const beforeSmallRows = 15

// smallRowsData fills that version's schema: two users with an account and 4,000 fills
// each in 100 streams, and a trade with annotations for every two fills.
const smallRowsData = `
INSERT INTO users (id, email, email_key, password_hash, is_admin, created_at) VALUES ('second', 's', 's', '', TRUE, 2), ('first', 'f', 'f', '', FALSE, 1);
INSERT INTO user_states (user_id, last_seen_at) VALUES ('first', 11), ('second', 12);
INSERT INTO accounts (user_id, id, number, name, broker, account_type, base_currency, starting_balance, created_at, updated_at)
  SELECT id, 'account', 7, 'a', '', '', 'USD', '0', 0, 0 FROM users;
INSERT INTO streams (user_id, account, number, symbol, instrument_type, option_right, strike, expiry, lot, order_key)
  WITH RECURSIVE c (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < 99)
  SELECT id, 7, 700000 + i, 'S' || CAST(i AS TEXT), 'stock', '', '', '', '', 'k' FROM users CROSS JOIN c;
INSERT INTO executions (user_id, account, seq, id, stream, executed_at, is_buy, quantity, price, fees, commission, multiplier, details, created_at, trade_id)
  WITH RECURSIVE c (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < 3999)
  SELECT id, 7, i, '01900000-0000-7000-8000-' || CAST(100000000000 + i AS TEXT), 700000 + i / 2 % 100, 1000 * i, i % 2 = 0,
    '1', CAST(i AS TEXT), '0', CASE WHEN i % 3 = 0 THEN '0' ELSE '0.5' END, '1', '', 0, '01900000-0000-7000-8000-' || CAST(200000000000 + i / 2 AS TEXT)
  FROM users CROSS JOIN c;
INSERT INTO trades (user_id, id, account, stream, is_open, is_long, opened_at, first_seq, head, last_at, last_seq, list_at, qty_opened, qty_remaining,
    entry_notional, exit_notional, volume, avg_entry, avg_exit, multiplier, fees, commission, gross_pnl, net_pnl, realized_pnl, return_pct, execution_count, revision)
  WITH RECURSIVE c (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < 1999)
  SELECT id, '01900000-0000-7000-8000-' || CAST(200000000000 + i AS TEXT), 7, 700000 + i % 100, FALSE, TRUE, 2000 * i, 2 * i, '0', 2000 * i + 1000, 2 * i + 1,
    2000 * i + 1000, '1', '0', CAST(2 * i AS TEXT), CAST(2 * i + 1 AS TEXT), CAST(4 * i + 1 AS TEXT), CAST(2 * i AS TEXT), CAST(2 * i + 1 AS TEXT),
    '1', '0', '0.5', '1', '0.5', '0.5', '1', 2, 1
  FROM users CROSS JOIN c;
INSERT INTO trade_annotations (user_id, trade_id, account_id, notes, emotional_state, updated_at)
  SELECT user_id, id, 'account', 'note of ' || id, '', 0 FROM trades;
INSERT INTO audit_events (user_id, id, at, action, outcome, credential, target, ip, user_agent, request_id)
  VALUES ('first', 'e1', 1, 'login', 'ok', '', '', '', '', ''), ('deleted', 'e2', 1, 'login', 'ok', '', '', '', '', '');`

// readOldRows and readSmallRows return one text per row for the same data, in the schema
// before the migration and after it.
const (
	readOldRows = `
SELECT 'fill ' || user_id || ' ' || id || ' ' || trade_id || ' ' || CAST(executed_at AS TEXT) || ' ' || price || ' ' || commission || ' ' || multiplier || ' ' ||
    (SELECT symbol FROM streams AS s WHERE s.user_id = e.user_id AND s.number = e.stream) FROM executions AS e
UNION ALL SELECT 'trade ' || t.user_id || ' ' || t.id || ' ' || a.notes || ' ' || net_pnl || ' ' || gross_pnl || ' ' || realized_pnl || ' ' || volume || ' ' || head
    FROM trades AS t JOIN trade_annotations AS a ON a.user_id = t.user_id AND a.trade_id = t.id
UNION ALL SELECT 'event ' || user_id || ' ' || id FROM audit_events
UNION ALL SELECT 'user ' || user_id || ' ' || CAST(last_seen_at AS TEXT) FROM user_states`
	readSmallRows = `
SELECT 'fill ' || u.id || ' ' || UUIDTEXT(e.id) || ' ' || UUIDTEXT(t.id) || ' ' || CAST(executed_at AS TEXT) || ' ' || price || ' ' || COALESCE(e.commission, '0') || ' ' ||
    COALESCE(e.multiplier, '1') || ' ' || s.symbol
    FROM executions AS e JOIN users AS u ON u.number = e.user_id JOIN streams AS s ON s.user_id = e.user_id AND s.number = e.stream
    JOIN trades AS t ON t.user_id = e.user_id AND t.stream = e.stream AND t.opened_at <= e.executed_at AND t.list_at >= e.executed_at
UNION ALL SELECT 'trade ' || u.id || ' ' || UUIDTEXT(t.id) || ' ' || a.notes || ' ' || net_pnl || ' ' || gross_pnl || ' ' || COALESCE(realized_pnl, net_pnl) || ' ' ||
    volume || ' ' || COALESCE(head, '0')
    FROM trades AS t JOIN users AS u ON u.number = t.user_id JOIN trade_annotations AS a ON a.user_id = t.user_id AND a.trade_id = t.id
UNION ALL SELECT 'event ' || actor || ' ' || id FROM audit_events
UNION ALL SELECT 'user ' || u.id || ' ' || CAST(last_seen_at AS TEXT) FROM user_states JOIN users AS u ON u.number = user_id`
)

// TestSmallRowsMigrationSurvivesKill kills the migration to small rows at random
// moments. The next start continues, and no row may be lost or changed.
func TestSmallRowsMigrationSurvivesKill(t *testing.T) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			killed := 0
			for round := 0; round < 8 && killed < 4; round++ {
				options := testkit.Empty(t, engine)
				want := prepareSmallRows(t, options)
				killed += killMigration(t, options)
				d := open(t, options)
				must(t, d.Migrate(t.Context()))
				expectVersion(t, d, db.Latest())
				if diff := cmp.Diff(want, listTexts(t, d, readSmallRows)); diff != "" {
					t.Fatalf("rows differ after the migration (-old +new):\n%s", diff)
				}
				expectIntact(t, d)
				must(t, d.Close())
			}
			if killed == 0 {
				t.Error("every migration ended before it was killed: the test has no effect")
			}
		})
	}
}

// prepareSmallRows creates a database with the version before and returns its rows.
func prepareSmallRows(t *testing.T, options db.Options) []string {
	t.Helper()
	d := open(t, options)
	must(t, d.MigrateFiles(t.Context(), stepsUntil(t, beforeSmallRows)))
	must(t, d.Define(t.Context(), smallRowsData))
	rows := listTexts(t, d, readOldRows)
	must(t, d.Close())
	return rows
}

// killMigration starts a migration in another process, kills it until it has ended once, and
// returns how often it was killed before its end.
func killMigration(t *testing.T, options db.Options) (killed int) {
	t.Helper()
	place := options.URL
	if place == "" {
		place = options.Path
	}
	for range 3 {
		c := startChild(t, "migrate-all", place)
		if line, ok := c.line(); line != "begin" || !ok {
			t.Fatal("the migrating child did not begin")
		}
		<-time.After(rand.N(400 * time.Millisecond)) // any moment will do
		if last := c.kill(); len(last) > 0 {
			return killed
		}
		killed++
	}
	return killed
}

// migrateAll is the child that applies all migrations.
func migrateAll(ctx context.Context, place string) error {
	options := db.Options{Path: place, Readers: 1}
	if strings.Contains(place, "://") {
		options = db.Options{URL: place}
	}
	d, err := db.Open(ctx, options)
	if err != nil {
		return err
	}
	fmt.Println("begin")
	err = d.Migrate(ctx)
	fmt.Println("end")
	return errors.Join(err, d.Close())
}

// listTexts returns a query's rows, each one text. UUIDTEXT in it is a UUID's text.
func listTexts(t *testing.T, d *db.DB, query string) (list []string) {
	t.Helper()
	parts := strings.Split(query, "UUIDTEXT(")
	for i, part := range parts[1:] {
		id, rest, _ := strings.Cut(part, ")")
		text := "CAST(" + id + " AS TEXT)"
		if d.Engine() == db.SQLite {
			text = fmt.Sprintf("lower(substr(hex(%[1]s), 1, 8) || '-' || substr(hex(%[1]s), 9, 4) || '-' || substr(hex(%[1]s), 13, 4) || '-' || "+
				"substr(hex(%[1]s), 17, 4) || '-' || substr(hex(%[1]s), 21))", id)
		}
		parts[i+1] = text + rest
	}
	must(t, d.Update(t.Context(), func(tx *db.Tx) (err error) {
		list, err = db.List(t.Context(), tx, func(row db.Scanner) (text string, err error) {
			err = row.Scan(&text)
			return text, err
		}, strings.Join(parts, ""))
		return err
	}))
	slices.Sort(list)
	return list
}
