package demo

import (
	"math"
	"time"

	"fillbook/internal/base/journal"
)

// phase is a period in the trader's two years.
type phase struct {
	Name  string
	Until float64 // as a fraction of the journal
	Edge  float64 // the intended average result per trade, in R
	Size  float64 // factor for the usual risk
	Pace  float64 // factor for the usual number of trades
	Care  float64 // how seldom rules are broken
	Fear  float64 // how often a profit is taken too early
}

// simulation is the simulated trader's state.
type simulation struct {
	*data
	first, last journal.Day
	series      map[string]*series
	accounts    []*tradingAccount
	away        map[journal.Day]bool // days on which the trader does not trade
}

func newSimulation(first, last journal.Day) *simulation {
	s := &simulation{data: loadData(), first: first, last: last, series: map[string]*series{}, away: map[journal.Day]bool{}}
	for _, i := range s.Instruments {
		s.series[i.Symbol] = newSeries(i, first, last)
	}
	for _, a := range s.Accounts {
		s.accounts = append(s.accounts, &tradingAccount{accountData: a, busyUntil: map[string]time.Time{}})
	}
	for d := first; d <= last; d = d.AddDays(1) {
		p := s.progress(d)
		vacation := p > 0.295 && p < 0.313 || p > 0.775 && p < 0.797
		nearEnd := d.DaysUntil(last) < 20
		s.away[d] = vacation || !nearEnd && newRandom("away", first.DaysUntil(d)).chance(0.06)
	}
	return s
}

// progress returns the fraction of the journal passed by a day.
func (s *simulation) progress(d journal.Day) float64 {
	return float64(s.first.DaysUntil(d)) / float64(s.first.DaysUntil(s.last)+1)
}

// dayAt returns the day on which a fraction of the journal has passed.
func (s *simulation) dayAt(share float64) journal.Day {
	return s.first.AddDays(int(math.Round(share * float64(s.first.DaysUntil(s.last)))))
}

// phaseOf returns a day's phase.
func (s *simulation) phaseOf(d journal.Day) phase {
	n, p := 0, s.progress(d)
	for n < len(s.Phases)-1 && p >= s.Phases[n].Until {
		n++
	}
	return s.Phases[n]
}

// run simulates the trader, account by account and session by session.
func (s *simulation) run() {
	for _, a := range s.accounts {
		var ideas []idea
		for _, i := range s.Ideas {
			if i.Account == a.Name {
				ideas = append(ideas, i)
			}
		}
		for n, session := range s.series[ideas[0].Symbols[0]].sessions {
			if !s.away[session.day] {
				s.tradeSession(a, ideas, n, session.day)
			}
		}
		s.leaveOpen(a, ideas)
		a.groupFills()
	}
}

// overtradingAt contains the days with overtrading, as fractions of the journal.
var overtradingAt = []float64{0.405, 0.64}

// tradeSession simulates one session in an account.
func (s *simulation) tradeSession(a *tradingAccount, ideas []idea, n int, day journal.Day) {
	rng, ph := newRandom(a.Name, n), s.phaseOf(day)
	for _, share := range overtradingAt {
		if a.Type == "prop" && day == s.tradingDayFrom(s.dayAt(share)) {
			s.overtrade(a, rng, n, ph)
			return
		}
	}
	for _, i := range ideas {
		for range rng.count(i.Rate * ph.Pace) {
			t := s.takeIdea(a, rng, i, n, ph)
			t = s.reverse(a, rng, t, ph)
			s.takeRevenge(a, rng, t, ph, 3)
		}
	}
}

// tradingDayFrom returns the first day, from d on, on which the trader trades.
func (s *simulation) tradingDayFrom(d journal.Day) journal.Day {
	for s.away[d] || !isTradingDay(d) {
		d = d.AddDays(1)
	}
	return d
}

// idea is a way to trade: a setup with the trader's rules for it.
type idea struct {
	Account, Setup string
	Symbols        []string
	Rate           float64    // trades a session
	Edge           float64    // added to the trader's skill
	From, To       [2]int     // entry times in New York
	Stop           [2]float64 // distance, in daily standard deviations
	Target         [2]float64 // in R
	Bars           [2]int     // longest holding time
	Sessions       [2]int     // likewise; 0 for a day trade
	Side           string     // long; empty for both
	Option         *optionRule
}

// draft returns a plan for an idea.
func (i idea) draft(rng random, on *series, n int, ph phase) plan {
	s := on.sessions[n]
	low, high := s.bar(i.From[0], i.From[1]), s.bar(i.To[0], i.To[1])
	at := moment{n, rng.whole(low, max(low, min(high, s.Bars-20)))}
	stop := on.days[n].sigma * float64(on.barAt(at).close) * rng.between(i.Stop)
	p := plan{
		series: on, at: at, long: i.Side == "long" || rng.chance(0.57), stop: max(int(math.Round(stop)), 3),
		target: rng.between(i.Target), bars: rng.whole(i.Bars[0], i.Bars[1]), sessions: rng.whole(i.Sessions[0], i.Sessions[1]),
	}
	if i.Option != nil {
		p.expiry = i.Option.expiry(rng, s.day)
	}
	if rng.chance(0.42) {
		p.partial = pick(rng, []float64{0.33, 0.5, 0.5})
	}
	if rng.chance(0.3) {
		p.addAfter, p.addShare = rng.whole(2, 12), pick(rng, []float64{0.25, 0.33, 0.5})
	}
	if rng.chance(ph.Fear) {
		p.fear = rng.between([2]float64{0.35, 0.7})
	}
	return p
}

// alternatives returns other ways to take a trade: in the other direction, or later
// if the idea has only one.
func (i idea) alternatives(rng random, p plan) (list []plan) {
	if i.Side == "" {
		p.long = !p.long
		return []plan{p}
	}
	for range 3 {
		p.at.bar = min(p.at.bar+rng.whole(4, 40), p.series.market.Bars-20)
		list = append(list, p)
	}
	return list
}

// chooseOutcome runs the ways to take a trade. With probability skill it returns the best
// outcome, else the first; a skill below zero returns the worst.
func chooseOutcome(rng random, skill float64, p plan, others ...plan) outcome {
	chosen := p.run()
	if !rng.chance(math.Abs(skill)) {
		return chosen
	}
	for _, other := range others {
		if o := other.run(); (o.r > chosen.r) == (skill > 0) {
			chosen = o
		}
	}
	return chosen
}

// skill returns how often the trader chooses the better outcome, so the account returns
// to its intended result. Noon and Friday afternoons are bad times.
func (a *tradingAccount) skill(edge float64, ph phase, mistake string, at time.Time) float64 {
	skill := 0.26 + edge + 0.9*ph.Edge + min(max(0.06*(a.intended-a.result), -0.5), 0.6)
	local := at.In(newYork)
	switch {
	case local.Hour() == 12:
		skill -= 0.22
	case local.Weekday() == time.Friday && local.Hour() >= 14:
		skill -= 0.25
	case local.Hour() == 10:
		skill += 0.1
	}
	if mistake != "" {
		skill -= 0.3
	}
	return min(max(skill, -0.85), 0.95)
}

// pickMistake returns a trade's mistake, or none, and its risk factor. Some mistakes
// change the plan.
func pickMistake(rng random, ph phase, p *plan) (mistake string, size float64) {
	size = pick(rng, []float64{0.6, 0.8, 1, 1, 1, 1.2, 1.4})
	if !rng.chance(0.45 * (1 - ph.Care)) {
		return "", size
	}
	mistake = pick(rng, []string{
		"Chased entry", "Chased entry", "Moved stop", "Moved stop", "No plan", "Oversized", "Traded the news",
	})
	switch mistake {
	case "Moved stop":
		p.movesStop = true
	case "Oversized":
		size *= 2
	case "Chased entry":
		p.target *= 0.8
	}
	return mistake, size
}

// takeIdea takes one trade from an idea. It returns nil if the trade is not possible.
func (s *simulation) takeIdea(a *tradingAccount, rng random, i idea, n int, ph phase) *trade {
	p := i.draft(rng, s.series[pick(rng, i.Symbols)], n, ph)
	mistake, size := pickMistake(rng, ph, &p)
	skill := a.skill(i.Edge, ph, mistake, p.series.timeAt(p.at))
	o := chooseOutcome(rng, skill, p, i.alternatives(rng, p)...)
	return s.enter(a, rng, &trade{outcome: o, phase: ph, setup: i.Setup, mistake: mistake, size: size * ph.Size, option: i.Option})
}

// takeRevenge reenters an instrument after a loss, with more risk, and again after
// another loss.
func (s *simulation) takeRevenge(a *tradingAccount, rng random, lost *trade, ph phase, times int) {
	if lost == nil || times == 0 || lost.r > -0.5 || lost.sessions > 0 || lost.option != nil || !rng.chance(0.75*(1-ph.Care)*(1-ph.Care)) {
		return
	}
	at := lost.lastAction().at
	if at.bar += rng.whole(2, 9); at.bar > lost.series.market.Bars-30 {
		return
	}
	p := plan{
		series: lost.series, at: at, long: lost.long != rng.chance(0.4), stop: lost.stop,
		target: rng.between([2]float64{1, 1.8}), bars: rng.whole(8, 50), movesStop: rng.chance(0.4),
	}
	t := &trade{phase: ph, mistake: "Revenge trade", size: ph.Size * rng.between([2]float64{1.5, 2.1})}
	skill := a.skill(-0.2, ph, t.mistake, lost.series.timeAt(at))
	t.outcome = chooseOutcome(rng, skill, p, idea{}.alternatives(rng, p)...)
	s.takeRevenge(a, rng, s.enter(a, rng, t), ph, times-1)
}

// overtrade takes many small trades without a setup in one session.
func (s *simulation) overtrade(a *tradingAccount, rng random, n int, ph phase) {
	on := s.series["NQ"]
	at := on.sessions[n].bar(9, 34)
	ph.Edge = -0.25
	for range 17 {
		p := plan{
			series: on, at: moment{n, at}, long: rng.chance(0.5), stop: rng.whole(32, 64),
			target: rng.between([2]float64{0.8, 1.4}), bars: rng.whole(4, 12),
		}
		o := chooseOutcome(rng, -0.1, p, idea{}.alternatives(rng, p)...)
		if s.enter(a, rng, &trade{outcome: o, phase: ph, mistake: "Overtrading", size: 0.4 * ph.Size}) != nil {
			at = o.lastAction().at.bar
		}
		if at += rng.whole(4, 14); at > on.market.Bars-30 {
			return
		}
	}
}

// reverse turns some stopped futures trades around with the closing order: one fill
// crossing zero. It returns the last trade.
func (s *simulation) reverse(a *tradingAccount, rng random, t *trade, ph phase) *trade {
	if t == nil || t.ending != byStop || t.market.Kind != "future" || !rng.chance(0.2) {
		return t
	}
	last := t.lastAction()
	p := plan{
		series: t.series, at: last.at, price: last.price, long: !t.long, stop: t.stop,
		target: rng.between([2]float64{1.2, 2.2}), bars: rng.whole(15, 80),
	}
	next := *t
	next.outcome, next.buys, next.phase, next.fills, next.mistake, next.setup = p.run(), p.long, ph, nil, "", "VWAP reclaim"
	if next.long {
		next.setup = "Failed breakdown"
	}
	turn := t.fills[len(t.fills)-1]
	a.execute(&next, rng, turn.ExecutedAt)
	turn.Quantity = turn.Quantity.Add(next.fills[0].Quantity)
	t.market.charge(turn)
	next.fills[0] = turn
	return &next
}

// leaveOpen enters some positions shortly before the last day, still open after it.
func (s *simulation) leaveOpen(a *tradingAccount, ideas []idea) {
	for _, i := range ideas {
		count := 0
		for k, symbol := range i.Symbols {
			if i.Sessions[1] < 5 || i.Option != nil && i.Option.Sell || count == 2 {
				break
			}
			on, rng := s.series[symbol], newRandom("open", symbol, i.Setup)
			n := len(on.sessions) - 4 - k%4
			p := i.draft(rng, on, n, phase{})
			p.long, p.sessions, p.target, p.partial = true, 100, 50, 0
			t := &trade{outcome: p.run(), phase: s.phaseOf(on.sessions[n].day), setup: i.Setup, size: 1, option: i.Option}
			if t.ending == stillOn && s.enter(a, rng, t) != nil {
				count++
			}
		}
	}
}
