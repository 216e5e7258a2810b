package db_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/testkit"
)

type label string

// eachFunctions are the ways to read all rows.
var eachFunctions = []func(ctx context.Context, tx *db.Tx, fn func(db.Scanner) error, query string, args ...any) error{db.Each, db.EachAhead}

// TestScanConverts values to the types callers use, on both engines alike.
func TestScanConverts(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		must(t, d.Define(ctx, `CREATE TABLE things (n BIGINT NOT NULL, word TEXT, flag BOOLEAN, raw BYTEA, size BIGINT)`))
		must(t, d.Update(ctx, func(tx *db.Tx) error {
			_, err := tx.InsertMany(ctx, "things", []string{"n", "word", "flag", "raw", "size"}, "", [][]any{
				{1, label("größe"), true, []byte{0, 1, 255}, int64(1) << 40},
				{int64(2), nil, nil, nil, nil},
				{int32(3), "", false, []byte("abc"), -5},
			})
			return err
		}))
		for _, each := range eachFunctions {
			must(t, d.View(ctx, func(tx *db.Tx) error {
				var got []string
				err := each(ctx, tx, func(row db.Scanner) error {
					var n uint8
					var word *label
					var flag *bool
					var raw []byte
					var size sql.NullInt64
					if err := row.Scan(&n, &word, &flag, &raw, &size); err != nil {
						return err
					}
					line := fmt.Sprint(n)
					if word != nil {
						line += fmt.Sprintf(" %q %t", *word, *flag)
					}
					got = append(got, fmt.Sprintf("%s%v %v", line, raw, size))
					return nil
				}, `SELECT n, word, flag, raw, size FROM things ORDER BY n`)
				want := `1 "größe" true[0 1 255] {1099511627776 true}; 2[] {0 false}; 3 "" false[97 98 99] {-5 true}`
				if joined := strings.Join(got, "; "); joined != want {
					t.Errorf("got %s\nwant %s", joined, want)
				}
				return err
			}))
		}
		for _, c := range []struct {
			query string
			dest  any
		}{
			{`SELECT word FROM things WHERE n = 2`, new(string)},    // NULL
			{`SELECT size FROM things WHERE n = 2`, new(int64)},     // NULL
			{`SELECT word FROM things WHERE n = 1`, new(int)},       // not a number
			{`SELECT size FROM things WHERE n = 1`, new(int32)},     // too large
			{`SELECT size FROM things WHERE n = 1`, new(uint16)},    // too large
			{`SELECT size FROM things WHERE n = 3`, new(uint64)},    // negative
			{`SELECT n FROM things WHERE n = 1`, new(struct{})},     // no conversion
			{`SELECT n FROM things WHERE n = 1`, 5},                 // not a pointer
			{`SELECT word FROM things WHERE n = 1`, new(time.Time)}, // no conversion
		} {
			err := d.Peek(ctx, func(tx *db.Tx) error { return tx.QueryRow(ctx, c.query).Scan(c.dest) })
			if err == nil || errors.Is(err, db.ErrNoRows) {
				t.Errorf("%s into %T: %v", c.query, c.dest, err)
			}
			err = d.View(ctx, func(tx *db.Tx) error {
				return db.EachAhead(ctx, tx, func(row db.Scanner) error { return row.Scan(c.dest) }, c.query)
			})
			if err == nil {
				t.Errorf("%s into %T, read ahead: no error", c.query, c.dest)
			}
		}
		err := d.Peek(ctx, func(tx *db.Tx) error { return tx.QueryRow(ctx, `SELECT n, word FROM things`).Scan(new(int)) })
		if err == nil {
			t.Error("two columns were scanned into one destination")
		}
	})
}

// TestNumbersAreScanned from texts, also after NULL, and an invalid one is an error.
func TestNumbersAreScanned(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		must(t, d.Define(ctx, `CREATE TABLE numbers (n BIGINT NOT NULL, amount TEXT, size TEXT)`))
		must(t, d.Update(ctx, func(tx *db.Tx) error {
			_, err := tx.InsertMany(ctx, "numbers", []string{"n", "amount", "size"}, "", [][]any{
				{1, nil, "7"}, {2, "-0.05", "123456789012345678901234567890.5"}, {3, nil, "0"}, {4, "x", "1"},
			})
			return err
		}))
		for _, each := range eachFunctions {
			got := ""
			err := d.View(ctx, func(tx *db.Tx) error {
				return each(ctx, tx, func(row db.Scanner) error {
					var n int
					var amount decimal.Null
					var size decimal.Decimal
					if err := row.Scan(&n, &amount, &size); err != nil {
						return err
					}
					got += fmt.Sprintf("%d %s %s; ", n, amount, size)
					return nil
				}, `SELECT n, amount, size FROM numbers ORDER BY n`)
			})
			if want := "1 null 7; 2 -0.05 123456789012345678901234567890.5; 3 null 0; "; got != want {
				t.Errorf("got %s\nwant %s", got, want)
			}
			if err == nil || !strings.Contains(err.Error(), "column 1 (amount)") {
				t.Errorf("an invalid number: %v", err)
			}
		}
	})
}

// TestCanceledRowsEnd with the context's error.
func TestCanceledRowsEnd(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		for _, each := range eachFunctions {
			ctx, cancel := context.WithCancel(t.Context())
			read := 0
			err := d.View(ctx, func(tx *db.Tx) error {
				return each(ctx, tx, func(row db.Scanner) error {
					if read++; read == 10 {
						cancel()
					}
					var n int
					return row.Scan(&n)
				}, `WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 200000) SELECT n FROM counted`)
			})
			if !errors.Is(err, context.Canceled) || read > 100000 {
				t.Errorf("%v after %d rows", err, read)
			}
			var one int
			must(t, d.Peek(t.Context(), func(tx *db.Tx) error { return tx.QueryRow(t.Context(), `SELECT 1`).Scan(&one) }))
		}
	})
}

// TestFailedRowsEnd with the statement's error, if it fails after some rows.
func TestFailedRowsEnd(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		for _, each := range eachFunctions {
			read := 0
			err := d.View(t.Context(), func(tx *db.Tx) error {
				return each(t.Context(), tx, func(row db.Scanner) error {
					read++
					var n int64
					return row.Scan(&n)
				}, `WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 2000)
					SELECT ABS(1000 - n - 9223372036854775807) FROM counted`)
			})
			if err == nil || !strings.Contains(err.Error(), "overflow") && !strings.Contains(err.Error(), "out of range") || read > 1000 {
				t.Errorf("%v after %d rows", err, read)
			}
			var one int
			must(t, d.Peek(t.Context(), func(tx *db.Tx) error { return tx.QueryRow(t.Context(), `SELECT 1`).Scan(&one) }))
		}
	})
}

// TestReadersAreReused: calls one after the other use one connection, so only its page
// cache is filled.
func TestReadersAreReused(t *testing.T) {
	t.Parallel()
	d := open(t, testkit.Options(t, db.SQLite))
	for range 20 {
		must(t, d.Ping(t.Context()))
	}
	if n := d.Readers(); n != 1 {
		t.Errorf("%d reading connections were opened for calls one after the other", n)
	}
	must(t, d.Peek(t.Context(), func(*db.Tx) error {
		return d.Peek(t.Context(), func(*db.Tx) error { return d.Ping(t.Context()) })
	}))
	if n := d.Readers(); n != 3 {
		t.Errorf("%d reading connections were opened for three calls at once", n)
	}
}
