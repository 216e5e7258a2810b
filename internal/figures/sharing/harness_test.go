package sharing_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/figures/sharing"
	"fillbook/internal/installation"
	"fillbook/internal/people/identity"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// env is an installation with one user and one trade.
type env struct {
	*installation.Installation
	t       testing.TB
	clock   *testkit.Clock
	by      sharing.Actor
	account journal.AccountID
}

func eachEnv(t *testing.T, fn func(t *testing.T, h *env)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		h := newEnv(t, d, "k")
		user, _, err := h.Identity.Setup(t.Context(), identity.Client{}, "ann@example.org", "a long sentence works well", nil)
		must(t, err)
		h.by = sharing.Actor{Principal: identity.Principal{UserID: user.ID}}
		account, err := h.Ledger.CreateAccount(t.Context(), user.ID, ledger.NewAccount{Name: "Main"})
		must(t, err)
		h.account = account.ID
		h.addTrade("AAA", 10, 15, 0)
		fn(t, h)
	})
}

// newEnv returns an installation on a database, with a secret.
func newEnv(t testing.TB, d *db.DB, secret string) *env {
	t.Helper()
	keys, err := secrets.NewKeys(bytes.Repeat([]byte(secret), 32))
	must(t, err)
	h := &env{t: t, clock: testkit.NewClock()}
	h.Installation, err = installation.New(installation.Options{
		DB: d, Keys: keys, Clock: h.clock.Now, Log: slog.New(slog.DiscardHandler),
		Identity: identity.Options{PasswordCost: identity.PasswordCost{MemoryKiB: 64, Passes: 1}},
	})
	must(t, err)
	return h
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// addTrade records a closed trade.
func (h *env) addTrade(symbol string, from, to int64, day int) {
	h.t.Helper()
	start := time.Date(2026, 1, 5, 22, 0, 0, 0, time.UTC).AddDate(0, 0, day)
	for i, fill := range []struct {
		side  matching.Side
		price int64
	}{{matching.Buy, from}, {matching.Sell, to}} {
		_, err := h.Ledger.AddExecution(h.t.Context(), h.by.UserID, h.account, ledger.NewFill{
			Symbol: symbol, Side: fill.side, Quantity: decimal.New(1), Price: decimal.New(fill.price),
			ExecutedAt: start.Add(time.Duration(i) * time.Minute),
		})
		must(h.t, err)
	}
}

// mint creates a link without expiry.
func (h *env) mint(scope sharing.Scope) sharing.Link {
	h.t.Helper()
	link, err := h.Sharing.Mint(h.t.Context(), h.by, scope, 0)
	must(h.t, err)
	return link
}

// checkNotFound checks that a token is not found, with the common error.
func (h *env) checkNotFound(what, token string) {
	h.t.Helper()
	_, err := h.Sharing.Open(h.t.Context(), token)
	if err == nil || err.Error() != sharing.ErrNotFound().Error() || !journal.IsKind(err, journal.KindNotFound) {
		h.t.Errorf("%s: %v", what, err)
	}
}

// storedViews returns the owner's view counts, newest link first.
func (h *env) storedViews() string {
	h.t.Helper()
	links, err := h.Sharing.Links(h.t.Context(), h.by.UserID)
	must(h.t, err)
	counts := []int64{}
	for _, link := range links {
		counts = append(counts, link.Views)
	}
	return fmt.Sprint(counts)
}
