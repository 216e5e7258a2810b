package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/db"
)

// Limits measure the machine itself, through the same driver with the same settings. They
// read the journal's own database (source) and write to a separate one (scratch), so they
// do not affect the journal.

// timeCall returns work's duration.
func timeCall(work func() error) (time.Duration, error) {
	begin := time.Now()
	err := work()
	return time.Since(begin), err
}

// timeRepeated measures work until the number of calls or the time budget is reached.
func timeRepeated(calls int, budget time.Duration, work func() error) (taken times, err error) {
	for begin := time.Now(); len(taken) < calls && (len(taken) == 0 || time.Since(begin) < budget); {
		took, err := timeCall(work)
		if err != nil {
			return nil, err
		}
		taken = append(taken, took)
	}
	return taken, nil
}

// timeCommit measures one small row in one durable transaction.
func (s *session) timeCommit(ctx context.Context) (times, error) {
	return timeRepeated(200, 2*time.Second, func() error {
		s.scratchRows++
		return s.scratch.Update(ctx, func(tx *db.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO bare_rows (n, body) VALUES ($1, $2)`, s.scratchRows, "a small row")
			return err
		})
	})
}

// timeCSV measures reading a file with encoding/csv.
func timeCSV(file []byte) (times, error) {
	return timeRepeated(5, 2*time.Second, func() error {
		reader := csv.NewReader(bytes.NewReader(file))
		reader.ReuseRecord = true
		for {
			if _, err := reader.Read(); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
		}
	})
}

// clone is a copy of a journal table, to measure plain inserts with the same rows.
type clone struct {
	table   string
	columns []string
	indexes []string // the columns in each; the first is the primary key
}

var (
	fillsClone = clone{
		"executions",
		[]string{
			"user_id", "account", "executed_at", "seq", "stream", "created_at", "arrival", "facts", "is_buy", "quantity", "price",
			"commission", "fees", "multiplier", "stated_pnl", "id", "external_id", "origin", "details",
		},
		[]string{"user_id, account, executed_at, seq", "user_id, stream, executed_at, seq"},
	}
	tradesClone = clone{
		"trades",
		[]string{
			"user_id", "account", "opened_at", "list_at", "revision", "last_at", "stream", "first_seq", "last_seq", "execution_count",
			"first_arrival", "is_open", "is_long", "id", "qty_opened", "entry_notional", "exit_notional", "avg_entry", "avg_exit",
			"commission", "fees", "net_pnl", "return_pct", "gross_pnl", "realized_pnl", "volume", "multiplier", "head", "qty_remaining",
			"entry_size", "rate_stated", "rate_priced", "first_external",
		},
		[]string{"user_id, id", "user_id, stream, opened_at, first_seq", "user_id, account, list_at", "user_id, account, opened_at"},
	}
)

// ofAccount selects one account's rows; its two arguments are the user's public id and
// the account's id.
const ofAccount = ` WHERE user_id = (SELECT number FROM users WHERE id = $1) AND account = (SELECT number FROM accounts WHERE id = $2)`

// eachRow calls fn with every row in an account, in key order.
func (c clone) eachRow(ctx context.Context, tx *db.Tx, owner, account string, fn func(values []any) error) error {
	query := "SELECT " + strings.Join(c.columns, ", ") + " FROM " + c.table + ofAccount + " ORDER BY " + c.indexes[0]
	return db.Each(ctx, tx, func(row db.Scanner) error {
		values, into := make([]any, len(c.columns)), make([]any, len(c.columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := row.Scan(into...); err != nil {
			return err
		}
		return fn(values)
	}, query, owner, account)
}

// timeScan measures reading every row in an account through the driver.
func (s *session) timeScan(ctx context.Context, c clone, account string) (times, error) {
	return timeRepeated(3, 10*time.Second, func() error {
		return s.source.View(ctx, func(tx *db.Tx) error {
			return c.eachRow(ctx, tx, s.owner, account, func([]any) error { return nil })
		})
	})
}

// createClone creates an empty clone, with the primary key only or with all indexes.
func (s *session) createClone(ctx context.Context, c clone, indexed bool) (name string, err error) {
	name = "bare_" + c.table
	statements := []string{
		"CREATE TABLE " + name + " AS SELECT " + strings.Join(c.columns, ", ") + " FROM " + c.table + " WHERE 1 = 0",
		"CREATE UNIQUE INDEX " + name + "_0 ON " + name + " (" + c.indexes[0] + ")",
	}
	for i, columns := range c.indexes[1:] {
		if indexed {
			statements = append(statements, fmt.Sprintf("CREATE INDEX %s_%d ON %s (%s)", name, i+1, name, columns))
		}
	}
	return name, execute(ctx, s.scratch, statements...)
}

// timeInsert measures a multi-row insert with an account's rows, in one durable
// transaction, into a clone of their table. Rows are read in batches; the reading time is
// not counted.
func (s *session) timeInsert(ctx context.Context, c clone, account string, indexed bool) (time.Duration, error) {
	name, err := s.createClone(ctx, c, indexed)
	if err != nil {
		return 0, err
	}
	var all, inside, inserting time.Duration
	all, err = timeCall(func() error {
		return s.scratch.Update(ctx, func(tx *db.Tx) (err error) {
			inside, err = timeCall(func() (err error) {
				inserting, err = s.copyRows(ctx, tx, c, account, name)
				return err
			})
			return err
		})
	})
	if err != nil {
		return 0, err
	}
	return all - inside + inserting, execute(ctx, s.scratch, "DROP TABLE "+name)
}

// copyRows copies an account's rows and returns the inserting time.
func (s *session) copyRows(ctx context.Context, to *db.Tx, c clone, account, name string) (inserting time.Duration, err error) {
	const part = 5000
	rows := make([][]any, 0, part)
	flush := func() error {
		took, err := timeCall(func() error { return plainInsert(ctx, to, s.scratch.Engine(), name, c.columns, rows) })
		inserting += took
		rows = rows[:0]
		return err
	}
	err = s.source.View(ctx, func(tx *db.Tx) error {
		return c.eachRow(ctx, tx, s.owner, account, func(values []any) error {
			if rows = append(rows, values); len(rows) < part {
				return nil
			}
			return flush()
		})
	})
	return inserting, errors.Join(err, flush())
}

// plainInsert inserts rows with a simple INSERT for some dozen rows, an argument for each
// value, prepared once.
func plainInsert(ctx context.Context, tx *db.Tx, engine db.Engine, table string, columns []string, rows [][]any) error {
	const atOnce = 32
	text, size := "", 0
	for part := range slices.Chunk(rows, atOnce) {
		if len(part) != size {
			text, size = insertText(engine, table, columns, len(part)), len(part)
		}
		if _, err := tx.Exec(ctx, text, slices.Concat(part...)...); err != nil {
			return err
		}
	}
	return nil
}

// insertText uses arguments without numbers for SQLite, whose driver is slow with
// numbered ones, so the limit is as fast as possible.
func insertText(engine db.Engine, table string, columns []string, rows int) string {
	var b strings.Builder
	b.WriteString("INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES ")
	for n := range rows * len(columns) {
		switch {
		case n == 0:
			b.WriteString("(")
		case n%len(columns) == 0:
			b.WriteString("), (")
		default:
			b.WriteString(", ")
		}
		if engine == db.SQLite {
			b.WriteString("?")
		} else {
			fmt.Fprintf(&b, "$%d", n+1)
		}
	}
	return b.String() + ")"
}

func execute(ctx context.Context, d *db.DB, statements ...string) error {
	return d.Update(ctx, func(tx *db.Tx) error {
		for _, text := range statements {
			if _, err := tx.Exec(ctx, text); err != nil {
				return err
			}
		}
		return nil
	})
}

// timeAggregate measures a summary's sums in SQL.
func (s *session) timeAggregate(ctx context.Context, account string) (times, error) {
	kind := "NUMERIC"
	if s.source.Engine() == db.SQLite {
		kind = "REAL"
	}
	query := strings.ReplaceAll(`SELECT COUNT(*), SUM(CAST(net_pnl AS kind)), SUM(CAST(COALESCE(commission, '0') AS kind)),
		SUM(CAST(COALESCE(fees, '0') AS kind)), SUM(CAST(entry_notional AS kind) + CAST(exit_notional AS kind)), SUM(CASE WHEN CAST(net_pnl AS kind) > 0 THEN 1 ELSE 0 END), MAX(CAST(net_pnl AS kind)),
		MIN(CAST(net_pnl AS kind)) FROM trades`+ofAccount+` AND net_pnl IS NOT NULL`, "kind", kind)
	return timeRepeated(20, 3*time.Second, func() error {
		return s.source.View(ctx, func(tx *db.Tx) error {
			var sums [8]any
			return tx.QueryRow(ctx, query, s.owner, account).
				Scan(&sums[0], &sums[1], &sums[2], &sums[3], &sums[4], &sums[5], &sums[6], &sums[7])
		})
	})
}

// countFills counts the large account's fills in the database.
func (s *session) countFills(ctx context.Context) (count int, err error) {
	err = s.source.View(ctx, func(tx *db.Tx) error {
		return tx.QueryRow(ctx, `SELECT COUNT(*) FROM executions`+ofAccount, s.owner, s.large).Scan(&count)
	})
	return count, err
}
