package providertest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/remote"
	"fillbook/internal/base/remote/remotetest"
	"fillbook/internal/intake/connector"
)

// FillCase is a connector with a server that answers like its broker.
type FillCase struct {
	Connector   connector.Connector
	Credentials map[string]string
	// Query is the period of the server's whole history. It may be longer than the
	// longest one the broker answers.
	Query connector.Query
	// Now is the present.
	Now time.Time
	// Answer is the broker's server.
	Answer http.HandlerFunc
	// SetClock sets the server's clock; nil for a broker that does not look at it.
	SetClock func(time.Time)
	// Skew is how much the server's clock is ahead.
	Skew time.Duration
	// Except names the faults the broker means differently.
	Except []string
	// MaySendSecret allows the secret in addresses, for brokers that want it there.
	MaySendSecret bool
	// HasOtherTimes reports that deliveries may have records outside the query.
	HasOtherTimes bool
	// AnyOrder reports that fills at one instant may come in any order.
	AnyOrder bool
	// SendsFiles reports that deliveries are files, which have no windows to compare.
	SendsFiles bool

	// Identity is what the check of the credentials finds.
	Identity connector.Identity
	// Want is the server's history in the words of [Describe]; empty if it is not compared.
	// Each message of it contains one of Messages, and each of Messages is in one.
	Want     string
	Messages []string
	// KeyPath is the path with the key's rights, and Keys are answers to it and what the
	// check makes of them.
	KeyPath string
	Keys    map[string]Key
	// Errors are answers to a query and the errors they mean.
	Errors map[string]Answer
}

// Key is what the check of a key finds: an identity, or an error whose text contains
// Words.
type Key struct {
	connector.Identity
	Err   error
	Words string
}

// Checks implements the constraint of [Run].
func (c FillCase) Checks() map[string]func(FillCase, *testing.T) {
	checks := map[string]func(FillCase, *testing.T){
		"description": FillCase.testDescription,
		"check":       FillCase.testCheck,
		"faults":      FillCase.TestFaults,
		"errors":      func(c FillCase, t *testing.T) { c.TestAnswers(t, c.Errors) },
		"fetch":       FillCase.testFetch,
	}
	if !c.SendsFiles {
		checks["windows"] = FillCase.TestWindows
	}
	if c.SetClock != nil {
		checks["clock"] = FillCase.testClock
	}
	return checks
}

// testCheck checks the case's credentials, and the other answers about them.
func (c FillCase) testCheck(t *testing.T) {
	if diff := cmp.Diff(c.Identity, c.MustCheck(t)); diff != "" {
		t.Error(diff)
	}
	for body, want := range c.Keys {
		got, err := c.Check(t, Replace(c.Answer, c.KeyPath, OK(body)))
		if !errors.Is(err, want.Err) || err != nil && !strings.Contains(err.Error(), want.Words) {
			t.Errorf("%s: error %v, want %v %s", body, err, want.Err, want.Words)
		}
		if diff := cmp.Diff(want.Identity, got); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
}

// testFetch fetches the whole history.
func (c FillCase) testFetch(t *testing.T) {
	if c.Want != "" {
		c.Expect(t, c.Want, c.Messages...)
	}
}

// Expect fetches the whole query and compares its rows and its messages; see
// [FillCase.Messages].
func (c FillCase) Expect(t *testing.T, want string, messages ...string) []connector.Delivery {
	t.Helper()
	list := c.MustFetch(t)
	if diff := cmp.Diff(want, c.describe(list)); diff != "" {
		t.Error(diff)
	}
	got := Messages(list)
	for _, want := range messages {
		if !slices.ContainsFunc(got, func(m string) bool { return strings.Contains(m, want) }) {
			t.Errorf("no message has %q: %q", want, got)
		}
	}
	for _, m := range got {
		if !slices.ContainsFunc(messages, func(want string) bool { return strings.Contains(m, want) }) {
			t.Errorf("the message %q is not expected", m)
		}
	}
	return list
}

// describe returns deliveries in the words of [Describe], in a fixed order.
func (c FillCase) describe(list []connector.Delivery) string {
	if c.AnyOrder {
		return sortLines(Describe(list))
	}
	return Describe(list)
}

// TestPages fetches the query in deliveries of any size and of one page, and counts fills
// and cash. No fill may come twice.
func (c FillCase) TestPages(t *testing.T, fills, cash int) {
	t.Helper()
	for _, maxRows := range []int{0, 1} {
		c.Query.MaxRows = maxRows
		known, money := map[string]bool{}, 0
		for _, d := range c.MustFetch(t) {
			money += len(d.Statement.Cash)
			for _, f := range d.Statement.Fills {
				if known[f.ID] {
					t.Errorf("%s came twice", f.ID)
				}
				known[f.ID] = true
			}
		}
		if len(known) != fills || money != cash {
			t.Errorf("deliveries of %d rows: %d fills and %d cash, want %d and %d", maxRows, len(known), money, fills, cash)
		}
	}
}

// TestBodies fetches the query from a server that answers with other bodies on paths with
// an ending.
func (c FillCase) TestBodies(t *testing.T, path string, want error, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		_, err := c.Fetch(t, Replace(c.Answer, path, OK(body)))
		if !IsError(err, want) || err != nil && strings.Contains(err.Error(), Secret) {
			t.Errorf("%s %s: error %v, want %v", path, body, err, want)
		}
	}
}

// testClock has a server whose clock is wrong, or right if ours is not.
func (c FillCase) testClock(t *testing.T) {
	now := c.Now
	eachSkew(func(skew, phase time.Duration) {
		c.Now, c.Skew = now.Add(phase), skew
		c.SetClock(c.Now.Add(skew))
		if diff := cmp.Diff(c.Want, c.describe(c.MustFetch(t))); diff != "" {
			t.Errorf("%s, %s after a second: %s", skew, phase, diff)
		}
	})
}

// NewSession returns a session whose requests go to a handler. The test fails if the
// connector sends a request it does not declare.
func (c FillCase) NewSession(t testing.TB, handler http.HandlerFunc) (*remote.Session, *remotetest.Client) {
	t.Helper()
	d := c.Connector.Describe()
	client := remotetest.NewClient(t, d.Hosts, remotetest.WithTime(c.Now.Add(c.Skew), handler))
	client.MaySendSecret = c.MaySendSecret
	client.IsAllowed = func(r *http.Request) bool {
		return slices.ContainsFunc(d.Calls, func(call connector.Call) bool { return call.Matches(r) })
	}
	return c.newSession(t, client), client
}

func (c FillCase) newSession(t testing.TB, doer remote.Doer) *remote.Session {
	t.Helper()
	d := c.Connector.Describe()
	const many = 100_000
	session, err := remote.NewSession(doer, d.Fields, c.Credentials, func() time.Time { return c.Now },
		remote.Options{MaxBytes: d.MaxBytes, MaxRequests: many, KeepReplaced: func(context.Context, string, string) error {
			if !d.ReplacesKey {
				t.Error("a credential was replaced, and the description doesn't have it")
			}
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// Check signs in at a handler.
func (c FillCase) Check(t testing.TB, handler http.HandlerFunc) (connector.Identity, error) {
	t.Helper()
	session, _ := c.NewSession(t, handler)
	return c.Connector.Check(t.Context(), session)
}

// MustCheck returns the identity the broker's server has.
func (c FillCase) MustCheck(t testing.TB) connector.Identity {
	t.Helper()
	identity, err := c.Check(t, c.Answer)
	if err != nil {
		t.Fatal(err)
	}
	if identity.Account == "" {
		t.Error("the identity has no account")
	}
	return identity
}

// Fetch sends the query to a handler once.
func (c FillCase) Fetch(t testing.TB, handler http.HandlerFunc) (connector.Delivery, error) {
	t.Helper()
	session, _ := c.NewSession(t, handler)
	delivery, err := c.Connector.Fetch(t.Context(), session, c.Query)
	if err == nil && delivery.Stopped != nil {
		return connector.Delivery{}, delivery.Stopped
	}
	return delivery, err
}

// MustFetch returns the whole query's deliveries: in windows the broker answers, each
// until it is complete.
func (c FillCase) MustFetch(t testing.TB) []connector.Delivery {
	t.Helper()
	session, _ := c.NewSession(t, c.Answer)
	return c.fetchCut(t, session, nil)
}

// fetchCut returns the query's deliveries, cut at some times and where a window is too
// long.
func (c FillCase) fetchCut(t testing.TB, session *remote.Session, cuts []time.Time) (list []connector.Delivery) {
	t.Helper()
	query := c.Query
	for from := c.Query.From; from.Before(c.Query.To); from = query.To {
		query.From, query.To = from, c.Query.To
		if window := c.Connector.Describe().Window; window > 0 && query.To.Sub(from) > window {
			query.To = from.Add(window)
		}
		for _, cut := range cuts {
			if cut.After(from) && cut.Before(query.To) {
				query.To = cut
			}
		}
		list = append(list, c.fetchWindow(t, session, &query)...)
	}
	return list
}

// fetchWindow returns one window's deliveries.
func (c FillCase) fetchWindow(t testing.TB, session *remote.Session, query *connector.Query) (list []connector.Delivery) {
	t.Helper()
	const most = 1000
	for range most {
		delivery, err := c.Connector.Fetch(t.Context(), session, *query)
		if remotetest.IsError(err, remote.ErrUnavailable) {
			continue // of the first page
		}
		if err != nil {
			t.Fatalf("%s to %s: %v", query.From, query.To, err)
		}
		if problem := c.CheckDelivery(*query, delivery); problem != "" {
			t.Fatal(problem)
		}
		list = append(list, delivery)
		query.State, query.IsContinued = delivery.State, delivery.IsPartial
		if !delivery.IsPartial {
			return list
		}
	}
	t.Fatalf("%s to %s is not complete after %d deliveries", query.From, query.To, most)
	return nil
}

// testDescription checks what a connector says about itself.
func (c FillCase) testDescription(t *testing.T) {
	t.Helper()
	d := c.Connector.Describe()
	if d.Name == "" || d.Title == "" || d.Covers == "" || len(d.Steps) == 0 || len(d.Hosts) == 0 || d.RequestsPerMinute <= 0 || d.Rights == "" {
		t.Errorf("the description is not complete: %+v", d)
	}
	for _, text := range append([]string{d.Notes}, d.Steps...) {
		if text != "" && !strings.HasSuffix(text, ".") {
			t.Errorf("%q is not a sentence", text)
		}
	}
	for _, call := range d.Calls {
		if call.Method != http.MethodGet && call.Method != http.MethodPost || !strings.HasPrefix(call.Path, "/") {
			t.Errorf("the call %v is not valid", call)
		}
	}
	for _, field := range d.Fields {
		if field.Name == "" || field.Title == "" {
			t.Errorf("the field %+v has no name or title", field)
		}
	}
}

func (c FillCase) remote() remotetest.Case {
	return remotetest.Case{Credentials: c.Credentials, Except: c.Except, Call: c.call}
}

// call sends the first window of the query to a handler and checks that nothing comes
// with an error.
func (c FillCase) call(ctx context.Context, t *testing.T, handler http.HandlerFunc) error {
	t.Helper()
	session, _ := c.NewSession(t, handler)
	return c.fetchFirst(ctx, t, session)
}

func (c FillCase) fetchFirst(ctx context.Context, t testing.TB, session *remote.Session) error {
	t.Helper()
	query := c.Query
	if window := c.Connector.Describe().Window; window > 0 && query.To.Sub(query.From) > window {
		query.To = query.From.Add(window)
	}
	delivery, err := c.Connector.Fetch(ctx, session, query)
	switch {
	case err == nil:
		if problem := c.CheckDelivery(query, delivery); problem != "" {
			t.Error(problem)
		}
		if delivery.Stopped != nil && !delivery.IsPartial {
			t.Error("a delivery that was stopped is not partial")
		}
		err = delivery.Stopped
	case delivery.Statement != nil || delivery.File != nil:
		t.Error("a delivery together with an error")
	}
	return err
}

// TestFaults sends what can go wrong with any server, when records are fetched and when
// credentials are checked, and checks the errors.
func (c FillCase) TestFaults(t *testing.T) {
	t.Helper()
	maxBytes := c.Connector.Describe().MaxBytes
	if maxBytes == 0 {
		maxBytes = remote.MaxPageBytes
	}
	faults := remotetest.Faults(c.Answer, c.Now, maxBytes)
	fetching, checking := c.remote(), c.remote()
	checking.Call = func(ctx context.Context, t *testing.T, handler http.HandlerFunc) error {
		session, _ := c.NewSession(t, handler)
		_, err := c.Connector.Check(ctx, session)
		return err
	}
	t.Run("fetch", func(t *testing.T) { fetching.TestFaults(t, faults) })
	t.Run("check", func(t *testing.T) { checking.TestFaults(t, faults) })
	t.Run("later", func(t *testing.T) { c.testLaterFault(t) })
}

// testLaterFault lets each request of a query fail after the ones before it. Nothing may
// be delivered as if it were complete.
func (c FillCase) testLaterFault(t *testing.T) {
	t.Helper()
	session, client := c.NewSession(t, c.Answer)
	if err := c.fetchFirst(t.Context(), t, session); err != nil {
		t.Fatal(err)
	}
	const most = 30
	for failing := range min(len(client.Requests), most) {
		sent := 0
		err := c.call(t.Context(), t, func(w http.ResponseWriter, r *http.Request) {
			if sent++; sent > failing {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			c.Answer(w, r)
		})
		if !remotetest.IsError(err, remote.ErrUnavailable) {
			t.Errorf("request %d fails: error %v", failing+1, err)
		}
	}
	c.testResumption(t, min(len(client.Requests), most))
}

// testResumption lets one request of a query fail and goes on with the next delivery.
// Nothing may be missing or come twice.
func (c FillCase) testResumption(t *testing.T, requests int) {
	t.Helper()
	c.Now = c.Now.Add(time.Millisecond) // later than all sessions before, as a nonce must be
	want := sortLines(Describe(c.MustFetch(t)))
	for failing := range requests {
		c.Now = c.Now.Add(time.Millisecond)
		sent := 0
		session, _ := c.NewSession(t, func(w http.ResponseWriter, r *http.Request) {
			if sent++; sent == failing+1 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			c.Answer(w, r)
		})
		if got := sortLines(Describe(c.fetchCut(t, session, nil))); got != want {
			t.Errorf("request %d fails once: got\n%swant\n%s", failing+1, got, want)
		}
	}
}

// TestAnswers sends answers to a query and checks the errors.
func (c FillCase) TestAnswers(t *testing.T, answers map[string]Answer) {
	t.Helper()
	c.remote().TestAnswers(t, answers)
}

// TestWindows checks that the rows are the same however the time is cut into windows and
// the windows into deliveries.
func (c FillCase) TestWindows(t *testing.T) {
	t.Helper()
	whole := c.MustFetch(t)
	var times []time.Time
	for _, d := range whole {
		for _, f := range d.Statement.Fills {
			times = append(times, f.At)
		}
	}
	want := sortLines(Describe(whole))
	if strings.Count(want, "\n") < 3 {
		t.Fatalf("the history has too few rows:\n%s", want)
	}
	span := c.Query.To.Sub(c.Query.From)
	for round, parts := range []int{2, 3, 7, 20} {
		var cuts []time.Time
		for i := 1; i < parts; i++ {
			// Windows of unequal length, with ends that are no whole second.
			cuts = append(cuts, c.Query.From.Add(span/time.Duration(parts)*time.Duration(i)+time.Duration(round*i*7919)*time.Millisecond))
		}
		if round%2 == 1 {
			cuts = append(cuts, times...) // a window begins with a record
		}
		other := c
		other.Query.MaxRows = round + 1
		session, _ := other.NewSession(t, other.Answer)
		if got := sortLines(Describe(other.fetchCut(t, session, cuts))); got != want {
			t.Errorf("%d windows, deliveries of %d rows: got\n%swant\n%s", parts, round+1, got, want)
		}
	}
}

func sortLines(text string) string {
	lines := strings.SplitAfter(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// FuzzAnswer sends any answer to the connector and checks the delivery. The answers of
// the broker's server and the given ones are the start.
func (c FillCase) FuzzAnswer(f *testing.F, seeds ...string) {
	f.Helper()
	remotetest.FuzzAnswer(f, remotetest.WithTime(c.Now, c.Answer), seeds, func(t testing.TB, doer remote.Doer) {
		session := c.newSession(t, doer)
		_, _ = c.Connector.Check(t.Context(), session)
		_ = c.fetchFirst(t.Context(), t, session)
	})
}

// TestLimit sends a refusal with a header, which has status 200 if it has a body, and
// checks how long the client waits.
func (c FillCase) TestLimit(t *testing.T, header, value, body string, want time.Duration) {
	t.Helper()
	testLimit(t, func(h http.HandlerFunc) error { return c.call(t.Context(), t, h) }, header, value, body, want)
}
