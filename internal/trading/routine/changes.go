package routine

import (
	"cmp"
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// maxItems is how many unfinished items a user can have.
const maxItems = 500

// Items returns the items that are active on a day, by default today in UTC, ordered
// by stage and then by position.
func (s *Service) Items(ctx context.Context, owner journal.UserID, day journal.Day) ([]Item, error) {
	day = s.dayOrToday(day)
	var active []Item
	err := s.read(ctx, owner, day, func(tx *db.Tx) error {
		items, err := listItems(ctx, tx, owner, day, day)
		active = slices.DeleteFunc(items, func(item Item) bool { return !item.ActiveOn(day) })
		return err
	})
	return active, err
}

// Draft has a new item's fields.
type Draft struct {
	Title    string
	Stage    Stage
	Weekdays []int
	Day      journal.Day // the first day; by default today in UTC
}

// Create adds an item, last in its stage.
func (s *Service) Create(ctx context.Context, owner journal.UserID, draft Draft) (Item, error) {
	item, err := newItem(draft.Title, draft.Stage, draft.Weekdays, s.dayOrToday(draft.Day))
	if err != nil {
		return Item{}, err
	}
	err = s.change(ctx, owner, s.clampToToday(item.StartDay), func(tx *db.Tx) error {
		today := s.clock.Today()
		living, err := listUnendedItems(ctx, tx, owner, today)
		if err != nil {
			return err
		}
		if len(living) >= maxItems {
			return journal.Conflict("A routine has at most %d items; delete one first.", maxItems)
		}
		if err := limits.RoutineItems.Check(ctx, tx, owner, countItems); err != nil {
			return err
		}
		item.Position = nextPosition(living, item.Stage, today)
		itemHistory.Created(tx, owner, &item)
		return insertItems(ctx, tx, owner, []Item{item})
	})
	return item, err
}

// newItem validates an item's fields and returns a new item.
func newItem(title string, stage Stage, weekdays []int, start journal.Day) (Item, error) {
	title, err := journal.CleanRequiredName("title", title)
	if err != nil {
		return Item{}, err
	}
	if err := stage.check(); err != nil {
		return Item{}, err
	}
	days, err := NewWeekdays(weekdays...)
	if err != nil {
		return Item{}, err
	}
	id := journal.NewID[journal.RoutineID]()
	return Item{ID: id, Chain: id, ItemValues: ItemValues{Title: title, Stage: stage, Weekdays: days, StartDay: start}}, nil
}

// Change is a partial change to an item. Day is the first day with a new stage or new
// weekdays, by default today in UTC.
type Change struct {
	Title    journal.Opt[string]
	Stage    journal.Opt[Stage]
	Weekdays journal.Opt[[]int]
	Day      journal.Day
}

// apply returns the changed item. No field can be cleared.
func (c Change) apply(item Item) (Item, error) {
	if err := cmp.Or(c.Title.NotNull("title"), c.Stage.NotNull("stage"), c.Weekdays.NotNull("weekdays")); err != nil {
		return Item{}, err
	}
	wanted, err := newItem(c.Title.Or(item.Title), c.Stage.Or(item.Stage), c.Weekdays.Or(item.Weekdays.List()), item.StartDay)
	if err != nil {
		return Item{}, err
	}
	item.Title, item.Stage, item.Weekdays = wanted.Title, wanted.Stage, wanted.Weekdays
	return item, nil
}

// Edit changes an item. A new title is set in place. A new stage or new
// weekdays end the item, and Edit returns its successor, which has its own id;
// earlier days do not change. An item that has ended is not found. check, if not
// nil, is called with the stored item first and may return an error.
func (s *Service) Edit(ctx context.Context, owner journal.UserID, id journal.RoutineID, change Change, check func(Item) error) (Item, error) {
	var result Item
	day := s.dayOrToday(change.Day)
	err := s.change(ctx, owner, s.clampToToday(day), func(tx *db.Tx) error {
		item, err := s.findEditable(ctx, tx, owner, id, day, check)
		if err != nil {
			return err
		}
		wanted, err := change.apply(item)
		if err != nil {
			return err
		}
		if wanted.Stage != item.Stage || wanted.Weekdays != item.Weekdays {
			result, err = s.replaceItem(ctx, tx, owner, item, wanted, day)
			return err
		}
		result = wanted
		if wanted.Title == item.Title {
			return nil
		}
		itemHistory.Updated(tx, owner, &item, &wanted)
		return updateItems(ctx, tx, owner, wanted)
	})
	return result, err
}

// findEditable reads an item that has ended neither today nor on the change day.
func (s *Service) findEditable(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.RoutineID, day journal.Day, check func(Item) error) (Item, error) {
	item, err := findItem(ctx, tx, owner, id)
	if err != nil {
		return Item{}, err
	}
	if item.hasEndedBy(max(day, s.clock.Today())) || item.isNeverActive() {
		return Item{}, errNoItem()
	}
	return item, runCheck(check, item)
}

// replaceItem ends an item on a day, or on its first day if that is later, and
// moves its later ticks to a successor.
func (s *Service) replaceItem(ctx context.Context, tx *db.Tx, owner journal.UserID, item, wanted Item, day journal.Day) (Item, error) {
	ended, successor := splitAt(item, wanted, day)
	if successor.Stage != item.Stage {
		today := s.clock.Today()
		living, err := listUnendedItems(ctx, tx, owner, today)
		if err != nil {
			return Item{}, err
		}
		successor.Position = nextPosition(living, successor.Stage, today)
	}
	if err := limits.RoutineItems.Check(ctx, tx, owner, countItems); err != nil {
		return Item{}, err
	}
	history.Describe(tx, owner, history.Description{Action: history.Update, Summary: "Changed routine item " + successor.Title})
	stays, err := staysEnded(ctx, tx, owner, ended)
	if err != nil {
		return Item{}, err
	}
	if stays {
		itemHistory.Updated(tx, owner, &item, &ended)
		err = keepTicks(ctx, tx, owner, item.ID, successor.StartDay)
	} else {
		itemHistory.Deleted(tx, owner, &item)
		err = keepItem(ctx, tx, owner, item.ID, successor.StartDay)
	}
	if err != nil {
		return Item{}, err
	}
	itemHistory.Created(tx, owner, &successor)
	if err := insertItems(ctx, tx, owner, []Item{successor}); err != nil {
		return Item{}, err
	}
	if err := moveTicks(ctx, tx, owner, item.ID, successor.ID, successor.StartDay); err != nil {
		return Item{}, err
	}
	return successor, endItem(ctx, tx, owner, ended)
}

// splitAt splits an item at a day: the days before belong to
// the item, the others to the successor.
func splitAt(item, wanted Item, day journal.Day) (ended, successor Item) {
	day = max(day, item.StartDay)
	ended, successor = item, wanted
	ended.EndDay = day
	successor.ID = journal.NewID[journal.RoutineID]()
	successor.StartDay = day
	return ended, successor
}

// Delete ends an item on a day, by default today in UTC, and deletes its
// planned successors. Earlier days keep it and its ticks. An item that has ended
// is not found. check, if not nil, is called with the stored item first and
// may return an error.
func (s *Service) Delete(ctx context.Context, owner journal.UserID, id journal.RoutineID, day journal.Day, check func(Item) error) error {
	day = s.dayOrToday(day)
	return s.change(ctx, owner, s.clampToToday(day), func(tx *db.Tx) error {
		item, err := s.findEditable(ctx, tx, owner, id, day, check)
		if err != nil {
			return err
		}
		items, err := listSuccessors(ctx, tx, owner, item)
		if err != nil {
			return err
		}
		for _, item := range append(items, item) {
			if err := removeItem(ctx, tx, owner, item, day); err != nil {
				return err
			}
		}
		return nil
	})
}

// removeItem ends an item on a day, keeps it for an undo and records its deletion.
func removeItem(ctx context.Context, tx *db.Tx, owner journal.UserID, item Item, day journal.Day) error {
	itemHistory.Deleted(tx, owner, &item)
	if err := keepItem(ctx, tx, owner, item.ID, day); err != nil {
		return err
	}
	item.EndDay = day
	if err := deleteTicks(ctx, tx, owner, item.ID, day); err != nil {
		return err
	}
	return endItem(ctx, tx, owner, item)
}

// Reorder moves the given items to their stages' start, in the given order; the others
// keep their order after them.
func (s *Service) Reorder(ctx context.Context, owner journal.UserID, ids []journal.RoutineID) error {
	if len(ids) == 0 {
		return journal.InvalidField("ids", "ids must name at least one item.")
	}
	if len(ids) > maxItems {
		return journal.InvalidField("ids", "ids must name at most %d items.", maxItems)
	}
	if sorted := slices.Sorted(slices.Values(ids)); len(slices.Compact(sorted)) != len(ids) {
		return journal.InvalidField("ids", "ids must name each item once.")
	}
	return s.change(ctx, owner, s.clock.Today(), func(tx *db.Tx) error {
		living, err := listUnendedItems(ctx, tx, owner, s.clock.Today())
		if err != nil {
			return err
		}
		for _, id := range ids {
			if !slices.ContainsFunc(living, func(item Item) bool { return item.ID == id }) {
				return errNoItem()
			}
		}
		moved := reorder(living, ids)
		for i := range moved {
			before := living[slices.IndexFunc(living, func(item Item) bool { return item.ID == moved[i].ID })]
			itemHistory.Updated(tx, owner, &before, &moved[i])
		}
		return updateItems(ctx, tx, owner, moved...)
	})
}
