package statement_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// TestGeneric reads files without a preset. A fixture may hold a file "mapping" (JSON,
// target to column) and hints in its comment.
func TestGeneric(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	layouts, _ := filepath.Glob("testdata/layouts/*.txtar")
	files = append(files, layouts...)
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	update := flag.Lookup("update").Value.String() == "true"
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var mapping map[statement.Target]string
			want := -1
			for i, f := range archive.Files {
				switch f.Name {
				case "mapping":
					if err := json.Unmarshal(f.Data, &mapping); err != nil {
						t.Fatal(err)
					}
				case "want":
					want = i
				}
			}
			got := readGeneric(t, archive.Files[0].Data, mapping, string(archive.Comment))
			if update {
				if want < 0 {
					archive.Files = append(archive.Files, txtar.File{Name: "want"})
					want = len(archive.Files) - 1
				}
				archive.Files[want].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want < 0 {
				t.Fatal("the fixture has an empty want")
			}
			if diff := cmp.Diff(string(archive.Files[want].Data), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func readGeneric(t *testing.T, data []byte, mapping map[statement.Target]string, comment string) string {
	t.Helper()
	file, err := tabular.Read(data, tabular.Default())
	if err != nil {
		return fmt.Sprintf("refused: %v\n", err)
	}
	found, ok := statement.Locate(file)
	if !ok {
		return "refused: no table\n"
	}
	headers, _ := statement.Sample(file.Tables[found.Table], found.Header)
	found.Preset = statement.Generic(headers, file.Tables[found.Table].Rows[found.Header+1:], mapping)
	hints := brokertest.Hints(comment)
	hints.Mapping = mapping
	s, err := statement.Read(file, found, hints)
	if err != nil {
		return fmt.Sprintf("refused: %v\n", err)
	}
	return brokertest.Render(s, found)
}

// TestChecksRunForChosenColumns reads a known broker's file by chosen columns: costs
// missing from the choice count, and amounts are compared.
func TestChecksRunForChosenColumns(t *testing.T) {
	t.Parallel()
	const csv = "Date,Ticker,Side,Shares,Price,Commission,Stamp duty,Net amount,Balance\n" +
		"2026-01-05T10:00:00Z,AAPL,Buy,10,200,1.00,0.50,-2001.50,7998.50\n" +
		"2026-01-06T10:00:00Z,AAPL,Sell,10,210,1.00,0.50,2090.00,10088.50\n"
	file, err := tabular.Read([]byte(csv), tabular.Default())
	if err != nil {
		t.Fatal(err)
	}
	preset := &statement.Preset{Broker: "Acme", Export: "trades", Format: statement.Executions}
	chosen := map[statement.Target]string{"symbol": "Ticker", "side": "Side", "quantity": "Shares", "price": "Price", "executed_at": "Date"}
	rows := file.Tables[0].Rows
	mapped := preset.Mapped(rows[0].Cells, rows[1:], chosen)
	s, err := statement.Read(file, statement.Detection{Preset: mapped}, statement.Hints{Mapping: chosen})
	if err != nil {
		t.Fatal(err)
	}
	if f := s.Fills[0]; f.Commission.String() != "1" || f.Fees.String() != "0.5" {
		t.Errorf("commission %s, fees %s", f.Commission, f.Fees)
	}
	var warnings []string
	for _, w := range s.Warnings {
		warnings = append(warnings, w.Text)
	}
	all := strings.Join(warnings, "\n")
	for _, want := range []string{`"Stamp duty", "Commission"`, `not used: "Balance"`, "costs in 1 row. The first is row 2 (AAPL): the file says 2090"} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning has %q:\n%s", want, all)
		}
	}
}
