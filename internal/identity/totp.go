package identity

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/secrets"
)

const (
	// totpSecretSize is what RFC 4226 recommends: the size of a SHA-1 sum.
	totpSecretSize = 20
	// A candidate comes back from the client; the bounds keep out a secret
	// that can be guessed.
	minTOTPSecret = 16
	maxTOTPSecret = 64

	totpPeriod = 30 * time.Second
	// totpSkew is how many steps a phone's clock may be off, either way.
	totpSkew = 1

	// wrongCodeBudget is how many wrong codes a user has in wrongCodeWindow,
	// wherever they are given. With three steps valid at a time, guessing
	// around the clock succeeds once in four years.
	wrongCodeBudget = 10
	wrongCodeWindow = time.Hour
)

// totpLabel names the key that seals second-factor secrets.
const totpLabel = "totp"

// totpPlace ties a sealed secret to its row, so that it cannot be moved to
// another user's.
func totpPlace(id journal.UserID) string { return "users|totp_secret|" + string(id) }

// TOTPCandidate is a second-factor secret that is not in use yet. It is
// stored nowhere; the client holds it until it is confirmed.
type TOTPCandidate struct {
	Secret string // base32, for typing
	URL    string // otpauth://, for a QR code
}

func totpAlreadyOn() error { return journal.Conflict("The second factor is already on.") }
func totpNotOn() error     { return journal.Conflict("The second factor is not on.") }

// StartTOTP makes a candidate for the user's second factor and stores nothing.
func (s *Service) StartTOTP(ctx context.Context, id journal.UserID) (TOTPCandidate, error) {
	user, err := s.Me(ctx, id)
	if err != nil {
		return TOTPCandidate{}, err
	}
	if user.TOTPEnabled {
		return TOTPCandidate{}, totpAlreadyOn()
	}
	random := make([]byte, totpSecretSize)
	_, _ = rand.Read(random) // never fails: the program ends instead
	secret := totpText(random)
	return TOTPCandidate{Secret: secret, URL: otpauthURL(s.options.Issuer, user.Email, secret)}, nil
}

// otpauthURL writes the address that authenticator apps read. A blank is %20
// in it, since several apps show a plus sign as it stands.
func otpauthURL(issuer, account, secret string) string {
	query := url.Values{
		"secret": {secret}, "issuer": {issuer},
		"algorithm": {"SHA1"}, "digits": {"6"}, "period": {"30"},
	}
	label := url.QueryEscape(issuer) + ":" + url.QueryEscape(account)
	return "otpauth://totp/" + strings.ReplaceAll(label+"?"+query.Encode(), "+", "%20")
}

func totpText(secret []byte) string {
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(secret)
}

// parseTOTPSecret reads a candidate that came back, with or without the
// blanks, small letters and padding that people and programs add.
func parseTOTPSecret(text secrets.Secret) ([]byte, error) {
	clean := strings.TrimRight(strings.ToUpper(strings.ReplaceAll(text.Reveal(), " ", "")), "=")
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(clean)
	if err != nil || len(secret) < minTOTPSecret || len(secret) > maxTOTPSecret {
		return nil, journal.InvalidField("secret", "The secret must be base32 of %d to %d bytes; start again.", minTOTPSecret, maxTOTPSecret)
	}
	return secret, nil
}

// ConfirmTOTP turns the second factor on after a code proved that the client
// can read the candidate. The code is spent by it. Every other session of the
// user ends: whoever opened one had only the password.
func (s *Service) ConfirmTOTP(ctx context.Context, caller Principal, client Client, secret, code secrets.Secret) error {
	if err := caller.RequireSession(); err != nil {
		return err
	}
	candidate, err := parseTOTPSecret(secret)
	if err != nil {
		return err
	}
	sealed, err := s.keys.Seal(totpLabel, totpPlace(caller.UserID), candidate)
	if err != nil {
		return fmt.Errorf("sealing the second factor: %w", err)
	}
	var verdict codeVerdict
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		user, err := lockAccount(ctx, tx, caller.UserID)
		if err != nil {
			return err
		}
		if user.TOTPEnabled {
			return totpAlreadyOn()
		}
		var step int64
		if step, verdict, err = s.judgeCode(ctx, tx, user, candidate, code); err != nil || !verdict.right {
			return err
		}
		return s.enableTOTP(ctx, tx, caller, client.clean(), sealed, step)
	})
	if err != nil {
		return err
	}
	return verdict.refusal(journal.KindInvalid)
}

func (s *Service) enableTOTP(ctx context.Context, tx *db.Tx, caller Principal, client Client, sealed []byte, step int64) error {
	_, err := tx.Exec(ctx, `UPDATE users SET totp_secret = $2, totp_last_step = $3 WHERE id = $1`, caller.UserID, sealed, step)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `DELETE FROM sessions WHERE user_id = $1 AND id <> $2`, caller.UserID, caller.SessionID)
	if err != nil {
		return err
	}
	return s.record(ctx, tx, caller, client, ActionTOTPEnable, string(caller.UserID))
}

// DisableTOTP turns the second factor off. It takes the password and a code
// that was not used before.
func (s *Service) DisableTOTP(ctx context.Context, caller Principal, client Client, password, code secrets.Secret) error {
	if err := caller.RequireSession(); err != nil {
		return err
	}
	client = client.clean()
	known, err := s.account(ctx, caller.UserID)
	if err != nil {
		return err
	}
	if !known.TOTPEnabled {
		return totpNotOn()
	}
	if err := s.provePresence(ctx, known, caller, client, ActionTOTPDisable, password); err != nil {
		return err
	}
	var verdict codeVerdict
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		user, err := lockUnmoved(ctx, tx, known)
		if err != nil {
			return err
		}
		if !user.TOTPEnabled {
			return totpNotOn()
		}
		if verdict, err = s.spendCode(ctx, tx, user, code); err != nil || !verdict.right {
			return err
		}
		return s.disableTOTP(ctx, tx, caller, client, user.ID)
	})
	if err != nil {
		return err
	}
	return verdict.refusal(journal.KindInvalid)
}

// disableTOTP is one step of a transaction. It also forgives the wrong codes.
func (s *Service) disableTOTP(ctx context.Context, tx *db.Tx, caller Principal, client Client, id journal.UserID) error {
	_, err := tx.Exec(ctx, `UPDATE users SET totp_secret = NULL, totp_failures = 0 WHERE id = $1`, id)
	if err != nil {
		return err
	}
	return s.record(ctx, tx, caller, client, ActionTOTPDisable, string(id))
}

// codeVerdict is what became of a code: right, or to be tried again after a
// wait, or wrong.
type codeVerdict struct {
	right bool
	wait  time.Duration
}

func (v codeVerdict) isWrong() bool { return !v.right && v.wait == 0 }

// refusal is the answer to a code that was not right. A login calls a wrong
// code unauthorized, a signed-in user's is merely invalid.
func (v codeVerdict) refusal(kind journal.Kind) error {
	switch {
	case v.right:
		return nil
	case v.wait > 0:
		return journal.Limited(v.wait)
	}
	return &journal.Error{
		Kind: kind, Code: "totp_invalid",
		Message: "The code is wrong or was used before; wait for the next one.",
	}
}

// spendCode judges a code for a user whose second factor is on, and spends it
// when it is right: one conditional UPDATE raises the last step used, so a code
// works once, however many try it at the same moment.
func (s *Service) spendCode(ctx context.Context, tx *db.Tx, user account, code secrets.Secret) (codeVerdict, error) {
	secret, err := s.keys.Open(totpLabel, totpPlace(user.ID), user.totpSecret)
	if err != nil {
		return codeVerdict{}, fmt.Errorf("opening the second factor of user %s: %w", user.ID, err)
	}
	step, verdict, err := s.judgeCode(ctx, tx, user, secret, code)
	if err != nil || !verdict.right {
		return verdict, err
	}
	n, err := tx.Exec(ctx, `UPDATE users SET totp_last_step = $2 WHERE id = $1 AND totp_last_step < $2`, user.ID, step)
	return codeVerdict{right: n == 1}, err
}

// judgeCode compares a code and keeps the budget of wrong ones, which is in
// the database so that it holds over restarts and over several servers. A
// spent budget refuses every code unseen.
func (s *Service) judgeCode(ctx context.Context, tx *db.Tx, user account, secret []byte, code secrets.Secret) (int64, codeVerdict, error) {
	now := s.clock()
	since, count := user.failuresSince, user.totpFailures
	switch {
	case now.Sub(since) >= wrongCodeWindow:
		since, count = now, 0
	case since.After(now): // the clock was set back
		since = now
	}
	if count >= wrongCodeBudget {
		return 0, codeVerdict{wait: wrongCodeWindow - now.Sub(since)}, nil
	}
	step, ok, err := matchCode(secret, code, now)
	if err != nil || ok {
		return step, codeVerdict{right: ok}, err
	}
	_, err = tx.Exec(ctx, `UPDATE users SET totp_failures = $2, totp_failures_since = $3 WHERE id = $1`,
		user.ID, count+1, db.Micros(since))
	return 0, codeVerdict{}, err
}

// matchCode finds the step, of those that are valid now, whose code was given.
func matchCode(secret []byte, code secrets.Secret, now time.Time) (int64, bool, error) {
	given := strings.ReplaceAll(code.Reveal(), " ", "")
	present := now.Unix() / int64(totpPeriod/time.Second)
	for step := present + totpSkew; step >= present-totpSkew; step-- {
		want, err := codeAt(secret, step)
		if err != nil {
			return 0, false, err
		}
		if subtle.ConstantTimeCompare([]byte(given), []byte(want)) == 1 {
			return step, true, nil
		}
	}
	return 0, false, nil
}

// codeAt is the code of one step: RFC 6238 with SHA-1 and six digits, which
// is what authenticator apps know.
func codeAt(secret []byte, step int64) (string, error) {
	code, err := hotp.GenerateCodeCustom(totpText(secret), uint64(step), hotp.ValidateOpts{
		Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1,
	})
	if err != nil {
		return "", fmt.Errorf("computing a one-time code: %w", err)
	}
	return code, nil
}
