package db

import (
	"context"
	"errors"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Tx is one transaction, or for [DB.Peek] one statement, for either engine. It must not
// be used after the function that received it has returned.
type Tx struct {
	session *session
	parts   *parts // nil unless it is from UpdateInParts
	failed  error  // the first failed statement
	reading bool   // Each is reading rows
	// limited replaces the caller's context, if it is not nil; see [DB.Peek].
	caller, limited context.Context // as long-lived as the call
	// after are the functions to call after the commit.
	after []func()
	// attached is the value of Attach, and repeated reports that the transaction has failed
	// before; see [DB.BeforeCommit].
	attached any
	repeated bool
}

// Attach keeps a value with the transaction, for the function of [DB.BeforeCommit].
func (t *Tx) Attach(value any) { t.attached = value }

// Attached returns the value of [Tx.Attach], or nil.
func (t *Tx) Attached() any { return t.attached }

// IsRepeated reports whether the transaction runs again after a conflict with another one.
func (t *Tx) IsRepeated() bool { return t.repeated }

// AfterCommit runs fn after the transaction is committed, for example to remove a file a
// deleted row named. It does not run fn if the transaction is rolled back. fn must not
// use the transaction.
func (t *Tx) AfterCommit(fn func()) { t.after = append(t.after, fn) }

// errNested reports a programming error. PostgreSQL does not support nested
// statements, and SQLite would reset the rows being read if both texts are
// equal.
var errNested = errors.New("statement executed while the rows of another are being read")

// recordError translates a statement's error and records it: a transaction in
// which a statement failed is not committed, whatever its function returns.
func (t *Tx) recordError(err error) error {
	err = translate(err)
	if err != nil && t.failed == nil && !errors.Is(err, ErrNoRows) {
		t.failed = err
	}
	return err
}

// checkReady prepares the connection for a statement. It returns an error while another
// statement's rows are being read.
func (t *Tx) checkReady(ctx context.Context, query string) error {
	if t.reading {
		return t.recordError(errNested)
	}
	if t.parts != nil {
		return t.recordError(t.parts.before(ctx, query))
	}
	return nil
}

// context returns a statement's context: the caller's, with [DB.Peek]'s time limit.
func (t *Tx) context(ctx context.Context) context.Context {
	if t.limited != nil && ctx == t.caller {
		return t.limited
	}
	return ctx
}

// Lock returns the clause ending a SELECT whose rows are written later in the
// transaction: a row lock on PostgreSQL, and nothing on SQLite, which has only one
// writing transaction at a time.
func (t *Tx) Lock() string {
	if t.session.engine == PostgreSQL {
		return " FOR UPDATE"
	}
	return ""
}

// Using returns the clause after a table's name that makes a SELECT use an index. SQLite
// plans without statistics and may read a whole account instead of a few rows; PostgreSQL
// has statistics and chooses by itself. On SQLite a missing index's name is an error.
func (t *Tx) Using(index string) string {
	if t.session.engine == SQLite {
		return " INDEXED BY " + index
	}
	return ""
}

// Limit returns the LIMIT clause for argument n. It is written as a sum because SQLite
// plans for a bare argument's value, and would prepare the statement again for each
// value.
func Limit(n int) string { return " LIMIT $" + strconv.Itoa(n) + " + 0" }

// Merged returns a query for several SELECTs' first rows, in an order in which an index
// can read each; limit is the argument with their number. SQLite merges the parts as they
// are read. PostgreSQL may sort all rows in a joined part, so there each part is limited
// as well.
func (t *Tx) Merged(parts []string, order string, limit int) string {
	end := " ORDER BY " + order + Limit(limit)
	if t.session.engine == PostgreSQL && len(parts) > 1 {
		return "(" + strings.Join(parts, end+") UNION ALL (") + end + ")" + end
	}
	return strings.Join(parts, " UNION ALL ") + end
}

// Exec runs a statement and returns how many rows were affected.
func (t *Tx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	if err := t.checkReady(ctx, query); err != nil {
		return 0, err
	}
	result, err := t.session.exec(t.context(ctx), query, args)
	if err != nil {
		return 0, t.recordError(err)
	}
	n, err := result.RowsAffected()
	return n, t.recordError(err)
}

// execOnce runs a statement without arguments that is not kept prepared.
func (t *Tx) execOnce(ctx context.Context, statement string) error {
	if t.session.engine == SQLite {
		_, err := t.session.conn.ExecContext(ctx, statement)
		return t.recordError(err)
	}
	_, err := t.session.sendQueued(ctx)
	if err == nil {
		_, err = t.session.pg.Exec(ctx, statement)
	}
	return t.recordError(err)
}

// Queue runs a statement whose result is not needed. On PostgreSQL it is sent
// with the next statement or the commit: each round trip is time in which the
// transaction holds its locks. Its error is returned by that later call, so a
// caller that handles an error of its own must use [Tx.Exec].
func (t *Tx) Queue(ctx context.Context, query string, args ...any) error {
	if t.session.engine == SQLite {
		_, err := t.Exec(ctx, query, args...)
		return err
	}
	if err := t.checkReady(ctx, query); err != nil {
		return err
	}
	t.session.queue(query, args)
	return nil
}

// Query runs a SELECT. The caller closes the rows; [List] does it by itself.
func (t *Tx) Query(ctx context.Context, query string, args ...any) (*Rows, error) {
	if err := t.checkReady(ctx, query); err != nil {
		return nil, err
	}
	rows, err := t.session.query(t.context(ctx), query, args)
	if err != nil {
		return nil, t.recordError(err)
	}
	t.session.begun = true
	return rows, nil
}

// Row is the result of QueryRow.
type Row struct {
	tx   *Tx
	rows *Rows
	err  error
}

// Scan reads the row; it returns [ErrNoRows] without one. It must be
// called.
func (r Row) Scan(dest ...any) error {
	if r.err != nil {
		return r.tx.recordError(r.err)
	}
	err := r.rows.scanFirst(dest)
	if err == nil {
		r.tx.session.begun = true
	}
	return r.tx.recordError(err)
}

// QueryRow runs a statement that returns at most one row.
func (t *Tx) QueryRow(ctx context.Context, query string, args ...any) Row {
	if err := t.checkReady(ctx, query); err != nil {
		return Row{tx: t, err: err}
	}
	rows, err := t.session.query(t.context(ctx), query, args)
	return Row{tx: t, rows: rows, err: err}
}

// Scanner is a row that can be read: [Row] or *[Rows].
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

// Single scans a row of one column, for [List].
func Single[T any](row Scanner) (value T, err error) {
	err = row.Scan(&value)
	return value, err
}

// Get returns the value of fn, which it runs with a method such as [DB.View].
func Get[T any](ctx context.Context, run func(context.Context, func(*Tx) error) error, fn func(*Tx) (T, error)) (value T, err error) {
	err = run(ctx, func(tx *Tx) (err error) {
		value, err = fn(tx)
		return err
	})
	return value, err
}

// Each runs a SELECT and calls fn for every row as it is read, so memory does not grow
// with the number of rows. fn must not run statements.
func Each(ctx context.Context, tx *Tx, fn func(Scanner) error, query string, args ...any) error {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err below returns the error
	tx.reading = true
	defer func() { tx.reading = false }()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return translate(err)
		}
	}
	return tx.recordError(rows.Err())
}

// keysAtOnce is how many keys a statement of [EachIn] names. SQLite's driver searches
// for each parameter among the others, so long lists are slow.
const keysAtOnce = 128

// EachIn is [Each] for rows with one of the given keys, and may run several statements.
// In the query, $keys is replaced by the list: "… AND id IN $keys".
func EachIn[K any](ctx context.Context, tx *Tx, keys []K, fn func(Scanner) error, query string, args ...any) error {
	for part := range slices.Chunk(keys, keysAtOnce) {
		all := slices.Clone(args)
		list := In(&all, part)
		if err := Each(ctx, tx, fn, strings.ReplaceAll(query, "$keys", list), all...); err != nil {
			return err
		}
	}
	return nil
}

// ListIn is [List] for rows with one of the given keys; see [EachIn].
func ListIn[K, T any](ctx context.Context, tx *Tx, keys []K, scan func(Scanner) (T, error), query string, args ...any) ([]T, error) {
	list := []T{}
	err := EachIn(ctx, tx, keys, func(row Scanner) error {
		item, err := scan(row)
		list = append(list, item)
		return err
	}, query, args...)
	return list, err
}

// QueueIn is [Tx.Queue] for rows with one of the given keys; see [EachIn].
func QueueIn[K any](ctx context.Context, tx *Tx, keys []K, query string, args ...any) error {
	for part := range slices.Chunk(keys, keysAtOnce) {
		all := slices.Clone(args)
		list := In(&all, part)
		if err := tx.Queue(ctx, strings.ReplaceAll(query, "$keys", list), all...); err != nil {
			return err
		}
	}
	return nil
}

// In appends the values to args and returns their placeholders as an IN list.
// An empty list matches nothing. The last value is repeated until their number
// is a power of two, to limit the number of different prepared statements.
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
