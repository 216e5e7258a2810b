package transport

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// maxDepth is the deepest accepted JSON nesting.
const maxDepth = 64

// Marshal encodes a value as JSON in the response format: an empty list is [], not null,
// and text is not escaped for HTML.
func Marshal(value any) ([]byte, error) {
	return json.Marshal(value, json.Deterministic(true))
}

// CheckJSON rejects what parsers interpret differently: malformed text,
// duplicate keys, invalid UTF-8, NUL characters, trailing data, and nesting
// deeper than maxDepth.
func CheckJSON(text []byte) error {
	decoder := jsontext.NewDecoder(strings.NewReader(string(text)))
	for {
		token, err := decoder.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return newSyntaxError(err)
		}
		if decoder.StackDepth() > maxDepth {
			return journal.Invalid("The JSON is nested deeper than %d levels.", maxDepth)
		}
		if token.Kind() == '"' && strings.ContainsRune(token.String(), 0) {
			return journal.Invalid("The JSON contains a NUL character, which is not allowed.")
		}
		if decoder.StackDepth() == 0 {
			return checkTrailing(text[decoder.InputOffset():])
		}
	}
	return journal.Invalid("A JSON body is required.")
}

func checkTrailing(rest []byte) error {
	if strings.Trim(string(rest), " \t\r\n") != "" {
		return journal.Invalid("The body contains data after the end of the JSON.")
	}
	return nil
}

func newSyntaxError(err error) error {
	var syntax *jsontext.SyntacticError
	if errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax) {
		name := syntax.JSONPointer.LastToken()
		return journal.InvalidField(name, "The JSON has the key %q twice.", name)
	}
	return &journal.Error{
		Kind: journal.KindInvalid, Code: "bad_request", Err: err,
		Message: "The body is not valid JSON.",
	}
}

// Unmarshal decodes JSON into a value. Keys must match exactly; unknown keys are ignored.
// Errors are [journal.Error] values naming the field.
func Unmarshal(text []byte, into any) error {
	if strings.TrimSpace(string(text)) == "null" { // would set every Go type to its zero value
		return journal.Invalid("The body must be %s.", describeType(reflect.TypeOf(into)))
	}
	err := json.Unmarshal(text, into)
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return newSyntaxError(err)
	}
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		return journal.Invalid("The body does not have the expected format.")
	}
	return newTypeError(formatPointer(semantic.JSONPointer), semantic)
}

// formatPointer formats a JSON pointer as a field name, for example
// account.name.
func formatPointer(pointer jsontext.Pointer) string {
	var parts []string
	for token := range pointer.Tokens() {
		parts = append(parts, token)
	}
	return strings.Join(parts, ".")
}

func newTypeError(field string, cause *json.SemanticError) error {
	var known *journal.Error
	if errors.As(cause.Err, &known) && known.Kind == journal.KindInvalid {
		if field == "" || known.Details != nil {
			return known
		}
		if rest, ok := strings.CutPrefix(known.Message, "value "); ok { // the type does not know its field's name
			return journal.InvalidField(field, "%s %s", field, rest)
		}
		return journal.InvalidField(field, "%s", known.Message)
	}
	if errors.Is(cause.Err, decimal.ErrSyntax) || errors.Is(cause.Err, decimal.ErrRange) {
		return journal.InvalidField(field, "%s must be a number: %s.", field, innermostMessage(cause.Err))
	}
	if field == "" {
		return journal.Invalid("The body must be %s.", describeType(cause.GoType))
	}
	return journal.InvalidField(field, "%s must be %s.", field, describeType(cause.GoType))
}

// innermostMessage returns package decimal's message, without the JSON library's
// wrapping.
func innermostMessage(err error) string {
	for {
		next := errors.Unwrap(err)
		if next == nil || next == decimal.ErrSyntax || next == decimal.ErrRange { //nolint:errorlint // walks the chain itself
			return err.Error()
		}
		err = next
	}
}

// Wanted is implemented by types with their own JSON decoding, to describe what
// they accept.
type Wanted interface {
	Wanted() string
}

func describeType(t reflect.Type) string {
	if t == nil {
		return "of another type"
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if w, ok := reflect.TypeAssert[Wanted](reflect.New(t)); ok {
		return w.Wanted()
	}
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint32, reflect.Uint64:
		return "a whole number"
	default:
		return "of another type"
	}
}

// validText reports whether a query or header value can be stored as text on
// both engines. PostgreSQL accepts neither NUL nor invalid UTF-8.
func validText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}
