package transport

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/decimal"
	"fillbook/internal/journal"
)

// maxDepth is how deep JSON from outside may nest.
const maxDepth = 64

// Marshal writes JSON the way every answer has it: an empty list is [], not
// null, and text is not escaped for HTML.
func Marshal(value any) ([]byte, error) {
	return json.Marshal(value, json.Deterministic(true))
}

// CheckJSON refuses what a lenient parser would take in two ways: malformed
// text, duplicate keys, invalid UTF-8, NUL characters, trailing garbage, and
// nesting deeper than 64.
func CheckJSON(text []byte) error {
	decoder := jsontext.NewDecoder(strings.NewReader(string(text)))
	for {
		token, err := decoder.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return malformed(err)
		}
		if decoder.StackDepth() > maxDepth {
			return journal.Invalid("The JSON is nested deeper than %d levels.", maxDepth)
		}
		if token.Kind() == '"' && strings.ContainsRune(token.String(), 0) {
			return journal.Invalid("The JSON holds a NUL character, which no text may have.")
		}
		if decoder.StackDepth() == 0 {
			return checkRest(text[decoder.InputOffset():])
		}
	}
	return journal.Invalid("A JSON body is required.")
}

func checkRest(rest []byte) error {
	if strings.Trim(string(rest), " \t\r\n") != "" {
		return journal.Invalid("There is something behind the end of the JSON.")
	}
	return nil
}

func malformed(err error) error {
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

// Unmarshal reads JSON into a value. Keys are matched exactly, unknown ones
// are ignored. An error is a [journal.Error] that names the field.
func Unmarshal(text []byte, into any) error {
	if strings.TrimSpace(string(text)) == "null" { // which every Go type would take for its zero value
		return journal.Invalid("The body must be %s.", wanted(reflect.TypeOf(into)))
	}
	err := json.Unmarshal(text, into)
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return malformed(err)
	}
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		return journal.Invalid("The body is not as expected.")
	}
	return unexpected(fieldOf(semantic.JSONPointer), semantic)
}

// fieldOf writes a JSON pointer the way people name fields: account.name.
func fieldOf(pointer jsontext.Pointer) string {
	var parts []string
	for token := range pointer.Tokens() {
		parts = append(parts, token)
	}
	return strings.Join(parts, ".")
}

func unexpected(field string, cause *json.SemanticError) error {
	var known *journal.Error
	if errors.As(cause.Err, &known) && known.Kind == journal.KindInvalid {
		if field == "" || known.Details != nil {
			return known
		}
		if rest, ok := strings.CutPrefix(known.Message, "value "); ok { // it did not know its name
			return journal.InvalidField(field, "%s %s", field, rest)
		}
		return journal.InvalidField(field, "%s", known.Message)
	}
	if errors.Is(cause.Err, decimal.ErrSyntax) || errors.Is(cause.Err, decimal.ErrRange) {
		return journal.InvalidField(field, "%s must be a number: %s.", field, innermost(cause.Err))
	}
	if field == "" {
		return journal.Invalid("The body must be %s.", wanted(cause.GoType))
	}
	return journal.InvalidField(field, "%s must be %s.", field, wanted(cause.GoType))
}

// innermost is the text of the last error of a chain that still is a sentence
// of package decimal, without what the JSON library put around it.
func innermost(err error) string {
	for {
		next := errors.Unwrap(err)
		if next == nil || next == decimal.ErrSyntax || next == decimal.ErrRange { //nolint:errorlint // walks the chain itself
			return err.Error()
		}
		err = next
	}
}

// Wanted lets a type that reads itself from JSON say in words what it takes.
type Wanted interface {
	Wanted() string
}

func wanted(t reflect.Type) string {
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

// validText tells whether a query or header value can be stored as text on
// both engines: PostgreSQL takes no NUL and no invalid UTF-8.
func validText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}
