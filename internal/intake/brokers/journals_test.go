package brokers

import (
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
	"fillbook/internal/trading/annotations"
)

func TestGrade(t *testing.T) {
	for text, want := range map[string]annotations.Grade{"1": 1, "5": 5, "4.0": 4, "0": 0, "6": 0, "": 0, "3.5": 0, "good": 0, "-1": 0} {
		if got := statement.Grade(text); got != want {
			t.Errorf("Grade(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestEach(t *testing.T) {
	for _, test := range []struct{ total, of, want string }{
		{"23000", "23000", "1"},
		{"640", "6.4", "100"},
		{"2345.68", "2345.675", "1"}, // rounded to the cent
		{"10", "0", "null"},
		{"0", "10", "null"},
		{"1000", "3", "null"}, // no plain number
	} {
		if got := statement.RoundWorth(decimal.Must(test.total), decimal.Must(test.of)); got.String() != test.want {
			t.Errorf("statement.RoundWorth(%s, %s) = %s, want %s", test.total, test.of, got, test.want)
		}
	}
}

func TestResultByPrices(t *testing.T) {
	trip := statement.Trip{
		Symbol: "MESH6", Type: "future", Quantity: decimal.New(2), OpenPrice: decimal.New(6900), ClosePrice: decimal.Of(decimal.New(6903)),
	}
	if got := trip.ResultByPrices(); got.String() != "30" {
		t.Errorf("long: %s", got)
	}
	trip.Short, trip.Multiplier = true, decimal.Of(decimal.New(10))
	if got := trip.ResultByPrices(); got.String() != "-60" {
		t.Errorf("short at ten a point: %s", got)
	}
	trip.ClosePrice = decimal.Null{}
	if got := trip.ResultByPrices(); !got.IsZero() {
		t.Errorf("open: %s", got)
	}
}

// journalsSheet makes a table from cells.
func journalsSheet(name string, rows ...[]string) tabular.Table {
	table := tabular.Table{Name: name}
	for i, cells := range rows {
		table.Rows = append(table.Rows, tabular.Row{Line: i + 1, Cells: cells})
	}
	return table
}

// TestJournalsWorkbook reads our own workbook, in which trades and fills say the same:
// the fills are taken, and the cash beside them.
func TestJournalsWorkbook(t *testing.T) {
	presets := tables()
	fillsHeader, tradesHeader := fillbookFills.Header, fillbookTrades.Header
	file := tabular.File{Kind: tabular.XLSX, Tables: []tabular.Table{
		journalsSheet("Trades", tradesHeader, []string{
			"Main", "AAPL", "stock", "long", "closed", "10", "2026-01-12T14:31:07Z", "2026-01-12T14:40:00Z", "230", "231", "1", "10", "10", "",
		}),
		journalsSheet(
			"Fills", fillsHeader,
			[]string{"Main", "2026-01-12T14:31:07Z", "AAPL", "stock", "buy", "10", "230", "0", "0", "1", "", "USD", "", "", "", "", ""},
			[]string{"Main", "2026-01-12T14:40:00Z", "AAPL", "stock", "sell", "10", "231", "0", "0", "1", "", "USD", "", "", "", "", ""},
		),
		journalsSheet(
			"Cash", []string{"Account", "Occurred At", "Type", "Amount", "Currency", "Note"},
			[]string{"Main", "2026-01-02T09:00:00Z", "deposit", "1000", "USD", "start"},
			[]string{"Main", "2026-01-03T09:00:00Z", "fee", "much", "USD", ""},
		),
	}}
	found, ok := statement.Detect(file, presets)
	if !ok || found.Preset.Export != "fills" {
		t.Fatalf("%v, %v", found.Reason, ok)
	}
	s, err := statement.Read(file, found, statement.Hints{})
	if err != nil {
		t.Fatal(err)
	}
	want := "Fillbook, executions: rows 5, fills 2, cash 1, annotations 0, problems 1; costs 0, gross 10, net 10, cash in 1000, out 0"
	if got := brokertest.Facts(s); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// TestResultsAreKept makes sure that stated results in a trade table come out to the last
// digit, however its averages are rounded.
func TestResultsAreKept(t *testing.T) {
	presets := tables()
	header := append([]string{"Fees", "Commission"}, fillbookTrades.Header...)
	rapid.Check(t, func(t *rapid.T) {
		cents := func(name string) decimal.Decimal {
			return decimal.FromScaled(rapid.Int64Range(-99999, 99999).Draw(t, name), 2)
		}
		gross, fees, commission := cents("gross"), cents("fees"), cents("commission")
		side := rapid.SampledFrom([]string{"long", "short"}).Draw(t, "side")
		price := decimal.FromScaled(rapid.Int64Range(1, 1e15).Draw(t, "price"), 12).String()
		file := tabular.File{Tables: []tabular.Table{journalsSheet("", header, []string{
			fees.String(), commission.String(), "Main", "AAPL", "stock", side, "closed", "3", "2026-01-12T14:31:07Z", "2026-01-12T14:40:00Z",
			price, "231", "1", gross.String(), gross.Sub(fees).Sub(commission).String(), "",
		})}}
		found, _ := statement.Detect(file, presets)
		s, err := statement.Read(file, found, statement.Hints{})
		if err != nil || len(s.Fills) != 2 {
			t.Fatalf("%v, %v", err, s)
		}
		if got := s.Sum(statement.ItemGrossPnL); !got.Equal(gross) {
			t.Fatalf("made %s, want %s", got, gross)
		}
		if got := s.Sum(statement.ItemCosts); !fees.Add(commission).IsZero() && !got.Equal(fees.Add(commission)) {
			t.Fatalf("cost %s, want %s", got, fees.Add(commission))
		}
	})
}
