package db_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"fillbook/internal/base/db"
)

// TestEachAhead reads rows in order, stops at an error, and leaves the connection
// usable.
func TestEachAhead(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		const last = 2000
		update(t, d, func(ctx context.Context, tx *db.Tx) error {
			rows := make([][]any, last)
			for i := range rows {
				rows[i] = []any{numbered(i + 1), numbered(i + 1), i + 1}
			}
			_, err := tx.InsertMany(ctx, "probe", []string{"id", "label", "n"}, "", rows)
			return err
		})
		for _, end := range []int{1, 256, 257, 1500, last, last + 1} {
			update(t, d, func(ctx context.Context, tx *db.Tx) error {
				read := 0
				err := db.EachAhead(ctx, tx, func(row db.Scanner) error {
					var label string
					var n int
					must(t, row.Scan(&label, &n))
					if read++; n != read || label != numbered(n) {
						t.Fatalf("row %d has %q and %d", read, label, n)
					}
					if n == end {
						return errStop
					}
					return nil
				}, `SELECT label, n FROM probe WHERE n <= $1 ORDER BY n`, last)
				if errors.Is(err, errStop) != (end <= last) || read != min(end, last) {
					t.Errorf("until %d: %d rows and the error %v", end, read, err)
				}
				n, err := countIn(ctx, tx, "probe")
				if n != last {
					t.Errorf("until %d: %d rows are counted afterwards", end, n)
				}
				return err
			})
		}
	})
}

func numbered(n int) string { return fmt.Sprintf("%04d", n) }

// TestEachAheadRaisesPanics recovers when the function panics, and uses the connection
// again.
func TestEachAheadRaisesPanics(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		update(t, d, func(ctx context.Context, tx *db.Tx) error { return put(ctx, tx, "a") })
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			_ = d.Update(t.Context(), func(tx *db.Tx) error {
				return db.EachAhead(t.Context(), tx, func(db.Scanner) error { panic("broken") }, `SELECT n FROM probe`)
			})
		}()
		if n := count(t, d, "probe"); n != 1 {
			t.Errorf("%d rows after the panic, want 1", n)
		}
	})
}
