package brokers

import (
	"testing"

	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
)

func TestNameByType(t *testing.T) {
	for _, test := range []struct{ symbol, word, kind, want, right string }{
		{"acme", "stock", "stock", "ACME", ""},
		{"ACME", "2", "", "ACME", ""},
		{"ACME260417C00007500", "2", "option", "ACME", "call"},
		{"ACME260417C00007500", "put", "option", "ACME", "call"}, // the symbol knows better
		{"ACME", "put", "option", "ACME", "put"},
		{"MESM6", "future", "future", "MESM6", ""},
		{"MESM6", "", "future", "MESM6", ""},
		{"ES", "", "", "ES", ""},
	} {
		var f statement.Fill
		nameByType(&f, test.symbol, test.word)
		if f.Type != test.kind || f.Symbol != test.want || f.Right != test.right {
			t.Errorf("%s as %q is %s %s %s", test.symbol, test.word, f.Type, f.Symbol, f.Right)
		}
	}
}

func TestNameMoomoo(t *testing.T) {
	for symbol, want := range map[string]string{"US.ACME": "ACME", "HK.00700": "00700", "BRK.B": "BRK.B", "ACME": "ACME", "NVDA260417C200000": "NVDA"} {
		f := nameMoomoo(symbol, "")
		if f.Symbol != want || f.Type == "" {
			t.Errorf("%s is %s %s", symbol, f.Type, f.Symbol)
		}
	}
}

// A time skipped by the clocks is reported, and does not stop the rows around it.
func TestTimesOnTheDayOfTheChange(t *testing.T) {
	const file = "Symbol,Price,Qty,Time,Side,Type,\nACME,8,1,03:30:00,S,Margin,\nACME,8,1,02:30:00,B,Margin,\n"
	brokertest.Check(t, []byte(file), statement.Hints{FileName: "20260308.csv"}, tables(), `
DAS Trader / trades window, executions, csv, rows 2, zone America/New_York
because matched header Symbol + Price + Qty + Time + Side + Type
  1 sell 1 ACME @ 8 at 2026-03-08T07:30:00Z
  2 problem Time: 2026-03-08 02:30:00 does not exist in America/New_York: the clocks were put forward over it.
`)
}
