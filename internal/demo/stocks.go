package demo

import (
	"math"

	"fillbook/internal/decimal"
	"fillbook/internal/matching"
)

// share describes a stock or fund that is quoted in cents.
func share(symbol string, level, sigma float64) instrument {
	return instrument{symbol: symbol, kind: kindStock, tick: 1, scale: 2, multiplier: 1, level: level, sigma: sigma}
}

// stocks are the trader's watch list.
var stocks = []instrument{
	share("SPY", 585, 0.0095), share("QQQ", 505, 0.0125), share("IWM", 218, 0.0135),
	share("AAPL", 228, 0.015), share("MSFT", 432, 0.014), share("NVDA", 136, 0.027),
	share("AMD", 148, 0.029), share("TSLA", 292, 0.034), share("META", 585, 0.021),
	share("AMZN", 201, 0.019), share("GOOGL", 178, 0.018), share("PLTR", 84, 0.037),
	share("COIN", 246, 0.042), share("SOFI", 14.4, 0.036), share("BA", 182, 0.02),
	share("JPM", 236, 0.013), share("XOM", 113, 0.014), share("UBER", 76, 0.022),
	share("CRWD", 372, 0.026), share("MU", 108, 0.03), share("DIS", 104, 0.016),
	share("INTC", 24.6, 0.028),
}

// stockAccount is a margin account at a broker that charges by the share.
var stockAccount = deskAccount{
	Account: Account{
		Name: "US Margin", Broker: "Interactive Brokers", Type: "margin", Currency: "USD",
		StartingBalance: decimal.New(38_000),
	},
	unit: 170, charge: chargeStocks,
}

// cents rounds an amount of money.
func cents(amount float64) decimal.Decimal {
	return decimal.FromScaled(int64(math.Round(amount*100)), 2)
}

// chargeStocks is the tiered price list of such a broker: so much a share or
// contract with a least amount, and what exchanges and regulators take, more
// of it from sales.
func chargeStocks(f *Execution) {
	quantity, sale := f.Quantity.Float64(), 0.0
	if f.Side == matching.Sell {
		sale = f.Price.Float64() * quantity * f.Multiplier.Float64()
	}
	if f.Kind == kindOption {
		chargeOptions(f, quantity, sale)
		return
	}
	f.Commission = cents(max(0.35, 0.0035*quantity))
	f.Fees = cents(0.0032*quantity + 0.0000278*sale)
	if sale > 0 {
		f.Fees = f.Fees.Add(cents(min(0.000166*quantity, 8.3)))
	}
}

// dayIdeas are the ways to trade a stock inside a day.
var dayIdeas = []idea{
	{
		setup: "Opening range breakout", weight: 5, edge: 0.10, from: [2]int{9, 36}, to: [2]int{10, 20},
		stop: [2]float64{0.2, 0.34}, target: [2]float64{1.8, 3.4}, bars: [2]int{40, 208},
	},
	{
		setup: "Pullback to the 20 EMA", weight: 6, edge: 0.2, from: [2]int{9, 58}, to: [2]int{15, 10},
		stop: [2]float64{0.14, 0.26}, target: [2]float64{1.7, 3.0}, bars: [2]int{32, 192},
	},
	{
		setup: "VWAP reclaim", weight: 4, edge: 0.04, from: [2]int{10, 8}, to: [2]int{15, 15},
		stop: [2]float64{0.14, 0.24}, target: [2]float64{1.6, 2.5}, bars: [2]int{24, 144},
	},
	{
		setup: "Gap fade", weight: 3, edge: -0.34, from: [2]int{9, 31}, to: [2]int{9, 50},
		stop: [2]float64{0.22, 0.36}, target: [2]float64{1.4, 2.3}, bars: [2]int{24, 128},
	},
	{
		setup: "", weight: 1, edge: -0.1, from: [2]int{9, 45}, to: [2]int{15, 30},
		stop: [2]float64{0.15, 0.3}, target: [2]float64{1.4, 2.8}, bars: [2]int{16, 144},
	},
}

// swingIdeas are the ways to hold a stock for some days.
var swingIdeas = []idea{
	{
		setup: "Base breakout", weight: 6, edge: 0.14, from: [2]int{9, 45}, to: [2]int{15, 40},
		stop: [2]float64{1.1, 1.9}, target: [2]float64{2.2, 4.1}, sessions: [2]int{3, 13}, only: "long",
	},
	{
		setup: "Earnings drift", weight: 3, edge: 0.02, from: [2]int{9, 40}, to: [2]int{11, 0},
		stop: [2]float64{1.2, 2}, target: [2]float64{1.8, 3.2}, sessions: [2]int{2, 7},
	},
	{
		setup: "Pullback to the 20 EMA", weight: 3, edge: 0.1, from: [2]int{10, 0}, to: [2]int{15, 45},
		stop: [2]float64{0.9, 1.6}, target: [2]float64{1.9, 3.4}, sessions: [2]int{2, 9},
	},
}

// tradeStocks is one session of the margin account.
func (w *world) tradeStocks(d *desk, n int) {
	s := w.tapes["SPY"].sessions[n]
	c, chance := w.chapter(s.day), throw("stocks", n)
	for range howMany(chance, 0.95*c.pace) {
		t := w.takeStock(d, n, chance, choose(chance, dayIdeas), c)
		w.avenge(d, chance, t, c, 3)
	}
	if chance.chance(0.24 * c.pace) {
		w.takeStock(d, n, chance, choose(chance, swingIdeas), c)
	}
}

// howMany throws a small number with the given mean.
func howMany(d dice, mean float64) (n int) {
	for limit, p := math.Exp(-mean), d.Float64(); p > limit && n < 6; n++ {
		p *= d.Float64()
	}
	return n
}

// takeStock takes one trade in a stock of the watch list. It gives nil where
// there was none.
func (w *world) takeStock(d *desk, n int, chance dice, i idea, c chapter) *trade {
	tape := w.tapes[stocks[min(chance.IntN(len(stocks)), chance.IntN(len(stocks)+6))].symbol]
	p := i.draft(chance, tape, n, c)
	mistake, size := slipUp(chance, c, &p)
	skill := d.skill(i, c, mistake, tape.sessions[n].at(p.at.bar))
	return w.enterStock(d, chance, foresight(chance, skill, p, i.others(chance, p)...), &trade{
		chapter: c, setup: i.setup, mistake: mistake, size: size * c.size,
	})
}

// enterStock sizes a trade by its risk and takes it.
func (w *world) enterStock(d *desk, chance dice, o outcome, t *trade) *trade {
	t.outcome, t.of, t.buys, t.day = o, o.tape.instrument, o.long, o.tape.sessions[o.at.session].day
	distance := float64(o.stop) * t.of.size()
	shares := t.size * d.unit / distance
	shares = min(shares, 42_000/(float64(o.entry())*t.of.size()))
	t.units = roundLot(shares)
	t.money = float64(t.units) * distance
	if !d.take(t, t.units, chance, func(a action) int { return a.price }) {
		return nil
	}
	return t
}

// roundLot makes a number of shares that a person would type.
func roundLot(shares float64) int64 {
	step := 1.0
	switch {
	case shares >= 200:
		step = 25
	case shares >= 60:
		step = 10
	case shares >= 15:
		step = 5
	}
	return max(int64(math.Round(shares/step)*step), 1)
}

// avenge is what a loss does to a careless trader: straight back into the
// same stock, larger, and again if that fails too.
func (w *world) avenge(d *desk, chance dice, lost *trade, c chapter, times int) {
	if lost == nil || times == 0 || lost.r > -0.5 || lost.sessions > 0 || !chance.chance(0.75*(1-c.care)*(1-c.care)) {
		return
	}
	last := lost.actions[len(lost.actions)-1].at
	at := moment{last.session, last.bar + chance.whole(2, 9)}
	if at.bar > lost.tape.sessions[at.session].bars-30 {
		return
	}
	p := plan{
		tape: lost.tape, at: at, long: lost.long != chance.chance(0.4), stop: lost.stop, slip: 1,
		target: chance.between(1, 1.8), bars: chance.whole(8, 50), stubborn: chance.chance(0.4),
	}
	worse := p
	worse.long = !p.long
	next := &trade{chapter: c, mistake: "Revenge trade", size: c.size * chance.between(1.5, 2.1)}
	skill := d.skill(idea{edge: -0.2}, c, next.mistake, lost.tape.sessions[at.session].at(at.bar))
	w.avenge(d, chance, w.enterAgain(d, chance, foresight(chance, skill, p, worse), next), c, times-1)
}

// enterAgain takes a trade on whichever desk it is for.
func (w *world) enterAgain(d *desk, chance dice, o outcome, t *trade) *trade {
	if o.tape.kind == kindFuture {
		return w.enterFuture(d, chance, o, t)
	}
	return w.enterStock(d, chance, o, t)
}
