package brokers

import (
	"reflect"
	"slices"
	"testing"

	"fillbook/internal/intake/statement"
)

// TestLayoutFieldsHaveUsers checks that a layout field serves at least three presets.
// Fewer presets need a hook.
func TestLayoutFieldsHaveUsers(t *testing.T) {
	t.Parallel()
	users := map[string]map[*statement.Preset]bool{}
	for _, p := range All() {
		layouts := []*statement.Layout{p.Layout}
		for _, s := range p.Sections {
			layouts = append(layouts, s.Layout)
		}
		for _, l := range layouts {
			if l != nil {
				noteUsers(users, reflect.ValueOf(*l), p)
			}
		}
	}
	// A user can map these columns.
	mapped := []string{"OpenDate", "CloseDate", "Swap", "Confidence", "Emotion", "Quality", "Reviewed"}
	for field, presets := range users {
		if len(presets) < 3 && !slices.Contains(mapped, field) {
			t.Errorf("%s serves %d presets: make it a hook", field, len(presets))
		}
	}
}

// noteUsers adds a preset to the users of the fields set in its layout.
func noteUsers(users map[string]map[*statement.Preset]bool, layout reflect.Value, p *statement.Preset) {
	for i := range layout.NumField() {
		field, value := layout.Type().Field(i), layout.Field(i)
		if field.Type.Kind() == reflect.Struct {
			noteUsers(users, value, p)
			continue
		}
		if field.Type.Kind() == reflect.Func {
			continue // a hook
		}
		if users[field.Name] == nil {
			users[field.Name] = map[*statement.Preset]bool{}
		}
		if !value.IsZero() {
			users[field.Name][p] = true
		}
	}
}
