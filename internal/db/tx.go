package db

import (
	"context"
	"database/sql"
	"errors"
	"math/bits"
	"strconv"
	"strings"
)

// Tx is one transaction, or for [DB.Peek] one statement, of either engine. It
// must not be used after the function it was handed to has returned.
type Tx struct {
	session *session
	failed  error // the first statement that failed
	reading bool  // rows are being handed out by Each
	// after is what to do once the transaction is committed.
	after []func()
}

// AfterCommit runs fn once the transaction is committed, and never if it is
// not: for what must not happen before, such as removing a file that a deleted
// row named. fn must not use the transaction.
func (t *Tx) AfterCommit(fn func()) { t.after = append(t.after, fn) }

// errNested tells of a mistake in our own code. PostgreSQL cannot do it, and
// SQLite would disturb the rows being read where the two texts are the same.
var errNested = errors.New("a statement was run while the rows of another were being read")

// result translates a statement's error and remembers it: a transaction in
// which a statement failed is not committed, whatever its function says.
func (t *Tx) result(err error) error {
	err = translate(err)
	if err != nil && t.failed == nil && !errors.Is(err, ErrNoRows) {
		t.failed = err
	}
	return err
}

// ready refuses a statement inside the rows of another one.
func (t *Tx) ready() error {
	if t.reading {
		return t.result(errNested)
	}
	return nil
}

// Lock is what a SELECT that is followed by a write of the same rows ends
// with: a row lock on PostgreSQL; nothing on SQLite, where a writing
// transaction is alone anyway.
func (t *Tx) Lock() string {
	if t.session.engine == PostgreSQL {
		return " FOR UPDATE"
	}
	return ""
}

// Using follows a table's name in a SELECT that must read through one index.
// SQLite plans without statistics and would at times rather read a whole
// account than look up a few rows of it; PostgreSQL has them and is left to
// choose. A name that is no index of the table is an error on SQLite.
func (t *Tx) Using(index string) string {
	if t.session.engine == SQLite {
		return " INDEXED BY " + index
	}
	return ""
}

// Limit ends a SELECT of which as many rows are wanted as argument n says. It is
// written as a sum because SQLite would plan for a bare number, and so prepare
// the statement anew each time it is told one.
func Limit(n int) string { return " LIMIT $" + strconv.Itoa(n) + " + 0" }

// Merged writes the first rows of several SELECTs together, in an order that each
// can be read in by an index; limit is the argument that tells how many. SQLite
// merges the parts as they are read. PostgreSQL would rather sort all of their
// rows where a part is a join, so each part is limited there as well.
func (t *Tx) Merged(parts []string, order string, limit int) string {
	end := " ORDER BY " + order + Limit(limit)
	if t.session.engine == PostgreSQL && len(parts) > 1 {
		return "(" + strings.Join(parts, end+") UNION ALL (") + end + ")" + end
	}
	return strings.Join(parts, " UNION ALL ") + end
}

// Exec runs a statement and tells how many rows it touched.
func (t *Tx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	if err := t.ready(); err != nil {
		return 0, err
	}
	result, err := t.session.exec(ctx, query, args)
	if err != nil {
		return 0, t.result(err)
	}
	n, err := result.RowsAffected()
	return n, t.result(err)
}

// Query runs a SELECT. The caller closes the rows; [List] does it by itself.
func (t *Tx) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := t.ready(); err != nil {
		return nil, err
	}
	rows, err := t.session.query(ctx, query, args)
	if err == nil {
		t.session.begun = true
	}
	return rows, t.result(err)
}

// Row is the answer to QueryRow.
type Row struct {
	tx  *Tx
	row *sql.Row
	err error
}

// Scan reads the row; [ErrNoRows] tells that there was none.
func (r Row) Scan(dest ...any) error {
	if r.err != nil {
		return r.tx.result(r.err)
	}
	err := r.row.Scan(dest...)
	if err == nil {
		r.tx.session.begun = true
	}
	return r.tx.result(err)
}

// QueryRow runs a statement that gives at most one row.
func (t *Tx) QueryRow(ctx context.Context, query string, args ...any) Row {
	if err := t.ready(); err != nil {
		return Row{tx: t, err: err}
	}
	row, err := t.session.queryRow(ctx, query, args)
	return Row{tx: t, row: row, err: err}
}

// Scanner is a row that can be read: [Row] or *sql.Rows.
type Scanner interface {
	Scan(dest ...any) error
}

// List runs a SELECT and reads every row with scan. The result is never nil.
func List[T any](ctx context.Context, tx *Tx, scan func(Scanner) (T, error), query string, args ...any) ([]T, error) {
	list := []T{}
	err := Each(ctx, tx, func(row Scanner) error {
		item, err := scan(row)
		list = append(list, item)
		return err
	}, query, args...)
	return list, err
}

// Single reads a row of one column, as [List] needs it for a list of ids.
func Single[T any](row Scanner) (value T, err error) {
	err = row.Scan(&value)
	return value, err
}

// Each runs a SELECT and hands every row to fn as it arrives, so that memory
// stays flat however long the list is. fn must not run statements of its own.
func Each(ctx context.Context, tx *Tx, fn func(Scanner) error, query string, args ...any) error {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err below tells what went wrong
	tx.reading = true
	defer func() { tx.reading = false }()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return translate(err)
		}
	}
	return tx.result(rows.Err())
}

// In writes an IN list: it appends the values to args and gives the
// placeholders in brackets. An empty list gives one that matches nothing. The
// last value is repeated until their number is a power of two: texts are kept
// prepared, so there should not be one for every number of values.
func In[T any](args *[]any, values []T) string {
	if len(values) == 0 {
		return "(NULL)"
	}
	var b strings.Builder
	for i := range 1 << bits.Len(uint(len(values)-1)) {
		b.WriteString([]string{"(", ", "}[min(i, 1)])
		*args = append(*args, values[min(i, len(values)-1)])
		b.WriteString("$" + strconv.Itoa(len(*args)))
	}
	return b.String() + ")"
}
