package instruments

import "testing"

func TestRootOfInstrument(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ symbol, kind, want string }{
		{"NQZ6", TypeFuture, "NQ"},
		{"MNQZ26", TypeFuture, "MNQ"},
		{"CON.F.US.EP.Z25", TypeFuture, "ES"},
		{"XYZZ24", TypeFuture, "XYZ"},
		{"AAPL  240119C00150000", TypeOption, "AAPL"},
		{"USO1  200717P00003500", TypeOption, "USO"},
		{"AAPL", TypeOption, "AAPL"},
		{"./ESU6 E1AN6 260703C5500", TypeOption, "ES"},
		{"/NQM22 1/20 APR 22", TypeOption, "NQ"},
		{"ESZ5", TypeOption, "ES"},
		{"ES", TypeOption, "ES"},
		{"ESZ5", TypeStock, "ESZ5"},
		{" btc/usd", TypeCrypto, "BTC/USD"},
		{"eurusd", TypeForex, "EURUSD"},
		{"", "", ""},
	} {
		if got := RootOf(c.symbol, c.kind); got != c.want {
			t.Errorf("RootOf(%q, %s) = %q, want %q", c.symbol, c.kind, got, c.want)
		}
	}
}
