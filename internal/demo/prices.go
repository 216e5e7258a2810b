package demo

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"fillbook/internal/decimal"
)

// dice is a random number generator with the functions that the story needs.
type dice struct{ *rand.Rand }

// seed is the seed of the whole story.
const seed = 0x66696c6c626f6f6b

// throw returns the random numbers for one purpose. They depend on the words
// alone, so that a change in one part of the story does not change the others.
func throw(words ...any) dice {
	name := fnv.New64a()
	name.Write(fmt.Append(nil, words...))
	return dice{rand.New(rand.NewPCG(seed, name.Sum64()))}
}

// chance is true with the given probability.
func (d dice) chance(p float64) bool { return d.Float64() < p }

// between is evenly spread over a range.
func (d dice) between(low, high float64) float64 { return low + (high-low)*d.Float64() }

// whole is a whole number from low to high, both included.
func (d dice) whole(low, high int) int { return low + d.IntN(high-low+1) }

// pick takes one of a list.
func pick[T any](d dice, list []T) T { return list[d.IntN(len(list))] }

// instrument is what is traded, with the way its price moves.
type instrument struct {
	symbol string
	kind   string // as executions call it
	// A tick, the smallest move of the price, is tick / 10^scale.
	tick  int64
	scale int32
	// multiplier is what a move of 1.0 is worth.
	multiplier int64
	level      float64 // about where the price stands
	sigma      float64 // how far a day moves it, as a share of it
	digits     int32   // how many decimals a quantity has
	// follows is the instrument whose closes these are, only higher; empty for
	// one that walks by itself.
	follows string
}

// quantity is a number of the smallest units that can be traded.
func (i instrument) quantity(units int64) decimal.Decimal {
	return decimal.FromScaled(units, i.digits)
}

// price is a number of ticks as a price.
func (i instrument) price(ticks int) decimal.Decimal {
	return decimal.FromScaled(int64(ticks)*i.tick, i.scale)
}

// size is a tick as a float, for the walk.
func (i instrument) size() float64 {
	size := float64(i.tick)
	for range i.scale {
		size /= 10
	}
	return size
}

// ticks is the nearest whole number of ticks.
func (i instrument) ticks(price float64) int { return int(math.Round(price / i.size())) }

// bar is what the price did in one short time, in ticks.
type bar struct{ open, high, low, close int32 }

// tape is the price of one instrument over all sessions: a random walk from
// day to day that a weak pull keeps near its level, and inside each day a walk
// that leads from the open to the close. Days are worked out when looked at.
type tape struct {
	instrument
	sessions []session
	days     []span
	bars     map[int][]bar
}

// span is what a day does to the price.
type span struct{ open, close, sigma float64 }

func newTape(of instrument, sessions []session) *tape {
	return &tape{instrument: of, sessions: sessions, days: walkDays(of, len(sessions)), bars: map[int][]bar{}}
}

// follow makes the tape of an index future out of that of a fund: the same
// closes, and the move of the night inside the session.
func follow(of instrument, fund *tape, sessions []session) *tape {
	t := &tape{instrument: of, sessions: sessions, days: make([]span, len(sessions)), bars: map[int][]bar{}}
	higher := of.level / fund.level
	for i, day := range fund.days {
		before := fund.days[max(i-1, 0)].close
		t.days[i] = span{open: before * higher, close: day.close * higher, sigma: day.sigma}
	}
	return t
}

// walkDays makes the opens and closes. Quiet and wild weeks take turns, and
// each instrument has a trend of its own over the two years.
func walkDays(of instrument, n int) []span {
	d := throw("days", of.symbol)
	trend, wave := d.between(-0.05, 0.45), d.between(0, 2*math.Pi)
	days := make([]span, n)
	x := math.Log(of.level) - trend/2
	for i := range days {
		share := float64(i) / float64(n)
		anchor := math.Log(of.level) + trend*(share-0.5)
		sigma := of.sigma * (1 + 0.35*math.Sin(wave+14*share)) * d.between(0.75, 1.25)
		open := x + gap(of)*sigma*d.NormFloat64()
		x = open + 0.85*sigma*d.NormFloat64() + 0.012*(anchor-x)
		days[i] = span{open: math.Exp(open), close: math.Exp(x), sigma: sigma}
	}
	return days
}

// gap is how much of a day's movement happens while the market is closed.
func gap(of instrument) float64 {
	switch of.kind {
	case kindCrypto:
		return 0
	case kindFuture:
		return 0.08
	}
	return 0.4
}

// session returns the bars of a day.
func (t *tape) session(n int) []bar {
	if t.bars[n] == nil {
		t.bars[n] = t.walkBars(n)
	}
	return t.bars[n]
}

// walkBars lays a random path from the day's open to its close. The moves are
// larger at the beginning and end of the regular session than in between.
func (t *tape) walkBars(n int) []bar {
	d, day, lively := throw("bars", t.symbol, n), t.days[n], t.liveliness(n)
	steps := make([]float64, len(lively))
	var total, weight float64
	for i, w := range lively {
		steps[i] = w * d.NormFloat64()
		total, weight = total+steps[i], weight+w*w
	}
	scale := 0.9 * day.sigma / math.Sqrt(weight)
	drift := (math.Log(day.close/day.open) - scale*total) / float64(len(steps))
	bars, x, size := make([]bar, len(steps)), day.open, t.size()
	at := func(price float64) int32 { return int32(max(math.Round(price/size), 1)) }
	for i, step := range steps {
		from := x
		x *= math.Exp(scale*step + drift)
		reach := 0.6 * scale * lively[i] * x
		high := max(from, x) + reach*math.Abs(d.NormFloat64())
		low := min(from, x) - reach*math.Abs(d.NormFloat64())
		bars[i] = bar{at(from), at(high), at(low), at(x)}
	}
	return bars
}

// liveliness weighs the bars of a session.
func (t *tape) liveliness(n int) []float64 {
	s, opening := t.sessions[n], 0
	if t.kind == kindFuture {
		opening = s.bar(9, 30)
	}
	weights := make([]float64, s.bars)
	for i := range weights {
		switch {
		case t.kind == kindCrypto:
			weights[i] = 1 + 0.4*math.Sin(2*math.Pi*(float64(i)/288-0.35))
		case i < opening:
			weights[i] = 0.35
		default:
			weights[i] = smile(float64(i-opening) / float64(s.bars-opening))
		}
	}
	return weights
}

// smile is high at both ends of a day and low at noon.
func smile(share float64) float64 { return 0.7 + 3.2*(share-0.5)*(share-0.5)*2 }

// moment is one bar of one session.
type moment struct{ session, bar int }

// look returns the bar at a moment.
func (t *tape) look(m moment) bar { return t.session(m.session)[m.bar] }

// next is the bar after m, in the next session if need be; it is false at the
// end of the story.
func (t *tape) next(m moment) (moment, bool) {
	if m.bar+1 < t.sessions[m.session].bars {
		return moment{m.session, m.bar + 1}, true
	}
	return moment{m.session + 1, 0}, m.session+1 < len(t.sessions)
}
