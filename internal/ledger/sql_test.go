package ledger_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/fields"
)

var update = flag.Bool("update", false, "write testdata/sql.txt")

// TestStatementsAreListed keeps the statements that are built from field tables
// in a file, where they can be searched and are checked like other SQL. After a
// change, run the test with -update.
func TestStatementsAreListed(t *testing.T) {
	t.Parallel()
	const file = "testdata/sql.txt"
	got := strings.Join(fields.Statements(), "\n") + "\n"
	if *update {
		must(t, os.MkdirAll("testdata", 0o750))
		must(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is not current; run the test with -update (-file +built):\n%s", file, diff)
	}
}
