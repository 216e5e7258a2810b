package columns

import (
	"context"
	"maps"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/rulecheck"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// tradeEntries are the entries of trades with several. It never changes: updated entries
// are in a small map over the others.
type tradeEntries struct {
	all     *entryMap // shared by many updates
	updated entryMap
}

type entryMap map[journal.TradeID][]rulecheck.EntryStep

// maxUpdatedEntries is from how many updated trades on the maps are merged.
const maxUpdatedEntries = 1000

// find returns a trade's entries, nil if it has one.
func (e *tradeEntries) find(id journal.TradeID) []rulecheck.EntryStep {
	if steps, found := e.updated[id]; found {
		return steps
	}
	return (*e.all)[id]
}

// with returns the entries with those of touched trades replaced.
func (e *tradeEntries) with(touched []journal.TradeID, fresh map[journal.TradeID][]rulecheck.EntryStep) *tradeEntries {
	updated := maps.Clone(e.updated)
	if updated == nil {
		updated = entryMap{}
	}
	for _, id := range touched {
		updated[id] = fresh[id]
	}
	if len(updated) < maxUpdatedEntries {
		return &tradeEntries{e.all, updated}
	}
	all := maps.Clone(*e.all)
	for id, steps := range updated {
		if all[id] = steps; len(steps) == 0 {
			delete(all, id)
		}
	}
	return &tradeEntries{all: &all}
}

// unsharedBytes returns the size without what is shared with other, which may be nil.
func (e *tradeEntries) unsharedBytes(other *tradeEntries) int {
	const entry = 400
	if other != nil && e.all == other.all {
		return entry * len(e.updated)
	}
	return entry * (len(*e.all) + len(e.updated))
}

// readEntries reads the entries of trades.
func readEntries(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.TradeID) (entryMap, error) {
	out := entryMap{}
	if len(ids) == 0 {
		return out, nil
	}
	err := ledger.EachPositionByID(ctx, tx, owner, ids, func(batch ledger.InstrumentPositions) error {
		out.add(batch.Positions)
		return nil
	})
	return out, err
}

// readAllEntries reads the entries of an account's trades.
func readAllEntries(ctx context.Context, tx *db.Tx, owner journal.UserID, a ledger.Account) (entryMap, error) {
	const fillsAtOnce = 50_000
	out := entryMap{}
	scan := ledger.NewPositionScan(owner, a, func(ledger.Instrument) bool { return true })
	for more := true; more; {
		batch, isMore, err := scan.Read(ctx, tx, fillsAtOnce)
		if err != nil {
			return nil, err
		}
		for i := range batch {
			out.add(batch[i].Positions)
		}
		more = isMore
	}
	return out, nil
}

// add adds the positions with several entries.
func (m entryMap) add(positions []ledger.Position) {
	for i := range positions {
		if steps := listEntries(positions[i].Fills); len(steps) > 1 {
			m[positions[i].Trade] = steps
		}
	}
}

// listEntries returns the position after each fill that opened or added.
func listEntries(fills []ledger.PositionFill) (steps []rulecheck.EntryStep) {
	var held, cost decimal.Decimal // without sign; cost is quantity × price
	long := len(fills) > 0 && fills[0].Quantity.Sign() > 0
	for i := range fills {
		f := &fills[i]
		quantity := f.Quantity.Abs()
		if (f.Quantity.Sign() > 0) != long {
			if quantity.Cmp(held) >= 0 {
				return steps
			}
			closed, _ := cost.Split(quantity, held, matching.CostScale)
			held, cost = held.Sub(quantity), cost.Sub(closed)
			continue
		}
		step := rulecheck.EntryStep{At: f.At, Price: f.Price}
		if held.Sign() > 0 {
			step.Average = cost.DivAverage(held)
			against := f.Price.Mul(held).Cmp(cost)
			step.AddsToLoser = long && against < 0 || !long && against > 0
		}
		held, cost = held.Add(quantity), cost.Add(quantity.Mul(f.Price))
		step.Quantity, step.Notional = held, held.Mul(f.Price).Mul(f.Multiplier).Abs()
		steps = append(steps, step)
	}
	return steps
}
