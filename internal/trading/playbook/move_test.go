package playbook_test

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/playbook"
)

func (w *world) attach(target playbook.Target) playbook.Attachment {
	w.t.Helper()
	attachment, err := w.Attach(w.ctx, w.ann, target, playbook.Upload{Name: "chart.png", Content: picture(3, 2)})
	must(w.t, err)
	return attachment
}

func (w *world) attachmentsOf(target playbook.Target) []journal.AttachmentID {
	w.t.Helper()
	list := w.attachments(w.ann, target)
	ids := []journal.AttachmentID{}
	for _, a := range list {
		ids = append(ids, a.ID)
	}
	return ids
}

func (w *world) orphans() []playbook.Orphan {
	w.t.Helper()
	orphans, err := w.Orphans(w.ctx, w.ann)
	must(w.t, err)
	return orphans
}

func TestFollowMerges(t *testing.T) {
	each(t, func(w *world) {
		a, b, c := w.tag("a"), w.tag("b"), w.tag("c")
		gap, fade := w.setup("gap"), w.setup("fade")
		winner, other := w.annTrade, w.trade(w.ann, w.annCash)
		w.annotate(winner, playbook.AnnotationChange{
			ValueChange: playbook.ValueChange{Notes: journal.Some("first"), Confidence: journal.Some(4)},
			Tags:        journal.Some([]journal.TagID{a, b}), Setup: journal.Some(gap),
		})
		w.clock.Advance(time.Minute)
		reviewed := w.clock.Now()
		w.annotate(other, playbook.AnnotationChange{
			ValueChange: playbook.ValueChange{
				Notes:      journal.Some("second"),
				Confidence: journal.Some(1), TradeQuality: journal.Some(2), InitialRisk: number("10"), StopPrice: number("1"), TargetPrice: number("2"),
				MAE: number("3"), MFE: number("4"), EmotionalState: journal.Some("calm"),
			},
			Tags: journal.Some([]journal.TagID{b, c}), Setups: journal.Some([]journal.SetupID{fade, gap}), Reviewed: journal.Some(true),
		})
		kept, moved := w.attach(playbook.Target{Trade: winner}), w.attach(playbook.Target{Trade: other})
		note := w.note(playbook.NoteChange{Body: journal.Some("x"), Trade: journal.Some(other)})

		w.clock.Advance(time.Minute)
		w.move(playbook.Regrouping{Merged: []playbook.Merge{{From: other, Into: winner}}})
		want := playbook.Annotations{
			Trade: winner, Account: w.annCash, AnnotationValues: playbook.AnnotationValues{
				Notes: "first\n\n---\n\nsecond", InitialRisk: maybe("10"), StopPrice: maybe("1"),
				TargetPrice: maybe("2"), MAE: maybe("3"), MFE: maybe("4"), EmotionalState: "calm", Confidence: 4, TradeQuality: 2,
				ReviewedAt: &reviewed,
			},
			UpdatedAt: w.clock.Now(), Tags: []journal.TagID{a, b, c}, Setups: []journal.SetupID{gap, fade},
		}
		if diff := cmp.Diff(want, w.annotations(winner)); diff != "" {
			w.t.Error(diff)
		}
		if annotations := w.annotations(other); annotations.Trade != "" {
			w.t.Errorf("the other trade still has %+v", annotations)
		}
		if got := w.attachmentsOf(playbook.Target{Trade: winner}); !slices.Equal(got, []journal.AttachmentID{kept.ID, moved.ID}) {
			w.t.Errorf("the attachments are %v", got)
		}
		note, err := w.Note(w.ctx, w.ann, note.ID)
		must(w.t, err)
		if note.Trade == nil || *note.Trade != winner {
			w.t.Errorf("the note is linked to %v", note.Trade)
		}
	})
}

// TestFollowRenames merges into a trade without annotations: the annotations simply move.
func TestFollowRenames(t *testing.T) {
	each(t, func(w *world) {
		tag := w.tag("t")
		before := w.annotate(w.annTrade, playbook.AnnotationChange{
			ValueChange: playbook.ValueChange{Notes: journal.Some("n"), InitialRisk: number("5")},
			Tags:        journal.Some([]journal.TagID{tag}), Reviewed: journal.Some(true),
		})
		fresh := w.trade(w.ann, w.annCash)
		w.move(playbook.Regrouping{Merged: []playbook.Merge{{From: w.annTrade, Into: fresh}, {From: fresh, Into: fresh}}})
		before.Trade = fresh
		if diff := cmp.Diff(before, w.annotations(fresh), cmpopts.IgnoreFields(playbook.Annotations{}, "UpdatedAt")); diff != "" {
			w.t.Error(diff)
		}
	})
}

// TestFollowLongNotes merges notes that are together longer than one request may
// be: nothing is cut, and other fields can still be changed.
func TestFollowLongNotes(t *testing.T) {
	each(t, func(w *world) {
		other := w.trade(w.ann, w.annCash)
		text := slices.Repeat([]byte("x"), journal.MaxNoteBytes-1)
		w.annotate(w.annTrade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("a" + string(text))}})
		w.annotate(other, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("b" + string(text))}})
		w.move(playbook.Regrouping{Merged: []playbook.Merge{{From: other, Into: w.annTrade}}})
		w.annotate(w.annTrade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Confidence: journal.Some(3)}})
		if n := len(w.annotations(w.annTrade).Notes); n != 2*journal.MaxNoteBytes+len("\n\n---\n\n") {
			w.t.Errorf("%d bytes of notes are left", n)
		}
	})
}

// TestFollowManyTags merges more tags than a request may name: all stay, and
// other fields can still be changed.
func TestFollowManyTags(t *testing.T) {
	each(t, func(w *world) {
		other := w.trade(w.ann, w.annCash)
		for i, trade := range []journal.TradeID{w.annTrade, other} {
			var tags []journal.TagID
			for n := range 60 {
				tags = append(tags, w.tag(fmt.Sprintf("tag %d of trade %d", n, i)))
			}
			w.annotate(trade, playbook.AnnotationChange{Tags: journal.Some(tags)})
		}
		w.move(playbook.Regrouping{Merged: []playbook.Merge{{From: other, Into: w.annTrade}}})
		annotations := w.annotate(w.annTrade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Confidence: journal.Some(3)}})
		if len(annotations.Tags) != 120 || annotations.Confidence != 3 {
			w.t.Errorf("%d tags are left, and the confidence is %d", len(annotations.Tags), annotations.Confidence)
		}
	})
}

func TestOrphanReturns(t *testing.T) {
	each(t, func(w *world) {
		tag, gap := w.tag("t"), w.setup("gap")
		opened := at("2026-03-01T10:00:00Z")
		before := w.annotate(w.annTrade, playbook.AnnotationChange{
			ValueChange: playbook.ValueChange{Notes: journal.Some("precious"), StopPrice: number("9")},
			Tags:        journal.Some([]journal.TagID{tag}), Setup: journal.Some(gap),
		})
		file := w.attach(playbook.Target{Trade: w.annTrade})
		note := w.note(playbook.NoteChange{Body: journal.Some("x"), Trade: journal.Some(w.annTrade)})
		w.clock.Advance(time.Minute)
		w.move(playbook.Regrouping{Orphaned: []playbook.Orphaned{{
			Trade: w.annTrade, Account: w.annCash, FillKeys: []string{"k1", "k2", "k2"}, Symbol: "ES", OpenedAt: &opened,
		}}})

		orphans := w.orphans()
		if len(orphans) != 1 {
			w.t.Fatalf("%d orphans", len(orphans))
		}
		if diff := cmp.Diff(before, orphans[0].Annotations); diff != "" {
			w.t.Error(diff)
		}
		if o := orphans[0]; o.Symbol != "ES" || !o.OpenedAt.Equal(opened) || !o.OrphanedAt.Equal(w.clock.Now()) || len(o.Attachments) != 1 {
			w.t.Errorf("the orphan is %+v", o)
		}
		hidden, err := w.Note(w.ctx, w.ann, note.ID)
		must(w.t, err)
		if hidden.Trade != nil {
			w.t.Errorf("the note is linked to the trade %s that is gone", *hidden.Trade)
		}
		_, err = w.ChangeNote(w.ctx, w.ann, note.ID, playbook.NoteChange{Title: journal.Some("changed meanwhile")}, nil)
		must(w.t, err)

		second := w.account(w.ann, 2)
		other, back := w.trade(w.ann, w.annCash), w.trade(w.ann, w.annCash)
		w.move(playbook.Regrouping{Account: w.annCash, Arrived: arrivals(playbook.Arrival{Trade: other, FillKeys: []string{"k3"}})})
		w.move(playbook.Regrouping{Account: second, Arrived: arrivals(playbook.Arrival{Trade: other, FillKeys: []string{"k1"}})})
		if len(w.orphans()) != 1 {
			w.t.Fatal("the orphan was taken by a stranger")
		}
		w.annotate(back, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("new words")}})
		w.move(playbook.Regrouping{Account: w.annCash, Arrived: arrivals(
			playbook.Arrival{Trade: other, FillKeys: []string{"k3"}}, playbook.Arrival{Trade: back, FillKeys: []string{"k2"}},
		)})
		if len(w.orphans()) != 0 {
			w.t.Error("the orphan still waits")
		}
		before.Trade, before.Notes = back, "new words\n\n---\n\nprecious"
		if diff := cmp.Diff(before, w.annotations(back), cmpopts.IgnoreFields(playbook.Annotations{}, "UpdatedAt")); diff != "" {
			w.t.Error(diff)
		}
		if got := w.attachmentsOf(playbook.Target{Trade: back}); !slices.Equal(got, []journal.AttachmentID{file.ID}) {
			w.t.Errorf("the attachments are %v", got)
		}
		shown, err := w.Note(w.ctx, w.ann, note.ID)
		must(w.t, err)
		if shown.Trade == nil || *shown.Trade != back || shown.Title != "changed meanwhile" {
			w.t.Errorf("the note is %+v", shown)
		}
	})
}

// TestOrphanChoosesMostFills moves an orphan to the trade that most of its fills are in,
// and two orphans to one trade.
func TestOrphanChoosesMostFills(t *testing.T) {
	each(t, func(w *world) {
		first, second := w.annTrade, w.trade(w.ann, w.annCash)
		w.annotate(first, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("first")}})
		w.annotate(second, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("second")}})
		w.move(playbook.Regrouping{Orphaned: []playbook.Orphaned{
			{Trade: first, Account: w.annCash, FillKeys: []string{"a", "b", "flip"}},
			{Trade: second, Account: w.annCash, FillKeys: []string{"flip", "c"}},
		}})
		small, large := w.trade(w.ann, w.annCash), w.trade(w.ann, w.annCash)
		w.move(playbook.Regrouping{Account: w.annCash, Arrived: arrivals(
			playbook.Arrival{Trade: small, FillKeys: []string{"a"}},
			playbook.Arrival{Trade: large, FillKeys: []string{"b"}},
			playbook.Arrival{Trade: large, FillKeys: []string{"flip"}},
		)})
		if notes := w.annotations(large).Notes; notes != "first\n\n---\n\nsecond" {
			w.t.Errorf("the trade with most fills has %q", notes)
		}
		if annotations := w.annotations(small); annotations.Notes != "" {
			w.t.Errorf("the other trade has %+v", annotations)
		}
	})
}

// TestOrphanCountsFillsOnce moves an orphan to the trade with more of its fills,
// though the one in the other trade is known by two names.
func TestOrphanCountsFillsOnce(t *testing.T) {
	each(t, func(w *world) {
		w.annotate(w.annTrade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("words")}})
		w.move(playbook.Regrouping{Orphaned: []playbook.Orphaned{
			{Trade: w.annTrade, Account: w.annCash, FillKeys: []string{"a", "id|a", "b", "c"}},
		}})
		small, large := w.trade(w.ann, w.annCash), w.trade(w.ann, w.annCash)
		w.move(playbook.Regrouping{Account: w.annCash, Arrived: arrivals(
			playbook.Arrival{Trade: small, FillKeys: []string{"a", "id|a"}},
			playbook.Arrival{Trade: large, FillKeys: []string{"b", "id|b"}},
			playbook.Arrival{Trade: large, FillKeys: []string{"c"}},
		)})
		if w.annotations(large).Notes != "words" {
			w.t.Errorf("the trade with one fill has %q, that with two has %q", w.annotations(small).Notes, w.annotations(large).Notes)
		}
	})
}

// TestOrphanOfOneCall is orphaned and comes back in one regrouping, once as
// itself.
func TestOrphanOfOneCall(t *testing.T) {
	each(t, func(w *world) {
		w.annotate(w.annTrade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("here")}})
		gone := playbook.Orphaned{Trade: w.annTrade, Account: w.annCash, FillKeys: []string{"k"}}
		w.move(playbook.Regrouping{
			Orphaned: []playbook.Orphaned{gone},
			Account:  w.annCash,
			Arrived:  arrivals(playbook.Arrival{Trade: w.annTrade, FillKeys: []string{"k"}}),
		})
		if w.annotations(w.annTrade).Notes != "here" || len(w.orphans()) != 0 {
			w.t.Errorf("the trade has %+v", w.annotations(w.annTrade))
		}
		fresh := w.trade(w.ann, w.annCash)
		w.move(playbook.Regrouping{
			Orphaned: []playbook.Orphaned{gone},
			Account:  w.annCash,
			Arrived:  arrivals(playbook.Arrival{Trade: fresh, FillKeys: []string{"k"}}),
		})
		if w.annotations(fresh).Notes != "here" || len(w.orphans()) != 0 {
			w.t.Errorf("the fresh trade has %+v", w.annotations(fresh))
		}
	})
}

// TestEmptyMarksAreNoOrphans leaves no orphan behind where nothing is written,
// and one where only an attachment hangs.
func TestEmptyAnnotationsAreDeleted(t *testing.T) {
	each(t, func(w *world) {
		empty, pictured := w.annTrade, w.trade(w.ann, w.annCash)
		w.annotate(empty, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("x")}})
		w.annotate(empty, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some(" ")}})
		w.attach(playbook.Target{Trade: pictured})
		unknown := w.trade(w.ann, w.annCash)
		var gone []playbook.Orphaned
		for _, trade := range []journal.TradeID{empty, pictured, unknown} {
			gone = append(gone, playbook.Orphaned{Trade: trade, Account: w.annCash, FillKeys: []string{string(trade)}})
		}
		w.move(playbook.Regrouping{Orphaned: gone})
		if orphans := w.orphans(); len(orphans) != 1 || orphans[0].Trade != pictured {
			w.t.Errorf("the orphans are %+v", orphans)
		}
		w.annotate(unknown, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("x")}})
		w.update(func(tx *db.Tx) error {
			annotated := map[journal.TradeID]bool{}
			err := playbook.EachAnnotatedTrade(w.ctx, tx, func(_ journal.UserID, trade journal.TradeID, isOrphan bool) error {
				annotated[trade] = isOrphan
				return nil
			})
			if !maps.Equal(annotated, map[journal.TradeID]bool{unknown: false, pictured: true}) {
				w.t.Errorf("annotated are %v", annotated)
			}
			return err
		})
	})
}

func TestAdoptAndDeleteOrphans(t *testing.T) {
	each(t, func(w *world) {
		second := w.trade(w.ann, w.annCash)
		w.annotate(w.annTrade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("one")}})
		w.annotate(second, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("two")}})
		file := w.attach(playbook.Target{Trade: second})
		w.move(playbook.Regrouping{Orphaned: []playbook.Orphaned{{Trade: w.annTrade, Account: w.annCash}, {Trade: second, Account: w.annCash}}})

		home := w.trade(w.ann, w.annCash)
		_, err := w.AdoptOrphan(w.ctx, w.bob, w.annTrade, w.bobTrade)
		refused(w.t, err, journal.KindNotFound, "")
		_, err = w.AdoptOrphan(w.ctx, w.ann, w.annTrade, w.bobTrade)
		refused(w.t, err, journal.KindInvalid, "trade_id")
		annotations, err := w.AdoptOrphan(w.ctx, w.ann, w.annTrade, home)
		must(w.t, err)
		if annotations.Trade != home || annotations.Notes != "one" || annotations.Account != w.annCash {
			w.t.Errorf("adopted %+v", annotations)
		}
		_, err = w.AdoptOrphan(w.ctx, w.ann, w.annTrade, home)
		refused(w.t, err, journal.KindNotFound, "")

		refused(w.t, w.DeleteOrphan(w.ctx, w.bob, second), journal.KindNotFound, "")
		refused(w.t, w.DeleteOrphan(w.ctx, w.ann, home), journal.KindNotFound, "") // a trade, not an orphan
		must(w.t, w.DeleteOrphan(w.ctx, w.ann, second))
		if len(w.orphans()) != 0 {
			w.t.Error("orphans are left")
		}
		_, _, err = w.OpenAttachment(w.ctx, w.ann, file.ID)
		refused(w.t, err, journal.KindNotFound, "")
	})
}

func TestForgetTrades(t *testing.T) {
	each(t, func(w *world) {
		w.annotate(w.annTrade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("x")}, Tags: journal.Some([]journal.TagID{w.tag("t")})})
		file := w.attach(playbook.Target{Trade: w.annTrade})
		note := w.note(playbook.NoteChange{Body: journal.Some("x"), Trade: journal.Some(w.annTrade)})
		var files []journal.AttachmentID
		w.update(func(tx *db.Tx) (err error) {
			files, err = playbook.ForgetTrades(w.ctx, tx, w.ann, time.Now(), w.annCash, []journal.TradeID{w.annTrade, "unknown"})
			return err
		})
		if !slices.Equal(files, []journal.AttachmentID{file.ID}) {
			w.t.Errorf("the files are %v", files)
		}
		note, err := w.Note(w.ctx, w.ann, note.ID)
		must(w.t, err)
		if note.Trade != nil || w.annotations(w.annTrade).Trade != "" || len(w.orphans()) != 0 {
			w.t.Errorf("left are %+v and %+v", note, w.annotations(w.annTrade))
		}
	})
}

func TestForgetAccount(t *testing.T) {
	each(t, func(w *world) {
		second := w.account(w.ann, 2)
		elsewhere, lost := w.trade(w.ann, second), w.trade(w.ann, w.annCash)
		for _, trade := range []journal.TradeID{w.annTrade, elsewhere, lost} {
			w.annotate(trade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("x")}})
		}
		w.move(playbook.Regrouping{Orphaned: []playbook.Orphaned{{Trade: lost, Account: w.annCash, FillKeys: []string{"k"}}}})
		file := w.attach(playbook.Target{Trade: w.annTrade})
		note := w.note(playbook.NoteChange{Body: journal.Some("x"), Account: journal.Some(w.annCash), Trade: journal.Some(w.annTrade)})
		change := long(playbook.TargetHit)
		change.Account = journal.Some(w.annCash)
		missed := w.missed(change)

		remove := func(tx *db.Tx) error {
			_, err := tx.Exec(w.ctx, `DELETE FROM accounts WHERE user_id = $1 AND id = $2`, w.ann, w.annCash)
			return err
		}
		if err := w.db.Update(w.ctx, remove); !errors.Is(err, db.ErrMissing) {
			w.t.Fatalf("an account that is spoken of was deleted: %v", err)
		}
		w.update(func(tx *db.Tx) error {
			files, err := playbook.ForgetAccount(w.ctx, tx, w.ann, time.Now(), w.annCash)
			if err == nil && !slices.Equal(files, []journal.AttachmentID{file.ID}) {
				w.t.Errorf("the files are %v", files)
			}
			if err != nil {
				return err
			}
			return remove(tx)
		})
		note, err := w.Note(w.ctx, w.ann, note.ID)
		must(w.t, err)
		missed, err = w.MissedTrade(w.ctx, w.ann, missed.ID)
		must(w.t, err)
		if note.Account != nil || note.Trade != nil || missed.Account != nil {
			w.t.Errorf("left are %+v and %+v", note, missed)
		}
		if w.annotations(w.annTrade).Trade != "" || w.annotations(elsewhere).Notes != "x" || len(w.orphans()) != 0 {
			w.t.Error("the wrong annotations were deleted")
		}
	})
}

// TestDeletedUser deletes a user with everything he said.
func TestDeletedUser(t *testing.T) {
	each(t, func(w *world) {
		lost := w.trade(w.ann, w.annCash)
		for _, trade := range []journal.TradeID{w.annTrade, lost} {
			w.annotate(trade, playbook.AnnotationChange{
				ValueChange: playbook.ValueChange{MAE: number("1")},
				Tags:        journal.Some([]journal.TagID{w.tag(string(trade))}), Setup: journal.Some(w.setup(string(trade))),
			})
			w.attach(playbook.Target{Trade: trade})
		}
		note := w.note(playbook.NoteChange{Body: journal.Some("x"), Account: journal.Some(w.annCash), Trade: journal.Some(w.annTrade)})
		w.attach(playbook.Target{Note: note.ID})
		w.missed(playbook.MissedChange{
			Symbol: journal.Some("A"), Direction: journal.Some(playbook.Long), ObservedAt: journal.Some(w.clock.Now()),
			Account: journal.Some(w.annCash), Setup: journal.Some(w.setup("s")), Entry: journal.Some(decimal.New(1)),
		})
		w.move(playbook.Regrouping{Orphaned: []playbook.Orphaned{{Trade: lost, Account: w.annCash, FillKeys: []string{"k"}}}})
		w.update(func(tx *db.Tx) error {
			_, err := tx.Exec(w.ctx, `DELETE FROM users WHERE number = $1`, w.ann)
			return err
		})
		for _, table := range []string{
			"tags", "setups", "trade_annotations", "trade_tags", "trade_setups", "trade_rules", "orphaned_annotations", "orphaned_fills", "notes",
			"attachments", "attachment_blobs", "missed_trades",
		} {
			var n int
			must(w.t, w.db.Peek(w.ctx, func(tx *db.Tx) error {
				return tx.QueryRow(w.ctx, `SELECT COUNT(*) FROM `+table).Scan(&n)
			}))
			if n != 0 {
				w.t.Errorf("%d rows are left in %s", n, table)
			}
		}
	})
}

// arrivals returns arrived fills as a regrouping lists them.
func arrivals(list ...playbook.Arrival) iter.Seq[playbook.Arrival] { return slices.Values(list) }
