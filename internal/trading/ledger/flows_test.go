package ledger_test

import (
	"context"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// checkFlows reads the steps of all trades in all ways: by period, by trade, and by stream.
// Those of a trade sum to what it holds and to what it realized.
func (d *fixture) checkFlows() {
	d.Helper()
	ctx := context.Background()
	trades := map[journal.TradeID]ledger.Trade{}
	var ids []journal.TradeID
	for _, t := range d.trades() {
		trades[t.ID], ids = t, append(ids, t.ID)
	}
	accounts, err := d.resolveScope(ctx, []journal.AccountID{d.account}, ledger.ToList)
	must(d, err)
	var flows []ledger.TradeFlow
	must(d, d.db.View(ctx, func(tx *db.Tx) (err error) {
		if flows, err = ledger.ListTradeFlows(ctx, tx, d.owner, accounts[0], -1<<62, 1<<62); err != nil {
			return err
		}
		named, err := ledger.FindTradeFlows(ctx, tx, d.owner, accounts[0], ids)
		if err != nil {
			return err
		}
		byStream, err := ledger.FlowsByStream(ctx, tx, d.owner, accounts[0])
		if err != nil {
			return err
		}
		for _, other := range [][]ledger.TradeFlow{named, byStream} {
			if diff := cmp.Diff(flows, other); diff != "" {
				d.Errorf("steps read in two ways differ:\n%s", diff)
			}
		}
		return nil
	}))
	if len(flows) != len(trades) {
		d.Errorf("%d of %d trades were read", len(flows), len(trades))
	}
	for _, f := range flows {
		held, net := decimal.Zero, decimal.Zero
		for _, p := range f.Parts {
			held, net = held.Sub(p.Quantity), net.Add(p.Net())
		}
		if t := trades[f.ID]; !held.Equal(t.QtyRemaining) || !net.Equal(t.RealizedPnL) {
			d.Errorf("the steps of trade %s sum to %s and %s, want %s and %s", f.ID, held, net, t.QtyRemaining, t.RealizedPnL)
		}
	}
}
