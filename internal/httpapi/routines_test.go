package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

var itemKeys = []string{"id", "title", "stage", "weekdays", "position", "start_day"}

// emptied is a client whose routine begins with nothing.
func emptied(c *client) *client {
	c.w.t.Helper()
	c.put("/settings/checklist-template", `{"items":[]}`).want(http.StatusOK)
	return c
}

// item adds an item to the routine.
func (c *client) item(title, stage, weekdays, day string) string {
	c.w.t.Helper()
	return c.made("/routines", `{"title":"`+title+`","stage":"`+stage+`","weekdays":`+weekdays+`,"day":"`+day+`"}`).text("id")
}

// tick reports whether an item was done on a day.
func (c *client) tick(day, id string, done bool) *reply {
	c.w.t.Helper()
	return c.put("/routines/day/"+day+"/items/"+id, more{"done": done})
}

// titles returns the item titles in a list, in order.
func (r *reply) titles() string {
	r.t.Helper()
	var titles []string
	for i := range r.want(http.StatusOK).count("items") {
		titles = append(titles, r.text("items."+itoa(i)+".title"))
	}
	return strings.Join(titles, " ")
}

const everyDay = `[0,1,2,3,4,5,6]`

// The tests' day is 2026-03-10, a Tuesday.
func TestRoutineItems(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		c := emptied(w.setUp())
		c.get("/routines").want(http.StatusOK).is("", `{"items":[]}`)
		first := c.made("/routines", `{"title":"  Walk ","stage":"post","weekdays":[5,1,"1",0],"id":"mine","position":99,"start_day":"2020-01-01"}`).
			wantKeys("", itemKeys...).holds("", `{"title":"Walk","stage":"post","weekdays":[0,1,5],"position":0,"start_day":"2026-03-10"}`)
		c.item("Levels", "pre", everyDay, "2026-03-01")
		c.item("Size", "during", everyDay, "2026-03-01")
		c.item("News", "pre", everyDay, "2026-03-01")
		c.item("Later", "pre", everyDay, "2026-03-20")
		list := c.get("/routines").want(http.StatusOK).wantKeys("", "items").wantKeys("items.0", itemKeys...)
		if got := list.titles(); got != "Levels News Size Walk" { // by stage, then by position
			t.Errorf("today's items are %s", got)
		}
		for day, want := range map[string]string{
			"2026-02-28": "", "2026-03-01": "Levels News Size", "2026-03-10": "Levels News Size Walk", "2026-03-20": "Levels News Later Size Walk",
			"2026-03-21": "Levels News Later Size Walk", // a Saturday: they are active, whatever the weekday
		} {
			if got := c.get("/routines?day=" + day).titles(); got != want {
				t.Errorf("the items active on %s are %q, want %q", day, got, want)
			}
		}
		// 0 is Sunday: Walk is due on Sunday 15, Monday 16 and Friday 13.
		for day, due := range map[string]bool{"2026-03-11": false, "2026-03-12": false, "2026-03-13": true, "2026-03-14": false, "2026-03-15": true, "2026-03-16": true, "2026-03-17": false} {
			if got := strings.Contains(c.get("/routines/day/"+day).titles(), "Walk"); got != due {
				t.Errorf("Walk on %s: %v", day, got)
			}
		}
		path := "/routines/" + first.text("id")
		// A title is changed in place, and so is nothing at all.
		for _, body := range []string{`{"title":"Run"}`, `{"title":"Run","stage":"post","weekdays":[1,5,0,0]}`, `{}`, `{"day":"2026-03-12"}`} {
			c.patch(path, body).want(http.StatusOK).wantKeys("", itemKeys...).holds("", `{"id":"`+first.text("id")+`","title":"Run","weekdays":[0,1,5],"start_day":"2026-03-10"}`)
		}
		c.with("If-Match", first.tag()).patch(path, `{"title":"x"}`).wantError(http.StatusPreconditionFailed, "precondition_failed")
		c.with("If-Match", first.tag()).delete(path).wantError(http.StatusPreconditionFailed, "precondition_failed")
		c.with("If-Match", c.patch(path, `{}`).tag()).patch(path, `{"title":"Jog"}`).want(http.StatusOK)
		c.delete(path).wantNone()
		for _, r := range []*reply{c.delete(path), c.patch(path, `{"title":"x"}`), c.patch("/routines/"+unknown(), `{"title":"x"}`), c.delete("/routines/" + unknown())} {
			r.wantError(http.StatusNotFound, "not_found")
		}
	})
}

func TestRoutineRefusals(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		c := emptied(w.setUp())
		path := "/routines/" + c.item("A", "pre", everyDay, "2026-03-10")
		good := more{"title": "B", "stage": "pre", "weekdays": []int{1}}
		for _, field := range []string{"title", "stage", "weekdays"} {
			body := fieldsOf(good)
			delete(body, field)
			c.post("/routines", body).wantField(field)
		}
		for _, refused := range []struct {
			field  string
			values []any
		}{
			{"title", []any{"", " ", nil, 5, strings.Repeat("x", 201)}},
			{"stage", []any{"", "PRE", "mid", nil, 5}},
			{"weekdays", []any{[]int{}, []int{7}, []int{-1}, []int{1, 7}, nil, "1", 1}},
			{"day", []any{"2026-02-30", "2026-3-1", "today", "2026-03-10T00:00:00Z", 5}},
		} {
			for _, value := range refused.values {
				c.post("/routines", fieldsOf(good, more{refused.field: value})).wantField(refused.field)
				c.patch(path, more{refused.field: value}).wantField(refused.field)
			}
		}
		for _, value := range []any{1.5, "x", nil, true} {
			c.post("/routines", fieldsOf(good, more{"weekdays": []any{value}})).wantField("weekdays.0")
			c.patch(path, more{"weekdays": []any{value}}).wantField("weekdays.0")
		}
		for _, day := range []string{"2026-02-30", "x", "1969-12-31"} {
			c.get("/routines?day=" + day).wantField("day")
			c.delete(path + "?day=" + day).wantField("day")
			c.patch(path+"?day="+day, `{"title":"B"}`).wantField("day")
			c.get("/routines/day/" + day).wantField("day")
			c.tick(day, path[len("/routines/"):], true).wantField("day")
			c.get("/routines/history?from=" + day).wantField("from")
			c.get("/routines/history?to=" + day).wantField("to")
		}
		id := strings.TrimPrefix(path, "/routines/")
		for _, body := range []string{`{}`, `{"done":null}`, `{"done":"yes"}`, `{"done":1}`} {
			c.put("/routines/day/2026-03-10/items/"+id, body).wantField("done")
		}
		if got := c.get("/routines").titles(); got != "A" {
			c.w.t.Errorf("the items are %s", got)
		}
	})
}

// TestRoutineOrder puts the listed items first inside their stages.
func TestRoutineOrder(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		c := emptied(owner)
		id := map[string]string{}
		for _, title := range []string{"p1", "p2", "p3", "p4"} {
			id[title] = c.item(title, "pre", everyDay, "2026-03-01")
		}
		id["q1"], id["q2"] = c.item("q1", "post", everyDay, "2026-03-01"), c.item("q2", "post", everyDay, "2026-03-01")
		order := func(titles ...string) *reply {
			ids := []string{}
			for _, title := range titles {
				ids = append(ids, id[title])
			}
			return c.put("/routines/order", more{"ids": ids})
		}
		for _, step := range []struct {
			ids  []string
			want string
		}{
			{[]string{"p3", "p1"}, "p3 p1 p2 p4 q1 q2"},
			{[]string{"q2", "p4"}, "p4 p3 p1 p2 q2 q1"},
			{[]string{"q1", "p1", "q2", "p2", "p3", "p4"}, "p1 p2 p3 p4 q1 q2"},
			{[]string{"p1"}, "p1 p2 p3 p4 q1 q2"},
		} {
			order(step.ids...).wantNone()
			list := c.get("/routines")
			if got := list.titles(); got != step.want {
				t.Errorf("after %v the order is %s, want %s", step.ids, got, step.want)
			}
			for i, position := range []string{"0", "1", "2", "3", "0", "1"} {
				list.is("items."+itoa(i)+".position", position)
			}
		}
		order().wantField("ids")
		order("p1", "p2", "p1").wantField("ids")
		c.put("/routines/order", `{}`).wantField("ids")
		c.put("/routines/order", `{"ids":"x"}`).wantField("ids")
		foreign := emptied(w.addUser(owner, "other@example.org")).item("x", "pre", everyDay, "2026-03-01")
		c.delete("/routines/" + id["p4"]).wantNone()
		for _, stranger := range []string{unknown(), foreign, id["p4"], ""} {
			c.put("/routines/order", more{"ids": []string{id["p2"], stranger}}).wantError(http.StatusNotFound, "not_found")
		}
		if got := c.get("/routines").titles(); got != "p1 p2 p3 q1 q2" {
			t.Errorf("a refused order changed something: %s", got)
		}
	})
}

// TestRoutineSuccessor: other weekdays or another stage begin a new item on that day, and
// leave earlier days unchanged.
func TestRoutineSuccessor(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		c := emptied(w.setUp())
		old := c.item("A", "pre", everyDay, "2026-03-02")
		for _, day := range []string{"2026-03-03", "2026-03-05", "2026-03-07"} {
			c.tick(day, old, true).want(http.StatusOK)
		}
		next := c.patch("/routines/"+old, `{"weekdays":[4,6],"title":"B","day":"2026-03-05"}`).want(http.StatusOK).
			holds("", `{"title":"B","stage":"pre","weekdays":[4,6],"start_day":"2026-03-05"}`).text("id")
		if next == old {
			t.Fatal("the successor has the old id")
		}
		view := func(day, want string) {
			t.Helper()
			c.get("/routines/day/"+day).want(http.StatusOK).holds("", want)
		}
		view("2026-03-03", `{"items":[{"id":"`+old+`","title":"A","done":true,"weekdays":[0,1,2,3,4,5,6]}],"done":1,"total":1}`)
		view("2026-03-04", `{"items":[{"id":"`+old+`","done":false}],"done":0,"total":1}`)
		view("2026-03-05", `{"items":[{"id":"`+next+`","title":"B","done":true}],"done":1,"total":1}`) // that day's tick moved
		view("2026-03-06", `{"items":[],"done":0,"total":0}`)
		view("2026-03-07", `{"items":[{"id":"`+next+`","done":true}],"done":1,"total":1}`)
		c.patch("/routines/"+old, `{"title":"x"}`).wantError(http.StatusNotFound, "not_found") // it has ended
		c.delete("/routines/"+old+"?day=2026-03-03").wantError(http.StatusNotFound, "not_found")
		c.tick("2026-03-05", old, true).wantError(http.StatusNotFound, "not_found")
		c.tick("2026-03-04", old, true).want(http.StatusOK) // earlier days are still its own

		// A second edit on the successor's first day leaves nothing behind; a day before
		// the start counts as the start.
		third := c.patch("/routines/"+next+"?day=2026-03-05", `{"stage":"during"}`).want(http.StatusOK).holds("", `{"stage":"during","start_day":"2026-03-05"}`).text("id")
		view("2026-03-05", `{"items":[{"id":"`+third+`","stage":"during","done":true}]}`)
		fourth := c.patch("/routines/"+third, `{"stage":"post","day":"2020-01-01"}`).want(http.StatusOK).holds("", `{"start_day":"2026-03-05"}`).text("id")
		view("2026-03-05", `{"items":[{"id":"`+fourth+`","stage":"post","done":true}]}`)
		view("2026-03-04", `{"items":[{"id":"`+old+`","done":true}]}`)
		// The body's day is stronger than the query's; without either it is today.
		fifth := c.patch("/routines/"+fourth+"?day=2026-03-08", `{"weekdays":[2],"day":"2026-03-09"}`).want(http.StatusOK).is("start_day", `"2026-03-09"`).text("id")
		sixth := c.patch("/routines/"+fifth, `{"stage":"pre"}`).want(http.StatusOK).is("start_day", `"2026-03-10"`).text("id")
		future := c.patch("/routines/"+sixth, `{"stage":"post","day":"2026-03-17"}`).want(http.StatusOK).text("id")
		view("2026-03-10", `{"items":[{"id":"`+sixth+`","stage":"pre"}]}`)
		view("2026-03-17", `{"items":[{"id":"`+future+`","stage":"post"}]}`)
		if ids := c.get("/routines?day=2026-03-10").want(http.StatusOK).json("items"); strings.Count(ids, `"id"`) != 1 || !strings.Contains(ids, sixth) {
			t.Errorf("active today: %s", ids)
		}
	})
}

// TestRoutineDays ticks and unticks, also off schedule.
func TestRoutineDays(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		c := emptied(w.setUp())
		a := c.item("A", "pre", `[2]`, "2026-03-10") // Tuesdays
		b := c.item("B", "post", everyDay, "2026-03-01")
		day := c.get("/routines/day/2026-03-10").want(http.StatusOK).wantKeys("", "day", "items", "done", "total").
			wantKeys("items.0", append(slices.Clone(itemKeys), "done")...).holds("", `{"day":"2026-03-10","items":[{"id":"`+a+`","done":false},{"id":"`+b+`","done":false}],"done":0,"total":2}`)
		first := c.tick("2026-03-10", a, true).want(http.StatusOK).holds("", `{"items":[{"id":"`+a+`","done":true},{"done":false}],"done":1,"total":2}`)
		c.tick("2026-03-10", a, true).want(http.StatusOK).wantSame(first) // idempotent
		c.get("/routines/day/2026-03-10").wantSame(first)
		c.tick("2026-03-10", a, false).want(http.StatusOK).holds("", day.json(""))
		c.tick("2026-03-10", a, false).want(http.StatusOK).holds("", `{"done":0,"total":2}`)
		// Off its schedule a tick shows and counts; undone, it is gone.
		c.tick("2026-03-11", a, true).want(http.StatusOK).holds("", `{"items":[{"id":"`+a+`","done":true},{"id":"`+b+`","done":false}],"done":1,"total":2}`)
		c.tick("2026-03-11", a, false).want(http.StatusOK).holds("", `{"items":[{"id":"`+b+`"}],"done":0,"total":1}`)
		c.tick("2026-03-03", a, true).want(http.StatusOK).holds("", `{"done":1,"total":2}`) // before its start
		c.get("/routines/history?from=2026-03-03&to=2026-03-03").want(http.StatusOK).holds("", `{"days":[{"done":1,"total":2}]}`)
		// Deleted from a day on, it keeps the days before and their ticks.
		c.tick("2026-03-17", a, true).want(http.StatusOK)
		c.delete("/routines/" + a + "?day=2026-03-17").wantNone()
		c.get("/routines/day/2026-03-17").want(http.StatusOK).holds("", `{"items":[{"id":"`+b+`"}],"total":1}`)
		c.tick("2026-03-17", a, true).wantError(http.StatusNotFound, "not_found")
		c.tick("2026-03-24", a, true).wantError(http.StatusNotFound, "not_found")
		c.tick("2026-03-10", a, true).want(http.StatusOK).holds("", `{"done":1,"total":2}`)
		c.get("/routines/day/2026-03-03").want(http.StatusOK).holds("", `{"done":1,"total":2}`)
		c.tick("2026-03-10", unknown(), true).wantError(http.StatusNotFound, "not_found")
		c.with("If-Match", `"stale"`).tick("2026-03-10", b, true).wantError(http.StatusPreconditionFailed, "precondition_failed")
		c.with("If-Match", c.get("/routines/day/2026-03-10").tag()).tick("2026-03-10", b, true).want(http.StatusOK)
	})
}
