package db_test

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/db"
	"fillbook/internal/testkit"
)

// stepsUntil are our own migrations up to one of them: what a program of that
// time had.
func stepsUntil(t *testing.T, last int) fs.FS {
	t.Helper()
	steps := fstest.MapFS{}
	names, err := fs.Glob(os.DirFS("."), "migrations/*.sql")
	must(t, err)
	for _, name := range names {
		number, err := strconv.Atoi(path.Base(name)[:4])
		must(t, err)
		if number <= last {
			text, err := os.ReadFile(name)
			must(t, err)
			steps[name] = &fstest.MapFile{Data: text}
		}
	}
	return steps
}

// TestMigrateFromEveryVersion starts at each schema that there ever was and ends
// with the same one as a new database has.
func TestMigrateFromEveryVersion(t *testing.T) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			want := schema(t, testkit.Open(t, engine))
			for from := 1; from < db.Latest(); from++ {
				d := open(t, testkit.Empty(t, engine))
				must(t, d.MigrateFiles(t.Context(), stepsUntil(t, from)))
				expectVersion(t, d, from)
				must(t, d.Migrate(t.Context()))
				expectVersion(t, d, db.Latest())
				if diff := cmp.Diff(want, schema(t, d)); diff != "" {
					t.Errorf("from version %d the schema differs (-new +migrated):\n%s", from, diff)
				}
				expectSound(t, d)
			}
		})
	}
}
