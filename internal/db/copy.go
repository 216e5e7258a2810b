package db

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ErrNotEmpty tells that a database holds data where an empty one is needed.
var ErrNotEmpty = errors.New("the database holds data already")

// Copying says how one database is copied into another.
type Copying struct {
	// Leave names tables that are left out, Empty those that must hold nothing
	// in the other database.
	Leave, Empty []string
	// Progress hears how many rows are copied; it may be nil.
	Progress func(done, total int)
	// Within runs at the end, inside both transactions, for what is not in
	// tables; it may be nil. It may run again where the engine asks for it.
	Within func(from, to *Tx) error
}

// Copy writes everything that one database holds into another, of the same or
// the other engine, in one transaction: what is read is one snapshot, and the
// other database has all of it or nothing. Both must have this program's
// schema.
func Copy(ctx context.Context, from, to *DB, c Copying) error {
	for _, d := range []*DB{from, to} {
		version, err := d.Version(ctx)
		if err != nil {
			return err
		}
		if version != Latest() {
			return fmt.Errorf("a database has schema version %d and this program needs %d", version, Latest())
		}
	}
	tables, err := tables()
	if err != nil {
		return err
	}
	return from.View(ctx, func(source *Tx) error {
		return to.Update(ctx, func(target *Tx) error {
			w := &copier{from: source, to: target, Copying: c}
			if err := w.empty(ctx, tables); err != nil {
				return err
			}
			if err := w.count(ctx, tables); err != nil {
				return err
			}
			for _, t := range tables {
				if err := w.table(ctx, t); err != nil {
					return fmt.Errorf("copying %s: %w", t.name, err)
				}
			}
			if c.Within == nil {
				return nil
			}
			return c.Within(source, target)
		})
	})
}

// table is one of the schema, with its columns.
type table struct {
	name    string
	columns []string
	flags   map[int]bool // which columns are BOOLEAN: SQLite gives them as numbers
}

var (
	creates = regexp.MustCompile(`(?ms)^CREATE TABLE ([a-z_]+) \((.*?)^\)`)
	defines = regexp.MustCompile(`(?m)^  ([a-z_0-9]+) (TEXT|BIGINT|SMALLINT|BOOLEAN|BYTEA)\b`)
	adds    = regexp.MustCompile(`(?m)^ALTER TABLE ([a-z_]+) ADD COLUMN ([a-z_0-9]+) (TEXT|BIGINT|SMALLINT|BOOLEAN|BYTEA)\b`)
)

// tables reads the schema off the migrations, in the order in which the tables
// were made: a table comes behind those that it refers to.
func tables() ([]table, error) {
	steps, err := migrations(embedded)
	if err != nil {
		return nil, err
	}
	var list []table
	place := map[string]int{}
	add := func(name, column, kind string) {
		t := &list[place[name]]
		t.flags[len(t.columns)] = kind == "BOOLEAN"
		t.columns = append(t.columns, column)
	}
	for _, step := range steps {
		text := step.text[PostgreSQL]
		for _, made := range creates.FindAllStringSubmatch(text, -1) {
			place[made[1]] = len(list)
			list = append(list, table{name: made[1], flags: map[int]bool{}})
			for _, column := range defines.FindAllStringSubmatch(made[2], -1) {
				add(made[1], column[1], column[2])
			}
		}
		for _, added := range adds.FindAllStringSubmatch(text, -1) {
			add(added[1], added[2], added[3])
		}
	}
	return list, nil
}

// copier is one copy on its way.
type copier struct {
	Copying
	from, to    *Tx
	done, total int
}

// leaves tells whether a table is left out.
func (w *copier) leaves(t table) bool {
	return slices.Contains(w.Leave, t.name)
}

// empty makes sure that nobody's data is in the way, and clears what a first
// start has left.
func (w *copier) empty(ctx context.Context, tables []table) error {
	for _, name := range w.Empty {
		var rows int
		if err := w.to.QueryRow(ctx, `SELECT COUNT(*) FROM `+name).Scan(&rows); err != nil {
			return err
		}
		if rows > 0 {
			return ErrNotEmpty
		}
	}
	for _, t := range slices.Backward(tables) {
		if _, err := w.to.Exec(ctx, `DELETE FROM `+t.name); err != nil {
			return err
		}
	}
	return nil
}

func (w *copier) count(ctx context.Context, tables []table) error {
	w.done, w.total = 0, 0
	for _, t := range tables {
		var rows int
		if err := w.from.QueryRow(ctx, `SELECT COUNT(*) FROM `+t.name).Scan(&rows); err != nil {
			return err
		}
		if !w.leaves(t) {
			w.total += rows
		}
	}
	return nil
}

// table copies the rows of one table, some hundred at a time.
func (w *copier) table(ctx context.Context, t table) error {
	if w.leaves(t) {
		return nil
	}
	const atOnce = 500
	var rows [][]any
	write := func() error {
		if _, err := w.to.InsertMany(ctx, t.name, t.columns, "", rows); err != nil {
			return err
		}
		w.done += len(rows)
		rows = rows[:0]
		if w.Progress != nil && w.total > 0 {
			w.Progress(w.done, w.total)
		}
		return nil
	}
	err := Each(ctx, w.from, func(row Scanner) error {
		values, err := t.read(row)
		if err != nil {
			return err
		}
		if rows = append(rows, values); len(rows) < atOnce {
			return nil
		}
		return write()
	}, `SELECT `+strings.Join(t.columns, ", ")+` FROM `+t.name)
	if err != nil || len(rows) == 0 {
		return err
	}
	return write()
}

// read reads a row in a form that either engine stores.
func (t table) read(row Scanner) ([]any, error) {
	values, into := make([]any, len(t.columns)), make([]any, len(t.columns))
	for i := range values {
		into[i] = &values[i]
	}
	if err := row.Scan(into...); err != nil {
		return nil, err
	}
	for i, value := range values {
		if number, ok := value.(int64); ok && t.flags[i] {
			values[i] = number != 0
		}
	}
	return values, nil
}
