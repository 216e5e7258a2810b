package routine

import (
	"cmp"
	"encoding/json"
	"slices"

	"fillbook/internal/base/journal"
)

// Stage is when in the day an item is due.
type Stage string

// The stages, in the day's order.
const (
	Pre    Stage = "pre"
	During Stage = "during"
	Post   Stage = "post"
)

// stages are all stages in the day's order.
var stages = []Stage{Pre, During, Post}

func (s Stage) check() error {
	if !slices.Contains(stages, s) {
		return journal.InvalidField("stage", "stage must be pre, during or post.")
	}
	return nil
}

// Weekdays is a weekday set; 0 is Sunday, 6 is Saturday.
type Weekdays uint8

// NewWeekdays returns a set with the given days. It returns an error for an empty set and
// for numbers that are not weekdays.
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

// Contains reports whether a weekday is in the set.
func (w Weekdays) Contains(weekday int) bool { return w>>weekday&1 == 1 }

// List returns the days in ascending order.
func (w Weekdays) List() []int {
	list := []int{}
	for day := range 7 {
		if w.Contains(day) {
			list = append(list, day)
		}
	}
	return list
}

// MarshalJSON writes the days as a list.
func (w Weekdays) MarshalJSON() ([]byte, error) { return json.Marshal(w.List()) }

// UnmarshalJSON reads a day list.
func (w *Weekdays) UnmarshalJSON(text []byte) error {
	var days []int
	err := json.Unmarshal(text, &days)
	if err == nil {
		*w, err = NewWeekdays(days...)
	}
	return err
}

// ItemValues are an item's values in the API and backups. The tags are their JSON names
// and the API descriptions. See docs/architecture.md, "Add a field to a record".
type ItemValues struct {
	Title    string      `json:"title"`
	Stage    Stage       `json:"stage" enum:"pre,during,post"`
	Weekdays Weekdays    `json:"weekdays" doc:"Sorted; 0 is Sunday, 6 is Saturday."`
	Position int         `json:"position"` // the order inside a stage
	StartDay journal.Day `json:"start_day" format:"date"`
}

// Item is one routine item. It is active from StartDay to the day before EndDay.
type Item struct {
	ID journal.RoutineID `json:"id"`
	ItemValues
	Chain  journal.RoutineID `json:"-"` // the first id in its successor chain
	EndDay journal.Day       `json:"-"` // the first day without it; empty if it has no end
}

// hasEndedBy reports whether the item has ended by a day.
func (i Item) hasEndedBy(day journal.Day) bool { return i.EndDay != "" && i.EndDay <= day }

// ActiveOn reports whether the item is active on a day, for any weekday.
func (i Item) ActiveOn(day journal.Day) bool { return i.StartDay <= day && !i.hasEndedBy(day) }

// ScheduledOn reports whether the item is due on a day.
func (i Item) ScheduledOn(day journal.Day) bool {
	return i.ActiveOn(day) && i.Weekdays.Contains(day.Weekday())
}

// isNeverActive reports whether the item is active on no day. Such an item is
// kept only for ticks from before its start.
func (i Item) isNeverActive() bool { return i.hasEndedBy(i.StartDay) }

// sortItems sorts items in display order: by stage,
// then by position, then the older first.
func sortItems(items []Item) {
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(
			cmp.Compare(slices.Index(stages, a.Stage), slices.Index(stages, b.Stage)),
			cmp.Compare(a.Position, b.Position),
			cmp.Compare(a.ID, b.ID),
		)
	})
}

// nextPosition returns the position after all items in a stage that have not ended by a
// day.
func nextPosition(items []Item, stage Stage, day journal.Day) int {
	place := 0
	for _, item := range items {
		if item.Stage == stage && !item.hasEndedBy(day) {
			place = max(place, item.Position+1)
		}
	}
	return place
}

// reorder returns the items whose position changes when the given ones
// come first in their stage, in the given order, and the others keep their
// order after them. items must be in display order.
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
