package db_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

var errStop = errors.New("stop")

func TestUpdateCommits(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		update(t, d, func(ctx context.Context, tx *db.Tx) error { return put(ctx, tx, "a") })
		if n := count(t, d, "probe"); n != 1 {
			t.Errorf("%d rows after a commit, want 1", n)
		}
	})
}

func TestUpdateRollsBackOnError(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		err := d.Update(t.Context(), func(tx *db.Tx) error {
			must(t, put(t.Context(), tx, "a"))
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

func TestUpdateRollsBackOnPanic(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		func() {
			defer func() {
				if recover() != "oops" {
					t.Error("the panic did not reach the caller")
				}
			}()
			_ = d.Update(t.Context(), func(tx *db.Tx) error {
				must(t, put(t.Context(), tx, "a"))
				panic("oops")
			})
		}()
		if n := count(t, d, "probe"); n != 0 {
			t.Errorf("%d rows after a panic, want 0", n)
		}
		update(t, d, func(ctx context.Context, tx *db.Tx) error { return put(ctx, tx, "b") })
	})
}

// A transaction that passed over a failed statement would be kept in part by
// SQLite and dropped in silence by PostgreSQL.
func TestUpdateRefusesToCommitAfterAFailedStatement(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		update(t, d, func(ctx context.Context, tx *db.Tx) error { return put(ctx, tx, "a") })
		err := d.Update(t.Context(), func(tx *db.Tx) error {
			must(t, put(t.Context(), tx, "b"))
			if !errors.Is(put(t.Context(), tx, "a"), db.ErrConflict) {
				t.Error("a second row of the same key was taken")
			}
			return nil
		})
		if !errors.Is(err, db.ErrConflict) {
			t.Errorf("Update = %v, want ErrConflict", err)
		}
		if n := count(t, d, "probe"); n != 1 {
			t.Errorf("%d rows, want the first alone", n)
		}
	})
}

func TestNoStatementInsideTheRowsOfAnother(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		update(t, d, func(ctx context.Context, tx *db.Tx) error {
			return errors.Join(put(ctx, tx, "a"), put(ctx, tx, "b"))
		})
		err := d.View(t.Context(), func(tx *db.Tx) error {
			return db.Each(t.Context(), tx, func(db.Scanner) error {
				_, err := countIn(t.Context(), tx, "probe")
				return err
			}, `SELECT id FROM probe ORDER BY id`)
		})
		if err == nil {
			t.Error("a nested statement ran; PostgreSQL cannot do that")
		}
		if n := count(t, d, "probe"); n != 2 {
			t.Errorf("%d rows afterwards, want 2", n)
		}
	})
}

func TestViewIsOneSnapshot(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		must(t, d.View(t.Context(), func(tx *db.Tx) error {
			before, err := countIn(t.Context(), tx, "probe")
			must(t, err)
			update(t, d, func(ctx context.Context, tx *db.Tx) error { return put(ctx, tx, "a") })
			after, err := countIn(t.Context(), tx, "probe")
			if before != 0 || after != 0 {
				t.Errorf("the snapshot had %d rows, then %d, want 0 and 0", before, after)
			}
			return err
		}))
		if n := count(t, d, "probe"); n != 1 {
			t.Errorf("a later view has %d rows, want 1", n)
		}
	})
}

func TestReadersDoNotWaitForAWriter(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		must(t, d.Update(t.Context(), func(tx *db.Tx) error {
			must(t, put(t.Context(), tx, "a"))
			// This view runs while the writing transaction is open.
			if n := count(t, d, "probe"); n != 0 {
				t.Errorf("a reader sees %d rows that were not committed", n)
			}
			return nil
		}))
	})
}

func TestViewAndPeekCannotWrite(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		err := d.View(t.Context(), func(tx *db.Tx) error { return put(t.Context(), tx, "a") })
		if err == nil {
			t.Error("View let a write through")
		}
		if n := count(t, d, "probe"); n != 0 {
			t.Errorf("%d rows, want 0", n)
		}
	})
}

func TestWritersQueueAndLoseNothing(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		update(t, d, func(ctx context.Context, tx *db.Tx) error { return put(ctx, tx, "a") })
		const writers = 50
		group, ctx := errgroup.WithContext(t.Context())
		for range writers {
			group.Go(func() error {
				return d.Update(ctx, func(tx *db.Tx) error { return increment(ctx, tx, "a") })
			})
		}
		must(t, group.Wait())
		var n int
		must(t, d.Peek(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT n FROM probe WHERE id = $1`, "a").Scan(&n)
		}))
		if n != writers {
			t.Errorf("n = %d after %d increments", n, writers)
		}
	})
}

// increment reads, changes and writes back, as rule 5 of the SQL rules says.
func increment(ctx context.Context, tx *db.Tx, id string) error {
	var n int
	if err := tx.QueryRow(ctx, `SELECT n FROM probe WHERE id = $1`+tx.Lock(), id).Scan(&n); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE probe SET n = $1 WHERE id = $2`, n+1, id)
	return err
}

func TestCanceledTransactionWritesNothing(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		for i := range 5 {
			ctx, cancel := context.WithCancel(t.Context())
			err := d.Update(ctx, func(tx *db.Tx) error {
				must(t, put(ctx, tx, fmt.Sprint("lost", i)))
				cancel()
				if i%2 == 0 {
					return nil // the function's end is too late as well
				}
				return put(ctx, tx, "late")
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("Update = %v, want context.Canceled", err)
			}
		}
		if n := count(t, d, "probe"); n != 0 {
			t.Errorf("%d rows of canceled transactions", n)
		}
		update(t, d, func(ctx context.Context, tx *db.Tx) error { return put(ctx, tx, "a") })
	})
}

// endless takes hours on either engine.
const endless = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000000) SELECT COUNT(*) FROM n`

func TestCanceledStatementStopsAndLeavesTheConnectionUsable(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		for _, run := range []func(context.Context, func(*db.Tx) error) error{d.Update, d.View, d.Peek} {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
			err := run(ctx, func(tx *db.Tx) error {
				var n int64
				return tx.QueryRow(ctx, endless).Scan(&n)
			})
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the statement ended with %v, want the deadline", err)
			}
		}
		update(t, d, func(ctx context.Context, tx *db.Tx) error { return put(ctx, tx, "a") })
		if n := count(t, d, "probe"); n != 1 {
			t.Errorf("%d rows, want 1", n)
		}
	})
}

func TestReaderThatLeavesHalfWay(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		update(t, d, func(ctx context.Context, tx *db.Tx) error {
			for i := range 300 {
				must(t, put(ctx, tx, fmt.Sprintf("%03d", i)))
			}
			return nil
		})
		for range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			seen := 0
			_ = d.View(ctx, func(tx *db.Tx) error {
				return db.Each(ctx, tx, func(db.Scanner) error {
					if seen++; seen == 7 {
						cancel()
					}
					return nil
				}, `SELECT id FROM probe ORDER BY id`)
			})
			cancel()
			if n := count(t, d, "probe"); n != 300 {
				t.Fatalf("the next reader sees %d rows, want 300", n)
			}
		}
	})
}

// Two transactions take two rows in opposite order. PostgreSQL ends one, and Update runs
// it again. SQLite has no such case: writers queue.
func TestDeadlockIsRunAgain(t *testing.T) {
	t.Parallel()
	d := testkit.Open(t, db.PostgreSQL)
	must(t, d.Define(t.Context(), probe))
	update(t, d, func(ctx context.Context, tx *db.Tx) error {
		return errors.Join(put(ctx, tx, "a"), put(ctx, tx, "b"))
	})
	var both sync.WaitGroup
	both.Add(2)
	runs := make([]int, 2)
	group, ctx := errgroup.WithContext(t.Context())
	for i, order := range [][]string{{"a", "b"}, {"b", "a"}} {
		group.Go(func() error {
			return d.Update(ctx, func(tx *db.Tx) error {
				if err := increment(ctx, tx, order[0]); err != nil {
					return err
				}
				if runs[i]++; runs[i] == 1 {
					both.Done()
					both.Wait() // now each holds one row and wants the other
				}
				return increment(ctx, tx, order[1])
			})
		})
	}
	must(t, group.Wait())
	if runs[0]+runs[1] < 3 {
		t.Errorf("the transactions ran %v times, want at least three in all", runs)
	}
	for _, id := range []string{"a", "b"} {
		var n int
		must(t, d.Peek(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT n FROM probe WHERE id = $1`, id).Scan(&n)
		}))
		if n != 2 {
			t.Errorf("%s = %d, want 2", id, n)
		}
	}
}

func TestSerialisationFailureIsRunAgainAndGivenUp(t *testing.T) {
	t.Parallel()
	d := testkit.Open(t, db.PostgreSQL)
	for failures, want := range map[int]error{1: nil, 3: nil, 1000: db.ErrUnavailable} {
		runs := 0
		err := d.Update(t.Context(), func(tx *db.Tx) error {
			if runs++; runs > failures {
				return nil
			}
			_, err := tx.Exec(t.Context(), `DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$`)
			return err
		})
		if !errors.Is(err, want) {
			t.Errorf("%d failures: Update = %v, want %v", failures, err, want)
		}
		if limit := min(failures+1, db.Attempts); runs != limit {
			t.Errorf("%d failures: ran %d times, want %d", failures, runs, limit)
		}
	}
}

// What waits for the commit happens once, in order, and only if there is one.
func TestAfterCommit(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		var done []string
		note := func(tx *db.Tx, what string) { tx.AfterCommit(func() { done = append(done, what) }) }
		update(t, d, func(ctx context.Context, tx *db.Tx) error {
			note(tx, "first")
			note(tx, "second")
			if len(done) != 0 {
				t.Error("something happened before the commit")
			}
			return put(ctx, tx, "a")
		})
		for _, end := range []func(*db.Tx) error{
			func(*db.Tx) error { return errStop },
			func(tx *db.Tx) error { return put(t.Context(), tx, "a") }, // taken
		} {
			_ = d.Update(t.Context(), func(tx *db.Tx) error {
				note(tx, "never")
				return end(tx)
			})
		}
		if fmt.Sprint(done) != "[first second]" {
			t.Errorf("done: %v", done)
		}
	})
}

func TestUsingAnIndex(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		must(t, d.Define(t.Context(), `CREATE INDEX probe_n ON probe (n);`))
		update(t, d, func(ctx context.Context, tx *db.Tx) error { return put(ctx, tx, "a") })
		must(t, d.View(t.Context(), func(tx *db.Tx) error {
			var id string
			err := tx.QueryRow(t.Context(), `SELECT id FROM probe`+tx.Using("probe_n")+` WHERE n = $1`, 0).Scan(&id)
			if id != "a" {
				t.Errorf("found %q", id)
			}
			return err
		}))
	})
}

func TestUpdateManyAndDeleteMany(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		const rows = 250
		update(t, d, func(ctx context.Context, tx *db.Tx) error {
			var changes [][]any
			for n := range rows {
				id := fmt.Sprintf("%03d", n)
				if err := put(ctx, tx, id); err != nil {
					return err
				}
				var amount any
				if n%2 == 1 {
					amount = "1.5"
				}
				changes = append(changes, []any{amount, int64(n), n%3 == 0, id, id})
			}
			if err := tx.UpdateMany(ctx, "probe", []string{"amount", "n", "flag"}, []string{"id", "label"}, nil); err != nil {
				return err
			}
			return tx.UpdateMany(ctx, "probe", []string{"amount", "n", "flag"}, []string{"id", "label"}, changes[1:])
		})
		must(t, d.View(t.Context(), func(tx *db.Tx) error {
			for _, n := range []int{0, 1, 99, 150, rows - 1} {
				var amount sql.NullString
				var number int
				var flag bool
				err := tx.QueryRow(t.Context(), `SELECT amount, n, flag FROM probe WHERE id = $1`, fmt.Sprintf("%03d", n)).
					Scan(&amount, &number, &flag)
				if err != nil {
					return err
				}
				if number != n || amount.Valid != (n%2 == 1) || flag != (n > 0 && n%3 == 0) {
					t.Errorf("row %d holds %v, %d, %t", n, amount, number, flag)
				}
			}
			return nil
		}))
		update(t, d, func(ctx context.Context, tx *db.Tx) error {
			var gone [][]any
			for n := range rows - 10 {
				id := fmt.Sprintf("%03d", n)
				gone = append(gone, []any{id, int64(n)})
			}
			gone = append(gone, []any{"248", int64(7)}) // only half of the key fits
			return tx.DeleteMany(ctx, "probe", []string{"id", "n"}, gone)
		})
		if n := count(t, d, "probe"); n != 10 {
			t.Errorf("%d rows are left, want 10", n)
		}
	})
}

func TestAnalyze(t *testing.T) {
	eachProbe(t, func(t *testing.T, d *db.DB) {
		d.Analyze(t.Context(), 1, "probe", "probe_part")
		d.Analyze(t.Context(), 1, "no_such_table") // is only logged
		update(t, d, func(ctx context.Context, tx *db.Tx) error { return put(ctx, tx, "a") })
	})
}
