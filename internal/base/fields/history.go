package fields

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Difference is a field with different values in two records. The values are canonical
// JSON (RFC 8785) in which decimals are texts; a record that does not exist has null.
type Difference struct {
	Name          string
	Before, After jsontext.Value
}

// ShowAs returns the field with its own value in the history: a string, an int64, a bool,
// nil, or a jsontext.Value.
func (f Field[R]) ShowAs(show func(*R) any) Field[R] {
	f.show = show
	return f
}

// Hide returns the field without a place in the history.
func (f Field[R]) Hide() Field[R] {
	f.show = nil
	return f
}

// NewShown describes a value for the history only: it is neither stored nor merged. show
// returns what [Field.ShowAs] says.
func NewShown[R any](name string, show func(*R) any) Field[R] {
	return Field[R]{Name: name, Ignored: true, derived: true, show: show}
}

// IsShown reports whether the history has the field.
func (f Field[R]) IsShown() bool { return f.show != nil }

// Show returns a record's value as canonical JSON.
func (f Field[R]) Show(record *R) jsontext.Value { return ShowValue(f.show(record)) }

var null = jsontext.Value("null")

// ShowValue returns a value of [Field.ShowAs] as canonical JSON.
func ShowValue(value any) jsontext.Value {
	switch v := value.(type) {
	case nil:
		return null
	case string:
		text, _ := jsontext.AppendQuote(nil, v) // bytes that are not UTF-8 are replaced
		return text
	case int64:
		return strconv.AppendInt(nil, v, 10)
	case bool:
		return strconv.AppendBool(nil, v)
	case jsontext.Value:
		canonical := bytes.Clone(v)
		if err := (*jsontext.Value)(&canonical).Canonicalize(); err != nil {
			panic(fmt.Sprintf("fields: a shown value is not JSON: %v", err))
		}
		return canonical
	}
	panic(fmt.Sprintf("fields: a shown value has type %T", value))
}

// ShowList returns a list for [Field.ShowAs].
func ShowList[T any](list []T) jsontext.Value {
	if len(list) == 0 {
		return jsontext.Value("[]")
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // lists of texts always marshal
	}
	return text
}

// Compare returns the fields with different values in two records. Without a record
// before, those are the fields that differ from an empty record; without one after, too.
func (l List[R]) Compare(before, after *R) (list []Difference) {
	var empty R
	for i := range l {
		f := &l[i]
		if f.show == nil {
			continue
		}
		d := Difference{Name: f.Name, Before: null, After: null}
		switch {
		case before == nil:
			if d.After = f.Show(after); !bytes.Equal(d.After, f.Show(&empty)) {
				list = append(list, d)
			}
		case after == nil:
			if d.Before = f.Show(before); !bytes.Equal(d.Before, f.Show(&empty)) {
				list = append(list, d)
			}
		default:
			if d.Before, d.After = f.Show(before), f.Show(after); !bytes.Equal(d.Before, d.After) {
				list = append(list, d)
			}
		}
	}
	return list
}

// SetAs returns the field with its own function for setting a shown value, for a field
// with its own [Field.ShowAs].
func (f Field[R]) SetAs(set func(*R, jsontext.Value) error) Field[R] {
	f.set = set
	return f
}

// AsSet returns the field as a set: its shown value is a list, whose members change one by
// one. Two changes to different members do not conflict.
func (f Field[R]) AsSet() Field[R] {
	f.isSet = true
	return f
}

// IsSet reports whether the field is a set.
func (f Field[R]) IsSet() bool { return f.isSet }

// CanSet reports whether [Field.Set] can set the field.
func (f Field[R]) CanSet() bool { return f.set != nil }

// Set sets a record's value to one of [Field.Show].
func (f Field[R]) Set(record *R, value jsontext.Value) error {
	if err := f.set(record, value); err != nil {
		return fmt.Errorf("setting %s: %w", f.Name, err)
	}
	return nil
}

// setJSON returns a function that sets a value to the one in a JSON text. Null clears it.
func setJSON[R, T any](at func(*R) *T) func(*R, jsontext.Value) error {
	return func(r *R, value jsontext.Value) error {
		var read T
		if value.Kind() != 'n' {
			if err := json.Unmarshal(value, &read); err != nil {
				return err
			}
		}
		*at(r) = read
		return nil
	}
}

// setText, setInteger and setLink are setJSON for types that may have their own JSON form,
// which the history does not use.
func setText[R any, T ~string](at func(*R) *T) func(*R, jsontext.Value) error {
	return setAs(at, func(text string) T { return T(text) })
}

func setInteger[R any, T ~int | ~int64 | ~uint8](at func(*R) *T) func(*R, jsontext.Value) error {
	return setAs(at, func(n int64) T { return T(n) })
}

func setLink[R any, T ~string](at func(*R) **T) func(*R, jsontext.Value) error {
	return setAs(at, func(text *string) *T {
		if text == nil {
			return nil
		}
		id := T(*text)
		return &id
	})
}

func setAs[R, T, P any](at func(*R) *T, convert func(P) T) func(*R, jsontext.Value) error {
	return func(r *R, value jsontext.Value) error {
		var plain P
		if value.Kind() != 'n' {
			if err := json.Unmarshal(value, &plain); err != nil {
				return err
			}
		}
		*at(r) = convert(plain)
		return nil
	}
}

// SetList returns a function for [Field.SetAs] that sets a list.
func SetList[R, T any](at func(*R) *[]T) func(*R, jsontext.Value) error { return setJSON(at) }

// Find returns the field with a name.
func (l List[R]) Find(name string) (*Field[R], bool) {
	for i := range l {
		if l[i].Name == name && l[i].show != nil {
			return &l[i], true
		}
	}
	return nil, false
}

// SetUpdated sets a record's last change time, if the table has one.
func (t *Table[R]) SetUpdated(record *R, now time.Time) {
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Name == "updated_at" {
			if at, ok := f.at(record).(*time.Time); ok {
				*at = now
			}
		}
	}
}
