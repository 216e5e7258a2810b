package ledger_test

import (
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// TestMovedFillsAreKnown: fills of a position that an action moved to another symbol are found
// when their file comes again, also with times in minutes.
func TestMovedFillsAreKnown(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		fill := func(minute, second int, facts ledger.Facts) ledger.NewFill {
			return ledger.NewFill{
				Symbol: "AAPL", Side: matching.Buy, Quantity: decimal.New(int64(1 + minute)), Price: decimal.New(100),
				ExecutedAt: time.Date(2026, 1, 1, 15, minute, second, 0, time.UTC), Facts: facts,
			}
		}
		d.insert(journal.NewID[journal.BatchID](), fill(0, 30, 0), fill(1, 30, 0), fill(2, 30, 0))
		_, err := d.ledger.CreateAction(d.Context(), d.owner, ledger.ActionChange{
			Kind: journal.Some(ledger.ActionRename), Symbol: journal.Some("AAPL"), NewSymbol: journal.Some("NEW"),
			EffectiveOn: journal.Some(journal.Day("2026-01-05")),
		})
		must(t, err)
		minutes := ledger.FactsRecorded | ledger.MinutePrecision
		for _, again := range [][]ledger.NewFill{
			{fill(0, 30, 0), fill(1, 30, 0), fill(2, 30, 0)}, {fill(1, 30, 0)}, {fill(0, 0, minutes), fill(2, 0, minutes)},
		} {
			if result := d.insert(journal.NewID[journal.BatchID](), again...); result.Inserted != 0 || result.Skipped != len(again) {
				t.Errorf("%d of %d fills were inserted", result.Inserted, len(again))
			}
		}
		if result := d.insert(journal.NewID[journal.BatchID](), fill(3, 30, 0)); result.Inserted != 1 {
			t.Error("another fill was not inserted")
		}
		d.sound()
	})
}
