package identity

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/secrets"
)

// wrongLogin is the one answer to an unknown user and to a wrong password.
func wrongLogin() error {
	return journal.Unauthorized("The e-mail address or the password is wrong.")
}

// loginTries bounds how often a login begins anew because the stored hash was
// replaced while the password was being checked.
const loginTries = 3

// Login signs a user in. An unknown user and a wrong password get the same
// answer after the same work. The password is judged first, the code of the
// second factor after it, and a code is spent only by the login that succeeds,
// so that of several logins with one code exactly one does.
func (s *Service) Login(ctx context.Context, client Client, address string, password, code secrets.Secret) (TokenPair, error) {
	client = client.clean()
	for range loginTries {
		door, err := s.findDoor(ctx, address, client)
		if err != nil {
			return TokenPair{}, err
		}
		if err := s.knock(ctx, door, client, password); err != nil {
			return TokenPair{}, err
		}
		pair, err := s.enter(ctx, door, client, password, code)
		if !errors.Is(err, errPasswordMoved) {
			return pair, err
		}
	}
	return TokenPair{}, journal.Unavailable(errPasswordMoved)
}

// door is what a login tries to open: the account behind an address, empty
// when there is none, and the key under which its failures are counted.
type door struct {
	account
	key throttleKey
}

// findDoor looks an address up. Failures are counted for the address, but
// apart for each place where the user is signed in already: a stranger who
// keeps guessing slows down every stranger, and not the user at home.
func (s *Service) findDoor(ctx context.Context, address string, client Client) (door, error) {
	var found door
	to, err := parseEmail(address)
	if err != nil {
		found.key = sha256.Sum256([]byte(strings.TrimSpace(address)))
		return found, nil //nolint:nilerr // not an address, hence nobody's; it costs the same as any other
	}
	isHome := false
	err = s.db.Peek(ctx, func(tx *db.Tx) error {
		return tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM sessions s WHERE s.user_id = users.id AND s.ip = $1), `+accountColumns+`
			FROM users WHERE email_key = $2`, client.IP, to.key).
			Scan(append([]any{&isHome}, found.columns()...)...)
	})
	if err != nil && !errors.Is(err, db.ErrNoRows) {
		return door{}, fmt.Errorf("looking a user up: %w", err)
	}
	counted := to.key
	if isHome {
		counted += "\x00" + client.IP
	}
	found.key = sha256.Sum256([]byte(counted))
	return found, nil
}

// mayTry refuses a try at a door that is slowed down.
func (s *Service) mayTry(at door) error {
	if wait := s.throttle.wait(at.key, s.clock()); wait > 0 {
		return journal.Limited(wait)
	}
	return nil
}

// knock judges the password. The throttle is asked before the wait for a slot,
// so that those it refuses do not keep others waiting, and again while the slot
// is held, so that a crowd of parallel guesses cannot slip past it.
func (s *Service) knock(ctx context.Context, at door, client Client, password secrets.Secret) error {
	if err := s.mayTry(at); err != nil {
		return err
	}
	release, err := s.hasher.acquire(ctx, client.IP)
	if err != nil {
		return err
	}
	defer release()
	if err := s.mayTry(at); err != nil {
		return err
	}
	right, err := s.hasher.verify(password, at.passwordHash)
	if err != nil {
		return fmt.Errorf("checking a password: %w", err)
	}
	if right {
		return nil
	}
	s.throttle.fail(at.key, s.clock())
	event := s.event(Principal{UserID: at.ID}, client, ActionLogin, string(at.ID))
	event.Outcome = OutcomeWrongPassword
	if at.ID == "" {
		event.Outcome = OutcomeUnknownUser
	}
	s.recorder.audit(event)
	return wrongLogin()
}

// enter opens the session of a user whose password was right. What a wrong
// code leaves behind is committed, although the answer is a refusal.
func (s *Service) enter(ctx context.Context, at door, client Client, password, code secrets.Secret) (TokenPair, error) {
	stronger, err := s.strengthen(ctx, client, at.account, password)
	if err != nil {
		return TokenPair{}, err
	}
	var pair TokenPair
	var refusal error
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		pair, refusal = TokenPair{}, nil
		user, err := lockUnmoved(ctx, tx, at.account)
		if journal.IsKind(err, journal.KindUnauthorized) {
			return wrongLogin() // deleted a moment ago
		}
		if err != nil {
			return err
		}
		if refusal, err = s.checkSecondFactor(ctx, tx, user, client, code); err != nil || refusal != nil {
			return err
		}
		pair, err = s.admit(ctx, tx, user, client, stronger)
		return err
	})
	if err != nil {
		return TokenPair{}, err
	}
	if refusal == nil {
		s.throttle.clear(at.key)
	}
	return pair, refusal
}

// strengthen hashes the password anew where the stored hash is weaker than
// those of today; otherwise it gives nothing.
func (s *Service) strengthen(ctx context.Context, client Client, known account, password secrets.Secret) (string, error) {
	if !s.hasher.isWeak(known.passwordHash) {
		return "", nil
	}
	return s.hasher.hash(ctx, client.IP, password)
}

// checkSecondFactor judges the code at the door. The refusal is for the
// caller; the error is a fault of ours.
func (s *Service) checkSecondFactor(ctx context.Context, tx *db.Tx, user account, client Client, code secrets.Secret) (refusal, err error) {
	if !user.TOTPEnabled {
		return nil, nil
	}
	if code == "" {
		return &journal.Error{
			Kind: journal.KindUnauthorized, Code: "totp_required",
			Message: "This user has a second factor; send the code of your authenticator app.",
		}, nil
	}
	verdict, err := s.spendCode(ctx, tx, user, code)
	if err != nil {
		return nil, err
	}
	if verdict.isWrong() {
		event := s.event(Principal{UserID: user.ID}, client, ActionLogin, string(user.ID))
		event.Outcome = OutcomeWrongCode
		err = RecordAudit(ctx, tx, event)
	}
	return verdict.refusal(journal.KindUnauthorized), err
}

// admit is the last step of a login.
func (s *Service) admit(ctx context.Context, tx *db.Tx, user account, client Client, stronger string) (TokenPair, error) {
	if stronger != "" {
		if _, err := tx.Exec(ctx, `UPDATE users SET password_hash = $2 WHERE id = $1`, user.ID, stronger); err != nil {
			return TokenPair{}, err
		}
	}
	if err := s.record(ctx, tx, Principal{UserID: user.ID}, client, ActionLogin, string(user.ID)); err != nil {
		return TokenPair{}, err
	}
	return s.openSession(ctx, tx, user.User, client)
}
