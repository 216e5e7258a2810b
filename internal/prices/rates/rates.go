// Package rates converts amounts between currencies with a user's stored rates: published
// reference rates, and rates the user typed.
//
// A reference rate is published once a day as currency units for one EUR. A typed rate is
// for any two currencies and one day; it replaces the published rate on that day. The rate
// between two currencies on a day is the typed one, the published one, or the product of
// two rates through one common currency. A day without a rate, such as a Saturday, uses
// the last day before it that has one, but only up to [LookBack] days. Without a rate
// nothing is converted: it is never assumed to be 1.
package rates

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sort"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/market"
)

const (
	// LookBack is how many days before the wanted one a rate may be.
	LookBack = market.ReferenceLookBack
	// significantDigits is the precision of a rate, rounded half to even.
	significantDigits = 12
	// MoneyScale is the number of decimals of a converted amount, rounded half to even.
	MoneyScale = 8
	// TypedSource names typed rates.
	TypedSource = "typed"
)

// Value is a published value: currency units for one EUR.
type Value struct {
	Value decimal.Decimal
	// Source is what delivered it.
	Source string
}

// Typed is a rate typed by the user: quote units for one base unit.
type Typed struct {
	Base, Quote string
	On          journal.Day
	Rate        decimal.Decimal
}

// pair is two currencies in alphabetical order.
type pair struct{ first, second string }

func newPair(a, b string) pair { return pair{min(a, b), max(a, b)} }

// Table has a user's rates. It must not change after its first use.
type Table struct {
	published map[string]map[journal.Day]Value
	typed     map[pair][]Typed // in day order
	common    []string         // the currencies between two others, in the order they are tried
}

// NewTable returns a table from published values by currency and day, and typed rates. A
// currency with a published series has an entry, even without values. Values that are not
// above zero are ignored.
func NewTable(published map[string]map[journal.Day]Value, typed []Typed) *Table {
	t := &Table{published: published, typed: map[pair][]Typed{}}
	known := map[string]bool{}
	for currency := range published {
		known[currency] = true
	}
	for _, r := range typed {
		if r.Rate.Sign() > 0 {
			key := newPair(r.Base, r.Quote)
			t.typed[key] = append(t.typed[key], r)
			known[r.Base], known[r.Quote] = true, true
		}
	}
	for _, list := range t.typed {
		slices.SortStableFunc(list, func(a, b Typed) int { return cmp.Compare(a.On, b.On) })
	}
	t.common = []string{market.ReferenceBase, "USD"}
	for _, currency := range slices.Sorted(maps.Keys(known)) {
		if !slices.Contains(t.common, currency) {
			t.common = append(t.common, currency)
		}
	}
	return t
}

// Rate converts amounts from one currency into another.
type Rate struct {
	// Currency is the source currency.
	Currency string
	// Rate is what amounts are multiplied by.
	Rate decimal.Decimal
	// Day is the day for which the rate was published or typed, of two the earlier.
	Day journal.Day
	// Source names what delivered the rate.
	Source string
}

// Convert returns an amount in the other currency.
func (r Rate) Convert(amount decimal.Decimal) decimal.Decimal {
	if r.Rate.Equal(decimal.New(1)) {
		return amount // the same currency
	}
	return amount.Mul(r.Rate).Round(MoneyScale)
}

// quote is a rate as an exact fraction.
type quote struct {
	units, per decimal.Decimal
	day        journal.Day
	source     string
}

// Find returns the rate from one currency to another on a day: the last one on it or at
// most [LookBack] days before. It returns false if none. A currency's rate to itself is 1
// and has no source.
func (t *Table) Find(from, to string, day journal.Day) (Rate, bool) {
	if from == to {
		return Rate{Currency: from, Rate: decimal.New(1), Day: day}, true
	}
	for back := range LookBack + 1 {
		at := day.AddDays(-back)
		found, ok := t.findDirect(from, to, at)
		for i := 0; !ok && i < len(t.common); i++ {
			found, ok = t.findThrough(from, t.common[i], to, at)
		}
		if ok {
			return Rate{Currency: from, Rate: divideSignificant(found.units, found.per), Day: found.day, Source: found.source}, true
		}
	}
	return Rate{}, false
}

// findThrough returns the product of two rates on a day.
func (t *Table) findThrough(from, common, to string, day journal.Day) (quote, bool) {
	a, ok := t.findDirect(from, common, day)
	if !ok {
		return quote{}, false
	}
	b, ok := t.findDirect(common, to, day)
	return quote{
		units: a.units.Mul(b.units), per: a.per.Mul(b.per), day: min(a.day, b.day), source: joinSources(a.source, b.source),
	}, ok
}

// findDirect returns the rate typed or published for exactly these two currencies.
func (t *Table) findDirect(from, to string, day journal.Day) (quote, bool) {
	if from == to {
		return quote{}, false
	}
	if r, ok := t.findTyped(from, to, day); ok {
		return newQuote(r.Rate, r.Base == from, r.On, TypedSource), true
	}
	switch market.ReferenceBase {
	case from:
		v, ok := t.valueOf(to, day)
		return newQuote(v.Value, true, day, v.Source), ok
	case to:
		v, ok := t.valueOf(from, day)
		return newQuote(v.Value, false, day, v.Source), ok
	}
	return quote{}, false
}

// newQuote returns a rate, or its inverse.
func newQuote(rate decimal.Decimal, isForward bool, day journal.Day, source string) quote {
	q := quote{units: rate, per: decimal.New(1), day: day, source: source}
	if !isForward {
		q.units, q.per = q.per, q.units
	}
	return q
}

// findTyped returns the rate typed for two currencies on a day. If no series is published
// for them, a typed rate holds until the next one.
func (t *Table) findTyped(a, b string, day journal.Day) (Typed, bool) {
	list := t.typed[newPair(a, b)]
	n := sort.Search(len(list), func(i int) bool { return list[i].On > day })
	if n == 0 {
		return Typed{}, false
	}
	r := list[n-1]
	return r, r.On == day || !t.isPublished(a) || !t.isPublished(b)
}

// isPublished reports whether values are published for a currency.
func (t *Table) isPublished(currency string) bool {
	_, has := t.published[currency]
	return has || currency == market.ReferenceBase
}

func (t *Table) valueOf(currency string, day journal.Day) (Value, bool) {
	found := t.published[currency][day]
	return found, found.Value.Sign() > 0
}

// divideSignificant returns n / d for positive numbers, rounded once to significantDigits.
func divideSignificant(n, d decimal.Decimal) decimal.Decimal {
	ten := decimal.New(10)
	exponent := int32(math.Floor(math.Log10(n.Float64()) - math.Log10(d.Float64())))
	for n.Cmp(d.Mul(powerOfTen(exponent))) < 0 {
		exponent-- // the logarithms were rounded
	}
	for n.Cmp(d.Mul(powerOfTen(exponent)).Mul(ten)) >= 0 {
		exponent++
	}
	if scale := significantDigits - 1 - exponent; scale >= 0 {
		return n.DivRound(d, scale)
	}
	unit := powerOfTen(exponent - significantDigits + 1)
	return n.DivRound(d.Mul(unit), 0).Mul(unit)
}

func powerOfTen(exponent int32) decimal.Decimal {
	if exponent <= 0 {
		return decimal.FromScaled(1, -exponent)
	}
	power, ten := decimal.New(1), decimal.New(10)
	for range exponent {
		power = power.Mul(ten)
	}
	return power
}

// joinSources names the sources of two rates.
func joinSources(a, b string) string {
	if a == b {
		return a
	}
	return a + ", " + b
}
