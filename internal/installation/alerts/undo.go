package alerts

import (
	"context"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/history"
)

// Undoers undo changes to alerts and their settings.
func (s *Service) Undoers() []history.TypeUndoer {
	return []history.TypeUndoer{
		{Type: "alert", Undoer: history.TableRecords(alertHistory, alertTable, s.Clock)},
		{Type: "alert_settings", Undoer: &history.Values{Type: "alert_settings", Load: loadShown, Store: storeShown}},
	}
}

func loadShown(ctx context.Context, u *history.Undoing, _ string) (map[string]jsontext.Value, error) {
	stored, err := lockSettings(ctx, u.Tx, u.Owner)
	values := map[string]jsontext.Value{}
	for _, f := range settingsHistory.Fields() {
		values[f.Name] = f.Show(&stored)
	}
	return values, err
}

func storeShown(ctx context.Context, u *history.Undoing, _ string, values map[string]jsontext.Value) error {
	stored, err := lockSettings(ctx, u.Tx, u.Owner)
	if err != nil {
		return err
	}
	for name, value := range values {
		if name == "max_per_hour" {
			var most *int
			if err := json.Unmarshal(value, &most); err != nil {
				return err
			}
			stored.MaxPerHour = 0
			if most != nil {
				stored.MaxPerHour = *most
			}
			continue
		}
		var text *string
		if err := json.Unmarshal(value, &text); err != nil {
			return err
		}
		if name == "quiet_hours" {
			stored.QuietHours = nil
			if text != nil {
				stored.QuietHours = &QuietHours{}
				if err := json.Unmarshal([]byte(*text), stored.QuietHours); err != nil {
					return err
				}
			}
			continue
		}
		stored.Kinds = nil
		if text != nil {
			if err := json.Unmarshal([]byte(*text), &stored.Kinds); err != nil {
				return err
			}
		}
	}
	return writeSettings(ctx, u.Tx, u.Owner, stored)
}
