package bars

import (
	"context"
	"errors"
	"fmt"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/market"
)

// Tables returns the tables with bars, which a copy may leave out. Aliases are not among
// them: the user chose them.
func Tables() []string {
	return []string{"bar_usage", "bar_series", "bar_imports", "bar_blocks", "bar_ranges", "bar_changes"}
}

// Check decodes the owner's blocks and compares the bars with the stored counts and
// ranges. It reports each problem in one sentence. It runs inside a transaction.
func Check(ctx context.Context, tx *db.Tx, owner journal.UserID, report func(string)) error {
	list, err := ListSeries(ctx, tx, owner)
	if err != nil {
		return err
	}
	stored := int64(0)
	for _, series := range list {
		bars, isSound, err := checkBlocks(ctx, tx, owner, series, report)
		if err != nil {
			return err
		}
		if stored += bars; !isSound {
			continue
		}
		counted, err := countSeries(ctx, tx, owner, series)
		if err != nil {
			return err
		}
		if counted != series {
			report(fmt.Sprintf("the series %s of %s has %d bars from %d to %d, not %d from %d to %d.", series.ID, series.Symbol,
				counted.Bars, counted.First, counted.Last, series.Bars, series.First, series.Last))
		}
	}
	used := int64(0)
	err = tx.QueryRow(ctx, `SELECT bars FROM bar_usage WHERE user_id = $1`, owner).Scan(&used)
	if err != nil && !errors.Is(err, db.ErrNoRows) {
		return err
	}
	if used != stored {
		report(fmt.Sprintf("%d price bars are stored, not %d.", stored, used))
	}
	return nil
}

// checkBlocks checks each block in a series separately and returns the total number of
// bars the blocks claim to have. isSound is false if a block cannot be read.
func checkBlocks(ctx context.Context, tx *db.Tx, owner journal.UserID, series Series, report func(string)) (sum int64, isSound bool, err error) {
	isSound = true
	lastStart, hasLast := int64(0), false // the last row with bars
	err = db.Each(ctx, tx, func(row db.Scanner) error {
		var start, number, count int64
		var data []byte
		if err := row.Scan(&start, &number, &count, &data); err != nil {
			return err
		}
		sum += count
		if count == 0 && len(data) == 0 { // the block before belongs to this import too
			if !hasLast || lastStart != start {
				report(fmt.Sprintf("the bars of %s at %d in import %d are missing.", series.Symbol, start, number))
			}
			return nil
		}
		lastStart, hasLast = start, true
		block, err := market.DecodeBlock(data, nil)
		switch {
		case err != nil:
			isSound = false
			report(fmt.Sprintf("the bars of %s at %d in import %d are damaged: %v.", series.Symbol, start, number, err))
		case int64(len(block.Bars)) != count || count == 0:
			report(fmt.Sprintf("the bars of %s at %d in import %d are %d, not %d.", series.Symbol, start, number, len(block.Bars), count))
		case block.Secs != series.Secs || market.BlockStart(block.Bars[0].Time, series.Secs) != start ||
			market.BlockStart(block.Bars[count-1].Time, series.Secs) != start:
			report(fmt.Sprintf("the bars of %s at %d in import %d belong to another time or length.", series.Symbol, start, number))
		}
		return nil
	}, `SELECT start_at, import, bars, data FROM bar_blocks WHERE user_id = $1 AND series = $2 ORDER BY start_at, import`, owner, series.number)
	return sum, isSound, err
}
