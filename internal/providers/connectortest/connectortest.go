// Package connectortest checks the clients of brokers: with the faults that any server
// can have, and with what must hold for each of their deliveries.
package connectortest

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/base/remote/remotetest"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// Secret is a credential for tests. No error may contain it.
const Secret = remotetest.Secret

// Case is a connector with a query that its server answers.
type Case struct {
	Connector   connector.Connector
	Credentials map[string]string
	// Query is the time of the whole history of the server. It may be longer than the
	// longest one that the broker answers.
	Query connector.Query
	// Now is the present.
	Now time.Time
	// Answer is the server of the broker.
	Answer http.HandlerFunc
	// Skew is how much the clock of the server is ahead.
	Skew time.Duration
	// Except names the faults that the broker means differently.
	Except []string
	// MaySendSecret allows the secret in addresses, for brokers that want it there.
	MaySendSecret bool
	// HasOtherTimes reports that deliveries may have records outside of the query.
	HasOtherTimes bool
}

// NewSession returns a session whose requests go to a handler. The test fails if the
// connector sends a request that it does not declare.
func (c Case) NewSession(t testing.TB, handler http.HandlerFunc) (*remote.Session, *remotetest.Client) {
	t.Helper()
	d := c.Connector.Describe()
	client := remotetest.NewClient(t, d.Hosts, remotetest.WithTime(c.Now.Add(c.Skew), handler))
	client.MaySendSecret = c.MaySendSecret
	client.IsAllowed = func(r *http.Request) bool {
		return slices.ContainsFunc(d.Calls, func(call connector.Call) bool { return call.Matches(r) })
	}
	return c.newSession(t, client), client
}

func (c Case) newSession(t testing.TB, doer remote.Doer) *remote.Session {
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

// EachSkew calls a function with differences between the clocks of a server and ours, and
// with parts of a second of our clock: the time of an answer has whole seconds.
func EachSkew(fn func(skew, phase time.Duration)) {
	for _, skew := range []time.Duration{1500 * time.Millisecond, 3 * time.Second, 90 * time.Second} {
		for phase := time.Duration(0); phase < time.Second; phase += 300 * time.Millisecond {
			fn(skew, phase)
			fn(-skew, phase)
		}
	}
}

// Check signs in at a handler.
func (c Case) Check(t testing.TB, handler http.HandlerFunc) (connector.Identity, error) {
	t.Helper()
	session, _ := c.NewSession(t, handler)
	return c.Connector.Check(t.Context(), session)
}

// MustCheck returns the identity that the broker's server has.
func (c Case) MustCheck(t testing.TB) connector.Identity {
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
func (c Case) Fetch(t testing.TB, handler http.HandlerFunc) (connector.Delivery, error) {
	t.Helper()
	session, _ := c.NewSession(t, handler)
	delivery, err := c.Connector.Fetch(t.Context(), session, c.Query)
	if err == nil && delivery.Stopped != nil {
		return connector.Delivery{}, delivery.Stopped
	}
	return delivery, err
}

// MustFetch returns the deliveries of the whole query: in windows that the broker
// answers, each until it is complete.
func (c Case) MustFetch(t testing.TB) []connector.Delivery {
	t.Helper()
	session, _ := c.NewSession(t, c.Answer)
	return c.fetchCut(t, session, nil)
}

// fetchCut returns the deliveries of the query, cut at some times and where a window is
// too long.
func (c Case) fetchCut(t testing.TB, session *remote.Session, cuts []time.Time) (list []connector.Delivery) {
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

// fetchWindow returns the deliveries of one window.
func (c Case) fetchWindow(t testing.TB, session *remote.Session, query *connector.Query) (list []connector.Delivery) {
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

// Describe returns the fills, the cash and the problems of deliveries, one in a line, in
// the order of time, and then what was skipped.
func Describe(list []connector.Delivery) string {
	var fills []*statement.Fill
	var cash []*statement.Cash
	var others []string
	for _, d := range list {
		if d.Statement == nil {
			others = append(others, fmt.Sprintf("file %s\n%s", d.FileName, d.File))
			continue
		}
		fills, cash = append(fills, d.Statement.Fills...), append(cash, d.Statement.Cash...)
		for _, p := range d.Statement.Problems {
			others = append(others, "problem "+p.Message)
		}
		for _, s := range d.Statement.Skipped {
			others = append(others, "skipped "+s.Reason)
		}
	}
	slices.SortStableFunc(fills, func(a, b *statement.Fill) int { return a.At.Compare(b.At) })
	slices.SortStableFunc(cash, func(a, b *statement.Cash) int { return a.At.Compare(b.At) })
	slices.Sort(others)
	var text strings.Builder
	for _, f := range fills {
		text.WriteString(describeFill(f) + "\n")
	}
	for _, c := range cash {
		fmt.Fprintf(&text, "%s cash %s %s %s %q\n", formatTime(c.At), c.Type, c.Amount, c.Currency, c.Note)
	}
	for _, line := range others {
		text.WriteString(line + "\n")
	}
	return text.String()
}

func formatTime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.999999999Z") }

func describeFill(f *statement.Fill) string {
	text := fmt.Sprintf("%s %s %s %s %s", formatTime(f.At), f.Side, f.Quantity, f.Type, f.Symbol)
	add := func(name, value string) {
		if value != "" {
			text += " " + name + " " + value
		}
	}
	if f.Right != "" {
		text += fmt.Sprintf(" %s %s %s", f.Expiry, f.Strike, f.Right)
	}
	add("@", f.Price.String())
	if f.Multiplier.Valid {
		add("x", f.Multiplier.String())
	}
	if !f.Fees.IsZero() {
		add("fees", f.Fees.String())
	}
	if !f.Commission.IsZero() {
		add("commission", f.Commission.String())
	}
	if f.StatedPnL.Valid {
		add("pnl", f.StatedPnL.String())
	}
	add("lot", f.Lot)
	for _, key := range slices.Sorted(maps.Keys(f.Details)) {
		add(key, strconv.Quote(f.Details[key]))
	}
	add("id", f.ID)
	return text
}

// Messages returns the sentences of deliveries, each once, one in a line.
func Messages(list []connector.Delivery) string {
	var lines []string
	for _, d := range list {
		for _, m := range d.Messages {
			if !slices.Contains(lines, m) {
				lines = append(lines, m)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// maxState is how long the state of a delivery may be.
const maxState = 64 << 10

// CheckDelivery returns what is wrong with a delivery, or an empty text.
func (c Case) CheckDelivery(query connector.Query, d connector.Delivery) string {
	switch {
	case (d.Statement == nil) == (d.File == nil):
		return "it must have either a statement or a file"
	case len(d.State) > maxState || strings.Contains(d.State, Secret):
		return "its state is too long or has a secret"
	case d.IsPartial && d.State == "":
		return "it is partial and has no state"
	}
	for _, m := range d.Messages {
		if !strings.HasSuffix(m, ".") {
			return fmt.Sprintf("%q is not a sentence", m)
		}
	}
	if d.Statement == nil {
		return ""
	}
	if problem := checkRows(d.Statement); problem != "" {
		return problem
	}
	return c.checkRecords(query, d.Statement)
}

// checkRows checks that every row is in one place.
func checkRows(s *statement.Statement) string {
	if s.Broker == "" || s.Format != statement.Executions || s.Source == "" {
		return fmt.Sprintf("the statement is of %q, format %q, source %q", s.Broker, s.Format, s.Source)
	}
	counts := make([]int, s.Rows+1)
	count := func(row int) { counts[min(max(row, 0), s.Rows)]++ }
	for _, f := range s.Fills {
		count(f.Row)
	}
	for _, cash := range s.Cash {
		count(cash.Row)
	}
	for _, p := range s.Problems {
		count(p.Row)
	}
	for _, skip := range s.Skipped {
		count(skip.Row)
	}
	for row := range s.Joined {
		count(row)
	}
	for row, n := range counts {
		if row == 0 && n > 0 || row > 0 && n != 1 {
			return fmt.Sprintf("row %d of %d is in %d places", row, s.Rows, n)
		}
	}
	return ""
}

// checkRecords checks the values of fills and cash.
func (c Case) checkRecords(query connector.Query, s *statement.Statement) string {
	isOutside := func(at time.Time) bool {
		return !c.HasOtherTimes && (at.Before(query.From) || !at.Before(query.To))
	}
	known := map[string]bool{}
	last := time.Time{}
	for _, f := range s.Fills {
		switch {
		case f.ID == "" || known[f.ID]:
			return fmt.Sprintf("the id %q is empty or not unique", f.ID)
		case isOutside(f.At) || f.At.Before(last):
			return fmt.Sprintf("fill %s at %s is outside of the query or not in order", f.ID, f.At)
		case f.Symbol == "" || f.Quantity.Sign() <= 0 || f.Side != matching.Buy && f.Side != matching.Sell:
			return "a fill has no symbol, quantity or side: " + describeFill(f)
		}
		known[f.ID], last = true, f.At
	}
	for _, cash := range s.Cash {
		if isOutside(cash.At) || cash.Amount.IsZero() || !slices.Contains(cashTypes, cash.Type) {
			return fmt.Sprintf("cash %s of %s at %s is outside of the query, 0 or of an unknown type", cash.Type, cash.Amount, cash.At)
		}
	}
	return ""
}

// cashTypes are the types of cash in the API.
var cashTypes = []string{"deposit", "withdrawal", "fee", "dividend", "interest", "adjustment"}

// TestDescription checks what a connector says about itself.
func (c Case) TestDescription(t *testing.T) {
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

func (c Case) remote() remotetest.Case {
	return remotetest.Case{Credentials: c.Credentials, Except: c.Except, Call: c.call}
}

// call sends the first window of the query to a handler and checks that nothing comes
// with an error.
func (c Case) call(ctx context.Context, t *testing.T, handler http.HandlerFunc) error {
	t.Helper()
	session, _ := c.NewSession(t, handler)
	return c.fetchFirst(ctx, t, session)
}

func (c Case) fetchFirst(ctx context.Context, t testing.TB, session *remote.Session) error {
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
func (c Case) TestFaults(t *testing.T) {
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
func (c Case) testLaterFault(t *testing.T) {
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
func (c Case) testResumption(t *testing.T, requests int) {
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

// Answer is an answer of a broker and the error that it means, which may be nil.
type Answer = remotetest.Answer

// TestAnswers sends answers to a query and checks the errors.
func (c Case) TestAnswers(t *testing.T, answers map[string]Answer) {
	t.Helper()
	c.remote().TestAnswers(t, answers)
}

// TestWindows checks that the rows are the same however the time is cut into windows and
// the windows into deliveries.
func (c Case) TestWindows(t *testing.T) {
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
func (c Case) FuzzAnswer(f *testing.F, seeds ...string) {
	f.Helper()
	remotetest.FuzzAnswer(f, remotetest.WithTime(c.Now, c.Answer), seeds, func(t testing.TB, doer remote.Doer) {
		session := c.newSession(t, doer)
		_, _ = c.Connector.Check(t.Context(), session)
		_ = c.fetchFirst(t.Context(), t, session)
	})
}
