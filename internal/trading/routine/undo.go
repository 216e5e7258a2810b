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
		days, err := db.List(ctx, u.Tx, db.Single[string], `SELECT day FROM routine_ticks WHERE user_id = $1 AND item_id = $2 ORDER BY day`+db.Limit(3),
			u.Owner, i.ID, 1)
		if err != nil || len(days) == 0 || isRestored(u, i.ID) {
			return history.Key{}, err
		}
		return history.Key{Type: "routine_day", ID: days[0]}, nil
	}
	items.KeepMore = func(ctx context.Context, tx *db.Tx, owner journal.UserID, i *Item) error {
		return history.Keep(ctx, tx, owner, "routine_ticks", `item_id = $2`, i.ID)
	}
	return []history.TypeUndoer{
		{Type: "routine_item", Undoer: items},
		{Type: "routine_day", Undoer: &history.Values{Type: "routine_day", Load: loadDay, Store: storeDay}},
		{Type: "routine_template", Undoer: &history.Values{Type: "routine_template", Load: loadTemplate, Store: s.storeTemplate}},
	}
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
