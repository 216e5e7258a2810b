package demo

import (
	"testing"

	marketdata "fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
)

// TestFillsLieInsideBars compares every fill with its bar.
func TestFillsLieInsideBars(t *testing.T) {
	t.Parallel()
	s, story := composeAccounts("2026-01-30", false)
	fills := map[string][]ledger.NewFill{}
	for _, a := range story.Accounts {
		for _, f := range a.Fills {
			if f.InstrumentType != instruments.TypeOption {
				fills[f.Symbol] = append(fills[f.Symbol], f)
			}
		}
	}
	bars, checked, found := 0, 0, map[string]int{}
	for _, series := range s.composeBars() {
		minutes := decodeBars(t, series)
		if bars += len(minutes.Bars); series.Secs == secondsOfDay {
			continue
		}
		var list []marketdata.Fill
		for _, f := range fills[series.Symbol] {
			list = append(list, marketdata.Fill{At: f.ExecutedAt.UnixMicro(), Price: f.Price})
		}
		inside, with := marketdata.CountInside(minutes, list)
		if inside != with || with == 0 {
			t.Errorf("%s of %d seconds: of %d fills with a bar %d lie inside", series.Symbol, series.Secs, with, inside)
		}
		checked += inside
		found[series.Symbol] += inside
	}
	for symbol, list := range fills {
		if found[symbol] < len(list) { // a fill may be in two series
			t.Errorf("%s: %d of %d fills have a bar", symbol, found[symbol], len(list))
		}
	}
	t.Logf("%d bars, %d fills", bars, checked)
}

// decodeBars returns all bars in a series, which must be valid and in order.
func decodeBars(t *testing.T, series BarSeries) marketdata.Block {
	t.Helper()
	all := marketdata.Block{Secs: series.Secs}
	for _, data := range series.Blocks {
		block, err := marketdata.DecodeBlock(data, nil)
		if err != nil {
			t.Fatalf("%s: %v", series.Symbol, err)
		}
		all = marketdata.MergeBlocks(all, block)
	}
	return all
}
