package rates_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/rates"
)

// newTable returns a table from lines such as "USD 2026-03-02 1.25 file".
func newTable(lines ...string) rates.Table {
	table := rates.Table{}
	for _, line := range lines {
		cells := strings.Fields(line)
		if table[cells[0]] == nil {
			table[cells[0]] = map[journal.Day]rates.Value{}
		}
		table[cells[0]][journal.Day(cells[1])] = rates.Value{Value: decimal.Must(cells[2]), Source: cells[3]}
	}
	return table
}

func TestFind(t *testing.T) {
	t.Parallel()
	table := newTable(
		"USD 2026-02-27 1.2 file", "USD 2026-03-02 1.25 file",
		"GBP 2026-02-27 0.8 file", "GBP 2026-03-02 0.875 web",
		"JPY 2026-02-27 160 web",
		"CHF 2026-03-02 0.9 web",
		"XXX 2026-03-02 0 web",
	)
	for _, c := range []struct{ from, to, day, want string }{
		{"EUR", "USD", "2026-03-02", "1.25 2026-03-02 file"},
		{"USD", "EUR", "2026-03-02", "0.8 2026-03-02 file"},
		{"USD", "GBP", "2026-03-02", "0.7 2026-03-02 file, web"},
		{"GBP", "USD", "2026-03-02", "1.428571428571 2026-03-02 web, file"},
		{"GBP", "CHF", "2026-03-02", "1.028571428571 2026-03-02 web"},
		// The last day on which both have a value.
		{"JPY", "USD", "2026-03-02", "0.0075 2026-02-27 web, file"},
		// Saturday and Sunday use Friday.
		{"USD", "EUR", "2026-02-28", "0.833333333333 2026-02-27 file"},
		{"USD", "EUR", "2026-03-01", "0.833333333333 2026-02-27 file"},
		// Seven days back, and not eight.
		{"USD", "EUR", "2026-03-09", "0.8 2026-03-02 file"},
		{"USD", "EUR", "2026-03-10", ""},
		// A later value is never used.
		{"USD", "EUR", "2026-02-26", ""},
		{"CHF", "JPY", "2026-03-02", ""},
		{"USD", "TWD", "2026-03-02", ""},
		{"TWD", "EUR", "2026-03-02", ""},
		{"XXX", "EUR", "2026-03-02", ""},
		{"EUR", "XXX", "2026-03-02", ""},
		// No rate is needed.
		{"EUR", "EUR", "2026-03-10", "1 2026-03-10 "},
		{"TWD", "TWD", "2026-03-10", "1 2026-03-10 "},
	} {
		got := ""
		if rate, ok := table.Find(c.from, c.to, journal.Day(c.day)); ok {
			got = fmt.Sprintf("%s %s %s", rate.Rate(), rate.Day, rate.Source)
			if rate.Currency != c.from {
				t.Errorf("%s to %s: the rate is that of %s", c.from, c.to, rate.Currency)
			}
		}
		if got != c.want {
			t.Errorf("%s to %s on %s: %q, want %q", c.from, c.to, c.day, got, c.want)
		}
	}
}

func TestMissingOf(t *testing.T) {
	t.Parallel()
	table := newTable("USD 2026-03-02 1.25 file", "JPY 2026-03-03 160 file")
	for _, c := range []struct{ from, to, want string }{
		{"USD", "CHF", "[CHF]"},
		{"CHF", "USD", "[CHF]"},
		{"CHF", "EUR", "[CHF]"},
		{"EUR", "CHF", "[CHF]"},
		{"TWD", "CHF", "[TWD CHF]"},
		{"USD", "JPY", "[USD]"}, // their values are on different days
	} {
		if got := fmt.Sprint(table.MissingOf(c.from, c.to, "2026-03-04")); got != c.want {
			t.Errorf("%s to %s: %s, want %s", c.from, c.to, got, c.want)
		}
	}
}

func TestConvertRoundsOnce(t *testing.T) {
	t.Parallel()
	table := newTable("USD 2026-03-02 3 file", "GBP 2026-03-02 7 file")
	rate, _ := table.Find("USD", "GBP", "2026-03-02")
	// With the rounded rate it would be 2333333.333331.
	if got := rate.Convert(decimal.Must("1000000")).String(); got != "2333333.333333333333" {
		t.Error(got)
	}
	if got := rate.Convert(decimal.Must("-3")).String(); got != "-7" {
		t.Error(got)
	}
}

// anyTable has values on some days for three currencies.
func anyTable(t *rapid.T) rates.Table {
	table := rates.Table{}
	for _, currency := range []string{"USD", "GBP", "JPY"} {
		table[currency] = map[journal.Day]rates.Value{}
		for range rapid.IntRange(0, 6).Draw(t, "values") {
			table[currency][anyDay(t)] = rates.Value{Value: decimal.FromScaled(rapid.Int64Range(1, 20_000_000).Draw(t, "value"), 4), Source: "file"}
		}
	}
	return table
}

func anyDay(t *rapid.T) journal.Day {
	return journal.Day("2026-03-01").AddDays(rapid.IntRange(0, 20).Draw(t, "day"))
}

// findSlowly is [rates.Table.Find] as an exact fraction, by looking at every value.
func findSlowly(table rates.Table, from, to string, day journal.Day) (best *big.Rat, on journal.Day) {
	valueOn := func(currency string, at journal.Day) *big.Rat {
		if currency == "EUR" {
			return big.NewRat(1, 1)
		}
		for known, value := range table[currency] {
			if known == at {
				return value.Value.Rat()
			}
		}
		return nil
	}
	for at := journal.Day("2026-02-01"); at <= day; at = at.AddDays(1) {
		a, b := valueOn(from, at), valueOn(to, at)
		if a != nil && b != nil && at.DaysUntil(day) <= 7 {
			best, on = new(big.Rat).Quo(b, a), at
		}
	}
	return best, on
}

// isClose reports whether a number differs from a fraction by at most half a unit in the
// twelfth decimal.
func isClose(d decimal.Decimal, exact *big.Rat) bool {
	off := new(big.Rat).Sub(d.Rat(), exact)
	return off.Abs(off).Cmp(big.NewRat(1, 2_000_000_000_000)) <= 0
}

func TestFindIsWhatASlowSearchFinds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table, day := anyTable(t), anyDay(t)
		currencies := rapid.SampledFrom([]string{"EUR", "USD", "GBP", "JPY", "TWD"})
		from, to := currencies.Draw(t, "from"), currencies.Draw(t, "to")
		if from == to {
			return
		}
		rate, ok := table.Find(from, to, day)
		exact, on := findSlowly(table, from, to, day)
		if ok != (exact != nil) {
			t.Fatalf("%s to %s on %s: found %v, want %v", from, to, day, ok, exact)
		}
		if !ok {
			return
		}
		amount := decimal.FromScaled(rapid.Int64Range(-1_000_000_00, 1_000_000_00).Draw(t, "amount"), 2)
		if rate.Day != on || !isClose(rate.Rate(), exact) || !isClose(rate.Convert(amount), new(big.Rat).Mul(amount.Rat(), exact)) {
			t.Fatalf("%s to %s on %s: %s of %s, %s for %s; want %s of %s", from, to, day, rate.Rate(), rate.Day, rate.Convert(amount), amount, exact.FloatString(15), on)
		}
	})
}

// Converting there and back returns the amount, up to the rounding of the first step.
func TestConvertThereAndBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table, day := anyTable(t), anyDay(t)
		currencies := rapid.SampledFrom([]string{"EUR", "USD", "GBP", "JPY"})
		from, to := currencies.Draw(t, "from"), currencies.Draw(t, "to")
		there, ok := table.Find(from, to, day)
		back, okBack := table.Find(to, from, day)
		if ok != okBack || there.Day != back.Day {
			t.Fatalf("%s to %s: %v %s, back %v %s", from, to, ok, there.Day, okBack, back.Day)
		}
		if !ok {
			return
		}
		amount := decimal.FromScaled(rapid.Int64Range(-1_000_000_00, 1_000_000_00).Draw(t, "amount"), 2)
		again := back.Convert(there.Convert(amount))
		off := new(big.Rat).Sub(again.Rat(), amount.Rat())
		// Half a unit in the twelfth decimal, multiplied by the way back, and the
		// rounding in the second step.
		most := new(big.Rat).Add(new(big.Rat).Abs(back.Rate().Rat()), big.NewRat(2, 1))
		if off.Abs(off).Cmp(most.Mul(most, big.NewRat(1, 2_000_000_000_000))) > 0 {
			t.Fatalf("%s %s is %s there and back", amount, from, again)
		}
	})
}
