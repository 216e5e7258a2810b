package connections_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/outbound"
	"fillbook/internal/installation"
	"fillbook/internal/intake/connections"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/fetch"
	"fillbook/internal/intake/imports"
	"fillbook/internal/trading/ledger"
)

// TestFirstPassAndOverlap fetches the whole history in windows and parts, and then only
// what is new, with a day before it.
func TestFirstPassAndOverlap(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		now := f.clock.Now()
		f.addFills(60, now.Add(-70*day))
		c := f.run(f.connect(connections.Change{}).ID)
		f.wantStatus(c, connections.StatusOK, "")
		f.wantStored()
		last := c.LastRun
		if last.Inserted != 60 || last.Skipped != 0 || last.Batch == "" || last.Outcome != connections.StatusOK || c.Done != nil {
			f.Errorf("the run is %+v", last)
		}
		if from, to := c.CoversFrom.Sub(now).Round(time.Hour), f.clock.Now().Sub(*c.CoversTo); from != -100*day+time.Hour || to != time.Minute {
			f.Errorf("it covers from %s, to %s before now", from, to)
		}
		if asked := f.takeAsked(); last.Requests != len(asked) || asked[0] != "who  " {
			f.Errorf("%d requests were counted: %q", last.Requests, asked)
		}

		f.clock.Advance(2 * day)
		f.addFills(1, now.Add(day))
		c = f.run(c.ID)
		f.wantStored()
		want := []string{"who  ", "fills 2026-03-09 2026-03-12"}
		if asked := f.takeAsked(); !slices.Equal(asked, want) {
			f.Errorf("asked %q, want %q", asked, want)
		}
		if c.LastRun.Inserted != 1 || c.LastRun.Batch == last.Batch {
			f.Errorf("the second run is %+v", c.LastRun)
		}
		if c = f.run(c.ID); c.LastRun.Batch != "" || c.LastRun.Inserted != 0 {
			f.Errorf("a run without anything new is %+v", c.LastRun)
		}
		f.clock.Advance(8 * day) // the weekly look far back
		f.takeAsked()
		f.run(c.ID)
		if asked := f.takeAsked(); asked[1] != "fills 2026-02-05 2026-02-15" {
			f.Errorf("asked %q", asked)
		}
	})
}

// TestInterruptedPassContinues lets each request of a pass fail once.
func TestInterruptedPassContinues(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.addFills(30, f.clock.Now().Add(-40*day))
		c := f.connect(connections.Change{})
		sent, failed := 0, 0
		f.answer = func(w http.ResponseWriter, r *http.Request) bool {
			if sent++; r.URL.Path == "/who" || sent%3 != 0 {
				return false
			}
			failed++
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		var covered time.Time
		for range 60 {
			if c = f.run(c.ID); c.Status == connections.StatusOK {
				break
			}
			f.wantStatus(c, connections.StatusWaiting, "Acme doesn't answer. Fillbook tries again later.")
			if c.CoversTo != nil {
				if c.CoversTo.Before(covered) {
					f.Errorf("the covered time ends at %s after %s", c.CoversTo, covered)
				}
				covered = *c.CoversTo
				for _, fill := range f.fills {
					if fill.At.Before(covered) && !slices.ContainsFunc(f.stored(), func(s string) bool { return strings.HasPrefix(s, fill.ID+" ") }) {
						f.Errorf("fill %s is covered and not stored", fill.ID)
					}
				}
			}
			f.clock.Advance(25 * time.Hour)
		}
		f.wantStatus(c, connections.StatusOK, "")
		f.wantStored()
		if failed < 5 {
			f.Errorf("only %d requests failed", failed)
		}
	})
}

// TestPartOfTheTime: a broker that answers for a part of a window covers no more than that.
func TestPartOfTheTime(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		now := f.clock.Now()
		f.addFills(60, now.Add(-70*day))
		first, hole := now.Add(-72*day), now.Add(-30*day)
		f.answer = func(w http.ResponseWriter, r *http.Request) bool {
			from, _ := time.Parse(time.RFC3339Nano, r.URL.Query().Get("from"))
			to, _ := time.Parse(time.RFC3339Nano, r.URL.Query().Get("to"))
			switch {
			case r.URL.Path == "/who":
				return false
			case !to.After(first) || !from.After(hole) && to.After(hole):
				_, _ = fmt.Fprintf(w, `{"from": %q}`, to.Format(time.RFC3339Nano))
				return true
			case from.Before(first):
				page := f.page(r.URL.Query()).(map[string]any)
				page["from"] = first
				_ = json.NewEncoder(w).Encode(page)
				return true
			}
			return false
		}
		c := f.run(f.connect(connections.Change{}).ID)
		f.wantStatus(c, connections.StatusOK, "")
		if c.CoversFrom.Before(hole) || c.CoversFrom.After(hole.Add(10*day)) || f.clock.Now().Sub(*c.CoversTo) != time.Minute {
			f.Errorf("after a hole it covers %s to %s", c.CoversFrom, c.CoversTo)
		}
		hole = time.Time{}
		f.must(f.Connections.Delete(f.Context(), f.by, c.ID, nil))
		c = f.connect(connections.Change{Since: journal.Some(journal.DayOf(now.Add(-90 * day)))})
		if c = f.run(c.ID); !c.CoversFrom.Equal(first) {
			f.Errorf("it covers %s to %s", c.CoversFrom, c.CoversTo)
		}
	})
}

// TestNewestFill: a test of a key shows the newest fill, so the user sees which account
// it is of.
func TestNewestFill(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		test := func() (connections.Tested, error) {
			return f.Connections.Test(f.Context(), f.by.UserID, "acme", map[string]string{"key": f.key}, false)
		}
		got, err := test()
		if err != nil || got.Newest != nil || got.Account != "A1" {
			f.Errorf("without fills: %+v, %v", got, err)
		}
		f.addFills(8, f.clock.Now().Add(-17*day))
		if got, err = test(); err != nil || got.Newest == nil || got.Newest.Price.String() != "107" || got.Newest.Symbol != "AAPL" {
			f.Errorf("with a fill ten days ago: %+v, %v", got.Newest, err)
		}
		if n := len(f.stored()); n != 0 {
			f.Errorf("%d fills were stored", n)
		}
		fail := func(status int) {
			f.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/fills" {
					w.WriteHeader(status)
				}
				return r.URL.Path == "/fills"
			}
		}
		fail(http.StatusForbidden)
		if _, err := test(); !journal.IsKind(err, journal.KindInvalid) {
			f.Errorf("a key that may not read fills: %v", err)
		}
		fail(http.StatusBadGateway)
		if got, err := test(); err != nil || len(got.Notes) != 1 {
			f.Errorf("a broker that fails: %+v, %v", got, err)
		}
		f.answer = func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusBadGateway); return true }
		var refusal *journal.Error
		if _, err := test(); !errors.As(err, &refusal) || refusal.Code != "provider_unavailable" || refusal.Message != "Acme doesn't answer. Try again later." {
			f.Errorf("a broker that does not answer: %v", err)
		}
	})
}

// TestMissingFills: fills the broker no longer reports in a completely read period are
// counted and named. They stay.
func TestMissingFills(t *testing.T) {
	t.Parallel()
	remove := func(f *fixture, id string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.fills = slices.DeleteFunc(f.fills, func(r record) bool { return r.ID == id })
	}
	want := func(f *fixture, c connections.Connection, missing int, message string) {
		f.Helper()
		f.wantStatus(c, connections.StatusOK, message)
		if c.LastRun.Missing != missing || len(f.stored()) != 12 {
			f.Errorf("the run is %+v, %d fills are stored", c.LastRun, len(f.stored()))
		}
	}
	eachEngine(t, func(f *fixture) {
		f.addFills(12, f.clock.Now().Add(-11*day-time.Hour)) // the last one is an hour old
		c := f.run(f.connect(connections.Change{}).ID)
		want(f, c, 0, "")
		want(f, f.run(c.ID), 0, "")
		remove(f, "0012")
		want(f, f.run(c.ID), 1, "Acme no longer reports the fill 0012. It stays in your journal; delete it if it is wrong.")
		remove(f, "0003")
		remove(f, "0004")
		var edited journal.ExecutionID
		f.must(f.Ledger.EachExecution(f.Context(), f.by.UserID, ledger.ExecutionQuery{}, func(e ledger.Execution) error {
			if *e.ExternalID == "0004" {
				edited = e.ID
			}
			return nil
		}))
		_, err := f.Ledger.UpdateExecution(f.Context(), f.by.UserID, edited, ledger.ExecutionChange{Price: journal.Some(decimal.New(7))}, nil)
		f.must(err)
		want(f, f.run(c.ID), 1, "Acme no longer reports the fill 0012. It stays in your journal; delete it if it is wrong.")
		f.clock.Advance(8 * day) // the weekly look far back
		want(f, f.run(c.ID), 2, "Acme no longer reports the fill 0003. It stays in your journal; delete it if it is wrong. "+
			"Acme no longer reports the fill 0012. It stays in your journal; delete it if it is wrong.")
	}, func(d *connector.Description) { d.ListsAll = true })
	eachEngine(t, func(f *fixture) {
		f.addFills(12, f.clock.Now().Add(-11*day-time.Hour))
		c := f.run(f.connect(connections.Change{}).ID)
		remove(f, "0012")
		want(f, f.run(c.ID), 0, "")
	})
}

// TestDeletedCash: cash the user deleted by hand is not brought back by a run that reads
// its time again.
func TestDeletedCash(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.fills = []record{{ID: "1", At: f.clock.Now().Add(-time.Hour), Price: 500, IsCash: true}}
		c := f.run(f.connect(connections.Change{}).ID)
		count := func() (ids []journal.CashID) {
			f.must(f.Ledger.EachCash(f.Context(), f.by.UserID, journal.Scope{}, func(c ledger.Cash) error {
				ids = append(ids, c.ID)
				return nil
			}))
			return ids
		}
		if c.LastRun.CashInserted != 1 || len(count()) != 1 {
			f.Fatalf("the run is %+v", c.LastRun)
		}
		f.must(f.Ledger.DeleteCash(f.Context(), f.by.UserID, count()[0], nil))
		if c = f.run(c.ID); c.LastRun.CashInserted != 0 || c.LastRun.Batch != "" || len(count()) != 0 {
			f.Errorf("the second run is %+v", c.LastRun)
		}
	})
}

// TestCorrections changes, withdraws and deletes fetched fills.
func TestCorrections(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.addFills(3, f.clock.Now())
		for i := range f.fills { // in the time fetched again
			f.fills[i].At = f.clock.Now().Add(time.Duration(i-20) * time.Hour)
		}
		c := f.run(f.connect(connections.Change{}).ID)
		before := len(f.stored())
		f.fills[0].Price = 777
		f.fills[1].Withdrawn = true
		c = f.run(c.ID)
		if c.LastRun.Completed != 1 || c.LastRun.Withdrawn != 1 || c.LastRun.Inserted != 0 {
			f.Errorf("the run is %+v", c.LastRun)
		}
		stored := f.stored()
		if len(stored) != before-1 || !slices.Contains(stored, "0001 buy 1 at 777") {
			f.Errorf("stored are %q", stored)
		}
		f.deleteFill("0003")
		c = f.run(c.ID)
		if c.LastRun.Inserted != 0 || len(f.stored()) != before-2 {
			f.Errorf("a deleted fill came back: %+v", c.LastRun)
		}
	})
}

func (f *fixture) deleteFill(external string) {
	f.Helper()
	var id journal.ExecutionID
	f.must(f.Ledger.EachExecution(f.Context(), f.by.UserID, ledger.ExecutionQuery{}, func(e ledger.Execution) error {
		if *e.ExternalID == external {
			id = e.ID
		}
		return nil
	}))
	f.must(f.Ledger.DeleteExecution(f.Context(), f.by.UserID, id, nil))
}

// TestReversedRunIsFetchedAgain reverses a run's import.
func TestReversedRunIsFetchedAgain(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		first := f.clock.Now()
		f.addFills(5, first.Add(-6*day))
		c := f.run(f.connect(connections.Change{}).ID)
		f.clock.Advance(5 * day)
		f.addFills(3, first.Add(day))
		c = f.run(c.ID)
		by := imports.Actor{Principal: f.by.Principal}
		f.must(f.Imports.Reverse(f.Context(), by, c.LastRun.Batch, nil))
		c = f.get(c.ID)
		if !c.CoversTo.Before(first.Add(day)) || c.CoversFrom == nil || len(f.stored()) != 5 {
			f.Errorf("it covers the time from %s to %s", c.CoversFrom, c.CoversTo)
		}
		c = f.run(c.ID)
		f.wantStored()
		runs, err := f.Connections.RunsOf(f.Context(), f.by.UserID, c.ID)
		f.must(err)
		f.must(f.Imports.Reverse(f.Context(), by, runs[2].Batch, nil))
		if c = f.get(c.ID); c.CoversTo != nil || c.CoversFrom != nil {
			f.Errorf("it covers the time from %s to %s", c.CoversFrom, c.CoversTo)
		}
		f.run(c.ID)
		f.wantStored()
	})
}

// TestSince limits the time, and then extends it.
func TestSince(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.addFills(10, f.clock.Now().Add(-10*day).Truncate(day)) // from February 28
		c := f.run(f.connect(connections.Change{Since: journal.Some(journal.Day("2026-03-05"))}).ID)
		if n := len(f.stored()); n != 5 || !c.CoversFrom.Equal(journal.Day("2026-03-05").Time()) {
			f.Errorf("%d fills, covered from %s", n, c.CoversFrom)
		}
		f.update(c.ID, connections.Change{Since: journal.Some(journal.Day("2026-03-02"))})
		if c = f.get(c.ID); c.CoversTo != nil {
			f.Errorf("it covers the time to %s", c.CoversTo)
		}
		c = f.run(c.ID)
		if n := len(f.stored()); n != 8 {
			f.Errorf("%d fills", n)
		}
		f.update(c.ID, connections.Change{Since: journal.Some(journal.Day("2026-03-08"))})
		if c = f.get(c.ID); !c.CoversFrom.Equal(journal.Day("2026-03-08").Time()) || c.CoversTo == nil {
			f.Errorf("it covers the time from %s to %s", c.CoversFrom, c.CoversTo)
		}
	})
}

// TestLongPassTakesSeveralRuns reaches the request limit.
func TestLongPassTakesSeveralRuns(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.addFills(60, f.clock.Now().Add(-70*day))
		c := f.run(f.connect(connections.Change{}).ID)
		f.wantStatus(c, connections.StatusOK, "")
		f.wantStored()
		runs, err := f.Connections.RunsOf(f.Context(), f.by.UserID, c.ID)
		f.must(err)
		if len(runs) != 3 || runs[2].Outcome != connections.StatusWaiting || runs[2].Message != "The rest follows at once." || runs[2].Requests < 500 {
			f.Errorf("the runs are %+v", runs)
		}
		if n := len(f.takeAsked()); n > 1300 {
			f.Errorf("%d requests: windows were fetched again", n)
		}
	}, func(d *connector.Description) { d.Window = 2 * time.Hour })
}

// TestLostTime warns about a time the broker no longer has.
func TestLostTime(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		c := f.run(f.connect(connections.Change{}).ID)
		f.clock.Advance(150 * day)
		c = f.run(c.ID)
		f.wantStatus(c, connections.StatusOK, "Acme no longer has the records of 2026-03-10 to 2026-04-29. Import a file for that time.")
		if c.CoversFrom.Before(f.clock.Now().Add(-100 * day)) {
			f.Errorf("it covers the time from %s", c.CoversFrom)
		}
	})
}

// TestInterruptedRun stops the server during a run.
func TestInterruptedRun(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.addFills(10, f.clock.Now().Add(-20*day))
		c := f.connect(connections.Change{})
		started, err := f.Connections.Start(f.Context(), f.by.UserID, c.ID)
		f.must(err)
		ctx, stop := context.WithCancel(f.Context())
		sent := 0
		f.answer = func(http.ResponseWriter, *http.Request) bool {
			if sent++; sent == 11 {
				stop()
			}
			return false
		}
		_ = f.Jobs.RunDue(ctx)
		c = f.runDue(c.ID)
		f.wantStatus(c, connections.StatusOK, "")
		f.wantStored()
		runs, err := f.Connections.RunsOf(f.Context(), f.by.UserID, c.ID)
		f.must(err)
		if len(runs) != 2 || runs[1].ID != started.ID || runs[1].Outcome != fetch.StatusInterrupted || runs[1].EndedAt == nil {
			f.Errorf("the runs are %+v", runs)
		}
	})
}

// TestStoppedAtEveryRequest stops the server after one, two, three, … requests of a run
// until a run ends. Nothing may be lost or doubled.
func TestStoppedAtEveryRequest(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.addFills(40, f.clock.Now().Add(-50*day))
		c := f.connect(connections.Change{Schedule: journal.Some(connections.Hourly)})
		stops := 0
		for ; c.Status != connections.StatusOK && stops < 50; stops++ {
			ctx, stop := context.WithCancel(f.Context())
			sent := 0
			f.answer = func(http.ResponseWriter, *http.Request) bool {
				if sent++; sent > stops {
					stop()
				}
				return false
			}
			_ = f.Jobs.RunDue(ctx)
			stop()
			if c = f.get(c.ID); c.CoversTo == nil {
				continue
			}
			stored := f.stored()
			for _, fill := range f.fills {
				if fill.At.Before(*c.CoversTo) && !slices.ContainsFunc(stored, func(s string) bool { return strings.HasPrefix(s, fill.ID+" ") }) {
					f.Errorf("fill %s is covered and not stored", fill.ID)
				}
			}
		}
		f.wantStatus(c, connections.StatusOK, "")
		f.wantStored()
		if stops < 5 {
			f.Errorf("only %d runs were stopped", stops)
		}
	})
}

// TestDailyRun checks that the daily run is at the same time of the clock in summer and
// in winter.
func TestDailyRun(t *testing.T) {
	t.Parallel()
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	eachEngine(t, func(f *fixture) {
		f.clock.Advance(time.Date(2026, 10, 29, 12, 0, 0, 0, newYork).Sub(f.clock.Now()))
		c := f.runDue(f.connect(connections.Change{Schedule: journal.Some(connections.Daily)}).ID)
		for _, date := range []int{30, 31, 1, 2} { // the clock is changed on November 1
			at := c.NextRunAt.In(newYork)
			minutes := at.Hour()*60 + at.Minute() - (7*60 + 15)
			if at.Day() != date || minutes < 0 || minutes >= 15 {
				f.Errorf("the next run is at %s, want day %d", at, date)
			}
			f.clock.Advance(c.NextRunAt.Sub(f.clock.Now()))
			f.takeAsked()
			c = f.runDue(c.ID)
			f.wantStatus(c, connections.StatusOK, "")
			if asked := f.takeAsked(); !strings.HasSuffix(asked[len(asked)-1], at.Format(time.DateOnly)) {
				f.Errorf("asked %q on %s", asked, at)
			}
		}
		f.takeAsked()
		f.update(c.ID, connections.Change{Schedule: journal.Some(connections.Hourly)})
		f.wantStatus(f.runDue(c.ID), connections.StatusOK, "")
		if asked := f.takeAsked(); len(asked) > 0 {
			f.Errorf("asked %q without a new day", asked)
		}
	}, func(d *connector.Description) {
		d.Zone, d.DailyAt, d.WholeDays, d.Overlap = "America/New_York", 7*time.Hour+15*time.Minute, true, 7*day
	})
}

// TestRunsAreObserved checks what operators see.
func TestRunsAreObserved(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		var seen []connections.Observation
		f.Connections.Observe = func(o connections.Observation) { seen = append(seen, o) }
		c := f.run(f.connect(connections.Change{}).ID)
		f.key = "another-key-123"
		f.run(c.ID)
		if len(seen) != 2 || seen[0].Outcome != connections.StatusOK || seen[0].Requests != c.LastRun.Requests ||
			seen[1].Outcome != connections.StatusAttention || seen[1].Provider != "acme" {
			f.Errorf("observed %+v", seen)
		}
	})
}

// TestOutboundOff checks that nothing runs without outbound requests.
func TestOutboundOff(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		c := f.run(f.connect(connections.Change{Schedule: journal.Some(connections.Hourly)}).ID)
		f.wantStatus(c, connections.StatusOK, "")
		f.options.Outbound = outbound.New(outbound.Options{})
		off, err := installation.New(f.options)
		f.must(err)
		f.Installation = off
		c = f.get(c.ID)
		if c.Status != connections.StatusWaiting || c.NextRunAt != nil || c.Message == "" {
			f.Errorf("the connection is %+v", c)
		}
		if _, err := f.Connections.Start(f.Context(), f.by.UserID, c.ID); err == nil {
			f.Error("a run was started")
		}
	})
}

// TestSeveralServers lets three servers run one schedule: each window is fetched once.
func TestSeveralServers(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.addFills(40, f.clock.Now().Add(-50*day))
		c := f.connect(connections.Change{Schedule: journal.Some(connections.Hourly)})
		for range 3 {
			f.takeAsked()
			var servers sync.WaitGroup
			for range 3 {
				other, err := installation.New(f.options)
				f.must(err)
				servers.Go(func() {
					if err := other.Jobs.RunDue(f.Context()); err != nil {
						f.Error(err)
					}
				})
			}
			servers.Wait()
			asked := f.takeAsked()
			if n := strings.Count(strings.Join(asked, "\n"), "who"); n != 1 {
				f.Errorf("%d runs: %q", n, asked)
			}
			f.wantStored()
			f.clock.Advance(2 * time.Hour)
		}
		f.wantStatus(f.get(c.ID), connections.StatusOK, "")
	})
}

// TestFileOfACoveredTime previews files of a time a connection has fetched: one with the
// same fills, one whose zone is wrong, and one of an earlier time.
func TestFileOfACoveredTime(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(f *fixture) {
		f.addFills(10, f.clock.Now().Add(-20*day))
		f.run(f.connect(connections.Change{Name: journal.Some("My broker")}).ID)
		preview := func(shift time.Duration) []string {
			text := "Symbol,Side,Quantity,Price,Executed At\n"
			for _, r := range f.fills {
				text += fmt.Sprintf("%s,%s,%d,%d,%s\n", r.Symbol, r.Side, r.Quantity, r.Price, r.At.Add(shift).Format(time.RFC3339))
			}
			p, err := f.Imports.Inspect(f.Context(), f.by.UserID, imports.Upload{FileName: "fills.csv", Account: f.account, Data: []byte(text)})
			f.must(err)
			return slices.DeleteFunc(p.Sentences, func(s string) bool { return !strings.Contains(s, "My broker") })
		}
		for shift, want := range map[time.Duration]int{0: 0, 3 * time.Hour: 1, -400 * day: 0} {
			if got := preview(shift); len(got) != want {
				f.Errorf("shifted by %s: %q", shift, got)
			}
		}
		want := "The connection My broker has brought everything of this time, but only 0 of 10 fills of the file match (0%). " +
			"Check the time zone, and that the file lists fills and not orders."
		if got := preview(time.Hour); len(got) != 1 || got[0] != want {
			f.Errorf("the warnings are %q", got)
		}
	})
}
