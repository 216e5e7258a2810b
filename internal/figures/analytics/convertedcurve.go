package analytics

import (
	"time"

	"fillbook/internal/base/decimal"
)

// fxCurve accumulates curve points with balances in several currencies. Its level is the
// equity; the drawdown is that of results alone.
type fxCurve struct {
	curveBuilder[exact]
	held *balances
	// start is the equity at the first point; results and flow are converted and summed
	// since then.
	start, results decimal.Decimal
	// resultPeak is the highest level without the effect of rates, and fxPeak with it.
	resultPeak, fxPeak decimal.Decimal
	effects, fxBelow   []decimal.Decimal
	maxFxFall          decimal.Decimal
}

// buildConvertedCurve is buildEquityCurve with balances in several currencies. The change
// of equity is exactly results + cash flows + the effect of exchange rates.
func buildConvertedCurve[T number[T]](s *Selection, cash *cashColumn, q CurveQuery, from *time.Time) Curve {
	t := newTimeline(s, readColumn[T](s, netOf), cash)
	p := newPerformance(t)
	w := &fxCurve{held: newBalances(cash.exchange)}
	t.walk(func(e *event[T]) {
		if !e.inside {
			if e.at <= t.to {
				w.held.add(e.account, e.own)
			}
			return
		}
		if len(w.at) == 0 {
			w.begin(e.at, from)
		}
		if !e.flow {
			p.apply(e.amount.float(s.scale), e.equity(s.scale), e.overdraws(s.scale))
		}
		cash.exchange.Need(e.account, dayNumber(e.at))
		w.held.add(e.account, e.own)
		w.add(e.at, e.amount.decimal(s.scale), e.flow)
	})
	if len(w.at) == 0 {
		w.begin(microsDay*cash.exchange.Today, from)
		if from == nil {
			w.at = nil // no event, no point
		}
	}
	out := w.toCurve(exact{w.start}, 0, q)
	out.MaxDrawdownPct = p.drawdownPct()
	w.addEffects(&out, q)
	return out
}

// begin adds the first point: at the beginning of the window, else at the first event.
func (w *fxCurve) begin(at int64, from *time.Time) {
	if from != nil {
		at = from.UnixMicro()
	}
	w.start = w.value(at)
	w.resultPeak, w.fxPeak = w.start, w.start
	w.addPoint(at)
}

// value returns the equity with the rates of an instant's day.
func (w *fxCurve) value(at int64) decimal.Decimal {
	sum, _ := w.held.valueOn(dayNumber(at), w.held.exchange.Need)
	w.level = exact{sum}
	return sum
}

// add adds the point after an event, whose converted amount is given.
func (w *fxCurve) add(at int64, amount decimal.Decimal, isFlow bool) {
	equity := w.value(at)
	if isFlow {
		w.flow = w.flow.add(exact{amount})
		w.resultPeak, w.fxPeak = w.resultPeak.Add(amount), w.fxPeak.Add(amount)
	} else {
		w.results = w.results.Add(amount)
	}
	w.resultPeak, w.fxPeak = decimal.Max(w.resultPeak, w.withoutEffect()), decimal.Max(w.fxPeak, equity)
	w.addPoint(at)
}

// withoutEffect returns the equity as if rates had not changed balances since the start.
func (w *fxCurve) withoutEffect() decimal.Decimal { return w.start.Add(w.results).Add(w.flow.d) }

func (w *fxCurve) addPoint(at int64) {
	below := w.resultPeak.Sub(w.withoutEffect())
	w.maxFall = exact{decimal.Max(w.maxFall.d, below)}
	fxBelow := w.fxPeak.Sub(w.level.d)
	w.maxFxFall = decimal.Max(w.maxFxFall, fxBelow)
	w.at, w.levels, w.below = append(w.at, at), append(w.levels, w.level), append(w.below, exact{below})
	w.effects, w.fxBelow = append(w.effects, w.level.d.Sub(w.withoutEffect())), append(w.fxBelow, fxBelow)
}

// addEffects adds the effect of exchange rates to the curve and its points.
func (w *fxCurve) addEffects(out *Curve, q CurveQuery) {
	total := w.level.d.Sub(w.withoutEffect())
	out.FXEffect, out.MaxDrawdownWithFX = &total, &w.maxFxFall
	for k, i := range w.choosePoints(q.MaxPoints) {
		out.Points[k].FXEffect, out.Points[k].DrawdownWithFX = &w.effects[i], &w.fxBelow[i]
	}
}
