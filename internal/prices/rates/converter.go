package rates

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"fillbook/internal/base/journal"
)

// Converter finds the rates into one currency, and remembers which were used and which
// are missing. It is for one goroutine.
type Converter struct {
	table *Table
	to    string
	rates map[rateKey]foundRate
	// missing are the first and the last day without a rate, by currency.
	missing map[string]DayRange
}

type rateKey struct {
	currency string
	day      journal.Day
}

type foundRate struct {
	Rate
	ok, used bool
}

// DayRange is a range of days including both ends.
type DayRange struct {
	From, To journal.Day
}

// AllDays is every day of a journal.
var AllDays = DayRange{"1970-01-01", "2199-12-31"}

// extend returns the range with one more day.
func (r DayRange) extend(day journal.Day) DayRange {
	return DayRange{min(r.From, day), max(r.To, day)}
}

// NewConverter returns a Converter into a currency.
func NewConverter(table *Table, to string) *Converter {
	return &Converter{table: table, to: to, rates: map[rateKey]foundRate{}, missing: map[string]DayRange{}}
}

// Version is [Table.Version].
func (c *Converter) Version() uint64 { return c.table.Version() }

// Currency returns the currency that amounts are converted into.
func (c *Converter) Currency() string { return c.to }

// Lookup returns a currency's rate on a day, if there is one. It remembers neither a use
// nor a missing rate.
func (c *Converter) Lookup(currency string, day journal.Day) (Rate, bool) {
	key := rateKey{currency, day}
	found, known := c.rates[key]
	if !known {
		found.Rate, found.ok = c.table.Find(currency, c.to, day)
		c.rates[key] = found
	}
	return found.Rate, found.ok
}

// Find is like [Converter.Lookup] and remembers the rate for [Converter.Used], or its
// absence for [Converter.Err].
func (c *Converter) Find(currency string, day journal.Day) (Rate, bool) {
	rate, ok := c.Lookup(currency, day)
	key := rateKey{currency, day}
	if found := c.rates[key]; !found.used {
		found.used = true
		c.rates[key] = found
	}
	if !ok {
		known, found := c.missing[currency]
		if !found {
			known = DayRange{day, day}
		}
		c.missing[currency] = known.extend(day)
	}
	return rate, ok
}

// Used is the rates behind an answer.
type Used struct {
	Source   string      `json:"source" doc:"What delivered the rates; typed for those you typed."`
	FirstDay journal.Day `json:"first_day" doc:"The day of the earliest rate."`
	LastDay  journal.Day `json:"last_day" doc:"The day of the latest rate."`
}

// Used returns the rates that [Converter.Find] found, nil if no amount needed one.
func (c *Converter) Used() *Used {
	var used *Used
	sources := map[string]bool{}
	for key, rate := range c.rates {
		if !rate.ok || !rate.used || key.currency == c.to {
			continue
		}
		if used == nil {
			used = &Used{FirstDay: rate.Day, LastDay: rate.Day}
		}
		used.FirstDay, used.LastDay = min(used.FirstDay, rate.Day), max(used.LastDay, rate.Day)
		for source := range strings.SplitSeq(rate.Source, ", ") {
			sources[source] = true
		}
	}
	if used != nil {
		used.Source = strings.Join(slices.Sorted(maps.Keys(sources)), ", ")
	}
	return used
}

// Missing is a pair of currencies without a rate on some days.
type Missing struct {
	Base  string      `json:"base"`
	Quote string      `json:"quote"`
	From  journal.Day `json:"from"`
	To    journal.Day `json:"to"`
}

// Err returns the refusal that names the missing rates, nil if none is missing.
func (c *Converter) Err() error {
	if len(c.missing) == 0 {
		return nil
	}
	var list []Missing
	for currency, days := range c.missing {
		list = append(list, Missing{Base: currency, Quote: c.to, From: days.From, To: days.To})
	}
	slices.SortFunc(list, func(a, b Missing) int { return cmp.Compare(a.Base, b.Base) })
	names := make([]string, len(list))
	for i, m := range list {
		names[i] = m.Base + " to " + m.Quote + " from " + string(m.From) + " to " + string(m.To)
	}
	return &journal.Error{
		Kind: journal.KindConflict, Code: "rates_missing", Details: map[string]any{"missing": list},
		Message: "There is no exchange rate for " + strings.Join(names, ", ") + ". Turn on ECB rates under Prices, upload the file of the European Central Bank, or type a rate.",
	}
}
