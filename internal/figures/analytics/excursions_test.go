package analytics

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// drawMeasured draws trades with excursions whose truth lies somewhere in the bounds. It
// returns each trade's truth, in risk units.
func drawMeasured(t *rapid.T) (rows []Trade, truth []whatIfTrade) {
	for i := range rapid.IntRange(0, 12).Draw(t, "trades") {
		// All in quarters of R, so float sums are exact.
		quarter := func(from, to int64, name string) decimal.Decimal {
			return decimal.FromScaled(25*rapid.Int64Range(from, to).Draw(t, name), 2)
		}
		gross := quarter(-8, 20, "gross")
		mae := decimal.Max(gross.Neg(), decimal.Zero).Add(quarter(0, 6, "deeper"))
		mfe := decimal.Max(gross, decimal.Zero).Add(quarter(0, 6, "higher"))
		fees := quarter(0, 1, "fees")
		risk := decimal.New(rapid.Int64Range(1, 4).Draw(t, "risk"))
		e := TradeExcursion{
			MAER: decimal.Of(decimal.Max(decimal.Zero, mae.Sub(quarter(0, 3, "mae below")))), MAEHighR: decimal.Of(mae.Add(quarter(0, 3, "mae above"))),
			MFER: decimal.Of(decimal.Max(decimal.Zero, mfe.Sub(quarter(0, 3, "mfe below")))), MFEHighR: decimal.Of(mfe.Add(quarter(0, 3, "mfe above"))),
		}
		if rapid.Bool().Draw(t, "bars are missing") {
			// The upper bounds are no bounds then.
			e.Coverage, e.MAEHighR, e.MFEHighR = decimal.Of(decimal.Must("0.95")), e.MAER, e.MFER
		}
		for k, n := range []decimal.Null{e.MAER, e.MAEHighR, e.MFER, e.MFEHighR} {
			*e.values()[maeLowAt+k] = decimal.Of(n.Decimal.Mul(risk))
		}
		for k := range e.AfterExit {
			if rapid.Bool().Draw(t, "after") {
				e.AfterExit[k] = decimal.Of(quarter(-8, 8, "after exit"))
			}
		}
		net := gross.Sub(fees)
		at := time.Date(2026, 1, 5+i/3, 10, i, 0, 0, time.UTC)
		rows = append(rows, Trade{
			ID: journal.NewID[journal.TradeID](), Symbol: "X", OpenedAt: at, ClosedAt: at, Arrival: int64(i), Net: net.Mul(risk), Gross: gross.Mul(risk),
			Fees: fees.Mul(risk), InitialRisk: decimal.Of(risk), RMultiple: decimal.Of(net), Excursion: &e,
		})
		truth = append(truth, whatIfTrade{
			net: net.Float64(), costs: fees.Float64(), result: outcome(net.Sign()),
			mae: RBounds{mae.Float64(), mae.Float64()}, mfe: RBounds{mfe.Float64(), mfe.Float64()},
		})
	}
	return rows, truth
}

// TestWhatIfContainsTruth checks that the truth lies within the bounds, whether the stop
// or the target came first.
func TestWhatIfContainsTruth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows, truth := drawMeasured(t)
		stats := AnalyzeExcursions(SelectTrades([]*Columns{BuildColumns("a", rows)}, Filter{}), time.UTC, Seed)
		if stats.Trades != len(rows) || stats.WithExcursion != len(rows) || stats.WithR != len(rows) || len(stats.Points) != len(rows) {
			t.Fatalf("counted %+v", stats)
		}
		all := append(append([]WhatIf{stats.Baseline}, stats.Stops...), stats.Targets...)
		for _, row := range stats.Grid {
			all = append(all, row...)
		}
		for _, w := range all {
			isTargetFirst := rapid.Bool().Draw(t, "target first")
			var sums [2]float64
			for i := range truth {
				half := 2 * i / max(len(truth), 1)
				if len(truth)%2 == 1 && i == len(truth)/2 {
					half = 0 // the middle one belongs to the first half
				}
				sums[half] += truth[i].replay(w.Stop, w.Target, isTargetFirst)
			}
			for half, sum := range sums {
				if sum < w.Halves[half].Low || sum > w.Halves[half].High {
					t.Fatalf("half %d is %g, not within %+v", half, sum, w)
				}
			}
			if sum := sums[0] + sums[1]; sum < w.Low || sum > w.High {
				t.Fatalf("the sum is %g, not within %+v", sum, w)
			}
		}
		if math.Abs(stats.Baseline.High-stats.Baseline.Low) > 0 {
			t.Fatalf("nothing changes, but the bounds are %+v", stats.Baseline)
		}
		checkGroups(t, stats, rows, truth)
	})
}

// replay returns a trade's result for a known excursion.
func (t whatIfTrade) replay(stop, target *float64, isTargetFirst bool) float64 {
	isStopped := stop != nil && t.mae.Low >= *stop
	isDone := target != nil && t.mfe.Low >= *target
	switch {
	case isDone && (isTargetFirst || !isStopped):
		return *target - t.costs
	case isStopped:
		return -*stop - t.costs
	}
	return t.net
}

// checkGroups computes the other figures a second time, from the rows.
func checkGroups(t *rapid.T, stats ExcursionStats, rows []Trade, truth []whatIfTrade) {
	var forBreakeven, forLoss CountBounds
	exact := 0
	low, high, winners := decimal.Zero, decimal.Zero, 0
	for i, row := range rows {
		e := row.Excursion
		if count := map[outcome]*CountBounds{breakeven: &forBreakeven, loss: &forLoss}[truth[i].result]; count != nil {
			if e.MFER.Decimal.Cmp(decimal.New(1)) >= 0 {
				count.Low++
			}
			if e.Coverage.Valid || e.MFEHighR.Decimal.Cmp(decimal.New(1)) >= 0 {
				count.High++
			}
		}
		if !e.Coverage.Valid && e.MAER.Equal(e.MAEHighR) && e.MFER.Equal(e.MFEHighR) {
			exact++
		}
		if truth[i].result == win {
			winners++
			low, high = low.Add(row.Excursion.MAELow.Decimal), high.Add(row.Excursion.MAEHigh.Decimal)
		}
	}
	if stats.WentForBreakeven != forBreakeven || stats.WentForLoss != forLoss || stats.Exact != exact {
		t.Fatalf("%+v went for breakeven, %+v for a loss, %d are exact; not %+v, %+v and %d",
			stats.WentForBreakeven, stats.WentForLoss, stats.Exact, forBreakeven, forLoss, exact)
	}
	if got := stats.Winners; got.Trades != winners || winners > 0 && (!got.MAE.Low.Decimal.Equal(mean(low, winners)) || !got.MAE.High.Decimal.Equal(mean(high, winners))) {
		t.Fatalf("the winners are %+v, not %d with %s to %s", got, winners, low, high)
	}
	for k, after := range stats.AfterExit {
		sum, n := decimal.Zero, 0
		for _, row := range rows {
			if value := row.Excursion.AfterExit[k]; value.Valid {
				sum, n = sum.Add(value.Decimal), n+1
			}
		}
		if after.Trades != n || n > 0 && !after.Mean.Decimal.Equal(mean(sum, n)) || (after.Minutes == nil) != (k == len(AfterExitMinutes)) {
			t.Fatalf("after exit %d is %+v, not the mean of %d with sum %s", k, after, n, sum)
		}
	}
}

// TestExcursionBuckets checks that a bucket's range selects its trades, and every trade
// is in a bucket.
func TestExcursionBuckets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := anyTrades(12).Draw(t, "trades")
		for i := range rows {
			addFilteredValues(t, &rows[i])
		}
		columns := []*Columns{BuildColumns("a", rows)}
		for by := range excursionBuckets {
			found := 0
			for _, row := range BreakDown(SelectTrades(columns, Filter{}), BreakdownQuery{By: by, Zone: time.UTC}) {
				found += row.Trades
				within, known := ExcursionRange(by, row.Key)
				if known != (row.Key != "") {
					t.Fatalf("%s: the bucket %q has a range: %t", by, row.Key, known)
				}
				if !known {
					continue
				}
				var f Filter
				switch by {
				case ByMAE:
					f.MAER = within
				case ByMFE:
					f.MFER = within
				case ByExitEfficiency:
					f.ExitEfficiency = within
				case ByATR:
					f.ATRPct = within
				case ByGap:
					f.GapPct = within
				case ByRelativeVolume:
					f.RelativeVolume = within
				default:
					f.OpeningRange = within
				}
				if n := SelectTrades(columns, f).Len(); n != row.Trades {
					t.Fatalf("%s: the bucket %q has %d trades, its range %d", by, row.Key, row.Trades, n)
				}
			}
			if found != len(rows) {
				t.Fatalf("%s: %d of %d trades are in a bucket", by, found, len(rows))
			}
		}
	})
}
