package market_test

import (
	"errors"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/prices/market"
	"fillbook/internal/prices/market/oracle"
)

// A tick is a market price at an instant.
type tick struct {
	at    int64
	price int64
}

const micros = 1_000_000

// drawTicks draws a random price path with at least one tick.
func drawTicks(t *rapid.T) []tick {
	at, price := int64(0), rapid.Int64Range(-50, 5000).Draw(t, "first price")
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) tick {
		at += rapid.Int64Range(1, 90*micros).Draw(t, "pause")
		price += rapid.Int64Range(-30, 30).Draw(t, "move")
		return tick{at, price}
	}), 1, 60).Draw(t, "ticks")
}

// barsOf makes bars from ticks as a data vendor does.
func barsOf(ticks []tick, secs int64) (bars []market.Bar) {
	for _, tick := range ticks {
		time := tick.at / micros / secs * secs
		if n := len(bars); n > 0 && bars[n-1].Time == time {
			bar := &bars[n-1]
			bar.High, bar.Low, bar.Close = max(bar.High, tick.price), min(bar.Low, tick.price), tick.price
			continue
		}
		bars = append(bars, market.Bar{Time: time, Open: tick.price, High: tick.price, Low: tick.price, Close: tick.price})
	}
	return bars
}

// drawPosition draws fills at some ticks, each at the tick's price, sometimes several at
// one tick. The position is opened by the first and never crosses zero. It may be open
// after the last tick.
func drawPosition(t *rapid.T, ticks []tick) (fills []market.Fill) {
	direction := rapid.SampledFrom([]int64{1, -1}).Draw(t, "direction")
	held := int64(0)
	for i, tick := range ticks {
		for range rapid.SampledFrom([]int{0, 0, 0, 1, 1, 2}).Draw(t, "fills of the tick") {
			quantity := rapid.Int64Range(1, 3).Draw(t, "quantity")
			if held > 0 && rapid.Bool().Draw(t, "reduces") {
				quantity = -min(quantity, held)
			}
			fills = append(fills, newFill(tick, direction*quantity))
			if held += quantity; held == 0 {
				return fills
			}
		}
		if i == len(ticks)-1 && held > 0 && rapid.Bool().Draw(t, "closed") {
			fills = append(fills, newFill(tick, -direction*held))
		}
	}
	return fills
}

func newFill(at tick, quantity int64) market.Fill {
	return market.Fill{At: at.at, Quantity: decimal.New(quantity), Price: decimal.FromScaled(at.price, 2)}
}

// trueExcursion follows the position from tick to tick. A fill at a tick happens at
// its price, so the result does not change by it.
func trueExcursion(ticks []tick, fills []market.Fill, multiplier decimal.Decimal) (mae, mfe decimal.Decimal) {
	var held, paid decimal.Decimal
	isOpen := func() bool { return len(fills) > 0 || !held.IsZero() }
	for _, tick := range ticks {
		price := decimal.FromScaled(tick.price, 2)
		started := !held.IsZero() || !paid.IsZero()
		if started && isOpen() {
			result := held.Mul(price).Sub(paid).Mul(multiplier)
			mae, mfe = decimal.Max(mae, result.Neg()), decimal.Max(mfe, result)
		}
		for len(fills) > 0 && fills[0].At == tick.at {
			held, paid = held.Add(fills[0].Quantity), paid.Add(fills[0].Quantity.Mul(fills[0].Price))
			fills = fills[1:]
		}
	}
	return mae, mfe
}

// TestBoundsContainTheTruth compares the bounds with what really happened between the
// bars, while MeasureExcursion sees only the bars.
func TestBoundsContainTheTruth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ticks := drawTicks(t)
		fills := drawPosition(t, ticks)
		multiplier := drawMultiplier(t)
		mae, mfe := trueExcursion(ticks, fills, multiplier)
		if rapid.Bool().Draw(t, "only minutes are known") {
			dropSeconds(fills)
		}
		found, err := market.MeasureExcursion(fills, multiplier, drawBlock(t, ticks))
		if err != nil {
			t.Fatal(err)
		}
		checkBounds(t, "MAE", found.MAE, mae)
		checkBounds(t, "MFE", found.MFE, mfe)
		if found.FillsInside != len(fills) || found.FillsWithoutBar != 0 {
			t.Fatalf("%d of %d fills are inside their bars, %d have none", found.FillsInside, len(fills), found.FillsWithoutBar)
		}
	})
}

func drawMultiplier(t *rapid.T) decimal.Decimal {
	return decimal.Must(rapid.SampledFrom([]string{"1", "50", "0.1", "0.37"}).Draw(t, "multiplier"))
}

func drawBlock(t *rapid.T, ticks []tick) market.Block {
	secs := rapid.SampledFrom([]int64{1, 5, 60, 300}).Draw(t, "seconds of a bar")
	return market.Block{Secs: secs, PriceScale: 2, Bars: barsOf(ticks, secs)}
}

// dropSeconds truncates each fill's time to the minute, as some brokers do.
func dropSeconds(fills []market.Fill) {
	for i := range fills {
		fills[i].At -= fills[i].At % (60 * micros)
		fills[i].Width = 60*micros - 1
	}
}

func checkBounds(t *rapid.T, name string, found market.Bounds, truth decimal.Decimal) {
	t.Helper()
	if found.Low.Cmp(truth) > 0 || found.High.Cmp(truth) < 0 {
		t.Fatalf("%s is %v, outside of %v to %v", name, truth, found.Low, found.High)
	}
}

// TestExcursionAgreesWithTheOracle also covers fills outside their bars, as in a wrong
// file.
func TestExcursionAgreesWithTheOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ticks := drawTicks(t)
		fills := drawPosition(t, ticks)
		multiplier := drawMultiplier(t)
		block := drawBlock(t, ticks)
		if rapid.Bool().Draw(t, "damaged") {
			for i := range fills {
				fills[i].Price = fills[i].Price.Add(decimal.FromScaled(rapid.Int64Range(-200, 200).Draw(t, "off by"), 3))
			}
			block.Bars = block.Bars[rapid.IntRange(0, len(block.Bars)).Draw(t, "missing bars"):]
		}
		found, err := market.MeasureExcursion(fills, multiplier, block)
		if err != nil {
			t.Fatal(err)
		}
		want := oracle.MeasureExcursion(fills, multiplier.Rat(), block)
		for _, pair := range []struct {
			name  string
			found decimal.Decimal
			want  *big.Rat
		}{
			{"lower bound of MAE", found.MAE.Low, want.MAELow},
			{"upper bound of MAE", found.MAE.High, want.MAEHigh},
			{"lower bound of MFE", found.MFE.Low, want.MFELow},
			{"upper bound of MFE", found.MFE.High, want.MFEHigh},
		} {
			if pair.found.Rat().Cmp(pair.want) != 0 {
				t.Fatalf("the %s is %v, the oracle has %v", pair.name, pair.found, pair.want.FloatString(6))
			}
		}
	})
}

func TestExcursion(t *testing.T) {
	t.Parallel()
	minute := func(n, open, high, low, last int64) market.Bar {
		return market.Bar{Time: n * 60, Open: open, High: high, Low: low, Close: last}
	}
	fill := func(second, quantity, price int64) market.Fill {
		return market.Fill{At: second * micros, Quantity: decimal.New(quantity), Price: decimal.New(price)}
	}
	tests := []struct {
		name            string
		fills           []market.Fill
		bars            []market.Bar
		maeLow, maeHigh int64
		mfeLow, mfeHigh int64
		inside          int
		withoutBar      int
	}{
		{
			name:   "no bars: the fills alone are certain",
			fills:  []market.Fill{fill(10, 1, 100), fill(130, -1, 104)},
			mfeLow: 4, mfeHigh: 4, withoutBar: 2,
		},
		{
			name:  "the high of the entry's bar may have been before the entry",
			fills: []market.Fill{fill(10, 1, 100), fill(130, -1, 104)},
			bars:  []market.Bar{minute(0, 99, 109, 98, 101), minute(1, 101, 106, 97, 103), minute(2, 103, 105, 103, 104)},
			// Certain: 97 and 106 in the second bar. Possible: 98 and 109 in the first.
			maeLow: 3, maeHigh: 3, mfeLow: 6, mfeHigh: 9, inside: 2,
		},
		{
			name:  "short",
			fills: []market.Fill{fill(10, -2, 100), fill(70, 2, 95)},
			bars:  []market.Bar{minute(0, 100, 101, 100, 100), minute(1, 100, 100, 90, 96)},
			// The second bar's low may have come after the exit. The first bar closed at
			// the entry price.
			maeLow: 0, maeHigh: 2, mfeLow: 10, mfeHigh: 20, inside: 2,
		},
		{
			name:  "a fill at the opening of a bar lies in that bar",
			fills: []market.Fill{fill(60, 1, 100), fill(120, -1, 101)},
			bars:  []market.Bar{minute(0, 100, 150, 50, 100), minute(1, 100, 103, 99, 101), minute(2, 101, 101, 80, 85)},
			// The last bar's low came after the exit or at it: possible, not certain.
			maeLow: 0, maeHigh: 20, mfeLow: 1, mfeHigh: 3, inside: 2,
		},
		{
			name:   "open: held to the end of the bars",
			fills:  []market.Fill{fill(10, 1, 100)},
			bars:   []market.Bar{minute(0, 100, 100, 100, 100), minute(5, 100, 120, 90, 110)},
			maeLow: 10, maeHigh: 10, mfeLow: 20, mfeHigh: 20, inside: 1,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			found, err := market.MeasureExcursion(test.fills, decimal.New(1), market.Block{Secs: 60, Bars: test.bars})
			if err != nil {
				t.Fatal(err)
			}
			got := [...]int64{toInt(found.MAE.Low), toInt(found.MAE.High), toInt(found.MFE.Low), toInt(found.MFE.High)}
			want := [...]int64{test.maeLow, test.maeHigh, test.mfeLow, test.mfeHigh}
			if got != want {
				t.Errorf("MAE low and high, MFE low and high are %v, not %v", got, want)
			}
			if found.FillsInside != test.inside || found.FillsWithoutBar != test.withoutBar {
				t.Errorf("%d fills inside and %d without a bar, not %d and %d", found.FillsInside, found.FillsWithoutBar, test.inside, test.withoutBar)
			}
		})
	}
}

func toInt(d decimal.Decimal) int64 { return d.Rat().Num().Int64() }

func TestTooCoarseFillsAreRefused(t *testing.T) {
	t.Parallel()
	const bars = 20_000
	fills := make([]market.Fill, 600)
	for i := range fills {
		fills[i] = market.Fill{Width: bars * micros, Quantity: decimal.New(1), Price: decimal.New(1)}
	}
	block := market.Block{Secs: 1, Bars: make([]market.Bar, bars)}
	for i := range block.Bars {
		block.Bars[i] = market.Bar{Time: int64(i), Open: 1, High: 1, Low: 1, Close: 1}
	}
	if _, err := market.MeasureExcursion(fills, decimal.New(1), block); !errors.Is(err, market.ErrTooCoarse) {
		t.Fatalf("the error is %v", err)
	}
}
