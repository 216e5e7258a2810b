package imports_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/identity"
	"fillbook/internal/imports"
	"fillbook/internal/installation"
	"fillbook/internal/ledger"
	"fillbook/internal/secrets"
	"fillbook/internal/testkit"
)

// journalOf gives an installation with one user, and a file of 100,000 generic
// fills.
func journalOf(b *testing.B) (*installation.Installation, identity.User, []byte) {
	var file bytes.Buffer
	file.WriteString("Symbol,Side,Quantity,Price,Executed At,Commission\n")
	at := time.Date(2020, 1, 2, 14, 30, 0, 0, time.UTC)
	for i := range 100_000 {
		side := []string{"buy", "sell"}[i/200%2]
		fmt.Fprintf(&file, "SYM%d,%s,100,%d.%02d,%s,1.05\n", i%200, side, 10+i%900, i%100, at.Add(time.Duration(i)*15*time.Minute).Format(time.RFC3339))
	}
	keys, err := secrets.NewKeys(bytes.Repeat([]byte("k"), 32))
	if err != nil {
		b.Fatal(err)
	}
	services, err := installation.New(installation.Options{
		DB: testkit.Open(b, db.SQLite), Keys: keys, Clock: testkit.NewClock().Now, Log: slog.New(slog.DiscardHandler),
		Identity: identity.Options{PasswordCost: identity.PasswordCost{MemoryKiB: 64, Passes: 1}},
	})
	if err != nil {
		b.Fatal(err)
	}
	user, _, err := services.Identity.Setup(b.Context(), identity.Client{}, "ann@example.org", "a long sentence works well", nil)
	if err != nil {
		b.Fatal(err)
	}
	return services, user, file.Bytes()
}

// BenchmarkInspect tells what 100,000 generic fills would become.
func BenchmarkInspect(b *testing.B) {
	services, user, file := journalOf(b)
	account, err := services.Ledger.CreateAccount(b.Context(), user.ID, ledger.NewAccount{Name: "A"})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		p, err := services.Imports.Inspect(b.Context(), user.ID, imports.Upload{FileName: "x.csv", Data: file, Account: account.ID})
		if err != nil || p.NewRows != 100_000 {
			b.Fatal(p.NewRows, err)
		}
	}
}

// BenchmarkCommit imports 100,000 generic fills into a new account.
func BenchmarkCommit(b *testing.B) {
	services, user, file := journalOf(b)
	b.ReportAllocs()
	for b.Loop() {
		account, err := services.Ledger.CreateAccount(b.Context(), user.ID, ledger.NewAccount{Name: "A"})
		if err != nil {
			b.Fatal(err)
		}
		result, err := services.Imports.Commit(b.Context(), imports.Actor{Principal: identity.Principal{UserID: user.ID}},
			imports.Upload{FileName: "x.csv", Data: file, Account: account.ID})
		if err != nil || result.Inserted != 100_000 {
			b.Fatal(result, err)
		}
	}
}

// BenchmarkCommitAgain imports 100,000 fills that are all stored already.
func BenchmarkCommitAgain(b *testing.B) {
	services, user, file := journalOf(b)
	account, err := services.Ledger.CreateAccount(b.Context(), user.ID, ledger.NewAccount{Name: "A"})
	if err != nil {
		b.Fatal(err)
	}
	commit := func() imports.Result {
		result, err := services.Imports.Commit(b.Context(), imports.Actor{Principal: identity.Principal{UserID: user.ID}},
			imports.Upload{FileName: "x.csv", Data: file, Account: account.ID})
		if err != nil {
			b.Fatal(err)
		}
		return result
	}
	commit()
	b.ReportAllocs()
	for b.Loop() {
		if result := commit(); result.Inserted != 0 {
			b.Fatal(result)
		}
	}
}
