package statement

import (
	"testing"
	"time"

	"fillbook/internal/base/decimal"
)

// TestCashIsConvertedWithTheRateOfTheFile uses the row's own rate first, then the nearest
// in time, either way round, and no outdated rate.
func TestCashIsConvertedWithTheRateOfTheFile(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 3, n, 12, 0, 0, 0, time.UTC) }
	s := &Statement{Cash: []*Cash{
		{Row: 1, Amount: decimal.Must("10"), Currency: "USD", At: day(1), Note: "dividend"},
		{Row: 2, Amount: decimal.Must("-10"), Currency: "usd", At: day(9)},
		{Row: 3, Amount: decimal.Must("10"), Currency: "USD", At: day(30)},
		{Row: 4, Amount: decimal.Must("10"), Currency: "GBP", At: day(9)},
		{Row: 5, Amount: decimal.Must("10"), Currency: "EUR", At: day(9)},
		{Row: 6, Amount: decimal.Must("10"), Currency: "CHF", At: day(9)},
	}}
	s.noteRate(quote{row: 1, at: day(1), from: "USD", to: "EUR", rate: decimal.Must("0.8")})
	s.noteRate(quote{row: 7, at: day(8), from: "EUR", to: "USD", rate: decimal.Must("1.25")})
	s.noteRate(quote{row: 8, at: day(12), from: "USD", to: "EUR", rate: decimal.Must("0.9")})
	s.noteRate(quote{row: 9, at: day(9), from: "GBP", to: "CHF", rate: decimal.Must("1.1")})
	s.noteRate(quote{row: 9, at: day(9), from: "CHF", to: "EUR", rate: decimal.Zero})
	s.convertCash("EUR")
	want := []string{"8 EUR", "-8 EUR", "10 USD", "10 GBP", "10 EUR", "10 CHF"}
	for i, c := range s.Cash {
		if got := c.Amount.String() + " " + c.Currency; got != want[i] {
			t.Errorf("row %d is %s, want %s", c.Row, got, want[i])
		}
	}
	if note := s.Cash[0].Note; note != "dividend (10 USD at 0.8)" {
		t.Errorf("the note is %q", note)
	}
}
