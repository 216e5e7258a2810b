package connections

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/credentials"
	"fillbook/internal/intake/fetch"
	"fillbook/internal/intake/jobs"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
)

// Change is a connection change. A new one needs a provider, an account and credentials.
type Change struct {
	Provider journal.Opt[string]
	Account  journal.Opt[journal.AccountID]
	Name     journal.Opt[string]
	// Credentials replace all stored ones.
	Credentials       journal.Opt[map[string]string]
	Since             journal.Opt[journal.Day]
	Schedule          journal.Opt[Schedule]
	AcceptsTradingKey journal.Opt[bool]
}

// apply returns the connection after a change, or the reason why it is invalid.
func (c *Change) apply(to Connection, about connector.Description, now time.Time) (Connection, error) {
	if c.Name.Set {
		name, err := journal.CleanName("name", c.Name.Value)
		if err != nil {
			return to, err
		}
		to.Name = cmp.Or(name, about.Title)
	}
	to.Schedule = c.Schedule.Or(to.Schedule)
	if !slices.Contains([]Schedule{Manual, Hourly, Daily}, to.Schedule) {
		return to, journal.InvalidField("schedule", "schedule must be manual, hourly or daily.")
	}
	if c.AcceptsTradingKey.Set && c.AcceptsTradingKey.Value != to.AcceptsTradingKey {
		to.AcceptsTradingKey = c.AcceptsTradingKey.Value
		to.Revision++
	}
	if c.Since.Set && c.Since.Value != to.Since {
		timing := newTiming(about, now)
		if c.Since.Value > timing.today() {
			return to, journal.InvalidField("since", "since must not be in the future.")
		}
		to.Since = c.Since.Value
		to.limit(timing.earliest(to.Since))
	}
	return to, nil
}

// errUnknownProvider returns the refusal for a connection of a provider this version does
// not have.
func errUnknownProvider(c Connection) error {
	return journal.Conflict("This version has no provider %s. Delete the connection.", c.Provider)
}

// Test signs in with credentials and returns whose they are, what they allow, and the
// newest fill. It stores nothing.
func (s *Service) Test(
	ctx context.Context, owner journal.UserID, provider string, given map[string]string, acceptsTradingKey bool,
) (tested Tested, err error) {
	if !s.Enabled() {
		return Tested{}, remote.Disabled()
	}
	found, values, err := s.parse(provider, given)
	if err != nil {
		return Tested{}, err
	}
	about := found.Describe()
	if about.ReplacesKey {
		return Tested{}, journal.Conflict("%s replaces a key when it is used, so it can't be tried without saving it. Save the connection with a test instead.", about.Title)
	}
	ctx = jobs.WithCaller(ctx, owner)
	who, session, err := s.signIn(ctx, found, values, acceptsTradingKey)
	if err != nil {
		return Tested{}, err
	}
	newest, note, err := s.findNewest(ctx, owner, found, session)
	if err != nil {
		return Tested{}, refuse(about.Title, err)
	}
	if note != "" {
		who.Notes = append(who.Notes, note)
	}
	return Tested{Identity: who, Newest: newest}, nil
}

// parse returns a connector and the credentials it needs.
func (s *Service) parse(provider string, given map[string]string) (connector.Connector, map[string]string, error) {
	found, ok := s.Find(provider)
	if !ok {
		return nil, nil, journal.InvalidField("provider", "provider must be one of GET /connections/providers.")
	}
	about := found.Describe()
	values, err := credentials.Parse(about.Title, about.Fields, given)
	return found, values, err
}

// signIn signs in with credentials and refuses those with too many rights. If the
// provider replaces a value, it is replaced in values.
func (s *Service) signIn(
	ctx context.Context, with connector.Connector, values map[string]string, acceptsTradingKey bool,
) (Identity, *remote.Session, error) {
	about := with.Describe()
	session, err := s.newSession(about, values, func(_ context.Context, field, value string) error {
		values[field] = value
		return nil
	})
	if err != nil {
		return Identity{}, nil, err
	}
	found, err := with.Check(ctx, session)
	if err != nil {
		return Identity{}, nil, refuse(about.Title, err)
	}
	who := newIdentity(found, s.Clock())
	if refusal := checkRights(about, who, acceptsTradingKey); refusal != nil {
		return Identity{}, nil, refusal
	}
	return who, session, nil
}

// checkRights returns the reason why credentials are not used, nil if none.
func checkRights(about connector.Description, who Identity, acceptsTradingKey bool) *journal.Error {
	refusal := journal.InvalidField("credentials", "")
	switch {
	case who.CanWithdraw:
		refusal.Code = "key_can_withdraw"
		refusal.Message = "This key can withdraw money, so Fillbook doesn't use it. Make a key at " + about.Title + " that can only read, and enter it here."
	case who.CanTrade && !acceptsTradingKey:
		refusal.Code = "key_can_trade"
		refusal.Message = "This key can trade. Make a key at " + about.Title + " that can only read, or accept a key that can trade."
	default:
		return nil
	}
	return refusal
}

// refuse returns the refusal for credentials whose check failed.
func refuse(title string, err error) error {
	meaning := explain(title, err)
	switch {
	case meaning.NeedsUser:
		return journal.InvalidField("credentials", "%s", meaning.Cause)
	case meaning.IsLimited:
		refusal := journal.Limited(cmp.Or(meaning.RetryAfter, fetch.LeastPause))
		refusal.Message = meaning.Cause
		return refusal
	}
	refusal := journal.Conflict("%s", meaning.Cause)
	refusal.Code = "provider_unavailable"
	return refusal
}

// explain returns what a connector error means.
func explain(title string, err error) remote.Meaning {
	switch {
	case errors.Is(err, connector.ErrSetup):
		return remote.Meaning{NeedsUser: true, Message: err.Error(), Cause: err.Error()}
	case errors.Is(err, remote.ErrNotFound):
		text := title + " doesn't have the account of this connection. Check the key and the account there." + remote.QuoteWords(err)
		return remote.Meaning{NeedsUser: true, Message: text, Cause: text}
	}
	return remote.Explain(title, err)
}

// Create stores a connection and makes it due, unless it runs only when asked. With test
// it signs in first, and stores nothing if that fails.
func (s *Service) Create(ctx context.Context, by Actor, change Change, test bool) (c Connection, err error) {
	if !s.Enabled() {
		return Connection{}, remote.Disabled()
	}
	found, values, err := s.parse(change.Provider.Value, change.Credentials.Value)
	if err != nil {
		return Connection{}, err
	}
	about, now := found.Describe(), s.Clock()
	c = Connection{
		ID: journal.NewID[journal.ConnectionID](), Provider: about.Name, Account: change.Account.Value, Name: about.Title, Schedule: Daily,
		Environment: environmentOf(about, values), State: fetch.State{Status: StatusWaiting}, CreatedAt: now, UpdatedAt: now, Identity: Identity{Notes: []string{}},
	}
	if c, err = change.apply(c, about, now); err != nil {
		return Connection{}, err
	}
	// An unknown account is refused before the key is used.
	if err := s.DB.View(ctx, func(tx *db.Tx) error { return s.checkNew(ctx, tx, by.UserID, c, values) }); err != nil {
		return Connection{}, err
	}
	if test {
		if c.Identity, _, err = s.signIn(jobs.WithCaller(ctx, by.UserID), found, values, c.AcceptsTradingKey); err != nil {
			return Connection{}, err
		}
	}
	err = s.DB.Update(ctx, func(tx *db.Tx) error {
		if err := s.checkNew(ctx, tx, by.UserID, c, values); err != nil {
			return err
		}
		if err := s.Insert(ctx, tx, by.UserID, &c); err != nil {
			return err
		}
		if err := s.Credentials.Put(ctx, tx, s.Keys, by.UserID, string(c.ID), values); err != nil {
			return err
		}
		if err := s.reschedule(ctx, tx, by.UserID, c); err != nil {
			return err
		}
		connectionHistory.Created(tx, by.UserID, &c)
		if err := s.audit(ctx, tx, by, ActionCreate, c.ID); err != nil {
			return err
		}
		return s.complete(ctx, tx, by.UserID, &c)
	})
	return c, err
}

// environmentOf returns the title of the environment the credentials choose, if the
// provider has several.
func environmentOf(about connector.Description, values map[string]string) string {
	for _, f := range about.Fields {
		for _, choice := range f.Choices {
			if f.Name == "environment" && choice.Value == values[f.Name] {
				return choice.Title
			}
		}
	}
	return ""
}

// checkNew returns the reason why a connection can't be added.
func (s *Service) checkNew(ctx context.Context, tx *db.Tx, owner journal.UserID, c Connection, values map[string]string) error {
	if err := ledger.CheckAccountOwner(ctx, tx, owner, c.Account); err != nil {
		return err
	}
	list, err := ListStored(ctx, tx, owner)
	if err != nil {
		return err
	}
	if len(list) >= limits.Connections.Max {
		return limits.Connections.Reached()
	}
	return s.checkUnique(ctx, tx, owner, list, c, values)
}

// checkUnique returns an error if another connection fetches the same into an account.
func (s *Service) checkUnique(ctx context.Context, tx *db.Tx, owner journal.UserID, list []Connection, c Connection, values map[string]string) error {
	for _, other := range list {
		if other.ID == c.ID || other.Provider != c.Provider || other.Account != c.Account {
			continue
		}
		stored, err := s.Credentials.Load(ctx, tx, s.Keys, owner, string(other.ID))
		if err != nil {
			return err
		}
		if maps.Equal(stored, values) {
			return journal.Conflict("The connection %s has the same key for this account. Change that one instead.", other.Name)
		}
	}
	return nil
}

// reschedule makes a connection due now, or suspends it if it runs only when asked.
func (s *Service) reschedule(ctx context.Context, tx *db.Tx, owner journal.UserID, c Connection) error {
	return s.Schedule(ctx, tx, owner, c.ID, c.Schedule != Manual)
}

func (s *Service) audit(ctx context.Context, tx *db.Tx, by Actor, action identity.Action, id journal.ConnectionID) error {
	return identity.RecordAudit(ctx, tx, identity.NewAuditEvent(s.Clock(), by.Principal, by.Client, action, string(id)))
}

// Update changes a connection. New credentials, and other changes of what is fetched,
// make it due. check may refuse the change; it may be nil.
func (s *Service) Update(ctx context.Context, by Actor, id journal.ConnectionID, change Change, check func(Connection) error) (Connection, error) {
	return s.Change(ctx, by.UserID, id, check, func(tx *db.Tx, stored Connection) (Connection, error) {
		c, err := s.change(ctx, tx, by.UserID, stored, change)
		if err != nil {
			return stored, err
		}
		connectionHistory.Updated(tx, by.UserID, &stored, &c)
		if change.Credentials.Set {
			history.Describe(tx, by.UserID, history.Description{Action: history.Security})
			history.Record(tx, by.UserID, history.Object{
				Type: "connection", ID: string(id), Label: c.Name, Action: history.Updated, Account: c.Account,
				Fields: []history.Field{history.NewField("credentials", nil, "replaced")},
			})
		}
		return c, s.audit(ctx, tx, by, ActionChange, id)
	})
}

// change applies a change to a stored connection and makes it due if needed.
func (s *Service) change(ctx context.Context, tx *db.Tx, owner journal.UserID, stored Connection, change Change) (c Connection, err error) {
	found, known := s.Find(stored.Provider)
	switch {
	case !known:
		return stored, errUnknownProvider(stored)
	case change.Provider.Set && change.Provider.Value != stored.Provider:
		return stored, journal.InvalidField("provider", "The provider of a connection can't be changed. Add another connection.")
	case change.Account.Set && change.Account.Value != stored.Account:
		return stored, journal.InvalidField("account_id", "The account of a connection can't be changed. Add another connection.")
	}
	if c, err = change.apply(stored, found.Describe(), s.Clock()); err != nil {
		return stored, err
	}
	if change.Credentials.Set {
		if err := s.replaceCredentials(ctx, tx, owner, &c, change.Credentials.Value); err != nil {
			return stored, err
		}
	}
	c.UpdatedAt = s.Clock()
	isDue := c.Revision != stored.Revision
	if isDue {
		c.Status, c.Message = StatusWaiting, ""
	}
	if isDue || c.Schedule != stored.Schedule && c.Status != StatusAttention && c.Status != StatusFailed {
		err = s.reschedule(ctx, tx, owner, c)
	}
	return c, err
}

// replaceCredentials stores credentials the user has entered again.
func (s *Service) replaceCredentials(ctx context.Context, tx *db.Tx, owner journal.UserID, c *Connection, given map[string]string) error {
	found, values, err := s.parse(c.Provider, given)
	if err != nil {
		return err
	}
	list, err := ListStored(ctx, tx, owner)
	if err != nil {
		return err
	}
	if err := s.checkUnique(ctx, tx, owner, list, *c, values); err != nil {
		return err
	}
	c.Environment = environmentOf(found.Describe(), values)
	c.Revision++
	return s.Credentials.Put(ctx, tx, s.Keys, owner, string(c.ID), values)
}

// Delete deletes a connection with its credentials. What it fetched stays.
func (s *Service) Delete(ctx context.Context, by Actor, id journal.ConnectionID, check func(Connection) error) error {
	return s.Service.Delete(ctx, by.UserID, id, check, func(tx *db.Tx) error {
		c, err := s.Read(ctx, tx, by.UserID, id, "")
		if err != nil {
			return err
		}
		connectionHistory.Deleted(tx, by.UserID, &c)
		if err := keepConnection(ctx, tx, by.UserID, id); err != nil {
			return err
		}
		return s.audit(ctx, tx, by, ActionDelete, id)
	})
}

// Start makes a connection due now and returns the run that begins. If one has begun or
// is due already, that one is returned.
func (s *Service) Start(ctx context.Context, owner journal.UserID, id journal.ConnectionID) (run Run, err error) {
	if !s.Enabled() {
		return Run{}, remote.Disabled()
	}
	err = s.DB.Update(ctx, func(tx *db.Tx) error {
		c, err := s.Read(ctx, tx, owner, id, tx.Lock())
		if err != nil {
			return err
		}
		if _, known := s.Find(c.Provider); !known {
			return errUnknownProvider(c)
		}
		run, err = s.start(ctx, tx, owner, id)
		return err
	})
	return run, err
}

func (s *Service) start(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ConnectionID) (Run, error) {
	now := s.Clock()
	state, err := jobs.Load(ctx, tx, s.JobKey(owner, id), now)
	if err != nil {
		return Run{}, err
	}
	if state.Running {
		open, err := lastRun(ctx, tx, owner, id, ` AND t.ended_at IS NULL`)
		if err != nil || open != nil {
			return valueOf(open), err
		}
	}
	next := Run{ID: journal.ConnectionRunID(state.Request), Connection: id, Run: fetch.Run{StartedAt: now, Outcome: StatusRunning}}
	if next.ID != "" {
		return next, nil
	}
	last, err := lastRun(ctx, tx, owner, id, ` AND t.requests > 0`)
	if err != nil {
		return Run{}, err
	}
	if last != nil && now.Sub(last.StartedAt) < fetch.LeastPause {
		return Run{}, journal.Limited(fetch.LeastPause - now.Sub(last.StartedAt))
	}
	next.ID = journal.NewID[journal.ConnectionRunID]()
	tx.AfterCommit(s.Wake)
	return next, jobs.Schedule(ctx, tx, s.JobKey(owner, id), now, string(next.ID))
}

func valueOf(r *Run) (value Run) {
	if r != nil {
		value = *r
	}
	return value
}

var connectionHistory = history.NewType("connection", fields.List[Connection]{
	fields.NewText("provider", func(c *Connection) *string { return &c.Provider }),
	fields.NewText("account_id", func(c *Connection) *journal.AccountID { return &c.Account }),
	fields.NewText("name", func(c *Connection) *string { return &c.Name }),
	fields.NewText("schedule", func(c *Connection) *Schedule { return &c.Schedule }),
	fields.NewText("since", func(c *Connection) *journal.Day { return &c.Since }),
	fields.NewFlag("accept_trading_key", func(c *Connection) *bool { return &c.AcceptsTradingKey }),
}, history.Of[Connection]{
	ID: func(c *Connection) string { return string(c.ID) }, Label: func(c *Connection) string { return c.Name },
	Account: func(c *Connection) *journal.AccountID { return &c.Account },
})
