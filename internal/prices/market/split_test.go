package market_test

import (
	"math/rand/v2"
	"testing"

	"fillbook/internal/base/decimal"
	"fillbook/internal/prices/market"
	"fillbook/internal/prices/market/oracle"
)

// TestSplitsAgreeWithOracle compares jumps over pauses with the oracle: fills and bars,
// with and without an index, with ratios at the edge of the tolerance.
func TestSplitsAgreeWithOracle(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(29, 3))
	found, other := 0, 0
	for range 20_000 {
		b := market.Block{Secs: []int64{60, 3600, 86_400}[random.IntN(3)], PriceScale: 2}
		at, price := int64(1_735_776_000), int64(10_600)
		for range 1 + random.IntN(6) {
			b.Bars = append(b.Bars, market.Bar{Time: at, Open: price, High: price + 10, Low: price - 10, Close: price})
			at += b.Secs
			if random.IntN(3) == 0 {
				at += []int64{3600, 7199, 7200, 60_000}[random.IntN(4)]
			}
			if random.IntN(2) == 0 {
				price = max(20, price*[]int64{50, 53, 47, 52, 54, 100, 200, 200, 25, 66, 1000}[random.IntN(11)]/100)
			}
		}
		span := at - b.Bars[0].Time
		opened := b.Bars[0].Time - 10_000 + random.Int64N(span+10_000)
		closed := opened + random.Int64N(span+20_000)
		fills := []market.Fill{
			{At: opened * 1_000_000, Quantity: decimal.New(1), Price: decimal.New(random.Int64N(200) + 1)},
			{At: closed * 1_000_000, Quantity: decimal.New(-1), Price: decimal.New(random.Int64N(200) + 1)},
		}
		isOpen := random.IntN(3) == 0
		if isOpen {
			fills = fills[:1]
		}
		var p market.Position
		p.Reset(fills, decimal.New(1))
		want := oracle.HasSplit(fills, b, isOpen)
		var index market.Index
		index.Reset(b)
		for _, w := range []market.Window{{Block: b}, {Block: b, Index: &index}} {
			within := market.Range{From: opened - 90_000, To: closed + 90_000}
			if isOpen {
				within.To = at
			}
			if jump, got := p.FindSplit(w.During(within), isOpen); got != want {
				t.Fatalf("found a split %v in %v, the oracle says %v: fills %+v, bars %+v", got, jump, want, fills, b.Bars)
			}
		}
		if found++; !want {
			found, other = found-1, other+1
		}
	}
	if found < 1000 || other < 1000 {
		t.Errorf("%d positions with a split and %d without", found, other)
	}
}
