package playbook_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/annotations"
	"fillbook/internal/trading/playbook"
)

// keyColumns are trade_annotations columns that are not values, and why.
var keyColumns = map[string]string{
	"user_id": "the owner", "trade_id": "the key", "account_id": "where the trade is", "updated_at": "set by each write",
}

// TestEveryColumnIsInTheFieldTable compares the live tables' columns with the fields: a
// column no field has is never written.
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

// setSample sets a value to its type's nth sample.
func setSample(t *testing.T, at any, n int) {
	t.Helper()
	switch value := at.(type) {
	case *string:
		*value = strings.Repeat("x", n)
	case *annotations.Grade:
		*value = annotations.Grade(n)
	case *decimal.Null:
		*value = decimal.Of(decimal.New(int64(n)))
	case **time.Time:
		instant := time.Unix(int64(n), 0).UTC()
		*value = &instant
	default:
		t.Fatalf("there is no sample of the type %T", at)
	}
}

// TestEveryMemberIsInTheFieldTable: each member has a field with its JSON name, which
// reads and writes this member, counts as content, is compared and is merged.
func TestEveryMemberIsInTheFieldTable(t *testing.T) {
	t.Parallel()
	members := reflect.TypeFor[playbook.AnnotationValues]()
	if members.NumField() != len(playbook.AnnotationFields) {
		t.Errorf("%d members and %d fields", members.NumField(), len(playbook.AnnotationFields))
	}
	for i := range members.NumField() {
		name, _, _ := strings.Cut(members.Field(i).Tag.Get("json"), ",")
		place := slices.IndexFunc(playbook.AnnotationFields, func(f annotations.Field) bool { return f.Name == name })
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
		if playbook.AnnotationFields.IsEmpty(&first) {
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

// TestEveryMemberCanBeChanged: a change sets each field, keeps it if it sends
// nothing, and clears it with a null.
func TestEveryMemberCanBeChanged(t *testing.T) {
	t.Parallel()
	for _, f := range playbook.AnnotationFields {
		var change, null playbook.AnnotationChange
		switch sent := annotations.MemberOf(&change.ValueChange, f).(type) {
		case *journal.Opt[string]:
			*sent = journal.Some("x")
		case *journal.Opt[decimal.Decimal]:
			*sent = number("2")
		case *journal.Opt[int]:
			*sent = journal.Some(2)
		case *journal.Opt[time.Time]:
			*sent = journal.Some(time.Unix(2, 0))
		}
		switch sent := annotations.MemberOf(&null.ValueChange, f).(type) {
		case *journal.Opt[string]:
			sent.Set, sent.Null = true, true
		case *journal.Opt[decimal.Decimal]:
			sent.Set, sent.Null = true, true
		case *journal.Opt[int]:
			sent.Set, sent.Null = true, true
		case *journal.Opt[time.Time]:
			sent.Set, sent.Null = true, true
		}
		changed := applyChange(t, change, playbook.Annotations{})
		if f.IsEmpty(&changed.AnnotationValues) {
			t.Errorf("a change does not set %s", f.Name)
		}
		if kept := applyChange(t, playbook.AnnotationChange{}, changed); !reflect.DeepEqual(kept, changed) {
			t.Errorf("a change that sends nothing changes %s", f.Name)
		}
		if cleared := applyChange(t, null, changed); !playbook.AnnotationFields.IsEmpty(&cleared.AnnotationValues) {
			t.Errorf("a null does not clear %s", f.Name)
		}
	}
}

func applyChange(t *testing.T, change playbook.AnnotationChange, to playbook.Annotations) playbook.Annotations {
	t.Helper()
	changed, err := change.Apply(to)
	must(t, err)
	return changed
}
