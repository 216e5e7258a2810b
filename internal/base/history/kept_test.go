package history

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// encodeRow returns a row for a general encoder. Bytes are {"b": base64}.
func encodeRow(row []any) []any {
	encoded := make([]any, len(row))
	for i, value := range row {
		if raw, ok := value.([]byte); ok {
			value = map[string][]byte{"b": raw}
		}
		encoded[i] = value
	}
	return encoded
}

// TestKeptRowsAreReadAsWritten writes rows with every kind of value and reads them. A row
// that was cut off is an error.
func TestKeptRowsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	for _, row := range [][]any{
		{nil, int64(0), int64(-7), int64(math.MaxInt64), "", "AAPL", []byte{}, []byte{0, 255, 10}},
		{`"`, `\`, "\\\"", "a\nb\r\t\x01", `],["`, `{"b":"AA=="}`, "null", "7", "<&>", "Größe 😀"},
		{"a line\u2028b", strings.Repeat("x", 5000), "trailing \\"},
		{int64(1)},
	} {
		line, err := appendRow(nil, row)
		if want, _ := json.Marshal(encodeRow(row), json.Deterministic(true)); err != nil || string(line) != string(want) {
			t.Fatalf("the row is %s (%v), want %s", line, err, want)
		}
		got := make([]any, len(row))
		if err := decodeRow(append(line, '\n'), got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if !reflect.DeepEqual(got, row) {
			t.Errorf("%s is read as %#v", line, got)
		}
		for end := range line {
			if err := decodeRow(line[:end], got); err == nil {
				t.Errorf("%s is no error", line[:end])
			}
		}
		if err := decodeRow(line, make([]any, len(row)+1)); err == nil {
			t.Errorf("%s has no value for the last column, and that is no error", line)
		}
	}
	for _, value := range []any{"a\xff", 1.5} {
		if line, err := appendRow(nil, []any{value}); err == nil {
			t.Errorf("%v is kept as %s", value, line)
		}
	}
}
