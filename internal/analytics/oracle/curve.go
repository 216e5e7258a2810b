package oracle

import (
	"cmp"
	"math/big"
	"strings"
	"time"
)

// event is what moves equity: a trade that closed, or cash.
type event struct {
	id     string
	at     time.Time
	amount *big.Rat
	cash   bool
	flow   bool
}

// events are all of the journal that a question lets through, whenever.
func (j *Journal) events(q *Question) []event {
	var out []event
	for _, c := range j.Cash {
		if allows(q.Accounts, c.Account) {
			out = append(out, event{c.ID, c.At, c.Amount, true, c.Flow})
		}
	}
	all := j.counted(q)
	for i := range all {
		if t := &all[i]; q.passes(t) {
			out = append(out, event{id: t.ID, at: t.ClosedAt, amount: t.Net})
		}
	}
	kind := map[bool]int{true: 0, false: 1}
	return sorted(out, func(a, b event) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(kind[a.cash], kind[b.cash]), strings.Compare(a.id, b.id))
	})
}

// Equity foretells the equity curve with all its points.
func (j *Journal) Equity(q *Question) Object {
	starting, flows := j.starting(q), new(big.Rat)
	var window []event
	for _, e := range j.events(q) {
		switch {
		case q.inside(e.at):
			window = append(window, e)
		case q.From != nil && e.at.Before(*q.From):
			starting = add(starting, e.amount)
		}
	}
	points := List{}
	if first := firstInstant(q, window); first != nil {
		points = append(points, Object{"at": *first, "equity": starting, "drawdown": new(big.Rat)})
	}
	equity, peak, deepest := starting, starting, new(big.Rat)
	var part *big.Rat
	if len(points) > 0 && peak.Sign() > 0 {
		part = new(big.Rat)
	}
	for _, e := range window {
		equity = add(equity, e.amount)
		if e.flow {
			peak, flows = add(peak, e.amount), add(flows, e.amount)
		}
		peak = higher(peak, equity)
		drawdown := sub(peak, equity)
		deepest = higher(deepest, drawdown)
		if peak.Sign() > 0 {
			part = higher(orZero(part), quo(drawdown, peak))
		}
		points = append(points, Object{"at": e.at, "equity": equity, "drawdown": drawdown})
	}
	return Object{
		"points": points, "starting_equity": starting, "ending_equity": equity, "max_drawdown": deepest,
		"max_drawdown_pct": percent(part), "net_cash_flow": flows, "currency": j.currency(q),
	}
}

// firstInstant is where the curve begins; nil when there is nothing to draw.
func firstInstant(q *Question, window []event) *time.Time {
	if q.From != nil {
		return q.From
	}
	if len(window) > 0 {
		return &window[0].at
	}
	return nil
}
