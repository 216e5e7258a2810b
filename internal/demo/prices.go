package demo

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// random is a random number generator with the simulation's functions.
type random struct{ *rand.Rand }

// seed is the whole journal's seed.
const seed = 0x66696c6c626f6f6b

// newRandom returns the random numbers for one purpose. They depend on the key alone, so
// a change in one part of the journal does not change the others.
func newRandom(key ...any) random {
	hash := fnv.New64a()
	hash.Write(fmt.Append(nil, key...))
	return random{rand.New(rand.NewPCG(seed, hash.Sum64()))}
}

// chance returns true with the given probability.
func (r random) chance(p float64) bool { return r.Float64() < p }

// between returns a number in a range.
func (r random) between(limits [2]float64) float64 {
	return limits[0] + (limits[1]-limits[0])*r.Float64()
}

// whole returns a whole number in a range including both limits.
func (r random) whole(low, high int) int { return low + r.IntN(high-low+1) }

// count returns a small number with the given mean (Poisson).
func (r random) count(mean float64) (n int) {
	for limit, p := math.Exp(-mean), r.Float64(); p > limit && n < 6; n++ {
		p *= r.Float64()
	}
	return n
}

// pick returns a list element.
func pick[T any](r random, list []T) T { return list[r.IntN(len(list))] }

// instrument is a traded instrument with its random walk parameters.
type instrument struct {
	Symbol, Market string
	Walk           string // the symbol whose random numbers it uses; empty for its own
	// A tick, the smallest move of the price, is Tick / 10^Scale.
	Tick       int64
	Scale      int32
	Multiplier int64
	Level      float64 // the mean price
	Sigma      float64 // the standard deviation of daily returns
	Digits     int32   // quantity decimals
	Dividend   float64 // per share; 0 for none
	market     market
}

// price converts ticks to a price.
func (i instrument) price(ticks int) decimal.Decimal {
	return decimal.FromScaled(int64(ticks)*i.Tick, i.Scale)
}

// tickSize returns a tick as a price.
func (i instrument) tickSize() float64 { return float64(i.Tick) / math.Pow10(int(i.Scale)) }

// bar contains a bar's prices, in ticks.
type bar struct{ open, high, low, close int }

// dayWalk contains a day's prices and the standard deviation of its return.
type dayWalk struct{ open, close, sigma float64 }

// series contains an instrument's prices: a random walk from day to day with a weak pull
// to its level, and a walk inside each day from the open to the close. Bars are computed
// when they are first read.
type series struct {
	instrument
	sessions []session
	days     []dayWalk
	bars     map[int][]bar
}

func newSeries(of instrument, first, last journal.Day) *series {
	sessions := of.market.sessions(first, last)
	return &series{instrument: of, sessions: sessions, days: walkDays(of, len(sessions)), bars: map[int][]bar{}}
}

// walkDays returns the opens and closes. Volatility rises and falls over weeks, and each
// instrument has its own trend over the two years.
func walkDays(of instrument, n int) []dayWalk {
	rng := newRandom("days", cmp.Or(of.Walk, of.Symbol))
	trend, wave := rng.between([2]float64{-0.05, 0.45}), rng.between([2]float64{0, 2 * math.Pi})
	days := make([]dayWalk, n)
	x := math.Log(of.Level) - trend/2
	for i := range days {
		share := float64(i) / float64(n)
		anchor := math.Log(of.Level) + trend*(share-0.5)
		sigma := of.Sigma * (1 + 0.35*math.Sin(wave+14*share)) * rng.between([2]float64{0.75, 1.25})
		open := x + of.market.Gap*sigma*rng.NormFloat64()
		x = open + 0.85*sigma*rng.NormFloat64() + 0.012*(anchor-x)
		days[i] = dayWalk{open: math.Exp(open), close: math.Exp(x), sigma: sigma}
	}
	return days
}

// session returns a session's bars.
func (s *series) session(n int) []bar {
	if s.bars[n] == nil {
		s.bars[n] = s.walkBars(n)
	}
	return s.bars[n]
}

// walkBars returns a random path from the day's open to its close.
func (s *series) walkBars(n int) []bar {
	rng, day := newRandom("bars", cmp.Or(s.Walk, s.Symbol), n), s.days[n]
	steps, total := make([]float64, s.sessions[n].Bars), 0.0
	scale := 0.9 * day.sigma / math.Sqrt(float64(len(steps)))
	for i := range steps {
		steps[i] = scale * rng.NormFloat64()
		total += steps[i]
	}
	drift := (math.Log(day.close/day.open) - total) / float64(len(steps))
	bars, x, tick := make([]bar, len(steps)), day.open, s.tickSize()
	toTicks := func(price float64) int { return max(int(math.Round(price/tick)), 1) }
	for i, step := range steps {
		from := x
		x *= math.Exp(step + drift)
		high := max(from, x) + 0.6*scale*x*math.Abs(rng.NormFloat64())
		low := min(from, x) - 0.6*scale*x*math.Abs(rng.NormFloat64())
		bars[i] = bar{open: toTicks(from), high: toTicks(high), low: toTicks(low), close: toTicks(x)}
	}
	return bars
}

// moment is one bar in one session.
type moment struct{ session, bar int }

// barAt returns the bar at a moment.
func (s *series) barAt(m moment) bar { return s.session(m.session)[m.bar] }

// timeAt returns the time at which a moment begins.
func (s *series) timeAt(m moment) time.Time { return s.sessions[m.session].openingOf(m.bar) }

// move returns the moment that many bars after m. It is false if the series ends or
// begins before.
func (s *series) move(m moment, bars int) (moment, bool) {
	n := m.session*s.market.Bars + m.bar + bars
	m = moment{n / s.market.Bars, n % s.market.Bars}
	return m, n >= 0 && m.session < len(s.sessions)
}
