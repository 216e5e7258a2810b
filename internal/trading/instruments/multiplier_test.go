package instruments

import (
	"strings"
	"testing"

	"fillbook/internal/base/decimal"
)

func TestDefaultMultiplier(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		symbol, instrumentType, want string
		warns                        bool
	}{
		{"AAPL", TypeStock, "1", false},
		{"ES", TypeStock, "1", false}, // the share, because the caller says so
		{"ESZ4", TypeStock, "1", false},
		{"ES", TypeFuture, "50", false},
		{"ESZ4", TypeFuture, "50", false},
		{"MNQ 03-25", TypeFuture, "2", false},
		{"CON.F.US.GCE.Z25", TypeFuture, "100", false},
		{"XYZZ4", TypeFuture, "1", true},
		{"", TypeFuture, "1", true},
		{"AAPL", TypeOption, "100", false},
		{"AAPL  240119C00150000", TypeOption, "100", false},
		{"SPXW  240119C04500000", TypeOption, "100", false},
		{"USO1  200717P00003500", TypeOption, "100", true},
		{"AAPL7 240119C00150000", TypeOption, "100", true},
		{"USO1", TypeOption, "100", true},
		{"./ESU6 E1AN6 260703C5500", TypeOption, "50", false},
		{"/NQM22 1/20 APR 22 (Wednesday) (Wk5)", TypeOption, "20", false},
		{"/XYZM22 1/20 APR 22", TypeOption, "1", true},
		{"EURUSD", TypeForex, "1", false},
		{"BTCUSDT", TypeCrypto, "1", false},
		{"US500", TypeCFD, "1", false},
		{"ESZ4", "warrant", "1", false},
	} {
		got, warning := DefaultMultiplier(test.symbol, test.instrumentType)
		if !got.Equal(decimal.Must(test.want)) || (warning != "") != test.warns {
			t.Errorf("%q as %s: %s, warning %q; want %s", test.symbol, test.instrumentType, got, warning, test.want)
		}
		if warning != "" && (!strings.HasSuffix(warning, ".") || strings.Count(warning, ".") != 1) && !strings.Contains(test.symbol, ".") {
			t.Errorf("the warning %q is not one sentence", warning)
		}
	}
}

func BenchmarkDefaultMultiplier(b *testing.B) {
	for b.Loop() {
		DefaultMultiplier("MNQZ24", TypeFuture)
		DefaultMultiplier("SPXW  240119C04500000", TypeOption)
	}
}
