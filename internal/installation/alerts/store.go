package alerts

import (
	"context"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

var alertTable = fields.New("alerts",
	fields.List[Alert]{fields.NewID("id", func(a *Alert) *journal.AlertID { return &a.ID })},
	fields.List[Alert]{
		fields.NewText("kind", func(a *Alert) *Kind { return &a.Kind }).Freeze(),
		fields.NewText("dedup", func(a *Alert) *string { return &a.dedup }).Freeze().Hide(),
		fields.NewText("severity", func(a *Alert) *Severity { return &a.Severity }).Freeze(),
		fields.NewText("title", func(a *Alert) *string { return &a.Title }).Freeze(),
		fields.NewTime("at", func(a *Alert) *time.Time { return &a.At }).Freeze(),
		fields.NewTime("fired_at", func(a *Alert) *time.Time { return &a.FiredAt }).Freeze(),
		fields.NewInstant("read_at", func(a *Alert) **time.Time { return &a.ReadAt }),
		fields.NewInstant("snoozed_until", func(a *Alert) **time.Time { return &a.SnoozedUntil }),
		fields.NewText("link", func(a *Alert) *string { return &a.Link }).Freeze(),
		fields.NewLink("account_id", func(a *Alert) **journal.AccountID { return &a.Account }).Freeze(),
		fields.NewFlag("several", func(a *Alert) *bool { return &a.several }).Freeze().Hide(),
		fields.NewLink("rule_id", func(a *Alert) **journal.TradingRuleID { return &a.Rule }).Freeze(),
		fields.NewLink("trade_id", func(a *Alert) **journal.TradeID { return &a.Trade }).Freeze(),
		fields.NewLink("enrollment_id", func(a *Alert) **journal.EnrollmentID { return &a.Enrollment }).Freeze(),
		fields.NewLink("goal_id", func(a *Alert) **journal.GoalID { return &a.Goal }).Freeze(),
		fields.NewLink("import_batch_id", func(a *Alert) **journal.BatchID { return &a.Batch }).Freeze(),
		fields.NewOptionalText("source_id", func(a *Alert) *string { return &a.source }).Freeze(),
		fields.NewOptionalText("day", func(a *Alert) *journal.Day { return &a.Day }).Freeze(),
		fields.NewOptionalText("level", func(a *Alert) *string { return &a.Level }).Freeze(),
		fields.NewJSON("counts", func(a *Alert) *[]Count { return &a.Counts }).Freeze(),
	},
)

var alertHistory = history.NewType("alert", alertTable.Fields, history.Of[Alert]{
	ID:      func(a *Alert) string { return string(a.ID) },
	Label:   func(a *Alert) string { return a.Title },
	Account: func(a *Alert) *journal.AccountID { return a.Account },
})

var selectAlerts = alertTable.Select("a")

func scanAlert(row db.Scanner) (a Alert, err error) {
	err = alertTable.Scan(row, &a)
	return a, err
}

// Query selects alerts, newest first.
type Query struct {
	Unread bool
	// Since is the instant after which they were found; zero means all.
	Since time.Time
	// Limit is how many at most; 0 is no limit. BeforeAt and Before continue after a page's
	// last alert.
	Limit    int
	BeforeAt time.Time
	Before   journal.AlertID
}

// conditions collects the conditions of a query of alerts.
type conditions struct {
	text string
	args []any
}

func (c *conditions) place(value any) string {
	c.args = append(c.args, value)
	return "$" + strconv.Itoa(len(c.args))
}

// where returns a query's conditions without its page.
func (s *Service) where(ctx context.Context, owner journal.UserID, q Query) *conditions {
	c := &conditions{}
	c.text = " WHERE a.user_id = " + c.place(owner)
	if q.Unread {
		c.text += " AND a.read_at IS NULL AND (a.snoozed_until IS NULL OR a.snoozed_until <= " + c.place(db.Micros(s.Clock())) + ")"
	}
	if !q.Since.IsZero() {
		c.text += " AND a.fired_at > " + c.place(db.Micros(q.Since))
	}
	if ids, limited := journal.AllowedAccounts(ctx); limited {
		c.text += " AND NOT a.several AND (a.account_id IS NULL OR a.account_id IN " + db.In(&c.args, ids) + ")"
	}
	return c
}

// List returns alerts and how many there are in all pages.
func (s *Service) List(ctx context.Context, owner journal.UserID, q Query) (list []Alert, total int, err error) {
	err = s.DB.View(ctx, func(tx *db.Tx) error {
		list, total, err = s.list(ctx, tx, owner, q)
		return err
	})
	return list, total, err
}

// ReadSince returns the newest alerts after an instant. It is a step.
func (s *Service) ReadSince(ctx context.Context, tx *db.Tx, owner journal.UserID, since time.Time, limit int) ([]Alert, error) {
	list, _, err := s.list(ctx, tx, owner, Query{Since: since, Limit: limit})
	return list, err
}

func (s *Service) list(ctx context.Context, tx *db.Tx, owner journal.UserID, q Query) (list []Alert, total int, err error) {
	c := s.where(ctx, owner, q)
	if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM alerts a`+c.text, c.args...).Scan(&total); err != nil {
		return nil, 0, err
	}
	if q.Before != "" {
		at, id := c.place(db.Micros(q.BeforeAt)), c.place(q.Before)
		c.text += " AND (a.fired_at < " + at + " OR a.fired_at = " + at + " AND a.id < " + id + ")"
	}
	c.text += " ORDER BY a.fired_at DESC, a.id DESC"
	if q.Limit > 0 {
		c.text += " LIMIT " + c.place(q.Limit)
	}
	list, err = db.List(ctx, tx, scanAlert, selectAlerts+c.text, c.args...)
	return list, total, err
}

// read returns one alert.
func read(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AlertID, lock string) (Alert, error) {
	a, err := scanAlert(tx.QueryRow(ctx, selectAlerts+` WHERE a.user_id = $1 AND a.id = $2`+lock, owner, id))
	if err == nil && !a.isAllowed(ctx) {
		return Alert{}, journal.NotFound("alert")
	}
	return a, db.NotFound(err, "alert")
}

// isAllowed reports whether the context does not exclude the alert's account; see
// [journal.LimitAccounts].
func (a *Alert) isAllowed(ctx context.Context) bool {
	if _, limited := journal.AllowedAccounts(ctx); !limited {
		return true
	}
	return !a.several && (a.Account == nil || journal.AllowsAccount(ctx, *a.Account))
}

// Alert returns one alert.
func (s *Service) Alert(ctx context.Context, owner journal.UserID, id journal.AlertID) (Alert, error) {
	return db.Get(ctx, s.DB.Peek, func(tx *db.Tx) (Alert, error) { return read(ctx, tx, owner, id, "") })
}

// Change is what a user changes of an alert.
type Change struct {
	Read         journal.Opt[bool]
	SnoozedUntil journal.Opt[time.Time]
}

// Change marks an alert as read or unread, or snoozes it. check may refuse the change to
// the stored alert; it may be nil.
func (s *Service) Change(ctx context.Context, owner journal.UserID, id journal.AlertID, change Change, check func(Alert) error) (Alert, error) {
	now := s.Clock()
	if change.SnoozedUntil.Set && !change.SnoozedUntil.Null && !change.SnoozedUntil.Value.After(now) {
		return Alert{}, journal.InvalidField("snoozed_until", "snoozed_until must be in the future.")
	}
	return db.Get(ctx, s.DB.Update, func(tx *db.Tx) (Alert, error) {
		old, err := read(ctx, tx, owner, id, tx.Lock())
		if err != nil {
			return Alert{}, err
		}
		if check != nil {
			if err := check(old); err != nil {
				return Alert{}, err
			}
		}
		a := old
		if change.Read.Set {
			a.setRead(change.Read.Value, now)
		}
		if change.SnoozedUntil.Set {
			a.SnoozedUntil = change.SnoozedUntil.OrNil(nil)
		}
		return a, store(ctx, tx, owner, &old, &a)
	})
}

// setRead marks an alert as read or unread. One that was read before keeps its instant.
func (a *Alert) setRead(read bool, now time.Time) {
	if !read {
		a.ReadAt = nil
	} else if a.ReadAt == nil {
		a.ReadAt = &now
	}
}

// store stores a changed alert.
func store(ctx context.Context, tx *db.Tx, owner journal.UserID, old, a *Alert) error {
	if len(alertTable.Fields.Compare(old, a)) == 0 {
		return nil
	}
	alertHistory.Updated(tx, owner, old, a)
	_, err := tx.Exec(ctx, alertTable.Update(), alertTable.UpdateValues(owner, a)...)
	return err
}

// ChangeAll marks all alerts as read or unread.
func (s *Service) ChangeAll(ctx context.Context, owner journal.UserID, isRead bool) error {
	now := s.Clock()
	return s.DB.Update(ctx, func(tx *db.Tx) error {
		c := s.where(ctx, owner, Query{})
		c.text += " AND a.read_at IS NOT NULL"
		if isRead {
			c.text = strings.TrimSuffix(c.text, "NOT NULL") + "NULL"
		}
		list, err := db.List(ctx, tx, scanAlert, selectAlerts+c.text+` ORDER BY a.fired_at DESC, a.id DESC`+tx.Lock(), c.args...)
		if err != nil {
			return err
		}
		if len(list) > 1 {
			history.Describe(tx, owner, history.Description{Action: history.Bulk})
		}
		for i := range list {
			a := list[i]
			a.setRead(isRead, now)
			if err := store(ctx, tx, owner, &list[i], &a); err != nil {
				return err
			}
		}
		return nil
	})
}

// insert stores a new alert. It returns false if the fact has one already. It is a step.
func insert(ctx context.Context, tx *db.Tx, owner journal.UserID, a *Alert) (bool, error) {
	n, err := tx.Exec(ctx, alertTable.Insert()+` ON CONFLICT (user_id, dedup) DO NOTHING`, alertTable.Values(owner, a)...)
	return n > 0, err
}

// keptTime is how long alerts are kept.
const keptTime = 400 * 24 * time.Hour

// Sweep deletes old alerts, and the oldest of users with too many.
func (s *Service) Sweep(ctx context.Context) error {
	return s.DB.Update(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM alerts WHERE fired_at < $1`, db.Micros(s.Clock().Add(-keptTime)))
		if err != nil {
			return err
		}
		owners, err := db.List(ctx, tx, db.Single[journal.UserID], `SELECT user_id FROM alerts GROUP BY user_id HAVING COUNT(*) > $1`, limits.Alerts.Max)
		if err != nil {
			return err
		}
		for _, owner := range owners {
			_, err := tx.Exec(ctx, `DELETE FROM alerts WHERE user_id = $1 AND id IN (
				SELECT id FROM alerts WHERE user_id = $1 ORDER BY fired_at DESC, id DESC LIMIT 1000000 OFFSET $2)`, owner, limits.Alerts.Max)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// ForgetAccount keeps the alerts of an account that is deleted, for an undo. It is a step;
// the account's foreign keys delete them.
func ForgetAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error {
	return history.Keep(ctx, tx, owner, "alerts", `account_id = $2`, account)
}

// RestoreAccount restores the alerts of an account that came back. It is a step.
func RestoreAccount(ctx context.Context, u *history.Undoing, _ journal.AccountID) error {
	return u.Insert(ctx, "alerts", "")
}
