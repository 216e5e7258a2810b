package bars_test

import (
	"context"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

func minuteOpening(minutes int64) *int64 {
	second := monday + minutes*minute
	return &second
}

// countedBars returns bars for consecutive minutes; each bar's price is its number.
func countedBars(from, n int64) (list []market.Bar) {
	for i := range n {
		list = append(list, newBars(from+i, from+i)...)
	}
	return list
}

func (f fixture) window(q bars.WindowQuery) bars.Window {
	f.Helper()
	if q.MaxPoints == 0 {
		q.MaxPoints = bars.MaxPoints
	}
	w, err := f.service.Window(f.Context(), f.owner, q)
	f.must(err)
	return w
}

// TestWindowHasBarsOfTheTrade has minutes on one day, five-minute bars on the next, and
// daily bars of both.
func TestWindowHasBarsOfTheTrade(t *testing.T) {
	t.Parallel()
	const secondsOfDay = 86400
	eachEngine(t, func(f fixture) {
		f.mustCommit(0, countedBars(0, 60))
		commit := func(secs int64, times ...int64) {
			var list []market.Bar
			for _, at := range times {
				list = append(list, market.Bar{Time: at, Open: 1, High: 1, Low: 1, Close: 1})
			}
			longer := key
			longer.Secs = secs
			_, _, err := f.service.Commit(f.Context(), f.owner, bars.NewImport{FileName: "es.csv", Layout: "TradingView", Series: []bars.NewSeries{{
				Key: longer, VolumeKind: market.NoVolume, Blocks: market.SplitBlocks(market.Block{Secs: secs, Bars: list}),
			}}})
			f.must(err)
		}
		commit(300, monday+secondsOfDay, monday+secondsOfDay+300)
		commit(secondsOfDay, monday, monday+secondsOfDay)
		for _, c := range []struct {
			name string
			secs int64
			held []int64
			want int64
		}{
			{"no trade", 0, nil, 60},
			{"a trade of the first day", 0, []int64{monday + 61, monday + 121}, 60},
			{"a trade of the second day", 0, []int64{monday + secondsOfDay + 30, monday + secondsOfDay + 599}, 300},
			{"an open trade of the second day", 0, []int64{monday + secondsOfDay + 30, monday + 9*secondsOfDay}, 300},
			{"a trade without intraday bars", 0, []int64{monday + secondsOfDay + 7200}, 60},
			{"five minutes of the first day", 300, []int64{monday + 61}, 60},
			{"days", secondsOfDay, []int64{monday + 61}, secondsOfDay},
		} {
			w := f.window(bars.WindowQuery{Of: instruments.Priced{Symbol: "ESZ5"}, Secs: c.secs, Held: c.held})
			if w.Series.Secs != c.want {
				f.Errorf("%s: made of bars of %d seconds, want %d", c.name, w.Series.Secs, c.want)
			}
		}
	})
}

func TestWindow(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		f.mustCommit(0, countedBars(0, 900))
		of := instruments.Priced{Symbol: "ES 12-25"} // stored as ESZ5
		whole := f.window(bars.WindowQuery{Of: of})
		if len(whole.Bars) != 900 || whole.Secs != minute || whole.Series.Symbol != "ESZ5" || whole.Similar {
			f.Errorf("%d bars of %d seconds of %+v", len(whole.Bars), whole.Secs, whole.Series)
		}
		// Both ends are inclusive and test the opening.
		part := f.window(bars.WindowQuery{Of: of, From: minuteOpening(3), To: minuteOpening(5)})
		if len(part.Bars) != 3 || part.Bars[0].Open != 3 || part.Bars[2].Open != 5 {
			f.Errorf("the bars from 3 to 5 are %v", part.Bars)
		}
		// The five-minute bar opening at 5 is complete although the window ends at 6; the
		// one opening at 0 is before the window.
		longer := f.window(bars.WindowQuery{Of: of, Secs: 300, From: minuteOpening(3), To: minuteOpening(6)})
		if len(longer.Bars) != 1 || longer.Bars[0] != (market.Bar{Time: *minuteOpening(5), Open: 5, High: 9, Low: 5, Close: 9}) {
			f.Errorf("the bar of five minutes is %v", longer.Bars)
		}
		few := f.window(bars.WindowQuery{Of: of, MaxPoints: 100})
		if len(few.Bars) != 60 || few.Secs != 900 || few.Bars[59].Close != 899 {
			f.Errorf("%d bars of %d seconds", len(few.Bars), few.Secs)
		}
		exact := f.window(bars.WindowQuery{Of: of, MaxPoints: 900})
		if len(exact.Bars) != 900 {
			f.Errorf("%d of 900 bars", len(exact.Bars))
		}
		if none := f.window(bars.WindowQuery{Of: instruments.Priced{Symbol: "NQZ5"}}); len(none.Bars) > 0 {
			f.Error("NQ has the bars of ES")
		}
		_, err := f.service.Window(f.Context(), f.owner, bars.WindowQuery{Of: of, Secs: 90, MaxPoints: 10})
		if !journal.IsKind(err, journal.KindInvalid) {
			f.Errorf("bars of 90 seconds: %v", err)
		}
	})
}

// TestWindowWithoutStart has longer bars opening before the first stored one. They are
// left out only if the window starts later.
func TestWindowWithoutStart(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		f.mustCommit(0, countedBars(3, 100))
		of := instruments.Priced{Symbol: "ESZ5"}
		first := market.Bar{Time: *minuteOpening(0), Open: 3, High: 4, Low: 3, Close: 4}
		if w := f.window(bars.WindowQuery{Of: of, Secs: 300}); len(w.Bars) != 21 || w.Bars[0] != first {
			f.Errorf("%d bars, the first is %v", len(w.Bars), w.Bars[0])
		}
		if w := f.window(bars.WindowQuery{Of: of, MaxPoints: 1}); len(w.Bars) != 1 || w.Bars[0].Open != 3 || w.Bars[0].Close != 102 {
			f.Errorf("the only bar is %v", w.Bars)
		}
		if w := f.window(bars.WindowQuery{Of: of, Secs: 300, From: minuteOpening(3)}); len(w.Bars) != 20 || w.Bars[0].Time != *minuteOpening(5) {
			f.Errorf("%d bars, the first is %v", len(w.Bars), w.Bars[0])
		}
	})
}

// TestSimilarPricesNeedFills shows the continuous contract's bars only if the fills lie
// inside them.
func TestSimilarPricesNeedFills(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		continuous := key
		continuous.Symbol = "ES1!"
		_, err := f.commit(continuous, 0, newBars(100, 1, 2, 3))
		f.must(err)
		for price, want := range map[int64]int{100: 3, 101: 0} {
			fills := func(context.Context, *db.Tx, journal.UserID, instruments.Priced, market.Range) ([]market.Fill, error) {
				return []market.Fill{{At: *minuteOpening(2) * 1_000_000, Price: decimal.New(price)}}, nil
			}
			f.service = bars.New(f.db, testClock, limit, fills)
			w := f.window(bars.WindowQuery{Of: instruments.Priced{Symbol: "ESZ5", Type: "future"}, From: minuteOpening(0), To: minuteOpening(5)})
			if len(w.Bars) != want || w.Similar != (want > 0) {
				f.Errorf("with a fill at %d: %d bars, similar: %t", price, len(w.Bars), w.Similar)
			}
		}
	})
}

func TestAliases(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f fixture) {
		f.mustCommit(0, newBars(100, 1))
		of := instruments.Priced{Symbol: "SPX500", Type: "cfd"}
		if w := f.window(bars.WindowQuery{Of: of}); len(w.Bars) > 0 {
			f.Error("bars without an alias")
		}
		added, err := f.service.AddAlias(f.Context(), f.owner, "spx500", "ESZ25")
		f.must(err)
		if w := f.window(bars.WindowQuery{Of: of}); len(w.Bars) != 1 {
			f.Error("no bars with an alias")
		}
		if _, err := f.service.AddAlias(f.Context(), f.owner, "SPX500", "NQZ25"); !journal.IsKind(err, journal.KindConflict) {
			f.Errorf("a second alias: %v", err)
		}
		f.must(f.service.DeleteAlias(f.Context(), f.owner, added.ID))
		if list, err := f.service.ListAliases(f.Context(), f.owner); err != nil || len(list) > 0 {
			f.Errorf("aliases %v, error %v", list, err)
		}
	})
}
