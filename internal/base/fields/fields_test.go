package fields_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/testkit"
)

// values are what a record contains beside its key.
type values struct {
	Title string
	Price decimal.Null
	Grade int
	Seen  *time.Time
}

type record struct {
	ID    string
	Owner string
	values
	ChangedAt time.Time
}

var list = fields.List[values]{
	fields.NewText("title", func(v *values) *string { return &v.Title }).
		MergeBy(func(into, other *values) { into.Title += other.Title }),
	fields.NewNumber("price", func(v *values) *decimal.Null { return &v.Price }),
	fields.NewGrade("grade", func(v *values) *int { return &v.Grade }).Export("Grade").Alias("mark"),
	fields.NewInstant("seen", func(v *values) **time.Time { return &v.Seen }),
}

var table = newTable()

func newTable() *fields.Table[record] {
	columns := fields.List[record]{fields.NewID("owner", func(r *record) *string { return &r.Owner }).Freeze()}
	for _, f := range list {
		columns = append(columns, fields.Lift(f, func(r *record) *values { return &r.values }))
	}
	columns = append(columns, fields.NewTime("changed_at", func(r *record) *time.Time { return &r.ChangedAt }))
	return fields.New("records", fields.List[record]{fields.NewID("id", func(r *record) *string { return &r.ID })}, columns)
}

func newRecord(id string) record {
	seen := time.Date(2026, 3, 2, 15, 0, 0, 1000, time.UTC)
	return record{
		ID: id, Owner: "o", ChangedAt: seen.Add(time.Hour),
		values: values{Title: "t", Price: decimal.Of(decimal.Must("1.50")), Grade: 4, Seen: &seen},
	}
}

// TestStoredRecords writes and reads records on both engines: full ones and empty ones,
// by every statement in the table.
func TestStoredRecords(t *testing.T) {
	t.Parallel()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			d := testkit.Open(t, engine)
			full, empty := newRecord("full"), record{ID: "empty", Owner: "o", ChangedAt: time.Unix(0, 0).UTC()}
			changed := full
			changed.Owner, changed.Title, changed.Price, changed.Grade = "another", "u", decimal.Null{}, 0
			err := d.Update(t.Context(), func(tx *db.Tx) error {
				for _, statement := range []string{`DROP TABLE IF EXISTS records`, `CREATE TABLE records (user_id TEXT, id TEXT, owner TEXT,
					title TEXT, price TEXT, grade BIGINT, seen BIGINT, changed_at BIGINT, PRIMARY KEY (user_id, id))`} {
					if _, err := tx.Exec(t.Context(), statement); err != nil {
						return err
					}
				}
				_, err := tx.InsertMany(t.Context(), table.Name, table.Columns(), table.Upsert(), [][]any{table.Values("u", &full)})
				if err != nil {
					return err
				}
				if _, err := tx.Exec(t.Context(), table.Insert(), table.Values("u", &empty)...); err != nil {
					return err
				}
				expectStored(t, tx, empty, full)
				_, err = tx.InsertMany(t.Context(), table.Name, table.Columns(), table.Upsert(), [][]any{table.Values("u", &changed)})
				if err != nil {
					return err
				}
				want := changed
				want.Owner = "o" // frozen
				expectStored(t, tx, empty, want)
				if _, err := tx.Exec(t.Context(), table.Update(), table.UpdateValues("u", &full)...); err != nil {
					return err
				}
				expectStored(t, tx, empty, full)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func expectStored(t *testing.T, tx *db.Tx, want ...record) {
	t.Helper()
	got, err := db.List(context.Background(), tx, func(row db.Scanner) (r record, err error) {
		err = table.Scan(row, &r)
		return r, err
	}, table.Select("r")+` ORDER BY r.id`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(record{})); diff != "" {
		t.Errorf("the stored records differ (-want +got):\n%s", diff)
	}
}

// TestEveryFieldIsCompared changes one field at a time.
func TestEveryFieldIsCompared(t *testing.T) {
	t.Parallel()
	full, other := newRecord("a"), newRecord("b")
	if !table.Fields.Equal(&full, &other) {
		t.Error("records that differ in ignored fields only are not equal")
	}
	for i, f := range list {
		one, none := full.values, values{}
		if f.IsEmpty(&one) || !f.IsEmpty(&none) {
			t.Errorf("%s: IsEmpty is wrong", f.Name)
		}
		list[i:i+1].Merge(&none, &one)
		if list.IsEmpty(&none) {
			t.Errorf("%s is not merged into an empty record", f.Name)
		}
		var reset values
		if list.Equal(&none, &reset) || list[i:i+1].Equal(&one, &reset) {
			t.Errorf("%s is not compared", f.Name)
		}
	}
}

// TestMerge keeps a field's first value, or follows the field's rule.
func TestMerge(t *testing.T) {
	t.Parallel()
	into, other := values{Title: "a", Grade: 2}, newRecord("x").values
	list.Merge(&into, &other)
	want := values{Title: "at", Price: other.Price, Grade: 2, Seen: other.Seen}
	if diff := cmp.Diff(want, into); diff != "" {
		t.Errorf("the merged record differs (-want +got):\n%s", diff)
	}
}

// TestNewRefusesRepetitions: a column listed twice would be written twice.
func TestNewRefusesRepetitions(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a table with a repeated field was created")
		}
	}()
	key := fields.List[record]{fields.NewID("id", func(r *record) *string { return &r.ID })}
	fields.New("twice", key, key)
}

func TestStatements(t *testing.T) {
	t.Parallel()
	const want = "UPDATE records SET title = $1, price = $2, grade = $3, seen = $4, changed_at = $5 WHERE user_id = $6 AND id = $7"
	if !slices.Contains(fields.Statements(), want) {
		t.Errorf("the statements lack %q: %q", want, fields.Statements())
	}
}
