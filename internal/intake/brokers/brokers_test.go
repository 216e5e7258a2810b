package brokers_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fillbook/internal/intake/brokers"
	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
)

// page is the list of readable files, for users.
const page = "../../../docs/brokers.md"

// TestThePageListsEveryPreset compares docs/brokers.md with the presets; run it with
// -update to write the file. The tests in package installation list the connections at
// its end.
func TestThePageListsEveryPreset(t *testing.T) {
	t.Parallel()
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := brokersPage()
	if at := strings.Index(string(got), "\n## Connections"); at >= 0 {
		want += string(got[at:])
	}
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(got) != want {
		t.Error("docs/brokers.md is not what the presets say: go test ./internal/intake/brokers -update")
	}
}

func brokersPage() string {
	presets := slices.DeleteFunc(brokers.All(), func(p *statement.Preset) bool { return p.Broker == "" })
	slices.SortStableFunc(presets, func(a, b *statement.Preset) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Broker), strings.ToLower(b.Broker)), cmp.Compare(a.Export, b.Export))
	})
	var b strings.Builder
	b.WriteString(`# Files that Fillbook reads by itself

Drop one of these on the import page, or send it to ` + "`POST /api/v1/imports`" + `: it is recognized by its columns or
its shape, whatever it is called. Any other CSV or workbook can be imported too; you are asked which column is what.

*Known from* tells how well a layout is known: from a real file, from a sample in the real layout, or from
documentation and other people's code only, in which case look at the preview twice. *Zone* is where times without a
zone are read. One in brackets is assumed if the file names none; the time zone in your settings goes before it. You can
always say another.

| Broker | Export | A row is | Known from | Zone |
|---|---|---|---|---|
`)
	for _, p := range presets {
		if p.Refuse != "" {
			continue
		}
		row := "a fill"
		if p.Format == statement.JournalTrades {
			row = "a trade"
		}
		zone := cmp.Or(p.Zone, "("+cmp.Or(p.MarketZone, "UTC")+")")
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", p.Broker, p.Export, row, p.Evidence, zone)
	}
	b.WriteString(`
## Languages of activity statements

Activity statements of Interactive Brokers come in the language of the account. Sections and columns are recognized by
their words, and by the order and the form of their values if the words are not known.

| Language | Words for trades | Words for cash |
|---|---|---|
| English | seen in files | seen in files |
| German | seen in public importers | seen in public importers |
| French | seen in public importers | deposits and dividends seen; the others are translations |
| Spanish | seen in public importers | seen in public importers; interest is a translation |
| Portuguese | seen in public importers | translations |
| Russian | seen in public importers | dividends, withholding tax and interest seen; the others are translations |
| Chinese (simplified) | seen in public importers | seen in public importers |
| Chinese (traditional), Italian, Dutch, Japanese | no file was seen: recognized by their form | no file was seen: recognized by their form |

## Files that are recognized and refused

| Program | File | Answer |
|---|---|---|
`)
	var before string
	for _, p := range presets {
		if line := fmt.Sprintf("| %s | %s | %s |\n", p.Broker, p.Export, p.Refuse); p.Refuse != "" && line != before {
			b.WriteString(line)
			before = line
		}
	}
	return b.String()
}

// TestFixturesFindTheirOwnPreset passes every broker's fixtures to all presets together:
// none may take another's file.
func TestFixturesFindTheirOwnPreset(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	more, _ := filepath.Glob("../metatrader/testdata/*.txtar")
	own, _ := filepath.Glob("ibkr/testdata/*.txtar")
	for _, name := range slices.Concat(files, own, more) {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var want string
		for _, f := range archive.Files {
			if f.Name == "want" {
				want, _, _ = strings.Cut(string(f.Data), ",")
			}
		}
		if want == "" || strings.HasPrefix(want, "refused") {
			continue
		}
		got, _ := brokertest.Read(archive.Files[0].Data, brokertest.Hints(string(archive.Comment)), brokers.All())
		if first, _, _ := strings.Cut(got, ","); first != want {
			t.Errorf("%s is taken for %q, want %q", name, first, want)
		}
	}
}

// TestEverySampleIsKnown reads every sample, if there are any, with all presets together:
// some table must list each sample, and it must be read as the table says.
func TestEverySampleIsKnown(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("SVC_TEST_SAMPLES")
	if folder == "" {
		return
	}
	tables := []string{"testdata/samples.txt", "ibkr/testdata/samples.txt"}
	want := map[string]string{}
	for _, table := range append(tables, "../metatrader/testdata/samples.txt") {
		maps.Copy(want, brokertest.ReadTable(t, table))
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	read, refused := 0, 0
	for _, entry := range entries {
		if entry.IsDir() || filepath.Ext(entry.Name()) == ".md" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		facts := brokertest.FactsOf(t, entry.Name(), data, brokers.All())
		if facts != want[entry.Name()] {
			t.Errorf("%s\n got %s\nwant %s", entry.Name(), facts, want[entry.Name()])
		}
		if strings.HasPrefix(facts, "refused") {
			refused++
			continue
		}
		read++
	}
	t.Logf("%d samples are read, %d are refused", read, refused)
}

// TestDamagedFilesLoseNoRow checks row conservation for files with damaged cells.
func TestDamagedFilesLoseNoRow(t *testing.T) {
	t.Parallel()
	brokertest.CheckDamaged(t, brokers.All(), "testdata/*.txtar", "ibkr/testdata/*.txtar", "../metatrader/testdata/*.txtar")
}
