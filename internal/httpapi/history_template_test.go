package httpapi_test

import (
	"net/http"
	"testing"
)

// TestUndoOfFirstTemplate: the undo of a user's first routine template unsets it, so the
// user has the built-in one again and the export is as before.
func TestUndoOfFirstTemplate(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.get("/routines").want(http.StatusOK) // creates the first items
		export := func() string { return string(d.get("/exports?format=json").want(http.StatusOK).body) }
		before := export()
		set := d.put("/settings/checklist-template", more{"items": []string{"Plan"}}).want(http.StatusOK).changeOf()
		after := export()
		if before == after {
			t.Fatal("the export does not have the template")
		}
		undo := d.undoChange(set)
		if export() != before {
			t.Error("the export after the undo is not as before")
		}
		d.undoChange(undo)
		if export() != after {
			t.Error("the export after the redo is not as after the first write")
		}
	})
}
