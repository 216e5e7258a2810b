package backup

import (
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/demo"
	"fillbook/internal/testkit"
)

// A journal covering two years, with everything in the demo, comes back as it was,
// attachments included.
func TestTheDemoComesBack(t *testing.T) {
	t.Parallel()
	story := demo.Compose("2026-03-09")
	testkit.EachEngineIfLong(t, func(t *testing.T, d *db.DB) {
		h := newFixture(t, d)
		from, to := h.user(t), h.user(t)
		services := demo.Services{DB: h.db, Clock: h.clock.Now, Ledger: h.ledger, Playbook: h.playbook}
		must(t, demo.Fill(t.Context(), services, from, story))
		want := h.exportZip(t, from, "")
		result, attached := h.restoreZip(t, to, want)
		wantComplete(t, result)
		if result.Inserted == 0 || result.Annotated == 0 || result.CashInserted == 0 || result.Notes == 0 || result.Missed == 0 ||
			result.Routines == 0 || result.Tags == 0 || result.SetupsUpserted == 0 || attached == 0 || len(result.Accounts) != len(story.Accounts) {
			t.Errorf("something was not restored: %+v, %d files", result, attached)
		}
		wantSame(t, h.export(t, to, ""), h.export(t, from, ""))
		if string(h.exportZip(t, to, "")) != string(want) {
			t.Error("the zip of the restored journal is another one")
		}
		again, attached := h.restoreZip(t, to, want)
		wantUnchanged(t, again)
		if attached != 0 {
			t.Errorf("%d files were attached a second time", attached)
		}
		wantSame(t, h.export(t, to, ""), h.export(t, from, ""))
		h.check(t)
	})
}
