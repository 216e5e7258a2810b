package installation_test

import (
	"context"
	"testing"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/routine"
)

// item creates a routine item that is due every day from the day before today on.
func (h *fixture) item(title string) routine.Item {
	h.t.Helper()
	_, err := h.Routine.Items(h.t.Context(), h.owner, "") // the first reading stores the items
	must(h.t, err)
	item, err := h.Routine.Create(h.t.Context(), h.owner, routine.Draft{
		Title: title, Stage: routine.Pre, Weekdays: []int{0, 1, 2, 3, 4, 5, 6}, Day: h.day(-1),
	})
	must(h.t, err)
	return item
}

// day returns a day relative to today.
func (h *fixture) day(n int) journal.Day { return journal.DayOf(h.Clock().AddDate(0, 0, n)) }

func (h *fixture) tickOn(day journal.Day, id journal.RoutineID) {
	h.t.Helper()
	_, err := h.Routine.Tick(h.t.Context(), h.owner, day, id, true, nil)
	must(h.t, err)
}

// TestRedoKeepsEarlierTicks redoes the deletion of an item with ticks before its end.
func TestRedoKeepsEarlierTicks(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(_ *testing.T, h *fixture) {
		item := h.item("Plan")
		h.tickOn(h.day(-1), item.ID)
		h.tickOn(h.day(1), item.ID)
		before := h.state()
		h.wantUndoAndRedo(before, h.change(func(ctx context.Context) error {
			return h.Routine.Delete(ctx, h.owner, item.ID, h.day(1), nil)
		}))
	})
}

// TestUndoOfEndedItem undoes a change to an item whose end was set before.
func TestUndoOfEndedItem(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(_ *testing.T, h *fixture) {
		item := h.item("Plan")
		must(h.t, h.Routine.Delete(h.t.Context(), h.owner, item.ID, h.day(1), nil))
		before := h.state()
		h.wantUndoAndRedo(before, h.change(func(ctx context.Context) error {
			_, err := h.Routine.Edit(ctx, h.owner, item.ID, routine.Change{Title: journal.Some("Plan the day"), Day: h.day(0)}, nil)
			return err
		}))
	})
}

// TestUndoOfDeletedItem names the deletion that is in the way of undoing an earlier change.
func TestUndoOfDeletedItem(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(_ *testing.T, h *fixture) {
		item := h.item("Plan")
		id := h.change(func(ctx context.Context) error {
			_, err := h.Routine.Edit(ctx, h.owner, item.ID, routine.Change{Title: journal.Some("Plan the day")}, nil)
			return err
		})
		deletion := h.change(func(ctx context.Context) error { return h.Routine.Delete(ctx, h.owner, item.ID, "", nil) })
		h.wantConflict(id, "routine_item", string(item.ID), "")
		h.undo(deletion)
		h.undo(id)
	})
}

// TestRedoOfDeletedItemKeepsItsPlace redoes the deletion of an item that got another place
// after it: it had not ended yet.
func TestRedoOfDeletedItemKeepsItsPlace(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(_ *testing.T, h *fixture) {
		item := h.item("Plan")
		deletion := h.change(func(ctx context.Context) error { return h.Routine.Delete(ctx, h.owner, item.ID, h.day(1), nil) })
		must(h.t, h.Routine.Reorder(h.t.Context(), h.owner, []journal.RoutineID{item.ID}))
		after := h.state()
		h.undo(h.undo(deletion))
		if is := h.state(); is != after {
			h.t.Fatalf("after the redo:\n%s", firstDifference(after, is))
		}
		h.wantNoProblems()
	})
}

// TestUndoOfSuccessor undoes changes that end an item and begin its successor, to which
// later ticks move. One item has begun, and the other has not.
func TestUndoOfSuccessor(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]int{"begun": 0, "not begun": -1} {
		t.Run(name, func(t *testing.T) {
			eachFixture(t, func(_ *testing.T, h *fixture) {
				item := h.item("Plan")
				h.tickOn(h.day(0), item.ID)
				if name == "begun" {
					h.tickOn(h.day(-1), item.ID)
				}
				before := h.state()
				h.wantUndoAndRedo(before, h.change(func(ctx context.Context) error {
					_, err := h.Routine.Edit(ctx, h.owner, item.ID, routine.Change{Stage: journal.Some(routine.Post), Day: h.day(from)}, nil)
					return err
				}))
			})
		})
	}
}
