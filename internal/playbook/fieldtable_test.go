package playbook_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/fields"
	"fillbook/internal/journal"
	"fillbook/internal/playbook"
	"fillbook/internal/testkit"
)

// keyColumns are the columns of trade_annotations that are not values, and why.
var keyColumns = map[string]string{
	"user_id": "the owner", "trade_id": "the key", "account_id": "where the trade is", "updated_at": "set by each write",
}

// TestEveryColumnIsInTheFieldTable compares the columns of the live tables with
// the fields: a column that no field has is never written.
func TestEveryColumnIsInTheFieldTable(t *testing.T) {
	t.Parallel()
	for engine, query := range map[db.Engine]string{
		db.SQLite: `SELECT name FROM pragma_table_info('trade_annotations')`,
		db.PostgreSQL: `SELECT column_name FROM information_schema.columns
			WHERE table_schema = current_schema() AND table_name = 'trade_annotations'`,
	} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			var got []string
			must(t, testkit.Open(t, engine).View(t.Context(), func(tx *db.Tx) (err error) {
				got, err = db.List(t.Context(), tx, db.Single[string], query)
				return err
			}))
			got = slices.DeleteFunc(got, func(name string) bool { return keyColumns[name] != "" })
			var want []string
			for _, f := range playbook.AnnotationFields {
				want = append(want, f.Column)
			}
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the columns differ (-fields +table):\n%s", diff)
			}
		})
	}
}

// setSample sets a value to the nth sample of its type.
func setSample(t *testing.T, at any, n int) {
	t.Helper()
	switch value := at.(type) {
	case *string:
		*value = strings.Repeat("x", n)
	case *int:
		*value = n
	case *decimal.Null:
		*value = decimal.Of(decimal.New(int64(n)))
	case **time.Time:
		instant := time.Unix(int64(n), 0).UTC()
		*value = &instant
	default:
		t.Fatalf("there is no sample of the type %T", at)
	}
}

// TestEveryMemberIsInTheFieldTable: each member of the values has a field of its
// JSON name, which reads and writes this member, counts as content, is compared
// and is merged.
func TestEveryMemberIsInTheFieldTable(t *testing.T) {
	t.Parallel()
	members := reflect.TypeFor[playbook.AnnotationValues]()
	if members.NumField() != len(playbook.AnnotationFields) {
		t.Errorf("%d members and %d fields", members.NumField(), len(playbook.AnnotationFields))
	}
	for i := range members.NumField() {
		name, _, _ := strings.Cut(members.Field(i).Tag.Get("json"), ",")
		place := slices.IndexFunc(playbook.AnnotationFields, func(f annotationField) bool { return f.Name == name })
		if place < 0 {
			t.Errorf("%s is not in the field table", name)
			continue
		}
		var first, second, merged playbook.AnnotationValues
		setSample(t, reflect.ValueOf(&first).Elem().Field(i).Addr().Interface(), 1)
		setSample(t, playbook.AnnotationFields[place].At(&second), 1)
		if !reflect.DeepEqual(first, second) {
			t.Errorf("the field %s is another member", name)
		}
		if first.IsEmpty() {
			t.Errorf("%s does not count as content", name)
		}
		playbook.AnnotationFields.Merge(&merged, &first)
		if !reflect.DeepEqual(merged, first) {
			t.Errorf("%s is lost when annotations are merged", name)
		}
		setSample(t, playbook.AnnotationFields[place].At(&second), 2)
		if playbook.AnnotationFields.Equal(&first, &second) {
			t.Errorf("%s is not compared", name)
		}
		playbook.AnnotationFields.Merge(&merged, &second)
		if name != "notes" && !reflect.DeepEqual(merged, first) {
			t.Errorf("%s: merging replaces the first value", name)
		}
	}
}

// TestEveryMemberCanBeChanged: each member of the values has one in the change.
func TestEveryMemberCanBeChanged(t *testing.T) {
	t.Parallel()
	change, values := reflect.TypeFor[playbook.AnnotationChange](), reflect.TypeFor[playbook.AnnotationValues]()
	for member := range values.Fields() {
		name := member.Name
		if name == "ReviewedAt" {
			name = "Reviewed" // the instant is that of the change
		}
		if _, ok := change.FieldByName(name); !ok {
			t.Errorf("a change has no %s", name)
		}
	}
	full := playbook.AnnotationChange{
		Notes: journal.Some("n"), InitialRisk: number("1"), StopPrice: number("2"), TargetPrice: number("3"), LastStop: number("4"),
		MAE: number("5"), MFE: number("6"), EmotionalState: journal.Some("calm"), Confidence: journal.Some(1), TradeQuality: journal.Some(2),
		Reviewed: journal.Some(true),
	}
	changed, err := playbook.NewAnnotations("t", "a", full, playbook.PricesAboveZero, time.Unix(1, 0))
	must(t, err)
	for _, f := range playbook.AnnotationFields {
		if f.IsEmpty(&changed.AnnotationValues) {
			t.Errorf("a change does not set %s", f.Name)
		}
	}
}

type annotationField = fields.Field[playbook.AnnotationValues]
