package connections

import (
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/credentials"
	"fillbook/internal/intake/fetch"
)

var connectionTable = fields.New("connections",
	fields.List[Connection]{fields.NewID("id", func(c *Connection) *journal.ConnectionID { return &c.ID })},
	fields.List[Connection]{
		fields.NewText("provider", func(c *Connection) *string { return &c.Provider }).Freeze(),
		fields.NewText("account_id", func(c *Connection) *journal.AccountID { return &c.Account }).Freeze(),
		fields.NewText("name", func(c *Connection) *string { return &c.Name }),
		fields.NewText("schedule", func(c *Connection) *Schedule { return &c.Schedule }),
		fields.NewText("since", func(c *Connection) *journal.Day { return &c.Since }),
		fields.NewFlag("accepts_trading_key", func(c *Connection) *bool { return &c.AcceptsTradingKey }),
		fields.NewText("environment", func(c *Connection) *string { return &c.Environment }),
		fields.NewText("status", func(c *Connection) *Status { return &c.Status }),
		fields.NewText("message", func(c *Connection) *string { return &c.Message }),
		fields.NewText("broker_account", func(c *Connection) *string { return &c.Identity.Account }),
		fields.NewText("broker_name", func(c *Connection) *string { return &c.Identity.Name }),
		fields.NewFlag("can_trade", func(c *Connection) *bool { return &c.Identity.CanTrade }),
		fields.NewFlag("can_withdraw", func(c *Connection) *bool { return &c.Identity.CanWithdraw }),
		fields.NewJSON("notes", func(c *Connection) *[]string { return &c.Identity.Notes }),
		fields.NewInstant("expires_at", func(c *Connection) **time.Time { return &c.Identity.ExpiresAt }),
		fields.NewInstant("checked_at", func(c *Connection) **time.Time { return &c.Identity.CheckedAt }),
		fields.NewInstant("covers_from", func(c *Connection) **time.Time { return &c.CoversFrom }),
		fields.NewInstant("covers_to", func(c *Connection) **time.Time { return &c.CoversTo }),
		fields.NewInstant("position", func(c *Connection) **time.Time { return &c.Position }),
		fields.NewInstant("window_to", func(c *Connection) **time.Time { return &c.WindowTo }),
		fields.NewText("state", func(c *Connection) *string { return &c.Progress.State }),
		fields.NewInstant("completed_at", func(c *Connection) **time.Time { return &c.CompletedAt }),
		fields.NewInteger("revision", func(c *Connection) *int64 { return &c.Revision }),
		fields.NewInstant("last_run_at", func(c *Connection) **time.Time { return &c.LastRunAt }),
		fields.NewTime("created_at", func(c *Connection) *time.Time { return &c.CreatedAt }).Freeze(),
		fields.NewTime("updated_at", func(c *Connection) *time.Time { return &c.UpdatedAt }),
	},
)

var runTable = fields.New("connection_runs",
	fields.List[Run]{fields.NewID("id", func(r *Run) *journal.ConnectionRunID { return &r.ID })},
	fields.List[Run]{
		fields.NewText("connection_id", func(r *Run) *journal.ConnectionID { return &r.Connection }).Freeze(),
		fields.NewTime("started_at", func(r *Run) *time.Time { return &r.StartedAt }).Freeze(),
		fields.NewInstant("ended_at", func(r *Run) **time.Time { return &r.EndedAt }),
		fields.NewText("outcome", func(r *Run) *Status { return &r.Outcome }),
		fields.NewInteger("requests", func(r *Run) *int { return &r.Requests }),
		fields.NewInstant("fetched_from", func(r *Run) **time.Time { return &r.FetchedFrom }),
		fields.NewInstant("fetched_to", func(r *Run) **time.Time { return &r.FetchedTo }),
		fields.NewInteger("inserted", func(r *Run) *int { return &r.Inserted }),
		fields.NewInteger("skipped", func(r *Run) *int { return &r.Skipped }),
		fields.NewInteger("completed", func(r *Run) *int { return &r.Completed }),
		fields.NewInteger("withdrawn", func(r *Run) *int { return &r.Withdrawn }),
		fields.NewInteger("cash_inserted", func(r *Run) *int { return &r.CashInserted }),
		fields.NewInteger("problems", func(r *Run) *int { return &r.Problems }),
		fields.NewInteger("missing", func(r *Run) *int { return &r.Missing }),
		fields.NewText("batch_id", func(r *Run) *journal.BatchID { return &r.Batch }),
		fields.NewText("message", func(r *Run) *string { return &r.Message }),
	},
)

// kind is what connections have in common with price sources.
var kind = &fetch.Kind[journal.ConnectionID, Connection, Run]{
	JobKind: JobKind, Noun: "connection", Records: connectionTable, Runs: runTable, RunOf: "connection_id",
	MaxAge:      90 * 24 * time.Hour,
	Credentials: credentials.Store{Table: "connections", Label: "connection"},
	StateOf:     func(c *Connection) *fetch.State { return &c.State },
	RunIn:       func(r *Run) *fetch.Run { return &r.Run },
	IsAllowed:   func(ctx context.Context, c *Connection) bool { return journal.AllowsAccount(ctx, c.Account) },
}

// ListStored returns the owner's connections as they are stored, the oldest first. Those
// of accounts the context excludes are left out. It is a step.
func ListStored(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]Connection, error) {
	return kind.ListStored(ctx, tx, owner, `ORDER BY t.id`)
}

// ListOfAccount returns an account's connections as they are stored, the oldest first. It
// is a step.
func ListOfAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) ([]Connection, error) {
	return kind.ListStored(ctx, tx, owner, `AND t.account_id = $2 ORDER BY t.id`, account)
}

// Restore adds the connections of an account in a backup without their keys, except those
// the account has with the same provider and name. The refusals are those of single
// connections; the others are restored. It is a step.
func Restore(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, list []Connection,
) (added int, refusals []error, err error) {
	if len(list) == 0 {
		return 0, nil, nil
	}
	stored, err := ListOfAccount(ctx, tx, owner, account)
	if err != nil {
		return 0, nil, err
	}
	room, err := limits.Connections.Room(ctx, tx, owner, `SELECT COUNT(*) FROM connections WHERE user_id = $1`)
	if err != nil {
		return 0, nil, err
	}
	keyOf := func(c *Connection) string { return c.Provider + "\n" + c.Name }
	return kind.Restore(ctx, tx, owner, list, fetch.Restoration[Connection]{
		Check: func(c Connection) (Connection, error) { return newRestored(c, account) },
		KeyOf: keyOf, Stored: stored, Room: room, Full: limits.Connections.Reached,
		Added: func(c *Connection) { connectionHistory.Brought(tx, owner, c) },
	})
}

// newRestored returns a connection in a backup as it is stored.
func newRestored(c Connection, account journal.AccountID) (Connection, error) {
	var err error
	if c.Provider, err = journal.CleanRequiredName("provider", c.Provider); err != nil {
		return Connection{}, err
	}
	change := Change{Name: journal.Some(c.Name), Schedule: journal.Some(c.Schedule)}
	if c, err = change.apply(c, connector.Description{Title: c.Provider}, c.CreatedAt); err != nil {
		return Connection{}, err
	}
	c.ID, c.Account, c.UpdatedAt, c.Identity.Notes = journal.NewID[journal.ConnectionID](), account, c.CreatedAt, []string{}
	c.Status, c.Message = StatusAttention, "Restored from a backup, which has no keys. Enter your key again."
	return c, nil
}

// lastRun returns the newest run that fulfills a condition, nil if none.
func lastRun(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ConnectionID, condition string) (*Run, error) {
	list, err := kind.ListRuns(ctx, tx, owner, id, condition, 1)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// complete adds to a connection what its job, its runs and its credentials say.
func (s *Service) complete(ctx context.Context, tx *db.Tx, owner journal.UserID, c *Connection) error {
	now := s.Clock()
	err := s.CompleteState(ctx, tx, owner, c.ID, &c.State)
	if err != nil {
		return err
	}
	if c.LastRun, err = lastRun(ctx, tx, owner, c.ID, ""); err != nil {
		return err
	}
	c.Done, c.Warnings, c.HasCredentials = c.done(now), []string{}, true
	if !s.Enabled() {
		c.Status, c.Message = StatusWaiting, "This server doesn't connect to other servers, so nothing is fetched. Its administrator can set SVC_OUTBOUND=true."
	}
	found, known := s.Find(c.Provider)
	if !known {
		return nil
	}
	about := found.Describe()
	c.Rights, c.Warnings = about.Rights, warn(about, *c, now)
	if credentials.AreNeeded(about.Fields) {
		c.HasCredentials, err = s.Credentials.Has(ctx, tx, owner, string(c.ID))
	}
	return err
}

// expiryNotice is how long before the end of credentials a warning says so.
const expiryNotice = 14 * 24 * time.Hour

// warn returns what the user should know about the credentials.
func warn(about connector.Description, c Connection, now time.Time) []string {
	list := []string{}
	switch {
	case c.Identity.CanTrade:
		list = append(list, "This key can trade. Use one that can only read if "+about.Title+" has it.")
	case about.Rights == connector.RightsUnknown:
		list = append(list, "This key may be able to trade: "+about.Title+" doesn't show the rights of a key. Bind it to the address of this server if you can.")
	}
	if at := c.Identity.ExpiresAt; at != nil && at.Sub(now) < expiryNotice {
		list = append(list, "The key ends on "+at.Format(time.DateOnly)+". Make a new one before and enter it here.")
	}
	return list
}

// ForgetAccount deletes an account's connections. It is a step of its deletion.
func ForgetAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error {
	ids, err := db.List(ctx, tx, db.Single[journal.ConnectionID], `SELECT id FROM connections WHERE user_id = $1 AND account_id = $2`, owner, account)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := keepConnection(ctx, tx, owner, id); err != nil {
			return err
		}
		if err := kind.Remove(ctx, tx, owner, id); err != nil {
			return err
		}
	}
	history.Contain(tx, history.Key{Type: "account", ID: string(account)}, "connection", len(ids))
	return nil
}

// keepConnection keeps the rows of a connection that is deleted, without its keys.
func keepConnection(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ConnectionID) error {
	if err := history.Keep(ctx, tx, owner, connectionTable.Name, `id = $2`, id); err != nil {
		return err
	}
	return history.Keep(ctx, tx, owner, runTable.Name, `connection_id = $2`, id)
}
