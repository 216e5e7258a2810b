package routine

import (
	"context"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// Archive is a user's whole routine, for the backup.
type Archive struct {
	Items    []Item
	Ticks    []Tick
	Template []string
}

// Tick is an item that was done on a day.
type Tick struct {
	Item journal.RoutineID
	Day  journal.Day
}

// Export returns the whole routine, including ended items. It runs in the caller's
// transaction and does not seed the routine.
func Export(ctx context.Context, tx *db.Tx, owner journal.UserID) (Archive, error) {
	var a Archive
	var err error
	if a.Items, err = ListItems(ctx, tx, owner); err != nil {
		return Archive{}, err
	}
	a.Ticks, err = db.List(ctx, tx, func(row db.Scanner) (t Tick, err error) {
		err = row.Scan(&t.Item, &t.Day)
		return t, err
	}, `SELECT item_id, day FROM routine_ticks WHERE user_id = $1 ORDER BY day, item_id`, owner)
	if err != nil {
		return Archive{}, err
	}
	a.Template, err = readTemplate(ctx, tx, owner)
	return a, err
}

// ListItems returns all items, ended ones included. It runs in the caller's transaction.
func ListItems(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]Item, error) {
	items, err := db.List(ctx, tx, scanItem,
		selectItems+` WHERE i.user_id = $1 ORDER BY i.id`, owner)
	sortItems(items)
	return items, err
}

// Restored is what a restore did.
type Restored struct {
	// Items is how many items were added.
	Items int
	// Refused reports for each archived item whether it was left out, with its ticks,
	// because the user has the most items already.
	Refused []bool
	// RefusedTicks is how many other items' ticks were left out likewise.
	RefusedTicks int
}

// Restore adds an archive's items and ticks that do not exist yet. A restored routine is
// not seeded later; the template does not change. The archive is not trusted: rule
// violations are errors. It runs in the caller's transaction.
func Restore(ctx context.Context, tx *db.Tx, owner journal.UserID, a Archive, now time.Time) (out Restored, err error) {
	if _, err := markSeeded(ctx, tx, owner, db.Micros(now)); err != nil {
		return out, err
	}
	if _, err := isSeeded(ctx, tx, owner, tx.Lock()); err != nil {
		return out, err
	}
	known := map[journal.RoutineID]Item{}
	stored, err := ListItems(ctx, tx, owner)
	if err != nil {
		return out, err
	}
	for _, item := range stored {
		known[item.ID] = item
	}
	out.Refused = make([]bool, len(a.Items))
	refused := map[journal.RoutineID]bool{}
	var added []Item
	for i, item := range a.Items {
		if _, there := known[item.ID]; there {
			continue
		}
		item, err := item.clean()
		if err != nil {
			return out, err
		}
		if len(stored)+len(added) >= limits.RoutineItems.Max {
			out.Refused[i], refused[item.ID] = true, true
			continue
		}
		known[item.ID] = item
		added = append(added, item)
	}
	separateChains(added, stored)
	done, err := selectRestorable(slices.DeleteFunc(slices.Clone(a.Ticks), func(t Tick) bool { return refused[t.Item] }), known)
	if err != nil {
		return out, err
	}
	room, err := limits.RoutineTicks.Room(ctx, tx, owner, countTicks)
	if err != nil {
		return out, err
	}
	if len(done) > room {
		done, out.RefusedTicks = done[:room], len(done)-room
	}
	if err := insertItems(ctx, tx, owner, added); err != nil {
		return out, err
	}
	out.Items = len(added)
	if err := recordRestored(ctx, tx, owner, added, done, known); err != nil {
		return out, err
	}
	return out, insertTicks(ctx, tx, owner, done)
}

// recordRestored records what an import adds: items, whose ticks go with them, and ticks of
// other items.
func recordRestored(ctx context.Context, tx *db.Tx, owner journal.UserID, added []Item, ticks []tick, known map[journal.RoutineID]Item) error {
	if !history.IsBundle(tx) {
		return nil
	}
	isNew := map[journal.RoutineID]bool{}
	for i := range added {
		itemHistory.Brought(tx, owner, &added[i])
		isNew[added[i].ID] = true
	}
	for _, t := range ticks {
		if isNew[t.item] {
			continue
		}
		if err := recordTick(ctx, tx, owner, known[t.item], t.day, true); err != nil {
			return err
		}
	}
	return nil
}

// selectRestorable returns the ticks to restore. It rejects ticks without an item and
// skips those after their item's end.
func selectRestorable(list []Tick, known map[journal.RoutineID]Item) ([]tick, error) {
	var done []tick
	for _, t := range list {
		item, there := known[t.Item]
		if !there {
			return nil, journal.Invalid("The routine has a tick of an item that is not in it.")
		}
		if _, err := journal.ParseDay("day", string(t.Day)); err != nil {
			return nil, err
		}
		if !item.hasEndedBy(t.Day) {
			done = append(done, tick{t.Item, t.Day})
		}
	}
	return done, nil
}

// separateChains moves added items to their own chains if the chain in the
// archive has gaps or overlaps, or if the stored routine already has it.
func separateChains(added, stored []Item) {
	taken := groupByChain(stored)
	broken := map[journal.RoutineID]bool{}
	for chain, items := range groupByChain(added) {
		_, isTaken := taken[chain]
		broken[chain] = isTaken || len(findBreaks(items)) > 0
	}
	for i := range added {
		if broken[added[i].Chain] {
			added[i].Chain = added[i].ID
		}
	}
}

// clean validates an archived item by the rules for new items and returns it cleaned.
func (i Item) clean() (Item, error) {
	for _, id := range []journal.RoutineID{i.ID, i.Chain} {
		if _, err := journal.CleanRequiredName("id", string(id)); err != nil {
			return Item{}, err
		}
	}
	if i.Position < 0 {
		return Item{}, journal.InvalidField("position", "position must not be negative.")
	}
	if _, err := journal.ParseDay("start_day", string(i.StartDay)); err != nil {
		return Item{}, err
	}
	if _, err := journal.ParseDay("end_day", string(i.EndDay)); i.EndDay != "" && err != nil {
		return Item{}, err
	}
	typed, err := newItem(i.Title, i.Stage, i.Weekdays.List(), i.StartDay)
	i.Title, i.Weekdays = typed.Title, typed.Weekdays
	return i, err
}
