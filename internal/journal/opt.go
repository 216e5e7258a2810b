package journal

// Opt is one field of a partial change: left alone, cleared, or given a new
// value. It is how "absent is unchanged, null clears" travels from a request
// to the row.
type Opt[T any] struct {
	Set   bool // the field was sent
	Null  bool // it was sent as null
	Value T
}

// Some is a field that was sent with a value.
func Some[T any](value T) Opt[T] { return Opt[T]{Set: true, Value: value} }

// Or gives the new value, or old where the field was not sent. A null gives
// the zero value: what "cleared" means for fields that are never null.
func (o Opt[T]) Or(old T) T {
	if !o.Set {
		return old
	}
	return o.Value
}

// NotNull refuses a null for a field that every record must have.
func (o Opt[T]) NotNull(field string) error {
	if o.Null {
		return InvalidField(field, "%s must not be null.", field)
	}
	return nil
}

// OrNil is Or for nullable fields: a null gives nil.
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
