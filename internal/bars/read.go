package bars

import (
	"context"
	"fmt"
	"sort"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/market"
)

// Read returns the bars of a series that open within the range, at one scale. It is a
// step.
func Read(ctx context.Context, tx *db.Tx, owner journal.UserID, series Series, within market.Range) (market.Block, error) {
	first, last := market.BlockStart(within.From, series.Secs), market.BlockStart(within.To-1, series.Secs)
	blocks, err := readBlocks(ctx, tx, owner, series.number, first, last)
	if err != nil {
		return market.Block{}, err
	}
	all := market.Block{Secs: series.Secs}
	for _, block := range blocks {
		all = mergeBlocks(all, block)
	}
	from := sort.Search(len(all.Bars), func(i int) bool { return all.Bars[i].Time >= within.From })
	to := sort.Search(len(all.Bars), func(i int) bool { return all.Bars[i].Time >= within.To })
	all.Bars = all.Bars[from:to]
	return all, nil
}

// readBlocks returns the stored blocks that start from first to last, in the order of
// time and then of imports.
func readBlocks(ctx context.Context, tx *db.Tx, owner journal.UserID, series, first, last int64) ([]market.Block, error) {
	return db.List(ctx, tx, func(row db.Scanner) (market.Block, error) {
		var data []byte
		if err := row.Scan(&data); err != nil {
			return market.Block{}, err
		}
		block, err := market.DecodeBlock(data, nil)
		if err != nil {
			return market.Block{}, fmt.Errorf("reading bars of series %d: %w", series, err)
		}
		return block, nil
	}, `SELECT data FROM bar_blocks WHERE user_id = $1 AND series = $2 AND start_at >= $3 AND start_at <= $4 ORDER BY start_at, import`,
		owner, series, first, last)
}

// mergeBlocks returns the bars of both blocks; those of newer replace the others.
func mergeBlocks(older, newer market.Block) market.Block {
	if len(older.Bars) == 0 {
		return newer
	}
	market.EqualizeScales(&older, &newer)
	if len(newer.Bars) > 0 && newer.Bars[0].Time > older.Bars[len(older.Bars)-1].Time {
		older.Bars = append(older.Bars, newer.Bars...)
	} else {
		older.Bars, _, _, _ = market.Merge(older.Bars, newer.Bars)
	}
	older.HasVolume = older.HasVolume || newer.HasVolume
	return older
}

// Ranges returns the time that imports declared for a series, in order and without
// overlaps. It is a step.
func Ranges(ctx context.Context, tx *db.Tx, owner journal.UserID, series Series) ([]market.Range, error) {
	list, err := db.List(ctx, tx, func(row db.Scanner) (r market.Range, err error) {
		err = row.Scan(&r.From, &r.To)
		return r, err
	}, `SELECT from_at, to_at FROM bar_ranges WHERE user_id = $1 AND series = $2 ORDER BY from_at`, owner, series.number)
	return market.Union(list, 0), err
}
