package bars

import (
	"context"
	"errors"
	"slices"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/market"
)

// Commit stores the bars of a file. If the owner would store more bars than the
// limit, nothing is written.
func (s *Service) Commit(ctx context.Context, owner journal.UserID, file NewImport) (done Import, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		u, err := lockUsage(ctx, tx, owner)
		if err != nil {
			return err
		}
		u.lastImport++
		done = Import{
			ID: journal.NewID[journal.BarImportID](), FileName: file.FileName, Layout: file.Layout, Status: Committed,
			Series: len(file.Series), CreatedAt: s.clock(), number: u.lastImport,
		}
		w := writer{tx: tx, owner: owner, usage: &u, limit: s.limit, done: &done}
		for _, series := range file.Series {
			if err := w.addSeries(ctx, series, s.clock); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, importTable.Insert(), importTable.Values(owner, &done)...); err != nil {
			return err
		}
		return saveUsage(ctx, tx, owner, u)
	})
	return done, err
}

// writer writes one import.
type writer struct {
	tx    *db.Tx
	owner journal.UserID
	usage *usage
	limit int64
	done  *Import
	rows  [][]any
}

// flushRows is how many blocks are inserted at once; a week of minutes is about 14 kB.
const flushRows = 32

func (w *writer) addSeries(ctx context.Context, n NewSeries, clock journal.Clock) error {
	series, isNew, err := w.findOrCreate(ctx, n, clock)
	if err != nil {
		return err
	}
	for block := range n.Blocks {
		if err := w.addBlock(ctx, series, isNew, block); err != nil {
			return err
		}
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	var ranges [][]any
	for _, r := range n.Ranges {
		ranges = append(ranges, []any{w.owner, series.number, w.done.number, r.From, r.To})
	}
	_, err = w.tx.InsertMany(ctx, "bar_ranges", []string{"user_id", "series", "import", "from_at", "to_at"}, "", ranges)
	if err != nil {
		return err
	}
	return recordChanges(ctx, w.tx, w.owner, w.usage, `AND r.series = $2 AND r.import = $3`, series.number, w.done.number)
}

func (w *writer) findOrCreate(ctx context.Context, n NewSeries, clock journal.Clock) (series Series, isNew bool, err error) {
	series, err = scanSeries(w.tx.QueryRow(ctx, selectSeries+
		` WHERE s.user_id = $1 AND s.symbol = $2 AND s.contract = $3 AND s.bar_secs = $4 AND s.price_kind = $5`,
		w.owner, n.Symbol, n.Contract, n.Secs, n.PriceKind))
	if !errors.Is(err, db.ErrNoRows) {
		return series, false, err
	}
	w.usage.lastSeries++
	series = Series{ID: journal.NewID[journal.SeriesID](), Key: n.Key, VolumeKind: n.VolumeKind, CreatedAt: clock(), number: w.usage.lastSeries}
	_, err = w.tx.Exec(ctx, seriesTable.Insert(), seriesTable.Values(w.owner, &series)...)
	return series, true, err
}

func (w *writer) addBlock(ctx context.Context, series Series, isNew bool, block market.Block) error {
	if w.usage.bars += int64(len(block.Bars)); w.usage.bars > w.limit {
		tooMany := journal.TooLarge("You can store %d bars. Delete a series first.", w.limit)
		tooMany.Details = map[string]any{"limit": w.limit, "used": w.usage.bars - int64(len(block.Bars))}
		return tooMany
	}
	start := market.BlockStart(block.Bars[0].Time, series.Secs)
	if err := w.countBars(ctx, series, isNew, start, block); err != nil {
		return err
	}
	w.rows = append(w.rows, []any{w.owner, series.number, start, w.done.number, len(block.Bars), block.AppendTo(nil)})
	if len(w.rows) < flushRows {
		return nil
	}
	return w.flush(ctx)
}

// countBars counts which bars of a block are new.
func (w *writer) countBars(ctx context.Context, series Series, isNew bool, start int64, block market.Block) error {
	if isNew {
		w.done.Inserted += len(block.Bars)
		return nil
	}
	stored, err := readBlocks(ctx, w.tx, w.owner, series.number, start, start)
	if err != nil {
		return err
	}
	before := market.Block{Secs: series.Secs}
	for _, old := range stored {
		before = mergeBlocks(before, old)
	}
	block.Bars = slices.Clone(block.Bars) // EqualizeScales changes them
	market.EqualizeScales(&before, &block)
	_, inserted, replaced, unchanged := market.Merge(before.Bars, block.Bars)
	w.done.Inserted, w.done.Replaced, w.done.Unchanged = w.done.Inserted+inserted, w.done.Replaced+replaced, w.done.Unchanged+unchanged
	return nil
}

func (w *writer) flush(ctx context.Context) error {
	_, err := w.tx.InsertMany(ctx, "bar_blocks", []string{"user_id", "series", "start_at", "import", "bars", "data"}, "", w.rows)
	w.rows = w.rows[:0]
	return err
}

// Reverse takes an import back. Bars that it replaced count again, and bars that
// another import brought too stay.
func (s *Service) Reverse(ctx context.Context, owner journal.UserID, id journal.BarImportID) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		u, err := lockUsage(ctx, tx, owner)
		if err != nil {
			return err
		}
		found, err := scanImport(tx.QueryRow(ctx, selectImports+` WHERE i.user_id = $1 AND i.id = $2`, owner, id))
		if errors.Is(err, db.ErrNoRows) {
			return journal.NotFound("import of bars")
		}
		if err != nil {
			return err
		}
		if found.Status == Reversed {
			return journal.Conflict("This import was reversed before.")
		}
		removed, err := sumBars(ctx, tx, `SELECT COALESCE(SUM(bars), 0) FROM bar_blocks WHERE user_id = $1 AND import = $2`, owner, found.number)
		if err != nil {
			return err
		}
		if err := recordChanges(ctx, tx, owner, &u, `AND r.import = $2`, found.number); err != nil {
			return err
		}
		for _, statement := range []string{
			`DELETE FROM bar_blocks WHERE user_id = $1 AND import = $2`,
			`DELETE FROM bar_ranges WHERE user_id = $1 AND import = $2`,
		} {
			if _, err := tx.Exec(ctx, statement, owner, found.number); err != nil {
				return err
			}
		}
		if err := deleteEmptySeries(ctx, tx, owner); err != nil {
			return err
		}
		found.Status = Reversed
		if _, err := tx.Exec(ctx, importTable.Update(), importTable.UpdateValues(owner, &found)...); err != nil {
			return err
		}
		u.bars -= removed
		return saveUsage(ctx, tx, owner, u)
	})
}

func sumBars(ctx context.Context, tx *db.Tx, query string, args ...any) (sum int64, err error) {
	err = tx.QueryRow(ctx, query, args...).Scan(&sum)
	return sum, err
}

// deleteEmptySeries deletes the series that have no bars any more.
func deleteEmptySeries(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	_, err := tx.Exec(ctx, `DELETE FROM bar_series WHERE user_id = $1
		AND number NOT IN (SELECT series FROM bar_blocks WHERE user_id = $1)`, owner)
	return err
}

// DeleteSeries deletes a series with the bars of all imports.
func (s *Service) DeleteSeries(ctx context.Context, owner journal.UserID, id journal.SeriesID) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		u, err := lockUsage(ctx, tx, owner)
		if err != nil {
			return err
		}
		series, err := readSeries(ctx, tx, owner, id)
		if err != nil {
			return err
		}
		removed, err := sumBars(ctx, tx, `SELECT COALESCE(SUM(bars), 0) FROM bar_blocks WHERE user_id = $1 AND series = $2`, owner, series.number)
		if err != nil {
			return err
		}
		if err := recordChanges(ctx, tx, owner, &u, `AND r.series = $2`, series.number); err != nil {
			return err
		}
		for _, statement := range []string{
			`DELETE FROM bar_blocks WHERE user_id = $1 AND series = $2`,
			`DELETE FROM bar_ranges WHERE user_id = $1 AND series = $2`,
			`DELETE FROM bar_series WHERE user_id = $1 AND number = $2`,
		} {
			if _, err := tx.Exec(ctx, statement, owner, series.number); err != nil {
				return err
			}
		}
		u.bars -= removed
		return saveUsage(ctx, tx, owner, u)
	})
}

func readSeries(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.SeriesID) (Series, error) {
	series, err := scanSeries(tx.QueryRow(ctx, selectSeries+` WHERE s.user_id = $1 AND s.id = $2`, owner, id))
	if errors.Is(err, db.ErrNoRows) {
		return Series{}, journal.NotFound("series")
	}
	return series, err
}
