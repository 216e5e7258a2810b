package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNotEmpty means that a database has data where an empty one is needed.
var ErrNotEmpty = errors.New("the database already has data")

// CopyOptions are the settings of [Copy].
type CopyOptions struct {
	// Skip names tables that are not copied, Empty those that must have no rows
	// in the target.
	Skip, Empty []string
	// Progress is called with how many rows were copied; it may be nil.
	Progress func(done, total int)
	// Finish runs at the end, inside both transactions, to copy what is not in
	// tables; it may be nil. It runs again if the transaction is repeated.
	Finish func(from, to *Tx) error
}

// Copy copies all rows in one database into another, of the same or the other engine, in
// one transaction: it reads one snapshot, and the target has all of it or nothing. Both
// must have this program's schema.
func Copy(ctx context.Context, from, to *DB, options CopyOptions) error {
	steps, err := migrations(embedded)
	if err != nil {
		return err
	}
	for _, d := range []*DB{from, to} {
		version, err := d.Version(ctx)
		if err != nil {
			return err
		}
		if version != len(steps) {
			return fmt.Errorf("a database has schema version %d and this program needs %d", version, len(steps))
		}
	}
	tables, err := schemaTables(ctx, steps)
	if err != nil {
		return fmt.Errorf("reading the schema: %w", err)
	}
	err = from.viewWhole(ctx, tables, func(source *Tx) error {
		return to.Update(ctx, func(target *Tx) error {
			c := &copier{from: source, to: target, CopyOptions: options}
			if err := c.checkColumns(ctx, tables); err != nil {
				return err
			}
			if err := c.clearTarget(ctx, tables); err != nil {
				return err
			}
			if err := c.countRows(ctx, tables); err != nil {
				return err
			}
			for _, t := range tables {
				if err := c.copyTable(ctx, t); err != nil {
					return fmt.Errorf("copying %s: %w", t.name, err)
				}
			}
			if err := c.advanceIdentities(ctx); err != nil {
				return err
			}
			if options.Finish == nil {
				return nil
			}
			return options.Finish(source, target)
		})
	})
	if err != nil {
		return err
	}
	return to.analyzeAll(ctx, steps)
}

// copier copies one database's tables into another.
type copier struct {
	CopyOptions
	from, to    *Tx
	types       columnTypes // of the target
	done, total int
}

// checkColumns compares both databases' columns with the schema: a column that is in one
// alone would be lost without a message.
func (c *copier) checkColumns(ctx context.Context, tables []table) error {
	for _, tx := range []*Tx{c.from, c.to} {
		types, err := liveColumns(ctx, tx)
		if err != nil {
			return fmt.Errorf("reading the columns: %w", err)
		}
		if err := types.check(tables); err != nil {
			return err
		}
		c.types = types
	}
	return nil
}

func (c *copier) skips(t table) bool { return slices.Contains(c.Skip, t.name) }

// clearTarget checks that the target has no data and deletes the rows a first start has
// written.
func (c *copier) clearTarget(ctx context.Context, tables []table) error {
	for _, name := range c.Empty {
		var rows int
		if err := c.to.QueryRow(ctx, `SELECT COUNT(*) FROM `+name).Scan(&rows); err != nil {
			return err
		}
		if rows > 0 {
			return ErrNotEmpty
		}
	}
	for _, t := range slices.Backward(tables) {
		if _, err := c.to.Exec(ctx, `DELETE FROM `+t.name); err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) countRows(ctx context.Context, tables []table) error {
	c.done, c.total = 0, 0
	for _, t := range tables {
		var rows int
		if err := c.from.QueryRow(ctx, `SELECT COUNT(*) FROM `+t.name).Scan(&rows); err != nil {
			return err
		}
		if !c.skips(t) {
			c.total += rows
		}
	}
	return nil
}

// copyTable copies one table's rows in batches.
func (c *copier) copyTable(ctx context.Context, t table) error {
	if c.skips(t) {
		return nil
	}
	const batchSize = 500
	var rows [][]any
	write := func() error {
		if _, err := c.to.InsertMany(ctx, t.name, t.columns, "", rows); err != nil {
			return err
		}
		c.done += len(rows)
		rows = rows[:0]
		if c.Progress != nil && c.total > 0 {
			c.Progress(c.done, c.total)
		}
		return nil
	}
	err := Each(ctx, c.from, func(row Scanner) error {
		values, err := c.scanRow(row, t)
		if err != nil {
			return err
		}
		if rows = append(rows, values); len(rows) < batchSize {
			return nil
		}
		return write()
	}, `SELECT `+strings.Join(t.columns, ", ")+` FROM `+t.name)
	if err != nil || len(rows) == 0 {
		return err
	}
	return write()
}

// scanRow reads a row as the target stores it. SQLite has numbers in the columns
// that are BOOLEAN on PostgreSQL, and bytes in those that are UUID.
func (c *copier) scanRow(row Scanner, t table) ([]any, error) {
	values, into := make([]any, len(t.columns)), make([]any, len(t.columns))
	for i := range values {
		into[i] = &values[i]
	}
	if err := row.Scan(into...); err != nil {
		return nil, err
	}
	for i, value := range values {
		values[i] = convertValue(value, c.types[t.name][t.columns[i]])
	}
	return values, nil
}

// convertValue converts one engine's value to a column type in the other.
func convertValue(value any, kind string) any {
	switch v := value.(type) {
	case int64:
		if kind == "boolean" {
			return v != 0
		}
	case []byte:
		if v == nil { // SQLite has no other value for a blob without bytes; NULL is not a []byte
			return []byte{}
		}
		if kind == "uuid" && len(v) == 16 {
			return fmt.Sprintf("%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:])
		}
	case [16]byte: // PostgreSQL's UUID
		if kind == "BLOB" {
			return v[:]
		}
	}
	return value
}

// advanceIdentities makes new row numbers in the target greater than the copied ones.
// SQLite does it by itself.
func (c *copier) advanceIdentities(ctx context.Context) error {
	if c.to.session.engine != PostgreSQL {
		return nil
	}
	type identity struct{ table, column string }
	columns, err := List(ctx, c.to, func(row Scanner) (i identity, err error) {
		err = row.Scan(&i.table, &i.column)
		return i, err
	}, `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'`)
	if err != nil {
		return err
	}
	for _, i := range columns {
		_, err := c.to.Exec(ctx, `SELECT setval(pg_get_serial_sequence($1, $2), COALESCE(MAX(`+i.column+`), 0) + 1, FALSE) FROM `+i.table, i.table, i.column)
		if err != nil {
			return err
		}
	}
	return nil
}
