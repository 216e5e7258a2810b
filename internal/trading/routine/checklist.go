package routine

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Checklist is one routine day: the items scheduled on it, and those that were ticked off
// schedule.
type Checklist struct {
	Day         journal.Day
	Lines       []Line
	Done, Total int
}

// Line is an item on one day.
type Line struct {
	Item
	Done bool
}

// ticks are the days on which items were done.
type ticks map[tick]bool

type tick struct {
	item journal.RoutineID
	day  journal.Day
}

// buildChecklist returns a day's checklist. items must be in their order.
func buildChecklist(day journal.Day, items []Item, done ticks) Checklist {
	list := Checklist{Day: day, Lines: []Line{}}
	for _, item := range items {
		ticked := done[tick{item.ID, day}]
		if !ticked && !item.ScheduledOn(day) {
			continue
		}
		list.Lines = append(list.Lines, Line{Item: item, Done: ticked})
		list.Total++
		if ticked {
			list.Done++
		}
	}
	return list
}

// Checklist returns one routine day.
func (s *Service) Checklist(ctx context.Context, owner journal.UserID, day journal.Day) (Checklist, error) {
	var list Checklist
	err := s.read(ctx, owner, s.clampToToday(day), func(tx *db.Tx) (err error) {
		list, err = readChecklist(ctx, tx, owner, day)
		return err
	})
	return list, err
}

func readChecklist(ctx context.Context, tx *db.Tx, owner journal.UserID, day journal.Day) (Checklist, error) {
	items, err := listItems(ctx, tx, owner, day, day)
	if err != nil {
		return Checklist{}, err
	}
	done, err := listTicks(ctx, tx, owner, day, day)
	return buildChecklist(day, items, done), err
}

// Tick sets whether an item was done on a day and returns the day. It
// is idempotent. The item need not be scheduled on the day, but it must
// not have ended by then. check, if not nil, is called with the stored day
// first and may return an error.
func (s *Service) Tick(ctx context.Context, owner journal.UserID, day journal.Day, id journal.RoutineID, done bool, check func(Checklist) error) (Checklist, error) {
	var list Checklist
	err := s.change(ctx, owner, s.clampToToday(day), func(tx *db.Tx) error {
		item, err := findItem(ctx, tx, owner, id)
		if err != nil {
			return err
		}
		if item.hasEndedBy(day) {
			return errNoItem()
		}
		before, err := readChecklist(ctx, tx, owner, day)
		if err != nil {
			return err
		}
		if err := runCheck(check, before); err != nil {
			return err
		}
		if err := recordTick(ctx, tx, owner, item, day, done); err != nil {
			return err
		}
		if err := setTick(ctx, tx, owner, item, day, done); err != nil {
			return err
		}
		list, err = readChecklist(ctx, tx, owner, day)
		return err
	})
	return list, err
}
