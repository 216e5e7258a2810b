package metatrader

import (
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fillbook/internal/intake/brokers/brokertest"
)

// TestNotionalOfLots checks that price times lots times multiplier is the position's
// notional, and prices then give the stated results in the price currency.
func TestNotionalOfLots(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/mt4-statement.txtar")
	if err != nil {
		t.Fatal(err)
	}
	s := brokertest.MustRead(t, archive.Files[0].Data, brokertest.Hints(string(archive.Comment)), Presets())
	want := map[string]string{"EURUSD.P": "10850", "XAUUSDM": "204000"}
	for trade := range s.Trades() {
		notional, known := want[trade.Fill.Symbol]
		if !known || !trade.IsClosed() {
			continue
		}
		delete(want, trade.Fill.Symbol)
		if got := trade.EntryNotional.Abs().String(); got != notional {
			t.Errorf("%s has a notional of %s, want %s", trade.Fill.Symbol, got, notional)
		}
		moved := trade.ExitNotional.Abs().Sub(trade.EntryNotional.Abs())
		if trade.Direction == "short" {
			moved = moved.Neg()
		}
		if !moved.Equal(trade.GrossPnL.Decimal) {
			t.Errorf("prices of %s give %s, the statement %s", trade.Fill.Symbol, moved, trade.GrossPnL)
		}
	}
	if len(want) > 0 {
		t.Errorf("the statement has no closed trades in %v", want)
	}
}
