package tabular_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"fillbook/internal/intake/tabular"
)

// newRepeatedText returns a workbook with one long text shared by many cells: a small file whose
// cells have gigabytes of text.
func newRepeatedText(t testing.TB, length, rows, cells int) []byte {
	row := `<row>` + strings.Repeat(`<c t="s"><v>0</v></c>`, cells) + `</row>`
	return workbook(t, parts{strings: `<si><t>` + strings.Repeat("x", length) + `</t></si>`, sheets: []string{strings.Repeat(row, rows)}})
}

// TestTextOfAllCells checks that a shared text counts in each cell using it.
func TestTextOfAllCells(t *testing.T) {
	const length = 1000
	limits := tabular.Limits{Text: 20 * length}
	if _, err := tabular.Read(newRepeatedText(t, length, 5, 4), limits); err != nil {
		t.Errorf("a file that just fits: %v", err)
	}
	wantRefusal(t, newRepeatedText(t, length, 5, 5), limits, "MiB of text")
	wantRefusal(t, []byte(strings.Repeat(strings.Repeat("y", length)+",z\n", 21)), limits, "MiB of text")
	wantRefusal(t, []byte(`<?xml version="1.0"?><a>`+strings.Repeat(`<b c="`+strings.Repeat("y", length)+`"/>`, 21)+`</a>`), limits, "MiB of text")
}

// TestManyCellsWithOneLongText reads the file that took minutes: each of its 1.9 million
// cells was measured character by character.
func TestManyCellsWithOneLongText(t *testing.T) {
	wantRefusal(t, newRepeatedText(t, 32_767, 7_600, 250), tabular.Default(), "MiB of text")
}

// stopping is a context ending after a number of checks.
type stopping struct {
	context.Context
	left int
}

func (c *stopping) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestReadingStopsWithItsContext checks every file kind: reading asks the context again
// and again, and stops as soon as it has ended.
func TestReadingStopsWithItsContext(t *testing.T) {
	row := `<row>` + strings.Repeat(`<c><v>1</v></c>`, 20) + `</row>`
	long := map[string][]byte{
		"csv":  []byte(strings.Repeat("1,2,3\n", 20_000)),
		"html": []byte("<table>" + strings.Repeat("<tr><td>1<td>2", 20_000) + "</table>"),
		"xml":  []byte(`<?xml version="1.0"?><a>` + strings.Repeat(`<b c="1"/>`, 20_000) + "</a>"),
		"xlsx": workbook(t, parts{sheets: []string{strings.Repeat(row, 2_000)}}),
		"text": workbook(t, parts{strings: strings.Repeat("<si><t>a</t></si>", 20_000), sheets: []string{row}}),
	}
	for name, data := range long {
		if _, err := tabular.ReadContext(t.Context(), data, tabular.Default()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for left := range 8 {
			t.Run(name+" "+strconv.Itoa(left), func(t *testing.T) {
				_, err := tabular.ReadContext(&stopping{Context: t.Context(), left: left}, data, tabular.Default())
				if !errors.Is(err, context.Canceled) {
					t.Errorf("read on: %v", err)
				}
			})
		}
	}
}
