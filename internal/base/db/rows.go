package db

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// Rows are a SELECT's rows, read from the driver itself: database/sql would lock, start a
// goroutine for each statement, and convert most values by reflection.
type Rows struct {
	postgres pgx.Rows
	batch    pgx.BatchResults // with the rows as its last result; nil if they were sent alone
	rest     []any            // see scanPostgres
	isFirst  bool             // the row that was read with the query has not been returned

	fetched *fetchedRows // see Prefetch
	current int          // the row of it, from 1

	ctx    context.Context
	lite   driver.Rows
	values []driver.Value // current row
	kept   *statement
	err    error
}

// newPostgresRows reads the first row, so that the query's error is returned at once.
func newPostgresRows(rows pgx.Rows, batch pgx.BatchResults) (*Rows, error) {
	r := &Rows{postgres: rows, batch: batch, isFirst: rows.Next()}
	if err := rows.Err(); err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// Next reads the next row. It returns false at the end and after an error,
// which [Rows.Err] returns.
func (r *Rows) Next() bool {
	if r.fetched != nil {
		r.current++
		return r.current <= len(r.fetched.rows)
	}
	if r.postgres != nil {
		if r.isFirst {
			r.isFirst = false
			return true
		}
		return r.postgres.Next()
	}
	if r.err == nil {
		r.err = r.ctx.Err()
	}
	if r.err == nil && r.lite != nil {
		r.err = r.lite.Next(r.values)
	}
	if r.err != nil || r.lite == nil {
		_ = r.Close()
		return false
	}
	return true
}

// Scan copies the current row's columns to dest, one for each.
func (r *Rows) Scan(dest ...any) error {
	if r.fetched != nil {
		return r.fetched.scan(r.current-1, dest)
	}
	if r.postgres != nil {
		return r.scanPostgres(dest)
	}
	if len(dest) != len(r.values) {
		return fmt.Errorf("%d destinations for %d columns", len(dest), len(r.values))
	}
	for i, value := range r.values {
		if err := assign(dest[i], value); err != nil {
			return fmt.Errorf("column %d (%s): %w", i, r.lite.Columns()[i], err)
		}
	}
	return nil
}

// scanPostgres scans texts into the destinations that need no string, and all other columns
// with pgx, which allocates a string and an interface value for each scanner.
func (r *Rows) scanPostgres(dest []any) error {
	values := r.postgres.RawValues()
	if len(values) != len(dest) {
		return r.postgres.Scan(dest...)
	}
	r.rest = r.rest[:0]
	for i, d := range dest {
		text, ok := d.(textScanner)
		if !ok || values[i] == nil || r.postgres.FieldDescriptions()[i].DataTypeOID != pgtype.TextOID {
			continue
		}
		if err := text.ScanText(values[i]); err != nil {
			return fmt.Errorf("column %d (%s): %w", i, r.postgres.FieldDescriptions()[i].Name, err)
		}
		if len(r.rest) == 0 {
			r.rest = append(r.rest, dest...)
		}
		r.rest[i] = nil // pgx skips it
	}
	if len(r.rest) == 0 {
		return r.postgres.Scan(dest...)
	}
	return r.postgres.Scan(r.rest...)
}

// Columns returns the column names, on SQLite.
func (r *Rows) Columns() ([]string, error) {
	if r.lite == nil {
		return nil, errors.New("the rows are closed")
	}
	return r.lite.Columns(), nil
}

// Err returns the error that ended the rows, if any.
func (r *Rows) Err() error {
	if r.postgres != nil {
		return r.postgres.Err()
	}
	if errors.Is(r.err, io.EOF) {
		return nil
	}
	return r.err
}

// Close ends the statement. Closing it again does nothing.
func (r *Rows) Close() error {
	if r.postgres != nil {
		r.postgres.Close()
		r.isFirst = false
		if r.batch != nil {
			return cmp.Or(r.postgres.Err(), r.batch.Close())
		}
		return r.postgres.Err()
	}
	if r.lite == nil {
		return nil
	}
	err := r.lite.Close()
	r.lite, r.kept.busy = nil, false
	return err
}

// scanFirst scans the first row and closes the rows.
func (r *Rows) scanFirst(dest []any) error {
	defer r.Close() //nolint:errcheck // the error of reading comes first
	if !r.Next() {
		if err := r.Err(); err != nil {
			return err
		}
		return ErrNoRows
	}
	if err := r.Scan(dest...); err != nil {
		return err
	}
	return r.Close()
}

// queryLite runs a SELECT on SQLite.
func (s *session) queryLite(ctx context.Context, query string, args []any) (*Rows, error) {
	if s.reads != nil {
		return s.queryState(ctx, query, args)
	}
	if err := s.checkHeld(query, args); err != nil {
		return nil, err
	}
	return s.runQuery(ctx, query, args)
}

// runQuery runs a SELECT on SQLite's driver.
func (s *session) runQuery(ctx context.Context, query string, args []any) (*Rows, error) {
	kept, err := s.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	named, err := s.namedValues(args)
	if err != nil {
		return nil, err
	}
	var found driver.Rows
	err = s.untilDone(ctx, func(ctx context.Context) error {
		rows, err := kept.stmt.(driver.StmtQueryContext).QueryContext(ctx, named)
		if err == nil {
			found = rows
		}
		return err
	})
	if err != nil {
		if found != nil { // interrupted after the first row
			_ = found.Close()
		}
		return nil, err
	}
	kept.busy = true
	if n := len(found.Columns()); cap(kept.values) < n {
		kept.values = make([]driver.Value, n)
	}
	return &Rows{ctx: ctx, lite: found, values: kept.values, kept: kept}, nil
}

// execLite runs a statement without rows on SQLite's driver.
func (s *session) execLite(ctx context.Context, query string, args []any) (driver.Result, error) {
	if err := s.checkHeld(query, args); err != nil {
		return nil, err
	}
	kept, err := s.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	named, err := s.namedValues(args)
	if err != nil {
		return nil, err
	}
	var result driver.Result
	err = s.untilDone(ctx, func(ctx context.Context) (err error) {
		result, err = kept.stmt.(driver.StmtExecContext).ExecContext(ctx, named)
		return err
	})
	return result, err
}

// namedValues converts arguments to driver values. The result is valid until the next
// call.
func (s *session) namedValues(args []any) ([]driver.NamedValue, error) {
	s.args = s.args[:0]
	for i, arg := range args {
		value, err := toDriverValue(arg)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		s.args = append(s.args, driver.NamedValue{Ordinal: i + 1, Value: value})
	}
	return s.args, nil
}

func toDriverValue(arg any) (driver.Value, error) {
	switch v := arg.(type) {
	case nil, string, int64, bool, []byte, float64:
		return v, nil
	case int:
		return int64(v), nil
	}
	return driver.DefaultParameterConverter.ConvertValue(arg)
}

var errNull = errors.New("the value is NULL")

// assign stores a SQLite driver value in a Scan destination. It converts as database/sql
// does, for the types the program uses.
func assign(dest any, value driver.Value) error {
	switch d := dest.(type) {
	case *int64:
		if v, ok := value.(int64); ok {
			*d = v
			return nil
		}
	case *string:
		if v, ok := value.(string); ok {
			*d = v
			return nil
		}
	case *bool:
		if v, ok := value.(int64); ok && (v == 0 || v == 1) {
			*d = v == 1
			return nil
		}
	case *any:
		*d = value
		return nil
	case *[]byte:
		switch v := value.(type) {
		case nil:
			*d = nil
			return nil
		case []byte:
			*d = v
			return nil
		case string:
			*d = []byte(v)
			return nil
		}
	case sql.Scanner:
		return d.Scan(value)
	}
	pointer := reflect.ValueOf(dest)
	if pointer.Kind() != reflect.Pointer || pointer.IsNil() {
		return fmt.Errorf("the destination is a %T, not a pointer", dest)
	}
	return assignKind(pointer.Elem(), value)
}

// assignKind stores a value in a variable by its type's kind.
func assignKind(into reflect.Value, value driver.Value) error {
	if into.Kind() == reflect.Pointer {
		if value == nil {
			into.SetZero()
			return nil
		}
		into.Set(reflect.New(into.Type().Elem()))
		return assign(into.Interface(), value)
	}
	if value == nil {
		return errNull
	}
	switch into.Kind() {
	case reflect.String:
		text, err := toText(value)
		into.SetString(text)
		return err
	case reflect.Bool:
		flag, err := driver.Bool.ConvertValue(value)
		if err == nil {
			into.SetBool(flag.(bool))
		}
		return err
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		number, err := toInteger(value)
		if err == nil && into.OverflowInt(number) {
			err = fmt.Errorf("%d does not fit into a %s", number, into.Type())
		}
		into.SetInt(number)
		return err
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		number, err := toInteger(value)
		if err == nil && (number < 0 || into.OverflowUint(uint64(number))) {
			err = fmt.Errorf("%d does not fit into a %s", number, into.Type())
		}
		into.SetUint(uint64(number))
		return err
	default:
		return fmt.Errorf("cannot store a %T in a %s", value, into.Type())
	}
}

func toText(value driver.Value) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	}
	return "", fmt.Errorf("a %T is not a text", value)
}

func toInteger(value driver.Value) (int64, error) {
	if v, ok := value.(int64); ok {
		return v, nil
	}
	text, err := toText(value)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}
