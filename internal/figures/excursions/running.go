package excursions

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/ledger"
)

// RunningTotal is a position from several trades at a bar's close.
type RunningTotal struct {
	Held decimal.Decimal
	// Result is in account currency and before costs. It is absent if it cannot be
	// computed: a trade's fills have different multipliers, or a rate is not known.
	Result decimal.Null
	// MAE is the MAE until then. It is set if there is one trade with a known result.
	MAE market.Bounds
}

// Running returns the sum over the owner's trades at each bar's close in a window; see
// [market.RunningResults]. The trades must be in the bars' instrument and have results in
// one currency.
func (s *Service) Running(ctx context.Context, owner journal.UserID, trades []journal.TradeID, window bars.Window) (list []RunningTotal, err error) {
	until := endOf(window)
	err = s.db.View(ctx, func(tx *db.Tx) error {
		list = make([]RunningTotal, len(window.Bars))
		for i := range list {
			list[i].Result = decimal.Of(decimal.Zero)
		}
		return ledger.EachPositionByID(ctx, tx, owner, trades, func(found ledger.InstrumentPositions) error {
			for _, p := range found.Positions {
				t := &trade{Position: p}
				addRunning(list, t, window.Block, until)
				if len(trades) == 1 {
					return addRunningMAE(list, t, window.Block)
				}
			}
			return nil
		})
	})
	return list, err
}

// endOf returns the second before which a fill belongs to a window's last bar. After the
// last stored bar it is any time: bars for regular hours have none for an auction.
func endOf(w bars.Window) int64 {
	if len(w.Bars) == 0 {
		return 0
	}
	end := w.Bars[len(w.Bars)-1].Time + w.Secs
	if w.Series.Last < end {
		return 1 << 40
	}
	return end
}

// addRunning adds a trade to the sums.
func addRunning(list []RunningTotal, t *trade, block market.Block, until int64) {
	isKnown := t.prepare() && t.isRateKnown()
	for i, r := range market.RunningResults(toFills(t.Fills), t.multiplier, block, until) {
		total := &list[i]
		total.Held = total.Held.Add(r.Held)
		if !isKnown {
			total.Result = decimal.Null{}
		}
		if total.Result.Valid {
			total.Result.Decimal = total.Result.Decimal.Add(t.convert(r.Result))
		}
	}
}

// addRunningMAE adds the only trade's MAE, if its result is known.
func addRunningMAE(list []RunningTotal, t *trade, block market.Block) error {
	if len(list) == 0 || !list[0].Result.Valid {
		return nil
	}
	var p market.Position
	p.Reset(t.fills, t.multiplier)
	found, err := p.RunningMAE(block)
	for i := range found {
		list[i].MAE = t.convertBounds(found[i])
	}
	return err
}

func toFills(list []ledger.PositionFill) []market.Fill {
	fills := make([]market.Fill, len(list))
	for i, f := range list {
		fills[i] = market.Fill{At: f.At, Width: f.Width, Quantity: f.Quantity, Price: f.Price}
	}
	return fills
}
