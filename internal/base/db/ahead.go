package db

import (
	"context"

	"fillbook/internal/base/parallel"
)

// EachAhead is [Each] for many rows. On SQLite it reads rows in another goroutine while
// fn processes the rows before them, so two cores share the work. fn is called in the
// caller's goroutine.
func EachAhead(ctx context.Context, tx *Tx, fn func(Scanner) error, query string, args ...any) error {
	if tx.session.engine != SQLite {
		return Each(ctx, tx, fn, query, args...)
	}
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err below returns the error
	tx.reading = true
	defer func() { tx.reading = false }()
	direct, err := newDirectRows(rows)
	if err != nil {
		return err
	}
	defer direct.tls.Close()
	a := newReadAhead(direct)
	parallel.Run(func() { err = a.process(fn) }, a.read)
	if err != nil {
		return translate(err)
	}
	return tx.recordError(rows.Err())
}

const (
	batchRows = 256
	// batches is how many batches there are: one being read, one being processed, and one
	// between.
	batches = 3
)

// readAhead passes rows in batches from one goroutine to another. rows belongs to read's
// goroutine until read returns.
type readAhead struct {
	rows *directRows
	row  batchRow // the processed row
	// Both channels have room for all batches, so sending never waits.
	full, empty chan *rowBatch
	stop        chan struct{} // closed when no more batches are needed
}

func newReadAhead(rows *directRows) *readAhead {
	a := &readAhead{
		rows: rows, row: batchRow{names: rows.rows.lite.Columns()},
		full: make(chan *rowBatch, batches), empty: make(chan *rowBatch, batches), stop: make(chan struct{}),
	}
	for range batches {
		a.empty <- &rowBatch{values: make([]storedValue, 0, batchRows*rows.columns)}
	}
	return a
}

// read reads all rows, until process returns.
func (a *readAhead) read() {
	defer close(a.full)
	for more := a.rows.rows.Next(); more; {
		var b *rowBatch
		select {
		case b = <-a.empty:
		case <-a.stop:
			return
		}
		b.values, b.bytes = b.values[:0], b.bytes[:0]
		for n := 0; n < batchRows && more; n++ {
			b.appendRow(a.rows)
			more = a.rows.next()
		}
		a.full <- b
	}
}

// process calls fn for each row.
func (a *readAhead) process(fn func(Scanner) error) error {
	defer close(a.stop)
	for b := range a.full {
		a.row.bytes = b.bytes
		for values := b.values; len(values) > 0; values = values[a.rows.columns:] {
			a.row.values = values[:a.rows.columns]
			if err := fn(&a.row); err != nil {
				return err
			}
		}
		a.empty <- b
	}
	return nil
}
