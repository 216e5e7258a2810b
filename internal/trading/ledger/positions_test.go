package ledger_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// positions are an account's positions by trade, with their instrument.
type positions map[journal.TradeID]string

func (p positions) add(t testing.TB, list ledger.InstrumentPositions) {
	t.Helper()
	for i, position := range list.Positions {
		if _, known := p[position.Trade]; known {
			t.Errorf("trade %s is read twice", position.Trade)
		}
		if i > 0 && position.Fills[0].At < list.Positions[i-1].Fills[0].At {
			t.Errorf("trade %s is not in the order of opening", position.Trade)
		}
		text := fmt.Sprint(list.Instrument.Symbol, " ", list.Instrument.Lot, " open ", position.Open, " rate ", position.Rate.Stated, "/", position.Rate.Priced)
		for _, f := range position.Fills {
			text += fmt.Sprintf("\n%d+%d %s at %s times %s", f.At, f.Width, f.Quantity, f.Price, f.Multiplier)
		}
		p[position.Trade] = text
	}
}

// checkMoney compares the money of positions' fills with the entries and exits of their
// trades. Positions that moved into another one are left out: they end at an average price.
func (d *fixture) checkMoney(list ledger.InstrumentPositions, trades map[journal.TradeID]ledger.Trade) {
	d.Helper()
	for _, position := range list.Positions {
		t, paid, size := trades[position.Trade], decimal.Zero, decimal.New(1)
		if t.EndedBy == matching.KindRemoval {
			continue
		}
		for _, f := range position.Fills {
			paid = paid.Add(f.Quantity.Mul(f.Price).Mul(f.Multiplier))
			size = size.Add(f.Quantity.Mul(f.Price).Mul(f.Multiplier).Abs()).Add(f.Quantity.Mul(f.Multiplier).Abs())
		}
		want := t.EntryNotional.Sub(t.ExitNotional)
		if t.Direction == matching.Short {
			want = want.Neg()
		}
		// Prices are rounded.
		if off := paid.Sub(want).Abs(); off.Mul(decimal.New(1_000_000)).Cmp(size) > 0 {
			d.Errorf("the fills of %s cost %s, the trade %s", t.Instrument.Symbol, paid, want)
		}
	}
}

// checkPositions reads the account's positions in all ways: by instrument, by trade, and
// in fill order, some fills at a time.
func (d *fixture) checkPositions() {
	d.Helper()
	ctx := context.Background()
	var ids []journal.TradeID
	trades := map[journal.TradeID]ledger.Trade{}
	for _, t := range d.trades() {
		ids, trades[t.ID] = append(ids, t.ID), t
	}
	accounts, err := d.resolveScope(ctx, []journal.AccountID{d.account}, ledger.ToList)
	must(d, err)
	must(d, d.db.View(ctx, func(tx *db.Tx) error {
		named, all := positions{}, positions{}
		collect := func(into positions) func(ledger.InstrumentPositions) error {
			return func(list ledger.InstrumentPositions) error {
				into.add(d, list)
				d.checkMoney(list, trades)
				return nil
			}
		}
		if err := ledger.EachPositionByID(ctx, tx, d.owner, ids, collect(named)); err != nil {
			return err
		}
		if len(named) != len(ids) {
			d.Errorf("%d of %d trades were read", len(named), len(ids))
		}
		always := func(ledger.Instrument) (ledger.PositionWindow, bool) {
			return ledger.PositionWindow{From: -1 << 62, To: 1 << 62}, true
		}
		if err := ledger.EachPosition(ctx, tx, d.owner, accounts[0], always, collect(all)); err != nil {
			return err
		}
		if diff := cmp.Diff(named, all); diff != "" {
			d.Errorf("positions read by trade and by instrument differ:\n%s", diff)
		}
		for _, fills := range []int{3, 1000} {
			scanned := positions{}
			scan := ledger.NewPositionScan(d.owner, accounts[0], func(ledger.Instrument) bool { return true })
			for more := true; more; {
				batch, isMore, err := scan.Read(ctx, tx, fills)
				if err != nil {
					return err
				}
				for _, list := range batch {
					scanned.add(d, list)
				}
				more = isMore
			}
			if diff := cmp.Diff(named, scanned); diff != "" {
				d.Errorf("positions read by trade and %d fills at a time differ:\n%s", fills, diff)
			}
		}
		return nil
	}))
}

// TestPositions reads positions that cross zero, are held in lots, have a stated result
// or are open.
func TestPositions(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		var fills []ledger.NewFill
		for line := range strings.SplitSeq("buy 3 10;sell 5 11;buy 2 12;buy 1 10 lot=1;buy 2 11 lot=2;sell 2 12 lot=2 stated=7;"+
			"sell 1 11 lot=1 stated=-2;buy 1 10 symbol=MSFT multiplier=5;sell 1 11 symbol=MSFT multiplier=5;buy 1 10;buy 2 9 symbol=MSFT;sell 1 9 lot=3", ";") {
			fills = append(fills, order(t, line, len(fills)))
		}
		d.insert(journal.NewID[journal.BatchID](), fills...)
		d.checkPositions()
	})
}
