package routine

import (
	"testing"

	"fillbook/internal/base/journal"
)

func TestEditTitleInPlace(t *testing.T) {
	eachEngine(t, func(f fixture) {
		item := f.create("a", Pre, []int{1, 2}, "2026-03-01")
		f.tick("2026-03-02", item.ID, true)
		edited := f.edit(item.ID, Change{
			Title: journal.Some(" b "), Stage: journal.Some(Pre), Weekdays: journal.Some([]int{2, 1}),
		})
		want := item
		want.Title = "b"
		if edited != want {
			f.Errorf("edited %+v, want %+v", edited, want)
		}
		f.expectDay("2026-03-02", "b!")
		if again := f.edit(item.ID, Change{}); again != want {
			f.Errorf("an empty change gave %+v", again)
		}
	})
}

func TestEditMakesASuccessor(t *testing.T) {
	eachEngine(t, func(f fixture) {
		item := f.create("old", Pre, everyday, "2026-03-01")
		for _, day := range []journal.Day{"2026-03-04", "2026-03-05", "2026-03-06", "2026-03-12"} {
			f.tick(day, item.ID, true)
		}
		next := f.edit(item.ID, Change{Title: journal.Some("new"), Weekdays: journal.Some([]int{1, 2, 3, 4}), Day: "2026-03-05"})
		if next.ID == item.ID || next.StartDay != "2026-03-05" || next.Position != item.Position || next.Chain != item.ID {
			f.Errorf("the successor is %+v", next)
		}
		f.expectDay("2026-03-03", "old")
		f.expectDay("2026-03-04", "old!")
		f.expectDay("2026-03-05", "new!") // takes that day's tick
		f.expectDay("2026-03-06", "new!") // a Friday, off the new schedule, but done
		f.expectDay("2026-03-07", "")
		f.expectDay("2026-03-09", "new")
		f.expectDay("2026-03-12", "new!")
		f.expectItems("2026-03-04", "old")
		f.expectItems("2026-03-05", "new")

		_, err := f.service.Edit(f.Context(), f.owner, item.ID, Change{Title: journal.Some("x")}, nil)
		f.expectKind(err, journal.KindNotFound, "edit of an ended item")
		_, err = f.service.Edit(f.Context(), f.owner, item.ID, Change{Title: journal.Some("x"), Day: "2026-03-02"}, nil)
		f.expectKind(err, journal.KindNotFound, "edit of an ended item on an early day")
		f.expectKind(f.service.Delete(f.Context(), f.owner, item.ID, "2026-03-02", nil), journal.KindNotFound, "deletion of an ended item")
		f.expectDay("2026-03-04", "old!")
		f.expectNoBreaches()
	})
}

func TestEditOnTheFirstDayLeavesNoTrace(t *testing.T) {
	eachEngine(t, func(f fixture) {
		for _, day := range []journal.Day{"2026-03-09", "2026-03-01"} { // the start, and a day before it
			item := f.create("a", Pre, everyday, "2026-03-09")
			f.tick("2026-03-09", item.ID, true)
			next := f.edit(item.ID, Change{Stage: journal.Some(Post), Day: day})
			if next.StartDay != "2026-03-09" {
				f.Errorf("the successor begins on %s", next.StartDay)
			}
			f.expectDay("2026-03-09", "a!")
			_, err := f.service.Tick(f.Context(), f.owner, "2026-03-05", item.ID, true, nil)
			f.expectKind(err, journal.KindNotFound, "tick of an item that is gone")
			f.must(f.service.Delete(f.Context(), f.owner, next.ID, "2026-03-01", nil))
		}
		f.expectDay("2026-03-09", "")
		f.expectNoBreaches()
	})
}

// Ticks from before the start do not change,
// even if their item is never active any more.
func TestEarlyTicksOutliveTheirItem(t *testing.T) {
	eachEngine(t, func(f fixture) {
		item := f.create("a", Pre, everyday, "2026-03-09")
		f.expectDay("2026-03-05", "")
		f.tick("2026-03-05", item.ID, true)
		f.expectDay("2026-03-05", "a!")
		f.edit(item.ID, Change{Title: journal.Some("b"), Stage: journal.Some(Post), Day: "2026-03-09"})
		f.expectDay("2026-03-05", "a!")
		f.expectDay("2026-03-09", "b")
		f.expectItems("2026-03-05")
		f.expectNoBreaches()
		_, err := f.service.Edit(f.Context(), f.owner, item.ID, Change{Title: journal.Some("x"), Day: "2026-03-01"}, nil)
		f.expectKind(err, journal.KindNotFound, "edit of an item that is never active")
		f.expectKind(f.service.Reorder(f.Context(), f.owner, []journal.RoutineID{item.ID}), journal.KindNotFound, "reorder of it")
		f.tick("2026-03-05", item.ID, false)
		f.expectDay("2026-03-05", "")
		_, err = f.service.Tick(f.Context(), f.owner, "2026-03-05", item.ID, true, nil)
		f.expectKind(err, journal.KindNotFound, "tick of an item that lost its last tick")
		f.expectNoBreaches()
	})
}

func TestEditRefuses(t *testing.T) {
	eachEngine(t, func(f fixture) {
		item := f.create("a", Pre, everyday, "")
		for what, change := range map[string]Change{
			"null title":    {Title: journal.Opt[string]{Set: true, Null: true}},
			"null stage":    {Stage: journal.Opt[Stage]{Set: true, Null: true}},
			"null weekdays": {Weekdays: journal.Opt[[]int]{Set: true, Null: true}},
			"blank title":   {Title: journal.Some("  ")},
			"bad stage":     {Stage: journal.Some(Stage("noon"))},
			"no weekdays":   {Weekdays: journal.Some([]int{})},
			"bad weekday":   {Weekdays: journal.Some([]int{1, 9})},
		} {
			_, err := f.service.Edit(f.Context(), f.owner, item.ID, change, nil)
			f.expectKind(err, journal.KindInvalid, what)
		}
		_, err := f.service.Edit(f.Context(), f.owner, "unknown", Change{}, nil)
		f.expectKind(err, journal.KindNotFound, "unknown item")
		f.expectItems("", "a")
	})
}

// An item with a later end can still be changed.
func TestEndAhead(t *testing.T) {
	eachEngine(t, func(f fixture) {
		item := f.create("a", Pre, everyday, "2026-03-01")
		f.must(f.service.Delete(f.Context(), f.owner, item.ID, "2026-03-20", nil))
		f.expectItems("", "a")
		f.expectItems("2026-03-20")
		next := f.edit(item.ID, Change{Title: journal.Some("b"), Weekdays: journal.Some([]int{2}), Day: "2026-03-12"})
		if next.StartDay != "2026-03-12" || next.EndDay != "2026-03-20" {
			f.Errorf("the successor is %+v", next)
		}
		f.expectItems("2026-03-11", "a")
		f.expectItems("2026-03-12", "b")
		f.expectItems("2026-03-20")
		_, err := f.service.Edit(f.Context(), f.owner, next.ID, Change{Title: journal.Some("c"), Day: "2026-03-20"}, nil)
		f.expectKind(err, journal.KindNotFound, "edit on the end day")
		f.expectKind(f.service.Delete(f.Context(), f.owner, next.ID, "2026-03-21", nil), journal.KindNotFound, "deletion after the end")
		f.must(f.service.Delete(f.Context(), f.owner, next.ID, "2026-03-15", nil))
		f.expectItems("2026-03-15")
		f.expectNoBreaches()
	})
}

func TestDeleteFromADayOn(t *testing.T) {
	eachEngine(t, func(f fixture) {
		item := f.create("a", Pre, everyday, "2026-03-01")
		for _, day := range []journal.Day{"2026-03-04", "2026-03-05", "2026-03-06"} {
			f.tick(day, item.ID, true)
		}
		f.must(f.service.Delete(f.Context(), f.owner, item.ID, "2026-03-05", nil))
		f.expectDay("2026-03-03", "a")
		f.expectDay("2026-03-04", "a!")
		f.expectDay("2026-03-05", "")
		f.expectDay("2026-03-06", "")
		f.expectKind(f.service.Delete(f.Context(), f.owner, item.ID, "", nil), journal.KindNotFound, "second deletion")
		f.expectKind(f.service.Delete(f.Context(), f.owner, "unknown", "", nil), journal.KindNotFound, "unknown item")

		other := f.create("b", Pre, everyday, "2026-03-01")
		f.must(f.service.Delete(f.Context(), f.owner, other.ID, "", nil))
		f.expectDay(today.AddDays(-1), "b")
		f.expectDay(today, "")
		f.expectNoBreaches()
	})
}

// Deleting an item deletes its planned successors.
// Earlier days do not change.
func TestDeleteRemovesPlannedSuccessors(t *testing.T) {
	eachEngine(t, func(f fixture) {
		item := f.create("a", Pre, everyday, "2026-03-01")
		next := f.edit(item.ID, Change{Title: journal.Some("b"), Stage: journal.Some(Post), Day: "2026-03-16"})
		last := f.edit(next.ID, Change{Title: journal.Some("c"), Stage: journal.Some(During), Day: "2026-03-20"})
		f.tick("2026-03-02", item.ID, true)
		f.tick("2026-03-17", next.ID, true)
		f.tick("2026-03-03", last.ID, true) // long before it begins
		f.expectItems("2026-03-16", "b")
		f.must(f.service.Delete(f.Context(), f.owner, item.ID, "2026-03-12", nil))
		f.expectDay("2026-03-02", "a!")
		f.expectDay("2026-03-03", "a c!")
		f.expectDay("2026-03-11", "a")
		for _, day := range []journal.Day{"2026-03-12", "2026-03-16", "2026-03-17", "2026-03-20"} {
			f.expectDay(day, "")
		}
		f.expectKind(f.service.Delete(f.Context(), f.owner, next.ID, "2026-03-12", nil), journal.KindNotFound, "the successor")
		f.expectNoBreaches()
	})
}
