// Package brokertest runs the fixtures for broker presets. A fixture is a txtar file: its
// comment says what the layout shows and may hold hints as lines "hint:
// zone=Europe/Berlin" (zone, order, file, day, currency), its first file is the export,
// and the file "want" is the expected result, as Render writes it. `go test -update`
// rewrites the wants; read the diff.
//
// Exports other than text (UTF-16, XLSX) are built from text by their tests and handed to
// Check.
package brokertest

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"fillbook/internal/base/journal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

var update = flag.Bool("update", false, "rewrite what the fixtures want")

// Run checks every fixture under testdata, and that each preset has a fixture.
func Run(t *testing.T, presets []*statement.Preset) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	seen := map[*statement.Preset]bool{}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			if p := runFixture(t, file, presets); p != nil {
				seen[p] = true
			}
		})
	}
	for _, p := range presets {
		if !seen[p] {
			t.Errorf("preset %s (%s) has no fixture", p.Broker, p.Export)
		}
		if p.Evidence == "" || p.Format == "" || p.Broker == "" || p.Export == "" {
			t.Errorf("preset %s (%s) must name broker, export, evidence and format", p.Broker, p.Export)
		}
		if err := p.Validate(); err != nil {
			t.Error(err)
		}
	}
}

func runFixture(t *testing.T, name string, presets []*statement.Preset) *statement.Preset {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil || len(archive.Files) == 0 {
		t.Fatalf("reading %s: %v", name, err)
	}
	got, preset := Read(archive.Files[0].Data, Hints(string(archive.Comment)), presets)
	if s, _, err := read(archive.Files[0].Data, Hints(string(archive.Comment)), presets); err == nil {
		checkConservation(t, s)
	}
	want := ""
	for i, f := range archive.Files {
		if f.Name != "want" {
			continue
		}
		want = string(f.Data)
		if *update {
			archive.Files[i].Data = []byte(got)
		}
	}
	if *update && preset == nil {
		t.Fatalf("no preset reads %s; add the preset to a list of presets first", name)
	}
	if *update {
		if want == "" {
			archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(got)})
		}
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil { // a fixture is for everybody
			t.Fatal(err)
		}
		return preset
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
	return preset
}

// Check compares what is read from some bytes with a rendering.
func Check(t *testing.T, data []byte, h statement.Hints, presets []*statement.Preset, want string) {
	t.Helper()
	got, _ := Read(data, h, presets)
	if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Read reads some bytes and renders the result, or the refusal.
func Read(data []byte, h statement.Hints, presets []*statement.Preset) (string, *statement.Preset) {
	s, found, err := read(data, h, presets)
	if err != nil {
		return fmt.Sprintf("refused: %v\n", err), found.Preset
	}
	if lost := LostRows(s); len(lost) > 0 {
		return strings.Join(lost, "\n"), found.Preset
	}
	return Render(s, found), found.Preset
}

var errNoPreset = errors.New("no preset fits")

// read reads some bytes with the preset fitting them.
func read(data []byte, h statement.Hints, presets []*statement.Preset) (*statement.Statement, statement.Detection, error) {
	file, err := tabular.Read(data, tabular.Default())
	if err != nil {
		return nil, statement.Detection{}, err
	}
	found, ok := statement.Detect(file, presets)
	if !ok {
		return nil, statement.Detection{}, errNoPreset
	}
	s, err := statement.Read(file, found, h)
	return s, found, err
}

// Hints reads the lines in a fixture's comment beginning with "hint: ".
func Hints(comment string) (h statement.Hints) {
	h.Currency = "USD"
	for line := range strings.Lines(comment) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "hint: ")
		if !ok {
			continue
		}
		key, value, _ := strings.Cut(text, "=")
		switch key {
		case "zone":
			h.Zone = value
		case "order":
			h.Order = parse.DateOrder(value)
		case "file":
			h.FileName = value
		case "day":
			h.Day = journal.Day(value)
		case "currency":
			h.Currency = value
		}
	}
	return h
}
