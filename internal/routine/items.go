package routine

import (
	"cmp"
	"slices"

	"fillbook/internal/journal"
)

// Stage says when in the day an item is due.
type Stage string

// The stages, in the order of the day.
const (
	Pre    Stage = "pre"
	During Stage = "during"
	Post   Stage = "post"
)

// stages are all of them in the order of the day.
var stages = []Stage{Pre, During, Post}

func (s Stage) check() error {
	if !slices.Contains(stages, s) {
		return journal.InvalidField("stage", "stage must be pre, during or post.")
	}
	return nil
}

// Weekdays is a set of days of the week; 0 is Sunday, 6 is Saturday.
type Weekdays uint8

// NewWeekdays makes a set of the days given, in any order. It refuses an
// empty one, and numbers that are no day of the week.
func NewWeekdays(days ...int) (Weekdays, error) {
	var set Weekdays
	for _, day := range days {
		if day < 0 || day > 6 {
			return 0, journal.InvalidField("weekdays", "weekdays must be numbers from 0 (Sunday) to 6 (Saturday).")
		}
		set |= 1 << day
	}
	if set == 0 {
		return 0, journal.InvalidField("weekdays", "weekdays must name at least one day.")
	}
	return set, nil
}

// Contains tells whether a weekday is in the set.
func (w Weekdays) Contains(weekday int) bool { return w>>weekday&1 == 1 }

// List gives the days in ascending order.
func (w Weekdays) List() []int {
	list := []int{}
	for day := range 7 {
		if w.Contains(day) {
			list = append(list, day)
		}
	}
	return list
}

// Item is one line of the routine. It holds from StartDay to the day before
// EndDay.
type Item struct {
	ID       journal.RoutineID
	Chain    journal.RoutineID // the id of the first in its line of successors
	Title    string
	Stage    Stage
	Weekdays Weekdays
	Position int // the order inside a stage
	StartDay journal.Day
	EndDay   journal.Day // the first day without it; empty for none
}

// hasEndedBy tells whether the item has ended on that day.
func (i Item) hasEndedBy(day journal.Day) bool { return i.EndDay != "" && i.EndDay <= day }

// ActiveOn tells whether the item holds on that day, whatever the weekday.
func (i Item) ActiveOn(day journal.Day) bool { return i.StartDay <= day && !i.hasEndedBy(day) }

// ScheduledOn tells whether the item is due on that day.
func (i Item) ScheduledOn(day journal.Day) bool {
	return i.ActiveOn(day) && i.Weekdays.Contains(day.Weekday())
}

// isNeverActive tells that the item holds on no day at all. Such an item is kept only
// for ticks that were set before its start.
func (i Item) isNeverActive() bool { return i.hasEndedBy(i.StartDay) }

// sortItems brings items into the order in which they are shown: by stage,
// then by position; the older first where two share a place.
func sortItems(items []Item) {
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(
			cmp.Compare(slices.Index(stages, a.Stage), slices.Index(stages, b.Stage)),
			cmp.Compare(a.Position, b.Position),
			cmp.Compare(a.ID, b.ID),
		)
	})
}

// nextPosition is the position behind all items of a stage that have not ended
// by that day.
func nextPosition(items []Item, stage Stage, day journal.Day) int {
	place := 0
	for _, item := range items {
		if item.Stage == stage && !item.hasEndedBy(day) {
			place = max(place, item.Position+1)
		}
	}
	return place
}

// reorder gives the items that move when the listed ones come first inside
// their stage, in the order given, and the others keep their order behind
// them. items are in the order in which they are shown.
func reorder(items []Item, first []journal.RoutineID) []Item {
	rank := func(item Item) int {
		if at := slices.Index(first, item.ID); at >= 0 {
			return at
		}
		return len(first)
	}
	order := slices.Clone(items)
	slices.SortStableFunc(order, func(a, b Item) int { return cmp.Compare(rank(a), rank(b)) })
	next := map[Stage]int{}
	var moved []Item
	for _, item := range order {
		place := next[item.Stage]
		next[item.Stage]++
		if item.Position != place {
			item.Position = place
			moved = append(moved, item)
		}
	}
	return moved
}
