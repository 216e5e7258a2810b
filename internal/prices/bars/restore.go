package bars

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/prices/market"
)

// EachBlock calls fn with all bars in a series, in time order. It runs inside a
// transaction.
func EachBlock(ctx context.Context, tx *db.Tx, owner journal.UserID, series Series, fn func(market.Block) error) error {
	return eachMerged(ctx, tx, owner, series, allTime, fn)
}

// Check returns an error if the series, from a Fillbook file, cannot be stored.
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

// isReference reports whether [FindReference] finds the key.
func (k Key) isReference() bool {
	_, ok := market.ReferenceCurrency(k.Symbol)
	return ok && k.Contract == "" && k.Secs == market.ReferenceSecs
}

// Missing returns the bars not stored by the owner, in blocks as they are stored. Among
// several bars with the same time the last counts. It runs inside a transaction.
func Missing(ctx context.Context, tx *db.Tx, owner journal.UserID, key Key, blocks []market.Block) (missing []market.Block, err error) {
	series, err := findSeries(ctx, tx, owner, key)
	isStored := err == nil
	if err != nil && !errors.Is(err, db.ErrNoRows) {
		return nil, err
	}
	for _, block := range uniteBlocks(key.Secs, blocks) {
		if isStored {
			if block, err = missingOf(ctx, tx, owner, series, block); err != nil {
				return nil, err
			}
		}
		if len(block.Bars) > 0 {
			missing = append(missing, block)
		}
	}
	return missing, nil
}

// uniteBlocks returns the bars in blocks as they are stored, in time order. A file
// decides how many blocks have bars with the same time, so everything in one stored block
// is merged together.
func uniteBlocks(secs int64, blocks []market.Block) (united []market.Block) {
	parts := map[int64][]market.Block{}
	for _, block := range blocks {
		for part := range market.SplitBlocks(block) {
			start := market.BlockStart(part.Bars[0].Time, secs)
			parts[start] = append(parts[start], part)
		}
	}
	for _, start := range slices.Sorted(maps.Keys(parts)) {
		list := parts[start]
		for len(list) > 1 { // in pairs, so each bar is copied only a few times
			var merged []market.Block
			for pair := range slices.Chunk(list, 2) {
				if len(pair) == 2 {
					pair[0] = market.MergeBlocks(pair[0], pair[1])
				}
				merged = append(merged, pair[0])
			}
			list = merged
		}
		united = append(united, list[0])
	}
	return united
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

// Restore stores an import inside a transaction; see [Service.Commit]. It reads the
// blocks twice: if the owner would store more bars than the limit, it writes nothing, so
// the caller can go on after the [TooMany] error.
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

// RestoredAlias is what a restore did with an alias.
type RestoredAlias struct {
	Added bool
	// Err is this alias's refusal. The others are restored.
	Err error
}

// RestoreAliases stores aliases, except those whose symbols have one. It is a step.
func RestoreAliases(ctx context.Context, tx *db.Tx, owner journal.UserID, list []Alias) ([]RestoredAlias, error) {
	if len(list) == 0 {
		return nil, nil
	}
	u, err := lockUsage(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	stored, err := ListAliases(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for _, a := range stored {
		taken[a.Symbol] = true
	}
	out := make([]RestoredAlias, len(list))
	var rows [][]any
	for i, in := range list {
		alias, err := newAlias(in.Symbol, in.BarsSymbol, in.CreatedAt)
		switch {
		case err != nil:
			out[i].Err = err
		case taken[alias.Symbol]:
		case len(taken) >= limits.BarAliases.Max:
			out[i].Err = limits.BarAliases.Reached()
		default:
			taken[alias.Symbol], out[i].Added = true, true
			aliasHistory.Brought(tx, owner, &alias)
			rows = append(rows, aliasTable.Values(owner, &alias))
		}
	}
	if len(rows) == 0 {
		return out, nil
	}
	if _, err := tx.InsertMany(ctx, aliasTable.Name, aliasTable.Columns(), "", rows); err != nil {
		return nil, err
	}
	return out, recordAliasChange(ctx, tx, owner, u)
}
