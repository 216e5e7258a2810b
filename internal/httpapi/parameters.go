package httpapi

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Query parameter types. Each parses the sent text, once, and describes itself; the value
// is zero, or not Set, if the parameter is absent or empty. Error messages begin with
// paramMark, because the types do not have the parameter name.

// valueRange is an [intParam]'s range.
type valueRange interface{ bounds() (least, most int) }

// intParam is a whole number within a range.
type intParam[R valueRange] struct{ journal.Opt[int] }

// UnmarshalText parses the number.
func (p *intParam[R]) UnmarshalText(text []byte) error {
	var within R
	least, most := within.bounds()
	n, err := strconv.Atoi(string(text))
	if err != nil || n < least || n > most {
		return refuseParam("must be a whole number from %d to %d.", least, most)
	}
	p.Opt = journal.Some(n)
	return nil
}

// Schema describes the number and its range.
func (intParam[R]) Schema(huma.Registry) *huma.Schema {
	var within R
	least, most := within.bounds()
	minimum, maximum := float64(least), float64(most)
	return &huma.Schema{Type: huma.TypeInteger, Minimum: &minimum, Maximum: &maximum}
}

// percentParam is a percentage above 0 and up to 100.
type percentParam struct{ journal.Opt[decimal.Decimal] }

const maxPercent = 100

// UnmarshalText parses the percentage.
func (p *percentParam) UnmarshalText(text []byte) error {
	value, err := decimal.Parse(string(text))
	if err != nil || value.Sign() <= 0 || value.Cmp(decimal.New(maxPercent)) > 0 {
		return refuseParam("must be a number above 0 and up to %d.", maxPercent)
	}
	p.Opt = journal.Some(value)
	return nil
}

// Schema describes the number and its range.
func (percentParam) Schema(huma.Registry) *huma.Schema {
	above, maximum := 0.0, float64(maxPercent)
	return &huma.Schema{Type: huma.TypeNumber, ExclusiveMinimum: &above, Maximum: &maximum}
}

// flagParam is true or false, also written 1 or 0, in any case.
type flagParam struct{ journal.Opt[bool] }

// UnmarshalText parses the flag.
func (p *flagParam) UnmarshalText(text []byte) error {
	switch strings.ToLower(string(text)) {
	case "true", "1":
		p.Opt = journal.Some(true)
	case "false", "0":
		p.Opt = journal.Some(false)
	default:
		return refuseParam("must be true or false.")
	}
	return nil
}

// Schema describes true or false.
func (flagParam) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeBoolean} }

// valueSet is an [enumParam]'s set.
type valueSet[T ~string] interface{ values() []T }

// enumParam is one value from a set.
type enumParam[T ~string, S valueSet[T]] struct{ Value T }

// UnmarshalText accepts the values in the set.
func (p *enumParam[T, S]) UnmarshalText(text []byte) error {
	var set S
	if !slices.Contains(set.values(), T(text)) {
		names := toStrings(set.values())
		last := len(names) - 1
		return refuseParam("must be %s or %s.", strings.Join(names[:last], ", "), names[last])
	}
	p.Value = T(text)
	return nil
}

// Schema describes the values in the set.
func (enumParam[T, S]) Schema(huma.Registry) *huma.Schema {
	var set S
	return describeEnum(set.values())
}

func describeEnum[T ~string](values []T) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeString}
	for _, name := range toStrings(values) {
		schema.Enum = append(schema.Enum, name)
	}
	return schema
}

func toStrings[T ~string](values []T) []string {
	return shapeAll(values, func(value T) string { return string(value) })
}

// dayParam is a calendar day.
type dayParam struct{ journal.Day }

// UnmarshalText parses the day.
func (p *dayParam) UnmarshalText(text []byte) (err error) {
	p.Day, err = journal.ParseDay(paramMark, string(text))
	return err
}

// Schema describes the text.
func (dayParam) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date"}
}

// instantParam is a date-time. It keeps the text, because links repeat it as it
// was sent.
type instantParam struct {
	at   *time.Time
	text string
}

// UnmarshalText parses the date-time.
func (p *instantParam) UnmarshalText(text []byte) error {
	at, err := journal.ParseInstant(paramMark, string(text))
	if err != nil {
		return err
	}
	p.at, p.text = &at, string(text)
	return nil
}

// Schema describes the text.
func (instantParam) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time"}
}

// refuseParam returns the refusal for a parameter. The message continues its name.
func refuseParam(format string, args ...any) error {
	return journal.InvalidField(paramMark, paramMark+" "+format, args...)
}

// maxListItems is how many values one parameter can have.
const maxListItems = 200

// splitList returns the values of a parameter that is repeated, separated by commas, or
// both. Empty and repeated values are dropped.
func splitList[T ~string](field string, values []string) ([]T, error) {
	var list []T
	seen := map[string]bool{}
	for _, value := range values {
		for item := range strings.SplitSeq(value, ",") {
			item = strings.TrimSpace(item)
			if item == "" || seen[item] {
				continue
			}
			seen[item] = true
			list = append(list, T(item))
		}
	}
	if len(list) > maxListItems {
		return nil, journal.InvalidField(field, "%s must have at most %d values.", field, maxListItems)
	}
	return list, nil
}
