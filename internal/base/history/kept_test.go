package history

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

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
		line, err := json.Marshal(encodeRow(row), json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
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
}
