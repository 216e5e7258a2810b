package matching

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected trades in testdata")

// TestDataFiles groups each file's fills in testdata and compares every figure with the
// trades written below them.
func TestDataFiles(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no data files: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i+1 < len(archive.Files); i += 2 {
				checkCase(t, archive.Files[i], &archive.Files[i+1])
			}
			if *update {
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// checkCase takes a fill file and the trade file that must follow.
func checkCase(t *testing.T, fills txtar.File, trades *txtar.File) {
	t.Helper()
	got := formatTrades(Group(parseFills(t, string(fills.Data)), Head{}))
	if *update {
		trades.Data = []byte(got)
	}
	if diff := cmp.Diff(string(trades.Data), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", fills.Name, diff)
	}
}
