package kinds

import (
	"context"
	"errors"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/statement"
)

var kindHistory = history.NewType("import_kind", fields.List[WordKind]{
	fields.NewText("layout", func(k *WordKind) *string { return &k.Layout }),
	fields.NewText("word", func(k *WordKind) *string { return &k.Word }),
	fields.NewText("kind", func(k *WordKind) *statement.Kind { return &k.Kind }),
}, history.Of[WordKind]{
	ID: func(k *WordKind) string { return string(k.ID) }, Label: func(k *WordKind) string { return k.Word },
})

// Undoer undoes changes to choices.
func Undoer() history.TypeUndoer {
	r := &history.Records[WordKind]{Type: kindHistory, Tables: []string{"import_kinds"}}
	r.Load = func(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []string) (map[string]WordKind, error) {
		found := map[string]WordKind{}
		err := db.EachIn(ctx, tx, ids, func(row db.Scanner) error {
			k, err := scan(row)
			found[string(k.ID)] = k
			return err
		}, selectKinds+` WHERE user_id = $1 AND id IN $keys ORDER BY id`+tx.Lock(), owner)
		return found, err
	}
	r.Save = func(ctx context.Context, tx *db.Tx, owner journal.UserID, _, after []WordKind) error {
		for _, k := range after {
			if _, err := tx.Exec(ctx, `UPDATE import_kinds SET kind = $1 WHERE user_id = $2 AND id = $3`, string(k.Kind), owner, k.ID); err != nil {
				return err
			}
		}
		return nil
	}
	r.FindObstacle = func(ctx context.Context, u *history.Undoing, k *WordKind) (history.Key, error) {
		key := history.Key{Type: "import_kind"}
		err := u.Tx.QueryRow(ctx, `SELECT id FROM import_kinds WHERE user_id = $1 AND layout = $2 AND word = $3 AND id <> $4`,
			u.Owner, k.Layout, k.Word, k.ID).Scan(&key.ID)
		if errors.Is(err, db.ErrNoRows) {
			return history.Key{}, nil
		}
		return key, err
	}
	return history.TypeUndoer{Type: "import_kind", Undoer: r}
}
