package identity

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/base/secrets"
)

const (
	// RefreshTokenLifetime is how long an unused refresh token is valid.
	RefreshTokenLifetime = 30 * 24 * time.Hour
	// RefreshGrace is how long a used refresh token may be exchanged again, for a lost
	// response or two tabs refreshing at the same time. It ends early when a successor is
	// used.
	RefreshGrace = 30 * time.Second
)

// TokenPair contains a session's tokens. They are not stored in plain text, and print as
// "[redacted]".
type TokenPair struct {
	AccessToken  secrets.Secret
	RefreshToken secrets.Secret
	IsAdmin      bool
}

// Session is a signed-in device: a chain of refresh tokens, each replacing another.
type Session struct {
	ID         journal.SessionID
	CreatedAt  time.Time
	LastUsedAt time.Time
	ExpiresAt  time.Time
	// IP and UserAgent are from the last refresh.
	IP        string
	UserAgent string
}

// refreshTokenSize is the number of random bytes in a refresh token.
const refreshTokenSize = 32

func newRefreshToken() secrets.Secret {
	random := make([]byte, refreshTokenSize)
	_, _ = rand.Read(random) // never fails; see crypto/rand
	return secrets.Secret(base64.RawURLEncoding.EncodeToString(random))
}

// tokenHash returns a token's stored hash. Tokens are random and long, so a fast hash is
// sufficient.
func tokenHash(token secrets.Secret) []byte {
	sum := sha256.Sum256([]byte(token.Reveal()))
	return sum[:]
}

// openSession creates a session with its first tokens, within a transaction.
func (s *sessionStore) openSession(ctx context.Context, tx *db.Tx, user User, client Client) (TokenPair, error) {
	id, now := journal.NewID[journal.SessionID](), s.clock()
	_, err := tx.Exec(ctx, `INSERT INTO sessions (user_id, id, created_at, last_used_at, expires_at, ip, user_agent)
		VALUES ($1, $2, $3, $3, $4, $5, $6)`,
		user.ID, id, db.Micros(now), db.Micros(now.Add(RefreshTokenLifetime)), client.IP, client.UserAgent)
	if err != nil {
		return TokenPair{}, fmt.Errorf("opening a session: %w", explainDeleted(err))
	}
	if err := endOldest(ctx, tx, user.ID); err != nil {
		return TokenPair{}, fmt.Errorf("ending old sessions: %w", err)
	}
	return s.mintPair(ctx, tx, user.IsAdmin, refreshToken{user: user.ID, public: user.PublicID, session: id})
}

// endOldest ends the least recently used sessions beyond [limits.Sessions].
func endOldest(ctx context.Context, tx *db.Tx, user journal.UserID) error {
	_, err := tx.Exec(ctx, `DELETE FROM sessions WHERE user_id = $1 AND id IN (
		SELECT id FROM sessions WHERE user_id = $1 ORDER BY last_used_at DESC, id DESC LIMIT 1000 OFFSET $2)`, user, limits.Sessions.Max)
	return err
}

// mintPair adds a refresh token to replaced's session and signs an access token. For a
// session's first token, replaced has no hash.
func (s *sessionStore) mintPair(ctx context.Context, tx *db.Tx, isAdmin bool, replaced refreshToken) (TokenPair, error) {
	token, now := newRefreshToken(), s.clock()
	_, err := tx.Exec(ctx, `INSERT INTO refresh_tokens (user_id, session_id, hash, replaced, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6)`,
		replaced.user, replaced.session, tokenHash(token), replaced.hash, db.Micros(now), db.Micros(now.Add(RefreshTokenLifetime)))
	if errors.Is(err, db.ErrMissing) {
		return TokenPair{}, newBadRefresh() // the session was deleted
	}
	if err != nil {
		return TokenPair{}, fmt.Errorf("storing a refresh token: %w", err)
	}
	// A used token is kept for as long again, to detect a second use.
	keep := now.Add(2 * RefreshTokenLifetime)
	if err := AddTokenOwner(ctx, tx, tokenHash(token), replaced.user, &keep); err != nil {
		return TokenPair{}, err
	}
	access, err := s.signAccessToken(replaced, now)
	return TokenPair{AccessToken: access, RefreshToken: token, IsAdmin: isAdmin}, err
}

// newBadRefresh returns the same error for every invalid refresh token.
func newBadRefresh() error {
	return journal.Unauthorized("The refresh token is unknown, expired or already used. Sign in again.")
}

// refreshToken is a stored refresh token.
type refreshToken struct {
	user      journal.UserID
	public    journal.PublicID
	session   journal.SessionID
	hash      []byte
	expiresAt time.Time
	spentAt   *time.Time
	// successorUsed reports whether a successor was used, so the response to the exchange
	// was not lost.
	successorUsed bool
}

// isReused reports whether a used token was presented by a second party: its successor
// was used, or it was used too long ago for a lost response. The absolute value keeps an
// old token invalid if the clock is set back.
func (h refreshToken) isReused(now time.Time) bool {
	return h.spentAt != nil && (h.successorUsed || now.Sub(*h.spentAt).Abs() > RefreshGrace)
}

// Refresh exchanges a refresh token for new tokens. Within [RefreshGrace], and
// until a successor is used, it can be exchanged again. After that, presenting
// it ends the whole session, because two parties have its tokens.
func (s *sessionStore) Refresh(ctx context.Context, client Client, token secrets.Secret) (TokenPair, error) {
	// A disconnecting client must not undo the end of a stolen session.
	ctx = context.WithoutCancel(ctx)
	client = client.clean()
	held, err := s.findRefreshToken(ctx, token)
	if err != nil {
		return TokenPair{}, err
	}
	var pair TokenPair
	accepted := false
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		var err error
		pair, accepted, err = s.exchange(ctx, tx, held, client)
		return err
	})
	if err != nil {
		return TokenPair{}, err
	}
	if !accepted {
		return TokenPair{}, newBadRefresh()
	}
	return pair, nil
}

func (s *sessionStore) findRefreshToken(ctx context.Context, token secrets.Secret) (refreshToken, error) {
	held := refreshToken{hash: tokenHash(token)}
	err := s.db.Peek(ctx, func(tx *db.Tx) (err error) {
		if held.user, err = FindTokenOwner(ctx, tx, held.hash); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `SELECT session_id FROM refresh_tokens WHERE user_id = $1 AND hash = $2`, held.user, held.hash).
			Scan(&held.session)
	})
	if errors.Is(err, db.ErrNoRows) {
		return refreshToken{}, newBadRefresh()
	}
	return held, err
}

// exchange marks a token as used and creates its successor. It reports an invalid token
// without an error, so the end of a stolen session is committed.
func (s *sessionStore) exchange(ctx context.Context, tx *db.Tx, held refreshToken, client Client) (TokenPair, bool, error) {
	now := s.clock()
	isAdmin, err := held.lock(ctx, tx)
	if errors.Is(err, db.ErrNoRows) {
		return TokenPair{}, false, nil
	}
	if err != nil {
		return TokenPair{}, false, err
	}
	if held.isReused(now) {
		return TokenPair{}, false, s.endReusedSession(ctx, tx, held, client)
	}
	if !now.Before(held.expiresAt) {
		return TokenPair{}, false, nil
	}
	if err := held.spend(ctx, tx, client, now); err != nil {
		return TokenPair{}, false, err
	}
	pair, err := s.mintPair(ctx, tx, isAdmin, held)
	return pair, err == nil, err
}

// lock locks the session, so all changes to it are ordered, then reads the token again
// and whether its owner is an administrator.
func (h *refreshToken) lock(ctx context.Context, tx *db.Tx) (isAdmin bool, err error) {
	var id journal.SessionID
	err = tx.QueryRow(ctx, `SELECT id FROM sessions WHERE user_id = $1 AND id = $2`+tx.Lock(), h.user, h.session).Scan(&id)
	if err != nil {
		return false, err
	}
	err = tx.QueryRow(ctx, `SELECT r.expires_at, r.spent_at, u.id, u.is_admin, EXISTS (
			SELECT 1 FROM refresh_tokens s WHERE s.user_id = $1 AND s.session_id = $2 AND s.replaced = $3 AND s.spent_at IS NOT NULL)
		FROM refresh_tokens r JOIN users u ON u.number = r.user_id
		WHERE r.user_id = $1 AND r.session_id = $2 AND r.hash = $3`, h.user, h.session, h.hash).
		Scan(db.Instant(&h.expiresAt), db.NullInstant(&h.spentAt), &h.public, &isAdmin, &h.successorUsed)
	return isAdmin, err
}

// spend marks a token as used, at the first use only, and extends the session.
func (h refreshToken) spend(ctx context.Context, tx *db.Tx, client Client, now time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE refresh_tokens SET spent_at = $4
		WHERE user_id = $1 AND session_id = $2 AND hash = $3 AND spent_at IS NULL`,
		h.user, h.session, h.hash, db.Micros(now))
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE sessions SET last_used_at = $3, expires_at = $4, ip = $5, user_agent = $6
		WHERE user_id = $1 AND id = $2`,
		h.user, h.session, db.Micros(now), db.Micros(now.Add(RefreshTokenLifetime)), client.IP, client.UserAgent)
	return err
}

func (s *sessionStore) endReusedSession(ctx context.Context, tx *db.Tx, held refreshToken, client Client) error {
	if err := deleteSession(ctx, tx, held.user, held.session); err != nil {
		return err
	}
	event := s.event(Principal{UserID: held.user, PublicID: held.public}, client, ActionRefreshReuse, string(held.session))
	event.Outcome = OutcomeRefused
	return RecordAudit(ctx, tx, event)
}

// deleteSession deletes a session and its tokens. It returns [db.ErrNoRows] if
// there is none.
func deleteSession(ctx context.Context, tx *db.Tx, user journal.UserID, id journal.SessionID) error {
	n, err := tx.Exec(ctx, `DELETE FROM sessions WHERE user_id = $1 AND id = $2`, user, id)
	if err == nil && n == 0 {
		return db.ErrNoRows
	}
	return err
}

// Logout ends a refresh token's session, or without one the caller's session. It returns
// an error if there is neither. The session's access tokens stay valid until they expire.
func (s *sessionStore) Logout(ctx context.Context, caller Principal, client Client, token secrets.Secret) error {
	user, session := caller.UserID, caller.SessionID
	if token != "" {
		held, err := s.findRefreshToken(ctx, token)
		if err == nil {
			user, session = held.user, held.session
		} else if !journal.IsKind(err, journal.KindUnauthorized) {
			return err
		}
	}
	if session == "" {
		return newBadRefresh()
	}
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		if err := deleteSession(ctx, tx, user, session); err != nil {
			return err
		}
		return s.record(ctx, tx, Principal{UserID: user, Credential: CredentialSession}, client, ActionLogout, string(session))
	})
	if errors.Is(err, db.ErrNoRows) {
		return newBadRefresh()
	}
	return err
}

// Sessions returns a user's sessions, most recently used first.
func (s *sessionStore) Sessions(ctx context.Context, owner journal.UserID) ([]Session, error) {
	var sessions []Session
	err := s.db.Peek(ctx, func(tx *db.Tx) error {
		var err error
		sessions, err = db.List(ctx, tx, scanSession,
			sessionColumns+` WHERE user_id = $1 AND expires_at > $2 ORDER BY last_used_at DESC, id DESC`, owner, db.Micros(s.clock()))
		return err
	})
	return sessions, err
}

const sessionColumns = `SELECT id, created_at, last_used_at, expires_at, ip, user_agent FROM sessions`

func scanSession(row db.Scanner) (Session, error) {
	var v Session
	err := row.Scan(&v.ID, db.Instant(&v.CreatedAt), db.Instant(&v.LastUsedAt), db.Instant(&v.ExpiresAt), &v.IP, &v.UserAgent)
	return v, err
}

// EndSession ends one of the caller's sessions. check may be nil; it is called
// with the session and may return an error.
func (s *sessionStore) EndSession(ctx context.Context, caller Principal, client Client, id journal.SessionID, check func(Session) error) error {
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		session, err := scanSession(tx.QueryRow(ctx, sessionColumns+` WHERE user_id = $1 AND id = $2`+tx.Lock(), caller.UserID, id))
		if err != nil {
			return err
		}
		if check != nil {
			if err := check(session); err != nil {
				return err
			}
		}
		if err := deleteSession(ctx, tx, caller.UserID, id); err != nil {
			return err
		}
		return s.record(ctx, tx, caller, client.clean(), ActionSessionEnd, string(id))
	})
	return toNotFound(err, "session")
}

// Sweep deletes expired sessions, refresh tokens used long ago, the owners of tokens no
// longer usable, old audit events, and what apps do not use any more. The server calls it every hour.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.clock()
	for _, sweep := range []struct {
		what, statement string
		before          time.Time
	}{
		{"sessions", `DELETE FROM sessions WHERE (user_id, id) IN (
			SELECT user_id, id FROM sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT 1000)`, now},
		{"refresh tokens", `DELETE FROM refresh_tokens WHERE (user_id, session_id, hash) IN (
			SELECT user_id, session_id, hash FROM refresh_tokens
			WHERE created_at < $1 AND (spent_at IS NULL OR spent_at < $1) ORDER BY created_at LIMIT 1000)`, now.Add(-RefreshTokenLifetime)},
		{"owners of tokens", `DELETE FROM token_owners WHERE hash IN (
			SELECT hash FROM token_owners WHERE delete_after <= $1 ORDER BY delete_after LIMIT 1000)`, now},
		{"audit events", `DELETE FROM audit_events WHERE (user_id, id) IN (
			SELECT user_id, id FROM audit_events WHERE at < $1 ORDER BY at, id LIMIT 1000)`, now.Add(-auditRetention)},
		{"secrets of apps", `DELETE FROM app_secrets WHERE (user_id, hash) IN (
			SELECT user_id, hash FROM app_secrets WHERE expires_at <= $1 ORDER BY expires_at LIMIT 1000)`, now},
		{"tokens of apps", `DELETE FROM access_tokens WHERE (user_id, id) IN (
			SELECT user_id, id FROM access_tokens WHERE client_id IS NOT NULL AND expires_at <= $1 ORDER BY expires_at LIMIT 1000)`, now.Add(-unusedAppLifetime)},
		{"apps without a token", `DELETE FROM app_clients WHERE id IN (
			SELECT id FROM app_clients WHERE granted_at IS NULL AND created_at <= $1 ORDER BY created_at LIMIT 1000)`, now.Add(-unusedAppLifetime)},
		{"apps whose tokens have expired", `DELETE FROM app_clients WHERE id IN (
			SELECT id FROM app_clients WHERE granted_at IS NOT NULL AND granted_at <= $1 ORDER BY granted_at LIMIT 1000)`, now.Add(-maxAppDays * 24 * time.Hour)},
	} {
		if err := s.db.DeletePages(ctx, sweep.statement, db.Micros(sweep.before)); err != nil {
			return fmt.Errorf("sweeping %s: %w", sweep.what, err)
		}
	}
	return nil
}

// ListSessions returns a user's sessions, the oldest first. It is a step.
func ListSessions(ctx context.Context, tx *db.Tx, user journal.UserID) ([]Session, error) {
	return db.List(ctx, tx, scanSession, sessionColumns+` WHERE user_id = $1 ORDER BY created_at, id`, user)
}
