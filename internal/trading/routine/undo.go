package routine

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// Undoers undo changes to the routine.
func (s *Service) Undoers() []history.TypeUndoer {
	items := history.TableRecords(itemHistory, itemTable, s.clock)
	items.Tables = []string{itemTable.Name, "routine_ticks"}
	items.Suffix = itemTable.Upsert() // an ended item is stored still
	items.IsGone = func(i *Item) bool { return i.EndDay != "" }
	items.FindUser = func(ctx context.Context, u *history.Undoing, i *Item) (history.Key, error) {
		days, err := db.List(ctx, u.Tx, db.Single[string], `SELECT day FROM routine_ticks WHERE user_id = $1 AND item_id = $2 ORDER BY day`,
			u.Owner, i.ID)
		if err != nil || len(days) == 0 || isRestored(u, i.ID) {
			return history.Key{}, err
		}
		moved, err := movedDays(u)
		for _, day := range days {
			if !moved[day] {
				return history.Key{Type: "routine_day", ID: day}, err
			}
		}
		return history.Key{}, err
	}
	items.KeepMore = func(ctx context.Context, tx *db.Tx, owner journal.UserID, i *Item) error {
		return history.Keep(ctx, tx, owner, "routine_ticks", `item_id = $2`, i.ID)
	}
	return []history.TypeUndoer{
		{Type: "routine_item", Undoer: itemUndoer{items}},
		{Type: "routine_day", Undoer: &history.Values{Type: "routine_day", Load: loadDay, Store: storeDay}},
		{Type: "routine_template", Undoer: &history.Values{Type: "routine_template", Load: loadTemplate, Store: s.storeTemplate}},
	}
}

// movedDays returns the days whose ticks the change to undo moved from an item to its
// successor: they go back.
func movedDays(u *history.Undoing) (map[string]bool, error) {
	days := map[string]bool{}
	err := u.EachKept("routine_ticks", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			day, _ := rows.Value(i, "day").(string)
			days[day] = true
		}
		return nil
	})
	return days, err
}

// itemUndoer undoes changes to items. An item that has begun is ended when it is deleted, and
// stays with its earlier ticks.
type itemUndoer struct{ *history.Records[Item] }

// Apply implements [history.Undoer].
func (r itemUndoer) Apply(ctx context.Context, u *history.Undoing, objects []history.Object, phase history.Phase) error {
	switch phase {
	case history.Restoring:
		if err := keepEnded(ctx, u, objects); err != nil {
			return err
		}
	case history.Reverting:
		if err := returnTicks(ctx, u, objects); err != nil {
			return err
		}
	case history.Removing:
		var err error
		if objects, err = endAgain(ctx, u, objects); err != nil {
			return err
		}
	}
	return r.Records.Apply(ctx, u, objects, phase)
}

// keepEnded keeps the rows of ended items that come back, for a redo.
func keepEnded(ctx context.Context, u *history.Undoing, objects []history.Object) error {
	for _, o := range objects {
		if o.Action == history.Deleted {
			if err := history.Keep(ctx, u.Tx, u.Owner, itemTable.Name, `id = $2 AND end_day IS NOT NULL`, o.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// returnTicks returns the ticks of items that a successor had replaced, or takes them from an
// item that is replaced again.
func returnTicks(ctx context.Context, u *history.Undoing, objects []history.Object) error {
	for _, o := range objects {
		at := slices.IndexFunc(o.Fields, func(f history.Field) bool { return f.Name == "end_day" })
		if o.Action != history.Updated || at < 0 {
			continue
		}
		var end journal.Day
		if o.Fields[at].Before.Kind() == '"' {
			if err := json.Unmarshal(o.Fields[at].Before, &end); err != nil {
				return err
			}
		}
		if end == "" {
			if err := u.Insert(ctx, "routine_ticks", ""); err != nil {
				return err
			}
			continue
		}
		id := journal.RoutineID(o.ID)
		if err := keepTicks(ctx, u.Tx, u.Owner, id, end); err != nil {
			return err
		}
		if err := deleteTicks(ctx, u.Tx, u.Owner, id, end); err != nil {
			return err
		}
	}
	return nil
}

// endAgain ends items again whose deletion the change had undone, and returns the other
// objects.
func endAgain(ctx context.Context, u *history.Undoing, objects []history.Object) ([]history.Object, error) {
	type ending struct {
		day      journal.Day
		position int64 // the place that it had then; until its end it can be moved
	}
	ends := map[string]ending{}
	err := u.EachKept(itemTable.Name, func(rows history.KeptRows) error {
		for i := range rows.Rows {
			id, _ := rows.Value(i, "id").(string)
			day, _ := rows.Value(i, "end_day").(string)
			position, _ := rows.Value(i, "position").(int64)
			if day != "" && u.HasAction(history.Key{Type: "routine_item", ID: id}, history.Created) {
				ends[id] = ending{journal.Day(day), position}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var others []history.Object
	for _, o := range objects {
		end, isEnded := ends[o.ID]
		if o.Action != history.Created || !isEnded {
			others = append(others, o)
			continue
		}
		item, err := findItem(ctx, u.Tx, u.Owner, journal.RoutineID(o.ID))
		if err != nil {
			return nil, err
		}
		if err := removeItem(ctx, u.Tx, u.Owner, item, end.day); err != nil {
			return nil, err
		}
		_, err = u.Tx.Exec(ctx, `UPDATE routine_items SET position = $1 WHERE user_id = $2 AND id = $3`, end.position, u.Owner, item.ID)
		if err != nil {
			return nil, err
		}
	}
	return others, nil
}

// isRestored reports whether the change to undo brought an item back with its ticks.
func isRestored(u *history.Undoing, id journal.RoutineID) bool {
	return u.Change.Action == history.Undo && u.HasAction(history.Key{Type: "routine_item", ID: string(id)}, history.Created)
}

// loadDay returns whether the items were done on a day, by item.
func loadDay(ctx context.Context, u *history.Undoing, day string) (map[string]jsontext.Value, error) {
	ticks, err := listTicks(ctx, u.Tx, u.Owner, journal.Day(day), journal.Day(day))
	items, err2 := db.List(ctx, u.Tx, db.Single[string], `SELECT id FROM routine_items WHERE user_id = $1 ORDER BY id`, u.Owner)
	if err == nil {
		err = err2
	}
	done := map[string]jsontext.Value{}
	for _, id := range items {
		done[id] = fields.ShowValue(ticks[tick{journal.RoutineID(id), journal.Day(day)}])
	}
	return done, err
}

func storeDay(ctx context.Context, u *history.Undoing, day string, values map[string]jsontext.Value) error {
	for id, value := range values {
		item, err := findItem(ctx, u.Tx, u.Owner, journal.RoutineID(id))
		if err != nil {
			return err
		}
		if err := setTick(ctx, u.Tx, u.Owner, item, journal.Day(day), value.Kind() == 't'); err != nil {
			return err
		}
	}
	return nil
}

func loadTemplate(ctx context.Context, u *history.Undoing, _ string) (map[string]jsontext.Value, error) {
	lines, err := readTemplate(ctx, u.Tx, u.Owner)
	return map[string]jsontext.Value{"items": fields.ShowValue(fields.ShowList(lines))}, err
}

// storeTemplate sets a template. The built-in one is not stored: the user had set none.
func (s *Service) storeTemplate(ctx context.Context, u *history.Undoing, _ string, values map[string]jsontext.Value) error {
	var lines []string
	if err := json.Unmarshal(values["items"], &lines); err != nil {
		return err
	}
	if err := s.lockTemplate(ctx, u.Tx, u.Owner); err != nil {
		return err
	}
	if slices.Equal(lines, builtInTemplate) {
		_, err := u.Tx.Exec(ctx, `DELETE FROM checklist_templates WHERE user_id = $1`, u.Owner)
		return err
	}
	_, err := u.Tx.Exec(ctx, `UPDATE checklist_templates SET items = $1, updated_at = $2 WHERE user_id = $3`,
		string(values["items"]), db.Micros(u.Now), u.Owner)
	return err
}
