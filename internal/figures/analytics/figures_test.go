package analytics

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fillbook/internal/figures/analytics/oracle"
)

// TestEveryFigureIsEverywhere compares the figure table with each place listing figures
// by hand. To add a figure, see docs/architecture.md, "Add a figure".
func TestEveryFigureIsEverywhere(t *testing.T) {
	t.Parallel()
	var table []string
	for _, f := range Figures() {
		table = append(table, f.Name)
	}
	described := []string{"currency", "breakeven_tolerance", "excluded"} // what figures are in, by which setting, and without which trades
	for place, names := range map[string]struct{ listed, others []string }{
		"Summary in internal/figures/analytics/summary.go (the tag formula)": {keysOf(toJSON(t, Summary{})), described},
		"Summary in internal/figures/analytics/oracle/summary.go":            {slices.Collect(maps.Keys((&oracle.Journal{}).Summary(&oracle.Question{}))), described},
		"the table of docs/metrics.md, Summary":                              {listDefined(t), nil},
		"figures in web/src/lib/labels.ts":                                   {listLabels(t), []string{"starting_balance"}}, // an input
	} {
		for _, figure := range table {
			if !slices.Contains(names.listed, figure) {
				t.Errorf("%s is missing in %s", figure, place)
			}
		}
		for _, name := range names.listed {
			if !slices.Contains(table, name) && !slices.Contains(names.others, name) {
				t.Errorf("%s is in %s but is not in the table of figures", name, place)
			}
		}
	}
}

func keysOf(object any) []string { return slices.Collect(maps.Keys(object.(map[string]any))) }

// listDefined returns the figures in the tables' first column in docs/metrics.md, section
// Summary.
func listDefined(t *testing.T) []string {
	t.Helper()
	section := readBetween(t, "../../../docs/metrics.md", "\n## Summary\n", "\n## ")
	var names []string
	for row := range strings.Lines(section) {
		if cells := strings.Split(row, "|"); len(cells) > 2 {
			for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(cells[1], -1) {
				names = append(names, name[1])
			}
		}
	}
	return names
}

// listLabels returns the figures with a label on the page.
func listLabels(t *testing.T) []string {
	t.Helper()
	table := readBetween(t, "../../../web/src/lib/labels.ts", "export const figures = {", "\n} ")
	var names []string
	for _, entry := range regexp.MustCompile(`(\w+): \{ label`).FindAllStringSubmatch(table, -1) {
		names = append(names, entry[1])
	}
	return names
}

// readBetween returns a file's text between two marks.
func readBetween(t *testing.T, path, first, end string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), first)
	between, _, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no text between %q and %q", path, first, end)
	}
	return between
}
