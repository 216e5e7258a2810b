package market_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/prices/market"
)

// TestWindowOfLongPosition measures positions over hundreds of bars with an index and
// without one, in a window beginning anywhere.
func TestWindowOfLongPosition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)) // no secret
		block := market.Block{Secs: 60, PriceScale: 2}
		price := int64(5000)
		for i := range rapid.Int64Range(1, 700).Draw(t, "bars") {
			if random.IntN(10) == 0 {
				continue // a minute without a trade
			}
			move := random.Int64N(41) - 20
			block.Bars = append(block.Bars, market.Bar{
				Time: i * 60, Open: price, High: max(price, price+move) + random.Int64N(9), Low: min(price, price+move) - random.Int64N(9), Close: price + move,
			})
			price += move
		}
		var fills []market.Fill
		for at, n := int64(0), rapid.IntRange(1, 5).Draw(t, "fills"); len(fills) < n; {
			at += random.Int64N(300 * 60 * micros)
			quantity := random.Int64N(3) - 1
			if len(fills) == 0 || quantity == 0 {
				quantity = 2
			}
			fills = append(fills, market.Fill{At: at, Quantity: decimal.New(quantity), Price: decimal.New(50)})
		}
		var index market.Index
		index.Reset(block)
		from := rapid.Int64Range(0, 300).Draw(t, "first minute") * 60
		window := market.Window{Block: block, Index: &index}.During(market.Range{From: from, To: rapid.Int64Range(from, 50_000).Draw(t, "end")})
		var p market.Position
		p.Reset(fills, decimal.New(3))

		plain, err := market.MeasureExcursion(fills, decimal.New(3), window.Block)
		if err != nil {
			t.Fatal(err)
		}
		indexed, err := p.MeasureExcursion(window)
		if err != nil || describeExcursion(plain) != describeExcursion(indexed) {
			t.Fatalf("with an index it is %s, without %s, %v", describeExcursion(indexed), describeExcursion(plain), err)
		}
		until := rapid.Int64Range(0, 50_000).Draw(t, "until")
		found, want := p.BestExit(window, until), market.BestExit(fills, decimal.New(3), window.Block, until)
		if !found.Low.Equal(want.Low) || !found.High.Equal(want.High) {
			t.Fatalf("the best exit is %v, not %v", found, want)
		}
	})
}

func describeExcursion(e market.Excursion) string {
	return e.MAE.Low.String() + " " + e.MAE.High.String() + " " + e.MFE.Low.String() + " " + e.MFE.High.String()
}
