package matching

import "fillbook/internal/base/decimal"

// holding is a trade under construction, without its parts.
type holding struct {
	trade Trade
	// entered and exited are price × quantity sums, for the averages.
	entered, exited decimal.Decimal
	// openNotional and openCosts are the entry notional and the entry costs for the open
	// quantity.
	openNotional, openCosts decimal.Decimal
	// gross is the closings' result so far, spent their costs.
	gross, spent decimal.Decimal
	// rate is the sum over closings with a stated result.
	rate Rate
	// removed reports that something was closed, and only by removals; paid that a conversion
	// has paid cash.
	removed, paid bool
}

// start sets the holding to one beginning with a piece.
func (h *holding) start(p *piece) {
	*h = holding{}
	t := &h.trade
	t.Direction = Long
	if p.fill.Side == Sell {
		t.Direction = Short
	}
	t.First, t.Head, t.Multiplier = p.fill.Position(), Head{Consumed: p.consumed}, p.fill.Multiplier
}

// addEntry adds a piece that opens or adds to the position.
func (h *holding) addEntry(p *piece) {
	t, value := &h.trade, p.value()
	notional := value.Mul(p.fill.Multiplier)
	h.entered = h.entered.Add(value)
	h.openNotional = h.openNotional.Add(notional)
	h.openCosts = h.openCosts.Add(p.costs())
	t.QtyOpened = t.QtyOpened.Add(p.quantity)
	t.QtyRemaining = t.QtyRemaining.Add(p.quantity)
	t.EntryNotional = t.EntryNotional.Add(notional)
	t.EntrySize = t.EntrySize.Add(p.quantity.Mul(p.fill.Multiplier))
	h.addFigures(p, notional)
}

// addExit adds a piece that closes at most what is held.
func (h *holding) addExit(p *piece) {
	t, value := &h.trade, p.value()
	notional := value.Mul(p.fill.Multiplier)
	isFirst := t.QtyRemaining.Equal(t.QtyOpened)
	var entry, entryCosts decimal.Decimal
	entry, h.openNotional = h.splitShare(h.openNotional, p.quantity)
	entryCosts, h.openCosts = h.splitShare(h.openCosts, p.quantity)
	if p.fill.Kind == KindRemoval {
		h.removed = h.removed || isFirst && !h.paid
		notional, value = entry, entry.DivAverage(p.fill.Multiplier)
	} else {
		h.removed = false
		h.addResult(p.fill.StatedPnL, t.Direction.signedGain(notional.Sub(entry)))
	}
	h.exited = h.exited.Add(value)
	t.EndedBy = p.fill.Kind.asEnding()
	h.spent = decimal.Sum(h.spent, entryCosts, p.costs())
	t.QtyRemaining = t.QtyRemaining.Sub(p.quantity)
	t.ExitNotional = t.ExitNotional.Add(notional)
	h.addFigures(p, notional)
}

// addResult adds a closing's result: the stated one, else the priced one.
func (h *holding) addResult(stated decimal.Null, priced decimal.Decimal) {
	h.gross = h.gross.Add(stated.Or(priced))
	if stated.Valid {
		h.rate = h.rate.add(stated.Decimal, priced)
	}
}

// averagePrice returns the open position's average entry price, which a removal with
// some multiplier has.
func (h *holding) averagePrice(multiplier decimal.Decimal) decimal.Decimal {
	return h.openNotional.DivAverage(h.trade.QtyRemaining.Mul(multiplier))
}

// splitShare splits an amount for the whole open quantity: the share being closed, and
// the rest. Closing everything takes all, unrounded.
func (h *holding) splitShare(amount, quantity decimal.Decimal) (taken, left decimal.Decimal) {
	held := h.trade.QtyRemaining
	if quantity.Equal(held) || amount.IsZero() {
		return amount, decimal.Zero
	}
	return amount.Split(quantity, held, CostScale)
}

// addFigures adds a piece's figures that both roles have.
func (h *holding) addFigures(p *piece, notional decimal.Decimal) {
	t := &h.trade
	t.Last = p.fill.Position()
	if p.fill.Kind.hasVolume() {
		t.Volume = t.Volume.Add(notional.Abs())
	}
	t.FeesTotal = t.FeesTotal.Add(p.fees)
	t.Commission = t.Commission.Add(p.commission)
}

func (h *holding) isClosed() bool { return h != nil && h.trade.IsClosed() }

// toTrade returns the trade with the figures needing all its parts.
func (h *holding) toTrade() Trade {
	t := h.trade
	t.AvgEntry = h.entered.DivAverage(t.QtyOpened)
	if exited := t.QtyOpened.Sub(t.QtyRemaining); !exited.IsZero() {
		t.AvgExit = decimal.Of(h.exited.DivAverage(exited))
	}
	t.Rate = h.rate.finalRate(t.IsClosed())
	t.Removed = h.removed
	t.RealizedPnL = h.gross.Sub(h.spent)
	if !t.IsClosed() {
		t.EndedBy = KindTrade
		return t
	}
	t.GrossPnL, t.NetPnL = decimal.Of(h.gross), decimal.Of(t.RealizedPnL)
	t.ReturnPct = t.Rate.Ratio(decimal.New(100).Mul(t.RealizedPnL), t.EntryNotional.Abs(), PercentScale)
	return t
}
