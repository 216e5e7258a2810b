package httpapi_test

import (
	"net/http"
	"testing"
)

func TestNoteTemplates(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.get("/note-templates").want(http.StatusOK).is("", "[]")
		plan := d.made("/note-templates", more{"name": "Plan", "type": "daily_log", "body": "# {{date}}", "default": true})
		plan.is("type", `"daily_log"`).is("default", "true").is("body", `"# {{date}}"`)
		log := d.made("/note-templates", more{"name": "Log", "type": "daily_log", "body": "b"}).is("default", "false")
		other := d.made("/note-templates", more{"name": "Idea", "body": "b", "default": true}).is("type", `"note"`)
		d.get("/note-templates").want(http.StatusOK).wantColumn("name", "Idea", "Log", "Plan")

		// One default for each type.
		d.patch("/note-templates/"+log.text("id"), more{"default": true}).want(http.StatusOK).is("default", "true")
		d.get("/note-templates").want(http.StatusOK).is("0.default", "true").is("1.default", "true").is("2.default", "false")
		d.patch("/note-templates/"+other.text("id"), more{"type": "daily_log"}).want(http.StatusOK)
		d.get("/note-templates").want(http.StatusOK).is("0.default", "true").is("1.default", "false").is("2.default", "false")

		d.post("/note-templates", more{"name": "PLAN", "body": "b"}).wantError(http.StatusConflict, "conflict")
		d.patch("/note-templates/"+log.text("id"), more{"name": "plan"}).wantError(http.StatusConflict, "conflict")
		for field, change := range map[string]more{"name": {"name": " "}, "body": {"body": " "}, "type": {"type": "letter"}} {
			d.patch("/note-templates/"+log.text("id"), change).wantError(http.StatusBadRequest, "bad_request").wantField(field)
		}
		stranger := w.addUser(d.client, "other@example.org")
		stranger.get("/note-templates").want(http.StatusOK).is("", "[]")
		for _, r := range []*reply{
			stranger.get("/note-templates/" + log.text("id")), stranger.patch("/note-templates/"+log.text("id"), more{"name": "x"}),
			stranger.delete("/note-templates/" + log.text("id")),
		} {
			r.wantError(http.StatusNotFound, "not_found")
		}
		d.delete("/note-templates/" + log.text("id")).wantNone()
		d.get("/note-templates/"+log.text("id")).wantError(http.StatusNotFound, "not_found")
		d.get("/note-templates/"+plan.text("id")).want(http.StatusOK).is("name", `"Plan"`)
	})
}
