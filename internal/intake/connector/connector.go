// Package connector is what the clients of brokers and exchanges have in common: how one
// describes itself, how a key is checked, and how fills and cash in a period are fetched.
//
// A client is pure, see package remote: it sends requests with a session, maps the
// answers to a statement's rows, and keeps nothing between two calls. It only reads. Each
// broker has its own package below internal/providers.
package connector

import (
	"context"
	"net/http"
	"path"
	"time"

	"fillbook/internal/base/outbound"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/statement"
)

// Connector fetches the fills and the cash of an account at one broker. Its methods are
// safe for concurrent use. The errors are those of package remote, or wrap [ErrSetup].
type Connector interface {
	// Describe returns what users and the caller must know about the broker.
	Describe() Description
	// Check signs in and returns whose the credentials are and what they allow. It is
	// called before each run.
	Check(ctx context.Context, session *remote.Session) (Identity, error)
	// Fetch returns what happened in a query's time.
	Fetch(ctx context.Context, session *remote.Session, query Query) (Delivery, error)
}

// Description is what users and the caller must know about a broker.
type Description struct {
	// Name is the name in the API and in settings, such as ibkr_flex.
	Name string
	// Title is the name for users, such as Interactive Brokers (Flex).
	Title string
	// Covers says in a few words what is fetched.
	Covers string
	// Notes say in one or two sentences what a user must know before.
	Notes string
	// Steps are the way to the credentials at the broker, one click or choice each.
	Steps []string
	// Hosts are all hosts it calls, without scheme and port.
	Hosts []string
	// Calls are all requests it sends. They only read, and a test checks that no other is
	// sent.
	Calls []Call
	// Fields are the credentials and choices.
	Fields []remote.Field
	// RequestsPerMinute is how many requests the broker allows, with a margin.
	RequestsPerMinute int
	// Burst is how many requests may be sent before their time after a pause. The broker
	// must allow so many more in a minute.
	Burst int
	// Buckets are the broker's limits by weight, with a margin. Calls have the weights.
	Buckets []outbound.Bucket
	// MaxBytes is how long one answer may be, and MaxTime how long one request may take; 0
	// means the usual limit.
	MaxBytes int64
	MaxTime  time.Duration
	// Zone is the zone of the day from which to fetch, and of the daily run. It is UTC if
	// empty.
	Zone string
	// DailyAt is the time of day of the daily run in Zone; the hourly one has none.
	DailyAt time.Duration
	// History is how far back the broker answers; 0 means no limit.
	History time.Duration
	// Window is the longest query period; 0 means any.
	Window time.Duration
	// WholeDays reports whether queries begin and end at midnight in Zone, and end with
	// yesterday.
	WholeDays bool
	// Delay is how old a fill must be before the broker is sure to return it.
	Delay time.Duration
	// Overlap is how much of the time before is fetched again, for late corrections.
	Overlap time.Duration
	// ListsAll reports that a delivery has all fills in the query period, so the broker
	// no longer reports a missing one. Margin is the time at both ends in which fills may
	// be missing, because the broker selects them by another time.
	ListsAll bool
	Margin   time.Duration
	// Rights is how the credentials' rights become known.
	Rights RightsCheck
	// ReplacesKey reports whether the broker replaces a credential each time it is used;
	// see [remote.Session.Replace].
	ReplacesKey bool
}

// Call is a kind of request. A * in Path is any text without a slash.
type Call struct {
	Method, Path string
	// Weights are what the request weighs in the buckets, by their names.
	Weights map[string]int
}

// Gets returns calls with the method GET.
func Gets(paths ...string) (calls []Call) {
	for _, path := range paths {
		calls = append(calls, Call{Method: http.MethodGet, Path: path})
	}
	return calls
}

// Limits returns a client's limits for the broker.
func (d Description) Limits() outbound.Limits {
	limits := outbound.Limits{PerMinute: d.RequestsPerMinute, Burst: d.Burst, Buckets: d.Buckets, MaxBytes: d.MaxBytes, MaxTime: d.MaxTime}
	for _, call := range d.Calls {
		limits.Costs = append(limits.Costs, outbound.Cost{Path: call.Path, Weights: call.Weights})
	}
	return limits
}

// Matches reports whether a request is of this kind.
func (c Call) Matches(request *http.Request) bool {
	isMatch, err := path.Match(c.Path, request.URL.Path)
	return err == nil && isMatch && request.Method == c.Method
}

// RightsCheck is how the credentials' rights become known.
type RightsCheck string

// How rights become known.
const (
	// RightsHarmless: the credentials can only read.
	RightsHarmless RightsCheck = "harmless"
	// RightsChecked: Check returns what they allow.
	RightsChecked RightsCheck = "checked"
	// RightsUnknown: they may allow to trade, and the broker does not say.
	RightsUnknown RightsCheck = "unknown"
)

// Identity is the owner of credentials and what they allow.
type Identity struct {
	// Account is the broker's id of the account. A connection whose account changes
	// stops.
	Account string
	// Name is the account for users, such as "U7654321 (paper)"; it may be empty.
	Name string
	// CanTrade and CanWithdraw report that the credentials allow more than reading.
	CanTrade, CanWithdraw bool
	// ExpiresAt is when the credentials end; zero if unknown.
	ExpiresAt time.Time
	// Notes are sentences for the user, such as a limit for the key.
	Notes []string
}

// Query selects what happened in [From, To).
type Query struct {
	From, To time.Time
	// State is the connection's state after its last delivery, empty at first.
	State string
	// IsContinued reports that the last delivery covered the same period and was not
	// complete.
	IsContinued bool
	// Symbols are the symbols the account has traded, for brokers which must be asked for
	// each.
	Symbols []string
	// Currency is the account's currency in the journal.
	Currency string
	// MaxRows is how many rows end a delivery; 0 means the usual number.
	MaxRows int
}

// Covered returns the part of a query's time the delivery has. It is empty if from is not
// before to.
func (d Delivery) Covered(query Query) (from, to time.Time) {
	from, to = query.From, query.To
	if d.From.After(from) {
		from = d.From
	}
	if !d.To.IsZero() && d.To.Before(to) {
		to = d.To
	}
	return from, to
}

// Delivery is what a broker returned.
type Delivery struct {
	// Statement has the fills and the cash. Each record is a row, numbered from 1; see
	// [statement.Statement]. It is nil if File is set.
	Statement *statement.Statement
	// File is a file as a user could have downloaded it, if the broker sends one. It is
	// read like an upload.
	File []byte
	// FileName is its name, which may decide how it is read.
	FileName string
	// State is kept and given to the next query, also after a restart. It must not contain
	// credentials and is at most 64 KiB.
	State string
	// IsPartial reports that the query's time is not complete: the next query has the
	// same time and this State. A delivery should have at most a few thousand rows.
	IsPartial bool
	// Stopped is the error behind a partial delivery: what arrived before it is complete
	// up to State. It is nil if the broker answered every request.
	Stopped error
	// From and To are the time the broker answered for, if it is shorter than the
	// query's; the rest is not complete. From is the query's end if it answered for none.
	From, To time.Time
	// Withdrawn are ids of fills the broker has canceled.
	Withdrawn []string
	// Replaced maps the new id of a corrected fill to the one before.
	Replaced map[string]string
	// Messages are sentences for the user about what is missing or uncertain.
	Messages []string
}
