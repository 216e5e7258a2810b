package db

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// table is a table in this program's schema.
type table struct {
	name    string
	columns []string
	refers  []string // tables its foreign keys refer to
}

// schemaTables returns the tables the migrations create, each after the tables it refers
// to. It runs a new database's migrations in an SQLite database in memory and reads the
// result, so it needs no DDL parser and returns our tables only: a PostgreSQL schema may
// contain other programs' tables.
func schemaTables(ctx context.Context, steps []migration) ([]table, error) {
	pool, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer pool.Close() //nolint:errcheck // nothing in it is kept
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close() //nolint:errcheck // nothing in it is kept
	baseline := findBaseline(steps)
	for _, step := range steps[max(0, baseline-1):] {
		statements := step.statements(SQLite)
		if step.version == baseline {
			statements = step.statementsForNew(SQLite)
		}
		if _, err := conn.ExecContext(ctx, strings.Join(statements, ";")); err != nil {
			return nil, fmt.Errorf("migration %d (%s): %w", step.version, step.name, err)
		}
	}
	names, err := queryTexts(ctx, conn, `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
	if err != nil {
		return nil, err
	}
	tables := make([]table, len(names))
	for i, name := range names {
		tables[i].name = name
		if tables[i].columns, err = queryTexts(ctx, conn, `SELECT name FROM pragma_table_info(?) ORDER BY cid`, name); err != nil {
			return nil, err
		}
		if tables[i].refers, err = queryTexts(ctx, conn, `SELECT DISTINCT "table" FROM pragma_foreign_key_list(?) ORDER BY 1`, name); err != nil {
			return nil, err
		}
	}
	return sortByReferences(tables)
}

func queryTexts(ctx context.Context, conn *sql.Conn, query string, args ...any) (texts []string, err error) {
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports what went wrong
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, rows.Err()
}

// sortByReferences sorts tables so each comes after those it refers to. A table may refer
// to itself.
func sortByReferences(tables []table) ([]table, error) {
	var sorted []table
	done := map[string]bool{}
	for len(tables) > 0 {
		ready := slices.IndexFunc(tables, func(t table) bool {
			return !slices.ContainsFunc(t.refers, func(name string) bool { return name != t.name && !done[name] })
		})
		if ready < 0 {
			return nil, fmt.Errorf("the tables from %s on refer to each other in a circle", tables[0].name)
		}
		done[tables[ready].name] = true
		sorted = append(sorted, tables[ready])
		tables = slices.Delete(tables, ready, ready+1)
	}
	return sorted, nil
}

// columnTypes are a database's column types, by table and column.
type columnTypes map[string]map[string]string

// liveColumns reads the columns a database has.
func liveColumns(ctx context.Context, tx *Tx) (columnTypes, error) {
	query := `SELECT t.name, c.name, c.type FROM sqlite_master AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'`
	if tx.session.engine == PostgreSQL {
		query = `SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = current_schema()`
	}
	types := columnTypes{}
	err := Each(ctx, tx, func(row Scanner) error {
		var table, column, kind string
		err := row.Scan(&table, &column, &kind)
		if types[table] == nil {
			types[table] = map[string]string{}
		}
		types[table][column] = kind
		return err
	}, query)
	return types, err
}

// check reports a table whose columns differ from the schema.
func (c columnTypes) check(tables []table) error {
	for _, t := range tables {
		live := c[t.name]
		missing := slices.ContainsFunc(t.columns, func(column string) bool { _, ok := live[column]; return !ok })
		if missing || len(live) != len(t.columns) {
			return fmt.Errorf("%w: the columns of the table %s are not those of this program", ErrDamaged, t.name)
		}
	}
	return nil
}
