package identity

import (
	"context"
	_ "embed"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/secrets"
)

// MinPasswordLength is the least length of a password in characters (code
// points), the same wherever one is set. Clients read it in the setup status.
const MinPasswordLength = 10

// maxPasswordBytes bounds the work of one hash. Nothing is ever cut off.
const maxPasswordBytes = 1024

// commonPasswords holds well-known passwords that are long enough, one a line
// and in lower case.
//
//go:embed common_passwords.txt
var commonPasswords string

// straightRuns are the orders in which fingers and children walk. A password
// that is nothing but a piece of one, in either direction and going round at
// its end, is refused.
var straightRuns = []string{
	"0123456789",
	"abcdefghijklmnopqrstuvwxyz",
	"1234567890qwertyuiopasdfghjklzxcvbnm",
	"1234567890-=qwertyuiop[]asdfghjkl;'zxcvbnm,./",
	"qwertzuiopasdfghjklyxcvbnm",
	"azertyuiopqsdfghjklmwxcvbn",
	"1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/",
}

// checkPassword refuses a password that must not be set. It is taken as it
// was sent: not trimmed, not folded. field names the request's field.
func checkPassword(field string, password secrets.Secret, email string) error {
	text := password.Reveal()
	switch folded := strings.ToLower(text); {
	case utf8.RuneCountInString(text) < MinPasswordLength:
		return journal.InvalidField(field, "The password must have at least %d characters.", MinPasswordLength)
	case len(text) > maxPasswordBytes:
		return journal.InvalidField(field, "The password must be at most %d bytes long.", maxPasswordBytes)
	case isRepeated(text):
		return journal.InvalidField(field, "The password must not be one character repeated.")
	case isStraightRun(folded):
		return journal.InvalidField(field, "The password must not be a straight run of keys, letters or digits.")
	case isOwnEmail(text, email):
		return journal.InvalidField(field, "The password must not be your e-mail address.")
	case slices.Contains(strings.Fields(commonPasswords), folded):
		return journal.InvalidField(field, "This password is on every list of common passwords; choose another.")
	}
	return nil
}

func isRepeated(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return strings.Trim(text, string(first)) == ""
}

func isStraightRun(text string) bool {
	backwards := []byte(text)
	slices.Reverse(backwards)
	for _, run := range straightRuns {
		round := strings.Repeat(run, len(text)/len(run)+2)
		if strings.Contains(round, text) || strings.Contains(round, string(backwards)) {
			return true
		}
	}
	return false
}

func isOwnEmail(text, email string) bool {
	local, _, _ := strings.Cut(email, "@")
	return strings.EqualFold(text, email) || strings.EqualFold(text, local)
}

// errPasswordMoved tells that somebody set another password between our check
// of it and the transaction that builds on the check.
var errPasswordMoved = errors.New("the password was changed meanwhile")

// passwordMoved asks for another try. It happens when two changes of one
// user's password meet, or when a login has just strengthened its hash.
func passwordMoved() error {
	refusal := journal.Conflict("Your password was changed at the same moment; try again.")
	refusal.Err = errPasswordMoved
	return refusal
}

// wrongPassword refuses a signed-in user who gave another password.
func wrongPassword() error { return journal.Forbidden("The password is wrong.") }

// ChangePassword sets a new password after the present one was proven. Every
// session of the user ends and the caller gets a new one, in one transaction,
// so that no refresh token of before survives and the caller stays signed in.
// Access tokens already issued live out their quarter of an hour.
func (s *Service) ChangePassword(ctx context.Context, caller Principal, client Client, current, next secrets.Secret) (TokenPair, error) {
	if err := caller.RequireSession(); err != nil {
		return TokenPair{}, err
	}
	client = client.clean()
	known, err := s.account(ctx, caller.UserID)
	if err != nil {
		return TokenPair{}, err
	}
	if err := checkPassword("new_password", next, known.Email); err != nil {
		return TokenPair{}, err
	}
	if err := s.provePresence(ctx, known, caller, client, ActionPasswordChange, current); err != nil {
		return TokenPair{}, err
	}
	hash, err := s.hasher.hash(ctx, client.IP, next)
	if err != nil {
		return TokenPair{}, err
	}
	var pair TokenPair
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		if _, err := lockUnmoved(ctx, tx, known); err != nil {
			return err
		}
		if err := replacePassword(ctx, tx, known.ID, hash); err != nil {
			return err
		}
		var err error
		if pair, err = s.openSession(ctx, tx, known.User, client); err != nil {
			return err
		}
		return s.record(ctx, tx, caller, client, ActionPasswordChange, string(known.ID))
	})
	if err != nil {
		return TokenPair{}, err
	}
	return pair, nil
}

// provePresence refuses a signed-in user who does not know their password,
// and records that somebody at their keyboard tried.
func (s *Service) provePresence(ctx context.Context, known account, caller Principal, client Client, action Action, password secrets.Secret) error {
	right, err := s.hasher.matches(ctx, client.IP, password, known.passwordHash)
	if err != nil {
		return err
	}
	if !right {
		event := s.event(caller, client, action, string(known.ID))
		event.Outcome = OutcomeWrongPassword
		s.recorder.audit(event)
		return wrongPassword()
	}
	return nil
}

// lockUnmoved locks a user's row and makes sure that it still holds the
// password that was checked before the transaction began.
func lockUnmoved(ctx context.Context, tx *db.Tx, known account) (account, error) {
	now, err := lockAccount(ctx, tx, known.ID)
	if err != nil {
		return account{}, err
	}
	if now.passwordHash != known.passwordHash {
		return account{}, passwordMoved()
	}
	return now, nil
}

// replacePassword is one step of a transaction: it sets the hash and ends
// every session that was opened with the old password.
func replacePassword(ctx context.Context, tx *db.Tx, id journal.UserID, hash string) error {
	n, err := tx.Exec(ctx, `UPDATE users SET password_hash = $2 WHERE id = $1`, id, hash)
	if err != nil {
		return err
	}
	if n == 0 {
		return journal.NotFound("user")
	}
	_, err = tx.Exec(ctx, `DELETE FROM sessions WHERE user_id = $1`, id)
	return err
}
