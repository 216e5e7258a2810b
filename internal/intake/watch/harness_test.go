package watch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/secrets"
	"fillbook/internal/httpapi"
	"fillbook/internal/installation"
	"fillbook/internal/people/identity"
	"fillbook/internal/testkit"
)

// world is a real server, a line to it that can be disturbed, a folder, and an agent
// whose clock the test moves.
type world struct {
	t       *testing.T
	address string
	token   string // a session's
	pat     string // the agent's access token
	account string
	folder  string
	state   string
	clock   *testkit.Clock
	agent   *Agent
	events  []Event

	mu       sync.Mutex
	disturb  func(w http.ResponseWriter, r *http.Request, next http.Handler) // nil passes requests on
	requests map[string]int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	keys, err := secrets.NewKeys([]byte("a root secret for tests, 32 bytes or more"))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	services, err := installation.New(installation.Options{
		DB: testkit.Open(t, db.SQLite), Keys: keys, Clock: time.Now, Log: log, Attachments: t.TempDir(),
		Identity: identity.Options{PasswordCost: identity.PasswordCost{MemoryKiB: 64, Passes: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	services.Identity.Start()
	t.Cleanup(func() { _ = services.Identity.Close(context.WithoutCancel(t.Context())) })
	api, err := httpapi.New(services, httpapi.Options{Version: "test", Log: log, SpoolDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, folder: t.TempDir(), state: filepath.Join(t.TempDir(), "w.toml.state"), clock: testkit.NewClock(), requests: map[string]int{}}
	server := httptest.NewServer(w.line(api.Handler()))
	t.Cleanup(server.Close)
	w.address = server.URL
	made := w.post("/setup", map[string]any{"email": "ann@example.org", "password": "a long sentence works well", "account": map[string]any{"name": "Main"}})
	w.account = made["account"].(map[string]any)["id"].(string)
	w.token = w.post("/auth/login", map[string]any{"email": "ann@example.org", "password": "a long sentence works well"})["access_token"].(string)
	w.pat = w.post("/access-tokens", map[string]any{"name": "watch", "scope": "import"})["token"].(string)
	w.start()
	return w
}

// line counts the agent's requests and disturbs them as the test asks.
func (w *world) line(next http.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		disturb := w.disturb
		if !strings.HasPrefix(r.UserAgent(), "fillbook-watch/") {
			disturb = nil
		} else {
			w.requests[r.Method+" "+r.URL.Path]++
		}
		w.mu.Unlock()
		if disturb == nil {
			next.ServeHTTP(out, r)
			return
		}
		disturb(out, r, next)
	})
}

func (w *world) setDisturbance(disturb func(http.ResponseWriter, *http.Request, http.Handler)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.disturb = disturb
}

// count returns how many of the agent's requests began so.
func (w *world) count(prefix string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for call, times := range w.requests {
		if strings.HasPrefix(call, prefix) {
			n += times
		}
	}
	return n
}

// start begins with a new agent on the stored state, as after a crash.
func (w *world) start(change ...func(*Options)) {
	w.t.Helper()
	state, err := OpenState(w.state)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = state.Close() })
	options := Options{
		Config:  Config{Server: w.address, Token: w.pat, Folders: []Folder{{Path: w.folder, AccountID: w.account}}},
		State:   state,
		Version: "test", Now: w.clock.Now, Timeout: 20 * time.Second,
		Wait: func(_ context.Context, d time.Duration, _ <-chan string) (string, bool) {
			w.clock.Advance(d)
			return "", false
		},
		Report: func(e Event) { w.events = append(w.events, e) },
	}
	for _, fn := range change {
		fn(&options)
	}
	if w.agent, err = New(options); err != nil {
		w.t.Fatal(err)
	}
}

// run lets the agent work for a duration.
func (w *world) run(d time.Duration) {
	w.t.Helper()
	for {
		next, err := w.agent.step(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		if next >= d {
			w.clock.Advance(d)
			return
		}
		d -= next
		w.clock.Advance(next)
	}
}

func (w *world) write(name, content string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.folder, name), []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// takeEvents returns the events since the last call, with names instead of paths.
func (w *world) takeEvents() string {
	var lines []string
	for _, e := range w.events {
		line := e.Message
		if e.Path != "" {
			line = fmt.Sprintf("%s %s: %s", e.Outcome, filepath.Base(e.Path), e.Message)
		}
		lines = append(lines, line)
	}
	w.events = nil
	return strings.Join(lines, "\n")
}

func (w *world) want(lines ...string) {
	w.t.Helper()
	got := w.takeEvents()
	for _, line := range lines {
		if !strings.Contains(got, line) {
			w.t.Fatalf("%q is missing in\n%s", line, got)
		}
	}
	if n := len(strings.Split(got, "\n")); got != "" && n != len(lines) || got == "" && len(lines) > 0 {
		w.t.Fatalf("%d lines, want %d:\n%s", n, len(lines), got)
	}
}

// post sends an object as the user and returns the answer.
func (w *world) post(path string, body any) (answer map[string]any) {
	w.t.Helper()
	if err := json.Unmarshal(w.send("POST", path, body), &answer); err != nil {
		w.t.Fatal(err)
	}
	return answer
}

func (w *world) send(method, path string, body any) []byte {
	w.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.address+"/api/v1"+path, bytes.NewReader(text))
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if w.token != "" {
		request.Header.Set("Authorization", "Bearer "+w.token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // only read
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode/100 != 2 {
		w.t.Fatalf("%s %s: %s %s %v", method, path, response.Status, content, err)
	}
	return content
}

// list requests a list as the user.
func (w *world) list(path string) (list []map[string]any) {
	w.t.Helper()
	if err := json.Unmarshal(w.send("GET", path, nil), &list); err != nil {
		w.t.Fatal(err)
	}
	return list
}

// wantStored checks how many fills and imports the server has.
func (w *world) wantStored(fills, imports int) {
	w.t.Helper()
	if n := len(w.list("/executions?limit=500")); n != fills {
		w.t.Fatalf("%d fills are stored, want %d", n, fills)
	}
	if n := len(w.list("/imports")); n != imports {
		w.t.Fatalf("%d imports are stored, want %d", n, imports)
	}
}

const header = "Symbol,Side,Quantity,Price,Executed At\n"

// fill returns a row in a fills table.
func fill(symbol string, minute int) string {
	side := "buy"
	if minute%2 == 1 {
		side = "sell"
	}
	return fmt.Sprintf("%s,%s,1,%d,%s\n", symbol, side, 100+minute, time.Date(2026, 1, 5, 15, minute, 0, 0, time.UTC).Format(time.RFC3339))
}
