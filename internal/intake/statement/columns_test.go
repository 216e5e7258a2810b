package statement_test

import (
	"testing"

	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// readRow runs a function on the first data row in a CSV file.
func readRow(t *testing.T, csv string, read func(*statement.Row)) {
	t.Helper()
	file, err := tabular.Read([]byte(csv), tabular.Default())
	if err != nil {
		t.Fatal(err)
	}
	preset := &statement.Preset{Format: statement.Executions, Whole: func(r *statement.Reader) error {
		r.EachRow(read)
		return nil
	}}
	if _, err := statement.Read(file, statement.Detection{Preset: preset}, statement.Hints{FileName: "fills-2026-02-03.csv"}); err != nil {
		t.Fatal(err)
	}
}

func TestColumnExpressions(t *testing.T) {
	t.Parallel()
	const csv = "Date,Price,Price,Total (GBP),Total cost,profit_usd,Value,,Fee,A*,Empty,Filled Time(UTC+8)\n" +
		"2026-01-05,1.5,2.5,100,9,-3,55,EUR,0.1BTC,star,,10:00\n"
	tests := []struct{ col, want string }{
		{"Price", "1.5"},
		{"Price#2", "2.5"},
		{"Missing|Price", "1.5"},
		{"Empty|Price#2", "2.5"},
		{"Total*", "100"},
		{"profit*", "-3"},
		{"Total c…", "9"},
		{"…LED t…", "10:00"},
		{"…nothing…", ""},
		{"Filled Time*", "10:00"},
		{"Value>", "EUR"},
		{"Price>", ""},
		{"Value$", "EUR"},
		{"Total*$", "GBP"},
		{"Fee$", "BTC"},
		{"Missing$|Price", "1.5"},
		{"A*", "star"},
		{"=USD", "USD"},
		{"Empty|=USD", "USD"},
		{"@set", "from a hook"},
		{"@unset|Price", "1.5"},
		{"{Price} at {Value>}", "1.5 at EUR"},
		{"{Empty|Price#2}/{file}", "2.5/2026-02-03"},
		{"{Empty}|{Price}!", "1.5!"},
		{"{Missing}: {Empty}", ""},
		{"Missing", ""},
	}
	readRow(t, csv, func(w *statement.Row) {
		w.Set("set", "from a hook")
		for _, test := range tests {
			if got := w.Text(test.col); got != test.want {
				t.Errorf("%s is %q, want %q", test.col, got, test.want)
			}
		}
	})
}
