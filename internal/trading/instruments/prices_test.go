package instruments

import "testing"

func TestAllowsNegativePrice(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]bool{TypeFuture: true, TypeOption: true, TypeStock: false, TypeForex: false, TypeCrypto: false, TypeCFD: false, "": false} {
		if AllowsNegativePrice(kind) != want {
			t.Errorf("the type %q: %t", kind, !want)
		}
	}
	for symbol, want := range map[string]bool{
		"CL": true, "CLK0": true, "/NG": true, "SPY 260619P00450000": true, "AAPL": false, "EURUSD": false, "": false,
	} {
		if SymbolAllowsNegativePrice(symbol) != want {
			t.Errorf("the symbol %q: %t", symbol, !want)
		}
	}
}
