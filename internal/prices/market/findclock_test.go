package market_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/prices/market"
)

// randomWalk returns minute bars for a market trading around the clock, from one-second
// ticks, with the ticks.
func randomWalk(random *rand.Rand, minutes int) (bars []market.Bar, ticks []tick) {
	price, start := int64(500_000), int64(1_760_000_000/60*60)
	for second := range int64(minutes) * 60 {
		price += random.Int64N(41) - 20
		ticks = append(ticks, tick{at: (start + second) * micros, price: price})
	}
	return barsOf(ticks, 60), ticks
}

// TestFindReading reads files with random zones and stamps with ten fills each.
func TestFindReading(t *testing.T) {
	t.Parallel()
	zones := []string{"America/New_York", "America/Chicago", "Europe/London", "Europe/Athens", "Asia/Kolkata", "Asia/Tokyo", "UTC"}
	const cases = 100
	right, certain := 0, 0
	for seed := range uint64(cases) {
		random := rand.New(rand.NewPCG(seed, 18))
		bars, ticks := randomWalk(random, 2*1440)
		zone, err := time.LoadLocation(zones[random.IntN(len(zones))])
		if err != nil {
			t.Fatal(err)
		}
		stamp := market.Stamp(random.IntN(2))
		shifted := toFile(bars, zone, stamp)
		found := market.FindReading(shifted, drawFills(random, ticks, 10), market.Choices{})
		_, want := time.Unix(bars[0].Time, 0).In(zone).Zone()
		_, got := time.Unix(bars[0].Time, 0).In(found.Zone).Zone()
		isRight := got == want && found.Stamp == stamp && found.PriceScale.Equal(decimal.New(1))
		if isRight {
			right++
		}
		if found.IsCertain(market.LeastFillsForStamp) {
			certain++
			if !isRight {
				t.Errorf("seed %d: certain of %v and stamp %d, but it is %v and %d", seed, found.Zone, found.Stamp, zone, stamp)
			}
		}
		if few := market.FindReading(shifted, drawFills(random, ticks, 4), market.Choices{}); few.IsCertain(market.LeastFillsForZone) {
			t.Errorf("seed %d: certain with 4 fills", seed)
		}
	}
	t.Logf("right in %d and certain in %d of %d files", right, certain, cases)
	if right < 99 {
		t.Errorf("right in %d of %d files only", right, cases)
	}
}

// toFile returns the bars with the times in a file with that clock.
func toFile(bars []market.Bar, zone *time.Location, stamp market.Stamp) market.Block {
	block := market.Block{Secs: 60, PriceScale: 2}
	for _, bar := range bars {
		_, offset := time.Unix(bar.Time, 0).In(zone).Zone()
		bar.Time += int64(offset)
		if stamp == market.CloseStamp {
			bar.Time += 60
		}
		block.Bars = append(block.Bars, bar)
	}
	return block
}

func drawFills(random *rand.Rand, ticks []tick, n int) (fills []market.Fill) {
	for range n {
		at := ticks[len(ticks)/4+random.IntN(len(ticks)/2)]
		fills = append(fills, market.Fill{At: at.at + random.Int64N(micros), Price: decimal.FromScaled(at.price, 2)})
	}
	return fills
}

func TestFindPriceScale(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 18))
	bars, ticks := randomWalk(random, 1440)
	block := toFile(bars, time.UTC, market.OpenStamp)
	block.PriceScale = 0 // Sierra writes hundredths
	found := market.FindReading(block, drawFills(random, ticks, 12), market.Choices{Zones: []*time.Location{time.UTC}, OnlyZones: true, Stamps: []market.Stamp{market.OpenStamp}})
	if !found.PriceScale.Equal(decimal.Must("0.01")) || !found.IsCertain(market.LeastFillsForStamp) {
		t.Fatalf("found %+v", found)
	}
}
