package httpapi_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha1" // what authenticator apps know
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/transport"
)

// in returns a copy of the client for a subtest, which reports its failures.
func (c *client) in(t testing.TB) *client {
	t.Helper()
	installation := *c.w
	installation.t = t
	clone := *c
	clone.w = &installation
	return &clone
}

// raw sends a body as it is, with a content type that may be empty.
func (c *client) raw(method, path, contentType string, body []byte) *reply { //nolint:unparam // reads like do
	c.w.t.Helper()
	typed := c.with("Content-Type", contentType)
	if contentType == "" {
		typed.headers["Content-Type"] = nil
	}
	return typed.do(method, path, body)
}

// wantSame requires that two answers differ only in the ids of request and change.
func (r *reply) wantSame(other *reply) {
	r.t.Helper()
	if r.status != other.status || string(r.body) != string(other.body) {
		r.t.Errorf("%s answers %d %s\nbut %s answers %d %s", r.call, r.status, r.body, other.call, other.status, other.body)
	}
	if diff := cmp.Diff(apartFromID(r.header), apartFromID(other.header)); diff != "" {
		r.t.Errorf("%s and %s have other headers: %s", r.call, other.call, diff)
	}
}

func apartFromID(header http.Header) http.Header {
	header = header.Clone()
	header.Del("X-Request-Id")
	header.Del("X-Change-Id")
	header.Del("Date")
	return header
}

// tag is the answer's ETag, which must be there.
func (r *reply) tag() string {
	r.t.Helper()
	tag := r.header.Get("ETag")
	if tag == "" {
		r.t.Fatalf("%s: no ETag", r.call)
	}
	return tag
}

// keys returns an object's names, found by its path, in no order.
func (r *reply) keys(path string) map[string]bool {
	r.t.Helper()
	object, ok := r.value(path).(map[string]any)
	if !ok {
		r.t.Fatalf("%s: %q is no object: %s", r.call, path, r.body)
	}
	names := map[string]bool{}
	for name := range object {
		names[name] = true
	}
	return names
}

// wantKeys requires exactly these names in an object.
func (r *reply) wantKeys(path string, names ...string) *reply {
	r.t.Helper()
	want := map[string]bool{}
	for _, name := range names {
		want[name] = true
	}
	if diff := cmp.Diff(want, r.keys(path)); diff != "" {
		r.t.Fatalf("%s: %q has other fields: %s", r.call, path, diff)
	}
	return r
}

// wantNone requires an answer without a body.
func (r *reply) wantNone() {
	r.t.Helper()
	r.want(http.StatusNoContent)
	if len(r.body) != 0 || r.header.Get("Content-Type") != "" {
		r.t.Fatalf("%s: 204 with %q of type %q", r.call, r.body, r.header.Get("Content-Type"))
	}
}

// wantPair requires a token pair and reports whether its owner is an owner.
func (r *reply) wantPair(isAdmin bool) *reply {
	r.t.Helper()
	if r.text("access_token") == "" || r.text("refresh_token") == "" || r.value("is_admin") != isAdmin ||
		r.text("token_type") != "Bearer" || r.text("expires_in") != "900" {
		r.t.Fatalf("%s: no token pair with is_admin %v: %s", r.call, isAdmin, r.body)
	}
	return r
}

// atOnce runs fn n times in parallel and returns what each gave.
func atOnce[T any](n int, fn func(i int) T) []T {
	results := make([]T, n)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			results[i] = fn(i)
		})
	}
	close(start)
	all.Wait()
	return results
}

// tally counts answers by their status.
func tally(replies []*reply) map[int]int {
	count := map[int]int{}
	for _, r := range replies {
		count[r.status]++
	}
	return count
}

// totpCode computes a one-time code by itself: RFC 6238 with SHA-1, six digits
// and 30 seconds.
func totpCode(t testing.TB, secret string, at time.Time) string {
	t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		t.Fatalf("the secret %q is not base32: %v", secret, err)
	}
	mac := hmac.New(sha1.New, key)
	_, _ = mac.Write(binary.BigEndian.AppendUint64(nil, uint64(at.Unix()/30))) // after 1970
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%06d", (binary.BigEndian.Uint32(sum[offset:])&0x7fffffff)%1_000_000)
}

// passwordOf returns the password set by addUser.
func passwordOf(email string) string { return "password of " + email }

// tryLogin signs in with or without a code and requires nothing.
func (w *world) tryLogin(email, password, code string) *reply {
	w.t.Helper()
	body := map[string]any{"email": email, "password": password}
	if code != "" {
		body["totp_code"] = code
	}
	return w.anonymous().post("/auth/login", body)
}

// refresh exchanges a refresh token and requires nothing.
func (w *world) refresh(token string) *reply {
	w.t.Helper()
	return w.anonymous().post("/auth/refresh", map[string]any{"refresh_token": token})
}

// mint makes an access token and returns its id and its secret.
func (c *client) mint(body map[string]any) (id, secret string) {
	c.w.t.Helper()
	made := c.post("/access-tokens", body).want(http.StatusCreated)
	return made.text("id"), made.text("token")
}

// userID finds a user's id as an owner does.
func (c *client) userID(email string) string {
	c.w.t.Helper()
	users := c.get("/admin/users").want(http.StatusOK)
	for i := range users.count("") {
		if users.text(fmt.Sprintf("%d.email", i)) == email {
			return users.text(fmt.Sprintf("%d.id", i))
		}
	}
	c.w.t.Fatalf("there is no user %s", email)
	return ""
}

// settle stores what requests have queued.
func (w *world) settle() {
	w.t.Helper()
	if err := w.people.Flush(context.WithoutCancel(w.t.Context())); err != nil {
		w.t.Fatal(err)
	}
}

// exec changes the database without the service.
func (w *world) exec(statement string, args ...any) {
	w.t.Helper()
	err := w.db.Update(w.t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(w.t.Context(), statement, args...)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// count runs a query for one number.
func (w *world) count(query string, args ...any) int {
	w.t.Helper()
	var n int
	err := w.db.View(w.t.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(w.t.Context(), query, args...).Scan(&n)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// serve puts the installation behind a real server, for what a recorder cannot
// show: HEAD, chunks, connections.
func (w *world) serve() *httptest.Server {
	server := httptest.NewServer(w.handler)
	w.t.Cleanup(server.Close)
	return server
}

// Common settings in tests.

func openRegistration(s *settle) { s.identity.RegistrationOpen = true }

func authFailures(perSecond float64, burst int) func(*settle) {
	return func(s *settle) { s.api.AuthFailures = transport.Rate{PerSecond: perSecond, Burst: burst} }
}

func secretFailures(perSecond float64, burst int) func(*settle) {
	return func(s *settle) { s.api.SecretFailures = transport.Rate{PerSecond: perSecond, Burst: burst} }
}

// holdsWord reports whether a text has a word with nothing alphanumeric beside it: six
// digits may be in any id by chance.
func holdsWord(text, word string) bool {
	isPart := func(b byte) bool {
		return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
	}
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(word)
		if (at == 0 || !isPart(text[at-1])) && (end == len(text) || !isPart(text[end])) {
			return true
		}
		from = at + 1
	}
}

func shareLinksOn(s *settle) { s.api.ShareLinks = true }

func fraction(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("not a number: " + text)
	}
	return r
}
