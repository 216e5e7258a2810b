package identity

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/base/secrets"
)

// An app gets an access token through OAuth (RFC 6749) with a code, which it exchanges for
// two secrets: an access token for an hour, and a refresh token that replaces both. All
// three have the format of access tokens.
const (
	appAccessPrefix  = "svc_oat_"
	appRefreshPrefix = "svc_ort_"
	appCodePrefix    = "svc_oac_"

	appCodeLifetime    = time.Minute
	appAccessLifetime  = time.Hour
	appRefreshLifetime = 90 * 24 * time.Hour
	// appRefreshGrace is how long a used refresh token still gets an access token, and no
	// new refresh token: for an app that refreshes twice at the same time.
	appRefreshGrace = time.Minute
	// maxAppDays is the longest lifetime of an app's token.
	maxAppDays = 365
	// freshSession is how old a session can be to allow an app something without the
	// password.
	freshSession = 15 * time.Minute
)

// offlineScope is what apps add to the scopes in order to get a refresh token, which all of
// them get.
const offlineScope = "offline_access"

// AppScopes are the scopes that an app can get, the most limited first. Each includes the
// ones before it.
func AppScopes() []Scope { return []Scope{ScopeAnalytics, ScopeRead, ScopeWrite} }

// TokenApp is the app that got an access token.
type TokenApp struct {
	ClientID    string
	RedirectURI string
}

// AppRefusal is a refusal in the terms of OAuth (RFC 6749, section 5.2).
type AppRefusal struct {
	Code    string // such as invalid_grant
	Message string
}

// Error implements error.
func (r *AppRefusal) Error() string { return r.Message }

func newBadGrant(message string) *AppRefusal { return &AppRefusal{"invalid_grant", message} }

// AppGrant is what a user allows an app.
type AppGrant struct {
	// RequestID identifies the app's request, which can be allowed once, until
	// RequestEnds.
	RequestID   string
	RequestEnds time.Time
	App         TokenApp
	Name        string // the app's
	// Challenge is the S256 challenge of RFC 7636.
	Challenge string
	// Requested is the scope that the app asked for, Scope the one allowed.
	Requested, Scope Scope
	// Accounts are the allowed accounts; nil means all. The caller checks that they are
	// the user's.
	Accounts []journal.AccountID
	Days     int
	// Password is needed if [Service.NeedsPassword].
	Password secrets.Secret
}

// check returns an error for values that cannot be granted.
func (g AppGrant) check() error {
	if !slices.Contains(AppScopes(), g.Scope) {
		return journal.InvalidField("scope", "scope must be analytics, read or write.")
	}
	if !g.Requested.Includes(g.Scope) {
		return journal.InvalidField("scope", "The app asked for %s. You can allow less, but not more.", g.Requested)
	}
	if g.Days < 1 || g.Days > maxAppDays {
		return journal.InvalidField("expires_in_days", "expires_in_days must be between 1 and %d.", maxAppDays)
	}
	if g.Accounts != nil && (len(g.Accounts) == 0 || len(g.Accounts) > maxTokenAccounts) {
		return journal.InvalidField("account_ids", "account_ids must name 1 to %d accounts. Leave it out to allow all.", maxTokenAccounts)
	}
	return nil
}

// Includes reports whether an app's scope allows everything that another one does.
func (s Scope) Includes(other Scope) bool {
	all := AppScopes()
	return slices.Contains(all, other) && slices.Index(all, s) >= slices.Index(all, other)
}

// NeedsPassword reports whether the caller's session is too old to allow an app something
// without the password.
func (s *appStore) NeedsPassword(ctx context.Context, caller Principal) (bool, error) {
	var startedAt time.Time
	err := s.db.Peek(ctx, func(tx *db.Tx) error {
		return tx.QueryRow(ctx, `SELECT created_at FROM sessions WHERE user_id = $1 AND id = $2`, caller.UserID, caller.SessionID).
			Scan(db.Instant(&startedAt))
	})
	if err != nil {
		return false, toNotFound(err, "session")
	}
	return s.clock().Sub(startedAt).Abs() > freshSession, nil
}

// AllowApp creates an access token for an app and returns the code that the app exchanges
// for its secrets. The token expires with the code until then.
func (s *appStore) AllowApp(ctx context.Context, caller Principal, client Client, in AppGrant) (secrets.Secret, error) {
	if err := caller.RequireSession(); err != nil {
		return "", err
	}
	if err := in.check(); err != nil {
		return "", err
	}
	name, err := journal.CleanRequiredName("name", in.Name)
	if err != nil {
		return "", err
	}
	if err := s.confirmPassword(ctx, caller, client, in.Password); err != nil {
		return "", err
	}
	id, code, now := journal.NewID[journal.TokenID](), newTokenOf(appCodePrefix), s.clock()
	ends := now.Add(time.Duration(in.Days) * 24 * time.Hour)
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		if err := useRequest(ctx, tx, caller.UserID, in); err != nil {
			return err
		}
		if err := limits.AccessTokens.Check(ctx, tx, caller.UserID, `SELECT COUNT(*) FROM access_tokens WHERE user_id = $1`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO access_tokens
			(user_id, id, name, token_prefix, hash, scope, created_at, expires_at, account_ids, client_id, redirect_uri)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			caller.UserID, id, name, appAccessPrefix, tokenHash(code), in.Scope, db.Micros(now), db.Micros(now.Add(appCodeLifetime)),
			storedList[journal.AccountID]{&in.Accounts}, in.App.ClientID, in.App.RedirectURI)
		if err != nil {
			return fmt.Errorf("storing an app's access token: %w", err)
		}
		_, err = tx.Exec(ctx, `INSERT INTO app_grants (user_id, token_id, challenge, ends_at) VALUES ($1, $2, $3, $4)`,
			caller.UserID, id, in.Challenge, db.Micros(ends))
		if err != nil {
			return fmt.Errorf("storing what an app may do: %w", err)
		}
		// The code's owner is kept to recognize a second use.
		if err := AddTokenOwner(ctx, tx, tokenHash(code), caller.UserID, &ends); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE app_clients SET granted_at = $2 WHERE id = $1`, in.App.ClientID, db.Micros(now)); err != nil {
			return err
		}
		return s.record(ctx, tx, caller, client.clean(), ActionAccessTokenMint, string(id))
	})
	if err != nil {
		return "", err
	}
	return code, nil
}

// useRequest marks a request as used, within a transaction.
func useRequest(ctx context.Context, tx *db.Tx, user journal.UserID, in AppGrant) error {
	err := AddTokenOwner(ctx, tx, tokenHash(secrets.Secret("request "+in.RequestID)), user, &in.RequestEnds)
	if errors.Is(err, db.ErrConflict) {
		return journal.Conflict("This request was already answered. Start again in the app.")
	}
	return err
}

// confirmPassword returns an error unless the session is fresh or the password is right.
func (s *appStore) confirmPassword(ctx context.Context, caller Principal, client Client, password secrets.Secret) error {
	needed, err := s.NeedsPassword(ctx, caller)
	if err != nil || !needed {
		return err
	}
	if password == "" {
		return journal.InvalidField("password", "You signed in more than %d minutes ago. Enter your password.", int(freshSession.Minutes()))
	}
	known, err := s.users.account(ctx, caller.UserID)
	if err != nil {
		return err
	}
	return s.verifyOwnPassword(ctx, known, caller, client.clean(), ActionAccessTokenMint, password)
}

// AppSecrets are what an app gets for a code or a refresh token.
type AppSecrets struct {
	Access secrets.Secret
	// Refresh is empty if the app has another refresh token already.
	Refresh secrets.Secret
	Scope   Scope
	// ExpiresIn is the access token's lifetime.
	ExpiresIn time.Duration
}

// CodeExchange is an app's request for secrets with a code.
type CodeExchange struct {
	Code     secrets.Secret
	App      TokenApp
	Verifier string
}

// grantRow is an app's access token with its grant, locked.
type grantRow struct {
	principal   Principal
	app         TokenApp
	expiresAt   time.Time
	challenge   string
	endsAt      time.Time
	exchangedAt *time.Time
}

// lockGrant reads and locks an app's token, by the token's id or the code's hash.
func lockGrant(ctx context.Context, tx *db.Tx, user journal.UserID, id journal.TokenID, code []byte) (grantRow, error) {
	g := grantRow{principal: Principal{UserID: user, Credential: CredentialToken}}
	err := tx.QueryRow(ctx, `SELECT id, name, scope, client_id, redirect_uri, expires_at FROM access_tokens
		WHERE user_id = $1 AND (id = $2 OR hash = $3) AND client_id IS NOT NULL`+tx.Lock(), user, id, code).
		Scan(&g.principal.TokenID, &g.principal.TokenName, &g.principal.Scope, &g.app.ClientID, &g.app.RedirectURI, db.Instant(&g.expiresAt))
	if err != nil {
		return g, err
	}
	err = tx.QueryRow(ctx, `SELECT challenge, ends_at, exchanged_at FROM app_grants WHERE user_id = $1 AND token_id = $2`, user, g.principal.TokenID).
		Scan(&g.challenge, db.Instant(&g.endsAt), db.NullInstant(&g.exchangedAt))
	return g, err
}

// updateGrant calls change with the owner of a code or a refresh token, in a transaction. A
// refusal is returned after the commit, so that a token used twice ends.
func (s *appStore) updateGrant(ctx context.Context, secret secrets.Secret, change func(*db.Tx, journal.UserID) (*AppRefusal, error)) error {
	// A disconnecting client must not undo the end of a stolen token.
	ctx = context.WithoutCancel(ctx)
	var refusal *AppRefusal
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		user, err := FindTokenOwner(ctx, tx, tokenHash(secret))
		if err == nil {
			refusal, err = change(tx, user)
		}
		return err
	})
	if errors.Is(err, db.ErrNoRows) {
		return newBadGrant("The code or token is unknown, expired or revoked. Connect again.")
	}
	if err == nil && refusal != nil {
		return refusal
	}
	return err
}

// ExchangeCode returns an app's secrets for a code. A code that is used twice revokes what it
// gave. Errors for the app are an [AppRefusal].
func (s *appStore) ExchangeCode(ctx context.Context, client Client, in CodeExchange) (given AppSecrets, err error) {
	if !isTokenOf(appCodePrefix, in.Code) {
		return AppSecrets{}, newBadGrant("The code is not valid.")
	}
	err = s.updateGrant(ctx, in.Code, func(tx *db.Tx, user journal.UserID) (*AppRefusal, error) {
		g, err := lockGrant(ctx, tx, user, "", tokenHash(in.Code))
		if err != nil {
			return nil, err
		}
		now := s.clock()
		if g.exchangedAt != nil {
			return newBadGrant("The code was used before. Its access was revoked."), s.revokeReused(ctx, tx, g, client)
		}
		if refusal := g.checkExchange(in, now); refusal != nil {
			return refusal, nil
		}
		_, err = tx.Exec(ctx, `UPDATE app_grants SET exchanged_at = $3 WHERE user_id = $1 AND token_id = $2`, user, g.principal.TokenID, db.Micros(now))
		if err != nil {
			return nil, err
		}
		given, err = s.giveSecrets(ctx, tx, g, now, true)
		return nil, err
	})
	return given, err
}

// checkExchange returns the reason why an app cannot have what a code gives, or nil.
func (g grantRow) checkExchange(in CodeExchange, now time.Time) *AppRefusal {
	sum := sha256.Sum256([]byte(in.Verifier))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	switch {
	case g.app.ClientID != in.App.ClientID:
		return newBadGrant("The code belongs to another client.")
	case g.app.RedirectURI != in.App.RedirectURI:
		return newBadGrant("redirect_uri is not the one of the request.")
	case subtle.ConstantTimeCompare([]byte(challenge), []byte(g.challenge)) != 1:
		return newBadGrant("code_verifier does not match code_challenge.")
	case !now.Before(g.expiresAt):
		return newBadGrant("The code has expired. Connect again.")
	}
	return nil
}

// RefreshApp returns an app's new secrets for a refresh token, which is used up. A token that
// is used again later than [appRefreshGrace] revokes the access. scopes are those that the
// app asks for; none means what it has.
func (s *appStore) RefreshApp(ctx context.Context, client Client, refresh secrets.Secret, clientID string, scopes []string) (given AppSecrets, err error) {
	if !isTokenOf(appRefreshPrefix, refresh) {
		return AppSecrets{}, newBadGrant("The refresh token is not valid.")
	}
	hash := tokenHash(refresh)
	err = s.updateGrant(ctx, refresh, func(tx *db.Tx, user journal.UserID) (*AppRefusal, error) {
		g, err := findGrant(ctx, tx, user, hash)
		if err != nil {
			return nil, err
		}
		var expiresAt time.Time
		var spentAt *time.Time
		err = tx.QueryRow(ctx, `SELECT expires_at, spent_at FROM app_secrets WHERE user_id = $1 AND hash = $2`, user, hash).
			Scan(db.Instant(&expiresAt), db.NullInstant(&spentAt))
		if err != nil {
			return nil, err
		}
		now := s.clock()
		switch {
		case g.app.ClientID != clientID:
			return newBadGrant("The refresh token belongs to another client."), nil
		case spentAt != nil && now.Sub(*spentAt).Abs() > appRefreshGrace:
			return newBadGrant("The refresh token was used before. Its access was revoked."), s.revokeReused(ctx, tx, g, client)
		case !now.Before(expiresAt):
			return newBadGrant("The refresh token has expired. Connect again."), nil
		case slices.ContainsFunc(scopes, func(name string) bool { return name != offlineScope && !g.principal.Scope.Includes(Scope(name)) }):
			return &AppRefusal{"invalid_scope", "The access has scope " + string(g.principal.Scope) + ". Connect again for another one."}, nil
		}
		_, err = tx.Exec(ctx, `UPDATE app_secrets SET spent_at = $3 WHERE user_id = $1 AND hash = $2 AND spent_at IS NULL`, user, hash, db.Micros(now))
		if err != nil {
			return nil, err
		}
		given, err = s.giveSecrets(ctx, tx, g, now, spentAt == nil)
		return nil, err
	})
	return given, err
}

// findGrant locks the token that a secret belongs to.
func findGrant(ctx context.Context, tx *db.Tx, user journal.UserID, hash []byte) (grantRow, error) {
	var id journal.TokenID
	err := tx.QueryRow(ctx, `SELECT token_id FROM app_secrets WHERE user_id = $1 AND hash = $2`, user, hash).Scan(&id)
	if err != nil {
		return grantRow{}, err
	}
	return lockGrant(ctx, tx, user, id, nil)
}

// giveSecrets stores new secrets of an app, within a transaction.
func (s *appStore) giveSecrets(ctx context.Context, tx *db.Tx, g grantRow, now time.Time, withRefresh bool) (AppSecrets, error) {
	given := AppSecrets{Access: newTokenOf(appAccessPrefix), Scope: g.principal.Scope}
	accessEnds := earlier(now.Add(appAccessLifetime), g.endsAt)
	given.ExpiresIn = accessEnds.Sub(now)
	if err := addAppSecret(ctx, tx, g.principal, given.Access, accessEnds); err != nil || !withRefresh {
		return given, err
	}
	given.Refresh = newTokenOf(appRefreshPrefix)
	refreshEnds := earlier(now.Add(appRefreshLifetime), g.endsAt)
	if err := addAppSecret(ctx, tx, g.principal, given.Refresh, refreshEnds); err != nil {
		return given, err
	}
	_, err := tx.Exec(ctx, `UPDATE access_tokens SET expires_at = $3 WHERE user_id = $1 AND id = $2`,
		g.principal.UserID, g.principal.TokenID, db.Micros(refreshEnds))
	return given, err
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func addAppSecret(ctx context.Context, tx *db.Tx, token Principal, secret secrets.Secret, expiresAt time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO app_secrets (user_id, hash, token_id, expires_at) VALUES ($1, $2, $3, $4)`,
		token.UserID, tokenHash(secret), token.TokenID, db.Micros(expiresAt))
	if err != nil {
		return fmt.Errorf("storing an app's secret: %w", err)
	}
	return AddTokenOwner(ctx, tx, tokenHash(secret), token.UserID, &expiresAt)
}

// revokeReused deletes an app's token whose code or refresh token was used twice, within a
// transaction.
func (s *appStore) revokeReused(ctx context.Context, tx *db.Tx, g grantRow, client Client) error {
	return s.revokeGrant(ctx, tx, g, client, ActionAccessTokenReuse, OutcomeRefused)
}

func (s *appStore) revokeGrant(ctx context.Context, tx *db.Tx, g grantRow, client Client, action Action, outcome Outcome) error {
	_, err := tx.Exec(ctx, `DELETE FROM access_tokens WHERE user_id = $1 AND id = $2`, g.principal.UserID, g.principal.TokenID)
	if err != nil {
		return err
	}
	if err := recordSecurity(ctx, tx, g.principal, action, string(g.principal.TokenID)); err != nil {
		return err
	}
	event := s.event(g.principal, client.clean(), action, string(g.principal.TokenID))
	event.Outcome = outcome
	return RecordAudit(ctx, tx, event)
}

// RevokeApp ends what an app may do, by one of its secrets. An unknown one is no error. An
// empty clientID is not compared.
func (s *appStore) RevokeApp(ctx context.Context, client Client, secret secrets.Secret, clientID string) error {
	if !isTokenOf(appAccessPrefix, secret) && !isTokenOf(appRefreshPrefix, secret) {
		return nil
	}
	var refusal *AppRefusal
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		user, err := FindTokenOwner(ctx, tx, tokenHash(secret))
		if err != nil {
			return err
		}
		g, err := findGrant(ctx, tx, user, tokenHash(secret))
		if err != nil {
			return err
		}
		if clientID != "" && clientID != g.app.ClientID {
			refusal = newBadGrant("The token belongs to another client.")
			return nil
		}
		return s.revokeGrant(ctx, tx, g, client, ActionAccessTokenRevoke, OutcomeOK)
	})
	if errors.Is(err, db.ErrNoRows) {
		return nil
	}
	if err == nil && refusal != nil {
		return refusal
	}
	return err
}

// AppClient is an app that registered itself.
type AppClient struct {
	ID           string
	Name         string // may be empty
	RedirectURIs []string
	CreatedAt    time.Time
}

const (
	// appClientPrefix starts the ids of registered apps.
	appClientPrefix = "app_"
	// maxUnusedApps is how many registered apps without a token are kept, the newest.
	maxUnusedApps = 200
	// unusedAppLifetime is how long registered apps are kept without a token, and apps'
	// tokens after they have expired.
	unusedAppLifetime = 7 * 24 * time.Hour
)

// RegisterApp stores an app and returns it with its id. Its values are checked by the caller.
func (s *appStore) RegisterApp(ctx context.Context, app AppClient) (AppClient, error) {
	app.ID, app.CreatedAt = appClientPrefix+strings.ReplaceAll(journal.NewID[string](), "-", ""), s.clock()
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO app_clients (id, name, redirect_uris, created_at) VALUES ($1, $2, $3, $4)`,
			app.ID, app.Name, storedList[string]{&app.RedirectURIs}, db.Micros(app.CreatedAt))
		if err != nil {
			return fmt.Errorf("storing an app: %w", err)
		}
		_, err = tx.Exec(ctx, `DELETE FROM app_clients WHERE id IN (
			SELECT id FROM app_clients WHERE granted_at IS NULL ORDER BY created_at DESC, id DESC LIMIT 1000 OFFSET $1)`, maxUnusedApps)
		return err
	})
	return app, err
}

// RegisteredApp returns an app that registered itself, or [db.ErrNoRows].
func (s *appStore) RegisteredApp(ctx context.Context, id string) (AppClient, error) {
	app := AppClient{ID: id}
	err := s.db.Peek(ctx, func(tx *db.Tx) error {
		return tx.QueryRow(ctx, `SELECT name, redirect_uris, created_at FROM app_clients WHERE id = $1`, id).
			Scan(&app.Name, storedList[string]{&app.RedirectURIs}, db.Instant(&app.CreatedAt))
	})
	return app, err
}
