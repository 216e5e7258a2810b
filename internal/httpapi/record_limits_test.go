package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/limits"
)

// limitTest creates record i of a kind, up to a limit.
type limitTest struct {
	limit *limits.Limit
	max   int // instead of the real limit
	add   func(d trader, i int) *reply
	// isStored reports that more are stored: the oldest is deleted.
	isStored bool
}

func postNumbered(path string, body more) func(d trader, i int) *reply {
	return func(d trader, i int) *reply {
		own := more{}
		for key, value := range body {
			if text, ok := value.(string); ok && strings.Contains(text, "%d") {
				value = fmt.Sprintf(text, i)
			}
			if value == "account" {
				value = d.account
			}
			own[key] = value
		}
		return d.post(path, own)
	}
}

var limitTests = []limitTest{
	{limit: &limits.Accounts, max: 3, add: postNumbered("/accounts", more{"name": "A %d"})},
	{limit: &limits.Executions, max: 2, add: postNumbered("/executions", more{
		"account_id": "account", "symbol": "S%d", "side": "buy", "quantity": 1, "price": 1, "executed_at": "2026-01-05T15:30:00Z",
	})},
	{limit: &limits.Cash, max: 2, add: postNumbered("/cash-transactions", more{
		"account_id": "account", "type": "deposit", "amount": 1, "occurred_at": "2026-01-05T15:30:00Z", "note": "%d",
	})},
	{limit: &limits.Tags, max: 2, add: postNumbered("/tags", more{"name": "tag %d"})},
	{limit: &limits.Setups, max: 2, add: postNumbered("/setups", more{"name": "setup %d"})},
	{limit: &limits.Notes, max: 3, add: postNumbered("/notes", more{"body": "%d"})},
	{limit: &limits.NoteBytes, max: 12, add: postNumbered("/notes", more{"body": "note %d"})},
	{limit: &limits.CorporateActions, max: 2, add: postNumbered("/corporate-actions", more{"kind": "split", "symbol": "S%d", "ratio_new": 2, "effective_on": "2026-01-05"})},
	{limit: &limits.NoteTemplates, max: 2, add: postNumbered("/note-templates", more{"name": "t %d", "type": "note", "body": "x"})},
	{limit: &limits.MissedTrades, max: 2, add: postNumbered("/missed-trades", more{"symbol": "S%d", "direction": "long", "observed_at": "2026-01-05T15:30:00Z"})},
	{limit: &limits.Rates, max: 2, add: postNumbered("/rates", more{"base": "USD", "quote": "EUR", "on": "2026-03-1%d", "rate": "1"})},
	{limit: &limits.Programs, max: 2, add: func(d trader, _ int) *reply { return d.post("/prop-programs", newProgram()) }},
	{limit: &limits.Enrollments, max: 2, add: func(d trader, _ int) *reply {
		return d.post("/enrollments", more{"account_id": d.account, "program_id": "topstep-combine-50k"})
	}},
	{limit: &limits.TradingRules, max: 2, add: postNumbered("/trading-rules", more{"kind": "stop_set", "name": "rule %d"})},
	{limit: &limits.Goals, max: 2, add: postNumbered("/goals", more{"kind": "process", "metric": "trades", "target": "3", "period": "week", "name": "goal %d"})},
	{limit: &limits.Views, max: 2, add: postNumbered("/views", more{"name": "view %d"})},
	{limit: &limits.RoutineItems, max: 15, add: postNumbered("/routines", more{"title": "item %d", "stage": "pre", "weekdays": []int{1}})},
	{limit: &limits.BarAliases, max: 2, add: postNumbered("/bars/aliases", more{"symbol": "S%d", "bars_symbol": "ES"})},
	{limit: &limits.Connections, max: 2, add: func(d trader, i int) *reply {
		return d.post("/connections", d.connectionOf(more{"name": fmt.Sprint("c ", i), "schedule": "manual"}))
	}},
	{limit: &limits.Hooks, max: 2, add: postNumbered("/hooks", more{"account_id": "account", "name": "hook %d"})},
	{limit: &limits.Channels, max: 2, add: postNumbered("/channels", more{"kind": "webhook", "url": "https://example.org/%d"})},
	{limit: &limits.ShareLinks, max: 2, add: postNumbered("/share-links", more{})},
	{limit: &limits.AccessTokens, max: 2, add: postNumbered("/access-tokens", more{"name": "token %d"})},
	{limit: &limits.ImportBatches, max: 2, add: func(d trader, i int) *reply {
		return d.upload("/imports/commit", strings.ReplaceAll(twoFills, "AAPL", fmt.Sprint("AAP", i)))
	}},
	{limit: &limits.BarImports, max: 2, add: func(d trader, i int) *reply {
		file := fmt.Sprintf("time,open,high,low,close\n%d,1,1,1,1\n%d,1,1,1,1\n", 1761055200+600*i, 1761055260+600*i)
		return d.form("/bars/imports/commit", part{"file", "ES, 1.csv", file}, part{"symbol", "", "ES"})
	}},
	{limit: &limits.ImportLayouts, max: 2, isStored: true, add: func(d trader, i int) *reply {
		return d.put(fmt.Sprint("/import-layouts/layout-", i), more{"name": "x"})
	}},
	{limit: &limits.Sessions, max: 3, isStored: true, add: func(d trader, _ int) *reply {
		d.w.clock.Advance(time.Second)
		return d.w.logIn("sessions@example.org", passwordOf("sessions@example.org"))
	}},
}

// lowerLimits lowers limits for a test, which must not be parallel.
func lowerLimits(t *testing.T, tests []limitTest) {
	t.Helper()
	for _, test := range tests {
		before := test.limit.Max
		test.limit.Max = test.max
		t.Cleanup(func() { test.limit.Max = before })
	}
}

// TestRecordsAreLimited creates all kinds of records with lowered limits: the first one
// above is refused with 409 and the records' name, or the oldest one is deleted.
func TestRecordsAreLimited(t *testing.T) { // not parallel: it changes limits for the process
	lowerLimits(t, limitTests)
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		for _, test := range limitTests {
			name := test.limit.Records
			d := w.addUser(owner, strings.ReplaceAll(strings.SplitN(name, " (", 2)[0], " ", "-")+"@example.org").addAccount("Own")
			added := 0
			for ; added < test.max+2; added++ {
				if r := test.add(d, added); r.status >= http.StatusBadRequest {
					r.wantError(http.StatusConflict, "conflict")
					break
				}
			}
			if isRefused := added <= test.max; isRefused == test.isStored || added == 0 {
				t.Errorf("%d %s were stored, of at most %d", added, name, test.max)
			}
		}
	}, exchangesOn, shareLinksOn)
}

// TestEveryRefusingLimitIsTested: a new limit needs a case.
func TestEveryRefusingLimitIsTested(t *testing.T) {
	t.Parallel()
	// These are tested elsewhere, because no POST creates them.
	tested := []string{
		limits.Overrides.Records, limits.DeletedFills.Records, limits.DeletedCash.Records, limits.Orphans.Records, limits.RoutineTicks.Records, limits.Alerts.Records,
		limits.ImportKinds.Records, limits.BarSources.Records, // a provider can have one source
		limits.Strategies.Records, // restored from a backup; here, a user may have only two fills
	}
	for _, test := range limitTests {
		tested = append(tested, test.limit.Records)
	}
	for _, l := range limits.All() {
		if !slices.Contains(tested, l.Records) {
			t.Errorf("the limit of %s has no case in limitTests", l.Records)
		}
	}
}

// TestForgottenRecords: the least recently used session ends, and imports without rows
// make room for others.
func TestForgottenRecords(t *testing.T) { // not parallel: it changes limits for the process
	lowerLimits(t, []limitTest{{limit: &limits.Sessions, max: 2}, {limit: &limits.ImportBatches, max: 2}, {limit: &limits.BarImports, max: 2}})
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		w.clock.Advance(time.Minute)
		second := w.logIn(ownerEmail, ownerPassword).text("refresh_token")
		w.clock.Advance(time.Minute)
		third := w.as(w.logIn(ownerEmail, ownerPassword).text("access_token"))
		if n := third.get("/me/sessions").want(http.StatusOK).count(""); n != 2 {
			t.Errorf("%d sessions", n)
		}
		w.anonymous().post("/auth/refresh", more{"refresh_token": second}).want(http.StatusOK)
		d.client = third
		for _, path := range []string{"/imports", "/bars/imports"} {
			add := limitTests[slices.IndexFunc(limitTests, func(test limitTest) bool {
				return test.limit == map[string]*limits.Limit{"/imports": &limits.ImportBatches, "/bars/imports": &limits.BarImports}[path]
			})].add
			add(d, 0).want(http.StatusOK)
			add(d, 1).want(http.StatusOK)
			first := d.get(path).want(http.StatusOK).text("1.id")
			d.delete(path + "/" + first).wantNone()
			add(d, 2).want(http.StatusOK)
			if n := d.get(path).count(""); n != 2 {
				t.Errorf("%d imports are listed at %s", n, path)
			}
			add(d, 3).wantError(http.StatusConflict, "conflict")
		}
	})
}

// TestExportsAreQueued: while a user's export is being written, the user's next one
// waits, and another user's does not.
func TestExportsAreQueued(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		neighbor := w.addUser(d.client, "anna@example.org").addAccount("Own")
		id := d.get("/me").text("id")
		release, err := w.api.HoldExport(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		answer := make(chan *reply)
		go func() { answer <- d.get("/exports?format=json") }()
		waitForLoad(t, w.api.ExportLoad, id, 1, 1)
		neighbor.get("/exports?format=json").want(http.StatusOK)
		select {
		case r := <-answer:
			t.Fatalf("the second export did not wait: %d", r.status)
		default:
		}
		release()
		(<-answer).want(http.StatusOK)
	})
}
