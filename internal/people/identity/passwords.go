package identity

import (
	"context"
	_ "embed"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
)

// MinPasswordLength is the minimum password length in characters (code points). Clients
// read it from the setup status.
const MinPasswordLength = 10

// maxPasswordBytes limits the work per hash. Longer passwords are rejected, never
// truncated.
const maxPasswordBytes = 1024

// commonPasswords contains well-known passwords of at least MinPasswordLength
// characters, one per line in lower case.
//
//go:embed common_passwords.txt
var commonPasswords string

// sequences are keyboard rows, the alphabet and digits. A password consisting only of a
// part is rejected, in either direction and wrapping around at the end.
var sequences = []string{
	"0123456789",
	"abcdefghijklmnopqrstuvwxyz",
	"1234567890qwertyuiopasdfghjklzxcvbnm",
	"1234567890-=qwertyuiop[]asdfghjkl;'zxcvbnm,./",
	"qwertzuiopasdfghjklyxcvbnm",
	"azertyuiopqsdfghjklmwxcvbn",
	"1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/",
}

// checkPassword returns an error if a password is not allowed. The password is not
// trimmed or case-folded. field is the request field's name.
func checkPassword(field string, password secrets.Secret, email string) error {
	text := password.Reveal()
	switch folded := strings.ToLower(text); {
	case utf8.RuneCountInString(text) < MinPasswordLength:
		return journal.InvalidField(field, "The password must have at least %d characters.", MinPasswordLength)
	case len(text) > maxPasswordBytes:
		return journal.InvalidField(field, "The password must be at most %d bytes long.", maxPasswordBytes)
	case isRepeated(text):
		return journal.InvalidField(field, "The password must not be one character repeated.")
	case isSequence(folded):
		return journal.InvalidField(field, "The password must not be a sequence of keys, letters or digits.")
	case isOwnEmail(text, email):
		return journal.InvalidField(field, "The password must not be your email address.")
	case slices.Contains(strings.Fields(commonPasswords), folded):
		return journal.InvalidField(field, "This password is too common. Choose another one.")
	}
	return nil
}

func isRepeated(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return strings.Trim(text, string(first)) == ""
}

func isSequence(text string) bool {
	reversed := []byte(text)
	slices.Reverse(reversed)
	for _, sequence := range sequences {
		repeated := strings.Repeat(sequence, len(text)/len(sequence)+2)
		if strings.Contains(repeated, text) || strings.Contains(repeated, string(reversed)) {
			return true
		}
	}
	return false
}

func isOwnEmail(text, email string) bool {
	local, _, _ := strings.Cut(email, "@")
	return strings.EqualFold(text, email) || strings.EqualFold(text, local)
}

// errPasswordChanged is returned if the password was changed between its verification and
// the transaction depending on it.
var errPasswordChanged = errors.New("the password was changed at the same time")

// newPasswordChanged returns the error for a client. It occurs if two password changes
// run at the same time, or a login has just replaced a weak hash.
func newPasswordChanged() error {
	refusal := journal.Conflict("Your password was changed at the same time. Try again.")
	refusal.Err = errPasswordChanged
	return refusal
}

// newWrongPassword returns the error for a signed-in user who entered a wrong
// password.
func newWrongPassword() error { return journal.Forbidden("The password is wrong.") }

// ChangePassword sets a new password after verifying the current one. In the same
// transaction it ends all the user's sessions and starts a new one for the caller, so no
// earlier refresh token works and the caller stays signed in. Access tokens issued before
// stay valid until they expire.
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
	if err := s.verifyOwnPassword(ctx, known, caller, client, ActionPasswordChange, current); err != nil {
		return TokenPair{}, err
	}
	hash, err := s.hasher.hash(ctx, client.IP, next)
	if err != nil {
		return TokenPair{}, err
	}
	var pair TokenPair
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		if _, err := lockUnchanged(ctx, tx, known); err != nil {
			return err
		}
		if err := replacePassword(ctx, tx, known.ID, hash); err != nil {
			return err
		}
		var err error
		if pair, err = s.openSession(ctx, tx, known.User, client); err != nil {
			return err
		}
		return s.record(ctx, tx, caller, client, ActionPasswordChange, string(known.PublicID))
	})
	if err != nil {
		return TokenPair{}, err
	}
	return pair, nil
}

// verifyOwnPassword returns an error if a signed-in user enters a wrong
// password, and records the failure.
func (s *shared) verifyOwnPassword(ctx context.Context, known account, caller Principal, client Client, action Action, password secrets.Secret) error {
	matches, err := s.hasher.matches(ctx, client.IP, password, known.passwordHash)
	if err != nil {
		return err
	}
	if !matches {
		event := s.event(caller, client, action, string(known.PublicID))
		event.Outcome = OutcomeWrongPassword
		s.recorder.addFailure(event)
		return newWrongPassword()
	}
	return nil
}

// lockUnchanged locks a user's state and checks that the password hash is still known's.
func lockUnchanged(ctx context.Context, tx *db.Tx, known account) (account, error) {
	current, err := lockAccount(ctx, tx, known.ID)
	if err != nil {
		return account{}, err
	}
	if current.passwordHash != known.passwordHash {
		return account{}, newPasswordChanged()
	}
	return current, nil
}

// replacePassword sets the hash and ends all the user's sessions, within a transaction.
func replacePassword(ctx context.Context, tx *db.Tx, id journal.UserID, hash string) error {
	if _, err := lockState(ctx, tx, id); err != nil {
		return toNotFound(err, "user")
	}
	n, err := tx.Exec(ctx, `UPDATE users SET password_hash = $2 WHERE number = $1`, id, hash)
	if err != nil {
		return err
	}
	if n == 0 {
		return journal.NotFound("user")
	}
	_, err = tx.Exec(ctx, `DELETE FROM sessions WHERE user_id = $1`, id)
	return err
}
