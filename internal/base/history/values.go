package history

import (
	"bytes"
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// Values is the [Undoer] of records that are values by name, and exist always.
type Values struct {
	Type string
	// Load returns the values of a record.
	Load func(ctx context.Context, u *Undoing, id string) (map[string]jsontext.Value, error)
	// Store sets some values of a record; null removes one.
	Store func(ctx context.Context, u *Undoing, id string, values map[string]jsontext.Value) error
	// FindObstacle returns the missing record that a record belongs to. It may be nil.
	FindObstacle func(ctx context.Context, u *Undoing, id string) (Key, error)
}

// valueOf returns a value by name, or null.
func valueOf(values map[string]jsontext.Value, name string) jsontext.Value {
	if value := values[name]; value != nil {
		return value
	}
	return jsontext.Value("null")
}

// Check implements [Undoer].
func (v *Values) Check(ctx context.Context, u *Undoing, objects []Object) error {
	for _, o := range objects {
		if v.FindObstacle != nil {
			if key, err := v.FindObstacle(ctx, u, o.ID); err != nil || key != (Key{}) {
				u.AddConflict(key, "")
				return err
			}
		}
		current, err := v.Load(ctx, u, o.ID)
		if err != nil {
			return err
		}
		for _, f := range o.Fields {
			if !bytes.Equal(valueOf(current, f.Name), f.After) {
				u.AddConflict(o.key(), f.Name)
			}
		}
	}
	return nil
}

// Apply implements [Undoer].
func (v *Values) Apply(ctx context.Context, u *Undoing, objects []Object, phase Phase) error {
	if phase != Reverting {
		return nil
	}
	opposite := map[ObjectAction]ObjectAction{Created: Deleted, Updated: Updated, Deleted: Created}
	for _, o := range objects {
		undone := Object{Type: o.Type, ID: o.ID, Label: o.Label, Action: opposite[o.Action], Account: o.Account, SeenIn: o.SeenIn}
		values := make(map[string]jsontext.Value, len(o.Fields))
		for _, f := range o.Fields {
			values[f.Name] = f.Before
			undone.Fields = append(undone.Fields, Field{f.Name, f.After, f.Before})
		}
		Record(u.Tx, u.Owner, undone)
		if err := v.Store(ctx, u, o.ID, values); err != nil {
			return err
		}
	}
	return nil
}
