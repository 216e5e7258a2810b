package bars_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/testkit"
)

// manyBars are more bars than one part stores, in several blocks.
func manyBars(price int64) (list []market.Bar) {
	for n := range int64(60_000) {
		list = append(list, newBars(price, n)...)
	}
	return list
}

// longImport returns an import with these bars, which calls during before each block.
func longImport(list []market.Bar, during func()) bars.NewImport {
	return bars.NewImport{FileName: "es.csv", Layout: "TradingView", Bars: len(list), Series: []bars.NewSeries{{
		Key: key, VolumeKind: market.NoVolume, Blocks: func(yield func(market.Block) bool) {
			for block := range blocksOf(list, 2) {
				during()
				if !yield(block) {
					return
				}
			}
		},
	}}}
}

// eachLongEngine is eachEngine for a user who may store many bars.
func eachLongEngine(t *testing.T, fn func(f fixture)) {
	t.Helper()
	eachEngine(t, func(f fixture) {
		f.service = bars.New(f.db, testClock, 1_000_000, nil)
		fn(f)
	})
}

// TestOthersWriteDuringLongImports: while a long import's blocks are converted and
// compared, another user can write, and sees no part of it.
func TestOthersWriteDuringLongImports(t *testing.T) {
	t.Parallel()
	eachLongEngine(t, func(f fixture) {
		other, _ := testkit.NewUser(f.T, f.db)
		first := manyBars(100)
		var want []market.Bar
		for _, list := range [][]market.Bar{first, manyBars(200)} {
			blocks := 0
			_, _, err := f.service.Commit(f.Context(), f.owner, longImport(list, func() {
				blocks++
				_, err := f.service.AddAlias(f.Context(), other, fmt.Sprint("A", list[0].Open+int64(blocks)), "B")
				f.must(err)
				if used, _, err := f.service.Usage(f.Context(), f.owner); err != nil || used != int64(len(want)) {
					f.Errorf("block %d: others see %d bars: %v", blocks, used, err)
				}
			}))
			f.must(err)
			if want = list; blocks < 6 {
				f.Errorf("the import has %d blocks", blocks)
			}
			if diff := cmp.Diff(want, f.read().Bars); diff != "" {
				f.Fatalf("the bars differ (-want +got):\n%s", diff)
			}
		}
		imports, err := f.service.ListImports(f.Context(), f.owner)
		f.must(err)
		f.must(f.service.Reverse(f.Context(), f.owner, imports[0].ID))
		if diff := cmp.Diff(first, f.read().Bars); diff != "" {
			f.Fatalf("after the reversal the bars differ (-want +got):\n%s", diff)
		}
		series, err := f.service.ListSeries(f.Context(), f.owner)
		f.must(err)
		f.must(f.service.DeleteSeries(f.Context(), f.owner, series[0].ID))
		if used, _, err := f.service.Usage(f.Context(), f.owner); err != nil || used != 0 || len(f.read().Bars) != 0 {
			f.Errorf("after the deletion %d bars are used: %v", used, err)
		}
	})
}

// TestLeftLongImport: a client leaving in the middle of a long import stops it, and
// nothing is stored.
func TestLeftLongImport(t *testing.T) {
	t.Parallel()
	eachLongEngine(t, func(f fixture) {
		ctx, leave := context.WithCancel(f.Context())
		blocks := 0
		_, _, err := f.service.Commit(ctx, f.owner, longImport(manyBars(100), func() {
			if blocks++; blocks == 5 {
				leave()
			}
		}))
		if !errors.Is(err, context.Canceled) {
			f.Errorf("the error is %v", err)
		}
		if used, _, err := f.service.Usage(f.Context(), f.owner); err != nil || used != 0 || len(f.read().Bars) != 0 {
			f.Errorf("%d bars are stored: %v", used, err)
		}
	})
}

// TestOldChangesAreDropped: only the last changes are kept. A reader that missed the
// others finds one that may concern every instrument.
func TestOldChangesAreDropped(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		const stored = 11_999
		f.mustCommit(2, newBars(100, 1))
		f.must(f.db.Update(f.Context(), func(tx *db.Tx) error {
			var rows [][]any
			for n := 2; n <= stored; n++ {
				rows = append(rows, []any{f.owner, n, "ESZ5", "", 1, 2})
			}
			_, err := tx.InsertMany(f.Context(), "bar_changes", []string{"user_id", "number", "symbol", "contract", "from_at", "to_at"}, "", rows)
			f.must(err)
			_, err = tx.Exec(f.Context(), `UPDATE bar_usage SET last_change = $2 WHERE user_id = $1`, f.owner, stored)
			return err
		}))
		f.mustCommit(2, newBars(200, 1))
		f.must(f.db.View(f.Context(), func(tx *db.Tx) error {
			list, err := bars.ListChanges(f.Context(), tx, f.owner, 5)
			f.must(err)
			if len(list) != 10_001 || list[0].Symbol != "" || list[0].Number != 2000 || list[1].Symbol != "ESZ5" {
				f.Errorf("%d changes are left, the first is %+v", len(list), list[0])
			}
			return nil
		}))
	})
}
