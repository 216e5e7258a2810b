package statement_test

import (
	"strings"
	"testing"

	"fillbook/internal/base/journal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

func TestDayInName(t *testing.T) {
	for _, test := range []struct {
		name  string
		order parse.DateOrder
		want  journal.Day
	}{
		{"trades-2026-01-05.csv", "", "2026-01-05"},
		{"trades_20260105.csv", "", "2026-01-05"},
		{"2026.01.05 trades.csv", "", "2026-01-05"},
		{"trades 01-05-2026.csv", "", "2026-01-05"},
		{"trades 1-5-26.csv", "", "2026-01-05"},
		{"trades 05-01-2026.csv", parse.DayFirst, "2026-01-05"},
		{"trades 13-01-2026.csv", "", ""},
		{"trades 13-01-2026.csv", parse.DayFirst, "2026-01-13"},
		{"trades-2026-02-30.csv", "", ""},
		{"trades-2026-0105.csv", "", ""},
		{"trades.csv", "", ""},
		{"U12026010512.csv", "", ""},
		{"", "", ""},
	} {
		got, ok := statement.DayInName(test.name, test.order)
		if got != test.want && ok || ok != (test.want != "") {
			t.Errorf("%q: %q, %v, want %q", test.name, got, ok, test.want)
		}
	}
}

// TestTimesWithoutADay reads a file without a preset whose times have no date: the day is
// the user's, or the one in the file name, or asked for.
func TestTimesWithoutADay(t *testing.T) {
	t.Parallel()
	const text = "Time,Symbol,Side,Quantity,Price\n09:31:05,ACME,Buy,10,8\n09:45:12,ACME,Sell,10,9\n"
	for _, test := range []struct {
		name string
		day  journal.Day
		want string
	}{
		{"fills.csv", "2026-03-05", "2026-03-05T09:31:05Z"},
		{"fills-2026-03-06.csv", "", "2026-03-06T09:31:05Z"},
		{"fills-2026-03-06.csv", "2026-03-05", "2026-03-05T09:31:05Z"},
		{"fills.csv", "", ""},
	} {
		file, err := tabular.Read([]byte(text), tabular.Default())
		if err != nil {
			t.Fatal(err)
		}
		found, _ := statement.Locate(file)
		found.Preset = statement.Generic(file.Tables[0].Rows[found.Header].Cells, file.Tables[0].Rows[found.Header+1:], nil)
		s, err := statement.Read(file, found, statement.Hints{FileName: test.name, Day: test.day, Zone: "UTC"})
		switch {
		case test.want == "":
			if err == nil || !strings.Contains(err.Error(), "trade_date") {
				t.Errorf("%s: %v, want a question for trade_date", test.name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", test.name, err)
		case len(s.Fills) != 2 || journal.FormatInstant(s.Fills[0].At) != test.want:
			t.Errorf("%s: %v %v, want %s", test.name, s.Fills, s.Problems, test.want)
		}
	}
}
