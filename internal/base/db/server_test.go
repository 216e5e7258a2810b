package db_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// TestTimeLimitsOfTransactions checks that each transaction has the time limits, and that
// a connection keeps none afterwards: a pooler gives it to another client.
func TestTimeLimitsOfTransactions(t *testing.T) {
	t.Parallel()
	options := testkit.Options(t, db.PostgreSQL)
	options.Readers = 1
	for name, c := range map[string]struct {
		parameter string
		want      []string // in a transaction
	}{
		"defaults":    {"", []string{"1min", "20s", "1min"}},
		"of the user": {"&lock_timeout=5000", []string{"1min", "5s", "1min"}},
	} {
		if c.parameter != "" && os.Getenv("SVC_TEST_POOLED") != "" {
			continue // rejects the parameter
		}
		set := options
		set.URL += c.parameter
		d, err := db.Open(t.Context(), set)
		must(t, err)
		for _, run := range []func(context.Context, func(*db.Tx) error) error{d.View, d.Update} {
			must(t, run(t.Context(), func(tx *db.Tx) error {
				if got := readLimits(t, tx); !slices.Equal(got, c.want) {
					t.Errorf("%s: the limits are %v, want %v", name, got, c.want)
				}
				return nil
			}))
		}
		must(t, d.Peek(t.Context(), func(tx *db.Tx) error {
			if got := readLimits(t, tx); slices.Contains(got, "1min") {
				t.Errorf("%s: a limit remains after the transaction: %v", name, got)
			}
			return nil
		}))
		must(t, d.Close())
	}
}

func readLimits(t *testing.T, tx *db.Tx) []string {
	t.Helper()
	limits := make([]string, 3)
	must(t, tx.QueryRow(t.Context(), `SELECT current_setting('statement_timeout'), current_setting('lock_timeout'),
		current_setting('idle_in_transaction_session_timeout')`).Scan(&limits[0], &limits[1], &limits[2]))
	return limits
}

// TestPgBouncerWithoutFreeConnections occupies a pool's only connection and checks that
// the next call is given up instead of waiting for minutes.
func TestPgBouncerWithoutFreeConnections(t *testing.T) {
	t.Parallel()
	address := os.Getenv("SVC_TEST_PGBOUNCER")
	if address == "" {
		t.Skip("NOT TESTED: SVC_TEST_PGBOUNCER is not set; run make test")
	}
	d, err := db.Open(t.Context(), db.Options{
		URL: "postgres://fillbook@" + address + "/fillbook_single?sslmode=disable", Wait: 3 * time.Second, // a busy machine needs most of a second to connect
	})
	must(t, err)
	defer d.Close() //nolint:errcheck // only read
	must(t, d.Update(t.Context(), func(*db.Tx) error {
		other := d.View(t.Context(), func(*db.Tx) error { return nil })
		if !errors.Is(other, db.ErrUnavailable) {
			t.Errorf("a second transaction: %v, want ErrUnavailable", other)
		}
		return nil
	}))
	free, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for err = db.ErrUnavailable; errors.Is(err, db.ErrUnavailable) && free.Err() == nil; { // until PgBouncer has noticed
		err = d.View(t.Context(), func(*db.Tx) error { return nil })
	}
	must(t, err)
}

func TestSplitStatements(t *testing.T) {
	t.Parallel()
	got := db.SplitStatements(`-- It's a comment; with a semicolon.
CREATE TABLE a ( -- another; one
  b TEXT COLLATE "C;" CHECK (b <> ';')
) /* clustered; */;

ALTER TABLE a ADD c TEXT; -- the end
`)
	want := []string{"CREATE TABLE a ( \n  b TEXT COLLATE \"C;\" CHECK (b <> ';')\n)", "ALTER TABLE a ADD c TEXT"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestDistributeNeedsCitus(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		changes, err := d.Distribute(t.Context())
		if testkit.IsDistributed() && d.Engine() == db.PostgreSQL {
			must(t, err)
		} else if !errors.Is(err, db.ErrNoCitus) {
			t.Errorf("Distribute = %v, want ErrNoCitus", err)
		}
		if len(changes.Distributed)+len(changes.Reference)+len(changes.Constraints) != 0 {
			t.Errorf("it changed %+v", changes)
		}
	})
}
