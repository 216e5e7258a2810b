package main

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/httpapi"
	"fillbook/internal/installation"
	"fillbook/internal/intake/imports"
	"fillbook/internal/people/identity"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
)

// inbox is a server watching a directory, with a clock moving whenever it waits.
type inbox struct {
	*installation.Installation
	t     *testing.T
	api   *httpapi.API
	dir   string
	clock *testkit.Clock

	mu  sync.Mutex
	log bytes.Buffer
}

func newInbox(t *testing.T, d *db.DB) *inbox {
	t.Helper()
	keys, err := secrets.NewKeys([]byte("a root secret for tests, 32 bytes or more"))
	if err != nil {
		t.Fatal(err)
	}
	b := &inbox{t: t, dir: t.TempDir(), clock: testkit.NewClock()}
	b.Installation, err = installation.New(installation.Options{
		DB: d, Keys: keys, Clock: b.clock.Now, Log: slog.New(slog.DiscardHandler), Attachments: t.TempDir(),
		Identity: identity.Options{PasswordCost: identity.PasswordCost{MemoryKiB: 64, Passes: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.api, err = httpapi.New(b.Installation, httpapi.Options{Version: "test", Log: slog.New(slog.DiscardHandler), SpoolDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Write implements io.Writer for the log.
func (b *inbox) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.Write(p)
}

func (b *inbox) count(text string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Count(b.log.String(), text)
}

// addAccount creates a user with an account.
func (b *inbox) addAccount(email string) (journal.UserID, journal.AccountID) {
	b.t.Helper()
	user, err := b.Identity.CreateUserByOperator(b.t.Context(), email, "a long sentence works well", false)
	if err != nil {
		b.t.Fatal(err)
	}
	account, err := b.Ledger.CreateAccount(b.t.Context(), user.ID, ledger.NewAccount{Name: "Main"})
	if err != nil {
		b.t.Fatal(err)
	}
	return user.ID, account.ID
}

// put writes a file with two fills into a folder.
func (b *inbox) put(folder, symbol string) {
	b.t.Helper()
	dir := filepath.Join(b.dir, folder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.t.Fatal(err)
	}
	rows := symbol + ",buy,1,10,2026-01-05T15:00:00Z\n" + symbol + ",sell,1,11,2026-01-05T15:10:00Z\n"
	if err := os.WriteFile(filepath.Join(dir, "fills.csv"), []byte(fillsHeader+rows), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// maxWaits ends a watcher not doing what the test waits for.
const maxWaits = 100_000

// watchUntil runs a new watcher, as another server has, until the log has a text so many
// times.
func (b *inbox) watchUntil(text string, times int) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.t.Context())
	defer cancel()
	var waits atomic.Int64
	w := &folderWatcher{
		dir: b.dir, stateDir: filepath.Join(b.t.TempDir(), "watch"), services: b.Installation, handlerFor: b.api.HandlerFor,
		log: slog.New(slog.NewTextHandler(b, nil)), now: b.clock.Now,
		wait: func(ctx context.Context, d time.Duration, _ <-chan string) (string, bool) {
			if d == folderInterval { // all folders are there from the start
				<-ctx.Done()
			}
			b.clock.Advance(d)
			if b.count(text) >= times || waits.Add(1) > maxWaits {
				cancel()
			}
			return "", false
		},
	}
	w.run(ctx)
	if got := b.count(text); got != times {
		b.t.Fatalf("the log has %q %d times, want %d:\n%s", text, got, times, b.log.String())
	}
}

// symbols returns the symbols in the owner's fills.
func (b *inbox) symbols(owner journal.UserID) string {
	b.t.Helper()
	var list []string
	err := b.Ledger.EachExecution(b.t.Context(), owner, ledger.ExecutionQuery{}, func(e ledger.Execution) error {
		list = append(list, e.Instrument.Symbol)
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.Join(list, " ")
}

// TestWatchedDirectory checks that files go once to the owner of the account their folder
// is named after, and that other folders are ignored.
func TestWatchedDirectory(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newInbox(t, d)
		ann, first := b.addAccount("ann@example.org")
		bert, second := b.addAccount("bert@example.org")
		b.put(string(first), "AAPL")
		b.put(string(second)+" Futures", "MSFT")
		b.put("notes", "NOTE")
		b.put("01a1e6be-3407-71e0-9be2-65869e7500c6", "NONE")
		// Links show Ann Bert's file and folder. They are not followed.
		_, third := b.addAccount("carl@example.org")
		for from, to := range map[string]string{string(third): string(second) + " Futures", string(first) + "/link.csv": string(second) + " Futures/fills.csv"} {
			if err := os.Symlink(filepath.Join(b.dir, to), filepath.Join(b.dir, from)); err != nil {
				t.Fatal(err)
			}
		}
		b.watchUntil("outcome=imported", 2)
		if got := b.symbols(ann) + "|" + b.symbols(bert); got != "AAPL AAPL|MSFT MSFT" {
			t.Errorf("the fills are %s", got)
		}
		if n := b.count("folder is not watched"); n != 2 {
			t.Errorf("%d folders are reported, want 2:\n%s", n, b.log.String())
		}
		batches, _, err := b.Imports.Batches(t.Context(), identity.Principal{UserID: ann}, "", 0)
		if err != nil || len(batches) != 1 || batches[0].Origin != imports.FromWatch {
			t.Errorf("the imports are %+v, %v", batches, err)
		}

		// Another server finds the same files and stores nothing.
		b.watchUntil("outcome=unchanged", 2)
		if got := b.symbols(ann) + "|" + b.symbols(bert); got != "AAPL AAPL|MSFT MSFT" {
			t.Errorf("the fills are %s", got)
		}
	})
}
