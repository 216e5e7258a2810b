// Package fields describes a record's stored values in one table: names, columns, when a
// value is empty, and how two records merge. Storage, backups, exports and imports read
// the table, so a new value is added in one place.
//
// A table's SQL is built once. WHERE, ORDER BY and JOIN stay with their callers. A
// package with tables lists their statements in testdata/sql.txt, where they can be
// searched, and where the rules for SQL are checked.
package fields

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Field describes one value in a record R.
type Field[R any] struct {
	// Name is the name in JSON, in backups and in messages.
	Name string
	// Column is the column in SQL.
	Column string
	// Header is the column in CSV and XLSX files; empty if it is not exported.
	Header string
	// Aliases are further names in foreign JSON files.
	Aliases []string
	// Frozen leaves the column out of updates: it is written once, or by other
	// statements.
	Frozen bool
	// Ignored leaves the field out of IsEmpty, Equal and Merge: an id, an owner, the last
	// change time.
	Ignored bool
	// Range restricts the values a request or a file may set.
	Range Range
	// Check, if not nil, replaces the check by Range: it cleans a record's value, or
	// returns why it is invalid.
	Check func(*R) error

	at      func(*R) any              // the typed pointer
	read    func(alias string) string // the SELECT expression, if it is not the column
	derived bool                      // written and never read
	dest    func(*R) any
	arg     func(*R) any
	clear   func(*R)
	isEmpty func(*R) bool
	assign  func(into, other *R)
	merge   func(into, other *R) // combines two values; nil keeps the first
	show    func(*R) any         // the value for the history; nil leaves the field out
	isSet   bool                 // the shown value is a list whose members change one by one
	set     func(*R, jsontext.Value) error
}

// Range restricts a field's values. The zero Range is a single-line text, any number, or
// a grade from 1 to 5, by the constructor.
type Range int

// The ranges other than a type's default.
const (
	LongText  Range = iota + 1 // a text with several lines
	AboveZero                  // a number above zero
	Price                      // a number above zero unless the instrument allows others
)

// Limit returns the field with restricted values.
func (f Field[R]) Limit(to Range) Field[R] {
	f.Range = to
	return f
}

// Export returns the field with a column in CSV and XLSX files.
func (f Field[R]) Export(header string) Field[R] {
	f.Header = header
	return f
}

// Alias returns the field with further names in foreign JSON files.
func (f Field[R]) Alias(names ...string) Field[R] {
	f.Aliases = names
	return f
}

// Freeze returns the field without a place in updates.
func (f Field[R]) Freeze() Field[R] {
	f.Frozen = true
	return f
}

// CheckBy returns the field with its own check.
func (f Field[R]) CheckBy(check func(*R) error) Field[R] {
	f.Check = check
	return f
}

// MergeBy returns the field with its own merge rule, which combines two values.
func (f Field[R]) MergeBy(merge func(into, other *R)) Field[R] {
	f.merge = merge
	return f
}

// EmptyIf returns the field with its own rule for being empty.
func (f Field[R]) EmptyIf(isEmpty func(*R) bool) Field[R] {
	f.isEmpty = isEmpty
	return f
}

// ReadAs returns the field with its own expression in a SELECT.
func (f Field[R]) ReadAs(expression func(alias string) string) Field[R] {
	f.read = expression
	return f
}

// IsEmpty reports whether a record has no value in the field.
func (f Field[R]) IsEmpty(record *R) bool { return f.isEmpty(record) }

// Clear removes a record's value.
func (f Field[R]) Clear(record *R) { f.clear(record) }

// At returns the pointer to the value: *string, *decimal.Null, **time.Time or a pointer
// to the grade type, by the constructor.
func (f Field[R]) At(record *R) any { return f.at(record) }

// Lift returns a field as a field of another record, which contains the first.
func Lift[R, V any](f Field[V], at func(*R) *V) Field[R] {
	lifted := Field[R]{Name: f.Name, Column: f.Column, Header: f.Header, Aliases: f.Aliases, Frozen: f.Frozen, Ignored: f.Ignored, Range: f.Range}
	lifted.at = func(r *R) any { return f.at(at(r)) }
	lifted.dest = func(r *R) any { return f.dest(at(r)) }
	lifted.arg = func(r *R) any { return f.arg(at(r)) }
	lifted.clear = func(r *R) { f.clear(at(r)) }
	lifted.isEmpty = func(r *R) bool { return f.isEmpty(at(r)) }
	lifted.assign = func(into, other *R) { f.assign(at(into), at(other)) }
	if f.merge != nil {
		lifted.merge = func(into, other *R) { f.merge(at(into), at(other)) }
	}
	if f.Check != nil {
		lifted.Check = func(r *R) error { return f.Check(at(r)) }
	}
	if f.show != nil {
		lifted.show, lifted.isSet = func(r *R) any { return f.show(at(r)) }, f.isSet
		lifted.set = func(r *R, value jsontext.Value) error { return f.set(at(r), value) }
	}
	return lifted
}

// newField returns a field keeping the first value when records merge.
func newField[R any, T comparable](name string, at func(*R) *T, dest func(*T) any, arg func(T) any) Field[R] {
	var none T
	f := Field[R]{Name: name, Column: name}
	f.at = func(r *R) any { return at(r) }
	f.dest = func(r *R) any { return dest(at(r)) }
	f.arg = func(r *R) any { return arg(*at(r)) }
	f.clear = func(r *R) { *at(r) = none }
	f.isEmpty = func(r *R) bool { return *at(r) == none }
	f.assign = func(into, other *R) { *at(into) = *at(other) }
	f.show = func(r *R) any { return *at(r) }
	f.set = setJSON(at)
	return f
}

// NewText describes a text; its column must not be NULL.
func NewText[R any, T ~string](name string, at func(*R) *T) Field[R] {
	f := newField(name, at, func(v *T) any { return v }, textArg[T])
	f.show = func(r *R) any { return string(*at(r)) }
	f.set = setText(at)
	return f
}

// textArg returns a text's argument: the text itself if it has its own stored form, such
// as an id in 16 bytes, else a plain string.
func textArg[T ~string](text T) any {
	if own, ok := any(text).(driver.Valuer); ok {
		return own
	}
	return string(text)
}

// NewNumber describes an optional number.
func NewNumber[R any](name string, at func(*R) *decimal.Null) Field[R] {
	f := Field[R]{Name: name, Column: name}
	f.at = func(r *R) any { return at(r) }
	f.dest = func(r *R) any { return at(r) }
	f.arg = func(r *R) any {
		if n := at(r); n.Valid {
			return n.Decimal.String() // as plain text, rows can be compared
		}
		return nil
	}
	f.clear = func(r *R) { *at(r) = decimal.Null{} }
	f.isEmpty = func(r *R) bool { return !at(r).Valid }
	f.assign = func(into, other *R) { *at(into) = *at(other) }
	f.show, f.set = f.arg, setJSON(at)
	return f
}

// NewAmount describes a required number.
func NewAmount[R any](name string, at func(*R) *decimal.Decimal) Field[R] {
	f := Field[R]{Name: name, Column: name}
	f.at = func(r *R) any { return at(r) }
	f.dest = func(r *R) any { return at(r) }
	f.arg = func(r *R) any { return at(r).String() }
	f.clear = func(r *R) { *at(r) = decimal.Zero }
	f.isEmpty = func(r *R) bool { return at(r).Sign() == 0 }
	f.assign = func(into, other *R) { *at(into) = *at(other) }
	f.show, f.set = f.arg, setJSON(at)
	return f
}

// NewInteger describes an integer; its column must not be NULL.
func NewInteger[R any, T ~int | ~int64 | ~uint8](name string, at func(*R) *T) Field[R] {
	f := newField(name, at, func(v *T) any { return v }, func(v T) any { return int64(v) })
	f.show, f.set = f.arg, setInteger(at)
	return f
}

// NewOptionalText describes a text; an empty one is stored as NULL.
func NewOptionalText[R any, T ~string](name string, at func(*R) *T) Field[R] {
	f := newField(name, at, func(v *T) any { return v }, func(v T) any {
		if v == "" {
			return nil
		}
		return string(v)
	})
	f.show, f.set = f.arg, setText(at)
	return f.ReadAs(func(alias string) string { return "COALESCE(" + alias + "." + name + ", '')" })
}

// NewGrade describes a grade from 1 to 5; 0 is stored as NULL.
func NewGrade[R any, T ~int](name string, at func(*R) *T) Field[R] {
	f := newField(name, at, func(v *T) any { return nullInt[T]{v} }, func(v T) any {
		if v == 0 {
			return nil
		}
		return int64(v)
	})
	f.show, f.set = f.arg, setInteger(at)
	return f
}

// nullInt scans NULL as 0. It has the shape of a pointer, so storing it in an interface
// allocates nothing.
type nullInt[T ~int] struct{ into *T }

func (n nullInt[T]) Scan(value any) error {
	switch value := value.(type) {
	case nil:
		*n.into = 0
	case int64:
		*n.into = T(value)
	default:
		return fmt.Errorf("a grade must be an integer, not %T", value)
	}
	return nil
}

var _ sql.Scanner = nullInt[int]{}

// NewInstant describes an optional instant.
func NewInstant[R any](name string, at func(*R) **time.Time) Field[R] {
	f := newField(name, at, func(v **time.Time) any { return db.NullInstant(v) }, db.NullMicros)
	f.show = func(r *R) any {
		if v := *at(r); v != nil {
			return journal.FormatInstant(*v)
		}
		return nil
	}
	return f
}

// NewTime describes a required instant, such as the last change time. It takes no part in
// comparing and merging.
func NewTime[R any](name string, at func(*R) *time.Time) Field[R] {
	f := newField(name, at, func(v *time.Time) any { return db.Instant(v) }, func(v time.Time) any { return db.Micros(v) })
	f.Ignored = true
	f.show = func(r *R) any { return journal.FormatInstant(*at(r)) }
	if name == "created_at" || name == "updated_at" {
		f.show = nil
	}
	return f
}

// NewLink describes another record's id, which may be absent.
func NewLink[R any, T ~string](name string, at func(*R) **T) Field[R] {
	f := newField(name, at, func(v **T) any { return v }, func(v *T) any {
		if v == nil {
			return nil
		}
		return textArg(*v)
	})
	f.show = func(r *R) any {
		if v := *at(r); v != nil {
			return string(*v)
		}
		return nil
	}
	f.set = setLink(at)
	return f
}

// NewFlag describes a truth value.
func NewFlag[R any](name string, at func(*R) *bool) Field[R] {
	return newField(name, at, func(v *bool) any { return v }, func(v bool) any { return v })
}

// NewJSON describes a list stored as JSON.
func NewJSON[R, T any](name string, at func(*R) *[]T) Field[R] {
	f := Field[R]{Name: name, Column: name}
	f.at = func(r *R) any { return at(r) }
	f.dest = func(r *R) any { return jsonList[T]{at(r)} }
	f.arg = func(r *R) any {
		text, err := json.Marshal(*at(r))
		if err != nil {
			panic(err) // lists and records with only texts always marshal
		}
		return string(text)
	}
	f.clear = func(r *R) { *at(r) = nil }
	f.isEmpty = func(r *R) bool { return len(*at(r)) == 0 }
	f.assign = func(into, other *R) { *at(into) = *at(other) }
	f.show = func(r *R) any {
		if len(*at(r)) == 0 {
			return jsontext.Value("[]")
		}
		return jsontext.Value(f.arg(r).(string))
	}
	f.set = setJSON(at)
	return f
}

// jsonList scans a list stored as JSON.
type jsonList[T any] struct{ into *[]T }

func (l jsonList[T]) Scan(value any) error {
	switch text := value.(type) {
	case string:
		return json.Unmarshal([]byte(text), l.into)
	case []byte:
		return json.Unmarshal(text, l.into)
	}
	return fmt.Errorf("a list must be a text, not %T", value)
}

// NewDerived describes a text computed from the record, to search or sort by. It is
// written and never read.
func NewDerived[R any](name string, compute func(*R) string) Field[R] {
	f := Field[R]{Name: name, Column: name, Ignored: true, derived: true}
	f.arg = func(r *R) any { return compute(r) }
	return f
}

// NewID describes an id, which takes no part in comparing and merging.
func NewID[R any, T ~string](name string, at func(*R) *T) Field[R] {
	f := NewText(name, at)
	f.Ignored = true
	f.show = nil
	return f
}

// Table is the field table for a user's records. The first column is user_id; the key
// identifies the user's record.
type Table[R any] struct {
	Name   string
	Fields List[R] // the key first

	key     int // number of key fields
	columns []string
	insert  string
	update  string
	upsert  string
}

// statements are the SQL texts from all tables in the program.
var statements []string

// Statements returns the SQL texts from all tables created so far, sorted.
func Statements() []string { return slices.Sorted(slices.Values(statements)) }

// New returns a table with its SQL. It is called for package variables only. It
// panics if a name or column appears twice.
func New[R any](name string, key, values List[R]) *Table[R] {
	t := &Table[R]{Name: name, Fields: append(slices.Clone(key), values...), key: len(key), columns: []string{"user_id"}}
	names := map[string]bool{}
	for _, f := range t.Fields {
		if names[f.Name] || slices.Contains(t.columns, f.Column) {
			panic("fields: the table " + name + " has " + f.Name + " twice")
		}
		names[f.Name] = true
		t.columns = append(t.columns, f.Column)
	}
	t.buildInsert()
	t.buildUpdate()
	statements = append(statements, t.Select("r"), t.insert, t.update, "INSERT INTO "+name+" … "+t.upsert)
	return t
}

func (t *Table[R]) buildInsert() {
	places := make([]string, len(t.columns))
	for i := range places {
		places[i] = "$" + strconv.Itoa(i+1)
	}
	t.insert = "INSERT INTO " + t.Name + " (" + strings.Join(t.columns, ", ") + ") VALUES (" + strings.Join(places, ", ") + ")"
}

// buildUpdate builds the UPDATE for one record and the upsert clause.
func (t *Table[R]) buildUpdate() {
	var sets, excluded []string
	for _, f := range t.Fields[t.key:] {
		if !f.Frozen {
			sets = append(sets, f.Column+" = $"+strconv.Itoa(len(sets)+1))
			excluded = append(excluded, f.Column+" = excluded."+f.Column)
		}
	}
	keys := t.columns[:t.key+1]
	where := make([]string, len(keys))
	for i, column := range keys {
		where[i] = column + " = $" + strconv.Itoa(len(sets)+i+1)
	}
	t.update = "UPDATE " + t.Name + " SET " + strings.Join(sets, ", ") + " WHERE " + strings.Join(where, " AND ")
	t.upsert = "ON CONFLICT (" + strings.Join(keys, ", ") + ") DO UPDATE SET " + strings.Join(excluded, ", ")
}

// Columns returns the columns in [Table.Values] order.
func (t *Table[R]) Columns() []string { return t.columns }

// Upsert returns the ON CONFLICT clause, which replaces every value but the key and the
// frozen fields.
func (t *Table[R]) Upsert() string { return t.upsert }

// Insert returns the INSERT for one record; its arguments are [Table.Values].
func (t *Table[R]) Insert() string { return t.insert }

// Update returns the UPDATE for one record; its arguments are [Table.UpdateValues].
func (t *Table[R]) Update() string { return t.update }

// Select returns the SELECT for all columns but user_id and the derived ones, in
// [Table.Scan] order, up to the table name and its alias.
func (t *Table[R]) Select(alias string) string {
	var list []string
	for _, f := range t.Fields {
		switch {
		case f.derived:
		case f.read != nil:
			list = append(list, f.read(alias))
		default:
			list = append(list, alias+"."+f.Column)
		}
	}
	return "SELECT " + strings.Join(list, ", ") + " FROM " + t.Name + " " + alias
}

// Scan reads a [Table.Select] row.
func (t *Table[R]) Scan(row db.Scanner, into *R) error {
	dests := make([]any, 0, len(t.Fields))
	for i := range t.Fields {
		if f := &t.Fields[i]; !f.derived {
			dests = append(dests, f.dest(into))
		}
	}
	return row.Scan(dests...)
}

// Values returns the stored values for an owner's record.
func (t *Table[R]) Values(owner any, record *R) []any {
	values := make([]any, 1, len(t.columns))
	values[0] = owner
	for i := range t.Fields {
		values = append(values, t.Fields[i].arg(record))
	}
	return values
}

// UpdateValues returns the arguments for [Table.Update].
func (t *Table[R]) UpdateValues(owner any, record *R) []any {
	values := make([]any, 0, len(t.columns))
	for i := range t.Fields[t.key:] {
		if f := &t.Fields[t.key+i]; !f.Frozen {
			values = append(values, f.arg(record))
		}
	}
	values = append(values, owner)
	for i := range t.Fields[:t.key] {
		values = append(values, t.Fields[i].arg(record))
	}
	return values
}

// List has a record's fields.
type List[R any] []Field[R]

// IsEmpty reports whether all fields in a record are empty.
func (l List[R]) IsEmpty(record *R) bool {
	for i := range l {
		if f := &l[i]; !f.Ignored && !f.isEmpty(record) {
			return false
		}
	}
	return true
}

// Equal reports whether two records store the same values.
func (l List[R]) Equal(a, b *R) bool {
	for i := range l {
		if f := &l[i]; !f.Ignored && f.arg(a) != f.arg(b) {
			return false
		}
	}
	return true
}

// Merge fills one record from another by the field rules.
func (l List[R]) Merge(into, other *R) {
	for i := range l {
		switch f := &l[i]; {
		case f.Ignored:
		case f.merge != nil:
			f.merge(into, other)
		case f.isEmpty(into):
			f.assign(into, other)
		}
	}
}

// Differences returns the names of fields with a different value in another record.
// Fields combined by a merge are left out.
func (l List[R]) Differences(record, other *R) (names []string) {
	for i := range l {
		if f := &l[i]; !f.Ignored && f.merge == nil && !f.isEmpty(other) && f.arg(record) != f.arg(other) {
			names = append(names, f.Name)
		}
	}
	return names
}
