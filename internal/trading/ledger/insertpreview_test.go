package ledger_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

func (d *fixture) previewInsert(file []ledger.NewFill) (o ledger.InsertPreview) {
	d.Helper()
	must(d, d.db.View(d.Context(), func(tx *db.Tx) (err error) {
		o, err = ledger.PreviewInsert(d.Context(), tx, d.owner, d.account, file)
		return err
	}))
	return o
}

// previewInsertAs previews an insert with options.
func (d *fixture) previewInsertAs(options ledger.InsertOptions, file []ledger.NewFill) (o ledger.InsertPreview) {
	d.Helper()
	must(d, d.db.View(d.Context(), func(tx *db.Tx) (err error) {
		o, err = ledger.PreviewInsertChecked(d.Context(), tx, d.owner, d.account, checkAll(d, file), options)
		return err
	}))
	return o
}

// tradeTotals are the account's trade totals.
type tradeTotals struct {
	trades, open  int
	net, realized decimal.Decimal
	ids           map[journal.TradeID]bool // the open ones
}

func (d *fixture) tradeTotals() tradeTotals {
	d.Helper()
	s := tradeTotals{ids: map[journal.TradeID]bool{}}
	query := ledger.TradeQuery{Scope: journal.Scope{Accounts: []journal.AccountID{d.account}}}
	must(d, d.ledger.EachTrade(d.Context(), d.owner, query, func(t ledger.Trade) error {
		s.trades++
		s.net, s.realized = s.net.Add(t.NetPnL.Decimal), s.realized.Add(t.RealizedPnL)
		if t.Open() {
			s.open++
			s.ids[t.ID] = true
		}
		return nil
	}))
	return s
}

// madeUpFile returns random fills in some symbols, with repetitions, around minute 0.
func madeUpFile(dice *rand.Rand, symbols ...string) []ledger.NewFill {
	file := make([]ledger.NewFill, dice.IntN(12))
	for i := range file {
		file[i] = ledger.NewFill{
			Symbol: symbols[dice.IntN(len(symbols))], Side: []matching.Side{matching.Buy, matching.Sell}[dice.IntN(2)],
			Quantity: decimal.New(int64(1 + dice.IntN(3))), Price: decimal.Must(fmt.Sprintf("%d.%d", 10+dice.IntN(3), dice.IntN(2)*5)),
			Fees: decimal.Must([]string{"0", "1", "-0.1", "0.07"}[dice.IntN(4)]), ExecutedAt: minute(dice.IntN(40) - 20),
			InstrumentType: []string{"stock", "future"}[dice.IntN(2)],
		}
		if dice.IntN(4) == 0 {
			file[i].ExternalID = fmt.Sprint("id", dice.IntN(30))
		}
		if dice.IntN(6) == 0 {
			file[i].StatedPnL = decimal.Of(decimal.New(int64(dice.IntN(20) - 10)))
		}
	}
	return file
}

// addAnyAction records the first valid action of a row of random ones.
func (d *fixture) addAnyAction(seed int) {
	d.Helper()
	for ; ; seed += 100 {
		change := rapid.Custom(linkedAction).Example(seed)
		change.Accounts = journal.Some([]journal.AccountID{d.account})
		_, err := d.ledger.CreateAction(d.Context(), d.owner, change)
		if err == nil {
			return
		}
		refused(d, err, journal.KindInvalid, "")
	}
}

// TestPreviewMatchesInsert compares previews with insert results, for many files into
// accounts that already have fills, every other one with actions that move positions.
func TestPreviewMatchesInsert(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		for round := range 60 {
			dice := rand.New(rand.NewPCG(uint64(round), 11))
			d.account = d.newAccount(d.owner, "USD")
			symbols, moves := []string{"AAPL", "ESH6"}, round%2 == 1
			if moves {
				symbols = []string{"AAPL", "MSFT", "NEW"}
				d.addAnyAction(round)
			}
			for n := range 4 {
				file := madeUpFile(dice, symbols...)
				before, preview := d.tradeTotals(), d.previewInsert(file)
				if preview.Incomplete {
					t.Fatal("the preview is incomplete")
				}
				result := d.insert(journal.BatchID(fmt.Sprint(round, n)), file...)
				after := d.tradeTotals()
				open := 0
				for _, id := range result.Trades {
					if after.ids[id] {
						open++
					}
				}
				more := after.trades - before.trades
				if moves {
					more = preview.Created - preview.Merged // what a spin-off opened may be gone without a merge
				}
				got := [...]any{preview.Created + preview.Changed, preview.Open, preview.Created - preview.Merged, preview.NetPnL.String(), preview.RealizedPnL.String()}
				want := [...]any{len(result.Trades), open, more, after.net.Sub(before.net).String(), after.realized.Sub(before.realized).String()}
				if got != want {
					t.Fatalf("round %d, file %d: preview %v, insert %v", round, n, got, want)
				}
				for i, o := range result.Outcomes {
					if o.Duplicate != preview.Known[i] {
						t.Fatalf("round %d, file %d, fill %d: preview known %t", round, n, i, preview.Known[i])
					}
				}
			}
		}
		d.sound()
	})
}

// TestPreviewOfNewAccount previews without an account and checks that nothing
// is written.
func TestPreviewOfNewAccount(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		file := orders(d, "buy 2 10; sell 2 12 fees=1; buy 1 10 symbol=MSFT")
		var o ledger.InsertPreview
		must(t, d.db.View(t.Context(), func(tx *db.Tx) (err error) {
			o, err = ledger.PreviewInsert(t.Context(), tx, d.owner, "", file)
			return err
		}))
		if o.Created != 2 || o.Open != 1 || o.Changed != 0 || o.NetPnL.String() != "3" {
			t.Errorf("preview %+v", o)
		}
		if d.count("streams")+d.count("executions")+d.count("trades") != 0 {
			t.Error("the preview wrote rows")
		}
	})
}

// TestPreviewOfCheckedFills previews and inserts the same fills twice.
func TestPreviewOfCheckedFills(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		check := func() (fills []ledger.CheckedFill) {
			for _, f := range orders(d, "buy 2 10; sell 2 12 fees=1; buy 1 10 symbol=MSFT") {
				checked, err := f.ToChecked()
				must(t, err)
				fills = append(fills, checked)
			}
			return fills
		}
		for round, want := range []struct{ created, inserted int }{{created: 2, inserted: 3}, {created: 0, inserted: 0}} {
			var preview ledger.InsertPreview
			var result ledger.InsertResult
			must(t, d.db.Update(t.Context(), func(tx *db.Tx) (err error) {
				for range 2 {
					if preview, err = ledger.PreviewInsertChecked(t.Context(), tx, d.owner, d.account, check(), ledger.InsertOptions{}); err != nil {
						return err
					}
				}
				result, err = d.ledger.InsertChecked(t.Context(), tx, d.owner, d.account, check(), ledger.InsertOptions{})
				return err
			}))
			if preview.Created != want.created || result.Inserted != want.inserted {
				t.Errorf("round %d: preview created %d trades, insert stored %d fills; want %d and %d",
					round, preview.Created, result.Inserted, want.created, want.inserted)
			}
		}
	})
}
