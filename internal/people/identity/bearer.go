package identity

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
)

// AccessTokenLifetime is how long a session's access token is valid.
const AccessTokenLifetime = 15 * time.Minute

const (
	// accessType is the typ claim. Tokens signed for another purpose are not
	// access tokens.
	accessType = "access"
	// clockLeeway is how far the signing server's clock may be ahead. It does not extend
	// a token's lifetime.
	clockLeeway = 30 * time.Second
	// maxBearer is longer than any credential we issue.
	maxBearer = 2048
)

// accessClaims are an access token's contents: sub, sid, iat, exp, jti and typ. It has no
// role, which is read from the user's row for each request.
type accessClaims struct {
	SessionID journal.SessionID `json:"sid"`
	Type      string            `json:"typ"`
	jwt.RegisteredClaims
}

// signAccessToken returns a session's access token.
func (s *sessionStore) signAccessToken(of refreshToken, now time.Time) (secrets.Secret, error) {
	claims := accessClaims{SessionID: of.session, Type: accessType, RegisteredClaims: jwt.RegisteredClaims{
		Subject: string(of.public), ID: newTokenName(of.user),
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(AccessTokenLifetime)),
	}}
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(s.keys.JWT())
	if err != nil {
		return "", fmt.Errorf("signing an access token: %w", err)
	}
	return secrets.Secret(text), nil
}

// newTokenName returns a new jti. It begins with the user's number, so the user's rows
// can be read without looking the number up.
func newTokenName(user journal.UserID) string {
	return strconv.FormatInt(int64(user), 10) + "." + journal.NewID[string]()
}

// userNumber returns the number in the jti. It is 0 in tokens issued before users had
// numbers. The subject decides who the user is.
func (c *accessClaims) userNumber() journal.UserID {
	text, _, _ := strings.Cut(c.ID, ".")
	number, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0
	}
	return journal.UserID(number)
}

// newJWTParser returns a parser accepting one algorithm only. parseAccessToken checks the
// times.
func newJWTParser() *jwt.Parser {
	return jwt.NewParser(jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation())
}

var (
	errUnknownHeader = errors.New("the token has an unknown header field")
	errNotAccess     = errors.New("the token is not a valid access token")
)

// parseAccessToken returns the claims in a currently valid access token. Whether its
// session and its user exist is read from the database at each request; only the result
// of checking the signature is cached.
func (s *authenticator) parseAccessToken(bearer string) (accessClaims, error) {
	hash := sha256.Sum256([]byte(bearer))
	claims, known := s.claims.find(hash)
	if !known {
		var err error
		if claims, err = s.verifyAccessToken(bearer); err != nil {
			return accessClaims{}, err
		}
		s.claims.add(hash, claims)
	}
	if !claims.isValid(s.clock()) {
		return accessClaims{}, errNotAccess
	}
	return claims, nil
}

// verifyAccessToken returns a signed token's claims.
func (s *authenticator) verifyAccessToken(bearer string) (accessClaims, error) {
	var claims accessClaims
	_, err := s.jwt.ParseWithClaims(bearer, &claims, func(token *jwt.Token) (any, error) {
		for name := range token.Header {
			if name != "alg" && name != "typ" {
				return nil, errUnknownHeader // crit, jku, jwk, x5u, …
			}
		}
		return s.keys.JWT(), nil
	})
	return claims, err
}

// maxCachedClaims bounds the claims cache to a few MiB.
const maxCachedClaims = 10_000

// claimsCache keeps the claims in signed tokens in use, by token hash. They never change:
// a process has one key.
type claimsCache struct {
	mu     sync.RWMutex
	claims map[[sha256.Size]byte]accessClaims
}

func (c *claimsCache) find(hash [sha256.Size]byte) (accessClaims, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	claims, ok := c.claims[hash]
	return claims, ok
}

func (c *claimsCache) add(hash [sha256.Size]byte, claims accessClaims) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.claims == nil || len(c.claims) >= maxCachedClaims {
		c.claims = map[[sha256.Size]byte]accessClaims{}
	}
	c.claims[hash] = claims
}

func (c *accessClaims) isValid(now time.Time) bool {
	ahead := now.Add(clockLeeway)
	return c.Type == accessType && c.Subject != "" &&
		c.ExpiresAt != nil && now.Before(c.ExpiresAt.Time) &&
		(c.IssuedAt == nil || !c.IssuedAt.After(ahead)) &&
		(c.NotBefore == nil || !c.NotBefore.After(ahead))
}

// newBadCredential returns the same error for every invalid credential: unknown,
// malformed, expired, revoked, or a deleted user's.
func newBadCredential() error {
	return journal.Unauthorized("The credential is missing, wrong or expired. Sign in again.")
}

// Authenticate returns the owner of a bearer credential: a session's access token or a
// personal access token. It reads the user's row every time, so deleting or demoting a
// user takes effect with the next request. It costs one indexed read, two for an access
// token's first use; a token's use is recorded in the background.
func (s *authenticator) Authenticate(ctx context.Context, bearer string, client Client) (Principal, error) {
	if bearer == "" || len(bearer) > maxBearer {
		return Principal{}, newBadCredential()
	}
	var caller Principal
	var err error
	if strings.HasPrefix(bearer, accessTokenPrefix) {
		caller, err = s.authenticateToken(ctx, secrets.Secret(bearer), client)
	} else {
		caller, err = s.authenticateSession(ctx, bearer)
	}
	if errors.Is(err, db.ErrNoRows) {
		return Principal{}, newBadCredential()
	}
	if err != nil {
		return Principal{}, err
	}
	s.recorder.addSeen(caller.UserID)
	return caller, nil
}

func (s *authenticator) authenticateSession(ctx context.Context, bearer string) (Principal, error) {
	claims, err := s.parseAccessToken(bearer)
	if err != nil {
		return Principal{}, newBadCredential()
	}
	caller := Principal{
		UserID: claims.userNumber(), PublicID: journal.PublicID(claims.Subject), SessionID: claims.SessionID, Credential: CredentialSession,
	}
	err = s.db.Peek(ctx, func(tx *db.Tx) error {
		if caller.UserID == 0 {
			if caller.UserID, err = UserNumber(ctx, tx, caller.PublicID); err != nil {
				return err
			}
		}
		return tx.QueryRow(ctx, `SELECT email, is_admin, created_at, totp_secret IS NOT NULL, NOT EXISTS (
				SELECT 1 FROM sessions WHERE user_id = $1 AND sessions.id = $2 AND expires_at > $3)
			FROM users WHERE number = $1 AND users.id = $4`, caller.UserID, caller.SessionID, db.Micros(s.clock()), caller.PublicID).
			Scan(&caller.Email, &caller.IsAdmin, db.Instant(&caller.CreatedAt), &caller.TOTPEnabled, &caller.SessionEnded)
	})
	return caller, err
}

// AuthenticateApp is [Service.Authenticate] for the resource that apps get access tokens
// for through OAuth. Authenticate refuses those.
func (s *authenticator) AuthenticateApp(ctx context.Context, bearer string, client Client) (Principal, error) {
	token := secrets.Secret(bearer)
	if !isTokenOf(appAccessPrefix, token) {
		return s.Authenticate(ctx, bearer, client)
	}
	caller := Principal{Credential: CredentialToken}
	var secretEnds time.Time
	var tokenEnds *time.Time
	hash := tokenHash(token)
	err := s.db.Peek(ctx, func(tx *db.Tx) error {
		return s.owners.withOwner(ctx, tx, hash, func(owner journal.UserID) error {
			caller.UserID = owner
			return tx.QueryRow(ctx, `SELECT u.id, t.id, t.name, t.scope, t.account_ids, t.expires_at, a.expires_at, u.email, u.is_admin, u.created_at, u.totp_secret IS NOT NULL
				FROM app_secrets a JOIN access_tokens t ON t.user_id = a.user_id AND t.id = a.token_id JOIN users u ON u.number = a.user_id
				WHERE a.user_id = $1 AND a.hash = $2`, owner, hash).
				Scan(&caller.PublicID, &caller.TokenID, &caller.TokenName, &caller.Scope, storedList[journal.AccountID]{&caller.Accounts},
					db.NullInstant(&tokenEnds), db.Instant(&secretEnds), &caller.Email, &caller.IsAdmin, db.Instant(&caller.CreatedAt), &caller.TOTPEnabled)
		})
	})
	now := s.clock()
	if errors.Is(err, db.ErrNoRows) || err == nil && (!now.Before(secretEnds) || tokenEnds != nil && !now.Before(*tokenEnds)) {
		return Principal{}, newBadCredential()
	}
	if err != nil {
		return Principal{}, err
	}
	s.recorder.addUse(caller.UserID, caller.TokenID, client)
	s.recorder.addSeen(caller.UserID)
	return caller, nil
}

func (s *authenticator) authenticateToken(ctx context.Context, token secrets.Secret, client Client) (Principal, error) {
	if !isAccessToken(token) {
		return Principal{}, newBadCredential()
	}
	caller := Principal{Credential: CredentialToken}
	var expiresAt *time.Time
	var allowedIPs []string
	hash := tokenHash(token)
	err := s.db.Peek(ctx, func(tx *db.Tx) error {
		return s.owners.withOwner(ctx, tx, hash, func(owner journal.UserID) error {
			caller.UserID = owner
			return tx.QueryRow(ctx, `SELECT u.id, t.id, t.name, t.scope, t.account_ids, t.allowed_ips, t.expires_at, u.email, u.is_admin, u.created_at, u.totp_secret IS NOT NULL
				FROM access_tokens t JOIN users u ON u.number = t.user_id WHERE t.user_id = $1 AND t.hash = $2`, owner, hash).
				Scan(&caller.PublicID, &caller.TokenID, &caller.TokenName, &caller.Scope, storedList[journal.AccountID]{&caller.Accounts},
					storedList[string]{&allowedIPs}, db.NullInstant(&expiresAt), &caller.Email, &caller.IsAdmin,
					db.Instant(&caller.CreatedAt), &caller.TOTPEnabled)
		})
	})
	if err != nil {
		return Principal{}, err
	}
	if expiresAt != nil && !s.clock().Before(*expiresAt) {
		return Principal{}, newBadCredential()
	}
	if allowedIPs != nil && !containsAddress(allowedIPs, client.IP) {
		return Principal{}, addressRefused()
	}
	s.recorder.addUse(caller.UserID, caller.TokenID, client)
	return caller, nil
}
