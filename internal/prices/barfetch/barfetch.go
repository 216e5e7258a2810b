// Package barfetch fetches price bars from providers for the trades of a user.
//
// A source is a provider with the key of a user. Its job runs every hour: it finds the
// sessions in which the user held positions, with one session before and after, and asks
// the provider for those that it was not asked for, or only before they had ended. Bars
// are stored as imports, which can be reversed.
package barfetch

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/outbound"
	"fillbook/internal/base/remote"
	"fillbook/internal/base/secrets"
	"fillbook/internal/intake/credentials"
	"fillbook/internal/intake/jobs"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/barsource"
)

// JobKind is the kind of the jobs of sources; see [Service.Run].
const JobKind = "bars"

// Status is the state of a source.
type Status string

// The states of a source and the outcomes of runs.
const (
	// StatusOK: the last run fetched everything.
	StatusOK Status = "ok"
	// StatusRunning: a run has begun.
	StatusRunning Status = "running"
	// StatusWaiting: not run yet, or will be tried again.
	StatusWaiting Status = "waiting"
	// StatusFailed: it has failed for too long to be tried again.
	StatusFailed Status = "failed"
	// StatusAttention: nothing happens until the user acts.
	StatusAttention Status = "needs_attention"
	// StatusInterrupted: the server stopped during the run.
	StatusInterrupted Status = "interrupted"
)

// Source is a provider that a user fetches bars from.
type Source struct {
	ID       journal.BarSourceID
	Provider string
	// Enabled sources run by themselves, others only when asked.
	Enabled bool
	// Symbols are the symbols or roots to fetch; if there are none, all that were
	// traded.
	Symbols []string
	// Since is the first day to fetch; empty for no limit.
	Since journal.Day
	// Status and Message are those of the last run. Status is never StatusRunning when
	// stored.
	Status    Status
	Message   string
	LastRunAt *time.Time
	CreatedAt time.Time
	UpdatedAt time.Time

	// NextRunAt is nil if the source runs only when asked. It is not stored here.
	NextRunAt *time.Time
	// HasCredentials reports whether all credentials that the provider needs are stored.
	HasCredentials bool
}

// Run is a run of a source.
type Run struct {
	ID        journal.BarRunID
	Source    journal.BarSourceID
	StartedAt time.Time
	EndedAt   *time.Time
	Outcome   Status
	// Requests counts the requests to the provider.
	Requests int
	bars.Counts
	// Imports are the imports of bars of the run.
	Imports []journal.BarImportID
	Message string
}

// Options are the settings of a [Service].
type Options struct {
	DB      *db.DB
	Bars    *bars.Service
	Keys    *secrets.Keys
	Clock   journal.Clock
	Log     *slog.Logger
	Network *outbound.Network
	// Providers are those that users can choose.
	Providers []barsource.Provider
	// Wake is called after a source was made due; it may be nil.
	Wake func()
}

// Service stores sources and runs them. It is safe for concurrent use.
type Service struct {
	Options
	clients map[string]remote.Doer
}

// New returns a Service.
func New(options Options) *Service {
	s := &Service{Options: options, clients: map[string]remote.Doer{}}
	if s.Wake == nil {
		s.Wake = func() {}
	}
	for _, p := range s.Providers {
		about := p.Describe()
		s.clients[about.Name] = s.Network.Client(about.Name, about.Hosts, about.RequestsPerMinute)
	}
	return s
}

// Enabled reports whether the server may send requests to providers.
func (s *Service) Enabled() bool { return s.Network.Enabled() }

// findProvider returns the provider with a name.
func (s *Service) findProvider(name string) (barsource.Provider, bool) {
	i := slices.IndexFunc(s.Providers, func(p barsource.Provider) bool { return p.Describe().Name == name })
	if i < 0 {
		return nil, false
	}
	return s.Providers[i], true
}

func jobKey(owner journal.UserID, id journal.BarSourceID) jobs.Key {
	return jobs.Key{Owner: owner, Kind: JobKind, ID: string(id)}
}

// Tables returns the tables with what was fetched. A copy without bars leaves them out,
// so that it fetches the bars again.
func Tables() []string { return []string{"bar_source_sessions", "bar_source_runs"} }

// keys stores the credentials of sources.
var keys = credentials.Store{Table: "bar_sources", Label: "bar source"}

// RotateSecret seals all credentials with a new secret. It runs in the caller's
// transaction.
func RotateSecret(ctx context.Context, tx *db.Tx, from, to *secrets.Keys) error {
	return keys.Rotate(ctx, tx, from, to)
}
