package journal

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Opt is one field in a partial change: left alone, cleared, or given a new value. It
// carries "absent is unchanged, null clears" from a request to the row.
type Opt[T any] struct {
	Set   bool // the field was sent
	Null  bool // it was sent as null
	Value T
}

// Some returns a field sent with a value.
func Some[T any](value T) Opt[T] { return Opt[T]{Set: true, Value: value} }

// Or returns the new value, or old if the field was not sent. A null is the zero value,
// which means cleared for non-nullable fields.
func (o Opt[T]) Or(old T) T {
	if !o.Set {
		return old
	}
	return o.Value
}

// NotNull returns an error if a required field is null.
func (o Opt[T]) NotNull(field string) error {
	if o.Null {
		return InvalidField(field, "%s must not be null.", field)
	}
	return nil
}

// OrNil is Or for nullable fields: it returns nil for a null.
func (o Opt[T]) OrNil(old *T) *T {
	switch {
	case !o.Set:
		return old
	case o.Null:
		return nil
	}
	value := o.Value
	return &value
}

// MarshalJSONTo writes the value or null. A writer must leave out an unset field.
func (o Opt[T]) MarshalJSONTo(encoder *jsontext.Encoder) error {
	if o.Null {
		return encoder.WriteToken(jsontext.Null)
	}
	return json.MarshalEncode(encoder, o.Value)
}

// UnmarshalJSONFrom is called only for sent fields.
func (o *Opt[T]) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	o.Set = true
	if decoder.PeekKind() == 'n' {
		o.Null = true
		return decoder.SkipValue()
	}
	return json.UnmarshalDecode(decoder, &o.Value)
}
