package routine

import (
	"context"
	"errors"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// isSeeded reports whether the user's routine was seeded. lock, if not empty, locks the
// routine until the transaction's end.
func isSeeded(ctx context.Context, tx *db.Tx, owner journal.UserID, lock string) (bool, error) {
	var at int64
	err := tx.QueryRow(ctx, `SELECT seeded_at FROM routine_seeds WHERE user_id = $1`+lock, owner).Scan(&at)
	if errors.Is(err, db.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// itemTable stores items.
var itemTable = fields.New("routine_items",
	fields.List[Item]{fields.NewID("id", func(i *Item) *journal.RoutineID { return &i.ID })},
	fields.List[Item]{
		fields.NewID("chain_id", func(i *Item) *journal.RoutineID { return &i.Chain }).Freeze(),
		fields.NewText("title", func(i *Item) *string { return &i.Title }),
		fields.NewText("stage", func(i *Item) *Stage { return &i.Stage }),
		fields.NewInteger("weekdays", func(i *Item) *Weekdays { return &i.Weekdays }),
		fields.NewInteger("position", func(i *Item) *int { return &i.Position }),
		fields.NewText("start_day", func(i *Item) *journal.Day { return &i.StartDay }),
		fields.NewOptionalText("end_day", func(i *Item) *journal.Day { return &i.EndDay }),
	},
)

var selectItems = itemTable.Select("i")

func scanItem(row db.Scanner) (i Item, err error) {
	err = itemTable.Scan(row, &i)
	return i, err
}

// listItems returns the items that are active or ticked on any day from one to another,
// in display order.
func listItems(ctx context.Context, tx *db.Tx, owner journal.UserID, from, to journal.Day) ([]Item, error) {
	items, err := db.List(ctx, tx, scanItem, selectItems+`
		WHERE i.user_id = $1
			AND (i.start_day <= $2 AND (i.end_day IS NULL OR i.end_day > $3)
				OR EXISTS (
					SELECT 1 FROM routine_ticks AS t
					WHERE t.user_id = $1 AND t.item_id = i.id AND t.day BETWEEN $3 AND $2))
		ORDER BY i.id`, owner, to, from)
	sortItems(items)
	return items, err
}

// listUnendedItems returns the items that have not ended by a day, including those
// starting later, in display order.
func listUnendedItems(ctx context.Context, tx *db.Tx, owner journal.UserID, day journal.Day) ([]Item, error) {
	items, err := db.List(ctx, tx, scanItem, selectItems+`
		WHERE i.user_id = $1 AND (i.end_day IS NULL OR i.end_day > $2)
		ORDER BY i.id`, owner, day)
	sortItems(items)
	return slices.DeleteFunc(items, Item.isNeverActive), err
}

func findItem(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.RoutineID) (Item, error) {
	item, err := scanItem(tx.QueryRow(ctx,
		selectItems+`
		WHERE i.user_id = $1 AND i.id = $2`, owner, id))
	if errors.Is(err, db.ErrNoRows) {
		return Item{}, errNoItem()
	}
	return item, err
}

// listSuccessors returns an ended item's successors.
func listSuccessors(ctx context.Context, tx *db.Tx, owner journal.UserID, item Item) ([]Item, error) {
	if item.EndDay == "" {
		return nil, nil
	}
	items, err := db.List(ctx, tx, scanItem, selectItems+`
		WHERE i.user_id = $1 AND i.chain_id = $2 AND i.start_day >= $3
		ORDER BY i.id`, owner, item.Chain, item.EndDay)
	return slices.DeleteFunc(items, Item.isNeverActive), err
}

// Queries that count records for limits.
const (
	countItems = `SELECT COUNT(*) FROM routine_items WHERE user_id = $1`
	countTicks = `SELECT COUNT(*) FROM routine_ticks WHERE user_id = $1`
)

func insertItems(ctx context.Context, tx *db.Tx, owner journal.UserID, items []Item) error {
	rows := make([][]any, 0, len(items))
	for _, item := range items {
		rows = append(rows, itemTable.Values(owner, &item))
	}
	_, err := tx.InsertMany(ctx, itemTable.Name, itemTable.Columns(), "", rows)
	return err
}

func updateItems(ctx context.Context, tx *db.Tx, owner journal.UserID, items ...Item) error {
	for _, item := range items {
		if _, err := tx.Exec(ctx, itemTable.Update(), itemTable.UpdateValues(owner, &item)...); err != nil {
			return err
		}
	}
	return nil
}

// endItem stores an item's end. It deletes an item that is then never active, unless it
// has ticks from before its start.
func endItem(ctx context.Context, tx *db.Tx, owner journal.UserID, item Item) error {
	if err := updateItems(ctx, tx, owner, item); err != nil {
		return err
	}
	return deleteNeverActive(ctx, tx, owner, item)
}

// staysEnded reports whether an item stays stored after its end, when later ticks are gone.
func staysEnded(ctx context.Context, tx *db.Tx, owner journal.UserID, item Item) (stays bool, err error) {
	if !item.isNeverActive() {
		return true, nil
	}
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM routine_ticks WHERE user_id = $1 AND item_id = $2 AND day < $3)`,
		owner, item.ID, item.EndDay).Scan(&stays)
	return stays, err
}

func deleteNeverActive(ctx context.Context, tx *db.Tx, owner journal.UserID, item Item) error {
	if !item.isNeverActive() {
		return nil
	}
	_, err := tx.Exec(ctx, `
		DELETE FROM routine_items
		WHERE user_id = $1 AND id = $2
			AND NOT EXISTS (SELECT 1 FROM routine_ticks AS t WHERE t.user_id = $1 AND t.item_id = $2)`, owner, item.ID)
	return err
}

func listTicks(ctx context.Context, tx *db.Tx, owner journal.UserID, from, to journal.Day) (ticks, error) {
	done := ticks{}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var t tick
		err := row.Scan(&t.item, &t.day)
		done[t] = true
		return err
	}, `SELECT item_id, day FROM routine_ticks WHERE user_id = $1 AND day BETWEEN $2 AND $3 ORDER BY day, item_id`, owner, from, to)
	return done, err
}

func insertTicks(ctx context.Context, tx *db.Tx, owner journal.UserID, list []tick) error {
	rows := make([][]any, 0, len(list))
	for _, t := range list {
		rows = append(rows, []any{owner, t.day, t.item})
	}
	_, err := tx.InsertMany(ctx, "routine_ticks", []string{"user_id", "day", "item_id"},
		"ON CONFLICT (user_id, day, item_id) DO NOTHING", rows)
	return err
}

func setTick(ctx context.Context, tx *db.Tx, owner journal.UserID, item Item, day journal.Day, done bool) error {
	if done {
		if err := limits.RoutineTicks.Check(ctx, tx, owner, countTicks); err != nil {
			return err
		}
		return insertTicks(ctx, tx, owner, []tick{{item.ID, day}})
	}
	_, err := tx.Exec(ctx, `DELETE FROM routine_ticks WHERE user_id = $1 AND day = $2 AND item_id = $3`, owner, day, item.ID)
	if err != nil {
		return err
	}
	return deleteNeverActive(ctx, tx, owner, item)
}

func deleteTicks(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.RoutineID, since journal.Day) error {
	_, err := tx.Exec(ctx, `DELETE FROM routine_ticks WHERE user_id = $1 AND item_id = $2 AND day >= $3`, owner, id, since)
	return err
}

func moveTicks(ctx context.Context, tx *db.Tx, owner journal.UserID, from, to journal.RoutineID, since journal.Day) error {
	_, err := tx.Exec(ctx, `
		UPDATE routine_ticks SET item_id = $1
		WHERE user_id = $2 AND item_id = $3 AND day >= $4`, to, owner, from, since)
	return err
}

// firstDay returns the first day on which a checklist may have a line, or
// "" if none.
func firstDay(ctx context.Context, tx *db.Tx, owner journal.UserID) (journal.Day, error) {
	var start, ticked journal.Day
	err := tx.QueryRow(ctx, `SELECT COALESCE(MIN(start_day), '') FROM routine_items WHERE user_id = $1`, owner).Scan(&start)
	if err != nil {
		return "", err
	}
	err = tx.QueryRow(ctx, `SELECT COALESCE(MIN(day), '') FROM routine_ticks WHERE user_id = $1`, owner).Scan(&ticked)
	if ticked != "" && ticked < start {
		start = ticked
	}
	return start, err
}

// DeleteAllTicks deletes a user's ticks. It is a step in deleting the user.
func DeleteAllTicks(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	return tx.DeleteInChunks(ctx, "routine_ticks", "day, item_id", `user_id = $1`, owner)
}
