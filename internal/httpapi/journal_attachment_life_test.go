package httpapi_test

import (
	"io/fs"
	"net/http"
	"path/filepath"
	"testing"

	"fillbook/internal/base/db"
)

// stored counts attachment contents, on the disk or in the database.
func (w *world) stored() (n int) {
	w.t.Helper()
	if w.db.Engine() == db.PostgreSQL {
		return w.count(`SELECT COUNT(*) FROM attachment_blobs`)
	}
	err := filepath.WalkDir(w.attachments, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			n++
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// TestAttachmentsAreDeletedWithTheirRecord: an attachment's row and file are deleted with
// itself, its note, its trade, its account and its user.
func TestAttachmentsAreDeletedWithTheirRecord(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		d := w.addUser(owner, "anna@example.org").addAccount("Main")
		second := d.addAccount("Second")
		trade, note := d.roundTrip("A"), d.made("/notes", more{"body": "b"}).text("id")
		attach := func(parent string, times int) (ids []string) {
			for range times {
				ids = append(ids, d.attach(parent, "a.png", tinyPNG).want(http.StatusCreated).text("id"))
			}
			return ids
		}
		all := attach("/trades/"+trade, 2)
		all = append(all, attach("/notes/"+note, 2)...)
		all = append(all, attach("/trades/"+second.roundTrip("B"), 1)...)
		orphan := second.fill("C", "buy 1@1", 0)
		all = append(all, attach("/trades/"+orphan.text("trade_id"), 1)...)
		d.delete("/executions/" + orphan.text("id")).wantNone() // what waits for its fill keeps its file
		left := func(what string, want int) {
			t.Helper()
			if err := w.services.Playbook.DropKeptFiles(t.Context(), w.services.Clock()); err != nil { // those for an undo
				t.Fatal(err)
			}
			if rows, files := w.count(`SELECT COUNT(*) FROM attachments`), w.stored(); rows != want || files != want {
				t.Errorf("%s: %d rows and %d files, want %d", what, rows, files, want)
			}
		}
		left("as uploaded", 6)
		d.attach("/trades/"+unknown(), "a.png", tinyPNG).wantError(http.StatusNotFound, "not_found")
		d.attach("/trades/"+trade, "a.png", []byte("x")).wantError(http.StatusUnsupportedMediaType, "unsupported_media_type")
		left("after refusals", 6)
		d.delete("/attachments/" + all[0]).wantNone()
		left("after one was deleted", 5)
		d.delete("/notes/" + note).wantNone()
		left("after its note", 3)
		d.delete("/trades/" + trade).wantNone()
		left("after its trade", 2)
		d.delete("/accounts/" + second.account).wantNone()
		left("after its account", 0)
		for _, id := range all {
			d.get("/attachments/"+id).wantError(http.StatusNotFound, "not_found")
		}
		last := d.roundTrip("D")
		attach("/trades/"+last, 2)
		left("before its user", 2)
		owner.delete("/admin/users/" + owner.userID("anna@example.org")).wantNone()
		left("after its user", 0)
	})
}
