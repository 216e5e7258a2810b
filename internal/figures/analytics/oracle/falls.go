package oracle

import (
	"cmp"
	"math/big"
	"time"
)

// equityStep is an event that changed the equity in question.
type equityStep struct {
	at     time.Time
	amount *big.Rat
	flow   bool
	trade  *Trade // nil for cash
	// counts reports whether the question selects it as a result, and inside whether it
	// is in the window.
	counts, inside bool
	// before is the accounts' whole equity right before.
	before *big.Rat
}

// listSteps returns everything that changed the accounts' equity, in order.
func (j *Journal) listSteps(q *Question) []equityStep {
	var out []equityStep
	kind := map[bool]int{true: 0, false: 1}
	for _, c := range sortedCopy(j.Cash, func(a, b Cash) int { return cmp.Or(cmp.Compare(kind[a.Flow], kind[b.Flow]), a.Amount.Cmp(b.Amount)) }) {
		if isAllowed(q.Accounts, c.Account) {
			out = append(out, equityStep{at: c.At, amount: c.Amount, flow: c.Flow, inside: q.isInPeriod(c.At), counts: !c.Flow && !q.isNarrowed()})
		}
	}
	var trades []*Trade
	all := j.listCounted(q)
	for i := range all {
		if isAllowed(q.Accounts, all[i].Account) {
			trades = append(trades, &all[i])
		}
	}
	for _, t := range sortByClosing(trades) {
		out = append(out, equityStep{at: t.ClosedAt, amount: t.Net, trade: t, inside: q.isInPeriod(q.basis(t)), counts: j.accepts(q, t)})
	}
	out = sortedCopy(out, func(a, b equityStep) int { return a.at.Compare(b.at) })
	equity := j.startingBalance(q)
	for i := range out {
		out[i].before = equity
		equity = add(equity, out[i].amount)
	}
	return out
}

// outcome is a result in the window: the level after it, and how far the time-weighted
// index is below its peak.
type outcome struct {
	equityStep
	level, part *big.Rat
}

// listOutcomes returns the results in the window. known reports whether percentages are
// known.
func (j *Journal) listOutcomes(q *Question) (out []outcome, known bool) {
	known = j.isCapitalKnown(q)
	level, index, peak := new(big.Rat), whole(1), whole(1)
	for _, s := range j.listSteps(q) {
		if !s.counts || !s.inside {
			continue
		}
		level = add(level, s.amount)
		if s.before.Sign() <= 0 || index.Sign() < 0 {
			known = false
		} else {
			index = mul(index, add(whole(1), quo(s.amount, s.before)))
		}
		peak = maxOf(peak, index)
		out = append(out, outcome{s, level, sub(whole(1), quo(index, peak))})
	}
	return out, known && len(out) > 0
}

// isCapitalKnown reports whether starting balances and deposits up to the first opening
// are above zero.
func (j *Journal) isCapitalKnown(q *Question) bool {
	var first *time.Time
	for _, t := range j.SelectTrades(q) {
		if first == nil || t.OpenedAt.Before(*first) {
			first = &t.OpenedAt
		}
	}
	capital := j.startingBalance(q)
	for _, c := range j.Cash {
		if isAllowed(q.Accounts, c.Account) && c.Flow && c.Amount.Sign() > 0 && (first == nil || !c.At.After(*first)) {
			capital = add(capital, c.Amount)
		}
	}
	return capital.Sign() > 0
}

// maxDrawdown returns the deepest fall, in money and in percent.
func (j *Journal) maxDrawdown(q *Question) (deepest *big.Rat, pct any) {
	all, known := j.listOutcomes(q)
	deepest = new(big.Rat)
	part, peak := new(big.Rat), new(big.Rat)
	for _, o := range all {
		peak = maxOf(peak, o.level)
		deepest, part = maxOf(deepest, sub(peak, o.level)), maxOf(part, o.part)
	}
	if !known {
		return deepest, nil
	}
	return deepest, percent(part)
}

func maxOf(a, b *big.Rat) *big.Rat {
	if b.Cmp(a) > 0 {
		return b
	}
	return a
}

func percent(r *big.Rat) any {
	if r == nil {
		return nil
	}
	return float(mul(r, whole(100)))
}

// fall is a drawdown: the results below a peak, and the recovering result.
type fall struct {
	peak      *big.Rat
	peakAt    any
	results   []outcome
	recovered bool
}

// findFalls splits results at their peaks.
func findFalls(list []outcome) []*fall {
	var out []*fall
	var open *fall
	peak := new(big.Rat)
	var peakAt any
	for _, o := range list {
		if o.level.Cmp(peak) < 0 && open == nil {
			open = &fall{peak: peak, peakAt: peakAt}
			out = append(out, open)
		}
		if open != nil {
			open.results = append(open.results, o)
		}
		if o.level.Cmp(peak) >= 0 {
			peak, peakAt = o.level, o.at
			if open != nil {
				open.recovered, open = true, nil
			}
		}
	}
	return out
}

func (f *fall) depth() *big.Rat {
	depth := new(big.Rat)
	for _, o := range f.results {
		depth = maxOf(depth, sub(f.peak, o.level))
	}
	return depth
}

func (f *fall) part() *big.Rat {
	part := new(big.Rat)
	for _, o := range f.results {
		part = maxOf(part, o.part)
	}
	return part
}

func (f *fall) trough() time.Time {
	depth := f.depth()
	for _, o := range f.results {
		if sub(f.peak, o.level).Cmp(depth) == 0 {
			return o.at
		}
	}
	return time.Time{}
}

func (f *fall) trades() int {
	count := 0
	for _, o := range f.results {
		if o.trade != nil && o.trade.counts() {
			count++
		}
	}
	return count
}

// Drawdowns predicts the drawdown list.
func (j *Journal) Drawdowns(q *Question, limit int) List {
	out := List{}
	all, known := j.listOutcomes(q)
	deepestFirst := sortedCopy(findFalls(all), func(a, b *fall) int { return b.depth().Cmp(a.depth()) })
	for _, f := range deepestFirst[:min(limit, len(deepestFirst))] {
		began, end := f.results[0].at, f.results[len(f.results)-1].at
		row := Object{
			"depth": f.depth(), "depth_pct": nil, "peak_at": f.peakAt, "began_at": began, "trough_at": f.trough(),
			"recovered_at": nil, "recovery_secs": nil, "trades": f.trades(), "length_secs": float(seconds(end.Sub(began))),
		}
		if known {
			row["depth_pct"] = percent(f.part())
		}
		if f.recovered {
			row["recovered_at"], row["recovery_secs"] = end, float(seconds(end.Sub(f.trough())))
		}
		out = append(out, row)
	}
	return out
}
