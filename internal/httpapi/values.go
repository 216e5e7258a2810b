package httpapi

import (
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/annotations"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/programs"
	"fillbook/internal/trading/routine"
	"fillbook/internal/transport"
)

// opt is a field in a change: absent, null or a value. See [journal.Opt].
type opt[T any] struct{ journal.Opt[T] }

// Schema describes the field as nullable. A type for any JSON includes null.
func (o opt[T]) Schema(r huma.Registry) *huma.Schema {
	schema := *r.Schema(reflect.TypeFor[T](), true, "")
	if schema.Ref == "" && schema.Type != "" {
		schema.Nullable = true
	}
	return &schema
}

// orNull is an object in an answer that may be null. A pointer would be described as an
// object that is never null.
type orNull[T any] struct{ value *T }

// MarshalJSON writes the object or null.
func (o orNull[T]) MarshalJSON() ([]byte, error) { return transport.Marshal(o.value) }

// Schema describes the object or null.
func (o orNull[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{r.Schema(reflect.TypeFor[T](), true, ""), {Type: "null"}}}
}

// nullIfNil returns a list that is null if it is nil.
func nullIfNil[T any](list []T) orNull[[]T] {
	if list == nil {
		return orNull[[]T]{}
	}
	return orNull[[]T]{&list}
}

// integer is a whole number, also accepted as a numeric text.
type integer int64

// UnmarshalJSON parses the number's text, so 1e2 and "30" are accepted and 1.5 is
// refused.
func (i *integer) UnmarshalJSON(text []byte) error {
	var number decimal.Decimal
	if err := number.UnmarshalJSON(text); err != nil {
		return err
	}
	whole, err := strconv.ParseInt(number.String(), 10, 64)
	if err != nil {
		return journal.Invalid("value must be a whole number.")
	}
	*i = integer(whole)
	return nil
}

// Wanted describes the accepted values, for the error message.
func (integer) Wanted() string { return "a whole number" }

// Schema describes the number.
func (integer) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Format: "int64"}
}

// instant is a date-time in a body.
type instant struct{ time.Time }

// UnmarshalJSON accepts RFC 3339 with an offset, in supported years.
func (i *instant) UnmarshalJSON(text []byte) error {
	var value string
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	at, err := journal.ParseInstant("value", value)
	if err != nil {
		return journal.Invalid("%s", err.(*journal.Error).Message) //nolint:errorlint // ParseInstant returns no other error
	}
	i.Time = at
	return nil
}

// Wanted describes the accepted values, for the error message.
func (instant) Wanted() string { return "a date and time such as 2026-01-31T14:30:00Z" }

// Schema describes the text.
func (instant) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time"}
}

// writtenInstant is an instant with its written precision.
type writtenInstant struct {
	instant
	hasFraction bool // the text has a fractional second, even if it is 0
}

// UnmarshalJSON accepts what an instant accepts.
func (i *writtenInstant) UnmarshalJSON(text []byte) error {
	i.hasFraction = journal.HasFraction(string(text))
	return i.instant.UnmarshalJSON(text)
}

// number describes decimal.Decimal: a JSON number with all its digits.
type number struct{}

// Schema describes the number.
func (number) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type:        huma.TypeNumber,
		Description: "An exact decimal, at most 15 digits before and 18 after the point. A numeric text is accepted as well.",
	}
}

// nullNumber describes decimal.Null.
type nullNumber struct{}

// Schema describes the number or null.
func (nullNumber) Schema(r huma.Registry) *huma.Schema {
	schema := number{}.Schema(r)
	schema.Nullable = true
	return schema
}

// nullGrade describes annotations.Grade.
type nullGrade struct{}

// Schema describes the integer or null.
func (nullGrade) Schema(r huma.Registry) *huma.Schema {
	schema := integer(0).Schema(r)
	schema.Nullable = true
	return schema
}

// requireOnly describes request members as optional, except some.
func requireOnly(schema *huma.Schema, names ...string) *huma.Schema {
	schema.Required = slices.DeleteFunc(schema.Required, func(name string) bool { return !slices.Contains(names, name) })
	return schema
}

// newSchemas returns a registry without schemas, in which values have their JSON schema.
func newSchemas() huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	r.RegisterTypeAlias(reflect.TypeFor[decimal.Decimal](), reflect.TypeFor[number]())
	r.RegisterTypeAlias(reflect.TypeFor[decimal.Null](), reflect.TypeFor[nullNumber]())
	r.RegisterTypeAlias(reflect.TypeFor[annotations.Grade](), reflect.TypeFor[nullGrade]())
	r.RegisterTypeAlias(reflect.TypeFor[playbook.Moment](), reflect.TypeFor[moment]())
	r.RegisterTypeAlias(reflect.TypeFor[programs.Count](), reflect.TypeFor[ruleCount]())
	r.RegisterTypeAlias(reflect.TypeFor[routine.Weekdays](), reflect.TypeFor[[]int]())
	return r
}
