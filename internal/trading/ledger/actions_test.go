package ledger_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
)

// TestDeletedSplitLeavesNothing records a split in a random journal and deletes it: every
// figure is as before.
func TestDeletedSplitLeavesNothing(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		rapid.Check(t, testkit.LimitChecks(checksOf(database, 30), func(rt *rapid.T) {
			m := newModel(rt, newFixture(t, database))
			defer m.fixture.remove()
			m.insert(journal.NewID[journal.BatchID](), rapid.SliceOfN(rapid.Custom(drawFill), 1, 12).Draw(rt, "fills")...)
			figures := func() (list []ledger.Trade) {
				for _, t := range m.trades() {
					t.ID, t.Revision = "", 0
					list = append(list, t)
				}
				return list
			}
			before := figures()
			m.toggleSplit(rt)
			m.sound()
			must(m, m.ledger.DeleteAction(context.Background(), m.owner, m.split.ID, nil))
			if diff := cmp.Diff(before, figures()); diff != "" {
				rt.Fatalf("(-before +after):\n%s", diff)
			}
			m.sound()
		}))
	})
}

// TestSplits are the worked examples on stored fills. The split's day begins at minute 0.
func TestSplits(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		split := func(change ledger.ActionChange) (ledger.CorporateAction, error) {
			change.Kind, change.Symbol = journal.Some(ledger.ActionSplit), journal.Some("AAPL")
			change.EffectiveOn, change.Zone = journal.Some(journal.Day("2026-01-06")), journal.Some("Australia/Darwin")
			return d.ledger.CreateAction(context.Background(), d.owner, change)
		}
		d.add("buy 10 100 at=-3;sell 4 110 at=-2;sell 12 60 at=2")
		d.expectTrades("long 10 net -200; short 6 open 6 realized 0")
		a, err := split(ledger.ActionChange{RatioNew: journal.Some(int64(2))})
		must(t, err)
		d.expectTrades("long 20 net 160")
		must(t, d.db.View(context.Background(), func(tx *db.Tx) error {
			detail, err := ledger.ReadTrade(context.Background(), tx, d.owner, d.trades()[0].ID)
			if err == nil && (len(detail.Fills) != 3 || detail.Fills[0].Adjusted.Quantity.String() != "20") {
				t.Errorf("the fills are %+v", detail.Fills)
			}
			return err
		}))
		_, err = split(ledger.ActionChange{RatioNew: journal.Some(int64(3))})
		refused(t, err, journal.KindConflict, "")
		must(t, d.ledger.DeleteAction(context.Background(), d.owner, a.ID, nil))
		d.expectTrades("long 10 net -200; short 6 open 6 realized 0")
		_, err = split(ledger.ActionChange{RatioOld: journal.Some(int64(0))})
		refused(t, err, journal.KindInvalid, "ratio_old")
		_, err = split(ledger.ActionChange{Accounts: journal.Some([]journal.AccountID{"x"})})
		refused(t, err, journal.KindInvalid, "account_ids")
		d.add("buy 1 2 at=-1 type=option option_right=call strike=100 expiry=2026-03-20")
		_, err = split(ledger.ActionChange{RatioNew: journal.Some(int64(3)), RatioOld: journal.Some(int64(2))})
		refused(t, err, journal.KindConflict, "")
		_, err = split(ledger.ActionChange{RatioNew: journal.Some(int64(2)), AppliesTo: journal.Some(ledger.ScopeShares)})
		must(t, err)
		d.sound()
		d.add("buy 5 10 at=-1 symbol=MSFT")
	})
}

// linkedAction draws an action that moves positions, at minute 0.
func linkedAction(t *rapid.T) ledger.ActionChange {
	change := ledger.ActionChange{
		Kind: journal.Some(rapid.SampledFrom(ledger.ActionKinds()).Draw(t, "kind")), Symbol: journal.Some("AAPL"),
		RatioNew: journal.Some(rapid.SampledFrom([]int64{1, 1, 2, 4, 102918}).Draw(t, "new")), RatioOld: journal.Some(rapid.SampledFrom([]int64{1, 1, 3, 10}).Draw(t, "old")),
		EffectiveOn: journal.Some(journal.Day("2026-01-06")), Zone: journal.Some("Australia/Darwin"),
		AppliesTo: journal.Some(rapid.SampledFrom([]ledger.ActionScope{ledger.ScopeAll, ledger.ScopeShares, ledger.ScopeOptions}).Draw(t, "scope")),
	}
	kind := change.Kind.Value
	if kind != ledger.ActionSplit && kind != ledger.ActionStockDividend {
		change.NewSymbol = journal.Some(rapid.SampledFrom([]string{"MSFT", "NEW"}).Draw(t, "to"))
	}
	if kind == ledger.ActionExchange && rapid.Bool().Draw(t, "pays") {
		change.Cash = journal.Some(decimal.FromScaled(rapid.Int64Range(0, 3000).Draw(t, "cash"), 2))
	}
	if kind == ledger.ActionSpinOff || change.Cash.Set {
		change.CostShare = journal.Some(decimal.FromScaled(rapid.Int64Range(0, 1000).Draw(t, "share"), 3))
	}
	return change
}

// TestDeletedActionsLeaveNothing records actions of all kinds in a random journal, writes
// fills among them, and deletes both: every answer is as before. The stored trades agree
// with both computations after every step.
func TestDeletedActionsLeaveNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		rapid.Check(t, testkit.LimitChecks(checksOf(database, 40), func(rt *rapid.T) {
			d := newFixture(t, database)
			defer d.remove()
			fill := rapid.Custom(func(t *rapid.T) ledger.NewFill {
				f := drawFill(t)
				if f.InstrumentType == "" && rapid.IntRange(0, 2).Draw(t, "symbol") == 0 {
					f.Symbol = rapid.SampledFrom([]string{"MSFT", "NEW"}).Draw(t, "other")
				}
				return f
			})
			d.insert(journal.NewID[journal.BatchID](), rapid.SliceOfN(fill, 1, 12).Draw(rt, "fills")...)
			answers := func() (trades []ledger.Trade, fills []ledger.Execution) {
				for _, t := range d.trades() {
					t.ID, t.Revision = "", 0
					trades = append(trades, t)
				}
				for _, e := range d.executions() {
					e.TradeIDs = make([]journal.TradeID, len(e.TradeIDs))
					fills = append(fills, e)
				}
				return trades, fills
			}
			sound := func() {
				for _, p := range d.problems() {
					if p.Account == d.account {
						rt.Fatalf("check: record %s: %s", p.Record, p.What)
					}
				}
			}
			trades, fills := answers()
			var actions []ledger.CorporateAction
			for range rapid.IntRange(1, 2).Draw(rt, "actions") {
				change := linkedAction(rt)
				preview, refusal := d.ledger.PreviewAction(ctx, d.owner, change)
				a, err := d.ledger.CreateAction(ctx, d.owner, change)
				if (refusal == nil) != (err == nil) {
					rt.Fatalf("preview: %v, create: %v", refusal, err)
				}
				if err == nil {
					actions = append(actions, a)
					checkPreview(rt, d, preview)
				}
				sound()
			}
			batch := journal.NewID[journal.BatchID]()
			d.insert(batch, rapid.SliceOfN(fill, 0, 6).Draw(rt, "more fills")...)
			sound()
			d.checkPositions()
			d.reverse(batch)
			sound()
			for _, a := range actions {
				must(t, d.ledger.DeleteAction(ctx, d.owner, a.ID, nil))
				sound()
			}
			tradesAfter, fillsAfter := answers()
			if diff := cmp.Diff(trades, tradesAfter); diff != "" {
				rt.Fatalf("trades (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(fills, fillsAfter); diff != "" {
				rt.Fatalf("fills (-before +after):\n%s", diff)
			}
		}))
	})
}

// checkPreview compares what a preview said about trades with the trades.
func checkPreview(t *rapid.T, d *fixture, p ledger.ActionPreview) {
	stored := map[journal.TradeID]ledger.Trade{}
	for _, trade := range d.trades() {
		stored[trade.ID] = trade
	}
	for _, c := range p.Trades {
		is, known := stored[c.ID]
		if c.ID == "" || c.After == nil {
			continue
		}
		if !known || !is.QtyOpened.Equal(c.After.QtyOpened) || !is.NetPnL.Equal(c.After.NetPnL) || is.Instrument.Symbol != c.After.Symbol {
			t.Fatalf("trade %+v, the preview said %+v", is, c.After)
		}
	}
}

// TestMovedPositions are worked examples on stored fills. The actions' day begins at minute
// 0.
func TestMovedPositions(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		ctx := context.Background()
		act := func(kind ledger.ActionKind, change ledger.ActionChange) ledger.CorporateAction {
			change.Kind, change.Symbol = journal.Some(kind), journal.Some("AAPL")
			change.EffectiveOn, change.Zone = journal.Some(journal.Day("2026-01-06")), journal.Some("Australia/Darwin")
			a, err := d.ledger.CreateAction(ctx, d.owner, change)
			must(t, err)
			d.sound()
			return a
		}
		to := func(symbol string) journal.Opt[string] { return journal.Some(symbol) }
		d.add("buy 10 100 at=-3;sell 4 110 at=-2;sell 6 60 symbol=NEW at=2")
		d.expectTrades("long 10 open 6 realized 40; short 6 open 6 realized 0")
		opened := d.trades()[0].ID
		a := act(ledger.ActionRename, ledger.ActionChange{NewSymbol: to("NEW")})
		d.expectTrades("long 10 net -200")
		moved := d.trades()[0]
		if moved.ID != opened || moved.Instrument.Symbol != "NEW" || !cmp.Equal(moved.Symbols, []string{"NEW", "AAPL"}) {
			t.Errorf("%s with the symbols %v, want %s", moved.ID, moved.Symbols, opened)
		}
		for _, symbol := range []string{"aapl", "NEW", "MSFT"} {
			found := 0
			must(t, d.ledger.EachTrade(ctx, d.owner, ledger.TradeQuery{Symbols: []string{symbol}}, func(ledger.Trade) error {
				found++
				return nil
			}))
			if want := map[bool]int{true: 0, false: 1}[symbol == "MSFT"]; found != want {
				t.Errorf("%d trades with the symbol %s", found, symbol)
			}
		}
		for i, want := range []string{"AAPL", "AAPL", "NEW"} {
			if got := d.executions()[i].Instrument.Symbol; got != want {
				t.Errorf("fill %d is in %s", i, got)
			}
		}
		must(t, d.ledger.DeleteAction(ctx, d.owner, a.ID, nil))
		d.expectTrades("long 10 open 6 realized 40; short 6 open 6 realized 0")
		a = act(ledger.ActionExchange, ledger.ActionChange{NewSymbol: to("NEW"), Cash: journal.Some(decimal.New(5))})
		d.expectTrades("long 10 net -170")
		must(t, d.ledger.DeleteAction(ctx, d.owner, a.ID, nil))
		a = act(ledger.ActionSpinOff, ledger.ActionChange{NewSymbol: to("KID"), RatioOld: journal.Some(int64(3)), CostShare: journal.Some(decimal.Must("0.25"))})
		d.expectTrades("long 10 open 6 realized 40; long 2 open 2 realized 0; short 6 open 6 realized 0")
		d.add("sell 3 80 symbol=KID at=3") // also opens a trade that has this fill only
		d.expectTrades("long 10 open 6 realized 40; short 6 open 6 realized 0; long 2 net 10; short 1 open 1 realized 0")
		d.sound()
		d.checkPositions()
		must(t, d.ledger.DeleteAction(ctx, d.owner, a.ID, nil))
		d.sound()
	})
}
