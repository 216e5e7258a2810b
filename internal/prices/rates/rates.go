// Package rates converts amounts between currencies with a user's stored reference rates.
//
// A rate is published once a day as currency units for one EUR. The rate between two
// other currencies is the quotient of their two values on one day. A day without values,
// such as a Saturday, uses those on the last day before it, but only up to [LookBack]
// days. Without values there is no rate: it is never assumed to be 1.
package rates

import (
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/market"
)

// LookBack is how many days before the wanted one a value may be.
const LookBack = market.ReferenceLookBack

// Value is a published value: currency units for one EUR.
type Value struct {
	Value decimal.Decimal
	// Source is what delivered it.
	Source string
}

// Table has published values by currency and day. All are above zero.
type Table map[string]map[journal.Day]Value

// Rate converts amounts from one currency into another.
type Rate struct {
	// Currency is the source currency.
	Currency string
	// Day is the day for which both values were published.
	Day journal.Day
	// Source names what delivered the values.
	Source string

	from, to decimal.Decimal
}

// Rate returns the factor for amounts, rounded once by the rule for averages.
func (r Rate) Rate() decimal.Decimal { return r.to.DivAverage(r.from) }

// Convert returns an amount in the other currency. It is computed from both published
// values and rounded once, by the rule for averages.
func (r Rate) Convert(amount decimal.Decimal) decimal.Decimal {
	return amount.Mul(r.to).DivAverage(r.from)
}

// Find returns the rate from one currency to another on a day: the last one published on
// it or at most [LookBack] days before. It returns false if none. A currency's
// rate to itself is 1 and has no source.
func (t Table) Find(from, to string, day journal.Day) (Rate, bool) {
	one := decimal.New(1)
	if from == to {
		return Rate{Currency: from, Day: day, from: one, to: one}, true
	}
	for back := range LookBack + 1 {
		at := day.AddDays(-back)
		a, hasA := t.valueOf(from, at)
		b, hasB := t.valueOf(to, at)
		if hasA && hasB {
			return Rate{Currency: from, Day: at, Source: joinSources(a.Source, b.Source), from: a.Value, to: b.Value}, true
		}
	}
	return Rate{}, false
}

// MissingOf returns which of two currencies has no value on a day and the days before, if
// there is no rate between them: one of them, or both. It returns the first one if both
// have values, but on different days.
func (t Table) MissingOf(from, to string, day journal.Day) (missing []string) {
	for _, currency := range []string{from, to} {
		if _, found := t.Find(currency, market.ReferenceBase, day); !found {
			missing = append(missing, currency)
		}
	}
	if missing == nil {
		return []string{from}
	}
	return missing
}

// valueOf returns what one EUR is worth in a currency.
func (t Table) valueOf(currency string, day journal.Day) (Value, bool) {
	if currency == market.ReferenceBase {
		return Value{Value: decimal.New(1)}, true
	}
	found, ok := t[currency][day]
	return found, ok && found.Value.Sign() > 0
}

// joinSources names the sources for two values. EUR's is empty.
func joinSources(a, b string) string {
	switch {
	case a == "" || a == b:
		return b
	case b == "":
		return a
	}
	return a + ", " + b
}
