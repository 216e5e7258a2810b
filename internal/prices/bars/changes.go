package bars

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

// Change is a change to a symbol's bars: an import, its reversal, or a deleted series.
// Packages caching results computed from bars read the changes after the last one they
// know.
type Change struct {
	// Number increases with each of a user's changes.
	Number int64
	// Symbol and Contract are the series'; see [Key]. Both are empty after an alias
	// change, which may concern every instrument.
	Symbol, Contract string
	// Range contains all changed bars.
	market.Range
}

// recordChanges records changes to the bars in some declared ranges. where selects them
// by series and import, with its arguments from $2 on. Reference rates are left out: no
// result is computed from them.
func recordChanges(ctx context.Context, tx *db.Tx, owner journal.UserID, u *usage, where string, args ...any) error {
	list, err := db.List(ctx, tx, func(row db.Scanner) (c Change, err error) {
		err = row.Scan(&c.Symbol, &c.Contract, &c.From, &c.To)
		return c, err
	}, `SELECT s.symbol, s.contract, MIN(r.from_at), MAX(r.to_at)
		FROM bar_ranges AS r JOIN bar_series AS s ON s.user_id = r.user_id AND s.number = r.series
		WHERE r.user_id = $1 AND s.price_kind <> 'reference' `+where+` GROUP BY s.symbol, s.contract ORDER BY s.symbol, s.contract`, append([]any{owner}, args...)...)
	if err != nil {
		return err
	}
	rows := make([][]any, len(list))
	for i, c := range list {
		u.lastChange++
		rows[i] = []any{owner, u.lastChange, c.Symbol, c.Contract, c.From, c.To}
	}
	if _, err = tx.InsertMany(ctx, "bar_changes", []string{"user_id", "number", "symbol", "contract", "from_at", "to_at"}, "", rows); err != nil {
		return err
	}
	return dropOldChanges(ctx, tx, owner, u.lastChange, len(rows))
}

const (
	// keptChanges is how many changes are kept per user, and dropStep how many more until
	// the older ones are deleted.
	keptChanges = 10_000
	dropStep    = 1000
)

// dropOldChanges deletes old changes after some were added. The oldest kept one becomes a
// change that may concern every instrument, for readers that missed the others.
func dropOldChanges(ctx context.Context, tx *db.Tx, owner journal.UserID, last int64, added int) error {
	oldest := last - keptChanges
	if oldest < 1 || last/dropStep == (last-int64(added))/dropStep {
		return nil
	}
	for _, statement := range []string{
		`UPDATE bar_changes SET symbol = '', contract = '', from_at = 0, to_at = 0 WHERE user_id = $1 AND number = $2`,
		`DELETE FROM bar_changes WHERE user_id = $1 AND number < $2`,
	} {
		if _, err := tx.Exec(ctx, statement, owner, oldest); err != nil {
			return err
		}
	}
	return nil
}

// recordAliasChange records that another series may belong to an instrument.
func recordAliasChange(ctx context.Context, tx *db.Tx, owner journal.UserID, u usage) error {
	u.lastChange++
	_, err := tx.Exec(ctx, `INSERT INTO bar_changes (user_id, number, symbol, contract, from_at, to_at) VALUES ($1, $2, '', '', 0, 0)`, owner, u.lastChange)
	if err == nil {
		err = dropOldChanges(ctx, tx, owner, u.lastChange, 1)
	}
	if err != nil {
		return err
	}
	return saveUsage(ctx, tx, owner, u)
}

// LastChange returns the owner's last change number, 0 without changes. It runs inside a
// transaction.
func LastChange(ctx context.Context, tx *db.Tx, owner journal.UserID) (last int64, err error) {
	err = tx.QueryRow(ctx, `SELECT last_change FROM bar_usage WHERE user_id = $1`, owner).Scan(&last)
	if errors.Is(err, db.ErrNoRows) {
		return 0, nil
	}
	return last, err
}

// ListChanges returns the changes after a number. It is a step.
func ListChanges(ctx context.Context, tx *db.Tx, owner journal.UserID, after int64) ([]Change, error) {
	return db.List(ctx, tx, func(row db.Scanner) (c Change, err error) {
		err = row.Scan(&c.Number, &c.Symbol, &c.Contract, &c.From, &c.To)
		return c, err
	}, `SELECT number, symbol, contract, from_at, to_at FROM bar_changes WHERE user_id = $1 AND number > $2 ORDER BY number`, owner, after)
}

// Has reports whether there may be bars for an instrument at any time.
func (l *Lookup) Has(of instruments.Priced) bool {
	for _, s := range l.series {
		for _, at := range []int64{s.First, s.Last} {
			if l.Uses(of, time.Unix(at, 0).UTC(), s.Symbol, s.Last) {
				return true
			}
		}
	}
	return false
}

// Uses reports whether an instrument traded at a time may use a symbol's bars, the last
// of which opens at last.
func (l *Lookup) Uses(of instruments.Priced, at time.Time, symbol string, last int64) bool {
	own, similar := l.Names(of, at)
	for _, name := range SeriesNames(symbol, last) {
		if slices.Contains(own, name) || slices.Contains(similar, name) {
			return true
		}
	}
	return false
}

// Coverage is the time declared by a series' imports, and the sources of its bars.
type Coverage struct {
	// Declared is in order and without overlaps.
	Declared []market.Range
	// sources are ordered by From; latest has the latest To up to each.
	sources []rangeSource
	latest  []int64
}

// rangeSource is a range declared by one import.
type rangeSource struct {
	market.Range
	number int64
	layout string
}

// ReadCoverage returns a series' coverage. It runs inside a transaction.
func ReadCoverage(ctx context.Context, tx *db.Tx, owner journal.UserID, series Series) (c Coverage, err error) {
	c.sources, err = db.List(ctx, tx, func(row db.Scanner) (s rangeSource, err error) {
		err = row.Scan(&s.From, &s.To, &s.number, &s.layout)
		return s, err
	}, `SELECT r.from_at, r.to_at, r.import, i.layout FROM bar_ranges AS r
			JOIN bar_imports AS i ON i.user_id = r.user_id AND i.number = r.import
		WHERE r.user_id = $1 AND r.series = $2 ORDER BY r.from_at`, owner, series.number)
	ranges := make([]market.Range, len(c.sources))
	c.latest = make([]int64, len(c.sources))
	latest := int64(math.MinInt64)
	for i, s := range c.sources {
		latest = max(latest, s.To)
		ranges[i], c.latest[i] = s.Range, latest
	}
	c.Declared = market.Union(ranges, 0)
	return c, err
}

// During returns the declared ranges overlapping a period.
func (c *Coverage) During(within market.Range) []market.Range {
	from := sort.Search(len(c.Declared), func(i int) bool { return c.Declared[i].To > within.From })
	to := sort.Search(len(c.Declared), func(i int) bool { return c.Declared[i].From >= within.To })
	return c.Declared[from:max(from, to)]
}

// End returns the end of the last declared range, 0 if none.
func (c *Coverage) End() int64 {
	if len(c.Declared) == 0 {
		return 0
	}
	return c.Declared[len(c.Declared)-1].To
}

// Source returns the layout and the number of the newest import declaring part of a
// period. Both are empty if none.
func (c *Coverage) Source(within market.Range) (layout string, number int64) {
	end := sort.Search(len(c.sources), func(i int) bool { return c.sources[i].From >= within.To })
	for i := end - 1; i >= 0 && c.latest[i] > within.From; i-- {
		if s := &c.sources[i]; s.To > within.From && s.number > number {
			layout, number = s.layout, s.number
		}
	}
	return layout, number
}

// ReadInto is [Read] with a buffer's memory, which the caller must not use afterwards. It
// is for callers reading one window after the other.
func ReadInto(ctx context.Context, tx *db.Tx, owner journal.UserID, series Series, within market.Range, buffer []market.Bar) (market.Block, error) {
	all := market.Block{Secs: series.Secs, Bars: buffer[:0]}
	first, last := market.BlockStart(within.From, series.Secs), market.BlockStart(within.To-1, series.Secs)
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var data []byte
		if err := row.Scan(&data); err != nil {
			return err
		}
		n := len(all.Bars)
		block, err := market.DecodeBlock(data, all.Bars)
		if err != nil {
			return fmt.Errorf("reading bars of series %s: %w", series.ID, err)
		}
		isNext := n == 0 || n < len(block.Bars) && block.Bars[n].Time > block.Bars[n-1].Time &&
			block.PriceScale == all.PriceScale && block.VolumeScale == all.VolumeScale
		if isNext {
			block.HasVolume = block.HasVolume || all.HasVolume
			all = block
			return nil
		}
		block.Bars = slices.Clone(block.Bars[n:])
		all = market.MergeBlocks(all, block)
		return nil
	}, `SELECT data FROM bar_blocks WHERE user_id = $1 AND series = $2 AND start_at >= $3 AND start_at <= $4 AND bars > 0 ORDER BY start_at, import`,
		owner, series.number, first, last)
	from := sort.Search(len(all.Bars), func(i int) bool { return all.Bars[i].Time >= within.From })
	to := sort.Search(len(all.Bars), func(i int) bool { return all.Bars[i].Time >= within.To })
	all.Bars = all.Bars[from:to]
	return all, err
}
