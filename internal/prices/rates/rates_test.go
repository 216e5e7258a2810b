package rates_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/rates"
)

// source is the rates that a table is made from.
type source struct {
	published map[string]map[journal.Day]rates.Value
	typed     []rates.Typed
}

// newSource parses lines such as "USD 2026-03-02 1.25 file" for a published value and
// "USD/TWD 2026-03-02 32" for a typed rate.
func newSource(lines ...string) source {
	s := source{published: map[string]map[journal.Day]rates.Value{}}
	for _, line := range lines {
		cells := strings.Fields(line)
		day, value := journal.Day(cells[1]), decimal.Must(cells[2])
		if base, quote, isTyped := strings.Cut(cells[0], "/"); isTyped {
			s.typed = append(s.typed, rates.Typed{Base: base, Quote: quote, On: day, Rate: value})
			continue
		}
		if s.published[cells[0]] == nil {
			s.published[cells[0]] = map[journal.Day]rates.Value{}
		}
		s.published[cells[0]][day] = rates.Value{Value: value, Source: cells[3]}
	}
	return s
}

func (s source) table() *rates.Table { return rates.NewTable(s.published, s.typed) }

func TestFind(t *testing.T) {
	t.Parallel()
	table := newSource(
		"USD 2026-02-27 1.2 file", "USD 2026-03-02 1.25 file",
		"GBP 2026-02-27 0.8 file", "GBP 2026-03-02 0.875 web",
		"JPY 2026-02-27 160 web",
		"CHF 2026-03-02 0.9 web",
		"XXX 2026-03-02 0 web",
		"USD/TWD 2026-01-05 30", "TWD/USD 2026-02-27 0.03125",
		"EUR/NOK 2026-02-01 11",
		"USD/SEK 2026-02-27 10", "USD/DKK 2026-03-02 7",
		"USD/GBP 2026-02-28 0.66", "GBP/USD 2026-03-03 1.5",
		"BTC/ETH 2026-01-01 30",
	).table()
	for _, c := range []struct{ from, to, day, want string }{
		{"EUR", "USD", "2026-03-02", "1.25 2026-03-02 file"},
		{"USD", "EUR", "2026-03-02", "0.8 2026-03-02 file"},
		{"USD", "GBP", "2026-03-02", "0.7 2026-03-02 file, web"},
		{"GBP", "USD", "2026-03-02", "1.42857142857 2026-03-02 web, file"},
		{"GBP", "CHF", "2026-03-02", "1.02857142857 2026-03-02 web"},
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
		{"XXX", "EUR", "2026-03-02", ""},
		{"EUR", "XXX", "2026-03-02", ""},
		// A typed rate replaces the published one on its day, in both directions.
		{"USD", "GBP", "2026-02-28", "0.66 2026-02-28 typed"},
		{"GBP", "USD", "2026-02-28", "1.51515151515 2026-02-28 typed"},
		{"USD", "GBP", "2026-03-03", "0.666666666667 2026-03-03 typed"},
		{"USD", "GBP", "2026-03-01", "0.66 2026-02-28 typed"},
		// Without a published series a typed rate holds until the next one.
		{"USD", "TWD", "2026-01-05", "30 2026-01-05 typed"},
		{"USD", "TWD", "2026-02-26", "30 2026-01-05 typed"},
		{"USD", "TWD", "2026-02-27", "32 2026-02-27 typed"},
		{"USD", "TWD", "2027-02-27", "32 2026-02-27 typed"},
		{"USD", "TWD", "2026-01-04", ""},
		{"EUR", "NOK", "2026-12-31", "11 2026-02-01 typed"},
		// Through a common currency: both rates on one day.
		{"EUR", "TWD", "2026-03-02", "40 2026-02-27 file, typed"},
		{"TWD", "EUR", "2026-03-03", "0.025 2026-02-27 typed, file"},
		{"TWD", "GBP", "2026-02-28", "0.020625 2026-02-27 typed"},
		{"SEK", "DKK", "2026-03-02", "0.7 2026-02-27 typed"},
		{"BTC", "USD", "2026-03-02", ""}, // it would need two
		// No rate is needed.
		{"EUR", "EUR", "2026-03-10", "1 2026-03-10 "},
		{"ABC", "ABC", "2026-03-10", "1 2026-03-10 "},
	} {
		got := ""
		if rate, ok := table.Find(c.from, c.to, journal.Day(c.day)); ok {
			got = fmt.Sprintf("%s %s %s", rate.Rate, rate.Day, rate.Source)
			if rate.Currency != c.from {
				t.Errorf("%s to %s: the rate is that of %s", c.from, c.to, rate.Currency)
			}
		}
		if got != c.want {
			t.Errorf("%s to %s on %s: %q, want %q", c.from, c.to, c.day, got, c.want)
		}
	}
}

func TestConvertRounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rate, amount, want string }{
		{"0.333333333333", "1000000", "333333.333333"},
		{"0.5", "0.00000001", "0"},
		{"0.5", "0.00000003", "0.00000002"}, // half to even
		{"0.5", "-0.00000005", "-0.00000002"},
		{"160.5", "-3", "-481.5"},
	} {
		if got := (rates.Rate{Rate: decimal.Must(c.rate)}).Convert(decimal.Must(c.amount)).String(); got != c.want {
			t.Errorf("%s x %s is %s, want %s", c.amount, c.rate, got, c.want)
		}
	}
}

var someCurrencies = []string{"EUR", "USD", "GBP", "JPY", "TWD", "BTC"}

// anySource has published values for three currencies and typed rates between any two.
func anySource(t *rapid.T) source {
	s := source{published: map[string]map[journal.Day]rates.Value{}}
	for _, currency := range []string{"USD", "GBP", "JPY"} {
		if !rapid.Bool().Draw(t, "has series") {
			continue
		}
		s.published[currency] = map[journal.Day]rates.Value{}
		for range rapid.IntRange(0, 6).Draw(t, "values") {
			s.published[currency][anyDay(t)] = rates.Value{Value: anyRate(t), Source: "file"}
		}
	}
	taken := map[string]bool{}
	for range rapid.IntRange(0, 8).Draw(t, "typed") {
		r := rates.Typed{
			Base: rapid.SampledFrom(someCurrencies).Draw(t, "base"), Quote: rapid.SampledFrom(someCurrencies).Draw(t, "quote"), On: anyDay(t), Rate: anyRate(t),
		}
		key := min(r.Base, r.Quote) + max(r.Base, r.Quote) + string(r.On)
		if r.Base != r.Quote && !taken[key] {
			taken[key] = true
			s.typed = append(s.typed, r)
		}
	}
	return s
}

func anyRate(t *rapid.T) decimal.Decimal {
	return decimal.FromScaled(rapid.Int64Range(1, 1_000_000_000_000).Draw(t, "value"), rapid.Int32Range(0, 14).Draw(t, "scale"))
}

func anyDay(t *rapid.T) journal.Day {
	return journal.Day("2026-03-01").AddDays(rapid.IntRange(0, 25).Draw(t, "day"))
}

// direct is the oracle's rate for two currencies on a day as an exact fraction, by looking
// at every record; nil if none.
func (s source) direct(from, to string, day journal.Day) *big.Rat {
	hasSeries := func(currency string) bool { return currency == "EUR" || s.published[currency] != nil }
	var newest *rates.Typed
	for i, r := range s.typed {
		isPair := r.Base == from && r.Quote == to || r.Base == to && r.Quote == from
		if isPair && r.On <= day && (newest == nil || r.On > newest.On) {
			newest = &s.typed[i]
		}
	}
	if newest != nil && (newest.On == day || !hasSeries(from) || !hasSeries(to)) {
		if newest.Base == from {
			return newest.Rate.Rat()
		}
		return new(big.Rat).Inv(newest.Rate.Rat())
	}
	if value, ok := s.published[to][day]; ok && from == "EUR" {
		return value.Value.Rat()
	}
	if value, ok := s.published[from][day]; ok && to == "EUR" {
		return new(big.Rat).Inv(value.Value.Rat())
	}
	return nil
}

// findSlowly is [rates.Table.Find] as an exact fraction.
func (s source) findSlowly(from, to string, day journal.Day) *big.Rat {
	others := slices.Clone(someCurrencies[2:])
	slices.Sort(others)
	for back := 0; back <= 7; back++ {
		at := day.AddDays(-back)
		if found := s.direct(from, to, at); found != nil {
			return found
		}
		for _, common := range append([]string{"EUR", "USD"}, others...) {
			if common == from || common == to {
				continue
			}
			a, b := s.direct(from, common, at), s.direct(common, to, at)
			if a != nil && b != nil {
				return new(big.Rat).Mul(a, b)
			}
		}
	}
	return nil
}

// roundSlowly rounds a positive fraction to twelve significant digits, half to even.
func roundSlowly(exact *big.Rat) *big.Rat {
	unit, ten := big.NewRat(1, 1), big.NewRat(10, 1)
	limit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(12), nil))
	scaled := new(big.Rat).Set(exact)
	for scaled.Cmp(limit) >= 0 {
		scaled.Quo(scaled, ten)
		unit.Mul(unit, ten)
	}
	for new(big.Rat).Mul(scaled, ten).Cmp(limit) < 0 {
		scaled.Mul(scaled, ten)
		unit.Quo(unit, ten)
	}
	whole, rest := new(big.Int).QuoRem(scaled.Num(), scaled.Denom(), new(big.Int))
	switch rest.Lsh(rest, 1).Cmp(scaled.Denom()) {
	case 1:
		whole.Add(whole, big.NewInt(1))
	case 0:
		whole.Add(whole, new(big.Int).And(whole, big.NewInt(1)))
	}
	return unit.Mul(unit, new(big.Rat).SetInt(whole))
}

func TestFindAgreesWithTheOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, day := anySource(t), anyDay(t)
		from, to := rapid.SampledFrom(someCurrencies).Draw(t, "from"), rapid.SampledFrom(someCurrencies).Draw(t, "to")
		if from == to {
			return
		}
		rate, ok := s.table().Find(from, to, day)
		exact := s.findSlowly(from, to, day)
		if ok != (exact != nil) {
			t.Fatalf("%s to %s on %s: found %v, want %v", from, to, day, ok, exact)
		}
		if ok && rate.Rate.Rat().Cmp(roundSlowly(exact)) != 0 {
			t.Fatalf("%s to %s on %s: %s, want %s", from, to, day, rate.Rate, exact.FloatString(30))
		}
		if _, back := s.table().Find(to, from, day); back != ok {
			t.Fatalf("%s to %s on %s: found %v, the other way %v", from, to, day, ok, back)
		}
	})
}

func TestConverterNamesMissingRates(t *testing.T) {
	t.Parallel()
	c := rates.NewConverter(newSource("USD 2026-03-02 1.25 file", "EUR/NOK 2026-01-01 10").table(), "EUR")
	if c.Used() != nil || c.Err() != nil {
		t.Errorf("without a conversion it used %v and misses %v", c.Used(), c.Err())
	}
	c.Find("EUR", "2020-01-01")
	if c.Used() != nil {
		t.Errorf("EUR to EUR used %v", c.Used())
	}
	c.Find("USD", "2026-03-04")
	c.Find("NOK", "2026-03-04")
	if used := c.Used(); *used != (rates.Used{Source: "file, typed", FirstDay: "2026-01-01", LastDay: "2026-03-02"}) || c.Err() != nil {
		t.Errorf("it used %v and misses %v", used, c.Err())
	}
	c.Lookup("GBP", "2026-01-01")
	c.Find("GBP", "2026-03-05")
	c.Find("USD", "2026-03-20")
	c.Find("GBP", "2026-03-01")
	var refusal *journal.Error
	if !errors.As(c.Err(), &refusal) || refusal.Code != "rates_missing" || refusal.Kind != journal.KindConflict {
		t.Fatal(c.Err())
	}
	want := []rates.Missing{{"GBP", "EUR", "2026-03-01", "2026-03-05"}, {"USD", "EUR", "2026-03-20", "2026-03-20"}}
	if got := refusal.Details["missing"]; !slices.Equal(got.([]rates.Missing), want) {
		t.Errorf("missing are %v, want %v", got, want)
	}
}
