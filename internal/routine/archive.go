package routine

import (
	"context"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

// Archive is the whole routine of a user, for the backup.
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
	if a.Items, err = listAllItems(ctx, tx, owner); err != nil {
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

func listAllItems(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]Item, error) {
	items, err := db.List(ctx, tx, scanItem,
		selectItems+` WHERE i.user_id = $1 ORDER BY i.id`, owner)
	sortItems(items)
	return items, err
}

// Restore adds the items and ticks of an archive that do not exist yet
// and returns how many items it added. A restored routine is not seeded later;
// the template does not change. The archive is not trusted: violations of
// the rules are errors. It runs in the caller's transaction.
func Restore(ctx context.Context, tx *db.Tx, owner journal.UserID, a Archive, now time.Time) (int, error) {
	if _, err := markSeeded(ctx, tx, owner, db.Micros(now)); err != nil {
		return 0, err
	}
	if _, err := isSeeded(ctx, tx, owner, tx.Lock()); err != nil {
		return 0, err
	}
	known := map[journal.RoutineID]Item{}
	stored, err := listAllItems(ctx, tx, owner)
	if err != nil {
		return 0, err
	}
	for _, item := range stored {
		known[item.ID] = item
	}
	var added []Item
	for _, item := range a.Items {
		if _, there := known[item.ID]; there {
			continue
		}
		item, err := item.clean()
		if err != nil {
			return 0, err
		}
		known[item.ID] = item
		added = append(added, item)
	}
	separateChains(added, stored)
	done, err := selectRestorable(a.Ticks, known)
	if err != nil {
		return 0, err
	}
	if err := insertItems(ctx, tx, owner, added); err != nil {
		return 0, err
	}
	return len(added), insertTicks(ctx, tx, owner, done)
}

// selectRestorable returns the ticks to restore. It rejects ticks without an
// item and skips those after the end of their item.
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
	for chain, items := range groupByChain(added) {
		if _, gone := taken[chain]; !gone && len(findBreaks(items)) == 0 {
			continue
		}
		for i := range added {
			if added[i].Chain == chain {
				added[i].Chain = added[i].ID
			}
		}
	}
}

// clean validates an item of an archive by the rules for new items and returns it
// cleaned.
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
