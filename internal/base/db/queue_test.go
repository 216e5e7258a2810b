package db_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"fillbook/internal/base/db"
)

const queueInsert = `INSERT INTO probe (id, label, n) VALUES ($1, $2, $3)`

// TestQueuedStatementsRunInOrder checks that a later statement sees the queued
// ones, and that those at the end are committed.
func TestQueuedStatementsRunInOrder(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		update(t, d, func(ctx context.Context, tx *db.Tx) error {
			begin := tx.Queued() // the statements that begin the transaction
			must(t, tx.Queue(ctx, queueInsert, "a", "a", 1))
			must(t, tx.QueueRows(ctx, "probe", []string{"id", "label", "n"}, "", [][]any{{"b", "b", 2}, {"c", "c", 3}}))
			if want := begin + 2; d.Engine() == db.PostgreSQL && tx.Queued() != want {
				t.Errorf("%d statements are queued, want %d", tx.Queued(), want)
			}
			changed, err := tx.Exec(ctx, `UPDATE probe SET n = n + 10 WHERE n > $1`, 1)
			if changed != 2 || tx.Queued() != 0 {
				t.Errorf("%d rows were changed, and %d statements are queued", changed, tx.Queued())
			}
			must(t, err)
			must(t, tx.UpdateMany(ctx, "probe", []string{"n"}, []string{"id"}, [][]any{{int64(7), "a"}}))
			found, err := db.List(ctx, tx, db.Single[int], `SELECT n FROM probe ORDER BY id`)
			if want := []int{7, 12, 13}; !slices.Equal(found, want) {
				t.Errorf("the rows have %v, want %v", found, want)
			}
			must(t, err)
			must(t, tx.DeleteMany(ctx, "probe", []string{"id"}, [][]any{{"b"}}))
			return tx.Queue(ctx, queueInsert, "d", "d", 4)
		})
		if n := count(t, d, "probe"); n != 3 {
			t.Errorf("%d rows after the commit, want 3", n)
		}
	})
}

// TestQueuedStatementFails checks that a queued statement's error is returned by the next
// call or by Update, that nothing is committed, and that the connection can be used
// again.
func TestQueuedStatementFails(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		update(t, d, func(ctx context.Context, tx *db.Tx) error { return put(ctx, tx, "a") })
		for name, rest := range map[string]func(*db.Tx) error{
			"commit": func(*db.Tx) error { return nil },
			"exec": func(tx *db.Tx) error {
				_, err := tx.Exec(t.Context(), `UPDATE probe SET n = 5`)
				return err
			},
			"query": func(tx *db.Tx) error {
				_, err := countIn(t.Context(), tx, "probe")
				return err
			},
			"ignored": func(tx *db.Tx) error {
				_, _ = countIn(t.Context(), tx, "probe")
				return nil
			},
		} {
			err := d.Update(t.Context(), func(tx *db.Tx) error {
				must(t, tx.Queue(t.Context(), queueInsert, "b", "b", 0))
				if err := tx.Queue(t.Context(), queueInsert, "a", "a", 0); err != nil {
					return err // on SQLite at once
				}
				must(t, tx.Queue(t.Context(), queueInsert, "c", "c", 0))
				return rest(tx)
			})
			if !errors.Is(err, db.ErrConflict) {
				t.Errorf("%s: Update = %v, want ErrConflict", name, err)
			}
		}
		if n := count(t, d, "probe"); n != 1 {
			t.Errorf("%d rows, want the first alone", n)
		}
	})
}

// TestQueuedStatementsAreDropped if the transaction is rolled back.
func TestQueuedStatementsAreDropped(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		err := d.Update(t.Context(), func(tx *db.Tx) error {
			must(t, tx.Queue(t.Context(), queueInsert, "a", "a", 0))
			return errStop
		})
		if !errors.Is(err, errStop) {
			t.Errorf("Update = %v, want the function's own error", err)
		}
		if n := count(t, d, "probe"); n != 0 {
			t.Errorf("%d rows after a rollback, want 0", n)
		}
	})
}
