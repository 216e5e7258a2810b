package demo

import (
	"math"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// optionRule describes the contract for an idea traded with options.
type optionRule struct {
	Weeks    [2]int  // to the expiry
	Distance float64 // out of the money, in daily standard deviations
	Sell     bool    // sells a put instead of buying
}

// contract identifies an option; it is empty for other instruments.
type contract struct {
	right  string // call or put
	strike float64
	expiry journal.Day
}

// details returns the contract as fills describe it.
func (c contract) details() map[string]string {
	strike := decimal.New(int64(c.strike))
	return map[string]string{"option_right": c.right, "strike": strike.String(), "expiry": string(c.expiry)}
}

// expiry returns the Friday some weeks after a day, or the last trading day before it.
func (o optionRule) expiry(rng random, d journal.Day) journal.Day {
	d = d.AddDays((5-d.Weekday()+7)%7 + 7*rng.whole(o.Weeks[0], o.Weeks[1]))
	for !isTradingDay(d) {
		d = d.AddDays(-1)
	}
	return d
}

// setContract makes the trade an option trade on its instrument and returns the risk per
// contract: about half the premium, or more for a sold option.
func (s *simulation) setContract(t *trade) float64 {
	t.instrument = instrument{Symbol: t.series.Symbol, Tick: 1, Scale: 2, Multiplier: 100, market: s.Markets["option"]}
	t.buys = !t.option.Sell
	t.contract = contract{right: "call", expiry: t.expiry}
	distance, risk := t.option.Distance*t.series.Sigma, 0.55
	if !t.long || t.option.Sell {
		t.contract.right, distance = "put", -distance
	}
	if t.option.Sell {
		risk = 1.2
	}
	price, step := float64(t.entry())*t.series.tickSize()*(1+distance), 5.0
	if price < 100 {
		step = 1
	}
	t.contract.strike = math.Round(price/step) * step
	return risk * float64(t.quoteOption(t.actions[0])) // cents are dollars in a contract
}

// quoteOption returns the trade's contract price, in cents, for an order on the
// underlying.
func (t *trade) quoteOption(order action) int {
	left := onDay(t.contract.expiry, 16, 0).Sub(t.series.timeAt(order.at))
	value := t.contract.value(float64(order.price)*t.series.tickSize(), left, t.series.Sigma)
	if t.ending == byExpiry && left <= time.Minute && value < 0.05 {
		return 0
	}
	return max(int(math.Round(value*100)), 1)
}

// value returns a contract's Black–Scholes price, for a volatility slightly above the
// real one.
func (c contract) value(price float64, left time.Duration, sigma float64) float64 {
	const rate = 0.04
	yearsLeft := max(left.Hours()/24/365, 1e-6)
	spread := 1.08 * sigma * math.Sqrt(252*yearsLeft)
	d1 := (math.Log(price/c.strike)+rate*yearsLeft)/spread + spread/2
	discounted := c.strike * math.Exp(-rate*yearsLeft)
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	call := price*normal(d1) - discounted*normal(d1-spread)
	if c.right == "put" {
		return max(call-price+discounted, 0)
	}
	return max(call, 0)
}

// newWing returns the purchase of a further option that limits the loss of a sold one, for
// most of them, or nil. Both are one order, so they are a spread.
func (a *tradingAccount) newWing(t *trade) *trade {
	if t.option == nil || !t.option.Sell || !newRandom("wing", a.Name, len(a.trades)).chance(0.7) {
		return nil
	}
	wing := *t
	wing.buys, wing.sold, wing.fills = true, t, nil
	wing.contract.strike -= 10
	if t.contract.strike < 100 {
		wing.contract.strike += 5
	}
	if !wing.openedAfter(a.busyUntil[wing.stream()]) {
		return nil
	}
	return &wing
}

// openedAfter reports whether the trade opens after an instant.
func (t *trade) openedAfter(at time.Time) bool { return t.series.timeAt(t.at).After(at) }

// follow adds fills of the wing for some fills of an order of the sold option.
func (t *trade) follow(sold []*ledger.NewFill, order action, number string) {
	for _, f := range sold {
		f.Details["order_id"] = number
		fill := *f
		fill.ExecutedAt = f.ExecutedAt.Add(12 * time.Millisecond)
		fill.Side = matching.Buy
		if f.Side == matching.Buy {
			fill.Side = matching.Sell
		}
		fill.Price = t.instrument.price(t.quoteOption(order))
		fill.Details = t.contract.details()
		fill.Details["order_id"] = number
		t.market.charge(&fill)
		t.fills = append(t.fills, &fill)
	}
}
