package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/intake/imports"
)

// TestImportBarCountsStages checks that a started stage completes those before it.
func TestImportBarCountsStages(t *testing.T) {
	var drawn [][2]int
	watch := showStages(func(done, total int) { drawn = append(drawn, [2]int{done, total}) })
	for _, stage := range []string{"checking", "writing", "annotating"} {
		watch(imports.Progress{Stage: stage})
	}
	if diff := cmp.Diff([][2]int{{0, 4}, {1, 4}, {2, 4}, {3, 4}}, drawn); diff != "" {
		t.Error(diff)
	}
}
