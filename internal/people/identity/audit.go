package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// auditRetention is how long a security event is kept.
const auditRetention = 400 * 24 * time.Hour

// Action is a security event's kind. Other packages may define more.
type Action string

// This package's actions.
const (
	ActionSetup             Action = "setup"
	ActionRegister          Action = "register"
	ActionLogin             Action = "login"
	ActionLogout            Action = "logout"
	ActionRefreshReuse      Action = "refresh_reuse"
	ActionSessionEnd        Action = "session_end"
	ActionPasswordChange    Action = "password_change"
	ActionPasswordReset     Action = "password_reset"
	ActionTOTPEnable        Action = "totp_enable"
	ActionTOTPDisable       Action = "totp_disable"
	ActionAccessTokenMint   Action = "access_token_mint"
	ActionAccessTokenRevoke Action = "access_token_revoke"
	// ActionAccessTokenReuse is the end of an app's token whose code or refresh token was
	// used twice.
	ActionAccessTokenReuse Action = "access_token_reuse"
	ActionUserCreate       Action = "user_create"
	ActionUserDelete       Action = "user_delete"
	ActionUserPromote      Action = "user_promote"
	ActionUserDemote       Action = "user_demote"
	ActionSecretRotate     Action = "secret_rotate"
)

// Outcome is a security event's result.
type Outcome string

// Outcomes of security events.
const (
	OutcomeOK            Outcome = "ok"
	OutcomeRefused       Outcome = "refused"
	OutcomeWrongPassword Outcome = "wrong_password"
	OutcomeWrongCode     Outcome = "wrong_code"
	OutcomeUnknownUser   Outcome = "unknown_user"
)

// AuditEvent is a security event: who did what, with which credential and from
// where. It contains no secrets and no email addresses, and it is kept when
// its user is deleted.
type AuditEvent struct {
	ID string
	At time.Time
	// UserID is the acting user; 0 for unknown users and for the operator. Actor
	// is the user's public id; RecordAudit looks it up if it is empty.
	UserID     journal.UserID
	Actor      journal.PublicID
	Action     Action
	Outcome    Outcome
	Credential Credential
	// Target is the id of the affected user, session or token.
	Target    string
	IP        string
	UserAgent string
	RequestID string
}

// NewAuditEvent returns an event with [OutcomeOK]. Callers set another outcome
// for failures.
func NewAuditEvent(at time.Time, caller Principal, client Client, action Action, target string) AuditEvent {
	client = client.clean()
	return AuditEvent{
		ID: journal.NewID[string](), At: at, UserID: caller.UserID, Actor: caller.PublicID, Action: action, Outcome: OutcomeOK,
		Credential: caller.Credential, Target: target,
		IP: client.IP, UserAgent: client.UserAgent, RequestID: client.RequestID,
	}
}

// RecordAudit stores an event in the same transaction as the change it describes.
func RecordAudit(ctx context.Context, tx *db.Tx, event AuditEvent) error {
	if event.ID == "" || event.At.IsZero() {
		return errors.New("the audit event has no id or no time; create it with NewAuditEvent")
	}
	if event.UserID != 0 && event.Actor == "" {
		var err error
		if event.Actor, err = PublicID(ctx, tx, event.UserID); err != nil && !journal.IsKind(err, journal.KindNotFound) {
			return err
		}
	}
	_, err := tx.Exec(ctx, `INSERT INTO audit_events
		(user_id, id, at, actor, action, outcome, credential, target, ip, user_agent, request_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		event.UserID, event.ID, db.Micros(event.At), event.Actor, event.Action, event.Outcome, event.Credential, event.Target,
		event.IP, event.UserAgent, event.RequestID)
	if err != nil {
		return fmt.Errorf("recording event %s: %w", event.Action, err)
	}
	return nil
}

// event is [NewAuditEvent] at the current time.
func (s *shared) event(caller Principal, client Client, action Action, target string) AuditEvent {
	return NewAuditEvent(s.clock(), caller, client, action, target)
}

// record stores an event with [OutcomeOK].
func (s *shared) record(ctx context.Context, tx *db.Tx, caller Principal, client Client, action Action, target string) error {
	if err := recordSecurity(ctx, tx, caller, action, target); err != nil {
		return err
	}
	return RecordAudit(ctx, tx, s.event(caller, client, action, target))
}

// AuditCursor is a position in the event list. The zero value is the start.
type AuditCursor struct {
	At time.Time
	ID string
}

// AuditQuery selects events.
type AuditQuery struct {
	// Before selects the events older than this position.
	Before AuditCursor
	// Limit is the most events to return; 0 or more than 1001 means 1001.
	Limit int
}

// maxAuditPage is the API's longest page plus one event, which indicates another page.
const maxAuditPage = 1001

// Audit returns security events, newest first.
func (s *auditLog) Audit(ctx context.Context, query AuditQuery) ([]AuditEvent, error) {
	events, _, err := s.AuditPage(ctx, query)
	return events, err
}

// AuditPage lists security events, newest first, and counts all of them in the same
// snapshot. Events older than auditRetention are left out, even if they are not deleted
// yet.
func (s *auditLog) AuditPage(ctx context.Context, query AuditQuery) (events []AuditEvent, total int, err error) {
	s.flushBriefly(ctx)
	limit := query.Limit
	if limit <= 0 || limit > maxAuditPage {
		limit = maxAuditPage
	}
	now := s.clock()
	oldest := db.Micros(now.Add(-auditRetention))
	text, args := auditColumns+` WHERE at >= $1 ORDER BY at DESC, id DESC`+db.Limit(2), []any{oldest, limit}
	if query.Before.ID != "" {
		text = auditColumns + ` WHERE at >= $1 AND (at, id) < ($2, $3) ORDER BY at DESC, id DESC` + db.Limit(4)
		args = []any{oldest, db.Micros(query.Before.At), query.Before.ID, limit}
	}
	err = s.db.View(ctx, func(tx *db.Tx) error {
		if events, err = db.List(ctx, tx, scanAuditEvent, text, args...); err != nil {
			return err
		}
		total, err = s.counts.count(ctx, tx, oldest, db.Micros(now))
		return err
	})
	return events, total, err
}

const auditColumns = `SELECT id, at, user_id, actor, action, outcome, credential, target, ip, user_agent, request_id FROM audit_events`

func scanAuditEvent(row db.Scanner) (AuditEvent, error) {
	var e AuditEvent
	err := row.Scan(&e.ID, db.Instant(&e.At), &e.UserID, &e.Actor, &e.Action, &e.Outcome, &e.Credential, &e.Target,
		&e.IP, &e.UserAgent, &e.RequestID)
	return e, err
}
