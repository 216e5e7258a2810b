package assistants

import (
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/decimal"
)

// object is a JSON object whose values are kept as the API wrote them, digit for digit.
type object map[string]jsontext.Value

// null is the JSON value.
var null = jsontext.Value("null")

// text returns a field's text, or "".
func (o object) text(field string) string {
	var text string
	_ = json.Unmarshal(o[field], &text) // "" for other types
	return text
}

// texts returns a field's list of texts.
func (o object) texts(field string) []string {
	var list []string
	_ = json.Unmarshal(o[field], &list)
	return list
}

// isNull reports whether a field is null or absent.
func (o object) isNull(field string) bool { return o[field] == nil || string(o[field]) == "null" }

// isTrue reports whether a field is true.
func (o object) isTrue(field string) bool { return string(o[field]) == "true" }

// number returns a field's number, or 0.
func (o object) number(field string) decimal.Decimal {
	var number decimal.Decimal
	if o.isNull(field) || json.Unmarshal(o[field], &number) != nil {
		return decimal.Decimal{}
	}
	return number
}

// count returns a field's whole number, or 0.
func (o object) count(field string) int {
	var n int
	_ = json.Unmarshal(o[field], &n)
	return n
}

// set sets a field.
func (o object) set(field string, value any) { o[field] = encode(value) }

// object returns a field's object; it is nil for other types.
func (o object) object(field string) object {
	inner := object{}
	if json.Unmarshal(o[field], &inner) != nil {
		return nil
	}
	return inner
}

// objects returns a field's list of objects.
func (o object) objects(field string) []object {
	list, _ := decode[[]object](o[field])
	return list
}

// pick returns some fields; absent ones are null.
func (o object) pick(fields ...string) object {
	picked := make(object, len(fields))
	for _, field := range fields {
		if picked[field] = o[field]; picked[field] == nil {
			picked[field] = null
		}
	}
	return picked
}

// without returns the object without some fields.
func (o object) without(fields ...string) object {
	rest := maps.Clone(o)
	for _, field := range fields {
		delete(rest, field)
	}
	return rest
}

// encode returns a value as JSON. The values here always have a JSON form.
func encode(value any) jsontext.Value {
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return text
}

func decode[T any](text []byte) (value T, err error) {
	err = json.Unmarshal(text, &value)
	return value, err
}
