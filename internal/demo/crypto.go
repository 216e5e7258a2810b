package demo

import (
	"math"

	"fillbook/internal/decimal"
)

// coins are what the crypto account trades, in hundred-millionths.
var coins = []instrument{
	{symbol: "BTC-USD", kind: kindCrypto, tick: 1, scale: 1, multiplier: 1, level: 84_000, sigma: 0.026, digits: 8},
	{symbol: "ETH-USD", kind: kindCrypto, tick: 1, scale: 2, multiplier: 1, level: 2_900, sigma: 0.035, digits: 8},
}

// cryptoAccount is an account at an exchange that is open day and night.
var cryptoAccount = deskAccount{
	Account: Account{
		Name: "Crypto", Broker: "Kraken", Type: "crypto", Currency: "USD",
		StartingBalance: decimal.New(9_000),
	},
	unit: 150, charge: chargeCrypto,
}

// chargeCrypto is a share of the amount, as exchanges take it.
func chargeCrypto(f *Execution) {
	f.Fees = f.Price.Mul(f.Quantity).Mul(decimal.Must("0.0016")).Round(4)
}

var cryptoIdeas = []idea{
	{
		setup: "Base breakout", weight: 4, edge: 0.16, from: [2]int{7, 0}, to: [2]int{17, 0},
		stop: [2]float64{1.1, 1.9}, target: [2]float64{1.9, 3.9}, sessions: [2]int{2, 12}, only: "long",
	},
	{
		setup: "Failed breakdown", weight: 3, edge: 0.14, from: [2]int{6, 30}, to: [2]int{17, 0},
		stop: [2]float64{0.8, 1.4}, target: [2]float64{1.8, 3.2}, sessions: [2]int{1, 6}, only: "long",
	},
	{
		setup: "Pullback to the 20 EMA", weight: 3, edge: 0.1, from: [2]int{7, 0}, to: [2]int{17, 0},
		stop: [2]float64{0.7, 1.3}, target: [2]float64{1.8, 3.0}, sessions: [2]int{1, 7},
	},
}

// tradeCrypto is one day of the crypto account.
func (w *world) tradeCrypto(d *desk, n int) {
	day := w.tapes["BTC-USD"].sessions[n].day
	c, chance := w.chapter(day), throw("crypto", n)
	if !chance.chance(0.2 * c.pace) {
		return
	}
	i := choose(chance, cryptoIdeas)
	tape := w.tapes[pick(chance, coins).symbol]
	p := i.draft(chance, tape, n, c)
	if p.adds == nil && chance.chance(0.4) {
		p.adds = []add{{chance.whole(6, 40), 0.3}, {chance.whole(41, 110), 0.3}}
	}
	mistake, size := slipUp(chance, c, &p)
	skill := d.skill(i, c, mistake, tape.sessions[n].at(p.at.bar))
	w.enterCoin(d, chance, foresight(chance, skill, p, i.others(chance, p)...), &trade{
		chapter: c, setup: i.setup, mistake: mistake, size: size * c.size,
	})
}

// enterCoin sizes a trade by its risk, to the last decimal.
func (w *world) enterCoin(d *desk, chance dice, o outcome, t *trade) *trade {
	t.outcome, t.of, t.buys, t.day = o, o.tape.instrument, o.long, o.tape.sessions[o.at.session].day
	distance := float64(o.stop) * t.of.size()
	amount := min(t.size*d.unit/distance, 9_000/(float64(o.entry())*t.of.size()))
	t.units, t.money = int64(math.Round(amount*1e8)), amount*distance
	if !d.take(t, t.units, chance, func(a action) int { return a.price }) {
		return nil
	}
	return t
}

// leaveOpen ends the story in the middle of things: some positions are held
// over its last day.
func (w *world) leaveOpen() {
	margin, left := w.desks[0], 3
	for i, of := range stocks[3:] {
		if left > 0 && w.hold(of.symbol, 2+2*left, swingIdeas[0], func(d dice, o outcome, t *trade) *trade {
			return w.enterStock(margin, d, o, t)
		}) {
			left--
		}
		call := optionIdeas[0]
		call.weeks = [2]int{4, 4}
		if i < 2 {
			w.hold(of.symbol, 3+i, call.idea, func(d dice, o outcome, t *trade) *trade {
				return w.enterOption(margin, d, call, o, t)
			})
		}
	}
	for _, of := range coins {
		w.hold(of.symbol, 5, cryptoIdeas[0], func(d dice, o outcome, t *trade) *trade {
			return w.enterCoin(w.desks[2], d, o, t)
		})
	}
}

// hold enters a position some sessions before the end and keeps it. It tells
// whether it could.
func (w *world) hold(symbol string, before int, i idea, enter func(dice, outcome, *trade) *trade) bool {
	tape, chance := w.tapes[symbol], throw("hold", symbol, i.setup)
	n := len(tape.sessions) - before
	p := i.draft(chance, tape, n, chapter{})
	p.long, p.sessions, p.target, p.partial = true, 100, 50, 0
	o := p.run()
	t := &trade{chapter: w.chapter(tape.sessions[n].day), setup: i.setup, size: 1}
	return o.ending == stillOn && enter(chance, o, t) != nil
}
