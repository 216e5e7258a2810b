package crypto

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fillbook/internal/imports/statement"
	"fillbook/internal/imports/tabular"
	"fillbook/internal/matching"
)

// FuzzPresets feeds damaged exports: nothing panics, and what is read as a fill
// or as cash could be one.
func FuzzPresets(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(archive.Files[0].Data))
	}
	presets := Presets()
	f.Fuzz(func(t *testing.T, text string) {
		file, err := tabular.Read([]byte(text), tabular.Default())
		if err != nil {
			return
		}
		found, ok := statement.Detect(file, presets)
		if !ok {
			return
		}
		s, err := statement.Read(file, found, statement.Hints{Currency: "USD"})
		if err != nil {
			return
		}
		for _, fill := range s.Fills {
			if fill.Symbol == "" || fill.Quantity.Sign() <= 0 || fill.Side != matching.Buy && fill.Side != matching.Sell ||
				fill.At.Year() < 1969 || fill.At.Year() > 2200 || fill.Row < 1 {
				t.Errorf("%+v is not a fill", fill)
			}
		}
		for _, c := range s.Cash {
			if c.Amount.IsZero() || c.Type == "" || c.At.IsZero() || c.Row < 1 {
				t.Errorf("%+v is not cash", c)
			}
		}
	})
}
