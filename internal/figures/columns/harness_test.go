package columns_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/columns"
	"fillbook/internal/installation"
	"fillbook/internal/people/identity"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

// env is an installation with one user and one account.
type env struct {
	*installation.Installation
	t       testing.TB
	owner   journal.UserID
	account journal.AccountID
}

func eachEnv(t *testing.T, fn func(t *testing.T, h *env)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		h := newEnv(t, d, 0)
		h.createUser()
		fn(t, h)
	})
}

// newEnv returns an installation on a database, which others may share.
func newEnv(t testing.TB, d *db.DB, memory int) *env {
	t.Helper()
	keys, err := secrets.NewKeys(bytes.Repeat([]byte("k"), 32))
	must(t, err)
	h := &env{t: t}
	h.Installation, err = installation.New(installation.Options{
		DB: d, Keys: keys, Clock: testkit.NewClock().Now, Log: slog.New(slog.DiscardHandler), FiguresMemory: memory,
		Identity: identity.Options{PasswordCost: identity.PasswordCost{MemoryKiB: 64, Passes: 1}},
	})
	must(t, err)
	return h
}

// createUser creates a user and an account.
func (h *env) createUser() {
	h.t.Helper()
	user, _, err := h.Identity.Setup(h.t.Context(), identity.Client{}, "ann@example.org", "a long sentence works well", nil)
	must(h.t, err)
	h.owner = user.ID
	h.account = h.createAccount("Main", "1000")
}

func (h *env) createAccount(name, balance string) journal.AccountID {
	h.t.Helper()
	account, err := h.Ledger.CreateAccount(h.t.Context(), h.owner, ledger.NewAccount{Name: name, StartingBalance: decimal.Must(balance)})
	must(h.t, err)
	return account.ID
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func minute(n int) time.Time {
	return time.Date(2026, 1, 5, 15, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Minute)
}

// fill records a fill in the account.
func (h *env) fill(symbol string, side matching.Side, quantity, price string, at int) ledger.AddedExecution {
	h.t.Helper()
	added, err := h.Ledger.AddExecution(h.t.Context(), h.owner, h.account, ledger.NewFill{
		Symbol: symbol, Side: side, Quantity: decimal.Must(quantity), Price: decimal.Must(price), ExecutedAt: minute(at), AllowDuplicate: true,
	})
	must(h.t, err)
	return added
}

// roundTrip records a closed trade and returns it with its last fill.
func (h *env) roundTrip(symbol string, at int) (journal.TradeID, ledger.AddedExecution) {
	h.t.Helper()
	h.fill(symbol, matching.Buy, "100", "10", at)
	last := h.fill(symbol, matching.Sell, "100", "12", at+1)
	return last.TradeIDs[0], last
}

func (h *env) annotate(trade journal.TradeID, change playbook.AnnotationChange) {
	h.t.Helper()
	_, err := h.Playbook.Annotate(h.t.Context(), h.owner, trade, change, nil)
	must(h.t, err)
}

// dump returns everything a service reads from the owner's journal, as text: every trade
// and its annotations, the cash, and figures computed from them.
func (h *env) dump(s *columns.Service) string {
	h.t.Helper()
	var out bytes.Buffer
	must(h.t, s.View(h.t.Context(), h.owner, nil, func(_ *db.Tx, b *columns.Snapshot) error {
		for i, columns := range b.Columns {
			fmt.Fprintln(&out, "account", b.Accounts[i].ID, b.Accounts[i].Name, columns.Len())
			for row := range columns.Len() {
				write(h.t, &out, columns.Trade(row))
			}
		}
		write(h.t, &out, b.Capital.Cash)
		write(h.t, &out, analytics.Summarize(b.Select(analytics.Filter{}), b.Capital))
		write(h.t, &out, analytics.BuildEquityCurve(b.Columns, analytics.CurveQuery{Capital: b.Capital}))
		return nil
	}))
	must(h.t, s.ViewRealized(h.t.Context(), h.owner, nil, func(_ *db.Tx, b *columns.Snapshot) error {
		h.writeRealized(&out, b)
		return nil
	}))
	return out.String()
}

// writeRealized writes every realized part in a snapshot.
func (h *env) writeRealized(out *bytes.Buffer, b *columns.Snapshot) {
	for _, columns := range b.Columns {
		for row := range columns.Len() {
			write(h.t, out, columns.Trade(row))
		}
	}
	write(h.t, out, analytics.ListDays(b.Select(analytics.Filter{Realized: true}), time.UTC))
}

func write(t testing.TB, out *bytes.Buffer, value any) {
	t.Helper()
	text, err := json.Marshal(value)
	must(t, err)
	out.Write(append(text, '\n'))
}

// checkFresh checks that the environment's service returns the same as a new service.
func (h *env) checkFresh(after string) string {
	h.t.Helper()
	got, want := h.dump(h.Figures), h.dump(columns.New(h.DB, 0, ""))
	if got != want {
		h.t.Fatalf("after %s the figures are stale:\n%s\nwant\n%s", after, got, want)
	}
	return got
}
