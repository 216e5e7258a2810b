package demo

import "math"

// plan is a trade before it happens: the trader's decisions and mistakes. The
// outcome depends on the tape.
type plan struct {
	tape *tape
	at   moment
	// price is what the first order gets; 0 for the close of its bar.
	price int
	long  bool
	// stop is the distance of the stop from the entry in ticks, target the
	// distance of the target in multiples of it.
	stop   int
	target float64
	// partial is the share that is sold at 1R; 0 for none. The stop of the
	// rest then goes to the entry.
	partial float64
	// adds are further entries: shares of the whole size at later bars.
	adds []add
	// bars and sessions are how long the trader waits. A day trade, with no
	// sessions, is closed before the session ends.
	bars, sessions int
	// fear takes every profit at this multiple of R; 0 for a brave trader.
	fear float64
	// stubborn moves the stop away when it is near.
	stubborn bool
	slip     int // ticks lost where a stop is hit
}

// add is one entry of a plan.
type add struct {
	after int // bars after the first
	share float64
}

// ending is how a trade ended.
type ending string

const (
	byTarget ending = "target"
	byStop   ending = "stop"
	byFear   ending = "fear"
	byTime   ending = "time"
	byEven   ending = "even" // stopped at the entry after a partial profit
	stillOn  ending = "open"
	byExpiry ending = "expiry" // of an option
)

// action is one order of a trade: it opens a share of the size, or closes a
// part of what is held.
type action struct {
	at     moment
	price  int // ticks
	opens  float64
	closes float64
}

// outcome is what came of a plan.
type outcome struct {
	plan
	actions []action
	ending  ending
	r       float64 // result in multiples of the planned risk, before costs
	worst   float64 // the worst and the best it stood at, likewise
	best    float64
}

// entry is the price of the first order.
func (o outcome) entry() int { return o.actions[0].price }

// sign is 1 for long and -1 for short.
func (p plan) sign() int {
	if p.long {
		return 1
	}
	return -1
}

// run trades the plan on the tape.
func (p plan) run() outcome {
	entry := p.price
	if entry == 0 {
		entry = int(p.tape.look(p.at).close)
	}
	r := &runner{plan: p, entry: entry, limit: entry - p.sign()*p.stop}
	first := 1.0
	for _, a := range p.adds {
		first -= a.share
	}
	r.open(p.at, entry, first)
	at, more := p.tape.next(p.at)
	for ; more; at, more = p.tape.next(at) {
		if r.step(at) {
			return r.out
		}
	}
	return r.end(stillOn)
}

// runner walks along the tape with an open trade.
type runner struct {
	plan
	entry, limit int // limit is where the stop is now
	held, cash   float64
	waited       int
	reduced      bool
	before       [2]float64 // worst and best up to the bar before
	moved        bool
	out          outcome
}

func (r *runner) open(at moment, price int, share float64) {
	r.held += share
	r.cash -= share * float64(r.sign()*price)
	r.out.actions = append(r.out.actions, action{at: at, price: price, opens: share})
}

func (r *runner) close(at moment, price int, part float64) {
	r.cash += r.held * part * float64(r.sign()*price)
	r.held -= r.held * part
	r.out.actions = append(r.out.actions, action{at: at, price: price, closes: part})
}

// end returns the outcome.
func (r *runner) end(how ending) outcome {
	r.out.plan, r.out.ending = r.plan, how
	r.out.r = r.cash / float64(r.stop)
	return r.out
}

// gain is how far a price is ahead of the entry, in multiples of the risk.
func (r *runner) gain(price int32) float64 {
	return float64(r.sign()*(int(price)-r.entry)) / float64(r.stop)
}

// level is the price that many multiples of the risk ahead of the entry.
func (r *runner) level(gain float64) int {
	return r.entry + r.sign()*int(math.Round(gain*float64(r.stop)))
}

// step looks at one bar and does what the plan and the trader's nerves ask
// for. It reports whether the trade is over.
func (r *runner) step(at moment) bool {
	b := r.tape.look(at)
	r.waited++
	r.before = [2]float64{r.out.worst, r.out.best}
	against, ahead := b.low, b.high
	if !r.long {
		against, ahead = b.high, b.low
	}
	r.out.worst, r.out.best = min(r.out.worst, r.gain(against)), max(r.out.best, r.gain(ahead))
	if r.hesitates(against) {
		return false
	}
	if r.sign()*(int(against)-r.limit) <= 0 {
		return r.stopOut(at, b)
	}
	r.enterMore(at, b)
	return r.takeProfit(at, b, ahead) || r.tooLate(at, b)
}

// hesitates is the stubborn trader who moves the stop away, once, instead of
// taking the loss.
func (r *runner) hesitates(against int32) bool {
	if !r.stubborn || r.moved || r.sign()*(int(against)-r.limit) > 0 {
		return false
	}
	r.moved = true
	r.limit -= r.sign() * r.stop * 3 / 5
	return true
}

// stopOut closes at the stop, or at the open where the market jumped over it.
func (r *runner) stopOut(at moment, b bar) bool {
	price := r.limit
	if r.sign()*(int(b.open)-r.limit) < 0 {
		price = int(b.open)
	}
	how := byStop
	if r.reduced {
		how = byEven
	}
	return r.finish(at, price-r.sign()*r.slip, how)
}

// enterMore adds to the position where the plan says so, as long as the idea
// still holds.
func (r *runner) enterMore(at moment, b bar) {
	for _, a := range r.adds {
		if a.after == r.waited && !r.reduced {
			r.open(at, int(b.close), a.share)
		}
	}
}

func (r *runner) takeProfit(at moment, b bar, ahead int32) bool {
	gain := r.gain(ahead)
	switch {
	case r.fear > 0 && gain >= r.fear:
		return r.finish(at, r.better(r.level(r.fear), b), byFear)
	case gain >= r.target:
		return r.finish(at, r.better(r.level(r.target), b), byTarget)
	case r.partial > 0 && !r.reduced && gain >= 1:
		r.close(at, r.better(r.level(1), b), r.partial)
		r.reduced, r.limit = true, r.entry
	}
	return false
}

// better is the open where the market jumped over a limit order.
func (r *runner) better(price int, b bar) int {
	if r.sign()*(int(b.open)-price) > 0 {
		return int(b.open)
	}
	return price
}

// tooLate closes a trade that has had its time. A winner may run on, with the
// stop at the entry.
func (r *runner) tooLate(at moment, b bar) bool {
	left := r.tape.sessions[at.session].bars - at.bar
	dayOver := r.sessions == 0 && left <= 4
	waitedDays := r.sessions > 0 && at.session-r.at.session >= r.sessions && left < 30
	waitedBars := r.bars > 0 && r.waited >= r.bars
	switch {
	case waitedBars && !dayOver && r.gain(b.close) > 0.35:
		r.bars, r.limit, r.reduced = 0, r.entry, true
		return false
	case dayOver, waitedDays, waitedBars:
		return r.finish(at, int(b.close), byTime)
	}
	return false
}

// finish closes everything and notes the outcome.
func (r *runner) finish(at moment, price int, how ending) bool {
	r.close(at, price, 1)
	// What the last bar did after the exit is no concern of the trade.
	r.out.worst = max(r.out.worst, min(r.before[0], r.gain(int32(price))))
	r.out.best = min(r.out.best, max(r.before[1], r.gain(int32(price))))
	r.out = r.end(how)
	return true
}
