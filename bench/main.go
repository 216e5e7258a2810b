// Command bench measures a whole Fillbook over loopback HTTP and prints ratios
// of one run, which are what can be compared between machines: what a write
// costs on a large account against an empty one, a back-dated fill against one
// at the end, and a write against the bare durable commit underneath it.
//
//	go run ./bench                      SQLite, 300,000 fills
//	go run ./bench -fills 10000 -url postgres://…
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/httpapi"
	"fillbook/internal/identity"
	"fillbook/internal/installation"
	"fillbook/internal/journal"
	"fillbook/internal/secrets"
	"fillbook/internal/transport"
)

func main() {
	fills := flag.Int("fills", 300_000, "fills of the large account")
	samples := flag.Int("samples", 300, "calls of each kind")
	only := flag.String("only", "", "writes, figures or import; everything without it")
	url := flag.String("url", "", "postgres://… of an empty database; SQLite in a temporary directory without it")
	flag.Parse()
	if err := run(context.Background(), *fills, *samples, *url, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, fills, samples int, url, only string) error {
	dir, err := os.MkdirTemp("", "fillbook-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	b, err := start(ctx, dir, url)
	if err != nil {
		return err
	}
	defer b.stop()
	if err := b.seed(ctx, fills); err != nil {
		return err
	}
	for _, part := range []struct {
		name   string
		report func() error
	}{
		{"writes", func() error { return b.reportWrites(ctx, fills, samples) }},
		{"figures", func() error { return b.reportFigures(ctx, samples) }},
		{"import", func() error { return b.reportImport(ctx) }},
	} {
		if only != "" && only != part.name {
			continue
		}
		if err := part.report(); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

// bench is a server under measurement and who asks it.
type bench struct {
	services *installation.Installation
	address  string
	token    string
	owner    journal.UserID
	large    journal.AccountID
	empty    journal.AccountID
	stop     func()
}

func start(ctx context.Context, dir, url string) (*bench, error) {
	d, err := db.Open(ctx, db.Options{URL: url, Path: filepath.Join(dir, "fillbook.db")})
	if err != nil {
		return nil, err
	}
	if err := d.Migrate(ctx); err != nil {
		return nil, err
	}
	keys, err := secrets.NewKeys(bytes.Repeat([]byte("k"), 32))
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.DiscardHandler)
	b := &bench{}
	b.services, err = installation.New(installation.Options{DB: d, Keys: keys, Clock: journal.SystemClock, Log: log})
	if err != nil {
		return nil, err
	}
	api, err := httpapi.New(b.services, httpapi.Options{Version: "bench", Log: log})
	if err != nil {
		return nil, err
	}
	var network net.ListenConfig
	listener, err := network.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b.address = "http://" + listener.Addr().String() + "/api/v1"
	serving, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	wait.Go(func() { _ = transport.Serve(serving, listener, api.Handler(), log) })
	b.stop = func() { cancel(); wait.Wait(); _ = d.Close() }
	return b, b.signIn(ctx)
}

func (b *bench) signIn(ctx context.Context) error {
	user, pair, err := b.services.Identity.Setup(ctx, identity.Client{}, "bench@example.org", "a password for the bench", nil)
	if err != nil {
		return err
	}
	b.owner, b.token = user.ID, pair.AccessToken.Reveal()
	for name, into := range map[string]*journal.AccountID{"large": &b.large, "empty": &b.empty} {
		status, answer, err := b.call(ctx, http.MethodPost, "/accounts", map[string]any{"name": name})
		if err != nil || status != http.StatusCreated {
			return fmt.Errorf("making an account: status %d: %w", status, err)
		}
		*into = journal.AccountID(answer["id"].(string))
	}
	return nil
}

// call sends one request and gives the status and the answer.
func (b *bench) call(ctx context.Context, method, path string, body any) (int, map[string]any, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, b.address+path, bytes.NewReader(text))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+b.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close() //nolint:errcheck // only read
	content, err := io.ReadAll(response.Body)
	answer := map[string]any{}
	if len(content) > 0 && content[0] == '{' {
		err = json.Unmarshal(content, &answer)
	}
	return response.StatusCode, answer, err
}

// timed runs fn so many times and gives the times in order.
type times []time.Duration

func (t times) quantile(q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(t))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}
