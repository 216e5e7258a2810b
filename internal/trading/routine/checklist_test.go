package routine

import (
	"context"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

func TestTick(t *testing.T) {
	eachEngine(t, func(f fixture) {
		item := f.create("a", Pre, []int{1}, "2026-03-02") // Mondays
		for range 2 {                                      // idempotent both ways
			if list := f.tick("2026-03-09", item.ID, true); list.Done != 1 || list.Total != 1 || !list.Lines[0].Done || list.Lines[0].ID != item.ID {
				f.Errorf("ticked: %+v", list)
			}
		}
		for range 2 {
			if list := f.tick("2026-03-09", item.ID, false); list.Done != 0 || list.Total != 1 || list.Lines[0].Done {
				f.Errorf("not ticked: %+v", list)
			}
		}
		f.expectDay("2026-03-10", "") // a Tuesday, off schedule
		if list := f.tick("2026-03-10", item.ID, true); list.Done != 1 || list.Total != 1 {
			f.Errorf("ticked off schedule: %+v", list)
		}
		f.expectDay("2026-03-10", "a!")
		f.tick("2026-03-10", item.ID, false)
		f.expectDay("2026-03-10", "")
		f.tick("2026-02-28", item.ID, true) // before the start
		f.expectDay("2026-02-28", "a!")

		f.must(f.service.Delete(f.Context(), f.owner, item.ID, "2026-03-16", nil))
		for _, day := range []journal.Day{"2026-03-16", "2026-03-23"} {
			_, err := f.service.Tick(f.Context(), f.owner, day, item.ID, true, nil)
			f.expectKind(err, journal.KindNotFound, "tick on or after the end")
		}
		f.tick("2026-03-15", item.ID, true) // a day before the end, of an ended item
		_, err := f.service.Tick(f.Context(), f.owner, today, "unknown", true, nil)
		f.expectKind(err, journal.KindNotFound, "tick of an unknown item")
	})
}

// check is called with the stored record, and its error prevents the change.
func TestCheckRunsBeforeChange(t *testing.T) {
	eachEngine(t, func(f fixture) {
		item := f.create("a", Pre, everyday, "")
		ctx, owner := f.Context(), f.owner
		refuse := func(stored Item) error {
			if stored != item {
				f.Errorf("check saw %+v, want %+v", stored, item)
			}
			return journal.Stale()
		}
		_, err := f.service.Edit(ctx, owner, item.ID, Change{Title: journal.Some("b")}, refuse)
		f.expectKind(err, journal.KindStale, "Edit")
		f.expectKind(f.service.Delete(ctx, owner, item.ID, "", refuse), journal.KindStale, "Delete")
		_, err = f.service.Tick(ctx, owner, today, item.ID, true, func(stored Checklist) error {
			if stored.Total != 1 || stored.Done != 0 {
				f.Errorf("check saw %+v", stored)
			}
			return journal.Stale()
		})
		f.expectKind(err, journal.KindStale, "Tick")
		_, err = f.service.SetTemplate(ctx, owner, []string{"x"}, func(stored []string) error {
			if len(stored) != 0 {
				f.Errorf("check saw %q", stored)
			}
			return journal.Stale()
		})
		f.expectKind(err, journal.KindStale, "SetTemplate")
		f.expectDay(today, "a")
		if lines, err := f.service.Template(ctx, owner); err != nil || len(lines) != 0 {
			f.Errorf("the template is %q, %v", lines, err)
		}
		allow := func(Item) error { return nil }
		if _, err := f.service.Edit(ctx, owner, item.ID, Change{Title: journal.Some("b")}, allow); err != nil {
			f.Error(err)
		}
	})
}

func TestUsersDoNotSeeEachOther(t *testing.T) {
	eachEngine(t, func(f fixture) {
		item := f.create("mine", Pre, everyday, "")
		f.tick(today, item.ID, true)
		other := f
		other.owner = newUser(f.T, f.db)
		other.setTemplate()
		other.expectItems("")
		other.expectDay(today, "")
		_, err := f.service.Edit(f.Context(), other.owner, item.ID, Change{Title: journal.Some("x")}, nil)
		f.expectKind(err, journal.KindNotFound, "edit")
		f.expectKind(f.service.Delete(f.Context(), other.owner, item.ID, "", nil), journal.KindNotFound, "delete")
		f.expectKind(f.service.Reorder(f.Context(), other.owner, []journal.RoutineID{item.ID}), journal.KindNotFound, "reorder")
		_, err = f.service.Tick(f.Context(), other.owner, today, item.ID, false, nil)
		f.expectKind(err, journal.KindNotFound, "tick")
		if h := other.history("", ""); h.Total != 0 || h.CompletionRate() != nil || h.Streak != 0 {
			f.Errorf("the history of another user is %+v", h)
		}
		f.expectDay(today, "mine!")
	})
}

func TestDeletingUserDeletesRoutine(t *testing.T) {
	eachEngine(t, func(f fixture) {
		item := f.create("a", Pre, everyday, "")
		f.tick(today, item.ID, true)
		f.must(f.db.Update(f.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(f.Context(), `DELETE FROM users WHERE number = $1`, f.owner)
			return err
		}))
		for _, table := range []string{"routine_items", "routine_ticks", "routine_seeds", "checklist_templates"} {
			f.must(f.db.View(f.Context(), func(tx *db.Tx) error {
				var n int
				err := tx.QueryRow(f.Context(), `SELECT COUNT(*) FROM `+table+` WHERE user_id = $1`, f.owner).Scan(&n)
				if n != 0 {
					f.Errorf("%d rows left in %s", n, table)
				}
				return err
			}))
		}
	})
}

func TestCanceledCall(t *testing.T) {
	eachEngine(t, func(f fixture) {
		ctx, cancel := context.WithCancel(f.Context())
		cancel()
		if _, err := f.service.Create(ctx, f.owner, Draft{Title: "a", Stage: Pre, Weekdays: everyday}); err == nil {
			f.Error("a canceled call succeeded")
		}
		f.expectItems("")
	})
}
