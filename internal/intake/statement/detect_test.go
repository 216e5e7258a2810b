package statement

import (
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"fillbook/internal/intake/tabular"
)

// TestDetectionComparesEveryPreset compares the detector, which looks up headers by a
// single name, with a search through all presets.
func TestDetectionComparesEveryPreset(t *testing.T) {
	t.Parallel()
	names := rapid.SampledFrom([]string{"a", "b", "c", "d", "B", "a|b", "c|d", "a#2"})
	cells := rapid.SampledFrom([]string{"a", "b", "c", "d", "A", " b ", "1", ""})
	rapid.Check(t, func(t *rapid.T) {
		var presets []*Preset
		for range rapid.IntRange(1, 6).Draw(t, "presets") {
			presets = append(presets, &Preset{
				Header:  rapid.SliceOfN(names, 1, 3).Draw(t, "header"),
				Without: rapid.SliceOfN(names, 0, 1).Draw(t, "without"),
				Exact:   rapid.Bool().Draw(t, "exact"),
			})
		}
		var table tabular.Table
		for range rapid.IntRange(1, 4).Draw(t, "rows") {
			table.Rows = append(table.Rows, tabular.Row{Cells: rapid.SliceOfN(cells, 1, 4).Draw(t, "cells")})
		}
		file := tabular.File{Tables: []tabular.Table{table}}
		got, found := Detect(file, presets)
		d := NewDetector(presets)
		for i := range d.headers {
			for _, key := range []string{"a", "b", "c", "d", "1"} {
				d.byKey[key] = append(d.byKey[key], i)
			}
		}
		want, wanted := d.Detect(file)
		if found != wanted || got.Preset != want.Preset || got.Header != want.Header || got.Reason != want.Reason {
			t.Fatalf("got %v %+v, want %v %+v", found, got, wanted, want)
		}
	})
}

// TestMeaningsHaveLetters: Locate relies on it when it counts names.
func TestMeaningsHaveLetters(t *testing.T) {
	t.Parallel()
	for word, m := range meanings() {
		letters := 0
		for _, r := range word {
			if unicode.IsLetter(r) {
				letters++
			}
		}
		if letters == 0 {
			t.Errorf("the word %q for %s has no letter", word, m.target)
		}
	}
}

// TestPlainHeaderKey compares the key for plain names with the one for any name.
func TestPlainHeaderKey(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOfN(rapid.RuneFrom([]rune("aBz09_/ .:-#%()'\"\tÄ\u00a0")), 0, 8, -1).Draw(t, "name")
		if got, want := HeaderKey(name), normalizeHeader(name); got != want {
			t.Fatalf("HeaderKey(%q) = %q, want %q", name, got, want)
		}
	})
}
