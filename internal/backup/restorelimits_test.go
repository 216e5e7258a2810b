package backup

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"fillbook/internal/barfetch"
	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/playbook"
	"fillbook/internal/views"
)

// TestRecordsAboveALimitAreLeftOut restores one record more than a user may have of each
// kind: that one is a problem, everything else is restored. A second restore of the file
// finds all names taken.
func TestRecordsAboveALimitAreLeftOut(t *testing.T) {
	t.Parallel()
	eachHouse(t, func(t *testing.T, h *house) {
		from, to := h.user(t), h.user(t)
		_, err := h.bars().AddAlias(h.ctx(), from, "US500", "ESZ5")
		must(t, err)
		must(t, h.db.Update(h.ctx(), func(tx *db.Tx) error {
			_, err := playbook.RestoreNoteTemplate(h.ctx(), tx, from, h.clock.Now(), playbook.NoteTemplateChange{
				Name: journal.Some("Plan"), Type: journal.Some(playbook.NoteType("note")), Body: journal.Some("Plan"),
			})
			must(t, err)
			_, err = barfetch.Restore(h.ctx(), tx, from, barfetch.Source{Provider: "acme", CreatedAt: h.clock.Now()})
			must(t, err)
			_, err = views.Restore(h.ctx(), tx, from, h.clock.Now(), views.Change{Name: journal.Some("Losses")})
			return err
		}))
		text := h.exportBars(t, from, false)
		above := map[string]int{"bar_aliases": 1001, "bar_sources": 51, "note_templates": 201, "views": 201}
		for list, n := range above {
			text = repeatRecord(t, text, list, n)
		}
		for _, known := range []bool{false, true} {
			result := h.restore(t, to, text)
			if len(result.Errors) != len(above) {
				t.Fatalf("problems: %+v", result.Errors)
			}
			got := []int{result.BarAliases, result.BarSources, result.NoteTemplates, result.Views}
			if want := []int{1000, 50, 200, 200}; !known && fmt.Sprint(got) != fmt.Sprint(want) || known && fmt.Sprint(got) != "[0 0 0 0]" {
				t.Errorf("restored %v aliases, providers, templates and views", got)
			}
		}
	})
}

// repeatRecord returns a backup whose list has its first record n times, each with a name
// of its own.
func repeatRecord(t *testing.T, text, list string, n int) string {
	t.Helper()
	var document map[string]any
	must(t, json.Unmarshal([]byte(text), &document))
	first := document[list].([]any)[0].(map[string]any)
	records := make([]map[string]any, n)
	for i := range records {
		records[i] = maps.Clone(first)
		for _, name := range []string{"name", "symbol", "provider"} {
			if value, has := first[name]; has {
				records[i][name] = fmt.Sprint(value, i)
			}
		}
	}
	document[list] = records
	delete(document, "checksums") // a file that was written by hand has none
	out, err := json.Marshal(document)
	must(t, err)
	return string(out)
}
