package httpapi

import (
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/figures/excursions"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/prices/market"
)

// alternativeExit is what a trade would have brought if only its last exit had been
// another one.
type alternativeExit struct {
	Kind       string              `json:"kind" enum:"stop,target,best,later,session_end" doc:"stop and target: all of the position is closed as soon as the price reaches it, at this price or at the open of a bar that opens beyond it. best: the best price. later: some minutes after the exit. session_end: the last price of the session."`
	Price      decimal.Null        `json:"price" doc:"The stop or the target."`
	Minutes    *int64              `json:"minutes" doc:"Minutes after the exit, for later."`
	Reached    *market.Reach       `json:"reached" enum:"yes,maybe,no" doc:"Whether the price reached the stop or the target between the entry and the end of the session. maybe: in a bar with a fill inside."`
	At         *time.Time          `json:"at" doc:"When: the opening of the bar for stop and target; null if not reached, and for best."`
	PnL        orNull[valueBounds] `json:"pnl" doc:"The result before costs; null if not reached."`
	Difference orNull[valueBounds] `json:"difference" doc:"How much more than the result before costs."`
}

// addAlternatives adds the other exits for a closed trade.
func (m *MeasuredExcursion) addAlternatives(r *excursions.Result, v *tradeview.View) {
	m.addPlanned("stop", v.Annotations.StopPrice, r.Stop)
	m.addPlanned("target", v.Annotations.TargetPrice, r.Target)
	if r.BestExitLow.Valid {
		m.addAlternative(alternativeExit{Kind: "best"}, market.Bounds{Low: r.BestExitLow.Decimal, High: r.BestExitHigh.Decimal})
	}
	for _, after := range m.AfterExit {
		if !after.PnL.Valid {
			continue
		}
		kind := "later"
		if after.Minutes == nil {
			kind = "session_end"
		}
		result := r.GrossAtExit.Decimal.Add(after.PnL.Decimal)
		m.addAlternative(alternativeExit{Kind: kind, Minutes: after.Minutes, At: &after.At}, market.Bounds{Low: result, High: result})
	}
}

// addPlanned adds the exit at a stop or a target, unless it is not known whether the price
// reached it.
func (m *MeasuredExcursion) addPlanned(kind string, price decimal.Null, found market.PlannedExit) {
	exit := alternativeExit{Kind: kind, Price: price, Reached: &found.Reached}
	switch found.Reached {
	case "":
	case market.NotReached:
		m.Alternatives = append(m.Alternatives, exit)
	case market.Reached, market.MaybeReached:
		at := time.Unix(found.At, 0).UTC()
		exit.At = &at
		m.addAlternative(exit, found.Result)
	}
}

// addAlternative adds an exit with its result and the difference from the trade's own.
func (m *MeasuredExcursion) addAlternative(exit alternativeExit, result market.Bounds) {
	gross := m.GrossAtExit.Decimal
	exit.PnL = shapeBounds(decimal.Of(result.Low), decimal.Of(result.High))
	exit.Difference = shapeBounds(decimal.Of(result.Low.Sub(gross)), decimal.Of(result.High.Sub(gross)))
	m.Alternatives = append(m.Alternatives, exit)
}
