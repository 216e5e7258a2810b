package statement_test

import (
	"testing"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
	"fillbook/internal/trading/matching"
)

// TestMoneyGoesByItsSign checks that a refunded fee is not a fee and a reversed deposit
// not a deposit, whatever preset emits them.
func TestMoneyGoesByItsSign(t *testing.T) {
	t.Parallel()
	file, err := tabular.Read([]byte("Kind,Amount,At\nfee,-5,2026-01-05\nfee,10,2026-01-06\ndeposit,100,2026-01-07\ndeposit,-100,2026-01-08\n"+
		"withdrawal,-20,2026-01-09\ninterest,-1,2026-01-10\ndividend,-2,2026-01-11\n"), tabular.Default())
	if err != nil {
		t.Fatal(err)
	}
	preset := &statement.Preset{
		Broker: "Test", Header: []string{"Kind", "Amount", "At"}, Zone: "UTC",
		Whole: func(r *statement.Reader) error {
			r.EachRow(func(w *statement.Row) {
				w.Money(statement.Cash{Type: w.Text("Kind"), Amount: w.Required("Amount"), At: w.Moment("At").At})
			})
			return nil
		},
	}
	found, _ := statement.Detect(file, []*statement.Preset{preset})
	s, err := statement.Read(file, found, statement.Hints{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"fee -5", "adjustment 10", "deposit 100", "withdrawal -100", "withdrawal -20", "interest -1", "dividend -2"}
	for i, c := range s.Cash {
		if got := c.Type + " " + c.Amount.String(); got != want[i] {
			t.Errorf("row %d is %s, want %s", c.Row, got, want[i])
		}
	}
}

// TestHiddenCosts finds costs only the amount shows, and leaves differences within
// rounding, too high ones and those in the account's favor.
func TestHiddenCosts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name                          string
		side                          matching.Side
		quantity, price, fees, amount string
		want                          string
	}{
		{"sale", matching.Sell, "100", "52.40", "0", "5235.85", "4.15"},
		{"purchase", matching.Buy, "100", "52.40", "0", "-5244.15", "4.15"},
		{"beyond the stated fee", matching.Buy, "100", "52.40", "1", "-5244.15", "3.15"},
		{"all stated", matching.Sell, "20", "30", "0.02", "599.98", "0"},
		{"rounding of the price", matching.Buy, "300", "11.3333", "0", "-3400", "0"},
		{"rounding of a fraction", matching.Buy, "2.699055", "110.79", "0", "-299.04", "0"},
		{"at the limit of a twentieth", matching.Buy, "1000", "1", "0", "-1049", "49"},
		{"above the limit", matching.Buy, "1000", "1", "0", "-1051", "0"},
		{"more than was traded", matching.Buy, "1", "10", "0", "-30", "0"},
		{"too much", matching.Buy, "10", "20", "0", "-900", "0"},
		{"in favor", matching.Sell, "10", "20", "0", "201", "0"},
		{"no amount", matching.Sell, "10", "20", "0", "", "0"},
	} {
		f := statement.Fill{
			Symbol: "ACME", Side: test.side, Quantity: decimal.Must(test.quantity), Price: decimal.Must(test.price), Fees: decimal.Must(test.fees),
		}
		if test.amount != "" {
			f.StatedCashFlow = decimal.Of(decimal.Must(test.amount))
		}
		if got := f.HiddenCosts(); !got.Equal(decimal.Must(test.want)) {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
