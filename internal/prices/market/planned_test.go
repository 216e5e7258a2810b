package market_test

import (
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/prices/market"
)

// truePlannedExit follows an order from tick to tick: it is filled at the level, or at a
// bar's first tick if that is beyond.
func truePlannedExit(ticks []tick, fills []market.Fill, level decimal.Decimal, isAbove bool, secs int64) (result decimal.Decimal, isReached bool) {
	var held, paid decimal.Decimal
	for i, tick := range ticks {
		price := decimal.FromScaled(tick.price, 2)
		isBeyond := price.Cmp(level) <= 0
		if isAbove {
			isBeyond = price.Cmp(level) >= 0
		}
		if isBeyond && !held.IsZero() {
			if isOpen := i == 0 || ticks[i-1].at/micros/secs != tick.at/micros/secs; !isOpen {
				price = level
			}
			return held.Mul(price).Sub(paid), true
		}
		for len(fills) > 1 && fills[0].At == tick.at { // all but the last
			held, paid = held.Add(fills[0].Quantity), paid.Add(fills[0].Quantity.Mul(fills[0].Price))
			fills = fills[1:]
		}
	}
	return decimal.Zero, false
}

// TestPlannedExitContainsTheTruth compares stops and targets with what really happened
// between the bars.
func TestPlannedExitContainsTheTruth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ticks := drawTicks(t)
		fills := drawPosition(t, ticks)
		if len(fills) < 2 {
			return
		}
		secs := rapid.SampledFrom([]int64{1, 60, 300}).Draw(t, "bar length")
		block := market.Block{Secs: secs, PriceScale: 2, Bars: barsOf(ticks, secs)}
		isStop := rapid.Bool().Draw(t, "is a stop")
		isAbove := (fills[0].Quantity.Sign() > 0) != isStop
		distance := rapid.Int64Range(1, 60).Draw(t, "distance")
		if !isAbove {
			distance = -distance
		}
		level := fills[0].Price.Add(decimal.FromScaled(distance, 2))
		want, isReached := truePlannedExit(ticks, fills, level, isAbove, secs)
		if rapid.Bool().Draw(t, "only minutes are known") {
			dropSeconds(fills)
		}
		var p market.Position
		p.Reset(fills, decimal.New(1))
		got := p.PlannedExit(market.Window{Block: block}, level, isStop, 1<<40)
		switch {
		case got.Reached == market.NotReached && isReached, got.Reached == market.Reached && !isReached, got.Reached == "":
			t.Fatalf("reached: %q, in truth %v", got.Reached, isReached)
		case isReached && (want.Cmp(got.Result.Low) < 0 || want.Cmp(got.Result.High) > 0):
			t.Fatalf("the result is %s to %s, in truth %s", got.Result.Low, got.Result.High, want)
		}
	})
}

func TestPlannedExit(t *testing.T) {
	t.Parallel()
	price := decimal.New
	fill := func(minute, quantity, at int64) market.Fill {
		return market.Fill{At: (minute*60 + 30) * micros, Quantity: decimal.New(quantity), Price: price(at)}
	}
	bars := []market.Bar{
		{Time: 0, Open: 100, High: 103, Low: 97, Close: 101}, // the entry at 100
		{Time: 60, Open: 101, High: 104, Low: 98, Close: 99},
		{Time: 120, Open: 95, High: 96, Low: 94, Close: 95}, // opens below 96
		{Time: 180, Open: 95, High: 110, Low: 95, Close: 109},
	}
	long := []market.Fill{fill(0, 2, 100), fill(1, -2, 102)}
	for _, c := range []struct {
		name   string
		level  int64
		isStop bool
		want   market.PlannedExit
	}{
		{"in a bar without a fill", 105, false, market.PlannedExit{Reached: market.Reached, At: 180, Result: market.Bounds{Low: price(10), High: price(10)}}},
		{"a bar that opens beyond", 96, true, market.PlannedExit{Reached: market.Reached, At: 120, Result: market.Bounds{Low: price(-10), High: price(-10)}}},
		{"perhaps before the entry, else a minute later", 98, true, market.PlannedExit{Reached: market.Reached, Result: market.Bounds{Low: price(-4), High: price(-4)}}},
		{"never", 111, false, market.PlannedExit{Reached: market.NotReached}},
		{"not on this side", 101, true, market.PlannedExit{}},
	} {
		var p market.Position
		p.Reset(long, decimal.New(1))
		got := p.PlannedExit(market.Window{Block: market.Block{Secs: 60, Bars: bars}}, price(c.level), c.isStop, 240)
		same := got.Reached == c.want.Reached && got.At == c.want.At && got.Result.Low.Equal(c.want.Result.Low) && got.Result.High.Equal(c.want.Result.High)
		if !same {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if cut := p.PlannedExit(market.Window{Block: market.Block{Secs: 60, Bars: bars}}, price(105), false, 239); cut.Reached != market.NotReached {
			t.Errorf("a level that is reached later: %+v", cut)
		}
	}
}
