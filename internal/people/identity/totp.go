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

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
)

const (
	// totpSecretSize is the size recommended by RFC 4226: a SHA-1 sum.
	totpSecretSize = 20
	// Limits for a candidate sent by the client, so it cannot be guessed.
	minTOTPSecret = 16
	maxTOTPSecret = 64

	totpPeriod = 30 * time.Second
	// totpSkew is how many steps a phone's clock may differ, in either direction.
	totpSkew = 1

	// wrongCodeBudget is how many wrong codes are accepted per user in wrongCodeWindow.
	// With three valid steps at a time, continuous guessing succeeds once in four years.
	wrongCodeBudget = 10
	wrongCodeWindow = time.Hour
)

// totpLabel is the label for the key encrypting second-factor secrets.
const totpLabel = "totp"

// totpContext binds an encrypted secret to its row, so it cannot be copied to another
// user.
func totpContext(id journal.PublicID) string { return "users|totp_secret|" + string(id) }

// TOTPCandidate is a second-factor secret not in use yet. It is not stored; the client
// keeps it until it is confirmed.
type TOTPCandidate struct {
	Secret string // base32, for typing
	URL    string // otpauth://, for a QR code
}

func newTOTPAlreadyOn() error { return journal.Conflict("The second factor is already on.") }
func newTOTPNotOn() error     { return journal.Conflict("The second factor is not on.") }

// StartTOTP returns a candidate for the user's second factor. It stores
// nothing.
func (s *secondFactor) StartTOTP(ctx context.Context, id journal.UserID) (TOTPCandidate, error) {
	user, err := s.users.Me(ctx, id)
	if err != nil {
		return TOTPCandidate{}, err
	}
	if user.TOTPEnabled {
		return TOTPCandidate{}, newTOTPAlreadyOn()
	}
	random := make([]byte, totpSecretSize)
	_, _ = rand.Read(random) // never fails; see crypto/rand
	secret := totpText(random)
	return TOTPCandidate{Secret: secret, URL: otpauthURL(s.options.Issuer, user.Email, secret)}, nil
}

// otpauthURL returns the URL for authenticator apps. Spaces are encoded as %20,
// because several apps show a plus sign unchanged.
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

// parseTOTPSecret decodes a candidate, with or without spaces, lower case
// letters and padding.
func parseTOTPSecret(text secrets.Secret) ([]byte, error) {
	clean := strings.TrimRight(strings.ToUpper(strings.ReplaceAll(text.Reveal(), " ", "")), "=")
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(clean)
	if err != nil || len(secret) < minTOTPSecret || len(secret) > maxTOTPSecret {
		return nil, journal.InvalidField("secret", "The secret must be base32 of %d to %d bytes. Start again.", minTOTPSecret, maxTOTPSecret)
	}
	return secret, nil
}

// ConfirmTOTP turns on the second factor after a code has shown that the client can use
// the candidate. The code is used up. All the user's other sessions end, because they
// were opened with the password only.
func (s *secondFactor) ConfirmTOTP(ctx context.Context, caller Principal, client Client, secret, code secrets.Secret) error {
	if err := caller.RequireSession(); err != nil {
		return err
	}
	candidate, err := parseTOTPSecret(secret)
	if err != nil {
		return err
	}
	sealed, err := s.keys.Seal(totpLabel, totpContext(caller.PublicID), candidate)
	if err != nil {
		return fmt.Errorf("encrypting the second factor: %w", err)
	}
	var verdict codeVerdict
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		user, err := lockAccount(ctx, tx, caller.UserID)
		if err != nil {
			return err
		}
		if user.TOTPEnabled {
			return newTOTPAlreadyOn()
		}
		var step int64
		if step, verdict, err = s.checkCode(ctx, tx, user, candidate, code); err != nil || !verdict.right {
			return err
		}
		return s.enableTOTP(ctx, tx, caller, client.clean(), sealed, step)
	})
	if err != nil {
		return err
	}
	return verdict.refusal(journal.KindInvalid)
}

func (s *secondFactor) enableTOTP(ctx context.Context, tx *db.Tx, caller Principal, client Client, sealed []byte, step int64) error {
	_, err := tx.Exec(ctx, `UPDATE users SET totp_secret = $2 WHERE number = $1`, caller.UserID, sealed)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE user_states SET totp_last_step = $2 WHERE user_id = $1`, caller.UserID, step)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `DELETE FROM sessions WHERE user_id = $1 AND id <> $2`, caller.UserID, caller.SessionID)
	if err != nil {
		return err
	}
	return s.record(ctx, tx, caller, client, ActionTOTPEnable, string(caller.PublicID))
}

// DisableTOTP turns off the second factor. It requires the password and an
// unused code.
func (s *secondFactor) DisableTOTP(ctx context.Context, caller Principal, client Client, password, code secrets.Secret) error {
	if err := caller.RequireSession(); err != nil {
		return err
	}
	client = client.clean()
	known, err := s.users.account(ctx, caller.UserID)
	if err != nil {
		return err
	}
	if !known.TOTPEnabled {
		return newTOTPNotOn()
	}
	if err := s.verifyOwnPassword(ctx, known, caller, client, ActionTOTPDisable, password); err != nil {
		return err
	}
	var verdict codeVerdict
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		user, err := lockUnchanged(ctx, tx, known)
		if err != nil {
			return err
		}
		if !user.TOTPEnabled {
			return newTOTPNotOn()
		}
		if verdict, err = s.spendCode(ctx, tx, user, code); err != nil || !verdict.right {
			return err
		}
		return s.disableTOTP(ctx, tx, caller, client, user.User)
	})
	if err != nil {
		return err
	}
	return verdict.refusal(journal.KindInvalid)
}

// disableTOTP turns off the second factor and resets the wrong code count, within a
// transaction.
func (s *secondFactor) disableTOTP(ctx context.Context, tx *db.Tx, caller Principal, client Client, user User) error {
	_, err := tx.Exec(ctx, `UPDATE user_states SET totp_failures = 0 WHERE user_id = $1`, user.ID)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE users SET totp_secret = NULL WHERE number = $1`, user.ID)
	if err != nil {
		return err
	}
	if !user.TOTPEnabled { // nothing has changed, and only the audit has it
		return RecordAudit(ctx, tx, s.event(caller, client, ActionTOTPDisable, string(user.PublicID)))
	}
	return s.record(ctx, tx, caller, client, ActionTOTPDisable, string(user.PublicID))
}

// codeVerdict is the result of checking a code: right, wrong, or not checked
// before a wait.
type codeVerdict struct {
	right bool
	wait  time.Duration
}

func (v codeVerdict) isWrong() bool { return !v.right && v.wait == 0 }

// refusal returns the error for an incorrect code. kind is for a wrong code.
func (v codeVerdict) refusal(kind journal.Kind) error {
	switch {
	case v.right:
		return nil
	case v.wait > 0:
		return journal.Limited(v.wait)
	}
	return &journal.Error{
		Kind: kind, Code: "totp_invalid",
		Message: "The code is wrong or was already used. Wait for the next one.",
	}
}

// spendCode checks the code from a user with a second factor and uses it up if it is
// right. One conditional UPDATE raises the last used step, so a code works once, even if
// several requests send it at the same time.
func (s *secondFactor) spendCode(ctx context.Context, tx *db.Tx, user account, code secrets.Secret) (codeVerdict, error) {
	secret, err := s.keys.Open(totpLabel, totpContext(user.PublicID), user.totpSecret)
	if err != nil {
		return codeVerdict{}, fmt.Errorf("decrypting the second factor of user %s: %w", user.PublicID, err)
	}
	step, verdict, err := s.checkCode(ctx, tx, user, secret, code)
	if err != nil || !verdict.right {
		return verdict, err
	}
	n, err := tx.Exec(ctx, `UPDATE user_states SET totp_last_step = $2 WHERE user_id = $1 AND totp_last_step < $2`, user.ID, step)
	return codeVerdict{right: n == 1}, err
}

// checkCode compares a code and counts wrong ones. The count is in the database, so it
// survives restarts and applies to several servers. If it is used up, codes are not
// compared.
func (s *secondFactor) checkCode(ctx context.Context, tx *db.Tx, user account, secret []byte, code secrets.Secret) (int64, codeVerdict, error) {
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
	_, err = tx.Exec(ctx, `UPDATE user_states SET totp_failures = $2, totp_failures_since = $3 WHERE user_id = $1`,
		user.ID, count+1, db.Micros(since))
	return 0, codeVerdict{}, err
}

// matchCode returns the currently valid step whose code was given.
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

// codeAt returns a step's code: RFC 6238 with SHA-1 and six digits, which authenticator
// apps support.
func codeAt(secret []byte, step int64) (string, error) {
	code, err := hotp.GenerateCodeCustom(totpText(secret), uint64(step), hotp.ValidateOpts{
		Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1,
	})
	if err != nil {
		return "", fmt.Errorf("computing a one-time code: %w", err)
	}
	return code, nil
}
