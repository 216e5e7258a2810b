package identity

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/testkit"
)

// cheap is a password cost for tests where the cost does not matter.
var cheap = PasswordCost{MemoryKiB: 64, Passes: 1}

// The people of the tests.
const (
	ownerEmail = "owner@example.com"
	guestEmail = "guest@example.com"
	goodPass   = secrets.Secret("correct horse battery")
	otherPass  = secrets.Secret("tr0ubador and friends")
)

var (
	home  = Client{IP: "192.0.2.1", UserAgent: "home browser", RequestID: "r-1"}
	cafe  = Client{IP: "198.51.100.7", UserAgent: "cafe browser", RequestID: "r-2"}
	crook = Client{IP: "203.0.113.9", UserAgent: "curl/8", RequestID: "r-3"}
)

// fixture is a service on a fresh database with a clock moved by the test.
type fixture struct {
	*Service
	t     *testing.T
	clock *testkit.Clock
}

func newFixture(t *testing.T, d *db.DB) *fixture {
	t.Helper()
	return newFixtureWith(t, d, Options{RegistrationOpen: true, PasswordCost: cheap})
}

func newFixtureWith(t *testing.T, d *db.DB, options Options) *fixture {
	t.Helper()
	clock := testkit.NewClock()
	return &fixture{Service: New(d, testKeys(t, 1), clock.Now, nil, options), t: t, clock: clock}
}

func testKeys(t testing.TB, fill byte) *secrets.Keys {
	t.Helper()
	keys, err := secrets.NewKeys(bytes.Repeat([]byte{fill}, secrets.MinRoot))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// each runs a test on both engines.
func each(t *testing.T, fn func(t *testing.T, f *fixture)) {
	t.Helper()
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) { fn(t, newFixture(t, d)) })
}

// owner sets up the installation and signs in the owner.
func (f *fixture) owner() (Principal, TokenPair) {
	f.t.Helper()
	_, pair, err := f.Setup(f.t.Context(), home, ownerEmail, goodPass, nil)
	must(f.t, err)
	return f.caller(pair), pair
}

// guest registers and signs in a user who is not an owner.
func (f *fixture) guest(address string) (Principal, TokenPair) {
	f.t.Helper()
	_, pair, err := f.Register(f.t.Context(), home, address, goodPass)
	must(f.t, err)
	return f.caller(pair), pair
}

// caller returns the owner of an access token.
func (f *fixture) caller(pair TokenPair) Principal {
	f.t.Helper()
	caller, err := f.Authenticate(f.t.Context(), pair.AccessToken.Reveal(), home)
	must(f.t, err)
	return caller
}

// login signs in with the good password, without a code.
func (f *fixture) login(address string) TokenPair {
	f.t.Helper()
	pair, err := f.Login(f.t.Context(), home, address, goodPass, "")
	must(f.t, err)
	return pair
}

// code returns the code shown by the user's authenticator steps from now.
func (f *fixture) code(secret string, steps int64) secrets.Secret {
	f.t.Helper()
	raw, err := parseTOTPSecret(secrets.Secret(secret))
	must(f.t, err)
	code, err := codeAt(raw, f.clock.Now().Unix()/30+steps)
	must(f.t, err)
	return secrets.Secret(code)
}

// wrongCode returns a currently invalid code.
func (f *fixture) wrongCode(secret string) secrets.Secret {
	f.t.Helper()
	for n := 0; ; n++ {
		code := secrets.Secret(fmt.Sprintf("%06d", n))
		if code != f.code(secret, -1) && code != f.code(secret, 0) && code != f.code(secret, 1) {
			return code
		}
	}
}

// turnOnTOTP turns on the caller's second factor and advances the clock to the
// next code.
func (f *fixture) turnOnTOTP(caller Principal) (secret string) {
	f.t.Helper()
	candidate, err := f.StartTOTP(f.t.Context(), caller.UserID)
	must(f.t, err)
	must(f.t, f.ConfirmTOTP(f.t.Context(), caller, home, secrets.Secret(candidate.Secret), f.code(candidate.Secret, 0)))
	f.clock.Advance(totpPeriod)
	return candidate.Secret
}

// hashes returns the work done so far as a number of hashes.
func (f *fixture) hashes() int {
	return int(f.hasher.work.Load() / (int64(cheap.MemoryKiB) * int64(cheap.Passes)))
}

// count returns the number selected by a query.
func (f *fixture) count(query string, args ...any) int {
	f.t.Helper()
	var n int
	must(f.t, f.db.Peek(f.t.Context(), func(tx *db.Tx) error { return tx.QueryRow(f.t.Context(), query, args...).Scan(&n) }))
	return n
}

// exec changes the database without the service.
func (f *fixture) exec(query string, args ...any) {
	f.t.Helper()
	must(f.t, f.db.Update(f.t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(f.t.Context(), query, args...)
		return err
	}))
}

// events returns the audit log, oldest first, as "action outcome".
func (f *fixture) events() []string {
	f.t.Helper()
	must(f.t, f.Flush(f.t.Context())) // a list waits for it only so long
	events, err := f.Audit(f.t.Context(), AuditQuery{})
	must(f.t, err)
	list := make([]string, len(events))
	for i, event := range events {
		list[len(events)-1-i] = string(event.Action) + " " + string(event.Outcome)
	}
	return list
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantRefusal checks an error's kind and code.
func wantRefusal(t testing.TB, err error, kind journal.Kind, code string) journal.Error {
	t.Helper()
	var refusal *journal.Error
	if !errors.As(err, &refusal) || refusal.Kind != kind || refusal.Code != code {
		t.Fatalf("got %v, want an error with code %s", err, code)
	}
	return *refusal
}

func unauthorized(t testing.TB, err error) {
	t.Helper()
	wantRefusal(t, err, journal.KindUnauthorized, "unauthorized")
}

func forbidden(t testing.TB, err error) {
	t.Helper()
	wantRefusal(t, err, journal.KindForbidden, "forbidden")
}

func notFound(t testing.TB, err error) {
	t.Helper()
	wantRefusal(t, err, journal.KindNotFound, "not_found")
}

func conflict(t testing.TB, err error) {
	t.Helper()
	wantRefusal(t, err, journal.KindConflict, "conflict")
}

func invalid(t testing.TB, err error, field string) {
	t.Helper()
	refusal := wantRefusal(t, err, journal.KindInvalid, "bad_request")
	if refusal.Details["field"] != field {
		t.Fatalf("the error names %v, want %s", refusal.Details, field)
	}
}

func limited(t testing.TB, err error) time.Duration {
	t.Helper()
	return wantRefusal(t, err, journal.KindLimited, "rate_limited").RetryAfter
}

// runConcurrently calls fn n times at the same time and returns the errors.
func runConcurrently(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	var start, group sync.WaitGroup
	start.Add(1)
	for i := range n {
		group.Go(func() {
			start.Wait()
			errs[i] = fn(i)
		})
	}
	start.Done()
	group.Wait()
	return errs
}

// countSuccesses returns how many calls returned no error.
func countSuccesses(errs []error) int {
	n := 0
	for _, err := range errs {
		if err == nil {
			n++
		}
	}
	return n
}

// secretsOf returns the texts as secrets.
func secretsOf(texts ...string) []secrets.Secret {
	list := make([]secrets.Secret, len(texts))
	for i, text := range texts {
		list[i] = secrets.Secret(text)
	}
	return list
}
