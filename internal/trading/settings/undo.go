package settings

import (
	"context"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/trading/strategies"
)

// Undoers undo changes to the settings.
func (s *Service) Undoers() []history.TypeUndoer {
	return []history.TypeUndoer{{Type: "settings", Undoer: &history.Values{Type: "settings", Load: loadShown, Store: storeShown}}}
}

func loadShown(ctx context.Context, u *history.Undoing, _ string) (map[string]jsontext.Value, error) {
	stored, err := lock(ctx, u.Tx, u.Owner)
	return map[string]jsontext.Value{
		"timezone":            fields.ShowValue(textOrNil(stored.Timezone)),
		"breakeven_tolerance": fields.ShowValue(textOrNil(string(stored.Tolerance))),
		"strategy_detection":  fields.ShowValue(textOrNil(string(stored.Detection))),
	}, err
}

func storeShown(ctx context.Context, u *history.Undoing, _ string, values map[string]jsontext.Value) error {
	stored, err := lock(ctx, u.Tx, u.Owner)
	if err != nil {
		return err
	}
	for name, value := range values {
		var text *string
		if err := json.Unmarshal(value, &text); err != nil {
			return err
		}
		set := ""
		if text != nil {
			set = *text
		}
		switch {
		case name == "timezone":
			stored.Timezone = set
		case name == "strategy_detection":
			stored.Detection = strategies.Mode(set)
		case text == nil:
			stored.Tolerance = nil
		default:
			stored.Tolerance = json.RawMessage(set)
		}
	}
	return write(ctx, u.Tx, u.Owner, stored)
}
