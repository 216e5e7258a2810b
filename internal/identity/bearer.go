package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/secrets"
)

// AccessTokenLifetime is how long an access token of a session is good for.
const AccessTokenLifetime = 15 * time.Minute

const (
	// accessType is the typ claim: what is signed for another purpose is no
	// access token.
	accessType = "access"
	// clockLeeway is how far ahead of ours the clock of the server that signed
	// may be. It never lengthens a token's life.
	clockLeeway = 30 * time.Second
	// maxBearer is longer than any credential of ours.
	maxBearer = 2048
)

// accessClaims are the contents of an access token: sub, sid, iat, exp, jti
// and typ. There is no role in it: that is read from the user's row with each
// request.
type accessClaims struct {
	SessionID journal.SessionID `json:"sid"`
	Type      string            `json:"typ"`
	jwt.RegisteredClaims
}

// signAccess makes the access token of a session.
func (s *Service) signAccess(user journal.UserID, session journal.SessionID, now time.Time) (secrets.Secret, error) {
	claims := accessClaims{SessionID: session, Type: accessType, RegisteredClaims: jwt.RegisteredClaims{
		Subject: string(user), ID: journal.NewID[string](),
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(AccessTokenLifetime)),
	}}
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(s.keys.JWT())
	if err != nil {
		return "", fmt.Errorf("signing an access token: %w", err)
	}
	return secrets.Secret(text), nil
}

// newJWTParser accepts one algorithm and no other. Times are checked by
// readAccess, with our clock and with leeway at one end only.
func newJWTParser() *jwt.Parser {
	return jwt.NewParser(jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation())
}

var (
	errForeignHeader = errors.New("the token's header holds what we never write")
	errNotAccess     = errors.New("the token is no valid access token now")
)

// readAccess gives the claims of an access token that is good now.
func (s *Service) readAccess(bearer string) (accessClaims, error) {
	var claims accessClaims
	_, err := s.jwt.ParseWithClaims(bearer, &claims, func(token *jwt.Token) (any, error) {
		for name := range token.Header {
			if name != "alg" && name != "typ" {
				return nil, errForeignHeader // crit, jku, jwk, x5u, …
			}
		}
		return s.keys.JWT(), nil
	})
	if err != nil {
		return accessClaims{}, err
	}
	if !claims.isGood(s.clock()) {
		return accessClaims{}, errNotAccess
	}
	return claims, nil
}

func (c *accessClaims) isGood(now time.Time) bool {
	ahead := now.Add(clockLeeway)
	return c.Type == accessType && c.Subject != "" &&
		c.ExpiresAt != nil && now.Before(c.ExpiresAt.Time) &&
		(c.IssuedAt == nil || !c.IssuedAt.After(ahead)) &&
		(c.NotBefore == nil || !c.NotBefore.After(ahead))
}

// badCredential is the one answer to every credential that is not honoured:
// unknown, malformed, expired, revoked, or of a user who is gone.
func badCredential() error {
	return journal.Unauthorized("The credential is missing, wrong or expired; sign in again.")
}

// Authenticate tells who a bearer credential belongs to. It takes an access
// token of a session or a personal access token and nothing else; the user's
// row is read each time, so a deleted user is out and a demoted owner has lost
// their rights with the next request. It costs one indexed read: that a token
// was used is noted beside the request.
func (s *Service) Authenticate(ctx context.Context, bearer string, client Client) (Principal, error) {
	if bearer == "" || len(bearer) > maxBearer {
		return Principal{}, badCredential()
	}
	var caller Principal
	var err error
	if strings.HasPrefix(bearer, accessTokenPrefix) {
		caller, err = s.authenticateToken(ctx, secrets.Secret(bearer), client)
	} else {
		caller, err = s.authenticateSession(ctx, bearer)
	}
	if errors.Is(err, db.ErrNoRows) {
		return Principal{}, badCredential()
	}
	if err != nil {
		return Principal{}, err
	}
	s.recorder.seen(caller.UserID)
	return caller, nil
}

func (s *Service) authenticateSession(ctx context.Context, bearer string) (Principal, error) {
	claims, err := s.readAccess(bearer)
	if err != nil {
		return Principal{}, badCredential()
	}
	caller := Principal{
		UserID: journal.UserID(claims.Subject), SessionID: claims.SessionID, Credential: CredentialSession,
	}
	err = s.db.Peek(ctx, func(tx *db.Tx) error {
		return tx.QueryRow(ctx, `SELECT email, is_admin, NOT EXISTS (
				SELECT 1 FROM sessions WHERE user_id = $1 AND sessions.id = $2 AND expires_at > $3)
			FROM users WHERE id = $1`, caller.UserID, caller.SessionID, db.Micros(s.clock())).
			Scan(&caller.Email, &caller.IsAdmin, &caller.SessionEnded)
	})
	return caller, err
}

func (s *Service) authenticateToken(ctx context.Context, token secrets.Secret, client Client) (Principal, error) {
	if !isAccessToken(token) {
		return Principal{}, badCredential()
	}
	caller := Principal{Credential: CredentialToken}
	var expiresAt *time.Time
	var scope string
	err := s.db.Peek(ctx, func(tx *db.Tx) error {
		return tx.QueryRow(ctx, `SELECT t.user_id, t.id, t.scope, t.expires_at, u.email, u.is_admin
			FROM access_tokens t JOIN users u ON u.id = t.user_id WHERE t.hash = $1`, tokenHash(token)).
			Scan(&caller.UserID, &caller.TokenID, &scope, db.NullInstant(&expiresAt), &caller.Email, &caller.IsAdmin)
	})
	if err != nil {
		return Principal{}, err
	}
	if expiresAt != nil && !s.clock().Before(*expiresAt) {
		return Principal{}, badCredential()
	}
	caller.ReadOnly = scope == ScopeRead
	s.recorder.used(caller.UserID, caller.TokenID, client)
	return caller, nil
}
