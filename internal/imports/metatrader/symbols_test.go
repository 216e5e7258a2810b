package metatrader

import (
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/brokers/brokertest"
)

// TestContractSize holds the sizes of lots that are the same everywhere, and that
// no other is made up.
func TestContractSize(t *testing.T) {
	t.Parallel()
	for symbol, want := range map[string]string{
		"EURUSD": "100000", "eurusd.p": "100000", "USDJPY+": "100000", "EUR/USD": "100000", "GBPUSDm": "100000",
		"XAUUSD": "100", "xauusdm": "100", "XAUEUR": "100", "XAU/USD": "100", "XAGUSD@": "5000", "XPTUSD": "100", "XPDUSD.": "100",
		"NQ100_M": "null", "XAUTO": "null", "GOLD": "null", "BTCUSD": "null", "XA": "null", "": "null",
	} {
		if got := ContractSize(symbol).String(); got != want {
			t.Errorf("a lot of %q is %s, want %s", symbol, got, want)
		}
	}
	if got := LotMultiplier("EURUSD", decimal.New(25_000)); !got.Equal(decimal.New(1)) {
		t.Errorf("25000 EURUSD are units, but their multiplier is %s", got)
	}
}

// TestNotionalOfLots holds that price times lots times multiplier is the notional
// of the position, and that prices then give the stated results in the currency
// of the price.
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
		if !known || !trade.Closed() {
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
