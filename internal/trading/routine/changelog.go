package routine

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

var itemHistory = history.NewType("routine_item", itemTable.Fields, history.Of[Item]{
	ID: func(i *Item) string { return string(i.ID) }, Label: func(i *Item) string { return i.Title },
})

// keepItem keeps an item and its ticks from a day on, before it is ended.
func keepItem(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.RoutineID, since journal.Day) error {
	if err := history.Keep(ctx, tx, owner, itemTable.Name, `id = $2`, id); err != nil {
		return err
	}
	return keepTicks(ctx, tx, owner, id, since)
}

// keepTicks keeps an item's ticks from a day on.
func keepTicks(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.RoutineID, since journal.Day) error {
	return history.Keep(ctx, tx, owner, "routine_ticks", `item_id = $2 AND day >= $3`, id, since)
}

// recordTick records that an item was done on a day, or not. The object is the day, and its
// field the item's id.
func recordTick(ctx context.Context, tx *db.Tx, owner journal.UserID, item Item, day journal.Day, done bool) error {
	known, err := listTicks(ctx, tx, owner, day, day)
	if err != nil {
		return err
	}
	was := known[tick{item.ID, day}]
	history.Record(tx, owner, history.Object{
		Type: "routine_day", ID: string(day), Label: string(day), Action: history.Updated,
		Fields: []history.Field{history.NewField(string(item.ID), was, done)},
	})
	return nil
}
