// Package connections fetches fills and cash from brokers into accounts.
//
// A connection is a broker with a user's credentials, for one account. Its job runs every
// hour or every day: it checks whose the credentials are and what they allow, and then
// fetches the time since the last run in windows, with some time before it, because
// brokers correct records later. What arrives is imported as one batch for each run,
// which can be reversed.
package connections

import (
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/remote"
	"fillbook/internal/base/secrets"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/fetch"
	"fillbook/internal/intake/statement"
	"fillbook/internal/people/identity"
)

// JobKind is the kind of the connection jobs.
const JobKind = "connection"

// The audit actions of this package.
const (
	ActionCreate identity.Action = "connection_create"
	ActionChange identity.Action = "connection_change"
	ActionDelete identity.Action = "connection_delete"
)

// Status is a connection's state or a run's outcome.
type Status = fetch.Status

// The states of connections and the run outcomes; see package fetch.
const (
	StatusOK        = fetch.StatusOK
	StatusRunning   = fetch.StatusRunning
	StatusWaiting   = fetch.StatusWaiting
	StatusFailed    = fetch.StatusFailed
	StatusAttention = fetch.StatusAttention
)

// Schedule is how often a connection runs by itself.
type Schedule string

// The schedules.
const (
	Manual Schedule = "manual"
	Hourly Schedule = "hourly"
	Daily  Schedule = "daily"
)

// Connection is a broker from which fills and cash of an account are fetched.
type Connection struct {
	ID       journal.ConnectionID
	Provider string
	Account  journal.AccountID
	Name     string
	Schedule Schedule
	// Since is the first day to fetch, in the provider's zone; empty for no limit.
	Since journal.Day
	// AcceptsTradingKey allows credentials that can trade.
	AcceptsTradingKey bool
	// Environment is the chosen environment's title, such as Paper; empty if the provider
	// has only one.
	Environment string
	Identity    Identity
	Progress
	fetch.State
	CreatedAt time.Time
	UpdatedAt time.Time

	// Rights is how the credentials' rights become known.
	Rights connector.RightsCheck
	// Warnings are sentences for the user.
	Warnings []string
	// LastRun is the newest run; nil if none.
	LastRun *Run
	// Done is the completed part of the first pass, from 0 to 1; nil after it.
	Done *float64
}

// Identity is the owner of credentials and what they allow, as the last check found.
type Identity struct {
	// Account is the broker's account id, and Name its name for users; it may be empty.
	Account, Name string
	// CanTrade and CanWithdraw report that the credentials allow more than reading.
	CanTrade, CanWithdraw bool
	// ExpiresAt is when the credentials end; nil if unknown.
	ExpiresAt *time.Time
	// Notes are sentences for the user, such as a limit for the key.
	Notes []string
	// CheckedAt is nil before the first check.
	CheckedAt *time.Time
}

func newIdentity(found connector.Identity, now time.Time) Identity {
	i := Identity{
		Account: found.Account, Name: found.Name, CanTrade: found.CanTrade, CanWithdraw: found.CanWithdraw, Notes: found.Notes, CheckedAt: &now,
	}
	if !found.ExpiresAt.IsZero() {
		i.ExpiresAt = &found.ExpiresAt
	}
	return i
}

// Run is a connection run.
type Run struct {
	ID         journal.ConnectionRunID
	Connection journal.ConnectionID
	fetch.Run
	// FetchedFrom and FetchedTo are the fetched time; nil if none was.
	FetchedFrom, FetchedTo *time.Time
	// Inserted, Skipped, Completed and Withdrawn count fills. Problems counts unreadable
	// records.
	Inserted, Skipped, Completed, Withdrawn, CashInserted, Problems int
	// Missing counts the fills of this connection the broker no longer reports. They
	// stay.
	Missing int
	// Batch is the run's import; empty if nothing was new.
	Batch journal.BatchID
}

// Actor is who changes a connection, for the audit.
type Actor struct {
	identity.Principal
	Client identity.Client
}

// Importer imports what connections fetch.
type Importer interface {
	// Deliver imports a delivery. It is a step, and leaves the Statement as it is.
	Deliver(ctx context.Context, tx *db.Tx, owner journal.UserID, d Delivery) (Delivered, error)
	// ListIDs returns the broker's ids of the fills in [from, to) a connection brought
	// into an account, without those the user edited. It is a step.
	ListIDs(
		ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, of journal.ConnectionID, from, to time.Time,
	) ([]string, error)
	// Read reads a file as an upload is read. It writes nothing. The account may be empty
	// if the file is only looked at.
	Read(ctx context.Context, owner journal.UserID, account journal.AccountID, name string, data []byte) (*statement.Statement, error)
}

// Delivery is a part of what a run fetches.
type Delivery struct {
	Connection journal.ConnectionID
	Account    journal.AccountID
	// Batch is the import to add to; empty for a new one.
	Batch     journal.BatchID
	Statement *statement.Statement
	// Withdrawn are ids of fills the broker has canceled, and Replaced maps the new id of
	// a corrected fill to the one before.
	Withdrawn []string
	Replaced  map[string]string
}

// Delivered counts what became of a delivery; see [Run].
type Delivered struct {
	Batch journal.BatchID

	Inserted, Skipped, Completed, Withdrawn, CashInserted, Problems int
}

// Options configure a [Service].
type Options struct {
	fetch.Options
	Imports Importer
	// Connectors are those users can choose.
	Connectors []connector.Connector
	// Observe is called after each run; it may be nil.
	Observe func(Observation)
	// NeedsAttention is called in the transaction in which a run finds that a connection needs
	// its user; it may be nil.
	NeedsAttention func(ctx context.Context, tx *db.Tx, owner journal.UserID, c Connection) error
}

// Observation is what operators see of a run.
type Observation struct {
	Provider string
	Outcome  Status
	Requests int
	EndedAt  time.Time
}

// Service stores connections and runs them. It is safe for concurrent use.
type Service struct {
	*fetch.Service[journal.ConnectionID, Connection, Run, connector.Connector]
	imports        Importer
	Observe        func(Observation)
	NeedsAttention func(ctx context.Context, tx *db.Tx, owner journal.UserID, c Connection) error
}

// New returns a Service.
func New(options Options) *Service {
	s := &Service{imports: options.Imports, Observe: options.Observe, NeedsAttention: options.NeedsAttention}
	if s.Observe == nil {
		s.Observe = func(Observation) {}
	}
	s.Service = fetch.NewService(options.Options, kind, options.Connectors,
		func(c connector.Connector) string { return c.Describe().Name },
		func(c connector.Connector) remote.Doer {
			about := c.Describe()
			return options.Network.LimitedClient(about.Name, about.Hosts, about.Limits())
		}, s.complete)
	return s
}

// List returns the owner's connections, the oldest first.
func (s *Service) List(ctx context.Context, owner journal.UserID) ([]Connection, error) {
	return s.ListShown(ctx, owner, "t.id")
}

// RotateSecret seals all credentials with a new secret. It runs in the caller's
// transaction.
func RotateSecret(ctx context.Context, tx *db.Tx, from, to *secrets.Keys) error {
	return kind.Credentials.Rotate(ctx, tx, from, to)
}

// mostRequests is how many requests a session may send.
const mostRequests = 1000

// newSession returns a session with a connector's client.
func (s *Service) newSession(
	about connector.Description, values map[string]string, keep func(ctx context.Context, field, value string) error,
) (*remote.Session, error) {
	return remote.NewSession(s.Client(about.Name), about.Fields, values, s.Clock,
		remote.Options{MaxBytes: about.MaxBytes, MaxRequests: mostRequests, KeepReplaced: keep})
}
