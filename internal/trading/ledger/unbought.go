package ledger

import (
	"context"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// UnboughtSale is a new fill that sells more than is held, while its source says that it
// closes a position.
type UnboughtSale struct {
	Place    int // among the fills given
	Symbol   string
	Quantity decimal.Decimal // without a position
	// Opening is the position before the sale. Its cost is not known.
	Opening NewFill
}

// isClosingSale reports whether the source says that the fill sells what was held.
func (f *fill) isClosingSale() bool { return f.closes && f.side == matching.Sell }

// markUnbought sets unbought in the new closing sales that open or add to a short
// position.
func (r *regrouping) markUnbought() {
	if !slices.ContainsFunc(r.fills, func(f *fill) bool { return f.state == added && f.isClosingSale() }) {
		return
	}
	for i := range r.trades {
		t := &r.trades[i]
		if t.Direction != matching.Short {
			continue
		}
		for _, part := range t.Parts {
			if f := r.byID[part.FillID]; part.Role == matching.Opening && f != nil && f.state == added && f.isClosingSale() {
				f.unbought = part.Quantity
			}
		}
	}
}

// markUnboughtAlone is markUnbought for new fills that form their own trades, in order.
func markUnboughtAlone(fills []*fill) {
	if !slices.ContainsFunc(fills, (*fill).isClosingSale) {
		return
	}
	held := decimal.Zero
	for _, f := range fills {
		if f.side == matching.Buy {
			held = held.Add(f.quantity)
			continue
		}
		if over := f.quantity.Sub(decimal.Max(held, decimal.Zero)); f.closes && over.Sign() > 0 {
			f.unbought = over
		}
		held = held.Sub(f.quantity)
	}
}

// listUnbought returns the arrivals that a regrouping marked.
func listUnbought(arrivals []*arrival) (list []UnboughtSale) {
	for place, a := range arrivals {
		if a.unbought.IsZero() {
			continue
		}
		opening := openingBefore(a.key.toInstrument(), matching.Buy, a.unbought, a.price, a.at)
		opening.Multiplier = decimal.Of(a.multiplier)
		list = append(list, UnboughtSale{Place: place, Symbol: a.key.symbol, Quantity: a.unbought, Opening: opening})
	}
	return list
}

// openingBefore returns the opening that a closing fill lacks: one second earlier at its
// price.
func openingBefore(i Instrument, side matching.Side, quantity, price decimal.Decimal, at int64) NewFill {
	opening := i.newFill(matching.KindOpening, side, quantity, price, db.FromMicros(at).Add(-time.Second))
	opening.BasisEstimated = true
	return opening
}

// findUnbought finds short positions that a closing sale began, and long ones that a closing
// purchase began. An opening one second before it repairs them; its cost is unknown.
func (u *unmatchedFinder) findUnbought(ctx context.Context) error {
	list, err := u.listSuspects(ctx, `SELECT accounts.id, trades.id, trades.head, trades.avg_entry`+suspectFrom+`
		JOIN executions ON executions.user_id = trades.user_id AND executions.account = trades.account
			AND executions.executed_at = trades.opened_at AND executions.seq = trades.first_seq
		WHERE trades.user_id = $1 AND trades.is_open = TRUE AND executions.kind = $2
		ORDER BY trades.opened_at, trades.id`+db.Limit(3), closesBit, maxUnmatched)
	if err != nil {
		return err
	}
	for _, s := range list {
		t, err := ReadTrade(ctx, u.tx, u.owner, s.trade)
		if err != nil {
			return err
		}
		if len(t.Fills) == 0 {
			continue
		}
		first, quantity, reason := t.Fills[0], unopenedQuantity(t.Fills), SoldWithoutPurchase
		if first.Side == matching.Buy {
			reason = NothingToClose
		}
		opening := openingBefore(first.Instrument, opposite(first.Side), quantity, first.Price, db.Micros(first.ExecutedAt))
		opening.Multiplier = decimal.Of(first.Multiplier)
		u.list = append(u.list, Unmatched{
			Account: s.account, Symbol: first.Instrument.Symbol, Quantity: quantity, Since: first.ExecutedAt,
			Fills: []journal.ExecutionID{first.ID}, Reason: reason, Fill: &opening,
		})
	}
	return nil
}

// unopenedQuantity returns the smallest position before a trade with which none of its
// closing fills closes more than is held, in the units of the first fill.
func unopenedQuantity(fills []TradeFill) decimal.Decimal {
	closed, needed := decimal.Zero, decimal.Zero
	for _, f := range fills {
		quantity := f.PartQuantity
		if f.Adjusted.Quantity.Valid {
			quantity = scaleQuantity(quantity, f.Adjusted.Quantity.Decimal, f.Quantity)
		}
		if f.Side != fills[0].Side {
			closed = closed.Sub(quantity)
			continue
		}
		if closed = closed.Add(quantity); f.Closes {
			needed = decimal.Max(needed, closed)
		}
	}
	if first := fills[0]; first.Adjusted.Quantity.Valid {
		return scaleQuantity(needed, first.Quantity, first.Adjusted.Quantity.Decimal)
	}
	return needed
}

// scaleQuantity multiplies a quantity by a ratio.
func scaleQuantity(quantity, by, per decimal.Decimal) decimal.Decimal {
	const places = 8
	return quantity.Mul(by).DivRound(per, places)
}
