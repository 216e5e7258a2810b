package playbook_test

import (
	"flag"
	"strings"
	"testing"

	"fillbook/internal/base/fields"
	"fillbook/internal/testkit"
)

var update = flag.Bool("update", false, "write testdata/sql.txt")

// TestStatementsAreListed keeps statements built from field tables in a file, where they
// can be searched and are checked like other SQL. After a change, run the test with
// -update.
func TestStatementsAreListed(t *testing.T) {
	t.Parallel()
	testkit.CompareFile(t, "testdata/sql.txt", strings.Join(fields.Statements(), "\n")+"\n", *update)
}
