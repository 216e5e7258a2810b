package imports_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/brokers/brokertest"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/annotations"
	"fillbook/internal/trading/playbook"
)

// TestEveryAnnotationCanBeImported: each annotation field is a mapping target, is read by
// a statement, counts as content, and is shown in preset fixtures.
func TestEveryAnnotationCanBeImported(t *testing.T) {
	t.Parallel()
	values := reflect.TypeFor[playbook.AnnotationValues]()
	for field := range values.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !slices.Contains(statement.Targets(), statement.Target(name)) {
			t.Errorf("no column can be mapped to %s", name)
		}
		member := field.Name
		read := statement.Annotations{Fill: &statement.Fill{}}
		value := reflect.ValueOf(&read).Elem().FieldByName(member)
		if !value.IsValid() {
			t.Errorf("a statement reads no %s", member)
			continue
		}
		empty := render(statement.Annotations{Fill: &statement.Fill{}})
		switch into := value.Addr().Interface().(type) {
		case *string:
			*into = "x"
		case *annotations.Grade:
			*into = 3
		case *decimal.Null:
			*into = decimal.Of(decimal.New(7))
		case **time.Time:
			reviewed := time.Unix(1, 0)
			*into = &reviewed
		default:
			t.Fatalf("there is no sample of the type %T", into)
		}
		if read.IsEmpty() {
			t.Errorf("%s does not count as content", member)
		}
		if render(read) == empty {
			t.Errorf("the fixtures do not show %s", member)
		}
	}
}

// render returns annotations as fixtures show them.
func render(read statement.Annotations) string {
	return brokertest.Render(&statement.Statement{Annotations: []*statement.Annotations{&read}}, statement.Detection{Preset: &statement.Preset{}})
}
