package db

import (
	"context"
	"io/fs"
	"time"
)

// MaxStatements is how many statements a connection keeps.
const MaxStatements = maxStatements

// SetPartTime sets how long a long write's part holds the writing connection.
func (d *DB) SetPartTime(part time.Duration) { d.partTime = part }

// Attempts is how often Update runs a transaction that must be run again.
const Attempts = attempts

// SplitStatements returns a migration's statements.
func SplitStatements(text string) []string { return splitStatements(text) }

// Queued returns how many statements were not sent yet.
func (t *Tx) Queued() int { return t.session.queued.Len() }

// Readers returns how many reading connections to SQLite's file are open.
func (d *DB) Readers() int {
	d.making.Lock()
	defer d.making.Unlock()
	return d.made.readers
}

// MigrateFiles is Migrate with other steps than the embedded ones.
func (d *DB) MigrateFiles(ctx context.Context, files fs.FS) error {
	steps, err := migrations(files)
	if err != nil {
		return err
	}
	return (&migrator{d}).migrate(ctx, steps)
}

// Define runs a test's own DDL, translated as a migration would be.
func (d *DB) Define(ctx context.Context, ddl string) error {
	if d.engine == SQLite {
		ddl = toSQLite(ddl)
	}
	return d.Update(ctx, func(tx *Tx) error { return tx.execOnce(ctx, ddl) })
}

// CopiedColumns lists the columns that Copy reads, in its order: table.column. Without
// files the embedded migrations count.
func CopiedColumns(ctx context.Context, files fs.FS) ([]string, error) {
	if files == nil {
		files = embedded
	}
	steps, err := migrations(files)
	if err != nil {
		return nil, err
	}
	tables, err := schemaTables(ctx, steps)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, t := range tables {
		for _, column := range t.columns {
			list = append(list, t.name+"."+column)
		}
	}
	return list, nil
}

// HasHandle reports whether the SQLite writer's handle is known.
func (d *DB) HasHandle(ctx context.Context) (known bool, err error) {
	err = d.Update(ctx, func(tx *Tx) error {
		known = tx.session.handle != 0
		return nil
	})
	return known, err
}

// Fetched returns how many prefetched queries have unused rows.
func (t *Tx) Fetched() int { return len(t.session.fetched) }
