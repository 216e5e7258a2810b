package transport_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/transport"
)

func nested(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

func TestCheckJSONAccepts(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"an object":              `{"a":1,"b":[true,false,null,"x"],"c":{}}`,
		"blanks around it":       " \t\r\n{ \"a\" : 1 } \t\r\n",
		"the same key elsewhere": `{"a":{"a":1},"b":[{"a":1},{"a":2}]}`,
		"a key in two cases":     `{"a":1,"A":2}`,
		"64 levels":              nested(64),
		"a surrogate pair":       `"\ud83d\ude00"`,
		"numbers beyond floats":  `[1e400,-0,123456789012345678901234567890]`,
		"every escape":           `"\"\\\/\b\f\n\r\t\u00e9"`,
	} {
		if err := transport.CheckJSON([]byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheckJSONRejects(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":                  ``,
		"blanks":                   " \n",
		"half an object":           `{"a":1`,
		"a trailing comma":         `{"a":1,}`,
		"no quotes":                `{a:1}`,
		"single quotes":            `{'a':1}`,
		"a comment":                `{"a":1} // x`,
		"NaN":                      `{"a":NaN}`,
		"Infinity":                 `[Infinity]`,
		"hex":                      `[0x10]`,
		"a leading zero":           `[01]`,
		"a leading plus":           `[+1]`,
		"a bare point":             `[.5]`,
		"a control character":      "\"a\nb\"",
		"an unknown escape":        `"\x41"`,
		"a key twice":              `{"a":1,"a":1}`,
		"a key twice by escape":    `{"a":1,"\u0061":2}`,
		"a key twice deep inside":  `{"a":[{"b":1,"b":2}]}`,
		"two values":               `{} {}`,
		"garbage behind":           `{}x`,
		"a form feed behind":       "{}\f",
		"a byte order mark":        "\ufeff{}",
		"invalid UTF-8":            "{\"a\":\"\xff\"}",
		"invalid UTF-8 in a key":   "{\"\xc3\x28\":1}",
		"an overlong NUL":          "\"\xc0\x80\"",
		"a lone high surrogate":    `"\ud800"`,
		"a lone low surrogate":     `{"a":"x\udc00y"}`,
		"a surrogate as UTF-8":     "\"\xed\xa0\x80\"",
		"NUL in a text":            `{"a":"x\u0000y"}`,
		"NUL in a key":             `{"x\u0000":1}`,
		"65 levels":                nested(65),
		"65 levels of objects":     strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65),
		"a million open brackets":  strings.Repeat("[", 1<<20),
		"65 levels behind a value": `{"a":1,"b":` + nested(64) + `}`,
	} {
		err := transport.CheckJSON([]byte(text))
		if !journal.IsKind(err, journal.KindInvalid) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var known *journal.Error
		if errors.As(err, &known); strings.Contains(known.Message, "json") || !strings.HasSuffix(known.Message, ".") {
			t.Errorf("%s: the message is %q", name, known.Message)
		}
	}
}

// TestCheckJSONAgreesWithTheStandardLibrary checks with random values that
// encoding/json's output is accepted, and that what it cannot read is not.
func TestCheckJSONAgreesWithTheStandardLibrary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.MapOf(rapid.StringMatching(`[a-z"\\é]{0,5}`), rapid.SliceOf(rapid.OneOf(
			rapid.Float64().AsAny(), rapid.Bool().AsAny(), rapid.StringMatching(`[ -~é株]*`).AsAny(),
		))).Draw(t, "value")
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if err := transport.CheckJSON(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		broken := append([]byte{}, text...)
		at := rapid.IntRange(0, len(broken)-1).Draw(t, "at")
		broken[at] = rapid.Byte().Draw(t, "byte")
		if err := transport.CheckJSON(broken); err == nil && !json.Valid(broken) {
			t.Fatalf("%q is accepted", broken)
		}
	})
}

// order is a body like the API's, with one field of each kind.
type order struct {
	Name  string          `json:"name"`
	Count int             `json:"count"`
	Open  bool            `json:"open"`
	Tags  []string        `json:"tags"`
	Price decimal.Decimal `json:"price"`
	Inner struct {
		Side string `json:"side"`
	} `json:"inner"`
	Limit *decimal.Decimal `json:"limit"`
}

func TestUnmarshalNamesTheField(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"name":5}`:                     "name",
		`{"name":["a"]}`:                 "name",
		`{"count":"many"}`:               "count",
		`{"count":1.5}`:                  "count",
		`{"count":99999999999999999999}`: "count",
		`{"open":"yes"}`:                 "open",
		`{"open":1}`:                     "open",
		`{"tags":"a"}`:                   "tags",
		`{"tags":["a",5]}`:               "tags.1",
		`{"price":"abc"}`:                "price",
		`{"price":1e31}`:                 "price",
		`{"price":{}}`:                   "price",
		`{"price":true}`:                 "price",
		`{"limit":"0x10"}`:               "limit",
		`{"inner":5}`:                    "inner",
		`{"inner":{"side":false}}`:       "inner.side",
	} {
		var known *journal.Error
		err := transport.Unmarshal([]byte(text), &order{})
		if !errors.As(err, &known) || known.Kind != journal.KindInvalid {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := known.Details["field"]; got != want {
			t.Errorf("%s names %v, want %s", text, got, want)
		}
		for _, internal := range []string{"json", "Go", "decimal.", "unmarshal", "transport", "jsontext"} {
			if strings.Contains(known.Message, internal) {
				t.Errorf("%s: the message %q contains %s", text, known.Message, internal)
			}
		}
		if !strings.Contains(known.Message, want) || !strings.HasSuffix(known.Message, ".") {
			t.Errorf("%s: the message is %q", text, known.Message)
		}
	}
}

func TestUnmarshalNeedsAnObject(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`[]`, `"x"`, `5`, `true`, `null`, ` null `} {
		var known *journal.Error
		err := transport.Unmarshal([]byte(text), &order{})
		if !errors.As(err, &known) || known.Message != "The body must be an object." {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestUnmarshalReadsExactly(t *testing.T) {
	t.Parallel()
	var got order
	text := `{"NAME":"wrong case","name":"a","unknown":{"deep":[1]},"price":1234567.123456789012345678,"limit":"0.10"}`
	if err := transport.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Name != "a" || got.Price.String() != "1234567.123456789012345678" || got.Limit.String() != "0.1" {
		t.Errorf("read %+v", got)
	}
}

func TestMarshalWritesEmptyListsAndPlainText(t *testing.T) {
	t.Parallel()
	got, err := transport.Marshal(struct {
		List []string       `json:"list"`
		Map  map[string]int `json:"map"`
		Text string         `json:"text"`
		Null *int           `json:"null"`
	}{Map: map[string]int{"b": 2, "a": 1}, Text: "<a&b>"})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"list":[],"map":{"a":1,"b":2},"text":"<a&b>","null":null}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}
