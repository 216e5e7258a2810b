package ledger_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
)

// TestReadingsOfMovedPositions reads positions, realized parts and steps, in all ways, while
// actions move positions from symbol to symbol at several instants.
func TestReadingsOfMovedPositions(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		rapid.Check(t, testkit.LimitChecks(checksOf(database, 60), func(rt *rapid.T) {
			d := newFixture(t, database)
			symbol := rapid.SampledFrom([]string{"AAPL", "AAPL", "MSFT", "NEW"})
			fill := rapid.Custom(func(t *rapid.T) ledger.NewFill {
				f := drawFill(t)
				if f.InstrumentType == "" {
					f.Symbol = symbol.Draw(t, "symbol")
				}
				f.ExecutedAt = minute(rapid.IntRange(-50, 50).Draw(t, "at"))
				return f
			})
			d.insert(journal.NewID[journal.BatchID](), rapid.SliceOfN(fill, 1, 12).Draw(rt, "fills")...)
			for range rapid.IntRange(1, 3).Draw(rt, "actions") {
				change := linkedAction(rt)
				change.Symbol = journal.Some(symbol.Draw(rt, "from"))
				// Their days begin at the minutes -30, 0 and 30.
				change.Zone = journal.Some(rapid.SampledFrom([]string{"Australia/Brisbane", "Australia/Darwin", "Asia/Tokyo"}).Draw(rt, "zone"))
				_, err := d.ledger.CreateAction(context.Background(), d.owner, change)
				if err != nil && !journal.IsKind(err, journal.KindInvalid) && !journal.IsKind(err, journal.KindConflict) {
					rt.Fatal(err)
				}
			}
			d.checkPositions()
			d.checkRealized()
			d.checkFlows()
			if t.Failed() {
				rt.Fatal("what was read is wrong")
			}
		}))
	})
}
