// Package barfetch fetches price bars from providers for a user's trades.
//
// A source is a provider with a user's key. Its job runs every hour: it finds the
// sessions in which the user held positions, with one session before and after, and asks
// the provider for those it was not asked for, or only before they had ended. Bars are
// stored as imports, which can be reversed.
package barfetch

import (
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/remote"
	"fillbook/internal/base/secrets"
	"fillbook/internal/intake/fetch"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/barsource"
)

// JobKind is the kind of the source jobs; see [Service.Run].
const JobKind = "bars"

// Status is a source's state or a run's outcome.
type Status = fetch.Status

// The states of sources and the run outcomes; see package fetch.
const (
	StatusOK        = fetch.StatusOK
	StatusRunning   = fetch.StatusRunning
	StatusWaiting   = fetch.StatusWaiting
	StatusFailed    = fetch.StatusFailed
	StatusAttention = fetch.StatusAttention
)

// Source is a provider a user fetches bars from.
type Source struct {
	ID       journal.BarSourceID
	Provider string
	// Enabled sources run by themselves, others only when asked.
	Enabled bool
	// Symbols are the symbols or roots to fetch; if there are none, all traded ones.
	Symbols []string
	// Since is the first day to fetch; empty for no limit.
	Since journal.Day
	fetch.State
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Run is a source run.
type Run struct {
	ID     journal.BarRunID
	Source journal.BarSourceID
	fetch.Run
	bars.Counts
	// Imports are the imports of bars of the run.
	Imports []journal.BarImportID
}

// Options configure a [Service].
type Options struct {
	fetch.Options
	Bars *bars.Service
	// Providers are those users can choose.
	Providers []barsource.Provider
}

// Service stores sources and runs them. It is safe for concurrent use.
type Service struct {
	*fetch.Service[journal.BarSourceID, Source, Run, barsource.Provider]
	bars *bars.Service
}

// New returns a Service.
func New(options Options) *Service {
	s := &Service{bars: options.Bars}
	s.Service = fetch.NewService(options.Options, kind, options.Providers,
		func(p barsource.Provider) string { return p.Describe().Name },
		func(p barsource.Provider) remote.Doer {
			about := p.Describe()
			return options.Network.Client(about.Name, about.Hosts, about.RequestsPerMinute)
		}, s.complete)
	return s
}

// Tables returns the tables with what was fetched. A copy without bars leaves them out,
// so it fetches the bars again.
func Tables() []string { return []string{"bar_source_sessions", "bar_source_runs"} }

// RotateSecret seals all credentials with a new secret. It runs in the caller's
// transaction.
func RotateSecret(ctx context.Context, tx *db.Tx, from, to *secrets.Keys) error {
	return kind.Credentials.Rotate(ctx, tx, from, to)
}
