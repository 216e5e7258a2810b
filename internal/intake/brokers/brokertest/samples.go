package brokertest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// Facts summarizes a statement in one line, to be compared with what is known
// about a real file.
func Facts(s *statement.Statement) string {
	return fmt.Sprintf("%s, %s: rows %d, fills %d, cash %d, annotations %d, problems %d; costs %s, gross %s, net %s, cash in %s, out %s",
		s.Broker, s.Format, s.Rows, len(s.Fills), len(s.Cash), len(s.Annotations), len(s.Problems),
		s.Sum(statement.ItemCosts), s.Sum(statement.ItemGrossPnL), s.Sum(statement.ItemNetPnL),
		s.Sum(statement.ItemDeposits), s.Sum(statement.ItemWithdrawals))
}

// FactsOf reads a file and sums it up, or gives the refusal. Every row must be
// accounted for.
func FactsOf(t *testing.T, name string, data []byte, presets []*statement.Preset) string {
	t.Helper()
	s, err := readAny(name, data, presets)
	if err != nil {
		return "refused: " + err.Error()
	}
	t.Run(name, func(t *testing.T) { checkConservation(t, s) })
	return Facts(s)
}

// readAny reads a file with the preset fitting it, or by its column names.
func readAny(name string, data []byte, presets []*statement.Preset) (*statement.Statement, error) {
	h := statement.Hints{FileName: name}
	s, _, err := read(data, h, presets)
	if !errors.Is(err, errNoPreset) {
		return s, err
	}
	s, _, err = readGeneric(data, h)
	return s, err
}

// readGeneric reads a table without a preset by its column names.
func readGeneric(data []byte, h statement.Hints) (*statement.Statement, statement.Detection, error) {
	file, err := tabular.Read(data, tabular.Default())
	if err != nil {
		return nil, statement.Detection{}, err
	}
	found, ok := statement.Locate(file)
	if !ok {
		return nil, statement.Detection{}, errors.New("there is no table")
	}
	rows := file.Tables[found.Table].Rows
	found.Preset = statement.Generic(rows[found.Header].Cells, rows[found.Header+1:], nil)
	s, err := statement.Read(file, found, h)
	return s, found, err
}

// Samples compares real exports, in a folder named by SVC_TEST_SAMPLES outside the
// project, with a table of their facts: a line per file with its name, a blank and the
// facts. Only files whose names begin with a prefix are looked at. Without the folder
// there is nothing to do.
func Samples(t *testing.T, table string, presets []*statement.Preset, prefixes ...string) {
	t.Helper()
	folder := os.Getenv("SVC_TEST_SAMPLES")
	if folder == "" {
		return
	}
	want := ReadTable(t, table)
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range files {
		if f.IsDir() || !hasPrefix(f.Name(), prefixes) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, f.Name())) // the tester names the folder
		if err != nil {
			t.Fatal(err)
		}
		got := FactsOf(t, f.Name(), data, presets)
		lines = append(lines, f.Name()+" "+got)
		if !*update && want[f.Name()] != got {
			t.Errorf("%s\n got %s\nwant %s", f.Name(), got, want[f.Name()])
		}
	}
	if *update {
		if err := os.WriteFile(table, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil { // a fixture is for everybody
			t.Fatal(err)
		}
	}
}

func hasPrefix(name string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// ReadTable reads a fact table with a line per file.
func ReadTable(t *testing.T, name string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(name) // a fixture in the caller's package
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	table := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if file, facts, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			table[file] = facts
		}
	}
	return table
}
