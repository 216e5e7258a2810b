package market_test

import (
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/prices/market"
)

// TestRunningMAE compares each bar with the MAE over the bars up to it.
func TestRunningMAE(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ticks := drawTicks(t)
		fills := drawPosition(t, ticks)
		if len(fills) == 0 {
			return
		}
		secs := rapid.SampledFrom([]int64{1, 60, 300}).Draw(t, "bar length")
		block := market.Block{Secs: secs, PriceScale: 2, Bars: barsOf(ticks, secs)}
		multiplier := decimal.New(50)
		var p market.Position
		p.Reset(fills, multiplier)
		list, err := p.RunningMAE(block)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range list {
			cut := block
			cut.Bars = block.Bars[:i+1]
			n := 0
			for n < len(fills) && fills[n].At < (cut.Bars[i].Time+secs)*micros {
				n++
			}
			want, err := market.MeasureExcursion(fills[:n], multiplier, cut)
			if err != nil {
				t.Fatal(err)
			}
			if !got.Low.Equal(want.MAE.Low) || !got.High.Equal(want.MAE.High) {
				t.Fatalf("bar %d: %+v, want %+v", i, got, want.MAE)
			}
		}
	})
}

// TestRunningResults compares each bar with the result from the fills up to it.
func TestRunningResults(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ticks := drawTicks(t)
		fills := drawPosition(t, ticks)
		secs := rapid.SampledFrom([]int64{1, 60, 300}).Draw(t, "bar length")
		block := market.Block{Secs: secs, PriceScale: 2, Bars: barsOf(ticks, secs)}
		if rapid.Bool().Draw(t, "bars begin later") {
			block.Bars = block.Bars[len(block.Bars)/2:]
		}
		cut := rapid.IntRange(1, len(block.Bars)).Draw(t, "bars")
		block.Bars = block.Bars[:cut]
		end := block.Bars[cut-1].Time + secs
		multiplier := decimal.New(50)
		for i, got := range market.RunningResults(fills, multiplier, block, end) {
			until := block.Bars[i].Time + secs
			// Every fill happens at a tick and so inside a bar, except before the first one.
			var before []market.Fill
			held := decimal.Zero
			for _, f := range fills {
				if f.At < until*micros {
					before, held = append(before, f), held.Add(f.Quantity)
				}
			}
			want := market.ResultAt(before, multiplier, decimal.FromScaled(block.Bars[i].Close, 2))
			if !got.Held.Equal(held) || !got.Result.Equal(want) {
				t.Fatalf("bar %d: %s held with a result of %s, want %s and %s", i, got.Held, got.Result, held, want)
			}
		}
	})
}
