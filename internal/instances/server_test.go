package instances_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/httpapi"
	"fillbook/internal/installation"
	"fillbook/internal/people/identity"
)

// server is one instance: its own pool, services and caches.
type server struct {
	t        *testing.T
	db       *db.DB
	services *installation.Installation
	api      *httpapi.API
	address  string
}

// newServer starts an instance on a database, which it migrates as at any start. It
// returns the start's error.
func newServer(t *testing.T, url string, clock journal.Clock) (*server, error) {
	d, err := db.Open(t.Context(), db.Options{URL: url, Readers: 6})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = d.Close() })
	if err := d.Migrate(t.Context()); err != nil {
		return nil, err
	}
	keys, err := secrets.NewKeys([]byte("one root secret for all instances"))
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.DiscardHandler)
	s := &server{t: t, db: d}
	s.services, err = installation.New(installation.Options{
		DB: d, Keys: keys, Clock: clock, Log: log, AttachmentMaxBytes: 1 << 20,
		Identity: identity.Options{PasswordCost: identity.PasswordCost{MemoryKiB: 64, Passes: 1}},
	})
	if err != nil {
		return nil, err
	}
	if err := s.services.Identity.CheckSecret(t.Context()); err != nil {
		return nil, err
	}
	s.services.Identity.Start()
	t.Cleanup(func() { _ = s.services.Identity.Close(context.WithoutCancel(t.Context())) })
	s.api, err = httpapi.New(s.services, httpapi.Options{Version: "test", Log: log, ShareLinks: true})
	if err != nil {
		return nil, err
	}
	listener := httptest.NewServer(s.api.Handler())
	t.Cleanup(listener.Close)
	s.address = listener.URL
	return s, nil
}

// fleet is several instances behind a round-robin load balancer.
type fleet struct {
	t       *testing.T
	servers []*server
	turn    atomic.Int64
	token   string
	account string
}

const instanceCount = 3

// newFleet starts instances at once on a database without a schema and makes
// the first user.
func newFleet(t *testing.T, url string, clock journal.Clock) *fleet {
	t.Helper()
	f := &fleet{t: t, servers: make([]*server, instanceCount)}
	var starts errgroup.Group
	for i := range f.servers {
		starts.Go(func() (err error) {
			f.servers[i], err = newServer(t, url, clock)
			return err
		})
	}
	if err := starts.Wait(); err != nil {
		t.Fatalf("starting %d instances at once: %v", instanceCount, err)
	}
	made := f.setUp()
	f.token = made.text("access_token")
	f.account = made.value("account").(map[string]any)["id"].(string)
	return f
}

const password = "a long sentence works well"

// setUp requests the first user from all instances at once; one instance creates it.
func (f *fleet) setUp() reply {
	f.t.Helper()
	answers := f.atOnce(func(s *server) (reply, error) {
		return s.call("POST", "/setup", "", map[string]any{
			"email": "ann@example.org", "password": password, "account": map[string]any{"name": "Main"},
		})
	})
	var won []reply
	for _, answer := range answers {
		switch answer.status {
		case http.StatusCreated:
			won = append(won, answer)
		case http.StatusConflict:
		default:
			f.t.Fatalf("setup: %d %s", answer.status, answer.body)
		}
	}
	if len(won) != 1 {
		f.t.Fatalf("%d of %d setups made an owner", len(won), len(answers))
	}
	return won[0]
}

// atOnce sends the same request to every instance at the same time.
func (f *fleet) atOnce(ask func(*server) (reply, error)) []reply {
	f.t.Helper()
	answers := make([]reply, len(f.servers))
	var group errgroup.Group
	for i, s := range f.servers {
		group.Go(func() (err error) {
			answers[i], err = ask(s)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		f.t.Fatal(err)
	}
	return answers
}

func (f *fleet) next() *server {
	return f.servers[int(f.turn.Add(1))%len(f.servers)]
}

// reply is an answer.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func (r reply) value(name string) any {
	var fields map[string]any
	_ = json.Unmarshal(r.body, &fields)
	return fields[name]
}

func (r reply) text(name string) string {
	text, _ := r.value(name).(string)
	return text
}

func (r reply) list() []map[string]any {
	var list []map[string]any
	_ = json.Unmarshal(r.body, &list)
	return list
}

// call sends a JSON request below /api/v1, or anywhere with a path beginning with two
// slashes. Headers come as pairs. An error means there was no answer.
func (s *server) call(method, path, token string, body any, headers ...string) (reply, error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return reply{}, err
		}
		content = bytes.NewReader(text)
	}
	url := s.address + "/api/v1" + path
	if len(path) > 1 && path[1] == '/' {
		url = s.address + path[1:]
	}
	request, err := http.NewRequestWithContext(s.t.Context(), method, url, content)
	if err != nil {
		return reply{}, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return send(request)
}

func send(request *http.Request) (reply, error) {
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer answer.Body.Close() //nolint:errcheck // only read
	content, err := io.ReadAll(answer.Body)
	return reply{answer.StatusCode, answer.Header, content}, err
}

// must is call with a required status.
func (s *server) must(method, path, token string, body any, want int, headers ...string) reply {
	s.t.Helper()
	got, err := s.call(method, path, token, body, headers...)
	if err != nil || got.status != want {
		s.t.Fatalf("%s %s: %d %v, want %d; %s", method, path, got.status, err, want, got.body)
	}
	return got
}
