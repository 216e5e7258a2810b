package ledger_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fillbook/internal/base/db"
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
		_, err = split(ledger.ActionChange{})
		refused(t, err, journal.KindConflict, "")
		_, err = split(ledger.ActionChange{RatioNew: journal.Some(int64(2)), AppliesTo: journal.Some(ledger.ScopeShares)})
		must(t, err)
		d.sound()
		d.add("buy 5 10 at=-1 symbol=MSFT")
	})
}
