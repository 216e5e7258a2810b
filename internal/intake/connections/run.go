package connections

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/credentials"
	"fillbook/internal/intake/fetch"
	"fillbook/internal/intake/jobs"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/ledger"
)

// The limits for a run.
const (
	// queryTime is the longest query period.
	queryTime = 15 * time.Minute
	// maxUnsaved is how many empty deliveries are fetched before the progress is stored.
	maxUnsaved = 20
	// maxMessage is the most characters in a message.
	maxMessage = 1000
	// maxSkew is the difference between the clocks of the broker and of this server above
	// which the message names it.
	maxSkew = 30 * time.Second
)

// errChanged ends a run whose connection has been changed meanwhile. The next one begins
// with the change.
var errChanged = errors.New("the connection has been changed")

// run is a connection run.
type run struct {
	*Service
	job    jobs.Job
	record Run
	// stored is the connection as the run has read it. Its Progress and Identity are
	// those the next transaction stores.
	stored      Connection
	connector   connector.Connector
	about       connector.Description
	timing      timing
	credentials map[string]string
	session     *remote.Session
	currency    string
	symbols     []string
	messages    []string
	unsaved     int
	// knownTo is the end of the covered time when the pass began; nil if there was none.
	knownTo *time.Time
	// listed are the ids in the present window's deliveries; nil if some of them are not
	// known.
	listed map[string]bool
}

// Run implements [jobs.Handler].
func (s *Service) Run(ctx context.Context, job jobs.Job) error {
	return fetch.Execute(ctx, job, &run{Service: s, job: job})
}

// LogUnexpected implements fetch.Runner.
func (r *run) LogUnexpected(err error) {
	if !isExpected(err) {
		r.Log.Warn("fetching from a broker failed", "provider", r.about.Name, "connection", r.stored.ID, "error", err)
	}
}

// isExpected reports whether an error is a condition the connection's state shows.
func isExpected(err error) bool { return fetch.IsExpected(err, errChanged, connector.ErrSetup) }

// Begin implements fetch.Runner.
func (r *run) Begin(ctx context.Context) error {
	return r.DB.Update(ctx, func(tx *db.Tx) (err error) {
		if r.stored, err = r.Hold(ctx, tx, r.job); err != nil {
			return err
		}
		if err := r.load(ctx, tx); err != nil {
			return err
		}
		r.record = Run{
			ID: journal.NewID[journal.ConnectionRunID](), Connection: r.stored.ID, Run: fetch.Run{StartedAt: r.Clock(), Outcome: StatusRunning},
		}
		if asked := journal.ConnectionRunID(r.job.Request); asked != "" && !isKnownRun(ctx, tx, r.job.Owner, asked) {
			r.record.ID = asked
		}
		return r.BeginRun(ctx, tx, r.job, "The server stopped during the run. Fillbook continues with the next one.", &r.record)
	})
}

// isKnownRun reports whether a run has begun before: the server stopped during it.
func isKnownRun(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ConnectionRunID) bool {
	var one int
	return tx.QueryRow(ctx, `SELECT 1 FROM connection_runs WHERE user_id = $1 AND id = $2`, owner, id).Scan(&one) == nil
}

// load finds the connector, the credentials and the account.
func (r *run) load(ctx context.Context, tx *db.Tx) (err error) {
	found, known := r.Find(r.stored.Provider)
	if !known {
		return nil // fetchAll says so
	}
	r.connector, r.about = found, found.Describe()
	r.timing = newTiming(r.about, r.Clock())
	if r.credentials, err = r.Credentials.Load(ctx, tx, r.Keys, r.job.Owner, string(r.stored.ID)); err != nil {
		return fmt.Errorf("opening the credentials of connection %s: %w", r.stored.ID, err)
	}
	own := journal.LimitAccounts(ctx, []journal.AccountID{r.stored.Account})
	accounts, err := ledger.Accounts(own, tx, r.job.Owner)
	if err != nil {
		return fmt.Errorf("reading the account of connection %s: %w", r.stored.ID, err)
	}
	r.currency = accounts[0].BaseCurrency
	traded, err := ledger.ReadSymbols(own, tx, r.job.Owner)
	r.symbols = traded.Symbols
	return err
}

// Fetch implements fetch.Runner. It checks the credentials and fetches windows until the
// pass is complete or an error stops the run.
func (r *run) Fetch(ctx context.Context) (err error) {
	switch {
	case r.connector == nil:
		return errUnknownProvider(r.stored)
	case r.credentials == nil && credentials.AreNeeded(r.about.Fields):
		return connector.SetupError("The key of %s is missing. Enter it again.", r.about.Title)
	case r.isUpToDate():
		return nil
	}
	if r.session, err = r.newSession(r.about, r.credentials, r.keepReplaced); err != nil {
		return err
	}
	if err := r.check(ctx); err != nil {
		return err
	}
	if lost := r.timing.begin(&r.stored.Progress, r.stored.Since); lost != "" {
		r.addMessages([]string{fmt.Sprintf("%s no longer has the records of %s. Import a file for that time.", r.about.Title, lost)})
	}
	r.knownTo = r.stored.CoversTo
	for end := r.timing.end(); r.stored.Position.Before(end); {
		if r.session.Requests() >= fetch.MaxRequests || r.Clock().Sub(r.record.StartedAt) >= fetch.MaxTime {
			return fetch.ErrEnough
		}
		if err := r.fetchWindow(ctx, end); err != nil {
			return err
		}
	}
	r.timing.endPass(&r.stored.Progress)
	return nil
}

// isUpToDate reports whether a broker of whole days has no new one since the last pass.
func (r *run) isUpToDate() bool {
	p := r.stored.Progress
	return r.about.WholeDays && r.job.Request == "" && r.stored.Status == StatusOK && p.Position == nil && p.CoversTo != nil &&
		!r.timing.isDeep(p) && !p.CoversTo.Before(r.timing.end())
}

// check signs in, and stops the run if the credentials belong to another account or allow
// too much.
func (r *run) check(ctx context.Context) error {
	found, err := r.connector.Check(ctx, r.session)
	if err != nil {
		return err
	}
	before := r.stored.Identity
	switch {
	case found.Account == "": // it does not show in every answer
		found.Account, found.Name = before.Account, before.Name
	case before.Account != "" && before.Account != found.Account:
		return connector.SetupError("The key is of account %s, and this connection has fetched account %s. Enter a key of that account, or add another connection.",
			found.Account, before.Account)
	}
	r.stored.Identity = newIdentity(found, r.Clock())
	if refusal := checkRights(r.about, r.stored.Identity, r.stored.AcceptsTradingKey); refusal != nil {
		return refusal
	}
	return nil
}

// fetchWindow fetches a window, or the next part of it, and stores what arrived.
func (r *run) fetchWindow(ctx context.Context, end time.Time) error {
	p := &r.stored.Progress
	query := connector.Query{
		From: *p.Position, To: r.timing.windowEnd(*p.Position, end), State: p.State, IsContinued: p.WindowTo != nil, Symbols: r.symbols,
		Currency: r.currency,
	}
	if p.WindowTo != nil {
		query.To = *p.WindowTo
	}
	if p.WindowTo == nil {
		r.listed = map[string]bool{}
	}
	limited, cancel := context.WithTimeout(ctx, queryTime)
	defer cancel()
	delivery, err := r.connector.Fetch(limited, r.session, query)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err() // nothing can be stored
	}
	if delivery.File != nil {
		if delivery.Statement, err = r.imports.Read(ctx, r.job.Owner, r.stored.Account, delivery.FileName, delivery.File); err != nil {
			return err
		}
	}
	r.addMessages(delivery.Messages)
	r.noteListed(delivery)
	if err := r.store(ctx, query, delivery); err != nil {
		return err
	}
	if delivery.IsPartial {
		return delivery.Stopped
	}
	return r.findMissing(ctx, query, delivery)
}

// addMessages adds sentences for the user, each once.
func (r *run) addMessages(list []string) {
	for _, text := range list {
		if !slices.Contains(r.messages, text) {
			r.messages = append(r.messages, text)
		}
	}
}

// store stores a delivery together with the progress, in one transaction. If it is empty,
// the progress is stored later.
func (r *run) store(ctx context.Context, query connector.Query, delivery connector.Delivery) error {
	record, progress := r.record, r.stored.Progress
	if record.FetchedFrom == nil {
		record.FetchedFrom = &query.From
	}
	progress.State = delivery.State
	if delivery.IsPartial {
		progress.WindowTo = &query.To
	} else {
		from, to := delivery.Covered(query)
		progress.complete(query.To, from, to)
		record.FetchedTo = &query.To
	}
	left := dropBefore(delivery.Statement, r.timing.startOf(r.stored.Since))
	if r.unsaved++; isEmpty(left, delivery) && r.unsaved < maxUnsaved {
		r.record, r.stored.Progress = record, progress
		return nil
	}
	err := r.commit(ctx, len(left.Fills)+len(left.Cash), func(tx *db.Tx, c *Connection) error {
		c.Progress = progress
		return r.deliver(ctx, tx, &record, left, delivery)
	}, &record)
	if err == nil {
		r.record, r.stored.Progress, r.unsaved = record, progress, 0
	}
	return err
}

// isEmpty reports whether there is nothing to import.
func isEmpty(st *statement.Statement, d connector.Delivery) bool {
	return len(st.Fills) == 0 && len(st.Cash) == 0 && len(st.Problems) == 0 && len(d.Withdrawn) == 0 && len(d.Replaced) == 0
}

// ReasonBeforeSince is why records before the first day of a connection are skipped.
const ReasonBeforeSince = "before the first day of the connection"

// dropBefore returns a statement in which the fills and the cash before a time are skipped
// rows.
func dropBefore(st *statement.Statement, first time.Time) *statement.Statement {
	left := *st
	left.Fills, left.Cash, left.Skipped = nil, nil, slices.Clone(st.Skipped)
	for _, f := range st.Fills {
		if f.At.Before(first) {
			left.Skipped = append(left.Skipped, statement.Skip{Row: f.Row, Reason: ReasonBeforeSince})
			continue
		}
		left.Fills = append(left.Fills, f)
	}
	for _, c := range st.Cash {
		if c.At.Before(first) {
			left.Skipped = append(left.Skipped, statement.Skip{Row: c.Row, Reason: ReasonBeforeSince})
			continue
		}
		left.Cash = append(left.Cash, c)
	}
	return &left
}

// deliver imports a delivery and adds its counts to the run's record.
func (r *run) deliver(ctx context.Context, tx *db.Tx, record *Run, st *statement.Statement, d connector.Delivery) error {
	if isEmpty(st, d) {
		return nil
	}
	result, err := r.imports.Deliver(ctx, tx, r.job.Owner, Delivery{
		Connection: r.stored.ID, Account: r.stored.Account, Batch: r.record.Batch, Statement: st, Withdrawn: d.Withdrawn, Replaced: d.Replaced,
	})
	if err != nil {
		return err
	}
	record.Inserted = r.record.Inserted + result.Inserted
	record.Skipped = r.record.Skipped + result.Skipped
	record.Completed = r.record.Completed + result.Completed
	record.Withdrawn = r.record.Withdrawn + result.Withdrawn
	record.CashInserted = r.record.CashInserted + result.CashInserted
	record.Problems = r.record.Problems + result.Problems
	record.Batch = result.Batch
	return nil
}

// longRows is the number of fills and cash rows from which a delivery is stored in parts,
// so other users do not wait for it.
const longRows = 2000

// commit stores a connection change, with some rows, and the run's record. It fails if
// the job was claimed again, or if the user has changed what is fetched.
func (r *run) commit(ctx context.Context, rows int, change func(tx *db.Tx, c *Connection) error, record *Run) error {
	transact := r.DB.Update
	if rows >= longRows {
		transact = func(ctx context.Context, fn func(*db.Tx) error) error {
			return r.DB.UpdateInParts(ctx, int64(r.job.Owner), fn)
		}
	}
	err := transact(ctx, func(tx *db.Tx) error {
		c, err := r.Hold(ctx, tx, r.job)
		if err != nil {
			return err
		}
		if c.Revision != r.stored.Revision {
			return errChanged
		}
		history.Describe(tx, r.job.Owner, history.Description{Actor: &history.Actor{Kind: history.ByConnection, ID: string(c.ID), Name: c.Name}})
		c.Identity = r.stored.Identity
		if err := change(tx, &c); err != nil {
			return err
		}
		if err := r.Store(ctx, tx, r.job.Owner, &c); err != nil {
			return err
		}
		record.Requests = r.session.Requests()
		return r.StoreRun(ctx, tx, r.job.Owner, record)
	})
	if err == nil || isExpected(err) {
		return err
	}
	return fetch.StoreError(err)
}

// keepReplaced stores a credential the broker has replaced. Only credentials the user has
// entered meanwhile are not replaced. It does not need the job: the broker no longer
// accepts the old value, also from the server that runs the job now.
func (r *run) keepReplaced(ctx context.Context, field, value string) error {
	before := r.credentials[field]
	err := r.DB.Update(ctx, func(tx *db.Tx) error {
		if _, err := r.Read(ctx, tx, r.job.Owner, r.stored.ID, tx.Lock()); err != nil {
			return err
		}
		now, err := r.Credentials.Load(ctx, tx, r.Keys, r.job.Owner, string(r.stored.ID))
		if err != nil {
			return err
		}
		if now[field] != before {
			return errChanged
		}
		now[field] = value
		return r.Credentials.Put(ctx, tx, r.Keys, r.job.Owner, string(r.stored.ID), now)
	})
	switch {
	case err == nil:
		r.credentials[field] = value
		return nil
	case errors.Is(err, errChanged):
		return err
	}
	return fetch.StoreError(err)
}

// End implements fetch.Runner.
func (r *run) End(ctx context.Context, cause error) error {
	requests := 0
	if r.session != nil {
		requests = r.session.Requests()
	}
	return r.EndRun(ctx, r.job, &r.record, requests, func(tx *db.Tx, c *Connection, now time.Time) fetch.Verdict {
		v := r.judge(cause, now, *c)
		if c.Revision == r.stored.Revision {
			c.Progress, c.Identity = r.stored.Progress, r.stored.Identity
			if v.Status == StatusAttention && c.Status != StatusAttention && r.NeedsAttention != nil {
				v.Err = r.NeedsAttention(ctx, tx, r.job.Owner, *c)
			}
			c.Status, c.Message = v.Status, v.Message
		}
		tx.AfterCommit(func() {
			r.Observe(Observation{Provider: c.Provider, Outcome: v.Status, Requests: requests, EndedAt: now})
		})
		return v
	})
}

// judge decides what a run's error means. c is the connection as it is now.
func (r *run) judge(err error, now time.Time, c Connection) fetch.Verdict {
	var refusal *journal.Error
	switch {
	case c.Revision != r.stored.Revision && c.Schedule == Manual:
		return fetch.Verdict{Status: StatusWaiting}
	case c.Revision != r.stored.Revision:
		return fetch.NewWaiting("", now)
	case err == nil:
		timing := newTiming(r.about, now)
		return fetch.Verdict{Status: StatusOK, Message: r.describe(""), Outcome: jobs.Outcome{Next: timing.next(c.Schedule, c.ID)}}
	case errors.Is(err, fetch.ErrEnough):
		return fetch.NewWaiting(r.describe("The rest follows at once."), now)
	case errors.As(err, &refusal) && refusal.Kind != journal.KindUnavailable:
		return fetch.NewAttention(r.describe(refusal.Message))
	}
	meaning := explain(r.about.Title, err)
	if refusal != nil {
		meaning = remote.Meaning{Message: "This server is busy. Fillbook tries again later."}
	}
	if meaning.NeedsUser {
		return fetch.NewAttention(r.describe(meaning.Message))
	}
	if r.record.FetchedFrom != nil { // it answered before it failed
		r.job.Failures, r.job.FailingSince = 0, nil
	}
	var uncertain *connector.UncertainError
	if since := r.job.FailingSince; errors.As(err, &uncertain) && since != nil && now.Sub(*since) >= uncertain.Patience {
		return fetch.NewAttention(r.describe(uncertain.Advice + remote.QuoteWords(err)))
	}
	after := meaning.RetryAfter
	if after > 0 {
		after = max(after, time.Minute)
	}
	return fetch.NewFailure(r.job, now, r.about.Title, meaning.Message, after, r.describe)
}

// describe returns a run's message: how it ended, the difference of the clocks and what
// the broker's records lack.
func (r *run) describe(ended string) string {
	var sentences []string
	if ended != "" {
		sentences = append(sentences, ended)
	}
	if r.session != nil {
		if skew := r.session.ClockOffset().Abs().Round(time.Second); skew > maxSkew {
			sentences = append(sentences, fmt.Sprintf("The clocks of this server and of %s differ by %s. Correct the clock of this server.", r.about.Title, skew))
		}
	}
	return fetch.Shorten(strings.Join(append(sentences, r.messages...), " "), maxMessage)
}

// RecordFailure implements [jobs.Handler].
func (s *Service) RecordFailure(ctx context.Context, tx *db.Tx, job jobs.Job, next time.Time) (*time.Time, error) {
	again, c, err := s.RecordFailed(ctx, tx, job, next, func(*Connection) string { return "" })
	if err == nil {
		tx.AfterCommit(func() { s.Observe(Observation{Provider: c.Provider, Outcome: c.Status, EndedAt: *c.LastRunAt}) })
	}
	return again, err
}

// MoveBack makes a connection fetch again what an import of it had brought. It is a step
// of the reversal of that import.
func MoveBack(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ConnectionID, batch journal.BatchID) error {
	c, err := kind.Read(ctx, tx, owner, id, tx.Lock())
	if journal.IsKind(err, journal.KindNotFound) {
		return nil // deleted
	}
	if err != nil {
		return err
	}
	var from *time.Time
	err = tx.QueryRow(ctx, `SELECT MIN(fetched_from) FROM connection_runs WHERE user_id = $1 AND connection_id = $2 AND batch_id = $3`,
		owner, id, batch).Scan(db.NullInstant(&from))
	if err != nil {
		return err
	}
	c.moveBack(from)
	return kind.Store(ctx, tx, owner, &c)
}
