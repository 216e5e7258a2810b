package bars

import (
	"context"
	"fmt"
	"sort"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/market"
)

// Read returns a series' bars opening within the range, at one scale. It runs inside a
// transaction.
func Read(ctx context.Context, tx *db.Tx, owner journal.UserID, series Series, within market.Range) (market.Block, error) {
	all := market.Block{Secs: series.Secs}
	err := eachMerged(ctx, tx, owner, series, within, func(block market.Block) error {
		all = market.MergeBlocks(all, block)
		return nil
	})
	from := sort.Search(len(all.Bars), func(i int) bool { return all.Bars[i].Time >= within.From })
	to := sort.Search(len(all.Bars), func(i int) bool { return all.Bars[i].Time >= within.To })
	all.Bars = all.Bars[from:to]
	return all, err
}

// eachMerged calls fn with the series' blocks overlapping the range, in time order.
// Blocks from several imports are merged before. fn owns the block.
func eachMerged(ctx context.Context, tx *db.Tx, owner journal.UserID, series Series, within market.Range, fn func(market.Block) error) error {
	first, last := market.BlockStart(within.From, series.Secs), market.BlockStart(within.To-1, series.Secs)
	current, start := market.Block{Secs: series.Secs}, int64(0)
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var at int64
		var data []byte
		if err := row.Scan(&at, &data); err != nil {
			return err
		}
		block, err := decodeBlock(data, series)
		if err != nil {
			return err
		}
		if len(current.Bars) > 0 && at != start {
			if err := fn(current); err != nil {
				return err
			}
			current = market.Block{Secs: series.Secs}
		}
		start, current = at, market.MergeBlocks(current, block)
		return nil
	}, `SELECT start_at, data FROM bar_blocks WHERE user_id = $1 AND series = $2 AND start_at >= $3 AND start_at <= $4 AND bars > 0 ORDER BY start_at, import`,
		owner, series.number, first, last)
	if err != nil || len(current.Bars) == 0 {
		return err
	}
	return fn(current)
}

func decodeBlock(data []byte, series Series) (market.Block, error) {
	block, err := market.DecodeBlock(data, nil)
	if err != nil {
		return block, fmt.Errorf("reading bars of series %s: %w", series.ID, err)
	}
	return block, nil
}

// readBlocks returns the blocks stored for the span starting at a time, in import order,
// and the last one in stored form.
func readBlocks(ctx context.Context, tx *db.Tx, owner journal.UserID, series Series, start int64) (list []market.Block, last []byte, err error) {
	list, err = db.List(ctx, tx, func(row db.Scanner) (market.Block, error) {
		last = nil
		if err := row.Scan(&last); err != nil {
			return market.Block{}, err
		}
		return decodeBlock(last, series)
	}, `SELECT data FROM bar_blocks WHERE user_id = $1 AND series = $2 AND start_at = $3 AND bars > 0 ORDER BY import`, owner, series.number, start)
	return list, last, err
}

// Ranges returns a series' declared periods, in order and without overlaps. It runs
// inside a transaction.
func Ranges(ctx context.Context, tx *db.Tx, owner journal.UserID, series Series) ([]market.Range, error) {
	list, err := db.List(ctx, tx, func(row db.Scanner) (r market.Range, err error) {
		err = row.Scan(&r.From, &r.To)
		return r, err
	}, `SELECT from_at, to_at FROM bar_ranges WHERE user_id = $1 AND series = $2 ORDER BY from_at`, owner, series.number)
	return market.Union(list, 0), err
}
