package instruments

import (
	"strconv"
	"testing"
	"time"
)

func TestFuture(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		symbol string
		want   string // the canonical symbol
		month  time.Month
		year   int
	}{
		{"ESZ4", "ESZ4", time.December, 4},
		{"ESZ24", "ESZ24", time.December, 2024},
		{"esz2024", "ESZ24", time.December, 2024},
		{"/ESZ24", "ESZ24", time.December, 2024},
		{"/ESZ5:XCME", "ESZ5", time.December, 5},
		{"@ES", "ES", 0, 0},
		{"@ES#", "ES", 0, 0},
		{"@ESH26", "ESH26", time.March, 2026},
		{"ES 12-24", "ESZ24", time.December, 2024},
		{"ES  12-24", "ESZ24", time.December, 2024},
		{"ES 12.11", "ESZ11", time.December, 2011},
		{"ES 12-2024", "ESZ24", time.December, 2024},
		{"MES 09-26", "MESU26", time.September, 2026},
		{"MNQ 03-25", "MNQH25", time.March, 2025},
		{"ES DEC 24", "ESZ24", time.December, 2024},
		{"ES DEC24", "ESZ24", time.December, 2024},
		{"ESDEC24", "ESZ24", time.December, 2024},
		{"NQ JUN26", "NQM26", time.June, 2026},
		{"NQJUN26", "NQM26", time.June, 2026}, // N is a month code as well
		{"FDAX DEC 2024", "FDAXZ24", time.December, 2024},
		{`FDAX\Z15`, "FDAXZ15", time.December, 2015},
		{"ES Z24", "ESZ24", time.December, 2024},
		{"ES 202412", "ESZ24", time.December, 2024},
		{"ES 20241220", "ESZ24", time.December, 2024},
		{"ESH5.CME", "ESH5", time.March, 5},
		{"CM.MNQU6", "MNQU6", time.September, 6},
		{"F.US.MESM26", "MESM26", time.June, 2026},
		{"F.US.EP", "ES", 0, 0},
		{"CON.F.US.EP.Z25", "ESZ25", time.December, 2025},
		{"CON.F.US.ENQ.H26", "NQH26", time.March, 2026},
		{"CON.F.US.MNQ.Z25", "MNQZ25", time.December, 2025},
		{"ES1!", "ES", 0, 0},
		{"CME_MINI:MES1!", "MES", 0, 0},
		{"M2K1!", "M2K", 0, 0},
		{"RS11!", "RS1", 0, 0}, // a root ending in a digit
		{"ES=F", "ES", 0, 0},
		{"/NQM22", "NQM22", time.June, 2022},
		{"/ES", "ES", 0, 0},
		{"MNQ", "MNQ", 0, 0},
		{"MGCG6", "MGCG6", time.February, 6},
		{"6EZ4", "6EZ4", time.December, 4},
		{"M6EZ24", "M6EZ24", time.December, 2024},
		{"10YYZ24", "10YZ24", time.December, 2024},
		{"ESZ98", "ESZ98", time.December, 1998},
		{"ESZ2099", "ESZ2099", time.December, 2099},
		{"WINM26", "WINM26", time.June, 2026},
		{"ESH0", "ESH0", time.March, 0},
	} {
		contract, ok := ParseFuture(test.symbol)
		if !ok {
			t.Errorf("ParseFuture(%q) finds no contract", test.symbol)
			continue
		}
		if formatContract(contract) != test.want || contract.Delivery.Month != test.month || contract.Delivery.Year != test.year {
			t.Errorf("ParseFuture(%q) = %s %+v, want %s", test.symbol, formatContract(contract), contract.Delivery, test.want)
		}
	}
}

func TestFutureRefuses(t *testing.T) {
	t.Parallel()
	for _, symbol := range []string{
		"", " ", "AAPL", "AAPLZ24", "XYZZ4", "ESA24", "ESZ", "ESZ124", "ES 13-24", "ES 00-24", "ES 12-1", "ES XXX24",
		"ES 20241232", "ES 20240230", "ESZ1969", "BRK.B", "B.RK", "RDS.A", "BTC-USD", "EUR/USD", "BTC/USD", "EP", "EPZ25",
		"./ESU6 E1AN6 260703C5500", "AAPL  240119C00150000", "NIFTY26OCTFUT", "!", "1!", "/", "@", "ESÄ24",
		"ES 12-24 SPREAD", "F.US.", "CON.F.US.", ":", "1",
		"ESZ24ESZ24ESZ24ESZ24ESZ24ESZ24ESZ24ESZ24ESZ24ESZ24ESZ24ESZ24ESZ24ESZ24",
	} {
		if contract, ok := ParseFuture(symbol); ok {
			t.Errorf("ParseFuture(%q) = %s, want none", symbol, formatContract(contract))
		}
	}
}

// TestExplicit checks which symbols can only be futures and which
// may be shares as well.
func TestExplicit(t *testing.T) {
	t.Parallel()
	for symbol, want := range map[string]bool{
		"ES": false, "CL": false, "W": false, "SI": false, "NYSE:ES": false,
		"ESZ4": true, "/ES": true, "@ES": true, "ES1!": true, "ES=F": true, "CL 12-24": true, "F.US.EP": true, "ESH5.CME": true,
	} {
		contract, ok := ParseFuture(symbol)
		if !ok || contract.Explicit != want {
			t.Errorf("ParseFuture(%q) is explicit: %v, %v; want %v", symbol, contract.Explicit, ok, want)
		}
	}
}

func TestRootOf(t *testing.T) {
	t.Parallel()
	for symbol, want := range map[string]string{
		"ESZ4": "ES", "CON.F.US.EP.Z25": "ES", "XYZZ24": "XYZ", "/XYZM6": "XYZ", "XYZ1!": "XYZ", "xyz 12-24": "XYZ", "XYZ": "XYZ",
		" weird one ": "WEIRD ONE",
	} {
		if got := FindRoot(symbol); got != want {
			t.Errorf("FindRoot(%q) = %q, want %q", symbol, got, want)
		}
	}
}

func FuzzFuture(f *testing.F) {
	for _, seed := range []string{"ESZ4", "ES 12-24", "CON.F.US.EP.Z25", "CME_MINI:MES1!", `FDAX\Z15`, "./ESU6", "ES.12", "6E 202412"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, symbol string) {
		_ = FindRoot(symbol)
		contract, ok := ParseFuture(symbol)
		if !ok {
			return
		}
		again, ok := ParseFuture(formatContract(contract))
		if !ok || again.Root.Symbol != contract.Root.Symbol || again.Delivery != contract.Delivery {
			t.Errorf("%q is %s, which reads as %s %+v, %v", symbol, formatContract(contract), again.Root.Symbol, again.Delivery, ok)
		}
	})
}

// formatContract formats a contract like exchanges, such as ESZ24, or ESZ4 if the
// decade is unknown.
func formatContract(c Contract) string {
	d := c.Delivery
	switch {
	case d.Month == 0:
		return c.Root.Symbol
	case d.OneDigit:
		return c.Root.Symbol + monthCodes[d.Month-1:d.Month] + strconv.Itoa(d.Year)
	case d.Year < windowStart || d.Year >= windowStart+100:
		return c.Root.Symbol + monthCodes[d.Month-1:d.Month] + strconv.Itoa(d.Year)
	}
	return c.Root.Symbol + monthCodes[d.Month-1:d.Month] + strconv.Itoa(d.Year)[2:]
}
