package db_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// TestHandleIsKnown fails if another driver version has a connection's handle in another
// field.
func TestHandleIsKnown(t *testing.T) {
	t.Parallel()
	known, err := testkit.Open(t, db.SQLite).HasHandle(t.Context())
	if must(t, err); !known {
		t.Error("the handle of the connection is unknown")
	}
}

// TestCanceledWriteStops interrupts a statement without rows, and uses the
// connection again.
func TestCanceledWriteStops(t *testing.T) {
	t.Parallel()
	d := testkit.Open(t, db.SQLite)
	must(t, d.Define(t.Context(), probe))
	for range 5 {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		err := d.Update(ctx, func(tx *db.Tx) error {
			_, err := tx.Exec(ctx, endless)
			return err
		})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the statement ended with %v, want the deadline", err)
		}
		update(t, d, func(ctx context.Context, tx *db.Tx) error {
			n, err := countIn(ctx, tx, "probe")
			return errors.Join(err, put(ctx, tx, strconv.Itoa(n)))
		})
	}
	if n := count(t, d, "probe"); n != 5 {
		t.Errorf("%d rows, want 5", n)
	}
}

// BenchmarkCancelableStatement runs a short statement in a transaction that can be
// canceled.
func BenchmarkCancelableStatement(b *testing.B) {
	d := testkit.Open(b, db.SQLite)
	err := d.Update(b.Context(), func(tx *db.Tx) error {
		for b.Loop() {
			var n int
			if err := tx.QueryRow(b.Context(), `SELECT 1`).Scan(&n); err != nil {
				return err
			}
		}
		return nil
	})
	must(b, err)
}
