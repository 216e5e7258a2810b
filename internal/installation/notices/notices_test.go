package notices_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/installation"
	"fillbook/internal/installation/notices"
	"fillbook/internal/intake/connections"
	"fillbook/internal/people/identity"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
)

// fixture is an installation with a user, an account and a connection without a key.
type fixture struct {
	*testing.T
	*installation.Installation
	clock      *testkit.Clock
	owner      journal.UserID
	account    journal.AccountID
	connection journal.ConnectionID
	start      time.Time
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
		f.owner, _ = testkit.NewUser(t, d)
		account, err := f.Ledger.CreateAccount(t.Context(), f.owner, ledger.NewAccount{Name: "Main", BaseCurrency: "USD"})
		f.must(err)
		f.account, f.start = account.ID, f.clock.Now()
		f.clock.Advance(time.Minute)
		f.update(func(tx *db.Tx) error {
			_, _, err := connections.Restore(t.Context(), tx, f.owner, f.account, []connections.Connection{{
				Provider: "bybit", Name: "My Bybit", Schedule: connections.Hourly, CreatedAt: f.clock.Now(),
			}})
			return err
		})
		list, err := f.Connections.List(t.Context(), f.owner)
		f.must(err)
		f.connection = list[0].ID
		fn(f)
	})
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) update(fn func(tx *db.Tx) error) {
	f.Helper()
	f.must(f.DB.Update(f.Context(), fn))
}

func (f *fixture) exec(statement string, args ...any) {
	f.Helper()
	f.update(func(tx *db.Tx) error {
		_, err := tx.Exec(f.Context(), statement, args...)
		return err
	})
}

// want checks the notices after an instant: source and text.
func (f *fixture) want(ctx context.Context, since time.Time, want ...[2]string) {
	f.Helper()
	list, err := f.Notices.List(ctx, f.owner, since)
	f.must(err)
	if len(list) != len(want) {
		f.Fatalf("the notices are %+v, want %q", list, want)
	}
	for i, n := range list {
		if n.Source != want[i][0] || n.Text != want[i][1] || n.Kind != notices.Problem || n.Link != "/connections" {
			f.Errorf("notice %d is %+v, want %q", i, n, want[i])
		}
	}
}

// TestStoppedConnection: a stopped connection is reported until it runs again, to callers
// allowed to see its account.
func TestStoppedConnection(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		stopped := [2]string{"My Bybit", "Restored from a backup, which has no keys. Enter your key again."}
		f.want(f.Context(), f.start, stopped)
		f.want(f.Context(), f.clock.Now())
		f.want(journal.LimitAccounts(f.Context(), []journal.AccountID{"another"}), f.start)
		f.want(journal.LimitAccounts(f.Context(), []journal.AccountID{f.account}), f.start, stopped)
		f.exec(`UPDATE connections SET status = 'failed', message = 'It failed.', last_run_at = $1 WHERE user_id = $2`,
			db.Micros(f.clock.Now().Add(time.Hour)), f.owner)
		f.want(f.Context(), f.clock.Now(), [2]string{"My Bybit", "It failed."})
		for _, status := range []string{"ok", "waiting"} {
			f.exec(`UPDATE connections SET status = $1 WHERE user_id = $2`, status, f.owner)
			f.want(f.Context(), f.start)
		}
		other, _ := testkit.NewUser(f.T, f.DB)
		if list, err := f.Notices.List(f.Context(), other, f.start); err != nil || len(list) != 0 {
			f.Errorf("another user sees %+v, %v", list, err)
		}
	})
}

// TestMissingFills: fills no longer reported by a broker are reported once, with the
// count from the last run that missed some.
func TestMissingFills(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.exec(`UPDATE connections SET status = 'ok' WHERE user_id = $1`, f.owner)
		for i, missing := range []int{3, 1, 0} {
			f.exec(`INSERT INTO connection_runs (user_id, id, connection_id, started_at, ended_at, outcome, requests, inserted, skipped, completed,
				withdrawn, cash_inserted, problems, missing, batch_id, message) VALUES ($1, $2, $3, $4, $4, 'ok', 1, 0, 0, 0, 0, 0, 0, $5, '', '')`,
				f.owner, journal.NewID[journal.ConnectionRunID](), f.connection, db.Micros(f.clock.Now().Add(time.Duration(i)*time.Hour)), missing)
		}
		text := "1 fill is no longer reported by the broker. It stays; the list of runs names it."
		f.want(f.Context(), f.start, [2]string{"My Bybit", text})
		f.want(journal.LimitAccounts(f.Context(), []journal.AccountID{"another"}), f.start)
		f.want(f.Context(), f.clock.Now().Add(90*time.Minute))
		f.exec(`DELETE FROM connection_runs WHERE missing = 1 AND user_id = $1`, f.owner)
		f.want(f.Context(), f.start, [2]string{"My Bybit", "3 fills are no longer reported by the broker. They stay; the list of runs names them."})
	})
}
