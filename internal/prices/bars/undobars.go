package bars

import (
	"bytes"
	"context"
	"errors"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/market"
)

// seriesTables have a series' rows, in the order of insertion, with the column that names it.
var seriesTables = []struct{ name, column string }{{"bar_series", "number"}, {"bar_blocks", "series"}, {"bar_ranges", "series"}}

// seriesUndoer undoes deletions of series.
type seriesUndoer struct{ *Service }

// Check implements [history.Undoer].
func (s seriesUndoer) Check(ctx context.Context, u *history.Undoing, objects []history.Object) error {
	for _, o := range objects {
		_, err := readSeries(ctx, u.Tx, u.Owner, journal.SeriesID(o.ID))
		isGone := journal.IsKind(err, journal.KindNotFound)
		if err != nil && !isGone {
			return err
		}
		if isGone != (o.Action == history.Deleted) {
			u.AddConflict(history.Key{Type: o.Type, ID: o.ID}, "")
		}
	}
	err := u.EachKept("bar_series", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			taken, err := findSeries(ctx, u.Tx, u.Owner, keptKey(&rows, i))
			if errors.Is(err, db.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			u.AddConflict(history.Key{Type: "bar_series", ID: string(taken.ID)}, "")
		}
		return nil
	})
	if err != nil {
		return err
	}
	return checkKeptImports(ctx, u)
}

// keptKey returns what a kept series is known by.
func keptKey(rows *history.KeptRows, i int) (key Key) {
	key.Symbol, _ = rows.Value(i, "symbol").(string)
	key.Contract, _ = rows.Value(i, "contract").(string)
	key.Secs, _ = rows.Value(i, "bar_secs").(int64)
	kind, _ := rows.Value(i, "price_kind").(string)
	key.PriceKind = market.PriceKind(kind)
	return key
}

// checkKeptImports adds a conflict for each reversed import among those of the kept blocks.
func checkKeptImports(ctx context.Context, u *history.Undoing) error {
	numbers := map[int64]bool{}
	err := u.EachKept("bar_ranges", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			n, _ := rows.Value(i, "import").(int64)
			numbers[n] = true
		}
		return nil
	})
	for n := range numbers {
		var id string
		var status Status
		if err == nil {
			err = u.Tx.QueryRow(ctx, `SELECT id, status FROM bar_imports WHERE user_id = $1 AND number = $2`, u.Owner, n).Scan(&id, &status)
		}
		if err == nil && status != Committed {
			u.AddConflict(history.Key{Type: "bar_import", ID: id}, "status")
		}
	}
	return err
}

// Apply implements [history.Undoer].
func (s seriesUndoer) Apply(ctx context.Context, u *history.Undoing, objects []history.Object, phase history.Phase) error {
	for _, o := range objects {
		var err error
		switch {
		case phase == history.Restoring && o.Action == history.Deleted:
			err = s.restore(ctx, u, journal.SeriesID(o.ID))
		case phase == history.Removing && o.Action == history.Created:
			err = s.remove(ctx, u, journal.SeriesID(o.ID))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s seriesUndoer) restore(ctx context.Context, u *history.Undoing, id journal.SeriesID) error {
	used, err := lockUsage(ctx, u.Tx, u.Owner)
	if err != nil {
		return err
	}
	err = u.EachKept("bar_blocks", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			n, _ := rows.Value(i, "bars").(int64)
			used.bars += n
		}
		return nil
	})
	if err != nil {
		return err
	}
	if used.bars > s.limit {
		return TooMany(s.limit, used.bars)
	}
	for _, t := range seriesTables {
		if err := u.Insert(ctx, t.name, ""); err != nil {
			return err
		}
	}
	series, err := readSeries(ctx, u.Tx, u.Owner, id)
	if err != nil {
		return err
	}
	recordSeries(u.Tx, u.Owner, series, history.Created)
	if err := recordChanges(ctx, u.Tx, u.Owner, &used, `AND r.series = $2`, series.number); err != nil {
		return err
	}
	return saveUsage(ctx, u.Tx, u.Owner, used)
}

func (s seriesUndoer) remove(ctx context.Context, u *history.Undoing, id journal.SeriesID) error {
	used, err := lockUsage(ctx, u.Tx, u.Owner)
	if err != nil {
		return err
	}
	series, err := readSeries(ctx, u.Tx, u.Owner, id)
	if err != nil {
		return err
	}
	if err := recordChanges(ctx, u.Tx, u.Owner, &used, `AND r.series = $2`, series.number); err != nil {
		return err
	}
	return deleteSeries(ctx, u.Tx, u.Owner, &used, series)
}

// keepImport keeps the rows of an import that is reversed. Its blocks that are the same as
// those of the import before get their bars first, because that one may be reversed too.
func keepImport(ctx context.Context, tx *db.Tx, owner journal.UserID, u *usage, number int64) error {
	type place struct{ series, start int64 }
	empty, err := db.List(ctx, tx, func(row db.Scanner) (p place, err error) {
		err = row.Scan(&p.series, &p.start)
		return p, err
	}, `SELECT series, start_at FROM bar_blocks WHERE user_id = $1 AND import = $2 AND bars = 0 ORDER BY series, start_at`, owner, number)
	if err != nil {
		return err
	}
	for _, p := range empty {
		c := blockChain{tx: tx, owner: owner, series: p.series, start: p.start, usage: u}
		if err := c.load(ctx); err != nil {
			return err
		}
		if before := c.before(number); before != nil {
			if err := c.set(ctx, number, before.bars, before.data); err != nil {
				return err
			}
		}
	}
	if err := history.Keep(ctx, tx, owner, "bar_series", `number IN (SELECT series FROM bar_ranges WHERE user_id = $1 AND import = $2)`, number); err != nil {
		return err
	}
	if err := history.Keep(ctx, tx, owner, "bar_blocks", `import = $2`, number); err != nil {
		return err
	}
	return history.Keep(ctx, tx, owner, "bar_ranges", `import = $2`, number)
}

// blockChain are the blocks of a series that begin at the same time, by import. One without
// bars is the same as the one before it.
type blockChain struct {
	tx            *db.Tx
	owner         journal.UserID
	series, start int64
	usage         *usage
	blocks        []storedBlock
}

type storedBlock struct {
	number, bars int64 // of its import
	data         []byte
}

func (c *blockChain) load(ctx context.Context) (err error) {
	c.blocks, err = db.List(ctx, c.tx, func(row db.Scanner) (b storedBlock, err error) {
		err = row.Scan(&b.number, &b.bars, &b.data)
		return b, err
	}, `SELECT import, bars, data FROM bar_blocks WHERE user_id = $1 AND series = $2 AND start_at = $3 ORDER BY import`, c.owner, c.series, c.start)
	return err
}

// before returns the last block with bars before an import.
func (c *blockChain) before(number int64) (found *storedBlock) {
	for i := range c.blocks {
		if b := &c.blocks[i]; b.number < number && b.bars > 0 {
			found = b
		}
	}
	return found
}

// set stores the bars of an import's block.
func (c *blockChain) set(ctx context.Context, number, bars int64, data []byte) error {
	for i := range c.blocks {
		if c.blocks[i].number == number {
			c.usage.bars -= c.blocks[i].bars
		}
	}
	c.usage.bars += bars
	_, err := c.tx.Exec(ctx, `INSERT INTO bar_blocks (user_id, series, start_at, import, bars, data) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (user_id, series, start_at, import) DO UPDATE SET bars = excluded.bars, data = excluded.data`,
		c.owner, c.series, c.start, number, bars, data)
	return err
}

// insert stores the block of an import between those of others. The next one's bars stay
// the same.
func (c *blockChain) insert(ctx context.Context, number, bars int64, data []byte) error {
	if err := c.load(ctx); err != nil {
		return err
	}
	before := c.before(number)
	for i := range c.blocks {
		next := &c.blocks[i]
		if next.number <= number {
			continue
		}
		effective := next
		if next.bars == 0 && before != nil {
			effective = before
		}
		switch {
		case bytes.Equal(effective.data, data):
			if err := c.set(ctx, next.number, 0, []byte{}); err != nil {
				return err
			}
		case next.bars == 0:
			if err := c.set(ctx, next.number, effective.bars, effective.data); err != nil {
				return err
			}
		}
		break
	}
	if before != nil && bytes.Equal(before.data, data) {
		return c.set(ctx, number, 0, []byte{})
	}
	return c.set(ctx, number, bars, data)
}

// importUndoer undoes imports of bars and their reversal.
type importUndoer struct{ *Service }

// statusAfter returns the status that a change left.
func statusAfter(o history.Object) Status {
	for _, f := range o.Fields {
		if f.Name == "status" && string(f.After) == `"`+string(Reversed)+`"` {
			return Reversed
		}
	}
	return Committed
}

// Check implements [history.Undoer].
func (i importUndoer) Check(ctx context.Context, u *history.Undoing, objects []history.Object) error {
	for _, o := range objects {
		found, err := readImport(ctx, u.Tx, u.Owner, journal.BarImportID(o.ID))
		switch {
		case journal.IsKind(err, journal.KindNotFound):
			u.AddConflict(history.Key{Type: o.Type, ID: o.ID}, "")
		case err != nil:
			return err
		case found.Status != statusAfter(o):
			u.AddConflict(history.Key{Type: o.Type, ID: o.ID}, "status")
		}
	}
	return nil
}

// Apply implements [history.Undoer].
func (i importUndoer) Apply(ctx context.Context, u *history.Undoing, objects []history.Object, phase history.Phase) error {
	for _, o := range objects {
		var err error
		switch isReversed := statusAfter(o) == Reversed; {
		case phase == history.Restoring && isReversed:
			err = i.restore(ctx, u, journal.BarImportID(o.ID))
		case phase == history.Removing && !isReversed:
			err = reverse(ctx, u.Tx, u.Owner, journal.BarImportID(o.ID))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// restore brings back the bars of a reversed import.
func (i importUndoer) restore(ctx context.Context, u *history.Undoing, id journal.BarImportID) error {
	used, err := lockUsage(ctx, u.Tx, u.Owner)
	if err != nil {
		return err
	}
	found, err := readImport(ctx, u.Tx, u.Owner, id)
	if err != nil {
		return err
	}
	series, err := restoreKeptSeries(ctx, u)
	if err != nil {
		return err
	}
	if err := restoreKeptBlocks(ctx, u, &used, series); err != nil {
		return err
	}
	if used.bars > i.limit {
		return TooMany(i.limit, used.bars)
	}
	if err := recordChanges(ctx, u.Tx, u.Owner, &used, `AND r.import = $2`, found.number); err != nil {
		return err
	}
	for _, s := range series {
		if err := recountSeries(ctx, u.Tx, u.Owner, s); err != nil {
			return err
		}
	}
	recordImport(u.Tx, u.Owner, found, history.Updated, Committed)
	found.Status = Committed
	if _, err := u.Tx.Exec(ctx, importTable.Update(), importTable.UpdateValues(u.Owner, &found)...); err != nil {
		return err
	}
	return saveUsage(ctx, u.Tx, u.Owner, used)
}

// restoreKeptSeries returns the series of kept blocks by the numbers that these have, and
// inserts those that are gone.
func restoreKeptSeries(ctx context.Context, u *history.Undoing) (map[int64]Series, error) {
	found := map[int64]Series{}
	err := u.EachKept("bar_series", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			number, _ := rows.Value(i, "number").(int64)
			series, err := findSeries(ctx, u.Tx, u.Owner, keptKey(&rows, i))
			if errors.Is(err, db.ErrNoRows) {
				if _, err := u.Tx.InsertRows(ctx, rows.Table, rows.Columns, rows.Rows[i:i+1], ""); err != nil {
					return err
				}
				series, err = findSeries(ctx, u.Tx, u.Owner, keptKey(&rows, i))
			}
			if err != nil {
				return err
			}
			found[number] = series
		}
		return nil
	})
	return found, err
}

// restoreKeptBlocks inserts kept blocks and ranges.
func restoreKeptBlocks(ctx context.Context, u *history.Undoing, used *usage, series map[int64]Series) error {
	err := u.EachKept("bar_blocks", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			number := func(column string) int64 { n, _ := rows.Value(i, column).(int64); return n }
			data, _ := rows.Value(i, "data").([]byte)
			c := blockChain{tx: u.Tx, owner: u.Owner, series: series[number("series")].number, start: number("start_at"), usage: used}
			if err := c.insert(ctx, number("import"), number("bars"), data); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return u.EachKept("bar_ranges", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			number, _ := rows.Value(i, "series").(int64)
			rows.SetValue(i, "series", series[number].number)
		}
		_, err := u.Tx.InsertRows(ctx, rows.Table, rows.Columns, rows.Rows, "")
		return err
	})
}
