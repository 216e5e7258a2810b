package bars_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/testkit"
)

const (
	limit  = 1000
	minute = 60
	// monday is the start of a week, and of a minute block.
	monday = 1_760_918_400
)

var key = bars.Key{Symbol: "ESZ5", Secs: minute, PriceKind: market.TradePrice}

// fixture is a user on one engine.
type fixture struct {
	*testing.T
	db      *db.DB
	service *bars.Service
	owner   journal.UserID
}

func testClock() time.Time { return time.Date(2025, 12, 10, 15, 0, 0, 0, time.UTC) }

func eachEngine(t *testing.T, fn func(f fixture)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		owner, _ := testkit.NewUser(t, d)
		fn(fixture{T: t, db: d, service: bars.New(d, testClock, limit, nil), owner: owner})
	})
}

// newBars returns bars at the given minutes after Monday, all with the price.
func newBars(price int64, minutes ...int64) (list []market.Bar) {
	for _, n := range minutes {
		list = append(list, market.Bar{Time: monday + n*minute, Open: price, High: price, Low: price, Close: price})
	}
	return list
}

// blocksOf cuts bars into blocks as they are stored.
func blocksOf(list []market.Bar, scale int32) iter.Seq[market.Block] {
	return func(yield func(market.Block) bool) {
		for len(list) > 0 {
			start := market.BlockStart(list[0].Time, minute)
			end := slices.IndexFunc(list, func(b market.Bar) bool { return market.BlockStart(b.Time, minute) != start })
			if end < 0 {
				end = len(list)
			}
			if !yield(market.Block{Secs: minute, PriceScale: scale, Bars: list[:end]}) {
				return
			}
			list = list[end:]
		}
	}
}

func (f fixture) commit(key bars.Key, scale int32, list []market.Bar) (bars.Import, error) {
	f.Helper()
	done, _, err := f.service.Commit(f.Context(), f.owner, bars.NewImport{
		FileName: "es.csv", Layout: "TradingView",
		Series: []bars.NewSeries{{
			Key: key, VolumeKind: market.NoVolume, Blocks: blocksOf(list, scale),
		}},
	})
	return done, err
}

func (f fixture) mustCommit(scale int32, list []market.Bar) bars.Import {
	f.Helper()
	done, err := f.commit(key, scale, list)
	f.must(err)
	return done
}

func (f fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// read returns all bars in the only series, or nil if none.
func (f fixture) read() (block market.Block) {
	f.Helper()
	f.must(f.db.View(f.Context(), func(tx *db.Tx) error {
		list, err := bars.ListSeries(f.Context(), tx, f.owner)
		if err != nil || len(list) == 0 {
			return err
		}
		whole := market.Range{From: 0, To: 1 << 33}
		if block, err = bars.Read(f.Context(), tx, f.owner, list[0], whole); err != nil {
			return err
		}
		again, err := bars.ReadInto(f.Context(), tx, f.owner, list[0], whole, make([]market.Bar, 3))
		if !slices.Equal(again.Bars, block.Bars) || again.PriceScale != block.PriceScale || again.HasVolume != block.HasVolume {
			f.Errorf("read %v into a buffer, not %v", again, block)
		}
		return err
	}))
	return block
}

// stats returns the only series' figures about its bars.
func (f fixture) stats() (count int, first, last int64) {
	f.Helper()
	list, err := f.service.ListSeries(f.Context(), f.owner)
	f.must(err)
	if len(list) == 0 {
		return 0, 0, 0
	}
	return list[0].Bars, list[0].First, list[0].Last
}

// check returns the problems found by the bar check.
func (f fixture) check() (list []string) {
	f.Helper()
	f.must(f.db.View(f.Context(), func(tx *db.Tx) error {
		return bars.Check(f.Context(), tx, f.owner, func(what string) { list = append(list, what) })
	}))
	return list
}

func (f fixture) used() int64 {
	f.Helper()
	used, _, err := f.service.Usage(f.Context(), f.owner)
	f.must(err)
	return used
}

func TestCommitCountsBars(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		first := f.mustCommit(0, newBars(100, 1, 2, 3, 20_000))
		if first.Inserted != 4 || first.Replaced != 0 || first.Unchanged != 0 || first.Status != bars.Committed {
			f.Errorf("the first import is %+v", first)
		}
		// The same price at another scale is unchanged.
		second := f.mustCommit(2, append(newBars(10_000, 2), newBars(10_050, 3, 4)...))
		if second.Inserted != 1 || second.Replaced != 1 || second.Unchanged != 1 {
			f.Errorf("the second import is %+v", second)
		}
		block := f.read()
		want := slices.Concat(newBars(10_000, 1, 2), newBars(10_050, 3, 4), newBars(10_000, 20_000))
		if diff := cmp.Diff(want, block.Bars); diff != "" || block.PriceScale != 2 {
			f.Errorf("the bars differ (-want +got):\n%s", diff)
		}
		list, err := f.service.ListImports(f.Context(), f.owner)
		f.must(err)
		if len(list) != 2 || list[0].ID != second.ID || f.used() != 7 {
			f.Errorf("imports %+v, %d bars stored", list, f.used())
		}
	})
}

// TestRepeatedBarsAreStoredOnce imports a growing file: only the changed block is stored
// again, and the bars stay when the first import is reversed.
func TestRepeatedBarsAreStoredOnce(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		const nextWeek, weekAfter = 10_081, 20_161
		first := f.mustCommit(0, newBars(100, 1, 2, 3, nextWeek))
		second := f.mustCommit(0, newBars(100, 1, 2, 3, nextWeek))
		third := f.mustCommit(0, newBars(100, 1, 2, 3, nextWeek, nextWeek+1, weekAfter))
		if second.Unchanged != 4 || second.Inserted != 0 || third.Inserted != 2 || third.Unchanged != 4 || f.used() != 4+2+1 {
			f.Errorf("the imports are %+v and %+v, %d bars are stored", second, third, f.used())
		}
		f.must(f.service.Reverse(f.Context(), f.owner, first.ID))
		if f.used() != 4+2+1 {
			f.Errorf("after the first was reversed, %d bars are stored", f.used())
		}
		f.must(f.service.Reverse(f.Context(), f.owner, third.ID))
		if diff := cmp.Diff(newBars(100, 1, 2, 3, nextWeek), f.read().Bars); diff != "" || f.used() != 4 {
			f.Errorf("%d bars are stored, and they differ (-want +got):\n%s", f.used(), diff)
		}
		f.must(f.service.Reverse(f.Context(), f.owner, second.ID))
		if list := f.check(); len(list) > 0 || f.used() != 0 || len(f.read().Bars) > 0 {
			f.Errorf("problems %q, %d bars are stored", list, f.used())
		}
	})
}

func TestLimit(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		minutes := make([]int64, limit+1)
		for i := range minutes {
			minutes[i] = int64(i)
		}
		_, err := f.commit(key, 0, newBars(1, minutes...))
		if !journal.IsKind(err, journal.KindTooLarge) {
			f.Errorf("the error is %v", err)
		}
		if block := f.read(); len(block.Bars) > 0 || f.used() != 0 {
			f.Errorf("a refused import wrote %d bars", len(block.Bars))
		}
		f.mustCommit(0, newBars(1, minutes[1:]...))
	})
}

// TestReversal compares the store with a model: the bars from all imports not reversed,
// in their order.
func TestReversal(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		rapid.Check(f, func(r *rapid.T) {
			owner, _ := testkit.NewUser(f.T, f.db)
			f := f
			f.owner = owner
			type layer struct {
				id   journal.BarImportID
				bars []market.Bar
			}
			var model []layer
			for range rapid.IntRange(1, 8).Draw(r, "steps") {
				if len(model) > 0 && rapid.IntRange(0, 2).Draw(r, "reverse") == 0 {
					at := rapid.IntRange(0, len(model)-1).Draw(r, "which")
					f.must(f.service.Reverse(f.Context(), owner, model[at].id))
					f.must(f.service.Reverse(f.Context(), owner, model[at].id)) // again, which does nothing
					model = slices.Delete(model, at, at+1)
				} else {
					minutes := rapid.SliceOfNDistinct(rapid.Int64Range(10_070, 10_090), 1, 6, rapid.ID[int64]).Draw(r, "minutes")
					slices.Sort(minutes)
					list := newBars(rapid.Int64Range(1, 3).Draw(r, "price"), minutes...)
					if len(model) > 0 && rapid.Bool().Draw(r, "again") { // with bars after it, or alone
						same := model[rapid.IntRange(0, len(model)-1).Draw(r, "same")].bars
						after := slices.IndexFunc(list, func(b market.Bar) bool { return b.Time > same[len(same)-1].Time })
						if list = same; after > 0 {
							list = slices.Concat(same, newBars(1, minutes[after:]...))
						}
					}
					model = append(model, layer{f.mustCommit(0, list).ID, list})
				}
			}
			var want []market.Bar
			stored := int64(0)
			for _, layer := range model {
				want, _, _, _ = market.Merge(want, layer.bars)
				stored += int64(len(layer.bars))
			}
			if got := f.read().Bars; !slices.Equal(got, want) || f.used() > stored || f.used() < int64(len(want)) {
				r.Fatalf("bars are %v, not %v; %d stored, not %d", got, want, f.used(), stored)
			}
			if problems := f.check(); len(problems) > 0 {
				r.Fatalf("problems: %q", problems)
			}
			if count, first, last := f.stats(); count != len(want) || count > 0 && (first != want[0].Time || last != want[count-1].Time) {
				r.Fatalf("the series has %d bars from %d to %d, not %v", count, first, last, want)
			}
		})
	})
}

func TestUsersAreSeparate(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		done := f.mustCommit(0, newBars(100, 1, 2))
		other := f
		other.owner, _ = testkit.NewUser(f.T, f.db)
		if block := other.read(); len(block.Bars) > 0 || other.used() != 0 {
			f.Error("another user sees the bars")
		}
		series, err := f.service.ListSeries(f.Context(), f.owner)
		f.must(err)
		for name, err := range map[string]error{
			"Reverse":      f.service.Reverse(context.Background(), other.owner, done.ID),
			"DeleteSeries": f.service.DeleteSeries(context.Background(), other.owner, series[0].ID),
		} {
			if !journal.IsKind(err, journal.KindNotFound) {
				f.Errorf("%s of another user's: the error is %v", name, err)
			}
		}
		f.must(f.service.DeleteSeries(f.Context(), f.owner, series[0].ID))
		if block := f.read(); len(block.Bars) > 0 || f.used() != 0 {
			f.Error("a deleted series has bars")
		}
	})
}

func TestCheck(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		f.mustCommit(0, newBars(100, 1, 2, 20_000))
		f.mustCommit(0, newBars(101, 2, 3))
		f.mustCommit(0, newBars(101, 2, 3))
		if list := f.check(); len(list) > 0 {
			f.Fatalf("valid bars have problems: %q", list)
		}
		for _, damage := range [][2]string{
			{`UPDATE bar_series SET bars = bars + 1 WHERE user_id = $1`, "has 4 bars"},
			{`UPDATE bar_usage SET bars = bars + 1 WHERE user_id = $1`, "5 price bars are stored, not 6"},
			{`UPDATE bar_blocks SET start_at = start_at + 1209600 WHERE user_id = $1 AND import = 3`, "in import 3 are missing"},
			{`UPDATE bar_blocks SET start_at = start_at + 604800 WHERE user_id = $1 AND import = 2`, "belong to another time"},
			{`UPDATE bar_blocks SET data = substr(data, 1, 12) WHERE user_id = $1 AND import = 2`, "in import 2 are damaged"},
		} {
			f.must(f.db.Update(f.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(f.Context(), damage[0], f.owner)
				return err
			}))
			if list := strings.Join(f.check(), "\n"); !strings.Contains(list, damage[1]) {
				f.Errorf("%s: the problems are %s", damage[0], list)
			}
		}
	})
}

func TestDeletedUserHasNoBars(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		f.mustCommit(0, newBars(100, 1, 2))
		_, err := f.service.AddAlias(f.Context(), f.owner, "US500", "ESZ5")
		f.must(err)
		f.must(f.db.Update(f.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(f.Context(), `DELETE FROM users WHERE number = $1`, f.owner)
			return err
		}))
		for _, table := range append(bars.Tables(), "bar_aliases") {
			var left int
			f.must(f.db.Peek(f.Context(), func(tx *db.Tx) error {
				return tx.QueryRow(f.Context(), `SELECT COUNT(*) FROM `+table+` WHERE user_id = $1`, f.owner).Scan(&left)
			}))
			if left > 0 {
				f.Errorf("%s has %d rows", table, left)
			}
		}
	})
}
