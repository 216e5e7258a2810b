package db

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// knownColumns are the column types by engine: all databases of this program have the same.
var knownColumns sync.Map

func cachedColumns(ctx context.Context, tx *Tx) (columnTypes, error) {
	if known, ok := knownColumns.Load(tx.session.engine); ok {
		return known.(columnTypes), nil
	}
	types, err := liveColumns(ctx, tx)
	if err == nil {
		knownColumns.Store(tx.session.engine, types)
	}
	return types, err
}

// EachRow calls fn with the rows of a table that meet a condition, in the order of their
// insertion columns, with the values of all columns: int64, string, bool, float64, []byte or
// nil, the same on both engines. An id of 16 bytes is []byte. It returns the columns. fn must
// not run statements. [Tx.InsertRows] inserts such rows.
func (t *Tx) EachRow(ctx context.Context, table, where string, args []any, fn func(columns []string, row []any) error) error {
	types, err := cachedColumns(ctx, t)
	if err != nil {
		return err
	}
	kinds := types[table]
	if kinds == nil {
		return fmt.Errorf("there is no table %s", table)
	}
	columns := slices.Sorted(maps.Keys(kinds))
	return Each(ctx, t, func(row Scanner) error {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := row.Scan(into...); err != nil {
			return err
		}
		for i, value := range values {
			values[i] = plainValue(value)
		}
		return fn(columns, values)
	}, `SELECT `+strings.Join(columns, ", ")+` FROM `+table+` WHERE `+where, args...)
}

// plainValue returns a value as both engines give it.
func plainValue(value any) any {
	switch v := value.(type) {
	case [16]byte:
		return v[:]
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	case int32:
		return int64(v)
	case int16:
		return int64(v)
	}
	return value
}

// InsertRows inserts rows of [Tx.EachRow], also those of the other engine. It returns how
// many were inserted: with an ON CONFLICT clause as suffix, perhaps not all.
func (t *Tx) InsertRows(ctx context.Context, table string, columns []string, rows [][]any, suffix string) (int64, error) {
	types, err := cachedColumns(ctx, t)
	if err != nil {
		return 0, err
	}
	for _, row := range rows {
		for i, value := range row {
			row[i] = convertValue(value, types[table][columns[i]])
		}
	}
	return t.InsertMany(ctx, table, columns, suffix, rows)
}

// ScanRow copies the values of a row of [Tx.EachRow] to dest, as [Rows.Scan] does.
func ScanRow(values []any, dest ...any) error {
	if len(dest) != len(values) {
		return fmt.Errorf("%d destinations for %d values", len(dest), len(values))
	}
	for i, value := range values {
		if err := assign(dest[i], value); err != nil {
			return fmt.Errorf("value %d: %w", i, err)
		}
	}
	return nil
}
