package connections_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/outbound"
	"fillbook/internal/base/remote"
	"fillbook/internal/base/secrets"
	"fillbook/internal/installation"
	"fillbook/internal/intake/connections"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/people/identity"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

const secret = "canary-secret-7781"

// acme is a broker with a simple protocol. Windows have ten days, and a delivery has at
// most 3 fills.
type acme struct{ change func(*connector.Description) }

const day = 24 * time.Hour

func (a acme) Describe() connector.Description {
	d := connector.Description{
		Name: "acme", Title: "Acme", Covers: "Fills", Steps: []string{"Make a key."}, Hosts: []string{"api.acme.example"},
		Fields:  []remote.Field{{Name: "key", Title: "key", IsSecret: true}},
		History: 100 * day, Window: 10 * day, Overlap: day, Rights: connector.RightsChecked,
	}
	if a.change != nil {
		a.change(&d)
	}
	return d
}

// record is a fill of the broker.
type record struct {
	ID, Symbol      string
	At              time.Time
	Price, Quantity int64
	Side            matching.Side
	Withdrawn       bool
	// IsCash makes it a deposit of its price.
	IsCash bool
}

func (a acme) send(ctx context.Context, session *remote.Session, path string, parameters map[string]string, into any) error {
	return session.Fetch(ctx, remote.Request{
		Address: "https://api.acme.example" + path, Parameters: parameters, Header: map[string]string{"X-Key": session.Value("key")},
	}, into)
}

func (a acme) Check(ctx context.Context, session *remote.Session) (connector.Identity, error) {
	var who struct {
		Account         string
		Trade, Withdraw bool
		NewKey          string
	}
	if err := a.send(ctx, session, "/who", nil, &who); err != nil {
		if refusal := (*remote.Error)(nil); errors.As(err, &refusal) && refusal.Code == "unclear" {
			err = &connector.UncertainError{Err: err, Patience: day, Advice: "Check the key."}
		}
		return connector.Identity{}, err
	}
	if who.NewKey != "" {
		if err := session.Replace(ctx, "key", who.NewKey); err != nil {
			return connector.Identity{}, err
		}
	}
	return connector.Identity{Account: who.Account, Name: who.Account, CanTrade: who.Trade, CanWithdraw: who.Withdraw}, nil
}

func (a acme) Fetch(ctx context.Context, session *remote.Session, query connector.Query) (connector.Delivery, error) {
	after := ""
	if query.IsContinued {
		after = query.State
	}
	var page struct {
		Fills    []record
		More     bool
		From, To time.Time
	}
	err := a.send(ctx, session, "/fills", map[string]string{
		"from": query.From.Format(time.RFC3339Nano), "to": query.To.Format(time.RFC3339Nano), "after": after,
	}, &page)
	if err != nil {
		return connector.Delivery{}, err
	}
	rows := connector.NewRows(query, "Acme")
	last := ""
	for _, f := range page.Fills {
		last = f.ID
		if f.Withdrawn {
			rows.Withdraw(f.ID)
			continue
		}
		row, _ := rows.Start(f.ID)
		if f.IsCash {
			row.AddCash(statement.Cash{Type: "deposit", Amount: decimal.New(f.Price), Currency: "USD", At: f.At})
			continue
		}
		row.AddFill(statement.Fill{
			ID: f.ID, At: f.At, Side: f.Side, Symbol: f.Symbol, Type: instruments.TypeStock, Quantity: decimal.New(f.Quantity),
			Price: decimal.New(f.Price), FeesKnown: true,
		}, "USD")
	}
	delivery := rows.Delivery()
	if delivery.IsPartial = page.More; page.More {
		delivery.State = last
	}
	delivery.From, delivery.To = page.From, page.To
	return delivery, nil
}

// fixture is an installation with a user, an account and the broker's server.
type fixture struct {
	*testing.T
	*installation.Installation
	options installation.Options
	clock   *testkit.Clock
	by      connections.Actor
	account journal.AccountID
	log     *bytes.Buffer

	mu sync.Mutex
	// asked are the requests.
	asked []string
	fills []record
	who   map[string]any
	key   string
	// answer replaces the answer of the server unless it returns false; it may be nil.
	answer func(w http.ResponseWriter, r *http.Request) bool
}

func eachEngine(t *testing.T, fn func(f *fixture), change ...func(*connector.Description)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		f := newFixture(t, d, change...)
		fn(f)
		if bytes.Contains(f.log.Bytes(), []byte(secret)) {
			t.Errorf("the log has the key:\n%s", f.log)
		}
	})
}

func newFixture(t *testing.T, d *db.DB, change ...func(*connector.Description)) *fixture {
	t.Helper()
	f := &fixture{T: t, clock: testkit.NewClock(), log: &bytes.Buffer{}, who: map[string]any{"account": "A1"}, key: secret}
	server := httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(server.Close)
	to, err := url.Parse(server.URL)
	f.must(err)
	keys, err := secrets.NewKeys([]byte("a root secret for tests, 32 bytes or more"))
	f.must(err)
	log := slog.New(slog.NewTextHandler(&lockedWriter{buffer: f.log}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	f.options = installation.Options{
		DB: d, Keys: keys, Clock: f.clock.Now, Log: log, Identity: identity.Options{},
		Connectors: []connector.Connector{acme{func(d *connector.Description) {
			for _, fn := range change {
				fn(d)
			}
		}}},
		Outbound: outbound.New(outbound.Options{Enabled: true, Endpoints: outbound.Endpoints{"acme": to}, Log: log}),
	}
	f.Installation, err = installation.New(f.options)
	f.must(err)
	owner, _ := testkit.NewUser(t, d)
	f.by = connections.Actor{Principal: identity.Principal{UserID: owner}}
	account, err := f.Ledger.CreateAccount(t.Context(), owner, ledger.NewAccount{Name: "Main", BaseCurrency: "USD"})
	f.must(err)
	f.account = account.ID
	return f
}

type lockedWriter struct {
	mu     sync.Mutex
	buffer *bytes.Buffer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buffer.Write(p)
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// serve is the broker's server. A page has 3 fills.
func (f *fixture) serve(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	query := r.URL.Query()
	f.asked = append(f.asked, fmt.Sprintf("%s %.10s %.10s", r.URL.Path[1:], query.Get("from"), query.Get("to")))
	w.Header().Set("Date", f.clock.Now().UTC().Format(http.TimeFormat))
	if f.answer != nil && f.answer(w, r) {
		return
	}
	if r.Header.Get("X-Key") != f.key {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprintf(w, `{"message": "the key %s is wrong"}`, r.Header.Get("X-Key"))
		return
	}
	answer := any(f.who)
	if r.URL.Path == "/fills" {
		answer = f.page(query)
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (f *fixture) page(query url.Values) any {
	from, _ := time.Parse(time.RFC3339Nano, query.Get("from"))
	to, _ := time.Parse(time.RFC3339Nano, query.Get("to"))
	page := []record{}
	for _, fill := range f.fills {
		if !fill.At.Before(from) && fill.At.Before(to) && fill.ID > query.Get("after") {
			page = append(page, fill)
		}
	}
	const most = 3
	hasMore := len(page) > most
	return map[string]any{"fills": page[:min(len(page), most)], "more": hasMore}
}

// addFills adds fills to the broker's history, one each day, buys and sells by turns.
func (f *fixture) addFills(n int, first time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range n {
		side := matching.Buy
		if i%2 == 1 {
			side = matching.Sell
		}
		f.fills = append(f.fills, record{
			ID: fmt.Sprintf("%04d", len(f.fills)+1), Symbol: "AAPL", At: first.Add(time.Duration(i) * day), Price: int64(100 + i), Quantity: 1, Side: side,
		})
	}
}

// connect makes a connection. Without a schedule it runs only when asked.
func (f *fixture) connect(change connections.Change) connections.Connection {
	f.Helper()
	if !change.Schedule.Set {
		change.Schedule = journal.Some(connections.Manual)
	}
	change.Provider, change.Account = journal.Some("acme"), journal.Some(f.account)
	change.Credentials = journal.Some(map[string]string{"key": f.key})
	c, err := f.Connections.Create(f.Context(), f.by, change, false)
	f.must(err)
	return c
}

// run runs a connection, which may take several runs, and returns it.
func (f *fixture) run(id journal.ConnectionID) connections.Connection {
	f.Helper()
	f.clock.Advance(time.Minute)
	_, err := f.Connections.Start(f.Context(), f.by.UserID, id)
	f.must(err)
	return f.runDue(id)
}

// runDue runs what is due.
func (f *fixture) runDue(id journal.ConnectionID) connections.Connection {
	f.Helper()
	f.must(f.Jobs.RunDue(f.Context()))
	return f.get(id)
}

func (f *fixture) get(id journal.ConnectionID) connections.Connection {
	f.Helper()
	c, err := f.Connections.Get(f.Context(), f.by.UserID, id)
	f.must(err)
	return c
}

// wantStatus checks a connection's status and message.
func (f *fixture) wantStatus(c connections.Connection, status connections.Status, message string) {
	f.Helper()
	if c.Status != status || c.Message != message {
		f.Errorf("status %s, message %q; want %s, %q", c.Status, c.Message, status, message)
	}
}

// stored returns the account's fills: id, side, quantity and price.
func (f *fixture) stored() (list []string) {
	f.Helper()
	f.must(f.Ledger.EachExecution(f.Context(), f.by.UserID, ledger.ExecutionQuery{}, func(e ledger.Execution) error {
		list = append(list, fmt.Sprintf("%s %s %s at %s", *e.ExternalID, e.Side, e.Quantity, e.Price))
		return nil
	}))
	slices.Sort(list)
	return list
}

// wantStored checks that the account has exactly the broker's fills.
func (f *fixture) wantStored() {
	f.Helper()
	var want []string
	for _, r := range f.fills {
		if !r.Withdrawn {
			want = append(want, fmt.Sprintf("%s %s %s at %s", r.ID, r.Side, strconv.FormatInt(r.Quantity, 10), strconv.FormatInt(r.Price, 10)))
		}
	}
	if got := f.stored(); !slices.Equal(got, want) {
		f.Errorf("stored %q, want %q", got, want)
	}
}

// takeAsked returns the requests since the last call.
func (f *fixture) takeAsked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	asked := f.asked
	f.asked = nil
	return asked
}
