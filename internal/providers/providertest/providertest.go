// Package providertest checks the provider clients: whether they map what a server sends,
// what they make of the faults that any server can have, and what must hold for each of
// their answers.
//
// A test builds a [FillCase] or a [BarCase] with a [Server] that answers like the
// provider, and hands it to [Run].
package providertest

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/base/remote/remotetest"
)

// Secret is a credential for tests. No error may contain it.
const Secret = remotetest.Secret

// Answer is the answer to a query and the error that it means, which may be nil.
type Answer = remotetest.Answer

// Run runs all checks of a case, each in a subtest with a case and its own server.
func Run[C interface {
	Checks() map[string]func(C, *testing.T)
}](t *testing.T, newCase func() C) {
	t.Parallel()
	for name, check := range newCase().Checks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(newCase(), t)
		})
	}
}

// Reply returns a handler that always sends the same answer.
func Reply(status int, body string) http.HandlerFunc { return remotetest.Reply(status, body) }

// OK returns a handler that always answers with a body.
func OK(body string) http.HandlerFunc { return Reply(http.StatusOK, body) }

// Replace returns a handler that replaces another one for paths with an ending.
func Replace(other http.HandlerFunc, path string, with http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, path) {
			with(w, r)
			return
		}
		other(w, r)
	}
}

// IsError reports whether an error is the wanted one. A RateLimited must be equal.
func IsError(err, want error) bool { return remotetest.IsError(err, want) }

// eachSkew calls a function with differences between the clocks of a server and ours, and
// with parts of a second of our clock: an answer's time has whole seconds.
func eachSkew(fn func(skew, phase time.Duration)) {
	for _, skew := range []time.Duration{1500 * time.Millisecond, 3 * time.Second, 90 * time.Second} {
		for phase := time.Duration(0); phase < time.Second; phase += 300 * time.Millisecond {
			fn(skew, phase)
			fn(-skew, phase)
		}
	}
}

// testLimit sends a refusal with a header to a client and checks how long it waits.
func testLimit(t *testing.T, fetch func(http.HandlerFunc) error, header, value, body string, want time.Duration) {
	t.Helper()
	err := fetch(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(header, value)
		if body == "" {
			w.WriteHeader(http.StatusTooManyRequests)
		}
		_, _ = io.WriteString(w, body)
	})
	if !IsError(err, &remote.RateLimited{RetryAfter: want}) {
		t.Errorf("too many requests: error %v, want %s", err, want)
	}
}
