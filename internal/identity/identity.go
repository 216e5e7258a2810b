// Package identity knows the people of a Fillbook installation and what
// proves that a caller is one of them: passwords, second factors, sessions,
// personal access tokens. It also keeps what belongs to a person and to
// nothing else (preferences) and the record of security events.
//
// A credential is worthless in the database: passwords are argon2id hashes,
// refresh tokens and access tokens are stored as SHA-256, second-factor
// secrets are sealed with a key that is not in the database. Whatever must
// happen once (the first setup, the use of a code, the rotation of a refresh
// token) is decided by one conditional write or under a row lock, never by a
// look followed by an act.
//
// Each method of [Service] is one transaction. What a request may do without
// (noting that a token was used, recording a failed login) is handed to a
// background writer that can neither slow nor fail the request.
package identity

import (
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/secrets"
)

// Options are the settings of a [Service]. The zero value is a sound
// installation that nobody can register on.
type Options struct {
	// RegistrationOpen lets strangers register once there is an owner.
	RegistrationOpen bool
	// Issuer is the name that authenticator apps show; "Fillbook" if empty.
	Issuer string
	// HashSlots is how many passwords are hashed at once; 0 takes one a core
	// and at most four, because each takes 19 MiB.
	HashSlots int
	// HashWait is how long a login waits for a slot before it is told to
	// come back later; 0 takes 20 seconds.
	HashWait time.Duration
	// PasswordCost is the work of one password hash; the zero value takes
	// [DefaultPasswordCost]. Stored hashes that are weaker are replaced at
	// the next login.
	PasswordCost PasswordCost
}

// Service is the people and credentials of one installation. It is safe for
// concurrent use. Each method is one transaction.
type Service struct {
	db      *db.DB
	keys    *secrets.Keys
	clock   journal.Clock
	options Options

	hasher   *hasher
	throttle *throttle
	recorder *recorder
	jwt      *jwt.Parser
}

// New makes a Service. [Service.Start] starts its background writer. keys may
// be nil for an operator's command, none of which makes or reads a token.
func New(d *db.DB, keys *secrets.Keys, clock journal.Clock, log *slog.Logger, options Options) *Service {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if options.Issuer == "" {
		options.Issuer = "Fillbook"
	}
	return &Service{
		db: d, keys: keys, clock: clock, options: options,
		hasher: newHasher(options), throttle: newThrottle(throttleKeys),
		recorder: newRecorder(d, clock, log), jwt: newJWTParser(),
	}
}

// Client says from where a call comes, for the lists of sessions and uses and
// for the audit. Nothing is ever allowed or refused for what it says alone.
type Client struct {
	IP        string
	UserAgent string
	RequestID string
}

// maxUserAgent is the longest user agent that is kept, in bytes.
const maxUserAgent = 256

// clean gives the client as it may be stored: valid UTF-8 without control
// characters, each text of bounded length.
func (c Client) clean() Client {
	return Client{
		IP:        printable(c.IP, 64),
		UserAgent: printable(c.UserAgent, maxUserAgent),
		RequestID: printable(c.RequestID, 64),
	}
}

// printable cuts a text to so many bytes, at a character's edge, and drops
// what is not a character one can print.
func printable(text string, limit int) string {
	if len(text) > 4*limit {
		text = text[:4*limit] // bounds the work on a 100 KB header
	}
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
	if len(text) > limit {
		text = text[:limit]
		for !utf8.ValidString(text) {
			text = text[:len(text)-1]
		}
	}
	return text
}

// Credential says by what a caller proved who they are.
type Credential string

// The credentials.
const (
	// CredentialNone is a caller who proved nothing, such as a failed login.
	CredentialNone Credential = ""
	// CredentialSession is an access token of a signed-in session.
	CredentialSession Credential = "session"
	// CredentialToken is a personal access token.
	CredentialToken Credential = "token"
	// CredentialCLI is an operator with shell access to the server.
	CredentialCLI Credential = "cli"
)

// Principal is an authenticated caller. IsAdmin is read from the user's row
// with each request, so a demotion takes effect at once.
type Principal struct {
	UserID     journal.UserID
	Email      string
	IsAdmin    bool
	Credential Credential
	// SessionID is set for CredentialSession.
	SessionID journal.SessionID
	// SessionEnded reports that this session was signed out, revoked or has
	// expired since its access token was issued. The token still reads and
	// writes the journal until it expires, and does nothing else.
	SessionEnded bool
	// TokenID is set for CredentialToken.
	TokenID journal.TokenID
	// ReadOnly is set for a token of scope "read".
	ReadOnly bool
}

// RequireSession refuses callers without a live session. It guards what makes
// or changes credentials: neither a leaked access token nor the last minutes of
// an ended session may give lasting access.
func (p Principal) RequireSession() error {
	if p.Credential == CredentialToken {
		return journal.Forbidden("An access token cannot do that; sign in with your password.")
	}
	return p.RequireNotEnded()
}

// RequireNotEnded refuses callers whose session has ended.
func (p Principal) RequireNotEnded() error {
	if p.SessionEnded {
		return journal.Unauthorized("This session has ended; sign in again.")
	}
	return nil
}
