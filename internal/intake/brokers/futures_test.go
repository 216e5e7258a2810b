package brokers

import (
	"strings"
	"testing"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
	"fillbook/internal/trading/instruments"
)

func TestNameFuture(t *testing.T) {
	for text, want := range map[string]string{
		"mnqh6":           "MNQH6",
		" MES  09-26 ":    "MES 09-26",
		"CM.MNQU6":        "MNQU6",
		"CM.QQXU6":        "CM.QQXU6", // the rest says nothing
		"F.US.MESM26":     "MESM26",
		"CON.F.US.EP.Z25": "CON.F.US.EP.Z25", // EP is ES only behind this prefix
		"/ESZ5":           "ESZ5",
		"/AAPL":           "/AAPL",
		"":                "",
	} {
		if got := statement.NameFuture(text, "").Symbol; got != want {
			t.Errorf("NameFuture(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestWorth(t *testing.T) {
	for _, test := range []struct{ made, points, contracts, want string }{
		{"75", "1.5", "2", "25"},
		{"-75", "-1.5", "2", "25"},
		{"-74", "-740", "10", "0.01"},
		{"6.67", "0.6667", "10", "1"}, // a cent may be rounded away
		{"1.25", "0.0000001", "1", "12500000"},
		{"48.1", "12.5", "2", "null"}, // costs were taken off
		{"1000", "3", "1", "null"},
		{"0", "1", "2", "null"},
		{"75", "0", "2", "null"},
		{"75", "-1.5", "2", "null"}, // the signs contradict each other
	} {
		got := statement.RoundWorth(decimal.Must(test.made), decimal.Must(test.points).Mul(decimal.Must(test.contracts)))
		if got.String() != test.want {
			t.Errorf("statement.RoundWorth(%s, %s.Mul(%s)) = %s, want %s", test.made, test.points, test.contracts, got, test.want)
		}
	}
}

func TestNinjaPosition(t *testing.T) {
	for text, want := range map[string]string{
		"1 L": "1", "12 S": "-12", "0": "0", "-": "null", "": "null", "3": "null", "2 X": "null", "-1 L": "null",
	} {
		file := "Instrument,Action,Quantity,Price,Time,ID,E/X,Position\nESU6,Buy,1,5000,2026-08-03 10:00:00,a,Entry," + text + "\n"
		got, _ := brokertest.Read([]byte(file), statement.Hints{Zone: "UTC"}, tables())
		if has := strings.Contains(got, " position "); has != (want != "null") || has && !strings.Contains(got, " position "+want+" ") {
			t.Errorf("position %q, want %s:\n%s", text, want, got)
		}
	}
}

func TestNameNinja(t *testing.T) {
	for text, want := range map[string]string{
		"MES 09-26": instruments.TypeFuture, "XQQ 09-26": instruments.TypeFuture, "ESU6": instruments.TypeFuture,
		"ES": instruments.TypeStock, "AAPL": instruments.TypeStock,
	} {
		if got := nameNinja(text, "").Type; got != want {
			t.Errorf("%s is a %s, want %s", text, got, want)
		}
	}
}

func TestFindNinjaOrder(t *testing.T) {
	for _, test := range []struct {
		name  string
		cells []string
		want  bool
	}{
		{"American", []string{"1/2/2026 9:00:00 AM", "$1.00"}, false},
		{"the sign behind", []string{"01/02/2026 09:00:00", "1.00 $"}, true},
		{"the sign behind a narrow blank", []string{"01/02/2026 09:00:00", "1,00\u202f€"}, true},
		{"dashes", []string{"01-02-2026 09:00:00", "1.00"}, true},
		{"dashes that prove the month", []string{"01-22-2026 09:00:00", "1.00 $"}, false},
		{"years first", []string{"2026-01-02 09:00:00", "1.00 $"}, false},
	} {
		file := tabular.File{Tables: []tabular.Table{{Rows: []tabular.Row{{Cells: test.cells}}}}}
		if got := findNinjaOrder(file) == parse.DayFirst; got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestTradovateCashWords(t *testing.T) {
	for word, want := range map[string]statement.Kind{
		"FundTransaction": statement.KindTransfer, "Fund Transaction Fee": statement.KindFee, "NFA Fee": statement.KindFee,
		"MarketDataSubscription": statement.KindFee, "Interest Paid": statement.KindInterest, "TradePaired": statement.KindResult,
		"Automatic Reconciliation": statement.KindAdjustment, "Withdrawal": statement.KindTransfer,
	} {
		if got := statement.FindKind(tradovateCashWords, word); got != want {
			t.Errorf("%s is %q, want %q", word, got, want)
		}
	}
}
