package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestTags(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		d := owner.desk("Main")
		d.get("/tags").want(http.StatusOK).is("", "[]")
		keys := []string{"id", "name", "color", "description", "kind", "created_at"}
		late := d.made("/tags", more{"name": "  Late entry "}).wantKeys("", keys...).
			holds("", `{"name":"Late entry","color":"","description":"","kind":"custom","created_at":"2026-03-10T15:04:05Z"}`)
		chased := d.made("/tags", more{"name": "chased", "color": "#FFAA00", "description": "ran after it", "kind": "mistake", "id": "mine"}).
			holds("", `{"name":"chased","color":"#ffaa00","description":"ran after it","kind":"mistake"}`)
		accent := d.made("/tags", more{"name": "Überhastet"})
		d.get("/tags").want(http.StatusOK).wantKeys("0", keys...).wantColumn("name", "chased", "Late entry", "Überhastet") // by name

		// A name is taken in any case, and at once free for another user.
		for _, name := range []string{"Late entry", "LATE ENTRY", " late entry ", "ÜBERHASTET", "überhastet"} {
			d.post("/tags", more{"name": name}).wantError(http.StatusConflict, "conflict")
			d.patch("/tags/"+chased.text("id"), more{"name": name}).wantError(http.StatusConflict, "conflict")
		}
		w.addUser(owner, "other@example.org").made("/tags", more{"name": "late entry"})
		path := "/tags/" + late.text("id")
		d.patch(path, more{"name": "LATE ENTRY"}).want(http.StatusOK).wantKeys("", keys...).holds("", `{"name":"LATE ENTRY"}`) // its own name
		d.patch(path, `{"color":"#0f0"}`).want(http.StatusOK).holds("", `{"name":"LATE ENTRY","color":"#0f0","kind":"custom"}`)
		d.patch(path, `{"color":null,"description":"d","kind":"mistake"}`).want(http.StatusOK).holds("", `{"color":"","description":"d","kind":"mistake"}`)
		for _, refused := range []struct {
			field string
			value any
		}{
			{"name", ""},
			{"name", " "},
			{"name", nil},
			{"name", 5},
			{"name", strings.Repeat("x", 201)},
			{"kind", "good"},
			{"kind", 1},
			{"color", 7},
			{"description", 7},
			{"description", strings.Repeat("x", 256<<10+1)},
		} {
			d.post("/tags", fieldsOf(more{"name": "New"}, more{refused.field: refused.value})).wantField(refused.field)
			d.patch(path, more{refused.field: refused.value}).wantField(refused.field)
		}
		d.post("/tags", `{}`).wantField("name")

		// A tag in use takes its links along.
		trade := d.roundTrip("A")
		d.annotate(trade, more{"tag_ids": []string{late.text("id"), accent.text("id")}, "notes": "n"})
		d.with("If-Match", late.tag()).delete(path).wantError(http.StatusPreconditionFailed, "precondition_failed")
		d.delete(path).wantNone()
		d.delete(path).wantError(http.StatusNotFound, "not_found")
		d.patch(path, `{"color":""}`).wantError(http.StatusNotFound, "not_found")
		d.trade(trade).holds("", `{"tags":[{"name":"Überhastet"}],"tag_ids":["`+accent.text("id")+`"],"notes":"n"}`)
		d.get("/trades?tag_id="+late.text("id")).want(http.StatusOK).is("", "[]")
		d.made("/tags", more{"name": "Late Entry"}) // the name is free again
	})
}
