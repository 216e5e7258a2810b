package db

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Rows per INSERT. PostgreSQL is limited by round trips. SQLite is a fifth
// faster with a few dozen rows, but keeps each text prepared, so the remaining
// rows are inserted one by one.
const (
	rowsPostgres = 100
	rowsSQLite   = 32
)

func insertChunk(engine Engine, rows int) int {
	switch {
	case engine == PostgreSQL:
		return min(rows, rowsPostgres)
	case rows < rowsSQLite:
		return 1
	}
	return rowsSQLite
}

// InsertMany inserts rows with the same columns and returns how many were inserted.
// suffix may be an ON CONFLICT clause without arguments. A value all rows share is passed
// once per statement, because passing a text costs about as much as storing it.
func (t *Tx) InsertMany(ctx context.Context, table string, columns []string, suffix string, rows [][]any) (int64, error) {
	if t.session.engine == PostgreSQL && suffix == "" && len(rows) >= fewestCopied {
		return t.copyRows(ctx, table, columns, rows)
	}
	var inserted int64
	var args []any
	shared := sharedColumns(columns, rows)
	text, size := "", 0
	for len(rows) > 0 {
		chunk := insertChunk(t.session.engine, len(rows))
		if chunk != size {
			text, size = insertText(t.session.engine, table, columns, shared, chunk, suffix), chunk
		}
		args = insertArgs(args[:0], shared, rows[:chunk])
		var n int64
		var err error
		if t.parts != nil && suffix == "" {
			n, err = t.insertPart(ctx, table, columns, shared, text, chunk, args)
		} else {
			n, err = t.execMany(ctx, text, chunk, args)
		}
		if err != nil {
			return inserted, err
		}
		inserted += n
		rows = rows[chunk:]
	}
	return inserted, nil
}

// deletedRows is how many rows [Tx.DeleteInChunks] deletes at a time.
const deletedRows = 1000

// DeleteInChunks deletes table rows that meet a condition, ordered by columns unique
// among them, with a statement for each thousand: SQLite keeps the rows a statement
// deletes in memory until it ends, and a [DB.UpdateInParts] transaction can't be divided
// within a statement.
func (t *Tx) DeleteInChunks(ctx context.Context, table, columns, where string, args ...any) error {
	rows := " FROM " + table + " WHERE " + where
	chunk := fmt.Sprintf(`DELETE%s AND (%s) <= (SELECT %[2]s%[1]s ORDER BY %[2]s LIMIT 1 OFFSET %[3]d)`, rows, columns, deletedRows-1)
	for {
		deleted, err := t.Exec(ctx, chunk, args...)
		if err != nil {
			return fmt.Errorf("deleting from %s: %w", table, err)
		}
		if deleted == 0 {
			break
		}
	}
	if _, err := t.Exec(ctx, "DELETE"+rows, args...); err != nil {
		return fmt.Errorf("deleting from %s: %w", table, err)
	}
	return nil
}

// insertPart runs an INSERT in a long write. Every row is a new one, so the keys suffice
// to undo it.
func (t *Tx) insertPart(ctx context.Context, table string, columns []string, shared []bool, text string, rows int, args []any) (int64, error) {
	if err := t.checkReady(ctx, text); err != nil {
		return 0, err
	}
	log := &t.parts.log
	log.pause()
	defer log.resume()
	result, err := t.session.exec(ctx, text, args)
	if err != nil {
		return 0, t.recordError(err)
	}
	if err := log.recordInserted(table, columns, shared, t.session.args, rows); err != nil {
		return 0, t.recordError(err)
	}
	return result.RowsAffected()
}

// fewestCopied is from how many rows on they are copied to PostgreSQL.
const fewestCopied = 500

// copyRows inserts rows with COPY, without parsing and planning statements.
func (t *Tx) copyRows(ctx context.Context, table string, columns []string, rows [][]any) (inserted int64, err error) {
	if err := t.checkReady(ctx, "COPY"); err != nil {
		return 0, err
	}
	inserted, err = t.session.copyRows(t.context(ctx), table, columns, rows)
	return inserted, t.recordError(err)
}

// QueueRows inserts rows as InsertMany does. Few rows are queued; see [Tx.Queue].
func (t *Tx) QueueRows(ctx context.Context, table string, columns []string, suffix string, rows [][]any) error {
	if t.session.engine == SQLite || len(rows) == 0 || len(rows) > fewRows {
		_, err := t.InsertMany(ctx, table, columns, suffix, rows)
		return err
	}
	shared := make([]bool, len(columns))
	return t.Queue(ctx, insertText(PostgreSQL, table, columns, shared, len(rows), suffix), insertArgs(nil, shared, rows)...)
}

// sharedColumns reports for each column whether all rows have the same value.
// For few rows it reports false.
func sharedColumns(columns []string, rows [][]any) []bool {
	shared := make([]bool, len(columns))
	if len(rows) < rowsSQLite {
		return shared
	}
	for i := range columns {
		shared[i] = !slices.ContainsFunc(rows, func(row []any) bool { return !same(row[i], rows[0][i]) })
	}
	return shared
}

// same reports whether two plain values are equal. Other types are never equal.
func same(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case string, int64, int, bool:
		return a == b
	}
	return false
}

// insertArgs appends the arguments of insertText: the shared values, then each row's
// others.
func insertArgs(args []any, shared []bool, rows [][]any) []any {
	for i, is := range shared {
		if is {
			args = append(args, rows[0][i])
		}
	}
	for _, row := range rows {
		for i, is := range shared {
			if !is {
				args = append(args, row[i])
			}
		}
	}
	return args
}

// insertText returns an INSERT for that many rows, shared columns first: ($1, $2, $3),
// ($1, $4, $5), … SQLite's unshared arguments have no number, because its driver looks
// numbered ones up by name.
//
// A rejected row fails the transaction, so SQLite need not be able to undo only this
// statement: OR FAIL avoids copies of all pages.
func insertText(engine Engine, table string, columns []string, shared []bool, rows int, suffix string) string {
	first, rest := []string{}, []string{}
	for i, column := range columns {
		if shared[i] {
			first = append(first, column)
		} else {
			rest = append(rest, column)
		}
	}
	var b strings.Builder
	b.WriteString("INSERT ")
	if engine == SQLite && suffix == "" {
		b.WriteString("OR FAIL ")
	}
	fmt.Fprintf(&b, "INTO %s (%s) VALUES ", table, strings.Join(append(first, rest...), ", "))
	next := len(first)
	for row := range rows {
		b.WriteString([]string{"(", ", ("}[min(row, 1)])
		for i := range columns {
			if i > 0 {
				b.WriteString(", ")
			}
			switch {
			case i < len(first):
				b.WriteString("$" + strconv.Itoa(i+1))
			case engine == SQLite:
				b.WriteString("?")
			default:
				next++
				b.WriteString("$" + strconv.Itoa(next))
			}
		}
		b.WriteString(")")
	}
	return b.String() + " " + suffix
}

// UpdateMany updates many table rows, each found by its key columns. Each of rows has the
// new values, ordered as set, and then those of the key. Values must be texts, whole
// numbers, flags, pointers to them, values with the method SQLType, or NULL; a column
// that is an untyped NULL in all rows must be a text column. If user_id is a key column,
// all rows must belong to one user.
func (t *Tx) UpdateMany(ctx context.Context, table string, set, key []string, rows [][]any) error {
	if err := checkOneUser(len(set), key, rows); err != nil {
		return err
	}
	one := fmt.Sprintf("UPDATE %s SET %s = ? WHERE %s = ?", table, strings.Join(set, " = ?, "), strings.Join(key, " = ? AND "))
	return t.eachKey(ctx, rows, one, func(part [][]any) string {
		var changes []string
		for i, column := range set {
			changes = append(changes, fmt.Sprintf("%s = v.c%d", column, i))
		}
		return fmt.Sprintf("UPDATE %s SET %s FROM %s", table, strings.Join(changes, ", "), joinKeys(table, len(set), key, part))
	})
}

// DeleteMany deletes many table rows, each found by its key columns, whose values are as
// for UpdateMany.
func (t *Tx) DeleteMany(ctx context.Context, table string, key []string, rows [][]any) error {
	if err := checkOneUser(0, key, rows); err != nil {
		return err
	}
	one := fmt.Sprintf("DELETE FROM %s WHERE %s = ?", table, strings.Join(key, " = ? AND "))
	return t.eachKey(ctx, rows, one, func(part [][]any) string {
		return fmt.Sprintf("DELETE FROM %s USING %s", table, joinKeys(table, 0, key, part))
	})
}

// userColumn is the column by which most tables in a distributed database are
// distributed.
const userColumn = "user_id"

// checkOneUser returns an error if the rows belong to different users; see joinKeys.
func checkOneUser(first int, key []string, rows [][]any) error {
	user := first + slices.Index(key, userColumn)
	if user < first {
		return nil
	}
	for _, row := range rows {
		if row[user] != rows[0][user] {
			return errors.New("rows of several users in one statement")
		}
	}
	return nil
}

// eachKey runs a statement for argument rows: on SQLite a prepared one for each, on
// PostgreSQL, which is bound by round trips, one for many. One for few rows is queued.
func (t *Tx) eachKey(ctx context.Context, rows [][]any, one string, many func(part [][]any) string) error {
	for len(rows) > 0 {
		chunk, text := 1, one
		if t.session.engine == PostgreSQL {
			chunk = min(rowsPostgres, len(rows))
			text = many(rows[:chunk])
		}
		args := slices.Concat(rows[:chunk]...)
		var err error
		if chunk <= fewRows {
			err = t.Queue(ctx, text, args...)
		} else {
			_, err = t.execMany(ctx, text, chunk, args)
		}
		if err != nil {
			return err
		}
		rows = rows[chunk:]
	}
	return nil
}

// fewRows is up to how many rows a statement is kept prepared.
const fewRows = 4

// execMany runs a statement whose text depends on its row count. On PostgreSQL a prepared
// text takes memory on both sides of each connection, so only those for few rows and for
// the maximum are kept.
func (t *Tx) execMany(ctx context.Context, text string, rows int, args []any) (int64, error) {
	if t.session.engine == PostgreSQL && rows > fewRows && rows < rowsPostgres {
		args = append([]any{pgx.QueryExecModeDescribeExec}, args...)
	}
	return t.Exec(ctx, text, args...)
}

// joinKeys returns a list of values joined with the table's key columns, whose values
// begin at column first of the list. PostgreSQL cannot infer argument types in such a
// list, so each is cast. The list contains the whole key, even columns that are equal in
// all rows: with a constant alone the planner might read all rows with that value. The
// user is in the list and also a condition, by which a distributed database finds the
// node. The planner then expects one list row, and looks each row up by the key.
func joinKeys(table string, first int, key []string, rows [][]any) string {
	columns := first + len(key)
	names, types := make([]string, columns), make([]string, columns)
	for c := range columns {
		names[c], types[c] = fmt.Sprintf("c%d", c), typeOf(rows, c)
	}
	lists := make([]string, len(rows))
	for r := range rows {
		values := make([]string, columns)
		for c := range columns {
			values[c] = fmt.Sprintf("CAST($%d AS %s)", r*columns+c+1, types[c])
		}
		lists[r] = "(" + strings.Join(values, ", ") + ")"
	}
	var matches []string
	for i, column := range key {
		matches = append(matches, fmt.Sprintf("%s.%s = v.c%d", table, column, first+i))
		if column == userColumn {
			matches = append(matches, fmt.Sprintf("%s.%s = $%d", table, column, first+i+1))
		}
	}
	return fmt.Sprintf("(VALUES %s) AS v (%s) WHERE %s",
		strings.Join(lists, ", "), strings.Join(names, ", "), strings.Join(matches, " AND "))
}

// typed is a value stating its column's type.
type typed interface{ SQLType() string }

// typeOf returns a value column's SQL type.
func typeOf(rows [][]any, column int) string {
	for _, row := range rows {
		value := row[column]
		if value == nil {
			continue
		}
		if own, ok := value.(typed); ok {
			return own.SQLType()
		}
		kind := reflect.TypeOf(value)
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		switch kind.Kind() {
		case reflect.Int, reflect.Int64:
			return "BIGINT"
		case reflect.Bool:
			return "BOOLEAN"
		default:
			return "TEXT"
		}
	}
	return "TEXT"
}
