package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/installation"
	"fillbook/internal/intake/watch"
	"fillbook/internal/people/identity"
)

// folderInterval is how often new and removed folders are looked for.
const folderInterval = 30 * time.Second

// folderWatcher imports the files in folders named after accounts, with the watch agent's
// code. It calls the API inside the process, as the account's owner and limited to the
// account, so no token is stored.
//
// Several servers may watch the same folders: two imports of the same file have the same
// idempotency key, and stored fills are recognized, so files are imported once. Each
// server has its own record of handled files.
type folderWatcher struct {
	dir      string
	stateDir string
	services *installation.Installation
	// handlerFor returns the API for an authenticated caller.
	handlerFor func(identity.Principal) http.Handler
	log        *slog.Logger
	now        func() time.Time
	wait       func(ctx context.Context, d time.Duration, changes <-chan string) (string, bool)

	agents  sync.WaitGroup
	running map[string]context.CancelFunc // by folder name
	ignored map[string]bool               // names of reported folders
	failed  bool                          // whether the unreadable dir was reported
}

// run watches until the context ends.
func (w *folderWatcher) run(ctx context.Context) {
	w.running, w.ignored = map[string]context.CancelFunc{}, map[string]bool{}
	defer w.agents.Wait()
	for ctx.Err() == nil {
		w.update(ctx)
		w.wait(ctx, folderInterval, nil)
	}
}

// update starts agents for new folders, and ends those for missing ones.
func (w *folderWatcher) update(ctx context.Context) {
	entries, err := os.ReadDir(w.dir)
	if (err != nil) != w.failed {
		w.failed = err != nil
		w.log.Warn("watched directory", "readable", err == nil, "error", err)
	}
	if err != nil {
		return
	}
	found := map[string]bool{}
	for _, entry := range entries {
		if name := entry.Name(); entry.IsDir() && !strings.HasPrefix(name, ".") {
			found[name] = true
			if w.running[name] == nil {
				w.start(ctx, name)
			}
		}
	}
	for name, stop := range w.running {
		if !found[name] {
			stop()
			delete(w.running, name)
		}
	}
}

// start starts a folder's agent, or reports once that its name is no account.
func (w *folderWatcher) start(ctx context.Context, name string) {
	id, _, _ := strings.Cut(name, " ")
	principal, err := w.findOwner(ctx, journal.AccountID(id))
	if err == nil {
		err = w.startAgent(ctx, name, journal.AccountID(id), principal)
	}
	if err != nil && !w.ignored[name] && ctx.Err() == nil {
		w.ignored[name] = true
		w.log.Warn("folder is not watched", "folder", name, "error", err)
	}
}

// findOwner returns an account's owner as a caller limited to it.
func (w *folderWatcher) findOwner(ctx context.Context, id journal.AccountID) (identity.Principal, error) {
	users, err := w.services.Identity.Users(ctx)
	if err != nil {
		return identity.Principal{}, err
	}
	for _, user := range users {
		accounts, err := w.services.Ledger.Accounts(ctx, user.ID)
		if err != nil {
			return identity.Principal{}, err
		}
		for _, account := range accounts {
			if account.ID == id {
				return identity.Principal{
					UserID: user.ID, PublicID: user.PublicID, Credential: identity.CredentialWatch, Accounts: []journal.AccountID{id},
				}, nil
			}
		}
	}
	return identity.Principal{}, fmt.Errorf("%q is not the id of an account; name the folder after the id of one", id)
}

func (w *folderWatcher) startAgent(ctx context.Context, name string, account journal.AccountID, principal identity.Principal) error {
	if err := os.MkdirAll(w.stateDir, 0o700); err != nil {
		return err
	}
	state, err := watch.OpenState(filepath.Join(w.stateDir, string(account)+".state"))
	if err != nil {
		return err
	}
	agent, err := watch.New(watch.Options{
		Config: watch.Config{
			Server:  "http://fillbook.internal", // it is not called over the network
			Folders: []watch.Folder{{Path: filepath.Join(w.dir, name), AccountID: string(account)}},
		},
		State: state, Version: version, Now: w.now, Wait: w.wait, Timeout: watch.DefaultTimeout,
		Handler: w.handlerFor(principal),
		Report: func(e watch.Event) {
			w.log.Info("watched folder", "account", account, "outcome", e.Outcome, "file", filepath.Base(e.Path), "message", e.Message)
		},
	})
	if err != nil {
		_ = state.Close()
		return err
	}
	ctx, w.running[name] = context.WithCancel(ctx)
	w.agents.Go(func() {
		defer state.Close() //nolint:errcheck // each record is synced when it is written
		if err := agent.Run(ctx); err != nil {
			w.log.Warn("folder is no longer watched", "folder", name, "error", err)
		}
	})
	return nil
}
