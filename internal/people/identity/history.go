package identity

import (
	"context"
	"errors"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// securityChange is how the history shows a security event.
type securityChange struct {
	kind    string
	action  history.ObjectAction
	summary string
	field   string // what was updated
}

// securityChanges are the events that are changes. Their values are never recorded.
var securityChanges = map[Action]securityChange{
	ActionSetup:             {"user", history.Created, "Set up this installation", ""},
	ActionRegister:          {"user", history.Created, "Registered", ""},
	ActionLogin:             {"session", history.Created, "Signed in", ""},
	ActionLogout:            {"session", history.Deleted, "Signed out", ""},
	ActionRefreshReuse:      {"session", history.Deleted, "Ended a session whose token was used twice", ""},
	ActionSessionEnd:        {"session", history.Deleted, "Ended a session", ""},
	ActionPasswordChange:    {"user", history.Updated, "Changed the password", "password"},
	ActionPasswordReset:     {"user", history.Updated, "Reset a password", "password"},
	ActionTOTPEnable:        {"user", history.Updated, "Turned on two-factor authentication", "two_factor"},
	ActionTOTPDisable:       {"user", history.Updated, "Turned off two-factor authentication", "two_factor"},
	ActionAccessTokenMint:   {"access_token", history.Created, "Created an access token", ""},
	ActionAccessTokenRevoke: {"access_token", history.Deleted, "Revoked an access token", ""},
	ActionAccessTokenReuse:  {"access_token", history.Deleted, "Revoked an access token whose secret was used twice", ""},
	ActionUserCreate:        {"user", history.Created, "Created a user", ""},
	ActionUserDelete:        {"user", history.Deleted, "Deleted a user", ""},
	ActionUserPromote:       {"user", history.Updated, "Made a user an owner", "is_admin"},
	ActionUserDemote:        {"user", history.Updated, "Made an owner a usual user", "is_admin"},
}

// recordSecurity records a security event in the caller's own stream, or in the target's if an
// operator caused it on the command line. An operator's deletion of a user leaves no change.
func recordSecurity(ctx context.Context, tx *db.Tx, caller Principal, action Action, target string) error {
	change, known := securityChanges[action]
	if !known {
		return nil
	}
	owner := caller.UserID
	if owner == 0 {
		if action == ActionUserDelete || change.kind != "user" {
			return nil
		}
		found, err := UserNumber(ctx, tx, journal.PublicID(target))
		if err != nil && !errors.Is(err, db.ErrNoRows) || found == 0 {
			return err
		}
		owner = found
	}
	o := history.Object{Type: change.kind, ID: target, Action: change.action, SeenIn: history.AllAccounts}
	if change.kind == "user" {
		email, err := emailOf(ctx, tx, target)
		if err != nil {
			return err
		}
		o.Label = email
	}
	if change.field != "" {
		o.Fields = []history.Field{history.NewField(change.field, nil, "changed")}
	}
	described := history.Description{Action: history.Security, Summary: change.summary}
	if caller.Credential != CredentialCLI {
		actor := caller.Actor()
		described.Actor = &actor
	}
	history.Describe(tx, owner, described)
	history.Record(tx, owner, o)
	return nil
}

// emailOf returns a user's email address, or nothing if there is no such user.
func emailOf(ctx context.Context, tx *db.Tx, public string) (email string, err error) {
	err = tx.QueryRow(ctx, `SELECT email FROM users WHERE id = $1`, public).Scan(&email)
	if errors.Is(err, db.ErrNoRows) {
		return "", nil
	}
	return email, err
}
