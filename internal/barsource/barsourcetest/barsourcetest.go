// Package barsourcetest helps to test the clients of price providers: it connects them
// to a server of the test that speaks the provider's protocol, and sends the faults
// that any server can have.
package barsourcetest

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

	"fillbook/internal/barsource"
	"fillbook/internal/decimal"
	"fillbook/internal/instruments"
	"fillbook/internal/market"
	"fillbook/internal/remote"
)

// Secret is a credential for tests. No error may contain it.
const Secret = "secret-3f9a1c"

// Case is a provider with a query that its server answers.
type Case struct {
	Provider    barsource.Provider
	Credentials map[string]string
	Query       barsource.Query
	// Answer is the server of the provider.
	Answer http.HandlerFunc
	// Except names the faults of [Case.TestFaults] that the provider means differently.
	Except []string
}

// Client is a Doer that sends all requests to one handler. It fails the test if a
// request does not use https or names a host that the provider did not declare.
type Client struct {
	t        testing.TB
	hosts    []string
	server   *url.URL
	Requests []*http.Request
}

// NewClient returns a Client, whose server ends with the test. The handler gets the
// request with the host that it was meant for.
func NewClient(t testing.TB, provider barsource.Provider, handler http.Handler) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return &Client{t: t, hosts: provider.Describe().Hosts, server: address}
}

// Do implements remote.Doer.
func (c *Client) Do(request *http.Request) (*http.Response, error) {
	if request.URL.Scheme != "https" || !slices.Contains(c.hosts, request.URL.Host) {
		c.t.Errorf("a request goes to %s", request.URL)
	}
	if strings.Contains(request.URL.String(), Secret) {
		c.t.Errorf("the address has a secret: %s", request.URL)
	}
	c.Requests = append(c.Requests, request)
	sent := request.Clone(request.Context())
	sent.Host = request.URL.Host
	sent.URL.Scheme, sent.URL.Host = c.server.Scheme, c.server.Host
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return client.Do(sent)
}

// Fetch sends the query to a handler.
func (c Case) Fetch(t testing.TB, handler http.HandlerFunc) (barsource.Result, error) {
	t.Helper()
	return c.Provider.Fetch(t.Context(), NewClient(t, c.Provider, handler), c.Credentials, c.Query)
}

// MustFetch returns the result of the query from the provider's server.
func (c Case) MustFetch(t testing.TB) barsource.Result {
	t.Helper()
	result, err := c.Fetch(t, c.Answer)
	if err != nil {
		t.Fatal(err)
	}
	if problem := CheckResult(c.Query, result); problem != "" {
		t.Fatal(problem)
	}
	return result
}

// Describe returns the bars of a result, one in a line: time, open, high, low, close
// and volume.
func Describe(result barsource.Result) string {
	var text strings.Builder
	for _, b := range result.Block.Bars {
		text.WriteString(time.Unix(b.Time, 0).UTC().Format("2006-01-02 15:04:05"))
		for _, price := range []int64{b.Open, b.High, b.Low, b.Close} {
			text.WriteString(" " + decimal.FromScaled(price, result.Block.PriceScale).String())
		}
		fmt.Fprintf(&text, " %s\n", decimal.FromScaled(b.Volume, result.Block.VolumeScale))
	}
	return text.String()
}

// CheckResult returns what is wrong with a result, or an empty text.
func CheckResult(query barsource.Query, result barsource.Result) string {
	if result.Covered.From < query.From.Unix() || result.Covered.To > query.To.Unix() || result.Covered.To < result.Covered.From {
		return fmt.Sprintf("covered %v", result.Covered)
	}
	last := int64(-1)
	for _, bar := range result.Block.Bars {
		switch {
		case bar.Check() != nil:
			return fmt.Sprintf("%+v: %v", bar, bar.Check())
		case bar.Time <= last:
			return fmt.Sprintf("%+v is not in order", bar)
		case bar.Time < result.Covered.From || bar.Time >= result.Covered.To:
			return fmt.Sprintf("%+v is not in %v", bar, result.Covered)
		case bar.Time+query.BarSecs > query.Now.Unix():
			return fmt.Sprintf("%+v has not ended", bar)
		}
		last = bar.Time
	}
	for block := range market.SplitBlocks(result.Block) {
		if _, err := market.DecodeBlock(block.AppendTo(nil), nil); err != nil {
			return err.Error()
		}
	}
	return ""
}

type fault struct {
	name   string
	answer http.HandlerFunc
	want   error
}

// faults returns what can go wrong with any server. good is its right answer.
func faults(good http.HandlerFunc, now time.Time) []fault {
	retry := func(after string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}
	list := []fault{
		{"429 with seconds", retry("7"), &remote.RateLimited{RetryAfter: 7 * time.Second}},
		{"429 with a time", retry(now.Add(time.Minute).UTC().Format(http.TimeFormat)), &remote.RateLimited{RetryAfter: time.Minute}},
		{"429 with nonsense", retry("soon"), &remote.RateLimited{}},
		{"429 for ages", retry("99999999"), &remote.RateLimited{RetryAfter: 72 * time.Hour}},
		{"no body", func(http.ResponseWriter, *http.Request) {}, remote.ErrTruncated},
		{"HTML", Reply(http.StatusOK, "<html><body>Welcome</body></html>"), remote.ErrMalformed},
		{"half an answer", cut(good, false), remote.ErrTruncated},
		{"a broken connection", cut(good, true), remote.ErrTruncated},
		{"a large answer", Reply(http.StatusOK, strings.Repeat(" ", remote.MaxPageBytes+1)), remote.ErrTooLarge},
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
		list = append(list, fault{strconv.Itoa(status), Reply(status, body), want})
	}
	return list
}

// Reply returns a handler that always sends the same answer.
func Reply(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// cut returns a handler that sends the first half of an answer. If it promises the
// whole, the connection breaks.
func cut(good http.HandlerFunc, promisesWhole bool) http.HandlerFunc {
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

// TestFaults sends what can go wrong with any server and checks the errors.
func (c Case) TestFaults(t *testing.T) {
	t.Helper()
	for _, f := range faults(c.Answer, c.Query.Now) {
		if slices.Contains(c.Except, f.name) {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			result, err := c.Fetch(t, f.answer)
			if !IsError(err, f.want) {
				t.Errorf("error %v, want %v", err, f.want)
			}
			if len(result.Block.Bars) > 0 {
				t.Error("bars together with an error")
			}
			c.checkText(t, err)
		})
	}
	t.Run("canceled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := c.Provider.Fetch(ctx, NewClient(t, c.Provider, c.Answer), c.Credentials, c.Query)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

// Answer is an answer of a provider and the error that it means, which may be nil.
type Answer = struct {
	Status int
	Body   string
	Want   error
}

// TestAnswers sends answers and checks the errors.
func (c Case) TestAnswers(t *testing.T, answers map[string]Answer) {
	t.Helper()
	for name, answer := range answers {
		result, err := c.Fetch(t, Reply(answer.Status, answer.Body))
		if !IsError(err, answer.Want) || len(result.Block.Bars) > 0 {
			t.Errorf("%s: error %v, want %v", name, err, answer.Want)
		}
		c.checkText(t, err)
	}
}

// Symbol is the symbol and the type of an instrument in the journal, and the provider's
// name of it, or an empty text if the provider does not have it.
type Symbol = struct{ Journal, Type, Want string }

// TestSymbols compares the provider's names of instruments.
func (c Case) TestSymbols(t *testing.T, symbols []Symbol) {
	t.Helper()
	for _, s := range symbols {
		got, ok := c.Provider.Symbol(instruments.Priced{Symbol: s.Journal, Type: s.Type}, c.Query.From)
		if ok != (s.Want != "") || ok && got != s.Want {
			t.Errorf("%s %s: %q %v, want %q", s.Type, s.Journal, got, ok, s.Want)
		}
	}
}

// checkText checks that an error contains no credentials and no control characters.
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

// FuzzAnswer sends any answer to the provider and checks the result. The provider's own
// answer and the given ones are the start.
func (c Case) FuzzAnswer(f *testing.F, seeds ...string) {
	f.Helper()
	own := &recorder{answer: c.Answer}
	if _, err := c.Provider.Fetch(f.Context(), own, c.Credentials, c.Query); err != nil {
		f.Fatal(err)
	}
	for _, seed := range append(seeds, own.bodies...) {
		f.Add([]byte(seed), http.StatusOK)
		f.Add([]byte(seed), http.StatusBadRequest)
	}
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		if status < 100 || status > 599 {
			return
		}
		result, err := c.Provider.Fetch(t.Context(), &recorder{answer: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(max(status, http.StatusOK))
			_, _ = w.Write(body)
		}}, c.Credentials, c.Query)
		if err != nil {
			return
		}
		if problem := CheckResult(c.Query, result); problem != "" {
			t.Error(problem)
		}
	})
}

// recorder is a Doer without a network, which is faster.
type recorder struct {
	answer http.HandlerFunc
	bodies []string
}

func (r *recorder) Do(request *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	r.answer(answer, request)
	r.bodies = append(r.bodies, answer.Body.String())
	response := answer.Result()
	response.Body = io.NopCloser(bytes.NewReader(answer.Body.Bytes()))
	return response, nil
}
