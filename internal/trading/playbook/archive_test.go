package playbook_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/playbook"
)

// orphaned is Ann's trade with notes, whose fills have gone.
func (w *world) orphaned(notes string, keys ...string) journal.TradeID {
	w.t.Helper()
	trade := w.trade(w.ann, w.annCash)
	_, err := w.Annotate(w.ctx, w.ann, trade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some(notes)}}, nil)
	must(w.t, err)
	w.update(func(tx *db.Tx) error {
		return playbook.MoveAnnotations(w.ctx, tx, w.ann, w.clock.Now(), playbook.Regrouping{
			Orphaned: []playbook.Orphaned{{Trade: trade, Account: w.annCash, FillKeys: keys, Symbol: "ES"}},
		})
	})
	return trade
}

func (w *world) loadOrphans(owner journal.UserID, account journal.AccountID) (list []playbook.StoredOrphan) {
	w.t.Helper()
	must(w.t, w.db.View(w.ctx, func(tx *db.Tx) error {
		list = nil
		return playbook.EachOrphan(w.ctx, tx, owner, account, func(o playbook.StoredOrphan) error {
			list = append(list, o)
			return nil
		})
	}))
	return list
}

// Annotations waiting for fills can wait in another journal, each once however often they
// are restored, and return there by the same keys.
func TestOrphansAreRestored(t *testing.T) {
	each(t, func(w *world) {
		w.orphaned("first", "k2", "k1")
		w.orphaned("second", "k3")
		list := w.loadOrphans(w.ann, w.annCash)
		if len(list) != 2 || list[0].Notes != "first" || !slices.Equal(list[0].FillKeys, []string{"k1", "k2"}) {
			w.t.Fatalf("waiting are %+v", list)
		}
		for _, want := range []bool{true, false} {
			w.update(func(tx *db.Tx) error {
				again := slices.Clone(list)
				for i := range again {
					again[i].FillKeys = append(slices.Clone(again[i].FillKeys), "", "bell \x07")
				}
				restored, err := playbook.RestoreOrphans(w.ctx, tx, w.bob, w.bobCash, again)
				for _, one := range restored {
					if one.Err != nil || one.Changed != want {
						w.t.Errorf("added %v, %v, want %v", one.Changed, one.Err, want)
					}
				}
				return err
			})
		}
		restored := w.loadOrphans(w.bob, w.bobCash)
		if len(restored) != 2 || restored[1].Notes != "second" || !slices.Equal(restored[0].FillKeys, []string{"k1", "k2"}) || restored[0].Trade == list[0].Trade {
			w.t.Errorf("restored are %+v", restored)
		}
		w.update(func(tx *db.Tx) error {
			return playbook.MoveAnnotations(w.ctx, tx, w.bob, w.clock.Now(), playbook.Regrouping{
				Account: w.bobCash, Arrived: arrivals(playbook.Arrival{Trade: w.bobTrade, FillKeys: []string{"k2"}}),
			})
		})
		annotations, err := w.LoadAnnotations(w.ctx, w.bob, []journal.TradeID{w.bobTrade})
		must(w.t, err)
		if annotations[w.bobTrade].Notes != "first" || len(w.loadOrphans(w.bob, w.bobCash)) != 1 {
			w.t.Errorf("the fill came back to %q", annotations[w.bobTrade].Notes)
		}
	})
}

// Which trades have annotations, and which have something hanging on them.
func TestWhatIsSaidOfTrades(t *testing.T) {
	each(t, func(w *world) {
		gone := w.orphaned("gone", "k")
		noted := w.trade(w.ann, w.annCash)
		note, err := w.CreateNote(w.ctx, w.ann, playbook.NoteChange{Body: journal.Some("x"), Trade: journal.Some(noted)})
		must(w.t, err)
		_, err = w.Annotate(w.ctx, w.ann, w.annTrade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("said")}}, nil)
		must(w.t, err)
		w.update(func(tx *db.Tx) error {
			annotated, err := playbook.ListAnnotatedTrades(w.ctx, tx, w.ann, w.annCash)
			must(w.t, err)
			want := []journal.TradeID{noted, w.annTrade}
			slices.Sort(want)
			if !slices.Equal(annotated, want) {
				w.t.Errorf("annotated are %v, want %v without %v", annotated, want, gone)
			}
			linked, err := playbook.ListLinkedTrades(w.ctx, tx, w.ann)
			must(w.t, err)
			if !slices.Equal(linked, []journal.TradeID{noted}) {
				w.t.Errorf("linked are %v, want %v", linked, noted)
			}
			return playbook.MoveAnnotations(w.ctx, tx, w.ann, w.clock.Now(), playbook.Regrouping{
				Orphaned: []playbook.Orphaned{{Trade: noted, Account: w.annCash, FillKeys: []string{"n"}}},
			})
		})
		must(w.t, w.db.View(w.ctx, func(tx *db.Tx) error {
			links, err := playbook.OrphanedLinks(w.ctx, tx, w.ann)
			if len(links) != 1 || links[note.ID] != noted {
				w.t.Errorf("links to orphans are %v", links)
			}
			return err
		}))
	})
}

// Each stored record matches one record in the file.
func TestRestoredRecordsAreCounted(t *testing.T) {
	each(t, func(w *world) {
		body := playbook.NoteChange{Body: journal.Some("the same"), OccurredAt: journal.Some(playbook.MomentOf("2026-03-02"))}
		later := body
		later.OccurredAt = journal.Some(playbook.MomentOf("2026-03-03"))
		_, err := w.CreateNote(w.ctx, w.ann, body)
		must(w.t, err)
		for round, want := range [][]bool{{false, true, true}, {false, false, false}} {
			w.update(func(tx *db.Tx) error {
				var list []playbook.NewNote
				for _, change := range []playbook.NoteChange{body, body, later, {}} {
					list = append(list, playbook.NewNote{NoteChange: change, CreatedAt: w.clock.Now()})
				}
				restored, err := playbook.RestoreNotes(w.ctx, tx, w.ann, list)
				for i, one := range restored[:3] {
					if one.Err != nil || one.Changed != want[i] {
						w.t.Errorf("round %d, note %d: added %v, %v", round, i, one.Changed, one.Err)
					}
				}
				if !journal.IsKind(restored[3].Err, journal.KindInvalid) {
					w.t.Errorf("an empty note: %v", restored[3].Err)
				}
				return err
			})
		}
	})
}

// A note is known again by all it says, its symbols included.
func TestRestoredNoteIsRecognized(t *testing.T) {
	each(t, func(w *world) {
		change := playbook.NoteChange{
			OccurredAt: moment("2026-03-02"), Type: journal.Some(playbook.DailyLog),
			Symbols: journal.Some([]playbook.SymbolNote{{Symbol: "A", Body: "<b> & \"c\""}}), Trade: journal.Some(w.annTrade),
		}
		var ids []journal.NoteID
		for range 2 {
			w.update(func(tx *db.Tx) error {
				restored, err := playbook.RestoreNotes(w.ctx, tx, w.ann,
					[]playbook.NewNote{{NoteChange: change, CreatedAt: w.clock.Now(), TradeAccount: w.annCash}})
				ids = append(ids, restored[0].ID)
				return err
			})
		}
		if ids[0] != ids[1] {
			w.t.Errorf("the same note is %v", ids)
		}
	})
}

// A file is attached once, keeps its day, can be attached to an orphan, and leaves no
// file behind if it is refused or stored already.
func TestFilesAreReattached(t *testing.T) {
	each(t, func(w *world) {
		gone := w.orphaned("gone", "k")
		day := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
		for _, target := range []playbook.Target{{Trade: w.annTrade}, {Trade: gone}} {
			for _, want := range []bool{true, false} {
				upload := playbook.Upload{Name: "a.png", Content: picture(1, 1)}
				added, err := w.Reattach(w.ctx, w.ann, target, day, upload, playbook.NewStoredFiles())
				must(w.t, err)
				list := w.attachments(w.ann, target)
				if added != want || len(list) != 1 || !list[0].CreatedAt.Equal(day) {
					w.t.Errorf("added %v, there is %+v", added, list)
				}
			}
		}
		stored := playbook.NewStoredFiles()
		for _, want := range []bool{false, true} { // one out of two equal files is stored
			upload := playbook.Upload{Name: "a.png", Content: picture(1, 1)}
			added, err := w.Reattach(w.ctx, w.ann, playbook.Target{Trade: w.annTrade}, time.Time{}, upload, stored)
			must(w.t, err)
			if added != want {
				w.t.Errorf("added %v, want %v", added, want)
			}
		}
		_, err := w.Reattach(w.ctx, w.ann, playbook.Target{Trade: w.bobTrade}, day, playbook.Upload{Content: picture(1, 1)}, stored)
		if !journal.IsKind(err, journal.KindNotFound) {
			w.t.Errorf("on a foreign trade: %v", err)
		}
		must(w.t, w.db.View(w.ctx, func(tx *db.Tx) error {
			all, err := playbook.ListAttachments(w.ctx, tx, w.ann)
			must(w.t, err)
			in, err := w.ReadAttachment(w.ctx, tx, w.ann, all[0].ID)
			must(w.t, err)
			content := bytesOf(in)
			if !bytes.Equal(content, bytesOf(picture(1, 1))) || len(all) != 3 {
				w.t.Errorf("%d files, the first of %d bytes", len(all), len(content))
			}
			if _, err := w.ReadAttachment(w.ctx, tx, w.bob, all[0].ID); err == nil {
				w.t.Error("a stranger may read the file")
			}
			return in.Close()
		}))
		if w.dir != "" && len(w.files()) != 3 {
			w.t.Errorf("%d files are on the disk, want those of the 3 attachments", len(w.files()))
		}
	})
}
