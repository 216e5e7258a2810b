package barfetch_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/remote"
	"fillbook/internal/installation"
	"fillbook/internal/prices/barfetch"
	"fillbook/internal/prices/barsource"
)

// fault is acme with a fault in its client.
type fault struct{ acme }

func (fault) Fetch(context.Context, remote.Doer, map[string]string, barsource.Query) (barsource.Result, error) {
	panic("a fault")
}

// TestFaultOfTheServer checks a panicking run: it is tried again later each time, the
// user sees it, and it is given up after ten days.
func TestFaultOfTheServer(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.trade("AAPL", "stock", friday, friday)
		source := f.create("acme")
		f.runDue()
		got := f.source(source.ID)
		if got.Status != barfetch.StatusWaiting || !strings.Contains(got.Message, "error on this server") || got.LastRunAt == nil {
			f.Errorf("%+v", got)
		}
		if run := f.runs(source.ID)[0]; run.EndedAt == nil || run.Outcome != barfetch.StatusWaiting || run.Message != got.Message {
			f.Errorf("%+v", run)
		}
		first := got.NextRunAt.Sub(f.clock.Now())
		f.clock.Advance(first)
		f.runDue()
		if second := f.source(source.ID).NextRunAt.Sub(f.clock.Now()); first < time.Minute || second < 2*first {
			f.Errorf("the next runs are in %v and %v", first, second)
		}
		for range 20 {
			f.clock.Advance(27 * time.Hour)
			f.runDue()
		}
		if got := f.source(source.ID); got.Status != barfetch.StatusFailed || got.NextRunAt != nil || !strings.Contains(got.Message, "ten days") {
			f.Errorf("%+v", got)
		}
	}, func(o *installation.Options) { o.BarProviders = []barsource.Provider{fault{}} })
}

// TestStorageFault checks that a fault of the database does not count as one of the
// provider.
func TestStorageFault(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.trade("AAPL", "stock", friday, friday)
		source := f.create("acme")
		f.exec(`ALTER TABLE bar_imports RENAME TO bar_imports_away`)
		f.runDue()
		f.exec(`ALTER TABLE bar_imports_away RENAME TO bar_imports`)
		if got := f.source(source.ID); got.Status != barfetch.StatusWaiting || !strings.Contains(got.Message, "error on this server") {
			f.Errorf("%+v", got)
		}
		f.clock.Advance(2 * time.Minute)
		f.runDue()
		if got := f.source(source.ID); got.Status != barfetch.StatusOK {
			f.Errorf("%+v", got)
		}
	})
}

func (f *fixture) exec(statement string, args ...any) {
	f.Helper()
	f.must(f.DB.Update(f.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(f.Context(), statement, args...)
		return err
	}))
}

// kill ends the job's claim as if its server had died a minute ago.
func (f *fixture) kill() {
	f.Helper()
	f.exec(`UPDATE jobs SET lease_until = $1 WHERE kind = $2`, db.Micros(f.clock.Now()), barfetch.JobKind)
}

// TestCrashDoesNotRaiseThePrice ends a server after it sent a query that costs money. The
// next one may spend only the rest of what the user accepted.
func TestCrashDoesNotRaiseThePrice(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.trade("AAPL", "stock", friday, friday)
		f.trade("MSFT", "stock", friday, friday)
		source := f.create("shop")
		_, err := f.BarSources.Start(f.Context(), f.owner, source.ID, "0.8")
		f.must(err)
		ctx, stop := context.WithCancel(f.Context())
		f.answer = func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/price" {
				_, _ = w.Write([]byte("0.40"))
				return
			}
			stop()
			<-r.Context().Done()
		}
		_ = f.Jobs.RunDue(ctx)
		f.kill()
		f.answer = nil
		f.runDue()
		const span = " 2026-03-05T05:00:00Z 2026-03-10T04:00:00Z"
		f.checkAsked("price AAPL"+span, "bars AAPL"+span, "price AAPL"+span, "bars AAPL"+span, "price MSFT"+span)
		got := f.source(source.ID)
		if got.Status != barfetch.StatusAttention || !strings.Contains(got.Message, "costs more") || got.NextRunAt != nil {
			f.Errorf("%+v", got)
		}
	})
}

// TestFaultOfAPaidRun checks that a provider that charges is not asked again by itself.
func TestFaultOfAPaidRun(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.trade("AAPL", "stock", friday, friday)
		source := f.create("shop")
		_, err := f.BarSources.Start(f.Context(), f.owner, source.ID, "1")
		f.must(err)
		f.exec(`ALTER TABLE bar_imports RENAME TO bar_imports_away`)
		f.runDue()
		f.exec(`ALTER TABLE bar_imports_away RENAME TO bar_imports`)
		got := f.source(source.ID)
		if got.Status != barfetch.StatusFailed || got.NextRunAt != nil || !strings.Contains(got.Message, "Ask for the price") {
			f.Errorf("%+v", got)
		}
	})
}
