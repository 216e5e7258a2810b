package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
)

// broker is a server like OANDA's. Each token has one account, whose history grows.
type broker struct {
	mu       sync.Mutex
	accounts map[string]*brokerAccount // by token
	// requests gets a value for each request, unless it is full.
	requests chan struct{}
	isClosed bool
}

// brokerAccount is an account at the broker. Its transactions are ordered by id and time.
// Those from recent on are less than a day old.
type brokerAccount struct {
	id     string
	list   []*transaction
	recent int
}

// transaction is a fill, or a deposit if it has an amount.
type transaction struct {
	ID         string    `json:"id"`
	Type       string    `json:"type"`
	Time       time.Time `json:"time"`
	Instrument string    `json:"instrument,omitempty"`
	Units      string    `json:"units,omitempty"`
	Price      string    `json:"price,omitempty"`
	Amount     string    `json:"amount,omitempty"`
}

// String returns what a journal must store for the transaction.
func (t *transaction) String() string {
	if t.Amount != "" {
		return "deposit of " + t.Amount
	}
	return "fill " + t.ID + " at " + t.Price
}

// add adds a transaction. Each fifth one is a deposit.
func (a *brokerAccount) add(at time.Time) {
	n := len(a.list) + 1
	t := &transaction{ID: strconv.Itoa(n), Type: "ORDER_FILL", Time: at, Instrument: "EUR_USD", Units: "100", Price: somePrice()}
	switch {
	case n%5 == 0:
		t = &transaction{ID: t.ID, Type: "TRANSFER_FUNDS", Time: at, Amount: strconv.Itoa(1000 + n)}
	case n%2 == 0:
		t.Units = "-100"
	}
	a.list = append(a.list, t)
}

// grow adds transactions listed late by the broker and corrects another's price.
func (a *brokerAccount) grow() {
	for range 2 {
		a.add(a.list[len(a.list)-1].Time.Add(100 * time.Millisecond))
	}
	if t := a.list[a.recent+rand.IntN(len(a.list)-a.recent)]; t.Price != "" {
		t.Price = somePrice()
	}
}

func somePrice() string { return fmt.Sprintf("1.%d1", 1000+rand.IntN(9000)) }

// describe returns what a journal must store for the transactions before a time.
func describe(list []*transaction, before time.Time) (want []string) {
	for _, t := range list {
		if t.Time.Before(before) {
			want = append(want, t.String())
		}
	}
	slices.Sort(want)
	return want
}

func newBroker(t *testing.T, first time.Time, tokens ...string) (b *broker, address string) {
	t.Helper()
	b = &broker{accounts: map[string]*brokerAccount{}, requests: make(chan struct{}, 1000)}
	for i, token := range tokens {
		a := &brokerAccount{id: fmt.Sprintf("001-001-1234567-%03d", i+1)}
		for at := first; time.Since(at) > 24*time.Hour; at = at.AddDate(0, 0, 10) {
			a.add(at)
		}
		a.recent = len(a.list)
		a.add(time.Now().UTC().Add(-time.Hour))
		b.accounts[token] = a
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v3/accounts", b.answer(func(a *brokerAccount, _ *http.Request) any {
		return map[string]any{"accounts": []any{map[string]any{"id": a.id, "tags": []string{}}}}
	}))
	mux.HandleFunc("GET /v3/accounts/{id}/summary", b.answer(func(a *brokerAccount, _ *http.Request) any {
		return map[string]any{"account": map[string]any{"id": a.id, "currency": "USD", "hedgingEnabled": false}}
	}))
	mux.HandleFunc("GET /v3/accounts/{id}/transactions", b.answer(b.findPages))
	mux.HandleFunc("GET /v3/accounts/{id}/transactions/idrange", b.answer(findTransactions))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return b, server.URL
}

// answer returns the handler for requests about a token's account.
func (b *broker) answer(find func(a *brokerAccount, r *http.Request) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		a := b.accounts[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
		if a == nil || r.PathValue("id") != "" && r.PathValue("id") != a.id {
			http.Error(w, `{"errorMessage": "Insufficient authorization to perform request."}`, http.StatusUnauthorized)
			return
		}
		_ = json.NewEncoder(w).Encode(find(a, r))
		select {
		case b.requests <- struct{}{}:
		default:
		}
	}
}

// findPages answers with a period's pages, and then adds to the history unless the broker
// is closed.
func (b *broker) findPages(a *brokerAccount, r *http.Request) any {
	from, _ := time.Parse(time.RFC3339, r.URL.Query().Get("from"))
	to, _ := time.Parse(time.RFC3339, r.URL.Query().Get("to"))
	size, _ := strconv.Atoi(r.URL.Query().Get("pageSize"))
	var ids []string
	for _, t := range a.list {
		if !t.Time.Before(from) && !t.Time.After(to) {
			ids = append(ids, t.ID)
		}
	}
	pages := []string{}
	for page := range slices.Chunk(ids, max(size, 1)) {
		pages = append(pages, fmt.Sprintf("https://api-fxpractice.oanda.com/v3/accounts/%s/transactions/idrange?from=%s&to=%s", a.id, page[0], page[len(page)-1]))
	}
	if !b.isClosed {
		a.grow()
	}
	return map[string]any{"count": len(ids), "pages": pages}
}

func findTransactions(a *brokerAccount, r *http.Request) any {
	from, _ := strconv.Atoi(r.URL.Query().Get("from"))
	to, _ := strconv.Atoi(r.URL.Query().Get("to"))
	return map[string]any{"transactions": a.list[max(from, 1)-1 : min(to, len(a.list))]}
}

// close stops adding to the histories.
func (b *broker) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.isClosed = true
}

// connectedServer is a server with connections to a broker.
type connectedServer struct {
	*victim
	broker *broker
	// first is where the connections begin.
	first time.Time
	// tokens are by server account.
	tokens map[string]string
}

// newConnectedServer starts a server with two connections to a broker whose history
// covers some years. Each year is a window.
func newConnectedServer(t *testing.T, engine db.Engine, years int) *connectedServer {
	t.Helper()
	first := time.Now().UTC().Truncate(24*time.Hour).AddDate(-years, 0, 0)
	b, address := newBroker(t, first, "token-1", "token-2")
	s := &connectedServer{broker: b, first: first, tokens: map[string]string{}}
	s.victim = newVictim(t, engine, "SVC_OUTBOUND=true", "SVC_OUTBOUND_ENDPOINTS=oanda="+address)
	second := s.p.must("POST", "/accounts", s.token, map[string]any{"name": "Second", "base_currency": "USD"}, http.StatusCreated)["id"].(string)
	for account, token := range map[string]string{s.account: "token-1", second: "token-2"} {
		s.tokens[account] = token
		s.p.must("POST", "/connections", s.token, map[string]any{
			"provider": "oanda", "account_id": account, "schedule": "hourly", "since": first.Format(time.DateOnly),
			"credentials": map[string]any{"token": token, "environment": "practice"},
		}, http.StatusCreated)
	}
	return s
}

// TestKilledDuringConnectionRuns kills the server while it fetches from a broker whose
// history grows and is corrected. Nothing may be lost or doubled.
func TestKilledDuringConnectionRuns(t *testing.T) {
	t.Parallel()
	rounds, years := 2, 2
	if os.Getenv("SVC_TEST_KILL_ROUNDS") != "" {
		rounds, years = 200, 20 // the first pass takes dozens of rounds
	}
	eachEngine(t, func(t *testing.T, engine db.Engine) {
		s := newConnectedServer(t, engine, years)
		for range rounds {
			s.killDuringRuns()
			endClaims(s.t, s.env)
			s.restart()
			s.checkCovered()
		}
		s.broker.close()
		// The first of these may only end the interrupted pass.
		s.runPass()
		s.compareAll(s.runPass())
		s.check()
		interrupted := s.countInterrupted()
		s.p.stop()
		if interrupted < rounds {
			t.Errorf("%d runs were interrupted in %d rounds: the test has no effect", interrupted, rounds)
		}
	})
}

// killDuringRuns kills the server after some requests to the broker. The runs of both
// connections send at least 12.
func (s *connectedServer) killDuringRuns() {
	s.t.Helper()
	for range 1 + rand.IntN(10) {
		select {
		case <-s.broker.requests:
		case <-time.After(60 * time.Second):
			s.t.Fatalf("round %d: the server fetches nothing\n%s", s.rounds, s.p.stderr)
		}
	}
	<-time.After(rand.N(80 * time.Millisecond)) // requests are 100 ms apart
	_ = s.p.command.Process.Kill()
	s.p.wait()
	for len(s.broker.requests) > 0 {
		<-s.broker.requests
	}
}

// endClaims makes all jobs due and ends a killed server's claims, as some hours would. The failures are forgotten because a job interrupted twice waits for minutes.
func endClaims(t *testing.T, env []string) {
	t.Helper()
	options := db.Options{Path: filepath.Join(dataDir(env), databaseFile)}
	for _, setting := range env {
		if url, ok := strings.CutPrefix(setting, "SVC_DATABASE_URL="); ok {
			options = db.Options{URL: url}
		}
	}
	d, err := db.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	err = d.Update(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE jobs SET due_at = 1, failures = 0, failing_since = NULL, lease_until = CASE WHEN lease_until > 0 THEN 1 ELSE 0 END`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// checkCovered checks that the old transactions in each connection's covered period are
// stored.
func (s *connectedServer) checkCovered() {
	s.t.Helper()
	covers := map[string]time.Time{}
	for _, c := range s.list("/connections") {
		covers[c["account_id"].(string)] = parseInstant(c["covers_to"])
	}
	stored := s.stored()
	for account, token := range s.tokens {
		s.broker.mu.Lock()
		a := s.broker.accounts[token]
		want := describe(a.list[:a.recent], covers[account])
		s.broker.mu.Unlock()
		for _, record := range want {
			if !slices.Contains(stored[account], record) {
				s.t.Fatalf("round %d: %s covers the time to %s, and %s is lost", s.rounds, account, covers[account], record)
			}
		}
	}
}

// parseInstant returns an instant from an answer, or the zero time for null.
func parseInstant(value any) time.Time {
	text, _ := value.(string)
	at, _ := time.Parse(time.RFC3339, text)
	return at
}

// stored returns each account's fills and cash.
func (s *connectedServer) stored() map[string][]string {
	s.t.Helper()
	stored := map[string][]string{}
	for _, fill := range s.list("/executions") {
		account := fill["account_id"].(string)
		stored[account] = append(stored[account], fmt.Sprintf("fill %s at %v", fill["external_id"], fill["price"]))
	}
	for _, cash := range s.list("/cash-transactions") {
		account := cash["account_id"].(string)
		stored[account] = append(stored[account], fmt.Sprintf("%s of %v", cash["type"], cash["amount"]))
	}
	for _, list := range stored {
		slices.Sort(list)
	}
	return stored
}

// runPass restarts the server and waits until all connections have fetched everything. It
// returns the start time.
func (s *connectedServer) runPass() time.Time {
	s.t.Helper()
	s.p.stop()
	endClaims(s.t, s.env)
	started := time.Now()
	s.restart()
	isWaiting := func(c map[string]any) bool {
		return c["status"] != "ok" || parseInstant(c["next_run_at"]).Before(started)
	}
	deadline := time.After(60 * time.Second)
	for {
		list := s.list("/connections")
		if !slices.ContainsFunc(list, isWaiting) {
			return started
		}
		select {
		case <-deadline:
			s.t.Fatalf("the connections are not up to date: %v\n%s", list, s.p.stderr)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// compareAll checks that the accounts have exactly the broker's records, and checks the
// covered periods. They end a minute before the last run, which began after started.
func (s *connectedServer) compareAll(started time.Time) {
	s.t.Helper()
	stored := s.stored()
	for account, token := range s.tokens {
		a := s.broker.accounts[token]
		if diff := cmp.Diff(describe(a.list, time.Now()), stored[account]); diff != "" {
			s.t.Errorf("account %s differs from the broker:\n%s", a.id, diff)
		}
	}
	for _, c := range s.list("/connections") {
		if from := parseInstant(c["covers_from"]); !from.Equal(s.first) {
			s.t.Errorf("covers from %s, want %s", from, s.first)
		}
		if to := parseInstant(c["covers_to"]).Add(time.Minute); to.Before(started.Truncate(time.Second)) || to.After(time.Now()) {
			s.t.Errorf("covers to %s, and the server was started at %s", c["covers_to"], started)
		}
	}
}

// countInterrupted returns how many runs were interrupted.
func (s *connectedServer) countInterrupted() (n int) {
	s.t.Helper()
	for _, c := range s.list("/connections") {
		for _, run := range s.list("/connections/" + c["id"].(string) + "/runs") {
			if run["outcome"] == "interrupted" {
				n++
			}
		}
	}
	return n
}
