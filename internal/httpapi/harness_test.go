package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/outbound"
	"fillbook/internal/base/secrets"
	"fillbook/internal/httpapi"
	"fillbook/internal/installation"
	"fillbook/internal/intake/connector"
	"fillbook/internal/people/identity"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/testkit"
	"fillbook/internal/transport"
)

// world is one installation under test: a real database, the real handler, and a clock
// moved by the test.
type world struct {
	t        testing.TB
	db       *db.DB
	clock    *testkit.Clock
	people   *identity.Service
	services *installation.Installation
	api      *httpapi.API
	handler  http.Handler
	log      *syncBuffer

	attachments string // their directory; empty where they are in the database
}

// settle are the settings to change before the world is built.
type settle struct {
	identity  identity.Options
	api       httpapi.Options
	outbound  *outbound.Network
	providers []barsource.Provider

	connectors []connector.Connector
}

// TestMain lets the heap grow: worlds are short-lived, and collecting garbage would take
// a fifth of the processor time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// eachWorld runs a test on SQLite and on PostgreSQL, each in a fresh world.
func eachWorld(t *testing.T, fn func(t *testing.T, w *world), change ...func(*settle)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		fn(t, newWorld(t, d, change...))
	})
}

var testRoot = []byte("a root secret for tests, 32 bytes or more")

func newWorld(t testing.TB, d *db.DB, change ...func(*settle)) *world {
	t.Helper()
	keys, err := secrets.NewKeys(testRoot)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, db: d, clock: testkit.NewClock(), log: &syncBuffer{}, attachments: attachmentsFor(t, d)}
	log := slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	settings := settle{
		// The cheapest hash: what it costs is tested in package identity.
		identity: identity.Options{PasswordCost: identity.PasswordCost{MemoryKiB: 64, Passes: 1}},
		api: httpapi.Options{
			Version: "test", Log: log, SpoolDir: t.TempDir(),
			Proxies: transport.Proxies{netip.MustParsePrefix("10.0.0.0/8")},
		},
	}
	for _, fn := range change {
		fn(&settings)
	}
	w.services, err = installation.New(installation.Options{
		DB: d, Keys: keys, Clock: w.clock.Now, Log: log, Attachments: w.attachments, Identity: settings.identity,
		Outbound: settings.outbound, BarProviders: settings.providers, Connectors: settings.connectors,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.people = w.services.Identity
	w.people.Start()
	t.Cleanup(func() {
		_ = w.people.Close(context.WithoutCancel(t.Context()))
		*w = world{} // package testing refers to this function until all tests have ended
	})
	w.api, err = httpapi.New(w.services, settings.api)
	if err != nil {
		t.Fatal(err)
	}
	w.handler = w.api.Handler()
	return w
}

// attachmentsFor keeps attachments as files on SQLite and in the database on
// PostgreSQL, as an operator would.
func attachmentsFor(t testing.TB, d *db.DB) string {
	if d.Engine() == db.PostgreSQL {
		return ""
	}
	return t.TempDir()
}

// syncBuffer is a log for several goroutines.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// client calls the API with a token, or without a credential if it is empty.
type client struct {
	w       *world
	token   string
	address string
	headers http.Header
}

// anonymous returns a client without a credential.
func (w *world) anonymous() *client {
	return &client{w: w, address: "203.0.113.7:1234", headers: http.Header{}}
}

// as is a client with a bearer token.
func (w *world) as(token string) *client {
	c := w.anonymous()
	c.token = token
	return c
}

// with returns a copy of the client with one more header.
func (c *client) with(name, value string) *client {
	clone := *c
	clone.headers = c.headers.Clone()
	clone.headers.Set(name, value)
	return &clone
}

// from returns a copy of the client with another address.
func (c *client) from(address string) *client {
	clone := *c
	clone.address = address
	return &clone
}

// reply is an answer with helpers for tests.
type reply struct {
	t      testing.TB
	call   string
	status int
	header http.Header
	body   []byte

	decoded any // the body as JSON, once it was asked for
}

// do sends a request below /api/v1 (or anywhere for a path beginning with "//"). body may
// be nil, a string or []byte sent as it is, or a value sent as JSON.
func (c *client) do(method, path string, body any) *reply {
	c.w.t.Helper()
	var reader io.Reader
	isJSON := false
	switch b := body.(type) {
	case nil:
	case string:
		reader, isJSON = strings.NewReader(b), true
	case []byte:
		reader, isJSON = bytes.NewReader(b), true
	default:
		text, err := json.Marshal(b)
		if err != nil {
			c.w.t.Fatal(err)
		}
		reader, isJSON = bytes.NewReader(text), true
	}
	url := "/api/v1" + path
	if strings.HasPrefix(path, "//") {
		url = path[1:]
	}
	request := httptest.NewRequest(method, url, reader)
	request.RemoteAddr = c.address
	if isJSON {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	maps.Copy(request.Header, c.headers)
	return c.send(request)
}

// send sends the test's own request.
func (c *client) send(request *http.Request) *reply {
	c.w.t.Helper()
	sent := peekBody(c.w.t, request)
	recorder := httptest.NewRecorder()
	c.w.handler.ServeHTTP(recorder, request)
	result := recorder.Result()
	body, err := io.ReadAll(result.Body)
	if err != nil {
		c.w.t.Fatal(err)
	}
	got := &reply{
		t: c.w.t, call: request.Method + " " + request.URL.Path,
		status: result.StatusCode, header: result.Header, body: body,
	}
	described := descriptionOf(c.w.t, c.w.api)
	described.check(request, got)
	described.checkRequest(request, sent, got)
	return got
}

func (c *client) get(path string) *reply { c.w.t.Helper(); return c.do("GET", path, nil) }

func (c *client) post(path string, body any) *reply { c.w.t.Helper(); return c.do("POST", path, body) }

func (c *client) put(path string, body any) *reply { c.w.t.Helper(); return c.do("PUT", path, body) }

func (c *client) patch(path string, body any) *reply {
	c.w.t.Helper()
	return c.do("PATCH", path, body)
}
func (c *client) delete(path string) *reply { c.w.t.Helper(); return c.do("DELETE", path, nil) }

// want requires a status and returns the reply back.
func (r *reply) want(status int) *reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("%s: status %d, want %d; body %s", r.call, r.status, status, r.body)
	}
	return r
}

// wantError requires a refusal with a status and a code.
func (r *reply) wantError(status int, code string) *reply {
	r.t.Helper()
	r.want(status)
	if got := r.text("error.code"); got != code {
		r.t.Fatalf("%s: error code %q, want %q; body %s", r.call, got, code, r.body)
	}
	if message := r.text("error.message"); message == "" || !strings.HasSuffix(message, ".") {
		r.t.Fatalf("%s: message %q is not a sentence", r.call, message)
	}
	return r
}

// wantField requires a 400 with this field.
func (r *reply) wantField(field string) *reply {
	r.t.Helper()
	r.wantError(http.StatusBadRequest, "bad_request")
	if got := r.text("error.details.field"); got != field {
		r.t.Fatalf("%s: field %q, want %q; body %s", r.call, got, field, r.body)
	}
	return r
}

// decode reads the body as JSON, once.
func (r *reply) decode() error {
	if r.decoded != nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(r.body))
	decoder.UseNumber()
	return decoder.Decode(&r.decoded)
}

// value finds a value by a path such as error.details.field or 0.id; numbers
// come as json.Number.
func (r *reply) value(path string) any {
	r.t.Helper()
	if err := r.decode(); err != nil {
		r.t.Fatalf("%s: body is not JSON: %v: %s", r.call, err, r.body)
	}
	value := r.decoded
	if path == "" {
		return value
	}
	for key := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[key]
		case []any:
			index := json.Number(key)
			i, err := index.Int64()
			if err != nil || int(i) >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// text is a string value by its path; empty when it is not there.
func (r *reply) text(path string) string {
	r.t.Helper()
	switch v := r.value(path).(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// count returns the length of a list by its path.
func (r *reply) count(path string) int {
	r.t.Helper()
	list, ok := r.value(path).([]any)
	if !ok {
		r.t.Fatalf("%s: %q is not a list: %s", r.call, path, r.body)
	}
	return len(list)
}

const (
	ownerEmail    = "owner@example.org"
	ownerPassword = "correct horse battery"
)

// setUp creates the first user and returns a client signed in as this owner.
func (w *world) setUp() *client {
	w.t.Helper()
	made := w.anonymous().post("/setup", map[string]any{"email": ownerEmail, "password": ownerPassword}).want(http.StatusCreated)
	return w.as(made.text("access_token"))
}

// addUser lets the owner make a user and returns a client signed in as it.
func (w *world) addUser(owner *client, email string) *client {
	w.t.Helper()
	password := passwordOf(email)
	owner.post("/admin/users", map[string]any{"email": email, "password": password}).want(http.StatusCreated)
	return w.as(w.logIn(email, password).text("access_token"))
}

func (w *world) logIn(email, password string) *reply {
	w.t.Helper()
	return w.anonymous().post("/auth/login", map[string]any{"email": email, "password": password}).want(http.StatusOK)
}
