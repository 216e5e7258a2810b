package brokertest

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
	"fillbook/internal/trading/matching"
)

// Fuzz passes arbitrary files to some presets, beginning with their fixtures and
// some more seeds: nothing may crash, and what is read must be sound.
func Fuzz(f *testing.F, presets []*statement.Preset, seeds ...string) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		archive, err := txtar.ParseFile(name)
		if err != nil || len(archive.Files) == 0 {
			f.Fatalf("reading %s: %v", name, err)
		}
		f.Add(string(archive.Files[0].Data))
	}
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := tabular.Read([]byte(text), tabular.Default())
		if err != nil {
			return
		}
		found, ok := statement.Detect(file, presets)
		if !ok {
			return
		}
		s, err := statement.Read(file, found, statement.Hints{FileName: "2026-01-05.csv", Currency: "USD"})
		if err != nil {
			return
		}
		sound(t, s)
		checkConservation(t, s)
	})
}

// sound demands that everything read could be stored.
func sound(t *testing.T, s *statement.Statement) {
	t.Helper()
	for _, fault := range LostRows(s) {
		t.Error(fault)
	}
	for _, fill := range s.Fills {
		if fill.Symbol == "" || fill.Quantity.Sign() <= 0 || fill.Side != matching.Buy && fill.Side != matching.Sell ||
			fill.At.Year() < 1969 || fill.At.Year() > 2200 || fill.Row < 1 {
			t.Errorf("%+v is not a fill", fill)
		}
	}
	for _, c := range s.Cash {
		if c.Type == "" || c.At.IsZero() || c.Row < 1 {
			t.Errorf("%+v is not cash", c)
		}
	}
}
