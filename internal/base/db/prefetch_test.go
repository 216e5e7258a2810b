package db_test

import (
	"context"
	"testing"

	"fillbook/internal/base/db"
)

const probeLabel = `SELECT label, n FROM probe WHERE id = $1`

// readProbe returns a row of probe, or an error.
func readProbe(ctx context.Context, tx *db.Tx, id string) (label string, n *int64, err error) {
	err = tx.QueryRow(ctx, probeLabel, id).Scan(&label, &n)
	return label, n, err
}

// TestPrefetchedRows checks that a query that was sent ahead has the same rows as one that
// was not, that it is used as often as it was announced, and that a write to its table makes it run again.
func TestPrefetchedRows(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		update(t, d, func(ctx context.Context, tx *db.Tx) error {
			for _, id := range []string{"a", "b", "c"} {
				must(t, put(ctx, tx, id))
			}
			return nil
		})
		update(t, d, func(ctx context.Context, tx *db.Tx) error {
			tx.Prefetch(func(tx *db.Tx) {
				for _, id := range []string{"a", "b", "missing"} {
					if _, _, err := readProbe(ctx, tx, id); err == nil {
						t.Errorf("a query that is only learned has a row")
					}
				}
			})
			for i, id := range []string{"c", "a", "b"} {
				label, n, err := readProbe(ctx, tx, id)
				if err != nil || label != id || n == nil {
					t.Errorf("row %s is %q, %v: %v", id, label, n, err)
				}
				if left := 3 - i; d.Engine() == db.PostgreSQL && tx.Fetched() != left {
					t.Errorf("after row %s there are %d queries with rows, want %d", id, tx.Fetched(), left)
				}
			}
			if _, _, err := readProbe(ctx, tx, "missing"); err == nil {
				t.Error("a missing row was found")
			}
			for range 2 {
				tx.Prefetch(func(tx *db.Tx) { _, _, _ = readProbe(ctx, tx, "a") })
			}
			_, _, err := readProbe(ctx, tx, "c")
			must(t, err)
			if label, _, err := readProbe(ctx, tx, "a"); err != nil || label != "a" {
				t.Errorf("asked for once, the row is %q: %v", label, err)
			}
			if d.Engine() == db.PostgreSQL && tx.Fetched() != 1 {
				t.Errorf("of a query announced twice and asked for once there are %d with rows", tx.Fetched())
			}
			must(t, tx.Queue(ctx, `UPDATE probe SET label = $1 WHERE id = $2`, "changed", "a"))
			if label, _, err := readProbe(ctx, tx, "a"); err != nil || label != "changed" {
				t.Errorf("after a write the row is %q: %v", label, err)
			}
			if tx.Fetched() != 0 {
				t.Errorf("%d queries have unused rows at the end", tx.Fetched())
			}
			return nil
		})
	})
}

// TestPrefetchedError checks that an error of a query sent ahead is not lost, and that the
// transaction is rolled back.
func TestPrefetchedError(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		err := d.Update(t.Context(), func(tx *db.Tx) error {
			ctx := t.Context()
			must(t, tx.Queue(ctx, queueInsert, "a", "a", 1))
			tx.Prefetch(func(tx *db.Tx) { _ = tx.QueryRow(ctx, `SELECT n / 0 FROM probe`).Scan(new(int64)) })
			_, _, err := readProbe(ctx, tx, "a")
			return err
		})
		if isRefused := d.Engine() == db.PostgreSQL; (err != nil) != isRefused {
			t.Errorf("Update = %v on %s", err, d.Engine())
		}
		if n, want := count(t, d, "probe"), map[db.Engine]int{db.SQLite: 1}[d.Engine()]; n != want {
			t.Errorf("%d rows, want %d", n, want)
		}
	})
}
