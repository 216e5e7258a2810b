// Package barsource is what the clients of price providers have in common: how a provider
// describes itself, how it is asked for bars, and how its bars are collected.
//
// A client is pure, see package remote, and keeps nothing between two queries. Each
// provider has its own package below internal/providers.
package barsource

import (
	"context"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

// Provider is a source of price bars. Its methods are safe for concurrent use.
type Provider interface {
	// Describe returns what users and the caller must know about the provider.
	Describe() Description
	// Symbol returns the provider's name for an instrument traded at a time, and false if
	// the provider cannot have its prices. It sends nothing.
	Symbol(of instruments.Priced, at time.Time) (string, bool)
	// Fetch returns a query's bars. It may send several requests. The error is a
	// [*remote.RateLimited], or wraps an error from this package, package remote or the
	// client; then the result is empty.
	Fetch(ctx context.Context, client remote.Doer, credentials map[string]string, query Query) (Result, error)
}

// Pricer is a Provider that charges for each query and says how much before.
type Pricer interface {
	Provider
	// Price returns what a query costs. It orders nothing.
	Price(ctx context.Context, client remote.Doer, credentials map[string]string, query Query) (Price, error)
}

// Price is what a query costs.
type Price struct {
	Amount   decimal.Decimal
	Currency string
}

// Description is what users and the caller must know about a provider.
type Description struct {
	// Name is the provider's name in the API and in settings, such as alpaca.
	Name string
	// Title is its name for users, such as Alpaca.
	Title string
	// Covers says in a few words which instruments it has.
	Covers string
	// Notes say in one or two sentences what a user must know, such as where to get a
	// key.
	Notes string
	// Hosts are all hosts it calls, without scheme and port.
	Hosts []string
	// Fields are the credentials and choices.
	Fields []remote.Field
	// BarSecs are the lengths of bars it has, in seconds, the shortest first.
	BarSecs []int64
	// PageBars is how many bars one request returns at most. A query for more takes
	// several requests.
	PageBars int
	// RequestsPerMinute is how many requests the provider allows, with a margin.
	RequestsPerMinute int
	// Delay is how long after its end the provider returns a bar. It is negative if a bar
	// is known before it ends: a day's rate.
	Delay time.Duration
	// HistoryBars is how many bars it keeps, or 0 if it keeps them for years.
	HistoryBars int
	// IsPublic reports whether it answers without a key.
	IsPublic bool
	// IsRates reports whether it has the reference rates of currencies and no prices: its
	// instruments are those of [market.ReferenceSymbol], its bars are days.
	IsRates bool
}

// Query selects one instrument's bars that open in [From, To).
type Query struct {
	Instrument instruments.Priced
	BarSecs    int64
	From, To   time.Time
	// Now is the present. Bars still open then are left out.
	Now time.Time
}

// Result are a query's bars.
type Result struct {
	// Symbol is the provider's instrument name.
	Symbol string
	// Block has the bars in time order, each time once.
	Block      market.Block
	PriceKind  market.PriceKind
	VolumeKind market.VolumeKind
	// Covered is the time for which the provider answered. It can be shorter than that
	// of the query: bars that are too recent or too old are not in it, whereas a time
	// without trades is. It is empty if From equals To.
	Covered market.Range
	// IsComplete reports whether a time in Covered without a bar is one without trades,
	// so Covered can be declared if there are bars. It is false if the provider leaves
	// out trades, for example those outside regular hours.
	IsComplete bool
	// Skipped counts invalid bars in the answer, for example those with a high below the
	// low.
	Skipped int
}

// MaxBars is how many bars a query may ask for, counting every bar in its period.
const MaxBars = 100_000
