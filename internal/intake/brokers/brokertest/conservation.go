package brokertest

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// checkConservation demands that no data row is lost; see [LostRows].
func checkConservation(t *testing.T, s *statement.Statement) {
	t.Helper()
	for _, fault := range LostRows(s) {
		t.Error(fault)
	}
}

// CheckDamaged reads the fixtures under some patterns with empty or replaced cells, and
// demands that their rows are accounted for too.
func CheckDamaged(t *testing.T, presets []*statement.Preset, patterns ...string) {
	t.Helper()
	const tries = 3
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no fixtures match %s: %v", pattern, err)
		}
		for _, name := range files {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(1, uint64(len(archive.Files[0].Data))))
			t.Run(filepath.Base(name), func(t *testing.T) {
				for range tries {
					checkDamaged(t, archive, presets, random)
				}
			})
		}
	}
}

func checkDamaged(t *testing.T, archive *txtar.Archive, presets []*statement.Preset, random *rand.Rand) {
	t.Helper()
	file, err := tabular.Read(archive.Files[0].Data, tabular.Default())
	if err != nil {
		return
	}
	found, ok := statement.Detect(file, presets)
	if !ok {
		return
	}
	for _, table := range file.Tables {
		for i, row := range table.Rows {
			if i > found.Header && len(row.Cells) > 0 && random.IntN(3) == 0 {
				damage(row.Cells, table.Rows, random)
			}
		}
	}
	if found, ok = statement.Detect(file, presets); !ok {
		return
	}
	if s, err := statement.Read(file, found, Hints(string(archive.Comment))); err == nil {
		checkConservation(t, s)
	}
}

// damage empties a cell, or fills it with text or a value from another row.
func damage(cells []string, rows []tabular.Row, random *rand.Rand) {
	at := random.IntN(len(cells))
	switch other := rows[random.IntN(len(rows))].Cells; random.IntN(4) {
	case 0:
		cells[at] = ""
	case 1:
		cells[at] = "0"
	case 2:
		cells[at] = strings.ToLower(cells[at]) + " damaged"
	default:
		if at < len(other) {
			cells[at] = other[at]
		}
	}
}
