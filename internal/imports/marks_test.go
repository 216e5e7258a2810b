package imports_test

import (
	"fmt"
	"strings"
	"testing"

	"fillbook/internal/db"
	"fillbook/internal/imports"
	"fillbook/internal/playbook"
	"fillbook/internal/testkit"
)

// trips writes a table of finished trades that differ in their tags.
func trips(tags ...string) []byte {
	var b strings.Builder
	b.WriteString("Symbol,Side,Quantity,Open Time,Close Time,Entry Price,Exit Price,Tags\n")
	for i, cell := range tags {
		fmt.Fprintf(&b, "S%d,long,10,2026-01-05T15:00:00Z,2026-01-05T16:00:00Z,100,101,%s\n", i, cell)
	}
	return []byte(b.String())
}

func (b bureau) commit(data []byte) imports.Result {
	b.Helper()
	result, err := b.Imports.Commit(b.Context(), b.by, imports.Upload{FileName: "f.csv", Account: b.account("USD"), Data: data})
	if err != nil {
		b.Fatal(err)
	}
	return result
}

// TestTagThatIsNone: each row with it is told, and all fills go in.
func TestTagThatIsNone(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		result := newBureau(t, d).commit(trips("mistake:", "gap", "mistake:"))
		if result.Inserted != 6 || result.Annotated != 1 || result.ErrorCount != 2 || result.Errors[1].Row != 3 {
			t.Errorf("%+v", result)
		}
	})
}

// TestTagThatIsAMistakeToo: a word that a row has both as a tag and as a mistake
// becomes a mistake.
func TestTagThatIsAMistakeToo(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newBureau(t, d)
		var cells []string
		for i := range 12 {
			cells = append(cells, fmt.Sprintf("word %d;mistake:word %d", i, i))
		}
		b.commit(trips(cells...))
		tags, err := b.Playbook.Tags(t.Context(), b.by.UserID)
		if err != nil || len(tags) != len(cells) {
			t.Fatalf("%d tags: %v", len(tags), err)
		}
		for _, tag := range tags {
			if tag.Kind != playbook.MistakeTag {
				t.Errorf("%s is of the kind %s", tag.Name, tag.Kind)
			}
		}
	})
}
