package imports_test

import (
	"bytes"
	"log/slog"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/installation"
	"fillbook/internal/intake/imports"
	"fillbook/internal/people/identity"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
)

// fixture is an installation with a user who imports files.
type fixture struct {
	testing.TB
	*installation.Installation
	by imports.Actor
}

func newFixture(t testing.TB, d *db.DB) fixture {
	t.Helper()
	keys, err := secrets.NewKeys(bytes.Repeat([]byte("k"), 32))
	if err != nil {
		t.Fatal(err)
	}
	services, err := installation.New(installation.Options{
		DB: d, Keys: keys, Clock: testkit.NewClock().Now, Log: slog.New(slog.DiscardHandler),
		Identity: identity.Options{PasswordCost: identity.PasswordCost{MemoryKiB: 64, Passes: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	user, _, err := services.Identity.Setup(t.Context(), identity.Client{}, "ann@example.org", "a long sentence works well", nil)
	if err != nil {
		t.Fatal(err)
	}
	return fixture{t, services, imports.Actor{Principal: identity.Principal{UserID: user.ID}}}
}

func (b fixture) account(currency string) journal.AccountID {
	b.Helper()
	a, err := b.Ledger.CreateAccount(b.Context(), b.by.UserID, ledger.NewAccount{Name: "A", BaseCurrency: currency})
	if err != nil {
		b.Fatal(err)
	}
	return a.ID
}
