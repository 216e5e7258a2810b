package demo

import (
	"math"
	"slices"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/journal"
)

// chargeOptions is the option part of the stock broker's price list.
func chargeOptions(f *Execution, contracts, sale float64) {
	if f.Price.IsZero() { // expired
		return
	}
	f.Commission = cents(max(1, 0.65*contracts))
	f.Fees = cents(0.055*contracts + 0.0000278*sale)
}

// optionIdea is a way to trade an option: an idea on the underlying, and the
// contract to put it on with.
type optionIdea struct {
	idea
	weeks [2]int  // to the expiry
	away  float64 // how far out of the money, in moves of a day
	short bool    // sells a put instead of buying
	on    []string
}

var optionIdeas = []optionIdea{
	{
		idea: idea{
			setup: "Pullback to the 20 EMA", weight: 5, edge: 0.2, from: [2]int{9, 50}, to: [2]int{15, 0},
			stop: [2]float64{0.8, 1.3}, target: [2]float64{2.0, 3.7}, sessions: [2]int{1, 5},
		},
		weeks: [2]int{2, 5}, away: 0.6, on: []string{"NVDA", "AMD", "TSLA", "AAPL", "META", "AMZN", "QQQ"},
	},
	{
		idea: idea{
			setup: "Earnings drift", weight: 3, edge: 0.14, from: [2]int{9, 40}, to: [2]int{11, 0},
			stop: [2]float64{0.9, 1.5}, target: [2]float64{2.2, 3.7}, sessions: [2]int{1, 4},
		},
		weeks: [2]int{1, 3}, away: 0.4, on: []string{"NVDA", "META", "GOOGL", "MSFT", "CRWD", "MU"},
	},
	{
		idea: idea{
			setup: "Opening range breakout", weight: 4, edge: 0.12, from: [2]int{9, 36}, to: [2]int{10, 30},
			stop: [2]float64{0.22, 0.36}, target: [2]float64{1.9, 3.4}, bars: [2]int{32, 176},
		},
		weeks: [2]int{0, 1}, away: 0.2, on: []string{"SPY", "QQQ", "TSLA", "NVDA"},
	},
	{
		idea: idea{
			setup: "Premium sale", weight: 4, edge: 0.22, from: [2]int{10, 0}, to: [2]int{15, 30},
			stop: [2]float64{2.4, 3.2}, target: [2]float64{1.3, 2.1}, sessions: [2]int{10, 36}, only: "long",
		},
		weeks: [2]int{4, 6}, away: 4, short: true, on: []string{"AAPL", "AMZN", "JPM", "GOOGL", "IWM", "SPY", "AMD"},
	},
}

// tradeOptions is the option side of one session of the margin account.
func (w *world) tradeOptions(d *desk, n int) {
	chance := throw("options", n)
	c := w.chapter(w.tapes["SPY"].sessions[n].day)
	if !chance.chance(0.36 * c.pace) {
		return
	}
	list := make([]idea, len(optionIdeas))
	for i, o := range optionIdeas {
		list[i] = o.idea
	}
	chosen := choose(chance, list)
	i := slices.IndexFunc(optionIdeas, func(o optionIdea) bool { return o.setup == chosen.setup })
	w.takeOption(d, n, chance, optionIdeas[i], c)
}

// takeOption draws a plan on the underlying and trades it with a contract.
func (w *world) takeOption(d *desk, n int, chance dice, i optionIdea, c chapter) *trade {
	tape := w.tapes[pick(chance, i.on)]
	p := i.draft(chance, tape, n, c)
	if i.short {
		p.adds, p.partial = nil, 0
	}
	mistake, size := slipUp(chance, c, &p)
	skill := d.skill(i.idea, c, mistake, tape.sessions[n].at(p.at.bar))
	o := foresight(chance, skill, p, i.others(chance, p)...)
	return w.enterOption(d, chance, i, o, &trade{
		chapter: c, setup: i.setup, mistake: mistake, size: size * c.size,
	})
}

// enterOption chooses the contract and the number of contracts.
func (w *world) enterOption(d *desk, chance dice, i optionIdea, o outcome, t *trade) *trade {
	t.outcome, t.buys, t.day = o, !i.short, o.tape.sessions[o.at.session].day
	t.of = instrument{symbol: o.tape.symbol, kind: kindOption, tick: 1, scale: 2, multiplier: 100}
	t.contract = i.contract(chance, o)
	if t.contract.Expiry == "" {
		return nil
	}
	t.outcome = t.outcome.until(t.contract.Expiry)
	premium := t.of.size() * float64(t.quote(o.actions[0]))
	each := 55 * premium // half of the premium is lost at the stop, about
	if i.short {
		each = 120 * premium
	}
	contracts := min(max(math.Round(t.size*d.unit*1.2/each), 1), 12)
	t.units, t.money = int64(contracts), contracts*each
	if t.money > 4.5*d.unit || premium < 0.3 || !d.take(t, t.units, chance, t.quote) {
		return nil
	}
	return t
}

// contract is the option that fits the outcome's plan.
func (i optionIdea) contract(d dice, o outcome) Contract {
	price := float64(o.entry()) * o.tape.size()
	right, sign := "call", 1.0
	if !o.long || i.short {
		right = "put"
	}
	if right == "put" {
		sign = -1
	}
	strike := price * (1 + sign*i.away*o.tape.sigma)
	return Contract{Right: right, Strike: roundStrike(strike), Expiry: o.expiry(d.whole(i.weeks[0], i.weeks[1]), i.idea)}
}

// roundStrike is the nearest strike that is listed.
func roundStrike(price float64) decimal.Decimal {
	step := 5.0
	switch {
	case price < 30:
		step = 0.5
	case price < 100:
		step = 1
	case price < 250:
		step = 2.5
	}
	return decimal.FromScaled(int64(math.Round(price/step)*step*10), 1)
}

// expiry is the Friday some weeks ahead, or the last trading day before it.
// It is empty where the plan would not be over by then.
func (o outcome) expiry(weeks int, i idea) journal.Day {
	today := o.tape.sessions[o.at.session].day
	friday := today.AddDays((5-today.Weekday()+7)%7 + 7*weeks)
	for !isTradingDay(friday) {
		friday = friday.AddDays(-1)
	}
	if i.sessions[1] > 0 && today.DaysUntil(friday) < 6 {
		return ""
	}
	return friday
}

// until ends a plan that would outlive its contract: at expiry.
func (o outcome) until(expiry journal.Day) outcome {
	sessions := o.tape.sessions
	n := slices.IndexFunc(sessions, func(s session) bool { return s.day == expiry })
	last := o.actions[len(o.actions)-1]
	if n < 0 || o.ending != stillOn && last.at.session <= n {
		return o
	}
	end := moment{n, sessions[n].bars - 1}
	o.actions = slices.DeleteFunc(slices.Clone(o.actions), func(a action) bool { return a.at.session > n })
	o.actions = append(o.actions, action{at: end, price: int(o.tape.look(end).close), closes: 1})
	o.ending = byExpiry
	return o
}

// quote is the price of the trade's contract, in cents, when the underlying
// stands where an action finds it.
func (t *trade) quote(a action) int {
	s := t.tape.sessions[a.at.session]
	left := onDay(t.contract.Expiry, 16, 0, newYork).Sub(s.at(a.at.bar))
	value := t.contract.value(float64(a.price)*t.tape.size(), left, t.tape.sigma)
	if t.ending == byExpiry && a.at.bar == s.bars-1 && value < 0.05 {
		return 0
	}
	return max(onGrid(value), 1)
}

// onGrid is a premium in cents: in steps of five from three dollars on.
func onGrid(value float64) int {
	if value >= 3 {
		return int(math.Round(value*20)) * 5
	}
	return int(math.Round(value * 100))
}

// value is the model price of a contract (Black and Scholes), for a daily
// volatility that is a little higher than what really happens.
func (c Contract) value(price float64, left time.Duration, sigma float64) float64 {
	const rate = 0.04
	strike, yearsLeft := c.Strike.Float64(), max(left.Hours()/24/365, 1e-6)
	spread := 1.08 * sigma * math.Sqrt(252*yearsLeft)
	d1 := (math.Log(price/strike)+rate*yearsLeft)/spread + spread/2
	discounted := strike * math.Exp(-rate*yearsLeft)
	call := price*normal(d1) - discounted*normal(d1-spread)
	if c.Right == "put" {
		return max(call-price+discounted, 0)
	}
	return max(call, 0)
}

// normal is the standard normal distribution.
func normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
