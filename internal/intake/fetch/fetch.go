// Package fetch is the common part in connections to brokers and price sources. Both are
// stored records with a provider and a user's credentials. A job runs them: it fetches,
// and leaves a run record.
package fetch

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/outbound"
	"fillbook/internal/base/remote"
	"fillbook/internal/base/secrets"
	"fillbook/internal/intake/credentials"
	"fillbook/internal/intake/jobs"
)

// Status is a record's state or a run's outcome.
type Status string

// The states of records and the run outcomes.
const (
	// StatusOK: the last run fetched everything.
	StatusOK Status = "ok"
	// StatusRunning: a run has begun. It is never stored in a record.
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

// State is what runs change in a record.
type State struct {
	// Status and Message are those of the last run.
	Status    Status
	Message   string
	LastRunAt *time.Time

	// NextRunAt is nil if the record runs only when asked. Like HasCredentials, it is not
	// stored here.
	NextRunAt *time.Time
	// HasCredentials reports whether all credentials the provider needs are stored.
	HasCredentials bool
}

// Run is the common part of a run's record.
type Run struct {
	StartedAt time.Time
	EndedAt   *time.Time
	Outcome   Status
	// Requests counts the requests to the provider.
	Requests int
	Message  string
}

// Kind describes a kind of records T with ids ID, and their runs R.
type Kind[ID ~string, T, R any] struct {
	// JobKind is the kind of their jobs.
	JobKind string
	// Noun is the record in messages.
	Noun string
	// Records and Runs are their tables. RunOf is the column of Runs with the record's id.
	Records *fields.Table[T]
	Runs    *fields.Table[R]
	RunOf   string
	// MaxRuns is how many runs of a record are kept, and MaxAge how long; 0 for no limit.
	MaxRuns int
	MaxAge  time.Duration
	// Credentials stores the credentials.
	Credentials credentials.Store
	// StateOf and RunIn return the common parts.
	StateOf func(*T) *State
	RunIn   func(*R) *Run
	// IsAllowed reports whether the context may see a record; nil if it always may.
	IsAllowed func(context.Context, *T) bool
}

// JobKey returns the key of a record's job.
func (k *Kind[ID, T, R]) JobKey(owner journal.UserID, id ID) jobs.Key {
	return jobs.Key{Owner: owner, Kind: k.JobKind, ID: string(id)}
}

// ListStored returns an owner's records that fulfill a condition on the table t, in an
// order: "AND t.name = $2 ORDER BY t.id". It is a step.
func (k *Kind[ID, T, R]) ListStored(ctx context.Context, tx *db.Tx, owner journal.UserID, condition string, values ...any) ([]T, error) {
	list, err := db.List(ctx, tx, scanInto(k.Records), k.Records.Select("t")+` WHERE t.user_id = $1 `+condition, append([]any{owner}, values...)...)
	return slices.DeleteFunc(list, func(record T) bool { return k.IsAllowed != nil && !k.IsAllowed(ctx, &record) }), err
}

func scanInto[T any](table *fields.Table[T]) func(db.Scanner) (T, error) {
	return func(row db.Scanner) (record T, err error) {
		err = table.Scan(row, &record)
		return record, err
	}
}

// Read reads a record. One the context may not see is not found. It is a step.
func (k *Kind[ID, T, R]) Read(ctx context.Context, tx *db.Tx, owner journal.UserID, id ID, lock string) (none T, err error) {
	record, err := scanInto(k.Records)(tx.QueryRow(ctx, k.Records.Select("t")+` WHERE t.user_id = $1 AND t.id = $2`+lock, owner, id))
	if errors.Is(err, db.ErrNoRows) || err == nil && k.IsAllowed != nil && !k.IsAllowed(ctx, &record) {
		return none, journal.NotFound(k.Noun)
	}
	return record, err
}

// Insert stores a new record. It is a step.
func (k *Kind[ID, T, R]) Insert(ctx context.Context, tx *db.Tx, owner journal.UserID, record *T) error {
	_, err := tx.Exec(ctx, k.Records.Insert(), k.Records.Values(owner, record)...)
	return err
}

// Store stores a changed record. It is a step.
func (k *Kind[ID, T, R]) Store(ctx context.Context, tx *db.Tx, owner journal.UserID, record *T) error {
	_, err := tx.Exec(ctx, k.Records.Update(), k.Records.UpdateValues(owner, record)...)
	return err
}

// StoreRun stores a changed run. It is a step.
func (k *Kind[ID, T, R]) StoreRun(ctx context.Context, tx *db.Tx, owner journal.UserID, run *R) error {
	_, err := tx.Exec(ctx, k.Runs.Update(), k.Runs.UpdateValues(owner, run)...)
	return err
}

// ListRuns returns a record's runs that fulfill a condition on the table t, the newest
// first, at most some. It is a step.
func (k *Kind[ID, T, R]) ListRuns(ctx context.Context, tx *db.Tx, owner journal.UserID, id ID, condition string, most int) ([]R, error) {
	return db.List(ctx, tx, scanInto(k.Runs), k.Runs.Select("t")+` WHERE t.user_id = $1 AND t.`+k.RunOf+` = $2`+condition+
		` ORDER BY t.started_at DESC, t.id DESC`+db.Limit(3), owner, id, most)
}

// Remove deletes a record with its runs and its job. It is a step.
func (k *Kind[ID, T, R]) Remove(ctx context.Context, tx *db.Tx, owner journal.UserID, id ID) error {
	for _, statement := range []string{
		`DELETE FROM ` + k.Runs.Name + ` WHERE user_id = $1 AND ` + k.RunOf + ` = $2`,
		`DELETE FROM ` + k.Records.Name + ` WHERE user_id = $1 AND id = $2`,
	} {
		if _, err := tx.Exec(ctx, statement, owner, id); err != nil {
			return err
		}
	}
	return jobs.Delete(ctx, tx, k.JobKey(owner, id))
}

// Restoration is how records in a backup are restored.
type Restoration[T any] struct {
	// Check returns a record as it is stored, or the reason why it is invalid.
	Check func(T) (T, error)
	// KeyOf returns what is unique for each record. Those that are Stored are left out.
	KeyOf  func(*T) string
	Stored []T
	// Room is how many can be added, and Full the refusal for the others.
	Room int
	Full func() error
	// Added is called with each added record.
	Added func(*T)
}

// Restore adds records in a backup. The refusals are those of single records; the others
// are restored. It is a step.
func (k *Kind[ID, T, R]) Restore(ctx context.Context, tx *db.Tx, owner journal.UserID, list []T, r Restoration[T]) (added int, refusals []error, err error) {
	taken := map[string]bool{}
	for i := range r.Stored {
		taken[r.KeyOf(&r.Stored[i])] = true
	}
	refusals = make([]error, len(list))
	for i, given := range list {
		record, err := r.Check(given)
		switch {
		case err != nil:
			refusals[i] = err
		case taken[r.KeyOf(&record)]:
		case added >= r.Room:
			refusals[i] = r.Full()
		default:
			taken[r.KeyOf(&record)] = true
			added++
			if err := k.Insert(ctx, tx, owner, &record); err != nil {
				return added, nil, err
			}
			r.Added(&record)
		}
	}
	return added, refusals, nil
}

// Options configure a [Service].
type Options struct {
	DB      *db.DB
	Keys    *secrets.Keys
	Clock   journal.Clock
	Log     *slog.Logger
	Network *outbound.Network
	// Wake is called after a record was made due; it may be nil.
	Wake func()
}

// Service stores records of a kind and runs them. P is a provider's client.
type Service[ID ~string, T, R, P any] struct {
	Options
	*Kind[ID, T, R]
	// Providers are those users can choose.
	Providers []P

	clients map[string]remote.Doer
	nameOf  func(P) string
	// complete adds to a stored record what API clients see.
	complete func(ctx context.Context, tx *db.Tx, owner journal.UserID, record *T) error
}

// NewService returns a Service. connect returns the name of a provider and what sends its
// requests, and complete adds to a stored record what API clients see.
func NewService[ID ~string, T, R, P any](
	options Options, kind *Kind[ID, T, R], providers []P, nameOf func(P) string, connect func(P) remote.Doer,
	complete func(ctx context.Context, tx *db.Tx, owner journal.UserID, record *T) error,
) *Service[ID, T, R, P] {
	s := &Service[ID, T, R, P]{
		Options: options, Kind: kind, Providers: providers, clients: map[string]remote.Doer{}, nameOf: nameOf, complete: complete,
	}
	if s.Wake == nil {
		s.Wake = func() {}
	}
	for _, p := range providers {
		s.clients[nameOf(p)] = connect(p)
	}
	return s
}

// Enabled reports whether the server may send requests to providers.
func (s *Service[ID, T, R, P]) Enabled() bool { return s.Network.Enabled() }

// Client returns what sends the requests to a provider.
func (s *Service[ID, T, R, P]) Client(name string) remote.Doer { return s.clients[name] }

// Find returns the provider with a name.
func (s *Service[ID, T, R, P]) Find(name string) (found P, known bool) {
	i := slices.IndexFunc(s.Providers, func(p P) bool { return s.nameOf(p) == name })
	if i < 0 {
		return found, false
	}
	return s.Providers[i], true
}

// ListShown returns an owner's records as API clients see them, in an order of the table
// t.
func (s *Service[ID, T, R, P]) ListShown(ctx context.Context, owner journal.UserID, order string) (list []T, err error) {
	err = s.DB.View(ctx, func(tx *db.Tx) error {
		if list, err = s.ListStored(ctx, tx, owner, "ORDER BY "+order); err != nil {
			return err
		}
		for i := range list {
			if err := s.complete(ctx, tx, owner, &list[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return list, err
}

// Get returns one record as API clients see it.
func (s *Service[ID, T, R, P]) Get(ctx context.Context, owner journal.UserID, id ID) (record T, err error) {
	err = s.DB.View(ctx, func(tx *db.Tx) error {
		if record, err = s.Read(ctx, tx, owner, id, ""); err != nil {
			return err
		}
		return s.complete(ctx, tx, owner, &record)
	})
	return record, err
}

// RunsOf returns a record's runs, the newest first.
func (s *Service[ID, T, R, P]) RunsOf(ctx context.Context, owner journal.UserID, id ID) (list []R, err error) {
	err = s.DB.View(ctx, func(tx *db.Tx) error {
		if _, err := s.Read(ctx, tx, owner, id, ""); err != nil {
			return err
		}
		list, err = s.ListRuns(ctx, tx, owner, id, "", math.MaxInt32)
		return err
	})
	return list, err
}

// CompleteState adds to a record's state what its job says. It is a step.
func (s *Service[ID, T, R, P]) CompleteState(ctx context.Context, tx *db.Tx, owner journal.UserID, id ID, state *State) error {
	job, err := jobs.Load(ctx, tx, s.JobKey(owner, id), s.Clock())
	if state.NextRunAt = job.DueAt; !s.Enabled() {
		state.NextRunAt = nil
	} else if job.Running {
		state.Status, state.Message = StatusRunning, ""
	}
	return err
}

// Schedule makes a record due now if it runs by itself, and suspends it otherwise. It is
// a step.
func (s *Service[ID, T, R, P]) Schedule(ctx context.Context, tx *db.Tx, owner journal.UserID, id ID, runsByItself bool) error {
	if !runsByItself {
		return jobs.Suspend(ctx, tx, s.JobKey(owner, id))
	}
	tx.AfterCommit(s.Wake)
	return jobs.Schedule(ctx, tx, s.JobKey(owner, id), s.Clock(), "")
}

// lock reads and locks a record and calls check with it as clients see it. check may
// refuse it; it may be nil.
func (s *Service[ID, T, R, P]) lock(ctx context.Context, tx *db.Tx, owner journal.UserID, id ID, check func(T) error) (T, error) {
	stored, err := s.Read(ctx, tx, owner, id, tx.Lock())
	if err != nil || check == nil {
		return stored, err
	}
	shown := stored
	if err := s.complete(ctx, tx, owner, &shown); err != nil {
		return stored, err
	}
	return stored, check(shown)
}

// Change changes a record as a function says, which may change more in the transaction,
// and returns it as API clients see it. check may refuse the change; it may be nil.
func (s *Service[ID, T, R, P]) Change(
	ctx context.Context, owner journal.UserID, id ID, check func(T) error, change func(tx *db.Tx, stored T) (T, error),
) (changed T, err error) {
	err = s.DB.Update(ctx, func(tx *db.Tx) error {
		stored, err := s.lock(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		if changed, err = change(tx, stored); err != nil {
			return err
		}
		if err := s.Store(ctx, tx, owner, &changed); err != nil {
			return err
		}
		return s.complete(ctx, tx, owner, &changed)
	})
	return changed, err
}

// Delete deletes a record and calls a function in the same transaction. check may refuse
// it; it may be nil.
func (s *Service[ID, T, R, P]) Delete(ctx context.Context, owner journal.UserID, id ID, check func(T) error, also func(tx *db.Tx) error) error {
	return s.DB.Update(ctx, func(tx *db.Tx) error {
		if _, err := s.lock(ctx, tx, owner, id, check); err != nil {
			return err
		}
		if err := also(tx); err != nil {
			return err
		}
		return s.Remove(ctx, tx, owner, id)
	})
}
