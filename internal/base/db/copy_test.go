package db_test

import (
	"errors"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// TestCopyReadsTheLiveSchema compares the tables and columns a copy reads with those a
// migrated database has, on both engines.
func TestCopyReadsTheLiveSchema(t *testing.T) {
	t.Parallel()
	copied, err := db.CopiedColumns(t.Context(), nil)
	must(t, err)
	slices.Sort(copied)
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			var live []string
			for _, c := range schema(t, testkit.Open(t, engine)) {
				if c.Table != "schema_migrations" {
					live = append(live, c.Table+"."+c.Name)
				}
			}
			slices.Sort(live)
			if diff := cmp.Diff(live, copied); diff != "" {
				t.Errorf("the copy does not read the live columns (-live +copied):\n%s", diff)
			}
		})
	}
}

// TestCopyReadsEveryLayoutOfDDL reads columns and tables that migrations added or renamed
// in ways a pattern over their text would miss.
func TestCopyReadsEveryLayoutOfDDL(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"migrations/0001_first.sql": {Data: []byte(`
			CREATE TABLE z_parents (id TEXT PRIMARY KEY, above TEXT REFERENCES z_parents (id));
			  CREATE TABLE old_children (
			    parent TEXT REFERENCES z_parents (id), first
			    TEXT, "Second" BIGINT, PRIMARY KEY (parent));`)},
		"migrations/0002_second.sql": {Data: []byte(`
			ALTER TABLE old_children
			  ADD COLUMN third TEXT;
			ALTER TABLE old_children RENAME COLUMN first TO renamed;
			ALTER TABLE old_children RENAME TO children;
			CREATE TABLE a_grandchildren (parent TEXT REFERENCES children (parent));`)},
	}
	copied, err := db.CopiedColumns(t.Context(), files)
	must(t, err)
	want := []string{
		"z_parents.id", "z_parents.above", "children.parent", "children.renamed", "children.Second", "children.third", "a_grandchildren.parent",
	}
	if diff := cmp.Diff(want, copied); diff != "" {
		t.Errorf("the columns differ (-want +got):\n%s", diff)
	}
	files["migrations/0003_third.sql"] = &fstest.MapFile{Data: []byte(`
		CREATE TABLE one (id TEXT PRIMARY KEY, other TEXT REFERENCES two (id));
		CREATE TABLE two (id TEXT PRIMARY KEY, other TEXT REFERENCES one (id));`)}
	if _, err := db.CopiedColumns(t.Context(), files); err == nil {
		t.Error("tables that refer to each other have an order")
	}
}

// TestCopyRefusesOtherColumns: a column the schema does not have, or that a database
// lacks, stops the copy.
func TestCopyRefusesOtherColumns(t *testing.T) {
	t.Parallel()
	for name, ddl := range map[string]string{
		"an added column": `ALTER TABLE tags ADD COLUMN extra TEXT`, "a renamed column": `ALTER TABLE tags RENAME COLUMN color TO colour`,
	} {
		for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
			t.Run(name+" on "+string(engine), func(t *testing.T) {
				t.Parallel()
				changed, plain := testkit.Open(t, engine), testkit.Open(t, engine)
				must(t, changed.Define(t.Context(), ddl))
				for _, err := range []error{
					db.Copy(t.Context(), changed, plain, db.CopyOptions{}), db.Copy(t.Context(), plain, changed, db.CopyOptions{}),
				} {
					if !errors.Is(err, db.ErrDamaged) {
						t.Errorf("the copy ended with %v", err)
					}
				}
			})
		}
	}
}
