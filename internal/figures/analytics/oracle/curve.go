package oracle

import (
	"math/big"
	"time"
)

// Equity predicts the equity curve with all its points.
func (j *Journal) Equity(q *Question) Object {
	byClosing := *q
	byClosing.ByOpening = false
	q = &byClosing
	starting, flows := j.startingBalance(q), new(big.Rat)
	var window []equityStep
	for _, s := range j.listSteps(q) {
		switch {
		case !s.counts && !s.flow:
		case s.inside:
			window = append(window, s)
		case q.From != nil && s.at.Before(*q.From):
			starting = add(starting, s.amount)
		}
	}
	points := List{}
	if first := firstInstant(q, window); first != nil {
		points = append(points, Object{"at": *first, "equity": starting, "drawdown": new(big.Rat)})
	}
	equity, peak := starting, starting
	for _, s := range window {
		equity = add(equity, s.amount)
		if s.flow {
			peak, flows = add(peak, s.amount), add(flows, s.amount)
		}
		peak = maxOf(peak, equity)
		points = append(points, Object{"at": s.at, "equity": equity, "drawdown": sub(peak, equity)})
	}
	deepest, pct := j.maxDrawdown(q)
	return Object{
		"points": points, "starting_equity": starting, "ending_equity": equity, "max_drawdown": deepest,
		"max_drawdown_pct": pct, "net_cash_flow": flows, "currency": j.currency(q),
		"marked": nil, // these journals have no prices
	}
}

// firstInstant returns the curve's start, or nil if it has no points.
func firstInstant(q *Question, window []equityStep) *time.Time {
	if q.From != nil {
		return q.From
	}
	if len(window) > 0 {
		return &window[0].at
	}
	return nil
}
