package market_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/prices/market"
)

// TestBestExit compares the bounds with the best price on random paths.
func TestBestExit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ticks := drawTicks(t)
		fills := drawPosition(t, ticks)
		held := decimal.Zero
		for _, f := range fills {
			held = held.Add(f.Quantity)
		}
		if len(fills) < 2 || !held.IsZero() {
			t.Skip("the position is open")
		}
		secs := rapid.SampledFrom([]int64{1, 60, 300}).Draw(t, "bar length")
		until := ticks[len(ticks)-1].at/micros/secs*secs + secs
		n := len(fills) - 1
		best := market.ResultAt(fills[:n], decimal.New(50), fills[n].Price)
		for _, tick := range ticks {
			if tick.at >= fills[n-1].At {
				best = decimal.Max(best, market.ResultAt(fills[:n], decimal.New(50), decimal.FromScaled(tick.price, 2)))
			}
		}
		block := market.Block{Secs: secs, PriceScale: 2, Bars: barsOf(ticks, secs)}
		found := market.BestExit(fills, decimal.New(50), block, until)
		if best.Cmp(found.Low) < 0 || best.Cmp(found.High) > 0 {
			t.Fatalf("%s is not within %s and %s", best, found.Low, found.High)
		}
	})
}

// sessionStart is the start of a CME session: Sunday, 1 June 2025, 17:00 in New York.
var sessionStart = time.Date(2025, 6, 1, 21, 0, 0, 0, time.UTC).Unix()

// drawDays draws five-minute bars for some CME sessions, each from its opening on.
func drawDays(t *rapid.T, days int) (bars []market.Bar) {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)) // no secret
	price := int64(600_000)
	for d := range int64(days) {
		week, weekday := d/5, d%5
		open := sessionStart + (week*7+weekday)*24*3600 + 3600
		for i := range int64(23 * 12) {
			move := random.Int64N(401) - 200
			bar := market.Bar{Time: open + i*300, Open: price, High: max(price, price+move) + 25, Low: min(price, price+move) - 25, Close: price + move}
			bar.Volume = 1 + random.Int64N(100)
			bars, price = append(bars, bar), bar.Close
		}
		price += random.Int64N(1001) - 500
	}
	return bars
}

func contextOf(bars []market.Bar, at int64, price decimal.Decimal) market.Context {
	block := market.Block{Secs: 300, PriceScale: 2, HasVolume: true, Bars: bars}
	history := market.NewHistory(market.NewHours(market.NewSessions(market.CME), market.DeclaredRanges(bars, 300, market.CME)), market.Block{})
	// In two parts, as a reader adds them.
	half := block
	half.Bars = bars[:len(bars)/2]
	history.Add(half)
	history.Add(block)
	return history.Context(at, price, block)
}

// TestContext compares the context with a computation in floats.
func TestContext(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const days = 22
		bars := drawDays(t, days)
		perDay := len(bars) / days
		today := rapid.IntRange(1, days-1).Draw(t, "day")
		entry := today*perDay + rapid.IntRange(1, perDay-1).Draw(t, "bar")
		at := bars[entry].Time*micros + rapid.Int64Range(0, 299*micros).Draw(t, "instant")
		price := decimal.FromScaled(bars[entry].Open, 2)
		got := contextOf(bars, at, price)

		day := func(n int) []market.Bar { return bars[n*perDay : (n+1)*perDay] }
		compare := func(name string, got decimal.Null, want float64, isThere bool) {
			if got.Valid != isThere || isThere && math.Abs(got.Decimal.Float64()-want) > 0.001 {
				t.Fatalf("%s is %s, not %g (%v)", name, got, want, isThere)
			}
		}
		first, before := float64(day(today)[0].Open), float64(day(today - 1)[perDay-1].Close)
		compare("gap", got.GapPct, (first-before)/before*100, true)

		compare("ATR", got.ATR, wilder(today, day), today >= 15)

		soFar := func(n int) (sum float64) {
			for _, bar := range day(n)[:entry%perDay] {
				sum += float64(bar.Volume)
			}
			return sum
		}
		mean, count := 0.0, min(today, 20)
		for i := range count {
			mean += soFar(today-1-i) / float64(count)
		}
		compare("relative volume", got.RelativeVolume, soFar(today)/mean, count >= 5)

		high, low := int64(0), int64(math.MaxInt64)
		for _, bar := range day(today)[:6] {
			high, low = max(high, bar.High), min(low, bar.Low)
		}
		compare("place", got.OpeningRangePlace, float64(bars[entry].Open-low)/float64(high-low), entry%perDay >= 6)

		// Nothing after the entry changes the context.
		for i := entry; i < len(bars); i++ {
			bars[i].Open, bars[i].High, bars[i].Low, bars[i].Close, bars[i].Volume = 1, 2, 1, 2, 7
		}
		if after := contextOf(bars, at, price); !equalContexts(after, got) {
			t.Fatalf("bars after the entry change the context from %v to %v", got, after)
		}
	})
}

// wilder returns the average true range over the days before a day, in floats.
func wilder(today int, day func(int) []market.Bar) float64 {
	extremes := func(n int) (high, low, last float64) {
		high, low = 0, math.MaxFloat64
		for _, bar := range day(n) {
			high, low = max(high, float64(bar.High)), min(low, float64(bar.Low))
		}
		return high, low, float64(day(n)[len(day(n))-1].Close)
	}
	average := 0.0
	for n := 1; n < today; n++ {
		high, low, _ := extremes(n)
		_, _, last := extremes(n - 1)
		value := max(high-low, math.Abs(high-last), math.Abs(low-last)) / 100
		if n <= 14 {
			average += value / 14
		} else {
			average = (average*13 + value) / 14
		}
	}
	return average
}

// TestGapOfDailyBars has only daily bars: their open is known once the session began.
func TestGapOfDailyBars(t *testing.T) {
	t.Parallel()
	date := func(day int) int64 { return time.Date(2025, 10, day, 0, 0, 0, 0, time.UTC).Unix() }
	daily := market.Block{Secs: 24 * 3600, Bars: []market.Bar{
		{Time: date(17), Open: 100, High: 210, Low: 100, Close: 200}, // a Friday
		{Time: date(20), Open: 205, High: 300, Low: 100, Close: 250},
	}}
	history := market.NewHistory(market.NewHours(market.NewSessions(market.USStocks), nil), daily)
	for at, want := range map[time.Time]string{
		time.Date(2025, 10, 20, 13, 29, 0, 0, time.UTC): "null", // before the open
		time.Date(2025, 10, 20, 13, 30, 0, 0, time.UTC): "2.5",
		time.Date(2025, 10, 20, 19, 59, 0, 0, time.UTC): "2.5",
		time.Date(2025, 10, 17, 15, 0, 0, 0, time.UTC):  "null", // no day before
		time.Date(2025, 10, 21, 15, 0, 0, 0, time.UTC):  "null", // no bar that day
	} {
		got := history.Context(at.UnixMicro(), decimal.New(200), market.Block{Secs: 24 * 3600})
		if got.GapPct.String() != want || got.RelativeVolume.Valid {
			t.Errorf("at %s the gap is %s, not %s", at, got.GapPct, want)
		}
	}
}

func TestDailyBarsWin(t *testing.T) {
	t.Parallel()
	var daily []market.Bar
	for i := range int64(20) {
		daily = append(daily, market.Bar{Time: time.Date(2025, 10, 1, 0, 0, 0, 0, time.UTC).Unix() + i*24*3600, Open: 100, High: 110, Low: 100, Close: 100})
	}
	// The last one is on the entry day, which is not over.
	daily[19].Time, daily[19].High = time.Date(2025, 10, 20, 0, 0, 0, 0, time.UTC).Unix(), 1000
	history := market.NewHistory(market.NewHours(market.NewSessions(market.CME), nil), market.Block{Secs: 24 * 3600, Bars: daily})
	entry := time.Date(2025, 10, 19, 23, 0, 0, 0, time.UTC).UnixMicro() // in the 20 October session
	if got := history.Context(entry, decimal.New(100), market.Block{Secs: 24 * 3600}); got.ATR.String() != "10" {
		t.Errorf("the average true range is %s", got.ATR)
	}
}

func equalContexts(a, b market.Context) bool {
	return a.ATR.Equal(b.ATR) && a.GapPct.Equal(b.GapPct) && a.RelativeVolume.Equal(b.RelativeVolume) && a.OpeningRangePlace.Equal(b.OpeningRangePlace)
}
