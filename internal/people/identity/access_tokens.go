package identity

import (
	"context"
	"crypto/rand"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/big"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/base/secrets"
)

// An access token is svc_pat_, 43 base62 characters (32 random bytes) and 6 base62
// characters for the CRC-32 of all before. Secret scanners can find it by the
// prefix and verify it by the checksum, and a mistyped token is rejected without
// a query.
const (
	accessTokenPrefix = "svc_pat_"
	accessTokenBytes  = 32
	accessTokenBody   = 43
	accessTokenSum    = 6
	accessTokenLength = len(accessTokenPrefix) + accessTokenBody + accessTokenSum
	// prefixLength is how much of a token is stored and shown, so users can recognize it.
	prefixLength = 12
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// AccessToken is a personal access token without its secret.
type AccessToken struct {
	ID   journal.TokenID
	Name string
	// Prefix is the secret's beginning.
	Prefix string
	Scope  Scope
	// Accounts are the token's accounts; nil means all.
	Accounts []journal.AccountID
	// AllowedIPs are the addresses and ranges it can be used from; nil means any.
	AllowedIPs []string
	CreatedAt  time.Time
	// ExpiresAt is when the token becomes invalid; nil means never.
	ExpiresAt *time.Time
	// LastUsedAt is accurate to the minute; nil before the first use.
	LastUsedAt *time.Time
	// App is the app that got the token through OAuth; nil for tokens that users created.
	App *TokenApp
}

// TokenUse is an access token's use by a client that had not used it recently.
type TokenUse struct {
	UsedAt    time.Time
	IP        string
	UserAgent string
}

func newAccessToken() secrets.Secret { return newTokenOf(accessTokenPrefix) }

// newTokenOf returns a random token in the format of access tokens, with another prefix.
func newTokenOf(prefix string) secrets.Secret {
	random := make([]byte, accessTokenBytes)
	_, _ = rand.Read(random) // never fails; see crypto/rand
	body := prefix + formatBase62(new(big.Int).SetBytes(random), accessTokenBody)
	return secrets.Secret(body + checksum(body))
}

// formatBase62 formats a number with width digits.
func formatBase62(number *big.Int, width int) string {
	digits := make([]byte, width)
	base, digit := big.NewInt(int64(len(base62))), new(big.Int)
	for i := width - 1; i >= 0; i-- {
		number.DivMod(number, base, digit)
		digits[i] = base62[digit.Int64()]
	}
	return string(digits)
}

func checksum(body string) string {
	sum := crc32.ChecksumIEEE([]byte(body))
	return formatBase62(new(big.Int).SetUint64(uint64(sum)), accessTokenSum)
}

// isAccessToken reports whether a text has an access token's format and checksum.
func isAccessToken(token secrets.Secret) bool { return isTokenOf(accessTokenPrefix, token) }

// IsPersonalToken reports whether a credential looks like an access token that a user
// created, valid or not.
func IsPersonalToken(credential string) bool { return strings.HasPrefix(credential, accessTokenPrefix) }

// isTokenOf is isAccessToken for another prefix of the same length.
func isTokenOf(prefix string, token secrets.Secret) bool {
	text := token.Reveal()
	if len(text) != accessTokenLength || !strings.HasPrefix(text, prefix) {
		return false
	}
	body := text[:len(text)-accessTokenSum]
	return text[len(body):] == checksum(body)
}

// parseExpiry returns a new token's expiry: days times 24 hours from now, or nil for
// never.
func parseExpiry(days *int, now time.Time) (*time.Time, error) {
	if days == nil {
		return nil, nil
	}
	switch *days {
	case 30, 90, 365:
		at := now.Add(time.Duration(*days) * 24 * time.Hour)
		return &at, nil
	}
	return nil, journal.InvalidField("expires_in_days", "expires_in_days must be 30, 90 or 365. Leave it out for a token that never expires.")
}

// NewToken has a new access token's values. Only Name is required.
type NewToken struct {
	Name string
	// Scope is a scope name; empty means [ScopeFull].
	Scope string
	// ExpiresInDays and ExpiresAt are two ways to set the expiry.
	ExpiresInDays *int
	ExpiresAt     *time.Time
	// Accounts and AllowedIPs limit the token; nil is no limit. The caller checks that
	// the accounts are the user's.
	Accounts   []journal.AccountID
	AllowedIPs []string
}

// MintAccessToken creates a token and returns its secret, which is not stored.
// A caller with an access token cannot create tokens.
func (s *tokenStore) MintAccessToken(ctx context.Context, caller Principal, client Client, in NewToken) (AccessToken, secrets.Secret, error) {
	token, err := s.newTokenRecord(caller, in)
	if err != nil {
		return AccessToken{}, "", err
	}
	secret := newAccessToken()
	token.Prefix = secret.Reveal()[:prefixLength]
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		if err := limits.AccessTokens.Check(ctx, tx, caller.UserID, `SELECT COUNT(*) FROM access_tokens WHERE user_id = $1`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO access_tokens
			(user_id, id, name, token_prefix, hash, scope, created_at, expires_at, account_ids, allowed_ips)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
			caller.UserID, token.ID, token.Name, token.Prefix, tokenHash(secret), token.Scope,
			db.Micros(token.CreatedAt), db.NullMicros(token.ExpiresAt), storedList[journal.AccountID]{&token.Accounts}, storedList[string]{&token.AllowedIPs})
		if err != nil {
			return fmt.Errorf("storing an access token: %w", err)
		}
		if err := AddTokenOwner(ctx, tx, tokenHash(secret), caller.UserID, token.ExpiresAt); err != nil {
			return err
		}
		return s.record(ctx, tx, caller, client, ActionAccessTokenMint, string(token.ID))
	})
	if err != nil {
		return AccessToken{}, "", err
	}
	return token, secret, nil
}

// newTokenRecord checks the request and returns the token to store.
func (s *tokenStore) newTokenRecord(caller Principal, in NewToken) (AccessToken, error) {
	if err := caller.RequireSession(); err != nil {
		return AccessToken{}, err
	}
	token := AccessToken{ID: journal.NewID[journal.TokenID](), CreatedAt: s.clock(), Accounts: in.Accounts}
	var err error
	if token.Name, err = journal.CleanRequiredName("name", in.Name); err != nil {
		return AccessToken{}, err
	}
	if token.Scope, err = parseScope(in.Scope); err != nil {
		return AccessToken{}, err
	}
	if in.Accounts != nil && (len(in.Accounts) == 0 || len(in.Accounts) > maxTokenAccounts) {
		return AccessToken{}, journal.InvalidField("account_ids", "account_ids must name 1 to %d accounts. Leave it out to allow all.", maxTokenAccounts)
	}
	if in.AllowedIPs != nil {
		if token.AllowedIPs, err = checkAddressRanges(in.AllowedIPs); err != nil {
			return AccessToken{}, err
		}
	}
	token.ExpiresAt, err = in.expiry(token.CreatedAt)
	return token, err
}

// maxTokenAccounts is how many accounts a token may name.
const maxTokenAccounts = 200

// expiry returns when the token becomes invalid, or nil for never.
func (n NewToken) expiry(now time.Time) (*time.Time, error) {
	switch {
	case n.ExpiresAt == nil:
		return parseExpiry(n.ExpiresInDays, now)
	case n.ExpiresInDays != nil:
		return nil, journal.InvalidField("expires_at", "Send expires_at or expires_in_days, not both.")
	case !n.ExpiresAt.After(now):
		return nil, journal.InvalidField("expires_at", "expires_at must be in the future.")
	}
	return n.ExpiresAt, nil
}

// storedList is a list in a JSON column; NULL is nil.
type storedList[T ~string] struct{ list *[]T }

// Value implements driver.Valuer.
func (s storedList[T]) Value() (driver.Value, error) {
	if *s.list == nil {
		return nil, nil
	}
	text, err := json.Marshal(*s.list)
	return string(text), err
}

// Scan implements sql.Scanner.
func (s storedList[T]) Scan(value any) error {
	switch text := value.(type) {
	case nil:
		*s.list = nil
		return nil
	case string:
		return json.Unmarshal([]byte(text), s.list)
	case []byte:
		return json.Unmarshal(text, s.list)
	}
	return fmt.Errorf("a list must be a text, not %T", value)
}

const tokenColumns = `SELECT id, name, token_prefix, scope, account_ids, allowed_ips, created_at, expires_at, last_used_at, client_id, redirect_uri FROM access_tokens`

func scanAccessToken(row db.Scanner) (AccessToken, error) {
	var t AccessToken
	var clientID, redirectURI *string
	err := row.Scan(&t.ID, &t.Name, &t.Prefix, &t.Scope, storedList[journal.AccountID]{&t.Accounts}, storedList[string]{&t.AllowedIPs},
		db.Instant(&t.CreatedAt), db.NullInstant(&t.ExpiresAt), db.NullInstant(&t.LastUsedAt), &clientID, &redirectURI)
	if clientID != nil && redirectURI != nil {
		t.App = &TokenApp{ClientID: *clientID, RedirectURI: *redirectURI}
	}
	return t, err
}

// AccessTokens returns a user's tokens, newest first, including expired ones.
func (s *tokenStore) AccessTokens(ctx context.Context, owner journal.UserID) ([]AccessToken, error) {
	s.flushBriefly(ctx)
	var tokens []AccessToken
	err := s.db.Peek(ctx, func(tx *db.Tx) error {
		var err error
		tokens, err = db.List(ctx, tx, scanAccessToken, tokenColumns+` WHERE user_id = $1 ORDER BY created_at DESC, id DESC`, owner)
		return err
	})
	return tokens, err
}

// RevokeAccessToken deletes a token; it is invalid from the next request on.
// check may be nil; it is called with the stored token and may return an error.
func (s *tokenStore) RevokeAccessToken(ctx context.Context, caller Principal, client Client, id journal.TokenID, check func(AccessToken) error) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		token, err := scanAccessToken(tx.QueryRow(ctx, tokenColumns+` WHERE user_id = $1 AND id = $2`+tx.Lock(), caller.UserID, id))
		if err != nil {
			return toNotFound(err, "access token")
		}
		if check != nil {
			if err := check(token); err != nil {
				return err
			}
		}
		var hash []byte
		err = tx.QueryRow(ctx, `DELETE FROM access_tokens WHERE user_id = $1 AND id = $2 RETURNING hash`, caller.UserID, id).Scan(&hash)
		if err != nil {
			return fmt.Errorf("revoking an access token: %w", err)
		}
		if err := DeleteTokenOwner(ctx, tx, hash); err != nil {
			return err
		}
		return s.record(ctx, tx, caller, client, ActionAccessTokenRevoke, string(id))
	})
}

// AccessTokenUses returns a token's uses, newest first. There are none for an unknown
// token or another user's.
func (s *tokenStore) AccessTokenUses(ctx context.Context, owner journal.UserID, id journal.TokenID) ([]TokenUse, error) {
	s.flushBriefly(ctx)
	var uses []TokenUse
	err := s.db.Peek(ctx, func(tx *db.Tx) error {
		var err error
		uses, err = db.List(ctx, tx, scanTokenUse, `SELECT used_at, ip, user_agent FROM access_token_uses
			WHERE user_id = $1 AND token_id = $2 ORDER BY used_at DESC, id DESC`, owner, id)
		return err
	})
	return uses, err
}

func scanTokenUse(row db.Scanner) (TokenUse, error) {
	var u TokenUse
	err := row.Scan(db.Instant(&u.UsedAt), &u.IP, &u.UserAgent)
	return u, err
}
