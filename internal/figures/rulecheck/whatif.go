package rulecheck

import (
	"slices"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/trading/rules"
)

// Effect is what enforcing a rule changes.
type Effect struct {
	Removed     RemovedTrades   `json:"removed"`
	Resized     ResizedTrades   `json:"resized" doc:"Trades that max_size makes smaller."`
	Effect      decimal.Decimal `json:"effect" doc:"The net result with the rule less the actual one."`
	EffectR     decimal.Null    `json:"effect_r" doc:"The same in R; null if no trade has R."`
	Interval    *Bounds         `json:"interval" doc:"The 95% interval of the effect, with whole days drawn; null with fewer than two days."`
	DaysTouched int             `json:"days_touched" doc:"Days with a removed or resized trade."`
	Unknown     int             `json:"unknown" doc:"Trades that could not be judged. They stay in."`
	Enough      bool            `json:"enough" doc:"Whether at least 30 trades on 10 days were removed or resized and the interval is without 0."`
}

// RemovedTrades are the trades that the rule forbids.
type RemovedTrades struct {
	Trades int             `json:"trades"`
	Wins   int             `json:"wins"`
	Losses int             `json:"losses"`
	Net    decimal.Decimal `json:"net"`
	R      decimal.Null    `json:"r" doc:"The sum of the known R; null if none."`
}

// ResizedTrades are the trades that the rule makes smaller.
type ResizedTrades struct {
	Trades    int             `json:"trades"`
	NetBefore decimal.Decimal `json:"net_before"`
	NetAfter  decimal.Decimal `json:"net_after"`
}

// Bounds is an interval.
type Bounds struct {
	Low  decimal.Decimal `json:"low"`
	High decimal.Decimal `json:"high"`
}

// Placebo is the effect of the same rule on shuffled results.
type Placebo struct {
	Mean               decimal.Decimal `json:"mean" doc:"The mean effect over 200 rounds, in which the results of each day are shuffled over its trades."`
	ShareAtLeastAsGood float64         `json:"share_at_least_as_good" doc:"The share of rounds whose effect is at least that of the rule."`
}

// WhatIf enforces a rule forward in time: each opening is decided with the state made by
// the trades kept so far.
type WhatIf struct {
	w      *walker
	real   results
	actual decimal.Decimal
}

// CanEnforce reports whether a kind can be enforced: exits and reviews cannot.
func CanEnforce(kind rules.Kind) bool {
	return kind != rules.NoAddingToLosers && kind != rules.ReviewBy
}

// NewWhatIf prepares the enforcement of rules on closed trades. The rule's validity is
// ignored.
func NewWhatIf(rule *rules.Rule, trades analytics.Openings, facts *Facts) *WhatIf {
	w := newWalker(rule, trades, facts)
	w.checkDay = func(day journal.Day) bool {
		return len(rule.Weekdays) == 0 || slices.Contains(rule.Weekdays, day.Weekday())
	}
	w.openDays = make([]int64, len(w.trades))
	for i := range w.trades {
		w.openDays[i] = w.clock.Day(w.trades[i].OpenedAt)
	}
	x := &WhatIf{w: w, real: w.actual()}
	x.actual = decimal.Sum(x.real.net...)
	return x
}

// change is what a rule does to each trade.
type change struct {
	removed []bool
	net     []decimal.Decimal // after the rule, 0 if removed
	// quantities are what resized trades keep: new over old quantity; nil without any.
	resized []*[2]decimal.Decimal
	unknown int
}

// enforce returns the results after the rule.
func (x *WhatIf) enforce(r results) change {
	if x.w.rule.Kind == rules.MaxSize {
		return x.w.resize(r)
	}
	c := change{removed: make([]bool, len(r.net)), net: slices.Clone(r.net)}
	x.w.walk(r, true, func(i int, v Verdict) {
		switch v {
		case Broken:
			c.removed[i], c.net[i] = true, decimal.Zero
		case Unknown:
			c.unknown++
		case Kept, NotJudged:
		}
	})
	return c
}

// resize makes trades above max_size smaller. Quantities are cut to whole numbers where
// the peak is whole, else to 8 decimals, and results are in proportion.
func (w *walker) resize(r results) change {
	c := change{removed: make([]bool, len(r.net)), net: slices.Clone(r.net), resized: make([]*[2]decimal.Decimal, len(r.net))}
	r.net = c.net // equity follows the new results
	w.walk(r, false, func(i int, v Verdict) {
		if v == Unknown {
			c.unknown++
		}
		if v != Broken {
			return
		}
		sizes, limit, _ := w.sizeOf(i)
		largest := slices.MaxFunc(sizes, decimal.Decimal.Cmp)
		var peak decimal.Decimal
		for _, s := range w.steps(&w.trades[i]) {
			peak = decimal.Max(peak, s.Quantity)
		}
		quantity := cutQuantity(peak, limit, largest)
		const moneyScale = 8
		c.net[i] = r.net[i].Mul(quantity).DivRound(peak, moneyScale)
		if quantity.IsZero() {
			c.removed[i] = true
			return
		}
		c.resized[i] = &[2]decimal.Decimal{quantity, peak}
	})
	return c
}

// cutQuantity returns peak × limit / size, rounded down.
func cutQuantity(peak, limit, size decimal.Decimal) decimal.Decimal {
	scale := int32(8)
	if peak.Equal(peak.Round(0)) {
		scale = 0
	}
	exact := peak.Mul(limit)
	quantity := exact.DivRound(size, scale)
	if quantity.Mul(size).Cmp(exact) > 0 {
		quantity = quantity.Sub(decimal.FromScaled(1, scale))
	}
	return quantity
}

// Measure returns the rule's effect.
func (x *WhatIf) Measure() (Effect, *Outcome) {
	c := x.enforce(x.real)
	e := Effect{Unknown: c.unknown, Effect: decimal.Sum(c.net...).Sub(x.actual)}
	touched := map[int64]bool{}
	for i := range c.net {
		t := &x.w.trades[i]
		r := t.R()
		if r.Valid && !e.EffectR.Valid {
			e.EffectR = decimal.Of(decimal.Zero)
		}
		switch {
		case c.removed[i]:
			e.Removed.add(x.real.net[i], x.real.outcomes[i], r)
			e.EffectR.Decimal = e.EffectR.Decimal.Sub(r.Decimal)
		case c.resized != nil && c.resized[i] != nil:
			e.Resized.Trades++
			e.Resized.NetBefore = e.Resized.NetBefore.Add(x.real.net[i])
			e.Resized.NetAfter = e.Resized.NetAfter.Add(c.net[i])
		default:
			continue
		}
		touched[x.w.openDays[i]] = true
	}
	e.DaysTouched = len(touched)
	e.Interval = x.interval(c.net)
	const minTrades, minDays = 30, 10
	e.Enough = e.Removed.Trades+e.Resized.Trades >= minTrades && e.DaysTouched >= minDays &&
		e.Interval != nil && (e.Interval.Low.Sign() > 0 || e.Interval.High.Sign() < 0)
	return e, &Outcome{x: x, c: c}
}

func (t *RemovedTrades) add(net decimal.Decimal, outcome int8, r decimal.Null) {
	t.Trades++
	t.Net = t.Net.Add(net)
	switch outcome {
	case 1:
		t.Wins++
	case -1:
		t.Losses++
	}
	if r.Valid {
		t.R = decimal.Of(t.R.Decimal.Add(r.Decimal))
	}
}

// interval draws whole days of opening.
func (x *WhatIf) interval(net []decimal.Decimal) *Bounds {
	sums := map[int64]decimal.Decimal{}
	for i, day := range x.w.openDays {
		sums[day] = sums[day].Add(net[i].Sub(x.real.net[i]))
	}
	if len(sums) < 2 {
		return nil
	}
	days := make([]int64, 0, len(sums))
	for day := range sums {
		days = append(days, day)
	}
	slices.Sort(days)
	differences := make([]decimal.Decimal, len(days))
	for k, day := range days {
		differences[k] = sums[day]
	}
	low, high := analytics.DrawSums(differences, analytics.Seed)
	return &Bounds{low, high}
}

// placeboRounds is how often results are shuffled.
const placeboRounds = 200

// MeasurePlacebo returns the effect of the rule on shuffled results. It is nil if the
// rule removed nothing, and for max_size.
func (x *WhatIf) MeasurePlacebo(e *Effect) *Placebo {
	if e.Removed.Trades == 0 || x.w.rule.Kind == rules.MaxSize {
		return nil
	}
	days := x.listDays()
	g := analytics.NewGenerator(analytics.Seed)
	var sum decimal.Decimal
	good := 0
	r := results{net: make([]decimal.Decimal, len(x.real.net)), outcomes: make([]int8, len(x.real.net))}
	var shuffled []decimal.Decimal
	for range placeboRounds {
		for _, places := range days {
			shuffled = shuffled[:0]
			for _, i := range places {
				shuffled = append(shuffled, x.real.net[i])
			}
			analytics.Shuffle(g, shuffled)
			for k, i := range places {
				r.net[i] = shuffled[k]
				r.outcomes[i] = x.w.trades[i].OutcomeWith(shuffled[k], x.w.facts.Tolerance)
			}
		}
		effect := decimal.Zero
		x.w.walk(r, true, func(i int, v Verdict) {
			if v == Broken {
				effect = effect.Sub(r.net[i])
			}
		})
		sum = sum.Add(effect)
		if effect.Cmp(e.Effect) >= 0 {
			good++
		}
	}
	return &Placebo{Mean: sum.DivAverage(decimal.New(placeboRounds)), ShareAtLeastAsGood: float64(good) / placeboRounds}
}

// listDays returns the places by day of opening, the days in order.
func (x *WhatIf) listDays() [][]int {
	byDay := map[int64][]int{}
	var days []int64
	for i, day := range x.w.openDays {
		if byDay[day] == nil {
			days = append(days, day)
		}
		byDay[day] = append(byDay[day], i)
	}
	slices.Sort(days)
	list := make([][]int, len(days))
	for k, day := range days {
		list[k] = byDay[day]
	}
	return list
}

// Outcome is the trades after a rule.
type Outcome struct {
	x *WhatIf
	c change
}

// ListRemoved returns the first removed trades in opening order.
func (o *Outcome) ListRemoved(limit int) []journal.TradeID {
	ids := []journal.TradeID{}
	for i, removed := range o.c.removed {
		if removed && len(ids) < limit {
			ids = append(ids, o.x.w.trades[i].ID())
		}
	}
	return ids
}

// KeptIDs returns the trades that remain.
func (o *Outcome) KeptIDs() *analytics.TradeIDs {
	all := analytics.Openings{Trades: o.x.w.trades}
	return all.CollectIDs(func(i int) bool { return !o.c.removed[i] })
}

// HasResized reports whether trades became smaller.
func (o *Outcome) HasResized() bool {
	return slices.ContainsFunc(o.c.resized, func(q *[2]decimal.Decimal) bool { return q != nil })
}

// Trades returns the remaining trades by account, with the results of resized ones in
// proportion.
func (o *Outcome) Trades() map[journal.AccountID][]analytics.Trade {
	out := map[journal.AccountID][]analytics.Trade{}
	for i := range o.x.w.trades {
		if o.c.removed[i] {
			continue
		}
		t := &o.x.w.trades[i]
		row := t.Trade()
		if q := o.c.resized; q != nil && q[i] != nil {
			row = scaleTrade(row, q[i][0], q[i][1], o.c.net[i])
		}
		out[t.Account()] = append(out[t.Account()], row)
	}
	return out
}

// scaleTrade returns a trade with a part of its quantity.
func scaleTrade(t analytics.Trade, part, whole, net decimal.Decimal) analytics.Trade {
	const moneyScale = 8
	scale := func(d decimal.Decimal) decimal.Decimal { return d.Mul(part).DivRound(whole, moneyScale) }
	t.Net, t.Fees = net, scale(t.Fees)
	t.Gross = net.Add(t.Fees)
	t.EntryNotional, t.Volume, t.Quantity = scale(t.EntryNotional), scale(t.Volume), scale(t.Quantity)
	t.InitialRisk.Decimal, t.MAE.Decimal, t.MFE.Decimal = scale(t.InitialRisk.Decimal), scale(t.MAE.Decimal), scale(t.MFE.Decimal)
	return t
}
