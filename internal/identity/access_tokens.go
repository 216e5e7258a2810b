package identity

import (
	"context"
	"crypto/rand"
	"fmt"
	"hash/crc32"
	"math/big"
	"strings"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/secrets"
)

// An access token reads svc_pat_ + 43 base62 characters (32 random bytes) + 6
// base62 characters of the CRC-32 of all before them. The prefix lets a
// secret scanner find one, the checksum lets it be sure, and a mistyped token
// is refused without a look at the database.
const (
	accessTokenPrefix = "svc_pat_"
	accessTokenBytes  = 32
	accessTokenBody   = 43
	accessTokenSum    = 6
	accessTokenLength = len(accessTokenPrefix) + accessTokenBody + accessTokenSum
	// shownPrefix is how much of a token is kept and shown to recognise it.
	shownPrefix = 12
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// The scopes of an access token.
const (
	// ScopeFull reads and writes.
	ScopeFull = "full"
	// ScopeRead only reads.
	ScopeRead = "read"
)

// AccessToken is a personal access token as its owner may see it later: all
// but the secret.
type AccessToken struct {
	ID   journal.TokenID
	Name string
	// Prefix is the beginning of the secret, to recognise it by.
	Prefix    string
	Scope     string
	CreatedAt time.Time
	// ExpiresAt is nil for a token that never does. From that instant on the
	// token is refused.
	ExpiresAt *time.Time
	// LastUsedAt is right to the minute; nil before the first use.
	LastUsedAt *time.Time
}

// TokenUse is one use of an access token by a client that looked new.
type TokenUse struct {
	UsedAt    time.Time
	IP        string
	UserAgent string
}

func newAccessToken() secrets.Secret {
	random := make([]byte, accessTokenBytes)
	_, _ = rand.Read(random) // never fails: the program ends instead
	body := accessTokenPrefix + base62Text(new(big.Int).SetBytes(random), accessTokenBody)
	return secrets.Secret(body + checksum(body))
}

// base62Text writes a number with so many digits.
func base62Text(number *big.Int, width int) string {
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
	return base62Text(new(big.Int).SetUint64(uint64(sum)), accessTokenSum)
}

// isAccessToken tells whether a text is shaped like a token of ours.
func isAccessToken(token secrets.Secret) bool {
	text := token.Reveal()
	if len(text) != accessTokenLength || !strings.HasPrefix(text, accessTokenPrefix) {
		return false
	}
	body := text[:len(text)-accessTokenSum]
	return text[len(body):] == checksum(body)
}

// expiry turns the choice of days into an instant: exactly so many times 24
// hours from now, or never.
func expiry(days *int, now time.Time) (*time.Time, error) {
	if days == nil {
		return nil, nil
	}
	switch *days {
	case 30, 90, 365:
		at := now.Add(time.Duration(*days) * 24 * time.Hour)
		return &at, nil
	}
	return nil, journal.InvalidField("expires_in_days", "expires_in_days must be 30, 90 or 365, or be left out for a token that never expires.")
}

// MintAccessToken makes a token and gives its secret, which is stored nowhere
// and can never be read again. scope may be empty for [ScopeFull]. A token
// cannot mint tokens.
func (s *Service) MintAccessToken(ctx context.Context, caller Principal, client Client, name string, expiresInDays *int, scope string) (AccessToken, secrets.Secret, error) {
	token, err := s.describeToken(caller, name, expiresInDays, scope)
	if err != nil {
		return AccessToken{}, "", err
	}
	secret := newAccessToken()
	token.Prefix = secret.Reveal()[:shownPrefix]
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO access_tokens (user_id, id, name, token_prefix, hash, scope, created_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			caller.UserID, token.ID, token.Name, token.Prefix, tokenHash(secret), token.Scope,
			db.Micros(token.CreatedAt), db.NullMicros(token.ExpiresAt))
		if err != nil {
			return fmt.Errorf("storing an access token: %w", err)
		}
		return s.record(ctx, tx, caller, client, ActionAccessTokenMint, string(token.ID))
	})
	if err != nil {
		return AccessToken{}, "", err
	}
	return token, secret, nil
}

// describeToken checks what was asked for.
func (s *Service) describeToken(caller Principal, name string, expiresInDays *int, scope string) (AccessToken, error) {
	if err := caller.RequireSession(); err != nil {
		return AccessToken{}, err
	}
	token := AccessToken{ID: journal.NewID[journal.TokenID](), Scope: scope, CreatedAt: s.clock()}
	var err error
	if token.Name, err = journal.CleanRequiredName("name", name); err != nil {
		return AccessToken{}, err
	}
	switch scope {
	case "":
		token.Scope = ScopeFull
	case ScopeFull, ScopeRead:
	default:
		return AccessToken{}, journal.InvalidField("scope", "scope must be read or full.")
	}
	token.ExpiresAt, err = expiry(expiresInDays, token.CreatedAt)
	return token, err
}

const tokenColumns = `SELECT id, name, token_prefix, scope, created_at, expires_at, last_used_at FROM access_tokens`

func scanAccessToken(row db.Scanner) (AccessToken, error) {
	var t AccessToken
	err := row.Scan(&t.ID, &t.Name, &t.Prefix, &t.Scope, db.Instant(&t.CreatedAt), db.NullInstant(&t.ExpiresAt), db.NullInstant(&t.LastUsedAt))
	return t, err
}

// AccessTokens lists a user's tokens, newest first, expired ones too.
func (s *Service) AccessTokens(ctx context.Context, owner journal.UserID) ([]AccessToken, error) {
	s.settle(ctx)
	var tokens []AccessToken
	err := s.db.Peek(ctx, func(tx *db.Tx) error {
		var err error
		tokens, err = db.List(ctx, tx, scanAccessToken, tokenColumns+` WHERE user_id = $1 ORDER BY created_at DESC, id DESC`, owner)
		return err
	})
	return tokens, err
}

// RevokeAccessToken deletes a token; it is refused from the next request on.
// check, which may be nil, sees the stored token first and may refuse.
func (s *Service) RevokeAccessToken(ctx context.Context, caller Principal, client Client, id journal.TokenID, check func(AccessToken) error) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		token, err := scanAccessToken(tx.QueryRow(ctx, tokenColumns+` WHERE user_id = $1 AND id = $2`+tx.Lock(), caller.UserID, id))
		if err != nil {
			return orNotFound(err, "access token")
		}
		if check != nil {
			if err := check(token); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, `DELETE FROM access_tokens WHERE user_id = $1 AND id = $2`, caller.UserID, id); err != nil {
			return fmt.Errorf("revoking an access token: %w", err)
		}
		return s.record(ctx, tx, caller, client, ActionAccessTokenRevoke, string(id))
	})
}

// AccessTokenUses lists by what a token was used, newest first. A token that
// is unknown or somebody else's has no uses.
func (s *Service) AccessTokenUses(ctx context.Context, owner journal.UserID, id journal.TokenID) ([]TokenUse, error) {
	s.settle(ctx)
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
