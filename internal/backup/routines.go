package backup

import (
	"fmt"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/trading/routine"
)

// writeRoutine writes the routine with places instead of ids.
func (e *exporter) writeRoutine() error {
	archive, err := routine.Export(e.ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	var out Routine
	lines, set, err := routine.ReadStoredTemplate(e.ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	if set {
		out.Template = &lines
	}
	done := map[journal.RoutineID][]journal.Day{}
	for _, tick := range archive.Ticks { // by day
		done[tick.Item] = append(done[tick.Item], tick.Day)
	}
	chains := map[journal.RoutineID]int{}
	for i, item := range archive.Items {
		if _, known := chains[item.Chain]; !known {
			chains[item.Chain] = i
		}
		out.Items = append(out.Items, RoutineItem{
			ItemValues: item.ItemValues, EndDay: item.EndDay, Chain: chains[item.Chain], Done: done[item.ID],
		})
	}
	return e.record("routines", out)
}

// restoreRoutine adds the missing items and ticks.
func (r *restorer) restoreRoutine() error {
	in := r.Document.Routine
	if in.Template != nil {
		if _, err := routine.RestoreTemplate(r.ctx, r.tx, r.Owner, *in.Template, r.now); err != nil {
			return err
		}
	}
	if len(in.Items) == 0 {
		return nil // to restore nothing would still keep the first items from being made
	}
	stored, err := routine.ListItems(r.ctx, r.tx, r.Owner)
	if err != nil {
		return err
	}
	done, err := routine.Restore(r.ctx, r.tx, r.Owner, in.archive(stored), r.now)
	r.result.Routines = done.Items
	for i, refused := range done.Refused {
		if refused {
			r.problem("Routine item", i, limits.RoutineItems.Reached())
		}
	}
	if done.RefusedTicks > 0 {
		r.result.Warnings = append(r.result.Warnings, fmt.Sprintf(
			"%d days on which routine items were done were left out: a user can have %d.", done.RefusedTicks, limits.RoutineTicks.Max))
	}
	return err
}

// archive assigns ids to the file's items: the matching stored item's id, or a new one.
// An item is recognized by its text and start, so an item moved or ended since is not
// created again.
func (r Routine) archive(stored []routine.Item) routine.Archive {
	var out routine.Archive
	known := map[itemKey][]routine.Item{}
	for _, item := range stored {
		known[newItemKey(item)] = append(known[newItemKey(item)], item)
	}
	for i, in := range r.Items {
		item := in.item()
		switch same := known[newItemKey(item)]; {
		case len(same) > 0:
			known[newItemKey(item)] = same[1:] // it answers for one
			item = same[0]
		case in.Chain < i && in.Chain >= 0:
			item.Chain = out.Items[in.Chain].Chain
		}
		out.Items = append(out.Items, item)
		for _, day := range in.Done {
			out.Ticks = append(out.Ticks, routine.Tick{Item: item.ID, Day: day})
		}
	}
	return out
}

// item returns an item with a new id, in its own chain.
func (in RoutineItem) item() routine.Item {
	id := journal.NewID[journal.RoutineID]()
	return routine.Item{ID: id, Chain: id, ItemValues: in.ItemValues, EndDay: in.EndDay}
}

// itemKey identifies an item.
type itemKey struct {
	title    string
	stage    routine.Stage
	weekdays routine.Weekdays
	start    journal.Day
}

func newItemKey(i routine.Item) itemKey { return itemKey{i.Title, i.Stage, i.Weekdays, i.StartDay} }
