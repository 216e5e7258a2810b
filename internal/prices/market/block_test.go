package market_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/prices/market"
)

// drawBars draws valid bars in time order.
func drawBars(t *rapid.T, secs, most int64, hasVolume bool) (bars []market.Bar) {
	time := rapid.Int64Range(-1<<33, 1<<33).Draw(t, "first time")
	for range rapid.IntRange(0, 30).Draw(t, "bars") {
		number, volume := rapid.Int64Range(-most, most), rapid.Int64Range(0, market.MaxNumber)
		if rapid.Bool().Draw(t, "small") {
			number, volume = rapid.Int64Range(-300, 40_000), rapid.Int64Range(0, 40_000)
		}
		bar := market.Bar{Time: time, Open: number.Draw(t, "open"), Close: number.Draw(t, "close")}
		bar.High = max(bar.Open, bar.Close, number.Draw(t, "high"))
		bar.Low = min(bar.Open, bar.Close, number.Draw(t, "low"))
		if hasVolume {
			bar.Volume = volume.Draw(t, "volume")
		}
		bars = append(bars, bar)
		time += secs * rapid.Int64Range(1, 1000).Draw(t, "pause")
		if rapid.IntRange(0, 9).Draw(t, "off the grid") == 0 {
			time++
		}
	}
	return bars
}

func drawAnyBlock(t *rapid.T) market.Block {
	block := market.Block{
		Secs:        rapid.SampledFrom([]int64{1, 60, 3600, 86400}).Draw(t, "secs"),
		PriceScale:  rapid.Int32Range(0, market.MaxPriceScale).Draw(t, "price scale"),
		VolumeScale: rapid.Int32Range(0, market.MaxScale).Draw(t, "volume scale"),
		HasVolume:   rapid.Bool().Draw(t, "has volume"),
	}
	most := int64(market.MaxPrice)
	for range block.PriceScale {
		most *= 10
	}
	block.Bars = drawBars(t, block.Secs, most-1, block.HasVolume)
	return block
}

func TestBlocksAreDecodedAsTheyWereEncoded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		block := drawAnyBlock(t)
		decoded, err := market.DecodeBlock(block.AppendTo(nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(block, decoded); diff != "" {
			t.Fatalf("the decoded block differs (-want +got):\n%s", diff)
		}
	})
}

func TestSplitBlocks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		block := drawAnyBlock(t)
		parts := market.SplitBlocks(block)
		for range 2 { // a repeated transaction reads them again
			var all []market.Bar
			for part := range parts {
				first, last := part.Bars[0].Time, part.Bars[len(part.Bars)-1].Time
				if market.BlockStart(first, block.Secs) != market.BlockStart(last, block.Secs) {
					t.Fatalf("a block has bars from %d to %d", first, last)
				}
				all = append(all, part.Bars...)
			}
			if !slices.Equal(all, block.Bars) {
				t.Fatalf("the blocks have %d bars, want %d", len(all), len(block.Bars))
			}
		}
	})
}

func TestDamagedBlocksAreRefused(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data := drawAnyBlock(t).AppendTo(nil)
		cut := data[:rapid.IntRange(0, len(data)-1).Draw(t, "length")]
		if _, err := market.DecodeBlock(cut, nil); !errors.Is(err, market.ErrBlock) {
			t.Fatalf("%d of %d bytes: the error is %v", len(cut), len(data), err)
		}
		if _, err := market.DecodeBlock(append(data, 0), nil); !errors.Is(err, market.ErrBlock) {
			t.Fatalf("one byte too many: the error is %v", err)
		}
	})
}

func FuzzDecodeBlock(f *testing.F) {
	f.Add(market.Block{Secs: 60, Bars: []market.Bar{{Time: 60, Open: 5, High: 6, Low: 4, Close: 5}}}.AppendTo(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		block, err := market.DecodeBlock(data, nil)
		if err != nil {
			return
		}
		last := int64(-1 << 62)
		for _, bar := range block.Bars {
			if bar.Check() != nil || bar.Time <= last {
				t.Fatalf("a decoded bar is not valid: %+v", bar)
			}
			last = bar.Time
		}
	})
}

func TestBlocksBeginOnMondays(t *testing.T) {
	t.Parallel()
	const (
		thursday = 0 // 1 January 1970
		day      = 86400
	)
	for _, test := range []struct{ time, secs, want int64 }{
		{thursday, 60, -3 * day},
		{thursday - 3*day, 60, -3 * day},
		{thursday - 3*day - 1, 60, -10 * day},
		{thursday + 4*day, 60, 4 * day},
		{thursday + 5*day + 7, 1, 5 * day},
		{1_763_300_000, 86400, 1_761_523_200}, // 16 November 2025, in the block from 27 October on
	} {
		if got := market.BlockStart(test.time, test.secs); got != test.want {
			t.Errorf("the block of %d with bars of %d s begins at %d, not %d", test.time, test.secs, got, test.want)
		}
	}
}

func TestRescale(t *testing.T) {
	t.Parallel()
	block := market.Block{Secs: 60, PriceScale: 1, Bars: []market.Bar{{Open: 15, High: 17, Low: 14, Close: 16, Volume: 3}}, HasVolume: true}
	if !block.Rescale(3, 1) {
		t.Fatal("the numbers fit")
	}
	want := market.Block{
		Secs: 60, PriceScale: 3, VolumeScale: 1, HasVolume: true,
		Bars: []market.Bar{{Open: 1500, High: 1700, Low: 1400, Close: 1600, Volume: 30}},
	}
	if diff := cmp.Diff(want, block); diff != "" {
		t.Fatalf("the block differs (-want +got):\n%s", diff)
	}
	if block.Rescale(3, 18) {
		t.Fatal("30 with 17 more decimals does not fit")
	}
	if diff := cmp.Diff(want, block); diff != "" {
		t.Fatalf("a refused change changed the block (-want +got):\n%s", diff)
	}
}

func TestAggregateKeepsExtremesAndVolume(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var bars []market.Bar
		for _, minute := range rapid.SliceOfNDistinct(rapid.Int64Range(-500, 500), 0, 30, rapid.ID[int64]).Draw(t, "minutes") {
			open, last := rapid.Int64Range(0, 100).Draw(t, "open"), rapid.Int64Range(0, 100).Draw(t, "close")
			bars = append(bars, market.Bar{Time: minute * 60, Open: open, High: max(open, last) + 1, Low: min(open, last) - 1, Close: last, Volume: 7})
		}
		sortBars(bars)
		longer := market.Aggregate(bars, 300)
		next := 0
		for i, bar := range longer {
			if bar.Time%300 != 0 || i > 0 && bar.Time <= longer[i-1].Time || bar.Check() != nil {
				t.Fatalf("bar %d is not valid: %+v", i, bar)
			}
			want := bars[next]
			for want.Volume = 0; next < len(bars) && bars[next].Time < bar.Time+300; next++ {
				want.High, want.Low = max(want.High, bars[next].High), min(want.Low, bars[next].Low)
				want.Close, want.Volume = bars[next].Close, want.Volume+bars[next].Volume
			}
			if want.Time = bar.Time; want != bar {
				t.Fatalf("bar %d is %+v, not %+v", i, bar, want)
			}
		}
		if next != len(bars) {
			t.Fatalf("%d of %d bars are in longer ones", next, len(bars))
		}
	})
}

// TestEqualizeScales compares the prices and volumes in two blocks before and after.
func TestEqualizeScales(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawAnyBlock(t), drawAnyBlock(t)
		before := [2]market.Block{a, b}
		a.Bars, b.Bars = slices.Clone(a.Bars), slices.Clone(b.Bars)
		market.EqualizeScales(&a, &b)
		if a.PriceScale != b.PriceScale || a.VolumeScale != b.VolumeScale {
			t.Fatalf("the scales differ: %d and %d, %d and %d", a.PriceScale, b.PriceScale, a.VolumeScale, b.VolumeScale)
		}
		for i, after := range [2]market.Block{a, b} {
			for j, bar := range after.Bars {
				was := before[i].Bars[j]
				if !decimal.FromScaled(bar.High, after.PriceScale).Equal(decimal.FromScaled(was.High, before[i].PriceScale)) {
					t.Fatalf("a price changed from %+v to %+v", was, bar)
				}
				volume := decimal.FromScaled(was.Volume, before[i].VolumeScale)
				off := decimal.FromScaled(bar.Volume, after.VolumeScale).Sub(volume).Abs()
				if off.Cmp(decimal.FromScaled(5, after.VolumeScale+1)) > 0 || bar.Check() != nil {
					t.Fatalf("a volume changed from %v by %v", volume, off)
				}
			}
		}
	})
}
