package hooks_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/installation"
	"fillbook/internal/intake/hooks"
	"fillbook/internal/intake/imports"
	"fillbook/internal/people/identity"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// fixture is an installation with a user, an account and a hook.
type fixture struct {
	*testing.T
	*installation.Installation
	clock   *testkit.Clock
	by      hooks.Actor
	account journal.AccountID
	hook    hooks.Hook
	secret  string
}

func eachEngine(t *testing.T, fn func(f *fixture)) {
	t.Helper()
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		f := &fixture{T: t, clock: testkit.NewClock()}
		keys, err := secrets.NewKeys([]byte("a root secret for tests, 32 bytes or more"))
		f.must(err)
		f.Installation, err = installation.New(installation.Options{
			DB: d, Keys: keys, Clock: f.clock.Now, Log: slog.New(slog.DiscardHandler), Identity: identity.Options{},
		})
		f.must(err)
		owner, _ := testkit.NewUser(t, d)
		f.by = hooks.Actor{Principal: identity.Principal{UserID: owner}}
		account, err := f.Ledger.CreateAccount(t.Context(), owner, ledger.NewAccount{Name: "Main", BaseCurrency: "USD"})
		f.must(err)
		f.account = account.ID
		f.hook, f.secret, err = f.Hooks.Create(t.Context(), f.by, f.account, "Alerts")
		f.must(err)
		fn(f)
	})
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// readFill reads a fill as these tests write it.
func readFill(text []byte) (ledger.NewFill, error) {
	var in struct {
		Symbol, ID, Side string
		At               time.Time
		Price            int64
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return ledger.NewFill{}, journal.InvalidField("body", "The body is not a fill.")
	}
	return ledger.NewFill{
		Symbol: in.Symbol, InstrumentType: "stock", Side: matching.Side(in.Side), Quantity: decimal.New(1), Price: decimal.New(in.Price),
		ExecutedAt: in.At, ExternalID: in.ID,
	}, nil
}

// fill returns a fill's text. Without an id it is known by its content.
func (f *fixture) fill(id, side string, price int) string {
	return fmt.Sprintf(`{"symbol": "AAPL", "id": %q, "side": %q, "price": %d, "at": "2026-03-02T15:00:00Z"}`, id, side, price)
}

// send sends a body and checks the results for its fills.
func (f *fixture) send(body string, accepted, skipped, quarantined int) {
	f.Helper()
	sender, err := f.Hooks.Verify(f.Context(), f.hook.ID, f.secret)
	f.must(err)
	got, err := f.Hooks.Receive(f.Context(), sender, []byte(body), readFill)
	f.must(err)
	if want := (hooks.Counts{Accepted: accepted, Skipped: skipped, Quarantined: quarantined}); got != want {
		f.Errorf("%.60s: %+v, want %+v", body, got, want)
	}
}

// stored returns the prices of the account's fills.
func (f *fixture) stored() (list []string) {
	f.Helper()
	f.must(f.Ledger.EachExecution(f.Context(), f.by.UserID, ledger.ExecutionQuery{}, func(e ledger.Execution) error {
		list = append(list, e.Price.String())
		return nil
	}))
	slices.Sort(list)
	return list
}

func (f *fixture) wantStored(want ...string) {
	f.Helper()
	if got := f.stored(); !slices.Equal(got, want) {
		f.Errorf("stored %q, want %q", got, want)
	}
}

// quarantined returns the bodies in the quarantine, newest first.
func (f *fixture) quarantined() (list []string) {
	f.Helper()
	entries, err := f.Hooks.Quarantine(f.Context(), f.by.UserID, f.hook.ID)
	f.must(err)
	for _, e := range entries {
		list = append(list, string(e.Body))
	}
	return list
}

func TestSecrets(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		other, secret, err := f.Hooks.Create(f.Context(), f.by, f.account, "Other")
		f.must(err)
		verify := func(id journal.HookID, secret string) error {
			_, err := f.Hooks.Verify(f.Context(), id, secret)
			return err
		}
		f.must(verify(other.ID, secret))
		for name, err := range map[string]error{
			"the secret of another hook": verify(f.hook.ID, secret), "no secret": verify(f.hook.ID, ""), "an unknown hook": verify("unknown", f.secret),
		} {
			if !journal.IsKind(err, journal.KindNotFound) {
				f.Errorf("%s: %v", name, err)
			}
		}
		sender, err := f.Hooks.Verify(f.Context(), f.hook.ID, f.secret)
		f.must(err)
		next, err := f.Hooks.Rotate(f.Context(), f.by, f.hook.ID)
		f.must(err)
		if err := verify(f.hook.ID, f.secret); !journal.IsKind(err, journal.KindNotFound) {
			f.Errorf("the old secret: %v", err)
		}
		if _, err := f.Hooks.Receive(f.Context(), sender, []byte(f.fill("1", "buy", 10)), readFill); !journal.IsKind(err, journal.KindNotFound) {
			f.Errorf("a body that was sent before the secret was replaced: %v", err)
		}
		f.must(verify(f.hook.ID, next))
		f.secret = next
		f.send(`{"secret": "`+next+`"`, 0, 0, 1)
		if got := f.quarantined(); len(got) != 1 || strings.Contains(got[0], next) {
			f.Errorf("the quarantine has %q", got)
		}
	})
}

// TestSameBody: the same body is stored once within a day. What it had in the quarantine is
// counted again and not kept twice.
func TestSameBody(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		body := "[" + f.fill("", "buy", 10) + "," + f.fill("", "buy", 10) + `, 5]`
		f.send(body, 2, 0, 1)
		f.clock.Advance(23 * time.Hour)
		f.send(body, 0, 2, 1)
		f.wantStored("10", "10")
		if got := f.quarantined(); len(got) != 1 {
			f.Errorf("the quarantine has %q", got)
		}
		f.clock.Advance(2 * time.Hour)
		f.must(f.Hooks.Sweep(f.Context()))
		f.send(body, 0, 2, 1) // the content is known
		f.wantStored("10", "10")
		if got := f.quarantined(); len(got) != 2 {
			f.Errorf("the quarantine has %q", got)
		}
	})
}

// TestReversedDay: after its import was reversed, a day's bodies can be sent again.
// Another day's are still known.
func TestReversedDay(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.clock.Advance(23*time.Hour - time.Duration(f.clock.Now().Hour())*time.Hour)
		first, second := f.fill("", "buy", 10), f.fill("1", "sell", 12)
		f.send(first, 1, 0, 0)
		f.clock.Advance(2 * time.Hour)
		f.send(second, 1, 0, 0)
		f.send(second, 0, 1, 0)
		list, _, err := f.Imports.Batches(f.Context(), f.by.Principal, "", 0)
		f.must(err)
		newest := slices.MaxFunc(list, func(a, b imports.Batch) int { return a.CreatedAt.Compare(b.CreatedAt) })
		f.must(f.Imports.Reverse(f.Context(), imports.Actor{Principal: f.by.Principal}, newest.ID, nil))
		f.wantStored("10")
		f.send(second, 1, 0, 0)
		f.send(first, 0, 1, 0)
		f.wantStored("10", "12")
	})
}

// TestQuarantineIsBounded: the oldest entries leave the quarantine if it has too many
// bytes, and all entries after 30 days.
func TestQuarantineIsBounded(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		const size = 250 << 10
		for i := range 40 {
			f.send(fmt.Sprintf("%d %s", i, strings.Repeat("x", size)), 0, 0, 1)
		}
		got := f.quarantined()
		if len(got) != (8<<20)/size || !strings.HasPrefix(got[0], "39 ") {
			f.Errorf("the quarantine has %d bodies", len(got))
		}
		f.clock.Advance(29 * 24 * time.Hour)
		f.must(f.Hooks.Sweep(f.Context()))
		if n := len(f.quarantined()); n != len(got) {
			f.Errorf("after 29 days it has %d", n)
		}
		f.clock.Advance(2 * 24 * time.Hour)
		f.must(f.Hooks.Sweep(f.Context()))
		if n := len(f.quarantined()); n != 0 {
			f.Errorf("after 31 days it has %d", n)
		}
	})
}

// TestDeletedFill: a fill deleted by the user is not brought back.
func TestDeletedFill(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.send(f.fill("1", "buy", 10), 1, 0, 0)
		var id journal.ExecutionID
		f.must(f.Ledger.EachExecution(f.Context(), f.by.UserID, ledger.ExecutionQuery{}, func(e ledger.Execution) error {
			id = e.ID
			return nil
		}))
		f.must(f.Ledger.DeleteExecution(f.Context(), f.by.UserID, id, nil))
		f.send("["+f.fill("1", "buy", 10)+"]", 0, 1, 0)
		f.wantStored()
	})
}
