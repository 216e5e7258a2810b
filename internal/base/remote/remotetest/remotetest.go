// Package remotetest helps to test clients for other servers: it connects them to a test
// server speaking the provider's protocol, and sends the faults any server can have.
package remotetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"fillbook/internal/base/remote"
)

// Secret is a credential for tests. No error may contain it.
const Secret = "secret-3f9a1c"

// Client is a Doer sending all requests to one handler. It fails the test if a request
// does not use https or names an undeclared host, or if its address has the secret.
type Client struct {
	// IsAllowed reports whether a request may be sent. It may be nil.
	IsAllowed func(*http.Request) bool
	// MaySendSecret allows the secret in addresses, for providers requiring it.
	MaySendSecret bool
	// Requests are the sent requests.
	Requests []*http.Request

	t      testing.TB
	hosts  []string
	server *url.URL
}

// NewClient returns a Client, whose server ends with the test. The handler gets the
// request with its original host.
func NewClient(t testing.TB, hosts []string, handler http.Handler) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return &Client{t: t, hosts: hosts, server: address}
}

// Do implements remote.Doer.
func (c *Client) Do(request *http.Request) (*http.Response, error) {
	if request.URL.Scheme != "https" || !slices.Contains(c.hosts, request.URL.Host) {
		c.t.Errorf("a request goes to %s", request.URL)
	}
	if c.IsAllowed != nil && !c.IsAllowed(request) {
		c.t.Errorf("a request was not declared: %s %s", request.Method, request.URL.Path)
	}
	if !c.MaySendSecret && strings.Contains(request.URL.String(), Secret) {
		c.t.Errorf("the address has a secret: %s", request.URL)
	}
	c.Requests = append(c.Requests, request)
	sent := request.Clone(request.Context())
	sent.Host = request.URL.Host
	sent.URL.Scheme, sent.URL.Host = c.server.Scheme, c.server.Host
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return client.Do(sent)
}

// WithTime returns a handler whose answers have a time in the header Date, as a test's
// clock is not the machine's.
func WithTime(at time.Time, handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", at.UTC().Format(http.TimeFormat))
		handler(w, r)
	}
}

// Reply returns a handler with a fixed answer.
func Reply(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Fault is a fault any server can have, and the resulting error.
type Fault struct {
	Name   string
	Answer http.HandlerFunc
	Want   error
}

// Faults returns the faults any server can have. good is its right answer, now the
// client's present, and maxBytes the maximum answer length.
func Faults(good http.HandlerFunc, now time.Time, maxBytes int64) []Fault {
	retry := func(after string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}
	list := []Fault{
		{"429 with seconds", retry("7"), &remote.RateLimited{RetryAfter: 7 * time.Second}},
		{"429 with a time", retry(now.Add(time.Minute).UTC().Format(http.TimeFormat)), &remote.RateLimited{RetryAfter: time.Minute}},
		{"429 with nonsense", retry("soon"), &remote.RateLimited{}},
		{"429 without a header", Reply(http.StatusTooManyRequests, ""), &remote.RateLimited{}},
		{"429 for ages", retry("99999999"), &remote.RateLimited{RetryAfter: 72 * time.Hour}},
		{"no body", func(http.ResponseWriter, *http.Request) {}, remote.ErrTruncated},
		{"HTML", Reply(http.StatusOK, "<html><body>Welcome</body></html>"), remote.ErrMalformed},
		{"half an answer", replyHalf(good, false), remote.ErrTruncated},
		{"a broken connection", replyHalf(good, true), remote.ErrTruncated},
		{"a large answer", Reply(http.StatusOK, strings.Repeat(" ", int(maxBytes)+1)), remote.ErrTooLarge},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://example.com/", http.StatusFound)
		}, remote.ErrRefused},
	}
	for status, want := range map[int]error{
		http.StatusBadRequest:                 remote.ErrRefused,
		http.StatusUnauthorized:               remote.ErrUnauthorized,
		http.StatusForbidden:                  remote.ErrForbidden,
		http.StatusUnavailableForLegalReasons: remote.ErrForbidden,
		http.StatusNotFound:                   remote.ErrNotFound,
		http.StatusTeapot:                     &remote.RateLimited{IsBanned: true},
		http.StatusInternalServerError:        remote.ErrUnavailable,
		http.StatusBadGateway:                 remote.ErrUnavailable,
		http.StatusServiceUnavailable:         remote.ErrUnavailable,
	} {
		body := fmt.Sprintf(`{"message": "failed for %s\u0007\n at once"}`, Secret)
		list = append(list, Fault{strconv.Itoa(status), Reply(status, body), want})
	}
	return list
}

// replyHalf returns a handler sending the first half of an answer. If it promises the whole,
// the connection breaks.
func replyHalf(good http.HandlerFunc, promisesWhole bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		whole := httptest.NewRecorder()
		good(whole, r)
		body := whole.Body.Bytes()
		if promisesWhole {
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		}
		_, _ = w.Write(body[:len(body)/2])
	}
}

// Case is a client with a query.
type Case struct {
	Credentials map[string]string
	// Except names the faults with another meaning for the provider.
	Except []string
	// Call asks a handler.
	Call func(ctx context.Context, t *testing.T, handler http.HandlerFunc) error
}

// TestFaults sends faults and checks the errors.
func (c Case) TestFaults(t *testing.T, faults []Fault) {
	t.Helper()
	for _, f := range faults {
		if slices.Contains(c.Except, f.Name) {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			err := c.Call(t.Context(), t, f.Answer)
			if !IsError(err, f.Want) {
				t.Errorf("error %v, want %v", err, f.Want)
			}
			c.checkText(t, err)
		})
	}
	t.Run("canceled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := c.Call(ctx, t, Reply(http.StatusOK, "{}")); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

// Answer is a provider's answer and the resulting error, which may be nil.
type Answer = struct {
	Status int
	Body   string
	Want   error
}

// TestAnswers sends answers and checks the errors.
func (c Case) TestAnswers(t *testing.T, answers map[string]Answer) {
	t.Helper()
	for name, answer := range answers {
		err := c.Call(t.Context(), t, Reply(answer.Status, answer.Body))
		if !IsError(err, answer.Want) {
			t.Errorf("%s: error %v, want %v", name, err, answer.Want)
		}
		c.checkText(t, err)
	}
}

// checkText checks that an error has neither the secret, if it is among the credentials,
// nor control characters.
func (c Case) checkText(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	for _, value := range c.Credentials {
		if value == Secret && strings.Contains(err.Error(), value) {
			t.Errorf("the error has a secret: %q", err)
		}
	}
	if strings.ContainsFunc(err.Error(), unicode.IsControl) {
		t.Errorf("the error has control characters: %q", err)
	}
}

// IsError reports whether an error is the wanted one. A RateLimited must be equal.
func IsError(err, want error) bool {
	var got, limited *remote.RateLimited
	if errors.As(want, &limited) {
		return errors.As(err, &got) && *got == *limited
	}
	return errors.Is(err, want)
}

// FuzzAnswer sends any answer to a client. What the client gets from its own server and
// the seeds are the start. call asks a Doer.
func FuzzAnswer(f *testing.F, own http.HandlerFunc, seeds []string, call func(t testing.TB, doer remote.Doer)) {
	f.Helper()
	recorder := &Recorder{Answer: own}
	call(f, recorder)
	for _, seed := range append(seeds, recorder.Bodies...) {
		f.Add([]byte(seed), http.StatusOK)
		f.Add([]byte(seed), http.StatusBadRequest)
	}
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		if status < 100 || status > 599 {
			return
		}
		call(t, &Recorder{Answer: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(max(status, http.StatusOK))
			_, _ = w.Write(body)
		}})
	})
}

// Recorder is a Doer without a network, which is faster.
type Recorder struct {
	Answer http.HandlerFunc
	// Bodies are the answers' bodies.
	Bodies []string
}

// Do implements remote.Doer.
func (r *Recorder) Do(request *http.Request) (*http.Response, error) {
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	answer := httptest.NewRecorder()
	r.Answer(answer, request)
	r.Bodies = append(r.Bodies, answer.Body.String())
	response := answer.Result()
	response.Body = io.NopCloser(bytes.NewReader(answer.Body.Bytes()))
	return response, nil
}
