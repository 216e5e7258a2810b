package demo

import (
	"math"
	"time"

	"fillbook/internal/journal"
)

// chapter is a stretch of the trader's two years.
type chapter struct {
	name  string
	until float64 // as a share of the story
	edge  float64 // the average result of a trade that the story aims at, in R
	size  float64 // of the risk, beside the usual
	pace  float64 // of the number of trades, beside the usual
	care  float64 // how seldom rules are broken
	fear  float64 // how often a profit is taken too early
}

// chapters is the course of the story.
var chapters = []chapter{
	{"learning", 0.10, 0.06, 0.7, 0.9, 0.60, 0.10},
	{"first run", 0.36, 0.40, 1.0, 1.0, 0.84, 0.04},
	{"tilt", 0.43, -0.58, 1.1, 1.35, 0.25, 0.08},
	{"rebuilding", 0.52, 0.22, 0.6, 0.7, 0.88, 0.20},
	{"fear", 0.70, 0.05, 0.9, 1.0, 0.84, 0.75},
	{"second run", 0.93, 0.44, 1.1, 1.0, 0.92, 0.03},
	{"chop", 1.01, 0.10, 1.05, 1.0, 0.88, 0.06},
}

// world is the state of the simulation.
type world struct {
	first, last journal.Day
	tapes       map[string]*tape
	desks       []*desk
	words       words
	pictures    bool                 // are drawn
	away        map[journal.Day]bool // days without the trader
	open        map[journal.Day]bool // days on which the exchanges open
}

func newWorld(first, last journal.Day) *world {
	w := &world{first: first, last: last, tapes: map[string]*tape{}, words: readWords()}
	w.watch(stocks, stockSessions(first, last))
	w.watch(futures, futureSessions(first, last))
	w.watch(coins, cryptoSessions(first, last))
	w.desks = []*desk{newDesk(stockAccount), newDesk(futureAccount), newDesk(cryptoAccount)}
	w.planHolidays()
	return w
}

// watch makes the tapes of some instruments.
func (w *world) watch(list []instrument, sessions []session) {
	for _, of := range list {
		if fund := w.tapes[of.follows]; fund != nil {
			w.tapes[of.symbol] = follow(of, fund, sessions)
		} else {
			w.tapes[of.symbol] = newTape(of, sessions)
		}
	}
}

// share is how much of the story has passed by a day.
func (w *world) share(d journal.Day) float64 {
	return float64(w.first.DaysUntil(d)) / float64(w.first.DaysUntil(w.last)+1)
}

// chapter is the one that a day falls into.
func (w *world) chapter(d journal.Day) chapter {
	share := w.share(d)
	for _, c := range chapters {
		if share < c.until {
			return c
		}
	}
	return chapters[len(chapters)-1]
}

// planHolidays takes the trader away from the desk: two holidays, and a day
// here and there.
func (w *world) planHolidays() {
	w.away, w.open = map[journal.Day]bool{}, map[journal.Day]bool{}
	for _, s := range w.tapes["SPY"].sessions {
		w.open[s.day] = true
	}
	for d := w.first; d <= w.last; d = d.AddDays(1) {
		share := w.share(d)
		holiday := share > 0.295 && share < 0.313 || share > 0.775 && share < 0.797
		nearEnd := d.DaysUntil(w.last) < 20
		w.away[d] = holiday || !nearEnd && throw("away", w.first.DaysUntil(d)).chance(0.06)
	}
}

// live simulates the trader, session by session.
func (w *world) live() {
	stocks, futures, crypto := w.desks[0], w.desks[1], w.desks[2]
	for n, s := range w.tapes["SPY"].sessions {
		if !w.away[s.day] {
			w.tradeStocks(stocks, n)
			w.tradeOptions(stocks, n)
			w.tradeFutures(futures, n)
		}
	}
	for n, s := range w.tapes["BTC-USD"].sessions {
		if !w.away[s.day] {
			w.tradeCrypto(crypto, n)
		}
	}
	w.leaveOpen()
	for _, d := range w.desks {
		d.settle()
	}
}

// idea is a way to trade: a setup, and how the trader trades it.
type idea struct {
	setup  string
	weight int     // how often, beside the other ideas
	edge   float64 // how well the trader does it
	// from and to are clock times in New York between which it is entered.
	from, to [2]int
	stop     [2]float64 // the distance of the stop, as a share of a day's move
	target   [2]float64 // in R
	bars     [2]int     // how long to wait
	sessions [2]int     // how many nights; 0 for a day trade
	only     string     // long or short; empty for both
}

// choose takes one of the ideas by weight.
func choose(d dice, ideas []idea) idea {
	total := 0
	for _, i := range ideas {
		total += i.weight
	}
	n := d.IntN(total)
	for _, i := range ideas {
		if n -= i.weight; n < 0 {
			return i
		}
	}
	return ideas[0]
}

// draft makes a plan of an idea.
func (i idea) draft(d dice, t *tape, n int, c chapter) plan {
	s := t.sessions[n]
	low, high := s.bar(i.from[0], i.from[1]), s.bar(i.to[0], i.to[1])
	at := moment{n, d.whole(low, max(low, min(high, s.bars-20)))}
	move := t.days[n].sigma * float64(t.look(at).close)
	p := plan{
		tape: t, at: at, long: i.only == "long" || i.only == "" && d.chance(0.57),
		stop: max(int(math.Round(move*d.between(i.stop[0], i.stop[1]))), 3), target: d.between(i.target[0], i.target[1]),
		sessions: d.whole(i.sessions[0], i.sessions[1]), slip: d.IntN(2),
	}
	if i.bars[1] > 0 {
		p.bars = d.whole(i.bars[0], i.bars[1])
	}
	if d.chance(0.42) {
		p.partial = pick(d, []float64{0.33, 0.5, 0.5})
	}
	if d.chance(0.3) {
		p.adds = []add{{d.whole(2, 12), pick(d, []float64{0.25, 0.33, 0.5})}}
	}
	if d.chance(c.fear) {
		p.fear = d.between(0.35, 0.7)
	}
	return p
}

// others are further ways to take a trade: in the other direction, or a
// little later where the idea has only one.
func (i idea) others(d dice, p plan) []plan {
	if i.only == "" {
		p.long = !p.long
		return []plan{p}
	}
	var list []plan
	for range 3 {
		p.at.bar = min(p.at.bar+d.whole(4, 40), p.tape.sessions[p.at.session].bars-20)
		list = append(list, p)
	}
	return list
}

// foresight runs the ways to take a trade and chooses the best with the given
// skill, else the first; below zero the worst is chosen as often.
func foresight(d dice, skill float64, p plan, others ...plan) outcome {
	first := p.run()
	if !d.chance(math.Abs(skill)) {
		return first
	}
	chosen := first
	for _, other := range others {
		if o := other.run(); (o.r > chosen.r) == (skill > 0) {
			chosen = o
		}
	}
	return chosen
}

// skill is how often the trader is right about the future, so that the desk
// comes back to where the story wants it.
func (d *desk) skill(i idea, c chapter, mistake string, at time.Time) float64 {
	pull := min(max(0.06*(d.aim-d.score), -0.5), 0.6)
	s := 0.32 + i.edge + 0.9*c.edge + pull + hourly(at)
	if mistake != "" {
		s -= 0.3
	}
	return min(max(s, -0.85), 0.95)
}

// hourly is what the time of day does to the trader: noon is slow, and so is
// the end of the week.
func hourly(at time.Time) float64 {
	local := at.In(newYork)
	switch {
	case local.Hour() == 12 || local.Hour() == 11 && local.Minute() > 30:
		return -0.22
	case local.Weekday() == time.Friday && local.Hour() >= 14:
		return -0.25
	case local.Hour() == 10:
		return 0.1
	}
	return 0
}

// mistakes that a trader makes before or in a trade, by how often.
var mistakes = []string{
	"Chased entry", "Chased entry", "Moved stop", "Moved stop", "No plan", "Oversized", "Traded the news",
}

// slipUp returns the mistake of a trade, or none, and the size that the trader
// feels like. Some mistakes change the plan.
func slipUp(d dice, c chapter, p *plan) (mistake string, size float64) {
	size = pick(d, []float64{0.6, 0.8, 1, 1, 1, 1.2, 1.4})
	if !d.chance(0.45 * (1 - c.care)) {
		return "", size
	}
	switch mistake = pick(d, mistakes); mistake {
	case "Moved stop":
		p.stubborn = true
	case "Oversized":
		size *= d.between(1.7, 2.3)
	case "Chased entry":
		p.target *= 0.8
	}
	return mistake, size
}
