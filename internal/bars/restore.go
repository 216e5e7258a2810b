package bars

import (
	"context"
	"errors"
	"slices"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/market"
)

// EachBlock calls fn with all bars of a series, in order of time. It is a step.
func EachBlock(ctx context.Context, tx *db.Tx, owner journal.UserID, series Series, fn func(market.Block) error) error {
	return eachMerged(ctx, tx, owner, series, allTime, fn)
}

// Check returns an error if the series cannot be stored, for one that comes from a file
// of Fillbook.
func (n NewSeries) Check() error {
	symbol, err := journal.CleanSymbol("symbol", n.Symbol)
	switch {
	case err != nil:
		return err
	case symbol != n.Symbol:
		return journal.InvalidField("symbol", "symbol must be in upper case.")
	case n.Secs < 1:
		return journal.InvalidField("bar_secs", "bar_secs must be above 0.")
	case !slices.Contains(kindOrder, n.PriceKind) && n.PriceKind != market.ReferencePrice:
		return journal.InvalidField("price_kind", "price_kind must be trade, mid, bid, ask or reference.")
	case n.PriceKind == market.ReferencePrice && !n.isReference():
		return journal.InvalidField("price_kind", "A series of reference rates must have a symbol such as EURUSD and bars of a day.")
	case n.VolumeKind != market.RealVolume && n.VolumeKind != market.TickVolume && n.VolumeKind != market.NoVolume:
		return journal.InvalidField("volume_kind", "volume_kind must be real, ticks or none.")
	}
	return nil
}

// isReference reports whether the key is one that [FindReference] finds.
func (k Key) isReference() bool {
	_, ok := market.ReferenceCurrency(k.Symbol)
	return ok && k.Contract == "" && k.Secs == market.ReferenceSecs
}

// Missing returns the bars of blocks that the owner has not stored, in blocks as they
// are stored. It is a step.
func Missing(ctx context.Context, tx *db.Tx, owner journal.UserID, key Key, blocks []market.Block) (missing []market.Block, err error) {
	series, err := findSeries(ctx, tx, owner, key)
	isStored := err == nil
	if err != nil && !errors.Is(err, db.ErrNoRows) {
		return nil, err
	}
	slices.SortStableFunc(blocks, func(a, b market.Block) int { return int(a.Bars[0].Time - b.Bars[0].Time) })
	for _, block := range blocks {
		for part := range market.SplitBlocks(block) {
			if isStored {
				if part, err = missingOf(ctx, tx, owner, series, part); err != nil {
					return nil, err
				}
			}
			if len(part.Bars) == 0 {
				continue
			}
			start := market.BlockStart(part.Bars[0].Time, key.Secs)
			if n := len(missing); n > 0 && market.BlockStart(missing[n-1].Bars[0].Time, key.Secs) == start {
				missing[n-1] = market.MergeBlocks(missing[n-1], part)
				continue
			}
			missing = append(missing, part)
		}
	}
	return missing, nil
}

func missingOf(ctx context.Context, tx *db.Tx, owner journal.UserID, series Series, block market.Block) (market.Block, error) {
	stored, _, err := readBlocks(ctx, tx, owner, series, market.BlockStart(block.Bars[0].Time, series.Secs))
	known := map[int64]bool{}
	for _, old := range stored {
		for _, bar := range old.Bars {
			known[bar.Time] = true
		}
	}
	block.Bars = slices.DeleteFunc(slices.Clone(block.Bars), func(b market.Bar) bool { return known[b.Time] })
	return block, err
}

// Restore stores an import as a step; see [Service.Commit]. It reads the blocks twice: if
// the owner would store more bars than the limit, it writes nothing, so that the caller
// can go on after the error of [TooMany].
func Restore(ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, limit int64, file NewImport) (Import, error) {
	u, err := lockUsage(ctx, tx, owner)
	if err != nil {
		return Import{}, err
	}
	all := u.bars
	for _, series := range file.Series {
		for block := range series.Blocks {
			all += int64(len(block.Bars))
		}
	}
	if all > limit {
		return Import{}, TooMany(limit, u.bars)
	}
	done, _, err := commit(ctx, tx, owner, now, limit, file)
	return done, err
}

// RestoreAlias stores an alias, unless its symbol has one. It is a step.
func RestoreAlias(ctx context.Context, tx *db.Tx, owner journal.UserID, at time.Time, symbol, barsSymbol string) (added bool, err error) {
	alias, err := newAlias(symbol, barsSymbol, at)
	if err != nil {
		return false, err
	}
	return insertAlias(ctx, tx, owner, alias)
}
