package demo

import (
	"math"

	"fillbook/internal/base/journal"
)

// plan is a trade before it happens: the trader's decisions and mistakes. The
// outcome depends on the prices.
type plan struct {
	series *series
	at     moment
	price  int // the first order's; 0 for its bar's close
	long   bool
	stop   int     // distance from the entry in ticks
	target float64 // distance from the entry in R, multiples of the stop distance
	// partial is the share closed at 1R; 0 for none. The stop for the rest then moves to
	// the entry.
	partial float64
	// addShare is the share of the size entered addAfter bars later.
	addAfter int
	addShare float64
	// bars and sessions limit the holding time. A day trade, with no sessions, is
	// closed before the session ends.
	bars, sessions int
	expiry         journal.Day // an option's
	fear           float64     // takes every profit at this multiple of R; 0 for none
	movesStop      bool        // moves the stop away, once, instead of taking the loss
}

// ending is how a trade ended.
type ending string

const (
	byTarget ending = "target"
	byStop   ending = "stop"
	byFear   ending = "fear"
	byTime   ending = "time"
	byEven   ending = "even" // stopped at the entry after a partial profit
	byExpiry ending = "expiry"
	stillOn  ending = "open"
)

// action is one order in a trade. It opens a share of the size, or closes a share of the
// open position.
type action struct {
	at     moment
	price  int // ticks
	opens  float64
	closes float64
}

// outcome is a plan's result. Results are in R, before costs.
type outcome struct {
	plan
	actions        []action
	ending         ending
	r, worst, best float64
}

// entry returns the first order's price.
func (o outcome) entry() int { return o.actions[0].price }

// lastAction returns the last order.
func (o outcome) lastAction() action { return o.actions[len(o.actions)-1] }

// sign returns 1 for long and -1 for short.
func (p plan) sign() int {
	if p.long {
		return 1
	}
	return -1
}

// level returns the price gain multiples of R ahead of an entry.
func (p plan) level(entry int, gain float64) int {
	return entry + p.sign()*int(math.Round(gain*float64(p.stop)))
}

// run trades the plan.
func (p plan) run() outcome {
	r := &runner{outcome: outcome{plan: p, ending: stillOn}}
	if r.price == 0 {
		r.price = p.series.barAt(p.at).close
	}
	r.limit = r.level(r.price, -1)
	r.open(p.at, r.price, 1-p.addShare)
	for at, more := p.series.move(p.at, 1); more && r.ending == stillOn; at, more = p.series.move(at, 1) {
		r.step(at)
	}
	r.r = r.cash / float64(p.stop)
	return r.outcome
}

// runner is a trade while it is open.
type runner struct {
	outcome
	limit      int // the stop price
	held, cash float64
	waited     int  // bars
	isSafe     bool // the stop is at the entry
}

func (r *runner) open(at moment, price int, share float64) {
	r.held += share
	r.cash -= share * float64(r.sign()*price)
	r.actions = append(r.actions, action{at: at, price: price, opens: share})
}

func (r *runner) close(at moment, price int, share float64) {
	r.cash += r.held * share * float64(r.sign()*price)
	r.held -= r.held * share
	r.actions = append(r.actions, action{at: at, price: price, closes: share})
}

// finish closes the whole position.
func (r *runner) finish(at moment, price int, how ending) {
	r.close(at, price, 1)
	r.ending = how
	r.recordExcursion(price)
}

// gain returns how far a price is ahead of the entry, in R.
func (r *runner) gain(price int) float64 {
	return float64(r.sign()*(price-r.price)) / float64(r.stop)
}

func (r *runner) recordExcursion(price int) {
	r.worst, r.best = min(r.worst, r.gain(price)), max(r.best, r.gain(price))
}

// step applies the plan to one bar.
func (r *runner) step(at moment) {
	b := r.series.barAt(at)
	r.waited++
	against, ahead := b.low, b.high
	if !r.long {
		against, ahead = ahead, against
	}
	switch {
	case r.sign()*(against-r.limit) > 0:
		r.takeProfit(at, b, r.gain(ahead))
	case r.movesStop:
		r.movesStop = false
		r.limit = r.level(r.limit, -0.6)
	case r.isSafe:
		r.finish(at, r.worse(r.limit, b.open), byEven)
	default:
		r.finish(at, r.worse(r.limit, b.open), byStop)
	}
	if r.ending == stillOn {
		r.recordExcursion(against)
		r.recordExcursion(ahead)
		r.checkTime(at, b)
	}
}

// worse returns the open if the market jumped over a stop, better if it jumped over
// a limit order.
func (r *runner) worse(price, open int) int { return r.sign() * min(r.sign()*price, r.sign()*open) }

func (r *runner) better(gain float64, open int) int {
	return r.sign() * max(r.sign()*r.level(r.price, gain), r.sign()*open)
}

// takeProfit adds to the position and closes it, or a part, at a profit.
func (r *runner) takeProfit(at moment, b bar, gain float64) {
	if r.addShare > 0 && r.addAfter == r.waited && !r.isSafe {
		r.open(at, b.close, r.addShare)
	}
	switch {
	case r.fear > 0 && gain >= r.fear:
		r.finish(at, r.better(r.fear, b.open), byFear)
	case gain >= r.target:
		r.finish(at, r.better(r.target, b.open), byTarget)
	case r.partial > 0 && !r.isSafe && gain >= 1:
		r.close(at, r.better(1, b.open), r.partial)
		r.isSafe, r.limit = true, r.price
	}
}

// checkTime closes a trade whose time is over. A winner may continue, with the stop
// at the entry.
func (r *runner) checkTime(at moment, b bar) {
	s := r.series.sessions[at.session]
	left := s.Bars - at.bar
	dayOver := r.sessions == 0 && left <= 4
	daysOver := r.sessions > 0 && at.session-r.at.session >= r.sessions && left < 30
	barsOver := r.bars > 0 && r.waited >= r.bars
	switch {
	case s.day == r.expiry && left == 1:
		r.finish(at, b.close, byExpiry)
	case barsOver && !dayOver && r.gain(b.close) > 0.35:
		r.bars, r.limit, r.isSafe = 0, r.price, true
	case dayOver, daysOver, barsOver:
		r.finish(at, b.close, byTime)
	}
}
