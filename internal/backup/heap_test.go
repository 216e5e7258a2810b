package backup

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/playbook"
)

// TestRestoreNeedsLittleMemory restores each section with random keys: what a record needs
// is bounded.
func TestRestoreNeedsLittleMemory(t *testing.T) { // not parallel: it measures the process
	const perRecord = 16 << 10
	h := oneFixture(t)
	for _, name := range slices.Sorted(maps.Keys(hostileSections)) {
		section := hostileSections[name]
		doc := hostileDocument(section, keyOrders["random"](section.n))
		owner := h.user(t)
		testkit.CheckHeap(t, uint64(8<<20+section.n*perRecord), func() {
			_, err := h.tryRestore(Order{Owner: owner, Document: doc})
			must(t, err)
		})
	}
}

// TestExportHoldsAPartOfEachList exports many long texts: few are in memory at a time.
func TestExportHoldsAPartOfEachList(t *testing.T) { // not parallel: it measures the process
	h := oneFixture(t)
	owner := h.user(t)
	text := strings.Repeat("x", 200<<10)
	const n = 100 // 20 MB each
	must(t, h.db.Update(h.ctx(), func(tx *db.Tx) error {
		tags, setups := make([]playbook.NewTag, n), make([]playbook.NewSetup, n)
		notes, templates := make([]playbook.NewNote, n), make([]playbook.NewNoteTemplate, n)
		for i := range n {
			name := journal.Some(fmt.Sprint("name ", i))
			tags[i] = playbook.NewTag{TagChange: playbook.TagChange{Name: name, Description: journal.Some(text)}, CreatedAt: morning}
			setups[i] = playbook.NewSetup{SetupChange: playbook.SetupChange{Name: name, Description: journal.Some(text)}, CreatedAt: morning}
			notes[i] = playbook.NewNote{NoteChange: playbook.NoteChange{Title: name, Body: journal.Some(text)}, CreatedAt: morning}
			templates[i] = playbook.NewNoteTemplate{NoteTemplateChange: playbook.NoteTemplateChange{Name: name, Body: journal.Some(text)}, CreatedAt: morning}
		}
		_, err := playbook.EnsureTags(h.ctx(), tx, owner, tags)
		must(t, err)
		_, err = playbook.UpsertSetups(h.ctx(), tx, owner, morning, setups)
		must(t, err)
		_, err = playbook.RestoreNotes(h.ctx(), tx, owner, notes)
		must(t, err)
		_, err = playbook.RestoreNoteTemplates(h.ctx(), tx, owner, templates)
		return err
	}))
	testkit.CheckHeap(t, 16<<20, func() {
		must(t, h.db.View(h.ctx(), func(tx *db.Tx) error { return WriteJSON(h.ctx(), tx, owner, Scope{At: exportedAt}, io.Discard) }))
	})
}
