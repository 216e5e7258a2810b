package playbook_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/playbook"
)

func TestSetups(t *testing.T) {
	each(t, func(w *world) {
		created := w.clock.Now()
		setup, err := w.CreateSetup(w.ctx, w.ann, playbook.SetupChange{
			Name: journal.Some("Opening range"), Description: journal.Some("first 15 minutes"), Thesis: journal.Some("range breaks"),
			Symbol: journal.Some(" es "), Direction: journal.Some(playbook.Long), TargetPrice: number("5010.25"),
			Checklist: journal.Some([]string{" volume ", "trend"}),
		})
		must(w.t, err)
		want := playbook.Setup{
			ID: setup.ID, CreatedAt: created, UpdatedAt: created,
			SetupValues: playbook.SetupValues{
				Name: "Opening range", Description: "first 15 minutes", Thesis: "range breaks", Symbol: "ES",
				Direction: playbook.Long, TargetPrice: decimal.Of(decimal.Must("5010.25")), Checklist: []string{"volume", "trend"},
			},
		}
		if diff := cmp.Diff(want, setup); diff != "" {
			w.t.Fatal(diff)
		}
		w.clock.Advance(time.Minute)
		changed, err := w.ChangeSetup(w.ctx, w.ann, setup.ID, playbook.SetupChange{
			TargetPrice: null[decimal.Decimal](), StopPrice: number("4990"), Symbol: null[string](), Checklist: null[[]string](),
			Direction: null[playbook.Direction](),
		}, nil, nil)
		must(w.t, err)
		want.TargetPrice, want.StopPrice = decimal.Null{}, decimal.Of(decimal.New(4990))
		want.Symbol, want.Direction, want.Checklist, want.UpdatedAt = "", "", []string{}, w.clock.Now()
		stored, err := w.Setup(w.ctx, w.ann, setup.ID)
		must(w.t, err)
		if diff := cmp.Diff(want, changed); diff != "" {
			w.t.Error(diff)
		}
		if diff := cmp.Diff(want, stored); diff != "" {
			w.t.Error(diff)
		}
		w.setup("a second")
		list, err := w.Setups(w.ctx, w.ann)
		must(w.t, err)
		if len(list) != 2 || list[0].Name != "a second" || list[1].Name != "Opening range" {
			w.t.Errorf("setups by name are %+v", list)
		}
		must(w.t, w.DeleteSetup(w.ctx, w.ann, setup.ID, nil))
		_, err = w.Setup(w.ctx, w.ann, setup.ID)
		refused(w.t, err, journal.KindNotFound, "")
	})
}

func TestSetupRefusals(t *testing.T) {
	each(t, func(w *world) {
		id := w.setup("kept")
		for field, change := range map[string]playbook.SetupChange{
			"name":         {Name: null[string]()},
			"description":  {Description: journal.Some(strings.Repeat("x", journal.MaxNoteBytes+1))},
			"thesis":       {Thesis: journal.Some("\x01")},
			"symbol":       {Symbol: journal.Some(strings.Repeat("X", 65))},
			"direction":    {Direction: journal.Some(playbook.Direction("up"))},
			"target_price": {TargetPrice: number("0")},
			"stop_price":   {StopPrice: number("-1")},
			"checklist":    {Checklist: journal.Some([]string{"a", " "})},
		} {
			_, err := w.ChangeSetup(w.ctx, w.ann, id, change, nil, nil)
			refused(w.t, err, journal.KindInvalid, field)
		}
		_, err := w.ChangeSetup(w.ctx, w.ann, id, playbook.SetupChange{Checklist: journal.Some(make([]string, 101))}, nil, nil)
		refused(w.t, err, journal.KindInvalid, "checklist")
		_, err = w.CreateSetup(w.ctx, w.ann, playbook.SetupChange{Name: journal.Some("KEPT")})
		refused(w.t, err, journal.KindConflict, "")
		other := w.setup("other")
		_, err = w.ChangeSetup(w.ctx, w.ann, other, playbook.SetupChange{Name: journal.Some("Kept")}, nil, nil)
		refused(w.t, err, journal.KindConflict, "")

		stale := func(playbook.Setup) error { return journal.Stale() }
		_, err = w.ChangeSetup(w.ctx, w.ann, id, playbook.SetupChange{}, nil, stale)
		refused(w.t, err, journal.KindStale, "")
		refused(w.t, w.DeleteSetup(w.ctx, w.ann, id, stale), journal.KindStale, "")

		_, err = w.Setup(w.ctx, w.bob, id)
		refused(w.t, err, journal.KindNotFound, "")
		_, err = w.ChangeSetup(w.ctx, w.bob, id, playbook.SetupChange{}, nil, nil)
		refused(w.t, err, journal.KindNotFound, "")
		refused(w.t, w.DeleteSetup(w.ctx, w.bob, id, nil), journal.KindNotFound, "")
		list, err := w.Setups(w.ctx, w.bob)
		must(w.t, err)
		if len(list) != 0 {
			w.t.Errorf("bob sees %+v", list)
		}
	})
}

func TestUpsertSetup(t *testing.T) {
	each(t, func(w *world) {
		upsert := func(change playbook.SetupChange, wantChanged bool) journal.SetupID {
			var id journal.SetupID
			w.update(func(tx *db.Tx) error {
				done, err := playbook.UpsertSetups(w.ctx, tx, w.ann, w.clock.Now(), []playbook.NewSetup{{SetupChange: change, CreatedAt: w.clock.Now()}})
				if err != nil {
					return err
				}
				if id = done[0].ID; done[0].Err != nil || done[0].Changed != wantChanged {
					return fmt.Errorf("%+v changed: %+v", change, done[0])
				}
				return nil
			})
			return id
		}
		gap := playbook.SetupChange{Name: journal.Some("Gap"), Thesis: journal.Some("fills"), StopPrice: number("1.50")}
		id := upsert(gap, true)
		gap.Name = journal.Some("GAP")
		if again := upsert(gap, false); again != id {
			w.t.Errorf("the same setup is %s and %s", id, again)
		}
		upsert(playbook.SetupChange{Name: journal.Some("gap"), Thesis: journal.Some("fills half")}, true)
		setup, err := w.Setup(w.ctx, w.ann, id)
		must(w.t, err)
		if setup.Name != "Gap" || setup.Thesis != "fills half" || setup.StopPrice.String() != "1.5" {
			w.t.Errorf("the setup is %+v", setup)
		}
	})
}

func TestDeletedSetupLeavesTradesAndMisses(t *testing.T) {
	each(t, func(w *world) {
		id := w.setup("gone soon")
		w.annotate(w.annTrade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some("stays")}, Setup: journal.Some(id)})
		missed, err := w.CreateMissed(w.ctx, w.ann, playbook.MissedChange{
			Symbol: journal.Some("X"), Direction: journal.Some(playbook.Long), ObservedAt: journal.Some(w.clock.Now()), Setup: journal.Some(id),
		})
		must(w.t, err)
		must(w.t, w.DeleteSetup(w.ctx, w.ann, id, nil))
		if annotations := w.annotations(w.annTrade); len(annotations.Setups) != 0 || annotations.Notes != "stays" {
			w.t.Errorf("the trade has %+v", annotations)
		}
		missed, err = w.MissedTrade(w.ctx, w.ann, missed.ID)
		must(w.t, err)
		if missed.Setup != nil {
			w.t.Errorf("the missed trade has setup %s", *missed.Setup)
		}
	})
}
