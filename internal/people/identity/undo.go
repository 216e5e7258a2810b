package identity

import (
	"context"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
)

// Undoers undo changes to preferences.
func (s *Service) Undoers() []history.TypeUndoer {
	return []history.TypeUndoer{{Type: "preferences", Undoer: &history.Values{
		Type: "preferences",
		Load: func(ctx context.Context, u *history.Undoing, _ string) (map[string]jsontext.Value, error) {
			stored, err := readPreferences(ctx, u.Tx, u.Owner)
			shown := make(map[string]jsontext.Value, len(stored))
			for key, value := range stored {
				shown[key] = fields.ShowValue(string(value))
			}
			return shown, err
		},
		Store: storePreferences,
	}}}
}

// storePreferences sets and removes preferences.
func storePreferences(ctx context.Context, u *history.Undoing, _ string, values map[string]jsontext.Value) error {
	if err := touchPreferences(ctx, u.Tx, u.Owner, u.Now); err != nil {
		return err
	}
	for key, value := range values {
		var text *string
		if err := json.Unmarshal(value, &text); err != nil {
			return err
		}
		var err error
		if text == nil {
			_, err = u.Tx.Exec(ctx, `DELETE FROM preferences WHERE user_id = $1 AND key = $2`, u.Owner, key)
		} else {
			_, err = u.Tx.Exec(ctx, `INSERT INTO preferences (user_id, key, value) VALUES ($1, $2, $3)
				ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value`, u.Owner, key, *text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
