package analytics

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"fillbook/internal/base/decimal"
)

// TestStoredColumns writes and reads columns with every kind of value, and changes what
// was read.
func TestStoredColumns(t *testing.T) {
	t.Parallel()
	rows := generateTrades(300)
	rows[3].ID, rows[4].External = "not a UUID", "x-1"
	rows[5].Net = decimal.Must("12345678901234567890.123")
	rows[6].Gross = decimal.Must("1234567890123456789012345678901234567890.5")
	rows[7].RMultiple, rows[8].Open = decimal.Of(decimal.Must("-1.5")), true
	for _, c := range []*Columns{BuildColumns("a", nil), buildColumns("a", rows, 64), BuildColumns("a", rows[:1])} {
		var file bytes.Buffer
		if err := c.Write(&file); err != nil {
			t.Fatal(err)
		}
		text := bytes.Clone(file.Bytes())
		file.WriteString("more")
		got, err := ReadColumns("a", &file)
		if err != nil || file.String() != "more" {
			t.Fatalf("%v, %d bytes are left", err, file.Len())
		}
		for _, change := range []func(*Columns) *Columns{
			func(c *Columns) *Columns { return c },
			func(c *Columns) *Columns { return c.WithChanges(generateTrades(310)[290:], nil) },
		} {
			if got, want := fmt.Sprintf("%+v", allRows(change(got))), fmt.Sprintf("%+v", allRows(change(c))); got != want {
				t.Errorf("read %s\nwant %s", got, want)
			}
		}
		if len(text) > 100 {
			text[len(text)/2] ^= 4
			if _, err := ReadColumns("a", bytes.NewReader(text)); err == nil {
				t.Error("a changed byte was not noticed")
			}
		}
	}
}

// TestStoredFormat fails if columns get other fields: raise StoredFormat, so stored
// columns are not read, and put the new field count here.
func TestStoredFormat(t *testing.T) {
	t.Parallel()
	fields := reflect.TypeFor[Trade]().NumField()
	if fields != 40 || reflect.TypeFor[storedPage]().NumField() != 15 || StoredFormat != 7 {
		t.Errorf("format %d: a trade has %d fields, a page %d", StoredFormat, fields, reflect.TypeFor[storedPage]().NumField())
	}
}
