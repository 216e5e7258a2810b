package tabular

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLinesAndGeneralRulesAgree compares the records in texts split line by line with
// those read sign by sign.
func TestLinesAndGeneralRulesAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([ab1 \t,;]{0,4}|"[a,\n]{0,3}"|"|=|\r\n|\n|\n|\n|\r){0,12}`).Draw(t, "text")
		delim := rapid.SampledFrom([]byte(",;\t ")).Draw(t, "delimiter")
		limits := Limits{Columns: 3}.orDefault()
		lines, signs := newScanner(text, delim, limits), newScanner(text, delim, limits)
		for {
			signs.mixed = true
			more := lines.record()
			if more != signs.record() {
				t.Fatalf("%q: only one of both has a further record", text)
			}
			if !more {
				return
			}
			if !slices.Equal(lines.cells, signs.cells) || lines.pos != signs.pos || lines.line != signs.line || lines.start != signs.start ||
				lines.width != signs.width || lines.spill != signs.spill || lines.whole != signs.whole {
				t.Fatalf("%q: a line is %q up to %d, want %q up to %d", text, lines.cells, lines.pos, signs.cells, signs.pos)
			}
		}
	})
}
