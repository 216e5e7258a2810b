package httpapi_test

import (
	"net/http"
	"testing"
)

func TestRoutineHistory(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		c := emptied(w.setUp())
		history := func(query string) *reply {
			t.Helper()
			return c.get("/routines/history" + query).want(http.StatusOK)
		}
		history("").wantKeys("", "from", "to", "days", "completion_rate", "streak", "by_stage").holds("", `{"from":"2025-12-10","to":"2026-03-10","completion_rate":null,"streak":0,
			"by_stage":{"pre":{"done":0,"total":0},"during":{"done":0,"total":0},"post":{"done":0,"total":0}}}`)
		if n := history("").count("days"); n != 91 {
			t.Errorf("the default history has %d days", n)
		}
		// The vector: Monday both, Tuesday one item, Wednesday both, Thursday both.
		a, b := c.item("a", "pre", everyDay, "2026-03-02"), c.item("b", "post", everyDay, "2026-03-02")
		for _, day := range []string{"2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05"} {
			c.tick(day, a, true).want(http.StatusOK)
			if day != "2026-03-03" {
				c.tick(day, b, true).want(http.StatusOK)
			}
		}
		history("?from=2026-03-02&to=2026-03-05").holds("", `{"from":"2026-03-02","to":"2026-03-05","completion_rate":0.875,"streak":2,
			"days":[{"day":"2026-03-02","done":2,"total":2},{"day":"2026-03-03","done":1,"total":2},{"day":"2026-03-04","done":2,"total":2},{"day":"2026-03-05","done":2,"total":2}],
			"by_stage":{"pre":{"done":4,"total":4},"during":{"done":0,"total":0},"post":{"done":3,"total":4}}}`).wantKeys("days.0", "day", "done", "total")
		history("?from=2026-03-02&to=2026-03-06").holds("", `{"streak":2,"completion_rate":0.7}`) // an unfinished last day does not break it
		history("?from=2026-03-01").is("to", `"2026-03-10"`)
	})
}

func TestRoutineHistoryBounds(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		c := emptied(w.setUp())
		if n := c.get("/routines/history?from=2025-02-04&to=2026-03-10").want(http.StatusOK).count("days"); n != 400 {
			t.Errorf("%d days, want 400", n)
		}
		c.get("/routines/history?from=2025-02-03&to=2026-03-10").wantField("from")
		c.get("/routines/history?from=2025-02-03").wantField("from")
		c.get("/routines/history?from=1970-01-01&to=2199-12-31").wantField("from")
		c.get("/routines/history?from=2026-03-11").wantField("from")
		c.get("/routines/history?from=2026-03-10&to=2026-03-09").wantField("from")
		c.get("/routines/history?to=2027-01-01").want(http.StatusOK).is("from", `"2026-10-03"`)
		c.get("/routines/history?to=1970-01-15").want(http.StatusOK) // the default first day would lie before our years
	})
}
