package ledger_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// realized reads the realized parts in the fixture's account in both ways: all, and trade
// by trade.
func (d *fixture) realized() map[journal.TradeID]ledger.RealizedTrade {
	d.Helper()
	ctx := context.Background()
	all, named := map[journal.TradeID]ledger.RealizedTrade{}, map[journal.TradeID]ledger.RealizedTrade{}
	var ids []journal.TradeID
	for _, t := range d.trades() {
		ids = append(ids, t.ID)
	}
	accounts, err := d.resolveScope(ctx, []journal.AccountID{d.account}, ledger.ToList)
	must(d, err)
	must(d, d.db.View(ctx, func(tx *db.Tx) error {
		if err := ledger.EachRealizedTrade(ctx, tx, d.owner, accounts[0], func(r ledger.RealizedTrade) error {
			all[r.ID] = r
			return nil
		}); err != nil {
			return err
		}
		list, err := ledger.RealizedTradesByID(ctx, tx, d.owner, ids)
		for _, r := range list {
			named[r.ID] = r
		}
		return err
	}))
	if diff := cmp.Diff(all, named); diff != "" {
		d.Errorf("realized parts read by stream and by trade differ:\n%s", diff)
	}
	return all
}

// checkRealized demands that every trade's parts sum to what it realized, and that trades
// without parts realized everything when they closed, or nothing.
func (d *fixture) checkRealized() {
	d.Helper()
	realized := d.realized()
	for _, t := range d.trades() {
		r, has := realized[t.ID]
		if !has {
			if t.Open() && t.AvgExit.Valid || !t.Open() && t.Executions > 2 {
				d.Errorf("trade %s has no realized parts", t.ID)
			}
			continue
		}
		var net decimal.Decimal
		for _, part := range r.Parts {
			net = net.Add(part.Net())
		}
		if !net.Equal(t.RealizedPnL) || r.Open != t.Open() {
			d.Errorf("the parts of trade %s sum to %s, open %v; it realized %s, open %v", t.ID, net, r.Open, t.RealizedPnL, t.Open())
		}
	}
	if len(realized) > len(d.trades()) {
		d.Errorf("%d trades have parts, the account has %d", len(realized), len(d.trades()))
	}
}

// TestRealizedParts reads parts from interleaved trades, in one stream and several, more
// than are read one by one.
func TestRealizedParts(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		var fills []ledger.NewFill
		add := func(symbol, text string) {
			for line := range strings.SplitSeq(text, ";") {
				fills = append(fills, order(t, line+" symbol="+symbol, len(fills)))
			}
		}
		for range 40 {
			add("AAA", "buy 3 10;sell 1 11;sell 2 12;buy 1 10;sell 1 11")
			add("BBB", "sell 2 10;buy 1 9;buy 3 8;sell 2 9")
		}
		add("CCC", "buy 2 10;sell 1 11")
		add("DDD", "buy 2 10")
		d.insert(journal.NewID[journal.BatchID](), fills...)
		realized := d.realized()
		if len(realized) != 81 {
			t.Errorf("%d trades have parts, want 81", len(realized))
		}
		d.checkRealized()
	})
}
