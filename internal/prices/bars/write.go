package bars

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/prices/market"
)

// Commit stores the bars in a file and returns the import with the counts for each
// series. If the owner would store more bars than the limit, nothing is written.
func (s *Service) Commit(ctx context.Context, owner journal.UserID, file NewImport) (done Import, counts []Counts, err error) {
	err = s.update(ctx, owner, file.Bars, func(tx *db.Tx) error {
		done, counts, err = commit(ctx, tx, owner, s.clock(), s.limit, file)
		recordImport(tx, owner, done, history.Created, Committed)
		return err
	})
	return done, counts, err
}

// longBars is the number of bars from which a write is committed in parts, so others do
// not wait for it.
const longBars = 50_000

// update runs a write with about as many bars.
func (s *Service) update(ctx context.Context, owner journal.UserID, bars int, fn func(*db.Tx) error) error {
	if bars < longBars {
		return s.db.Update(ctx, fn)
	}
	return s.db.UpdateInParts(ctx, int64(owner), fn)
}

// Add is [Service.Commit] inside a transaction.
func (s *Service) Add(ctx context.Context, tx *db.Tx, owner journal.UserID, file NewImport) (Import, []Counts, error) {
	return commit(ctx, tx, owner, s.clock(), s.limit, file)
}

// commit stores the bars in a file.
func commit(ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, limit int64, file NewImport) (done Import, counts []Counts, err error) {
	u, err := lockUsage(ctx, tx, owner)
	if err != nil {
		return done, nil, err
	}
	if err := makeRoom(ctx, tx, owner); err != nil {
		return done, nil, err
	}
	u.lastImport++
	done = Import{
		ID: journal.NewID[journal.BarImportID](), FileName: file.FileName, Layout: file.Layout, Status: Committed,
		Series: len(file.Series), CreatedAt: now, number: u.lastImport,
	}
	w := writer{tx: tx, owner: owner, usage: &u, limit: limit, before: u.bars, number: done.number, now: now}
	for _, series := range file.Series {
		added, err := w.addSeries(ctx, series)
		if err != nil {
			return done, nil, err
		}
		counts = append(counts, added)
		done.add(added)
	}
	if _, err := tx.Exec(ctx, importTable.Insert(), importTable.Values(owner, &done)...); err != nil {
		return done, nil, err
	}
	return done, counts, saveUsage(ctx, tx, owner, u)
}

// makeRoom forgets the oldest reversed imports if the owner has as many imports as
// [limits.BarImports] allows, and returns an error if there are none.
func makeRoom(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	room, err := limits.BarImports.Room(ctx, tx, owner, `SELECT COUNT(*) FROM bar_imports WHERE user_id = $1`)
	if err != nil || room > 0 {
		return err
	}
	forgotten, err := tx.Exec(ctx, `DELETE FROM bar_imports WHERE user_id = $1 AND id IN (
		SELECT id FROM bar_imports WHERE user_id = $1 AND status = $2 ORDER BY number LIMIT 100)`, owner, Reversed)
	if err == nil && forgotten == 0 {
		return journal.Conflict("There are already %d imports of bars. Reverse one that you no longer need first.", limits.BarImports.Max)
	}
	return err
}

// writer writes one import.
type writer struct {
	tx     *db.Tx
	owner  journal.UserID
	usage  *usage
	limit  int64
	before int64 // how many bars the owner had
	number int64 // the import's
	now    time.Time
	rows   [][]any
	bytes  int // total block size in rows
}

// flushRows and flushBytes are how many blocks are inserted at once; a week of minute
// bars has 14 to 80 kB.
const (
	flushRows  = 32
	flushBytes = 512 << 10
)

func (w *writer) addSeries(ctx context.Context, n NewSeries) (counts Counts, err error) {
	series, isNew, err := w.findOrCreate(ctx, n)
	if err != nil {
		return counts, err
	}
	if err := w.tx.ReleaseWriter(ctx); err != nil { // blocks are converted and compared first
		return counts, err
	}
	declared := market.NewRangeBuilder(n.Secs, n.Calendar)
	for block := range n.Blocks {
		added, err := w.addBlock(ctx, series, isNew, block)
		if err != nil {
			return counts, err
		}
		series.extend(block)
		counts.add(added)
		declared.Add(block.Bars)
	}
	if err := w.flush(ctx); err != nil {
		return counts, err
	}
	if n.Ranges == nil {
		n.Ranges = declared.Ranges()
	}
	var ranges [][]any
	for _, r := range n.Ranges {
		ranges = append(ranges, []any{w.owner, series.number, w.number, r.From, r.To})
	}
	if _, err := w.tx.InsertMany(ctx, "bar_ranges", []string{"user_id", "series", "import", "from_at", "to_at"}, "", ranges); err != nil {
		return counts, err
	}
	series.Bars += counts.Inserted
	if series.VolumeKind == market.NoVolume {
		series.VolumeKind = n.VolumeKind
	}
	if err := recordChanges(ctx, w.tx, w.owner, w.usage, `AND r.series = $2 AND r.import = $3`, series.number, w.number); err != nil {
		return counts, err
	}
	return counts, saveSeries(ctx, w.tx, w.owner, series)
}

// extend sets the first and the last bar to include a block's. The series has no bars yet
// if its last bar is before its first.
func (s *Series) extend(block market.Block) {
	first, last := block.Bars[0].Time, block.Bars[len(block.Bars)-1].Time
	if s.Last < s.First {
		s.First, s.Last = first, last
		return
	}
	s.First, s.Last = min(s.First, first), max(s.Last, last)
}

func saveSeries(ctx context.Context, tx *db.Tx, owner journal.UserID, series Series) error {
	_, err := tx.Exec(ctx, seriesTable.Update(), seriesTable.UpdateValues(owner, &series)...)
	return err
}

// findSeries returns the owner's series, or [db.ErrNoRows].
func findSeries(ctx context.Context, tx *db.Tx, owner journal.UserID, key Key) (Series, error) {
	return scanSeries(tx.QueryRow(ctx, selectSeries+
		` WHERE s.user_id = $1 AND s.symbol = $2 AND s.contract = $3 AND s.bar_secs = $4 AND s.price_kind = $5`,
		owner, key.Symbol, key.Contract, key.Secs, key.PriceKind))
}

func (w *writer) findOrCreate(ctx context.Context, n NewSeries) (series Series, isNew bool, err error) {
	series, err = findSeries(ctx, w.tx, w.owner, n.Key)
	if !errors.Is(err, db.ErrNoRows) {
		return series, false, err
	}
	w.usage.lastSeries++
	series = Series{
		ID: journal.NewID[journal.SeriesID](), Key: n.Key, VolumeKind: n.VolumeKind, First: 0, Last: -1,
		CreatedAt: w.now, number: w.usage.lastSeries,
	}
	_, err = w.tx.Exec(ctx, seriesTable.Insert(), seriesTable.Values(w.owner, &series)...)
	return series, true, err
}

// addBlock stores a block. If the import before it stored the same block, only a row
// without bars is written: the block before belongs to this import too.
func (w *writer) addBlock(ctx context.Context, series Series, isNew bool, block market.Block) (counts Counts, err error) {
	start := market.BlockStart(block.Bars[0].Time, series.Secs)
	counts.Inserted = len(block.Bars)
	data := block.AppendTo(nil)
	if !isNew {
		stored, last, err := readBlocks(ctx, w.tx, w.owner, series, start)
		if err != nil {
			return counts, err
		}
		counts = compare(stored, series, block)
		if bytes.Equal(last, data) {
			data, block.Bars = []byte{}, nil
		}
	}
	if w.usage.bars += int64(len(block.Bars)); w.usage.bars > w.limit {
		return counts, TooMany(w.limit, w.before)
	}
	w.rows = append(w.rows, []any{w.owner, series.number, start, w.number, len(block.Bars), data})
	if w.bytes += len(data); len(w.rows) < flushRows && w.bytes < flushBytes {
		return counts, nil
	}
	return counts, w.flush(ctx)
}

// TooMany returns the error for a file that would exceed the owner's limit.
func TooMany(limit, used int64) error {
	tooMany := journal.TooLarge("You can store %d bars. Delete a series or reverse an import of bars first.", limit)
	tooMany.Details = map[string]any{"limit": limit, "used": used}
	return tooMany
}

// CompareBlock returns what storing a block would do to a series' bars. It runs inside a
// transaction.
func CompareBlock(ctx context.Context, tx *db.Tx, owner journal.UserID, series Series, block market.Block) (counts Counts, err error) {
	stored, _, err := readBlocks(ctx, tx, owner, series, market.BlockStart(block.Bars[0].Time, series.Secs))
	return compare(stored, series, block), err
}

// compare returns what storing a block would do to the blocks in the same span.
func compare(stored []market.Block, series Series, block market.Block) (counts Counts) {
	before := market.Block{Secs: series.Secs}
	for _, old := range stored {
		before = market.MergeBlocks(before, old)
	}
	block.Bars = slices.Clone(block.Bars) // EqualizeScales changes them
	market.EqualizeScales(&before, &block)
	_, counts.Inserted, counts.Replaced, counts.Unchanged = market.Merge(before.Bars, block.Bars)
	return counts
}

func (w *writer) flush(ctx context.Context) error {
	_, err := w.tx.InsertMany(ctx, "bar_blocks", []string{"user_id", "series", "start_at", "import", "bars", "data"}, "", w.rows)
	w.rows, w.bytes = w.rows[:0], 0
	if err != nil {
		return err
	}
	return w.tx.ReleaseWriter(ctx)
}

// Reverse takes an import back. Bars it replaced count again, and bars also stored by
// another import stay. Reversing it again does nothing.
func (s *Service) Reverse(ctx context.Context, owner journal.UserID, id journal.BarImportID) error {
	var found Import
	err := s.db.Peek(ctx, func(tx *db.Tx) (err error) {
		found, err = readImport(ctx, tx, owner, id)
		return err
	})
	if err != nil {
		return err
	}
	return s.update(ctx, owner, found.Inserted+found.Replaced+found.Unchanged, func(tx *db.Tx) error {
		return reverse(ctx, tx, owner, id)
	})
}

// ReverseLayout reverses the owner's imports with a layout. It is a step.
func ReverseLayout(ctx context.Context, tx *db.Tx, owner journal.UserID, layout string) error {
	ids, err := db.List(ctx, tx, db.Single[journal.BarImportID],
		`SELECT id FROM bar_imports WHERE user_id = $1 AND layout = $2 AND status = $3 ORDER BY number`, owner, layout, Committed)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := reverse(ctx, tx, owner, id); err != nil {
			return err
		}
	}
	return nil
}

// reverse is [Service.Reverse] inside a transaction. The import's rows are kept for an undo.
func reverse(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.BarImportID) error {
	u, err := lockUsage(ctx, tx, owner)
	if err != nil {
		return err
	}
	found, err := readImport(ctx, tx, owner, id)
	if err != nil || found.Status == Reversed {
		return err
	}
	if err := tx.ReleaseWriter(ctx); err != nil {
		return err
	}
	if err := keepImport(ctx, tx, owner, &u, found.number); err != nil {
		return err
	}
	if err := moveSharedBlocks(ctx, tx, owner, found.number); err != nil {
		return err
	}
	if err := recordChanges(ctx, tx, owner, &u, `AND r.import = $2`, found.number); err != nil {
		return err
	}
	touched, err := db.List(ctx, tx, scanSeries, selectSeries+` WHERE s.user_id = $1
		AND s.number IN (SELECT series FROM bar_ranges WHERE user_id = $1 AND import = $2)`, owner, found.number)
	if err != nil {
		return err
	}
	removed, err := deleteBars(ctx, tx, owner, "import", found.number)
	if err != nil {
		return err
	}
	for _, series := range touched {
		if err := recountSeries(ctx, tx, owner, series); err != nil {
			return err
		}
	}
	recordImport(tx, owner, found, history.Updated, Reversed)
	found.Status = Reversed
	if _, err := tx.Exec(ctx, importTable.Update(), importTable.UpdateValues(owner, &found)...); err != nil {
		return err
	}
	u.bars -= removed
	return saveUsage(ctx, tx, owner, u)
}

func readImport(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.BarImportID) (Import, error) {
	found, err := scanImport(tx.QueryRow(ctx, selectImports+` WHERE i.user_id = $1 AND i.id = $2`, owner, id))
	if errors.Is(err, db.ErrNoRows) {
		return Import{}, journal.NotFound("import of bars")
	}
	return found, err
}

// deleteBars deletes the blocks and ranges belonging to an import or a series, whose
// number is in the column, and returns how many bars they had. Blocks are deleted one by
// one: a transaction in parts can't divide a statement, and together they may be long.
func deleteBars(ctx context.Context, tx *db.Tx, owner journal.UserID, column string, number int64) (removed int64, err error) {
	type block struct{ series, start, number, bars int64 }
	blocks, err := db.List(ctx, tx, func(row db.Scanner) (b block, err error) {
		err = row.Scan(&b.series, &b.start, &b.number, &b.bars)
		return b, err
	}, `SELECT series, start_at, import, bars FROM bar_blocks WHERE user_id = $1 AND `+column+` = $2 ORDER BY series, start_at`, owner, number)
	if err != nil {
		return 0, err
	}
	for _, b := range blocks {
		removed += b.bars
		err := tx.Queue(ctx, `DELETE FROM bar_blocks WHERE user_id = $1 AND series = $2 AND start_at = $3 AND import = $4`, owner, b.series, b.start, b.number)
		if err != nil {
			return 0, err
		}
	}
	_, err = tx.Exec(ctx, `DELETE FROM bar_ranges WHERE user_id = $1 AND `+column+` = $2`, owner, number)
	return removed, err
}

// moveSharedBlocks moves an import's blocks to the next import if it stored them too.
func moveSharedBlocks(ctx context.Context, tx *db.Tx, owner journal.UserID, number int64) error {
	type shared struct{ series, start, next int64 }
	list, err := db.List(ctx, tx, func(row db.Scanner) (s shared, err error) {
		err = row.Scan(&s.series, &s.start, &s.next)
		return s, err
	}, `SELECT later.series, later.start_at, MIN(later.import)
		FROM bar_blocks JOIN bar_blocks AS later ON later.user_id = bar_blocks.user_id AND later.series = bar_blocks.series
			AND later.start_at = bar_blocks.start_at AND later.import > bar_blocks.import
		WHERE bar_blocks.user_id = $1 AND bar_blocks.import = $2 AND bar_blocks.bars > 0
		GROUP BY later.series, later.start_at
		HAVING MIN(later.import) = MIN(CASE WHEN later.bars = 0 THEN later.import END)`, owner, number)
	const at = ` WHERE user_id = $1 AND series = $2 AND start_at = $3 AND import = $4`
	for _, s := range list {
		var bars int64
		var data []byte
		if err := tx.QueryRow(ctx, `SELECT bars, data FROM bar_blocks`+at, owner, s.series, s.start, number).Scan(&bars, &data); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE bar_blocks SET bars = $5, data = $6`+at, owner, s.series, s.start, s.next, bars, data); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE bar_blocks SET bars = $5, data = $6`+at, owner, s.series, s.start, number, 0, []byte{}); err != nil {
			return err
		}
	}
	return err
}

// recountSeries sets a series' count and range after some of its bars were removed. A
// series without bars is deleted.
func recountSeries(ctx context.Context, tx *db.Tx, owner journal.UserID, series Series) error {
	if err := tx.ReleaseWriter(ctx); err != nil { // reading all bars takes time
		return err
	}
	counted, err := countSeries(ctx, tx, owner, series)
	if err != nil {
		return err
	}
	if counted.Bars == 0 {
		_, err := tx.Exec(ctx, `DELETE FROM bar_series WHERE user_id = $1 AND number = $2`, owner, series.number)
		return err
	}
	return saveSeries(ctx, tx, owner, counted)
}

// allTime is longer than any series.
var allTime = market.Range{From: math.MinInt32, To: math.MaxInt64 / 2}

// countSeries returns the series with the count and the range of its stored bars.
func countSeries(ctx context.Context, tx *db.Tx, owner journal.UserID, series Series) (Series, error) {
	series.Bars, series.First, series.Last = 0, 0, -1
	err := eachMerged(ctx, tx, owner, series, allTime, func(block market.Block) error {
		series.extend(block)
		series.Bars += len(block.Bars)
		return nil
	})
	return series, err
}

// DeleteSeries deletes a series with the bars from all imports.
func (s *Service) DeleteSeries(ctx context.Context, owner journal.UserID, id journal.SeriesID) error {
	var found Series
	err := s.db.Peek(ctx, func(tx *db.Tx) (err error) {
		found, err = readSeries(ctx, tx, owner, id)
		return err
	})
	if err != nil {
		return err
	}
	return s.update(ctx, owner, found.Bars, func(tx *db.Tx) error {
		u, err := lockUsage(ctx, tx, owner)
		if err != nil {
			return err
		}
		series, err := readSeries(ctx, tx, owner, id)
		if err != nil {
			return err
		}
		if err := recordChanges(ctx, tx, owner, &u, `AND r.series = $2`, series.number); err != nil {
			return err
		}
		return deleteSeries(ctx, tx, owner, &u, series)
	})
}

// deleteSeries deletes a series and keeps its rows for an undo.
func deleteSeries(ctx context.Context, tx *db.Tx, owner journal.UserID, u *usage, series Series) error {
	recordSeries(tx, owner, series, history.Deleted)
	for _, t := range seriesTables {
		if err := history.Keep(ctx, tx, owner, t.name, t.column+` = $2`, series.number); err != nil {
			return err
		}
	}
	removed, err := deleteBars(ctx, tx, owner, "series", series.number)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM bar_series WHERE user_id = $1 AND number = $2`, owner, series.number); err != nil {
		return err
	}
	u.bars -= removed
	return saveUsage(ctx, tx, owner, *u)
}

// DeleteAll deletes all of a user's bars, when the user is deleted.
func DeleteAll(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	series, err := ListSeries(ctx, tx, owner)
	for _, s := range series {
		if _, err := deleteBars(ctx, tx, owner, "series", s.number); err != nil {
			return err
		}
	}
	return err
}

func readSeries(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.SeriesID) (Series, error) {
	series, err := scanSeries(tx.QueryRow(ctx, selectSeries+` WHERE s.user_id = $1 AND s.id = $2`, owner, id))
	if errors.Is(err, db.ErrNoRows) {
		return Series{}, journal.NotFound("series")
	}
	return series, err
}
