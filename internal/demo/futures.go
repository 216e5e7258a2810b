package demo

import (
	"fmt"
	"math"
	"strings"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/journal"
)

// futures are the roots that the trader trades. The micro contract moves with
// the large one and has no tape of its own.
var futures = []instrument{
	{symbol: "ES", kind: kindFuture, tick: 25, scale: 2, multiplier: 50, level: 5870, sigma: 0.0095, follows: "SPY"},
	{symbol: "NQ", kind: kindFuture, tick: 25, scale: 2, multiplier: 20, level: 20_920, sigma: 0.0125, follows: "QQQ"},
	{symbol: "CL", kind: kindFuture, tick: 1, scale: 2, multiplier: 1000, level: 70.5, sigma: 0.019},
}

// microMultiplier is what a point of the micro S&P contract is worth.
const microMultiplier = 5

// futureAccount is a funded account of a prop firm.
var futureAccount = deskAccount{
	Account: Account{
		Name: "Prop 150K", Broker: "Tradovate", Type: "prop", Currency: "USD",
		StartingBalance: decimal.New(150_000),
	},
	unit: 195, charge: chargeFutures,
}

// chargeFutures is a price by the contract and side, less for a micro, and
// the fees of the exchange.
func chargeFutures(f *Execution) {
	commission, fee := "1.29", "1.40"
	switch {
	case strings.HasPrefix(f.Symbol, "MES"):
		commission, fee = "0.39", "0.37"
	case strings.HasPrefix(f.Symbol, "CL"):
		fee = "1.62"
	}
	f.Commission = decimal.Must(commission).Mul(f.Quantity)
	f.Fees = decimal.Must(fee).Mul(f.Quantity)
}

var futureIdeas = []idea{
	{
		setup: "Opening range breakout", weight: 5, edge: 0.08, from: [2]int{9, 36}, to: [2]int{10, 15},
		stop: [2]float64{0.15, 0.26}, target: [2]float64{1.7, 3.2}, bars: [2]int{32, 176},
	},
	{
		setup: "Pullback to the 20 EMA", weight: 5, edge: 0.2, from: [2]int{9, 55}, to: [2]int{15, 20},
		stop: [2]float64{0.11, 0.2}, target: [2]float64{1.7, 2.8}, bars: [2]int{24, 144},
	},
	{
		setup: "VWAP reclaim", weight: 3, edge: 0, from: [2]int{10, 5}, to: [2]int{15, 20},
		stop: [2]float64{0.11, 0.19}, target: [2]float64{1.6, 2.5}, bars: [2]int{19, 128},
	},
	{
		setup: "Failed breakdown", weight: 4, edge: 0.16, from: [2]int{9, 45}, to: [2]int{15, 0},
		stop: [2]float64{0.12, 0.22}, target: [2]float64{1.9, 3.4}, bars: [2]int{32, 224}, only: "long",
	},
	{
		setup: "Gap fade", weight: 2, edge: -0.3, from: [2]int{9, 31}, to: [2]int{9, 50},
		stop: [2]float64{0.16, 0.26}, target: [2]float64{1.4, 2.3}, bars: [2]int{24, 112},
	},
	{
		setup: "Pullback to the 20 EMA", weight: 1, edge: -0.15, from: [2]int{3, 30}, to: [2]int{8, 0},
		stop: [2]float64{0.1, 0.18}, target: [2]float64{1.6, 2.5}, bars: [2]int{48, 240},
	},
}

// overtrading is the period of the story in which the trader overtrades.
var overtrading = []float64{0.405, 0.64}

// tradeFutures is one session of the prop account. The trader holds one
// position at a time there.
func (w *world) tradeFutures(d *desk, n int) {
	s := w.tapes["ES"].sessions[n]
	c, chance := w.chapter(s.day), throw("futures", n)
	if w.isOvertrading(n) {
		w.overtrade(d, n, chance, c)
		return
	}
	if chance.chance(0.14) {
		return
	}
	for range howMany(chance, 1.05*c.pace) {
		t := w.takeFuture(d, n, chance, choose(chance, futureIdeas), c)
		t = w.reverse(d, chance, t, c)
		w.avenge(d, chance, t, c, 3)
	}
}

// isOvertrading finds the first day at the desk from such a share on.
func (w *world) isOvertrading(n int) bool {
	sessions := w.tapes["ES"].sessions
	for _, share := range overtrading {
		day := int(share * float64(len(sessions)))
		for w.away[sessions[day].day] {
			day++
		}
		if n == day {
			return true
		}
	}
	return false
}

// overtrade is a day of many small trades without an idea.
func (w *world) overtrade(d *desk, n int, chance dice, c chapter) {
	tape, at := w.tapes["NQ"], w.tapes["NQ"].sessions[n].bar(9, 34)
	c.edge, c.size = -0.25, 0.4*c.size
	for range 17 {
		if at > tape.sessions[n].bar(15, 30) {
			return
		}
		p := plan{
			tape: tape, at: moment{n, at}, long: chance.chance(0.5), stop: tape.ticks(float64(chance.whole(8, 16))),
			target: chance.between(0.8, 1.4), bars: chance.whole(4, 16), slip: 1,
		}
		opposite := p
		opposite.long = !p.long
		t := &trade{chapter: c, mistake: "Overtrading", size: c.size}
		t = w.enterFuture(d, chance, foresight(chance, -0.1, p, opposite), t)
		at += chance.whole(9, 22)
		if t != nil {
			at = max(at, t.actions[len(t.actions)-1].at.bar+chance.whole(2, 8))
		}
	}
}

// takeFuture takes one trade in one of the contracts.
func (w *world) takeFuture(d *desk, n int, chance dice, i idea, c chapter) *trade {
	tape := w.tapes[pick(chance, []string{"ES", "ES", "ES", "ES", "NQ", "NQ", "CL"})]
	p := i.draft(chance, tape, n, c)
	p.stop = min(p.stop, tape.ticks(chance.between(1.2, 2)*d.unit/float64(tape.multiplier)))
	mistake, size := slipUp(chance, c, &p)
	skill := d.skill(i, c, mistake, tape.sessions[n].at(p.at.bar))
	return w.enterFuture(d, chance, foresight(chance, skill, p, i.others(chance, p)...), &trade{
		chapter: c, setup: i.setup, mistake: mistake, size: size * c.size,
	})
}

// enterFuture chooses the contract month and the number of contracts: the
// micro where the large one would risk too much.
func (w *world) enterFuture(d *desk, chance dice, o outcome, t *trade) *trade {
	t.outcome, t.of, t.buys, t.day = o, o.tape.instrument, o.long, o.tape.sessions[o.at.session].day
	distance := float64(o.stop) * t.of.size()
	contracts := math.Round(t.size * d.unit / (distance * float64(t.of.multiplier)))
	if t.of.symbol == "ES" && (contracts < 1 || chance.chance(0.3)) {
		t.of.symbol, t.of.multiplier = "MES", microMultiplier
		contracts = math.Round(t.size * d.unit / (distance * microMultiplier))
	}
	t.units = int64(min(max(contracts, 1), 15))
	t.of.symbol += delivery(t.of.symbol, t.day)
	t.money = float64(t.units) * distance * float64(t.of.multiplier)
	begin := o.tape.sessions[o.at.session].at(o.at.bar)
	if begin.Before(d.flat) || !d.take(t, t.units, chance, func(a action) int { return a.price }) {
		return nil
	}
	return t
}

// delivery is the month that is traded on a day, as symbols write it: for
// oil the month after next once the twelfth is past, for an index the next
// quarter, left a week before the third Friday.
func delivery(root string, d journal.Day) string {
	const codes = "FGHJKMNQUVXZ"
	year, month := d.Year(), d.Time().Month()
	if root == "CL" {
		ahead := 1
		if d.Time().Day() > 12 {
			ahead = 2
		}
		next := time.Date(year, month+time.Month(ahead), 1, 0, 0, 0, 0, time.UTC)
		return fmt.Sprintf("%c%02d", codes[next.Month()-1], next.Year()%100)
	}
	for month%3 != 0 || d >= nth(year, month, time.Friday, 3).AddDays(-8) {
		if month++; month > 12 {
			year, month = year+1, 1
		}
	}
	return fmt.Sprintf("%c%02d", codes[month-1], year%100)
}

// reverse turns a stopped trade round with the very order that closes it. It
// gives the trade that the trader ends up with.
func (w *world) reverse(d *desk, chance dice, t *trade, c chapter) *trade {
	if t == nil || t.ending != byStop || !chance.chance(0.2) {
		return t
	}
	last := t.actions[len(t.actions)-1]
	p := plan{
		tape: t.tape, at: last.at, price: last.price, long: !t.long, stop: t.stop,
		target: chance.between(1.2, 2.2), bars: chance.whole(15, 80), slip: 1,
	}
	next := &trade{
		outcome: p.run(), of: t.of, buys: p.long, day: t.day, chapter: c, setup: "Failed breakdown", size: t.size, units: t.units, money: t.money,
	}
	if !next.long {
		next.setup = "VWAP reclaim"
	}
	turn := t.fills[len(t.fills)-1]
	d.carryOut(next, t.units, chance, func(a action) int { return a.price }, turn.At)
	d.merge(turn, next)
	return next
}

// merge makes one fill of the order that closes a trade and the order that
// opens the next: it crosses zero.
func (d *desk) merge(turn *Execution, next *trade) {
	first := next.fills[0]
	turn.Quantity = turn.Quantity.Add(first.Quantity)
	d.charge(turn)
	next.fills[0] = turn
}
