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
		// The vector: Monday both, Tuesday one of two, Wednesday both, Thursday both.
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
		history("?from=2026-03-02&to=2026-03-07").is("streak", "0")
		history("?to=2026-03-03").is("streak", "1")
		history("?to=2026-03-05").is("streak", "2").is("from", `"2025-12-05"`)
		history("?from=2026-03-05&to=2026-03-05").is("streak", "2") // it always counts back from to
		history("?from=2026-03-01&to=2026-03-01").holds("", `{"days":[{"done":0,"total":0}],"completion_rate":null,"streak":0}`)
		history("?from=2026-03-01").is("to", `"2026-03-10"`)
		// An item that was only ever scheduled elsewhere does not matter.
		c.delete("/routines/" + b + "?day=2026-03-06").wantNone()
		c.delete("/routines/" + a + "?day=2026-03-06").wantNone()
		history("?from=2026-03-02&to=2026-03-10").holds("", `{"streak":2,"completion_rate":0.875}`) // days with nothing scheduled are skipped
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

		// The leap day and the turn of the year are days like others.
		item := c.item("a", "during", `[1,2,3,4,5]`, "2023-12-25")
		for _, day := range []string{"2023-12-29", "2024-01-01", "2024-01-02", "2024-02-28", "2024-02-29", "2024-03-01"} {
			c.tick(day, item, true).want(http.StatusOK)
		}
		c.get("/routines/history?from=2023-12-29&to=2024-01-02").want(http.StatusOK).holds("", `{"streak":3,"completion_rate":1,"days":[{"day":"2023-12-29","done":1,"total":1},
			{"day":"2023-12-30","done":0,"total":0},{"day":"2023-12-31","done":0,"total":0},{"day":"2024-01-01","done":1,"total":1},{"day":"2024-01-02","done":1,"total":1}]}`)
		c.get("/routines/history?from=2024-02-28&to=2024-03-03").want(http.StatusOK).holds("", `{"streak":3,"days":[{"day":"2024-02-28"},{"day":"2024-02-29","done":1},{"day":"2024-03-01"},
			{"day":"2024-03-02","total":0},{"day":"2024-03-03","total":0}]}`)
		c.get("/routines/history?from=2023-02-27&to=2023-03-02").want(http.StatusOK).holds("days", `[{"day":"2023-02-27"},{"day":"2023-02-28"},{"day":"2023-03-01"},{"day":"2023-03-02"}]`)
	})
}

// TestRoutineSeeding makes the first items once, for the first caller.
func TestRoutineSeeding(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		template := owner.get("/settings/checklist-template").want(http.StatusOK).wantKeys("", "items")
		if n := template.count("items"); n != 5 {
			t.Fatalf("the built-in template has %d lines", n)
		}
		replies := atOnce(10, func(int) *reply { return owner.get("/routines") })
		if count := tally(replies); count[http.StatusOK] != 10 {
			t.Fatalf("10 first calls: %v", count)
		}
		seeded := owner.get("/routines").want(http.StatusOK)
		if n := seeded.count("items"); n != 5 {
			t.Fatalf("%d items were seeded", n)
		}
		for i, r := range replies {
			if string(r.body) != string(seeded.body) {
				t.Errorf("call %d saw %s", i, r.body)
			}
		}
		for i := range 5 {
			seeded.holds("items."+itoa(i), `{"title":`+template.json("items."+itoa(i))+`,"stage":"pre","weekdays":[1,2,3,4,5],"position":`+itoa(i)+`,"start_day":"2026-03-10"}`)
			owner.delete("/routines/" + seeded.text("items."+itoa(i)+".id")).wantNone()
		}
		owner.get("/routines").want(http.StatusOK).is("", `{"items":[]}`) // never again
		owner.put("/settings/checklist-template", `{"items":["New"]}`).want(http.StatusOK)
		owner.get("/routines").want(http.StatusOK).is("", `{"items":[]}`)

		// Any routine call is the first.
		for i, first := range []func(*client) *reply{
			func(c *client) *reply { return c.get("/routines/day/2026-03-10") },
			func(c *client) *reply { return c.get("/routines/history") },
			func(c *client) *reply { return c.post("/routines", `{"title":"x","stage":"post","weekdays":[1]}`) },
		} {
			c := w.addUser(owner, "u"+itoa(i)+"@example.org")
			first(c)
			if n := c.get("/routines").want(http.StatusOK).count("items"); n < 5 {
				t.Errorf("first call %d: %d items", i, n)
			}
		}
		own := w.addUser(owner, "own@example.org")
		own.put("/settings/checklist-template", `{"items":[" Breathe ","Plan"]}`).want(http.StatusOK).is("", `{"items":["Breathe","Plan"]}`)
		if got := own.get("/routines").titles(); got != "Breathe Plan" {
			t.Errorf("of an own template: %s", got)
		}
		none := emptied(w.addUser(owner, "none@example.org"))
		none.get("/settings/checklist-template").want(http.StatusOK).is("", `{"items":[]}`)
		none.get("/routines").want(http.StatusOK).is("", `{"items":[]}`)
		none.put("/settings/checklist-template", `{"items":["Late"]}`).want(http.StatusOK)
		none.get("/routines").want(http.StatusOK).is("", `{"items":[]}`) // an empty template seeded nothing, for good
	})
}

// TestRoutineHistoryOfLogs imports ticked lines of the daily logs once.
func TestRoutineHistoryOfLogs(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		c := w.setUp()
		c.put("/settings/checklist-template", `{"items":["Check news","Mark levels"]}`).want(http.StatusOK)
		log := func(kind, day, body string) {
			c.made("/notes", more{"type": kind, "occurred_at": day, "body": body})
		}
		log("daily_log", "2026-03-02", "# Monday\n- [x] check NEWS\n- [ ] Mark levels\n- [x] something else")
		log("daily_log", "2026-03-03T10:00:00Z", "* [X] Mark levels \n  + [x] Check news")
		log("daily_log", "2026-03-04", "- [x] Check news today\n-[x] Mark levels\n[x] Mark levels")
		log("note", "2026-02-01", "- [x] Check news") // no log
		items := c.get("/routines").want(http.StatusOK).holds("items", `[{"title":"Check news","start_day":"2026-03-02"},{"title":"Mark levels","start_day":"2026-03-03"}]`)
		c.get("/routines/history?from=2026-03-01&to=2026-03-04").want(http.StatusOK).holds("days", `[{"done":0,"total":0},{"done":1,"total":1},{"done":2,"total":2},{"done":0,"total":2}]`)
		log("daily_log", "2026-03-05", "- [x] Check news\n- [x] Mark levels")
		c.get("/routines/day/2026-03-05").want(http.StatusOK).holds("", `{"done":0,"total":2}`) // it was history then
		if n := items.count("items"); n != 2 {
			t.Errorf("%d items", n)
		}
	})
}
