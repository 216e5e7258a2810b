// Package identity manages the users of a Fillbook installation and their credentials:
// passwords, second factors, sessions and personal access tokens. It also stores
// preferences and the security event log.
//
// Credentials cannot be used from the database alone: passwords are argon2id hashes,
// refresh tokens and access tokens are stored as SHA-256, and second-factor secrets are
// encrypted with a key outside the database. What must happen only once (the setup, the
// use of a code, the rotation of a refresh token) is decided by one conditional write or
// under a row lock, never by a read followed by a write.
//
// Each method of [Service] is one transaction. What a request need not wait for
// (recording a token's use or a failed login) is written in the background, where it can
// neither delay nor fail the request.
package identity

import (
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
)

// Options are a [Service]'s settings. The zero value is a secure installation with closed
// registration.
type Options struct {
	// RegistrationOpen allows registration once there is an owner.
	RegistrationOpen bool
	// Issuer is the name shown by authenticator apps; default Fillbook.
	Issuer string
	// HashSlots is how many passwords are hashed at a time; default one per
	// core, at most four, because each uses 19 MiB.
	HashSlots int
	// AfterHash is called after each password hash, whose memory is then unused. It may
	// be nil.
	AfterHash func()
	// HashWait is how long a login waits for a slot; default 20 seconds.
	HashWait time.Duration
	// PasswordCost is the cost of a password hash; default
	// [DefaultPasswordCost]. Weaker stored hashes are replaced at the next
	// login.
	PasswordCost PasswordCost
}

// Service manages the users and credentials of one installation. It is safe for
// concurrent use. Each method is one transaction.
type Service struct {
	*shared
	*userStore
	*sessionStore
	*tokenStore
	*appStore
	*authenticator
	*secondFactor
	*auditLog
	throttle *throttle
}

// shared is used by all parts of a [Service].
type shared struct {
	db       *db.DB
	keys     *secrets.Keys
	clock    journal.Clock
	options  Options
	hasher   *hasher
	recorder *recorder
}

// userStore reads and creates users.
type userStore struct{ *shared }

// sessionStore keeps sessions and their refresh tokens.
type sessionStore struct{ *shared }

// tokenStore keeps personal access tokens.
type tokenStore struct{ *shared }

// appStore keeps apps and the access tokens that they got through OAuth.
type appStore struct {
	*shared
	users *userStore
}

// authenticator finds the owners of bearer credentials.
type authenticator struct {
	*shared
	jwt    *jwt.Parser
	claims claimsCache
	owners ownerCache
}

// secondFactor turns second factors on and off and checks their codes.
type secondFactor struct {
	*shared
	users *userStore
}

// auditLog reads security events.
type auditLog struct {
	*shared
	counts auditCounts
}

// New returns a Service. [Service.Start] starts its background writer. keys may be nil
// for commands without tokens.
func New(d *db.DB, keys *secrets.Keys, clock journal.Clock, log *slog.Logger, options Options) *Service {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if options.Issuer == "" {
		options.Issuer = "Fillbook"
	}
	all := &shared{
		db: d, keys: keys, clock: clock, options: options, hasher: newHasher(options), recorder: newRecorder(d, clock, log),
	}
	users := &userStore{all}
	return &Service{
		shared: all, userStore: users, sessionStore: &sessionStore{all}, tokenStore: &tokenStore{all}, appStore: &appStore{all, users},
		authenticator: &authenticator{shared: all, jwt: newJWTParser()}, secondFactor: &secondFactor{all, users},
		auditLog: &auditLog{shared: all}, throttle: newThrottle(throttleKeys),
	}
}

// Client describes a call's origin, for the session and use lists and for the audit log.
// Its address decides whether an access token limited to addresses can be used; nothing
// else is authorized by it.
type Client struct {
	IP        string
	UserAgent string
	RequestID string
}

// maxUserAgent is the maximum length of a stored user agent, in bytes.
const maxUserAgent = 256

// clean returns the client with values that can be stored: short, valid UTF-8 without
// control characters.
func (c Client) clean() Client {
	return Client{
		IP:        printable(c.IP, 64),
		UserAgent: printable(c.UserAgent, maxUserAgent),
		RequestID: printable(c.RequestID, 64),
	}
}

// printable removes unprintable characters and shortens a text to limit bytes at a
// character boundary.
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

// Credential is how a caller was authenticated.
type Credential string

// Kinds of credentials.
const (
	// CredentialNone is an unauthenticated caller, as in a failed login.
	CredentialNone Credential = ""
	// CredentialSession is a signed-in session's access token.
	CredentialSession Credential = "session"
	// CredentialToken is a personal access token.
	CredentialToken Credential = "token"
	// CredentialCLI is an operator with shell access to the server.
	CredentialCLI Credential = "cli"
	// CredentialWatch is the server itself, importing files from a watched folder for the
	// account's owner.
	CredentialWatch Credential = "watch"
)

// Principal is an authenticated caller. What it says about the user is read from
// the user's row for each request, so a demotion takes effect at once.
type Principal struct {
	UserID journal.UserID
	// PublicID is set for authenticated callers.
	PublicID    journal.PublicID
	Email       string
	IsAdmin     bool
	CreatedAt   time.Time // the user's
	TOTPEnabled bool
	Credential  Credential
	// SessionID is set for CredentialSession.
	SessionID journal.SessionID
	// SessionEnded reports whether this session was signed out, revoked or has expired
	// since its access token was issued. The token can still read and write the journal
	// until it expires, and nothing else.
	SessionEnded bool
	// TokenID and TokenName are set for CredentialToken.
	TokenID   journal.TokenID
	TokenName string
	// Scope is set for CredentialToken.
	Scope Scope
	// Accounts are the token's accounts; nil means all.
	Accounts []journal.AccountID
}

// Actor returns who the caller is in the history.
func (p Principal) Actor() history.Actor {
	switch p.Credential {
	case CredentialToken:
		return history.Actor{Kind: history.ByToken, ID: string(p.TokenID), Name: p.TokenName}
	case CredentialWatch:
		return history.Actor{Kind: history.ByWatch}
	case CredentialCLI:
		return history.Actor{Kind: history.ByCLI}
	default:
		return history.Actor{Kind: history.BySession, ID: string(p.SessionID)}
	}
}

// RequireSession returns an error for callers without an active session. It protects
// operations on credentials: neither a leaked access token nor an ended session may give
// permanent access.
func (p Principal) RequireSession() error {
	if p.Credential == CredentialToken {
		return journal.Forbidden("An access token cannot do this. Sign in with your password.")
	}
	return p.RequireNotEnded()
}

// RequireNotEnded returns an error for callers whose session has ended.
func (p Principal) RequireNotEnded() error {
	if p.SessionEnded {
		return journal.Unauthorized("This session has ended. Sign in again.")
	}
	return nil
}
