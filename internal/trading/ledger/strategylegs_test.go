package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/strategies"
)

// TestStrategyLegsAmongOtherTrades: the legs are the same in an account that is read as a
// whole, and among many other trades, where they are read by index.
func TestStrategyLegsAmongOtherTrades(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		read := func() (legs map[string][]strategies.Leg) {
			must(t, d.db.View(t.Context(), func(tx *db.Tx) error {
				account, err := ledger.ReadAccount(t.Context(), tx, d.owner, d.account)
				if err == nil {
					legs, err = ledger.StrategyLegs(t.Context(), tx, d.owner, account, nil, func(string) bool { return true })
				}
				return err
			}))
			return legs
		}
		option := " symbol=XYZ type=option option_right=call expiry=2026-03-20 strike="
		d.add("buy 2 3 order_id=o1 fees=1" + option + "100;sell 1 4" + option + "100;sell 1 5" + option + "100;sell 1 1 order_id=o1" + option + "110;buy 100 99 symbol=XYZ")
		alone := read()
		if n := len(alone["XYZ"]); n != 3 || alone["XYZ"][0].OrderID != "o1" || len(alone["XYZ"][0].Keys) == 0 {
			t.Fatalf("%d legs: %+v", n, alone)
		}
		var others []string
		for i := range 60 {
			others = append(others, fmt.Sprintf("buy 1 10 symbol=S%d", i))
		}
		d.add(strings.Join(others, ";"))
		if diff := cmp.Diff(alone, read(), cmp.AllowUnexported(strategies.Leg{})); diff != "" {
			t.Errorf("(-alone +among others):\n%s", diff)
		}
	})
}

// TestStrategyLegsOfCorporateActions: shares cover options in the units after a split, and
// shares that a spin-off brought do so without a fill. Legs read by id are the same.
func TestStrategyLegsOfCorporateActions(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.add("buy 100 50 symbol=XYZ at=-9;sell 20 60 symbol=XYZ at=9")
		for _, change := range []ledger.ActionChange{
			{Kind: journal.Some(ledger.ActionSplit), RatioNew: journal.Some(int64(2))},
			{Kind: journal.Some(ledger.ActionSpinOff), NewSymbol: journal.Some("KID"), RatioOld: journal.Some(int64(2))},
		} {
			change.Symbol, change.EffectiveOn, change.Zone = journal.Some("XYZ"), journal.Some(journal.Day("2026-01-06")), journal.Some("Australia/Darwin")
			_, err := d.ledger.CreateAction(t.Context(), d.owner, change)
			must(t, err)
		}
		call := " type=option option_right=call expiry=2026-03-20 strike="
		d.add("sell 2 3 at=5 symbol=XYZ" + call + "55;sell 1 1 at=6 symbol=KID" + call + "20")
		all := map[string][]strategies.Leg{}
		byID := map[string][]strategies.Leg{}
		must(t, d.db.View(t.Context(), func(tx *db.Tx) error {
			account, err := ledger.ReadAccount(t.Context(), tx, d.owner, d.account)
			if err != nil {
				return err
			}
			withKeys := func(string) bool { return true }
			if all, err = ledger.StrategyLegs(t.Context(), tx, d.owner, account, nil, withKeys); err != nil {
				return err
			}
			var ids []journal.TradeID
			for _, legs := range all {
				for i := range legs {
					ids = append(ids, legs[i].Trade)
				}
			}
			byID, _, err = ledger.StrategyLegsByID(t.Context(), tx, d.owner, ids, withKeys)
			return err
		}))
		held := map[string]string{}
		for underlying, legs := range all {
			for i := range legs {
				if legs[i].Stock {
					for _, h := range legs[i].Held {
						held[underlying] += fmt.Sprint(" ", h.Quantity, " from ", h.At.Sub(begin).Minutes())
					}
				}
				if legs[i].Key == "" || len(legs[i].Keys) == 0 {
					t.Errorf("a leg of %s has no key", underlying)
				}
			}
			for _, list := range [][]strategies.Leg{legs, byID[underlying]} {
				slices.SortFunc(list, func(a, b strategies.Leg) int { return strings.Compare(string(a.Trade), string(b.Trade)) })
			}
		}
		if held["XYZ"] != " 100 from -9 200 from 0 180 from 9" || held["KID"] != " 100 from 0" {
			t.Errorf("held are %q", held)
		}
		if diff := cmp.Diff(all, byID, cmp.AllowUnexported(strategies.Leg{})); diff != "" {
			t.Errorf("(-all +by id):\n%s", diff)
		}
	})
}
