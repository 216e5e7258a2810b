package identity

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
)

// newWrongLogin returns the same error for an unknown user and for a wrong
// password.
func newWrongLogin() error {
	return journal.Unauthorized("The email address or the password is wrong.")
}

// maxLoginAttempts limits how often a login starts again because the stored
// hash was replaced while the password was verified.
const maxLoginAttempts = 3

// Login signs a user in. An unknown user and a wrong password get the same error after
// the same work. The password is verified first, then the second factor's code. Only a
// successful login uses up a code, so among several logins with one code exactly one
// succeeds.
func (s *Service) Login(ctx context.Context, client Client, address string, password, code secrets.Secret) (TokenPair, error) {
	client = client.clean()
	for range maxLoginAttempts {
		attempt, err := s.findLogin(ctx, address, client)
		if err != nil {
			return TokenPair{}, err
		}
		if err := s.verifyPassword(ctx, attempt, client, password); err != nil {
			return TokenPair{}, err
		}
		pair, err := s.completeLogin(ctx, attempt, client, password, code)
		if !errors.Is(err, errPasswordChanged) {
			return pair, err
		}
	}
	return TokenPair{}, journal.Unavailable(errPasswordChanged)
}

// loginAttempt is an email address's account, empty if none, and the key under
// which failures are counted.
type loginAttempt struct {
	account
	key throttleKey
}

// findLogin looks up an email address. Failures are counted by email address, and
// separately for each IP address with one of the user's sessions, so guesses by others do
// not slow down the user.
func (s *Service) findLogin(ctx context.Context, address string, client Client) (loginAttempt, error) {
	var found loginAttempt
	to, err := parseEmail(address)
	if err != nil {
		found.key = sha256.Sum256([]byte(strings.TrimSpace(address)))
		return found, nil //nolint:nilerr // an invalid address has no user and costs the same work
	}
	isKnownIP := false
	err = s.db.Peek(ctx, func(tx *db.Tx) error {
		err := tx.QueryRow(ctx, `SELECT `+accountColumns+` FROM users WHERE email_key = $1`, to.key).Scan(found.columns()...)
		if err != nil && !errors.Is(err, db.ErrNoRows) {
			return err
		}
		// An unknown address takes the same statements as a known one.
		return tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM sessions WHERE user_id = $1 AND ip = $2)`, found.ID, client.IP).Scan(&isKnownIP)
	})
	if err != nil {
		return loginAttempt{}, fmt.Errorf("looking up a user: %w", err)
	}
	counted := to.key
	if isKnownIP {
		counted += "\x00" + client.IP
	}
	found.key = sha256.Sum256([]byte(counted))
	return found, nil
}

// checkThrottle returns an error if the attempt has to wait.
func (s *Service) checkThrottle(attempt loginAttempt) error {
	if wait := s.throttle.wait(attempt.key, s.clock()); wait > 0 {
		return journal.Limited(wait)
	}
	return nil
}

// verifyPassword verifies the password. It checks the throttle before it waits for a
// slot, so rejected attempts do not delay others, and again when it has the slot, so
// parallel guesses cannot pass it.
func (s *Service) verifyPassword(ctx context.Context, attempt loginAttempt, client Client, password secrets.Secret) error {
	if err := s.checkThrottle(attempt); err != nil {
		return err
	}
	release, err := s.hasher.acquire(ctx, client.IP)
	if err != nil {
		return err
	}
	defer release()
	if err := s.checkThrottle(attempt); err != nil {
		return err
	}
	matches, err := s.hasher.verify(password, attempt.passwordHash)
	if err != nil {
		return fmt.Errorf("verifying a password: %w", err)
	}
	if matches {
		return nil
	}
	s.throttle.fail(attempt.key, s.clock())
	event := s.event(Principal{UserID: attempt.ID, PublicID: attempt.PublicID}, client, ActionLogin, string(attempt.PublicID))
	event.Outcome = OutcomeWrongPassword
	if attempt.ID == 0 {
		event.Outcome = OutcomeUnknownUser
	}
	s.recorder.addFailure(event)
	return newWrongLogin()
}

// completeLogin checks the second factor and starts a session, after the password was
// verified. The wrong code count is committed even if the login fails.
func (s *Service) completeLogin(ctx context.Context, attempt loginAttempt, client Client, password, code secrets.Secret) (TokenPair, error) {
	rehashed, err := s.rehashWeakPassword(ctx, client, attempt.account, password)
	if err != nil {
		return TokenPair{}, err
	}
	var pair TokenPair
	var refusal error
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		pair, refusal = TokenPair{}, nil
		user, err := lockUnchanged(ctx, tx, attempt.account)
		if journal.IsKind(err, journal.KindUnauthorized) {
			return newWrongLogin() // deleted since findLogin
		}
		if err != nil {
			return err
		}
		if refusal, err = s.checkSecondFactor(ctx, tx, user, client, code); err != nil || refusal != nil {
			return err
		}
		pair, err = s.startSession(ctx, tx, user, client, rehashed)
		return err
	})
	if err != nil {
		return TokenPair{}, err
	}
	if refusal == nil {
		s.throttle.clear(attempt.key)
	}
	return pair, refusal
}

// rehashWeakPassword returns a new password hash if the stored one is weaker than the
// current cost, or an empty string.
func (s *Service) rehashWeakPassword(ctx context.Context, client Client, known account, password secrets.Secret) (string, error) {
	if !s.hasher.isWeak(known.passwordHash) {
		return "", nil
	}
	return s.hasher.hash(ctx, client.IP, password)
}

// checkSecondFactor checks a login's code. refusal is for the client; err is an internal
// error.
func (s *Service) checkSecondFactor(ctx context.Context, tx *db.Tx, user account, client Client, code secrets.Secret) (refusal, err error) {
	if !user.TOTPEnabled {
		return nil, nil
	}
	if code == "" {
		return &journal.Error{
			Kind: journal.KindUnauthorized, Code: "totp_required",
			Message: "Two-factor authentication is on. Send the code from your authenticator app.",
		}, nil
	}
	verdict, err := s.spendCode(ctx, tx, user, code)
	if err != nil {
		return nil, err
	}
	if verdict.isWrong() {
		event := s.event(Principal{UserID: user.ID, PublicID: user.PublicID}, client, ActionLogin, string(user.PublicID))
		event.Outcome = OutcomeWrongCode
		err = RecordAudit(ctx, tx, event)
	}
	return verdict.refusal(journal.KindUnauthorized), err
}

// startSession stores the new hash if there is one, records the login and opens
// a session.
func (s *Service) startSession(ctx context.Context, tx *db.Tx, user account, client Client, rehashed string) (TokenPair, error) {
	if rehashed != "" {
		if _, err := tx.Exec(ctx, `UPDATE users SET password_hash = $2 WHERE number = $1`, user.ID, rehashed); err != nil {
			return TokenPair{}, err
		}
	}
	if err := s.record(ctx, tx, Principal{UserID: user.ID, PublicID: user.PublicID}, client, ActionLogin, string(user.PublicID)); err != nil {
		return TokenPair{}, err
	}
	return s.openSession(ctx, tx, user.User, client)
}
