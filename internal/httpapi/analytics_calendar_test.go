package httpapi_test

import (
	"net/http"
	"testing"
	"time"
)

// TestCalendarHasNotesAndRoutines shows notes and routines beside the day's trades, also
// on days without trades.
func TestCalendarHasNotesAndRoutines(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		emptied(d.client)
		d.nets("AAA", "10", "-4") // on 5 January
		walk := d.item("walk", "pre", `[2]`, "2026-03-01")
		plan := d.item("plan", "pre", `[2]`, "2026-03-10")
		d.tick("2026-03-03", walk, true).want(http.StatusOK)
		d.tick("2026-03-10", plan, true).want(http.StatusOK)
		for _, note := range []string{"2026-01-05", "2026-01-05T23:30:00Z", "2026-02-01", "2025-12-31", "2027-01-01", "2026-12-31T23:30:00Z"} {
			d.made("/notes", more{"type": "note", "occurred_at": note, "body": "x"})
		}
		got := d.get("/analytics/calendar?year=2026").want(http.StatusOK)
		got.wantKeys("days.0", "date", "net_pnl", "trades", "wins", "losses", "unreviewed", "notes", "routine_done", "routine_total")
		got.is("days", `[`+
			`{"date":"2026-01-05","losses":1,"net_pnl":6,"notes":2,"routine_done":0,"routine_total":0,"trades":2,"unreviewed":2,"wins":1},`+
			`{"date":"2026-02-01","losses":0,"net_pnl":0,"notes":1,"routine_done":0,"routine_total":0,"trades":0,"unreviewed":0,"wins":0},`+
			`{"date":"2026-03-03","losses":0,"net_pnl":0,"notes":0,"routine_done":1,"routine_total":1,"trades":0,"unreviewed":0,"wins":0},`+
			`{"date":"2026-03-10","losses":0,"net_pnl":0,"notes":0,"routine_done":1,"routine_total":2,"trades":0,"unreviewed":0,"wins":0},`+
			`{"date":"2026-12-31","losses":0,"net_pnl":0,"notes":1,"routine_done":0,"routine_total":0,"trades":0,"unreviewed":0,"wins":0}]`)
		got.wantKeys("months.0", "month", "trades", "wins", "win_rate", "net_pnl", "green_days", "red_days")
		got.is("months.0.month", `"2026-01"`).is("months.0.green_days", "1").is("total.trades", "2")
		if got.count("months") != 1 {
			w.t.Errorf("months without trades are listed: %s", got.json("months"))
		}
		d.get("/analytics/calendar").wantSame(got) // the present year

		// A named day stays the same in every zone; an instant moves.
		east := d.get("/analytics/calendar?year=2026&tz=Europe/Athens").want(http.StatusOK)
		east.is("days.0.notes", "1").is("days.1.date", `"2026-01-06"`).is("days.1.notes", "1")
		d.get("/analytics/calendar?year=2027&tz=Europe/Athens").want(http.StatusOK).is("days.0.date", `"2027-01-01"`).is("days.0.notes", "2")
		d.get("/analytics/calendar?year=2024").want(http.StatusOK).is("days", "[]").is("total.trades", "0")

		// The present year depends on the zone.
		w.clock.Advance(time.Date(2026, 12, 31, 20, 0, 0, 0, time.UTC).Sub(w.clock.Now()))
		d.token = w.logIn(ownerEmail, ownerPassword).text("access_token")
		d.get("/analytics/calendar").want(http.StatusOK).is("year", "2026")
		d.get("/analytics/calendar?tz=Asia/Kolkata").want(http.StatusOK).is("year", "2027")

		// Another user sees nothing.
		w.addUser(d.client, "stranger@example.org").get("/analytics/calendar?year=2026").want(http.StatusOK).is("days", "[]")
	})
}

// TestCalendarWeeks: whole weeks from the requested weekday, also across New Year, and
// each day's unreviewed trades.
func TestCalendarWeeks(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		trip := func(symbol, day, exit string) string {
			d.fill(symbol, "buy 1@10", 0, more{"executed_at": day + "T15:00:00Z"})
			return d.fill(symbol, "sell 1@"+exit, 0, more{"executed_at": day + "T23:30:00Z"}).text("trade_id")
		}
		trip("A", "2025-12-30", "12")                                           // Tuesday, +2
		trip("B", "2026-01-02", "9")                                            // Friday, -1
		kept := trip("C", "2026-01-04", "15.5")                                 // Sunday, +5.5
		trip("D", "2026-01-05", "10")                                           // Monday, nothing
		d.fill("E", "buy 1@10", 0, more{"executed_at": "2026-01-05T15:00:00Z"}) // open: no result, no review
		d.annotate(kept, more{"reviewed": true})

		got := d.get("/analytics/calendar?year=2026").want(http.StatusOK)
		got.wantKeys("weeks.0", "start", "end", "trades", "wins", "losses", "win_rate", "net_pnl", "days_traded")
		got.holds("weeks", `[{"start": "2025-12-29", "end": "2026-01-04", "trades": 3, "wins": 2, "losses": 1, "net_pnl": 6.5, "days_traded": 3},
			{"start": "2026-01-05", "end": "2026-01-11", "trades": 1, "wins": 0, "losses": 0, "net_pnl": 0, "days_traded": 1}]`)
		got.holds("days", `[{"date": "2026-01-02", "unreviewed": 1}, {"date": "2026-01-04", "unreviewed": 0}, {"date": "2026-01-05", "unreviewed": 1}]`)
		d.get("/analytics/calendar?year=2025").want(http.StatusOK).holds("weeks", `[{"start": "2025-12-29", "net_pnl": 6.5}]`).
			holds("days", `[{"date": "2025-12-30", "unreviewed": 1}]`)
		d.get("/analytics/calendar?year=2026&week_start=0").want(http.StatusOK).
			holds("weeks", `[{"start": "2025-12-28", "trades": 2, "net_pnl": 1}, {"start": "2026-01-04", "end": "2026-01-10", "trades": 2, "net_pnl": 5.5}]`)

		// Days are in the query zone, and the filter applies to unreviewed trades too.
		d.get("/analytics/calendar?year=2026&tz=Europe/Athens").want(http.StatusOK).
			holds("days", `[{"date": "2026-01-03", "unreviewed": 1}, {"date": "2026-01-05", "unreviewed": 0}, {"date": "2026-01-06", "unreviewed": 1}]`)
		d.get("/analytics/calendar?year=2026&symbol=B").want(http.StatusOK).holds("days", `[{"date": "2026-01-02", "unreviewed": 1}]`)
		d.get("/analytics/calendar?year=2026&from=2026-01-03T00:00:00Z").want(http.StatusOK).
			holds("weeks", `[{"start": "2025-12-29", "trades": 1, "net_pnl": 5.5}, {"start": "2026-01-05"}]`)
		d.get("/analytics/calendar?year=2026&status=open").want(http.StatusOK).is("days", "[]").is("weeks", "[]")
		for _, start := range []string{"7", "-1", "monday"} {
			d.get("/analytics/calendar?week_start="+start).wantError(http.StatusBadRequest, "bad_request").wantField("week_start")
		}
	})
}
