package history

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
)

// Type is a record type with its fields.
type Type[R any] struct {
	name   string
	fields fields.List[R]
	of     Of[R]
}

// Of describes a record type's records.
type Of[R any] struct {
	// ID returns the id, and Label the name that the user knows the record by.
	ID    func(*R) string
	Label func(*R) string
	// Account returns the account whose record it is, or nil. It may be nil.
	Account func(*R) *journal.AccountID
	// SeenIn returns [Object.SeenIn]. It may be nil.
	SeenIn func(*R) journal.AccountID
	// Related returns further records whose history has a change of this one. It may be nil.
	Related func(*R) []Key
}

// NewType describes a record type. It is called for package variables only. It panics if the
// name is not in the list of types.
func NewType[R any](name string, list fields.List[R], of Of[R]) *Type[R] {
	if !slices.Contains(types, name) {
		panic("history: unknown type " + name)
	}
	return &Type[R]{name, list, of}
}

// Fields returns the fields of the type's records.
func (t *Type[R]) Fields() fields.List[R] { return t.fields }

// Created records a new record.
func (t *Type[R]) Created(tx *db.Tx, owner journal.UserID, record *R) {
	Record(tx, owner, t.object(Created, record, t.fields.Compare(nil, record)))
}

// Updated records an update. It records nothing if no field differs.
func (t *Type[R]) Updated(tx *db.Tx, owner journal.UserID, before, after *R) {
	differences := t.fields.Compare(before, after)
	if len(differences) == 0 {
		return
	}
	object := t.object(Updated, after, differences)
	if t.of.Related != nil {
		object.Related = append(object.Related, t.of.Related(before)...)
	}
	Record(tx, owner, object)
}

// UpdatedIn is [Type.Updated] for a record that loses its account by the update, which is
// the account's change nevertheless.
func (t *Type[R]) UpdatedIn(tx *db.Tx, owner journal.UserID, account journal.AccountID, before, after *R) {
	differences := t.fields.Compare(before, after)
	if len(differences) == 0 {
		return
	}
	object := t.object(Updated, after, differences)
	object.Account = account
	Record(tx, owner, object)
}

// Deleted records a deletion.
func (t *Type[R]) Deleted(tx *db.Tx, owner journal.UserID, record *R) {
	Record(tx, owner, t.object(Deleted, record, t.fields.Compare(record, nil)))
}

// CreatedWith is [Type.Created] for a record that contains others, which are counted by type.
func (t *Type[R]) CreatedWith(tx *db.Tx, owner journal.UserID, record *R, contains map[string]int) {
	t.recordWith(tx, owner, Created, record, t.fields.Compare(nil, record), contains)
}

// DeletedWith is [Type.Deleted] for a record that contains others, which are counted by type.
func (t *Type[R]) DeletedWith(tx *db.Tx, owner journal.UserID, record *R, contains map[string]int) {
	t.recordWith(tx, owner, Deleted, record, t.fields.Compare(record, nil), contains)
}

func (t *Type[R]) recordWith(
	tx *db.Tx, owner journal.UserID, action ObjectAction, record *R, differences []fields.Difference, contains map[string]int,
) {
	o := t.object(action, record, differences)
	o.Contains = contains
	Record(tx, owner, o)
}

// Contain adds to the counts of an object that the transaction has recorded.
func Contain(tx *db.Tx, key Key, kind string, n int) {
	c, ok := tx.Attached().(*collector)
	if !ok || n == 0 {
		return
	}
	if place, known := c.places[key]; known {
		o := &c.objects[place]
		if o.Contains == nil {
			o.Contains = map[string]int{}
		}
		o.Contains[kind] += n
	}
}

func (t *Type[R]) object(action ObjectAction, record *R, differences []fields.Difference) Object {
	o := Object{Type: t.name, ID: t.of.ID(record), Label: t.of.Label(record), Action: action, Fields: make([]Field, len(differences))}
	for i, d := range differences {
		o.Fields[i] = Field(d)
	}
	if t.of.Account != nil {
		if account := t.of.Account(record); account != nil {
			o.Account = *account
		}
	}
	if t.of.Related != nil {
		o.Related = t.of.Related(record)
	}
	if t.of.SeenIn != nil {
		o.SeenIn = t.of.SeenIn(record)
	}
	return o
}

// collector has the objects of a transaction.
type collector struct {
	owner   journal.UserID
	objects []Object
	places  map[Key]int // in objects
	Description
	block *blockWriter // nil if nothing is kept
	// created counts new records by type, if they go with an import, and brought has their
	// ids; else they are nil.
	created map[string]int
	brought map[string][]string
	// expected reports that the heads were read in advance; see Prefetch.
	expected bool
	// facts are for the follower, and followed is whether there is one from now on; nil if
	// that did not change.
	facts    []any
	followed *bool
}

// AddFact adds to what the [Follower] learns of the transaction's change besides its objects.
func AddFact(tx *db.Tx, owner journal.UserID, fact any) {
	c := collectorOf(tx, owner)
	c.facts = append(c.facts, fact)
}

// SetFollowed sets whether the [Follower] is called with the owner's further changes. It
// takes effect with the transaction's change, which is needed.
func SetFollowed(tx *db.Tx, owner journal.UserID, followed bool) {
	collectorOf(tx, owner).followed = &followed
}

// Description are a change's values that do not follow from its objects.
type Description struct {
	Action  Action
	Summary string
	// Actor replaces the context's actor, if it is not nil.
	Actor *Actor
	// Undoes is the position of the change that this one undoes; 0 for none.
	Undoes int64
}

func collectorOf(tx *db.Tx, owner journal.UserID) *collector {
	c, ok := tx.Attached().(*collector)
	if !ok {
		c = &collector{owner: owner, places: map[Key]int{}}
		tx.Attach(c)
	}
	if c.owner != owner {
		panic(fmt.Sprintf("history: one transaction records for users %d and %d", c.owner, owner))
	}
	return c
}

// Record adds an object to the transaction's change. An object that the transaction has
// recorded already is combined with it.
func Record(tx *db.Tx, owner journal.UserID, o Object) {
	c := collectorOf(tx, owner)
	if c.created != nil && o.Action == Created {
		c.created[o.Type]++
		c.brought[o.Type] = append(c.brought[o.Type], o.ID)
		return
	}
	key := Key{o.Type, o.ID}
	if place, known := c.places[key]; known {
		c.objects[place].combine(o)
		return
	}
	c.places[key] = len(c.objects)
	c.objects = append(c.objects, o)
}

// Bundle makes new records of the transaction go with an import, which is recorded by
// [RecordBundle]: they are counted and not listed.
func Bundle(tx *db.Tx, owner journal.UserID) {
	c := collectorOf(tx, owner)
	c.created, c.brought = map[string]int{}, map[string][]string{}
}

// IsBundle reports whether the transaction is an import since [Bundle].
func IsBundle(tx *db.Tx) bool {
	c, ok := tx.Attached().(*collector)
	return ok && c.brought != nil
}

// Brought records a new record that an import brought, as [Type.Created] does. Outside of a
// [Bundle] it records nothing: the record goes with another one.
func (t *Type[R]) Brought(tx *db.Tx, owner journal.UserID, record *R) {
	if IsBundle(tx) {
		t.Created(tx, owner, record)
	}
}

// BroughtUpdate records an update by an import, as [Type.Updated] does. Outside of a
// [Bundle] it records nothing.
func (t *Type[R]) BroughtUpdate(tx *db.Tx, owner journal.UserID, before, after *R) {
	if IsBundle(tx) {
		t.Updated(tx, owner, before, after)
	}
}

// AddBrought makes a record go with an import without counting it. It does nothing outside
// of a [Bundle].
func AddBrought(tx *db.Tx, key Key) {
	if c, ok := tx.Attached().(*collector); ok && c.brought != nil {
		c.brought[key.Type] = append(c.brought[key.Type], key.ID)
	}
}

// broughtField is the internal field with the ids of records that an import brought, by type.
const broughtField = ".brought"

// RecordBundle records an import as the first object. It contains the records that were
// counted since [Bundle], in addition to those given.
func RecordBundle(tx *db.Tx, owner journal.UserID, o Object) {
	c := collectorOf(tx, owner)
	if o.Contains == nil {
		o.Contains = map[string]int{}
	}
	for kind, n := range c.created {
		o.Contains[kind] += n
	}
	maps.DeleteFunc(o.Contains, func(_ string, n int) bool { return n == 0 })
	if len(c.brought) > 0 {
		ids, err := json.Marshal(c.brought, json.Deterministic(true))
		if err != nil {
			panic(err) // texts always marshal
		}
		o.Fields = append(o.Fields, Field{broughtField, jsontext.Value("null"), fields.ShowValue(jsontext.Value(ids))})
	}
	c.created, c.brought = nil, nil
	for key := range c.places {
		c.places[key]++
	}
	c.places[Key{o.Type, o.ID}] = 0
	c.objects = slices.Insert(c.objects, 0, o)
}

// Describe sets what does not follow from the objects. Empty values stay.
func Describe(tx *db.Tx, owner journal.UserID, d Description) {
	c := collectorOf(tx, owner)
	if d.Action != "" {
		c.Action = d.Action
	}
	if d.Summary != "" {
		c.Summary = d.Summary
	}
	if d.Actor != nil {
		c.Actor = d.Actor
	}
	if d.Undoes != 0 {
		c.Undoes = d.Undoes
	}
}

// HasAction reports whether [Describe] has set the action of the transaction's change.
func HasAction(tx *db.Tx) bool {
	c, ok := tx.Attached().(*collector)
	return ok && c.Action != ""
}

// SetLabel sets the label of an object, if the transaction has recorded it.
func SetLabel(tx *db.Tx, key Key, label string) {
	if c, ok := tx.Attached().(*collector); ok {
		if place, known := c.places[key]; known {
			c.objects[place].Label = label
		}
	}
}

// RecordedField returns how the transaction has changed a field of an updated record so far.
func RecordedField(tx *db.Tx, key Key, name string) (Field, bool) {
	c, ok := tx.Attached().(*collector)
	if !ok {
		return Field{}, false
	}
	place, known := c.places[key]
	if !known || c.objects[place].Action != Updated {
		return Field{}, false
	}
	list := c.objects[place].Fields
	at := slices.IndexFunc(list, func(f Field) bool { return f.Name == name })
	if at < 0 {
		return Field{}, false
	}
	return list[at], true
}

// removed marks an object that was created and deleted in one transaction.
const removed ObjectAction = ""

// combine adds a later object with the same type and id.
func (o *Object) combine(later Object) {
	switch {
	case later.Action == Deleted && o.Action == Created:
		o.Action = removed
	case later.Action == Deleted:
		for _, f := range o.Fields { // what it was before the transaction
			later.set(f.Name, f.Before, nil)
		}
		later.Related = append(later.Related, o.Related...)
		*o = later
	case later.Action == Created && o.Action == Deleted:
		o.Action = Updated
		o.merge(later)
	case later.Action == Created:
		*o = later
	default:
		o.merge(later)
	}
}

// merge adds later fields to the object's.
func (o *Object) merge(later Object) {
	o.Label = later.Label
	o.Related = append(o.Related, later.Related...)
	for _, f := range later.Fields {
		o.set(f.Name, f.Before, f.After)
	}
}

// set sets a field's value after the change. A known field keeps its value before.
func (o *Object) set(name string, before, after jsontext.Value) {
	for i := range o.Fields {
		if f := &o.Fields[i]; f.Name == name {
			if after == nil {
				f.Before = before
			} else {
				f.After = after
			}
			return
		}
	}
	if after == nil {
		after = jsontext.Value("null")
	}
	o.Fields = append(o.Fields, Field{name, before, after})
}

// finish returns the objects that have changed.
func (c *collector) finish() []Object {
	changed := c.objects[:0]
	for _, o := range c.objects {
		if o.Action == Updated {
			o.Fields = slices.DeleteFunc(o.Fields, func(f Field) bool { return bytes.Equal(f.Before, f.After) })
		}
		if o.Action == removed || o.Action == Updated && len(o.Fields)+len(o.Contains) == 0 {
			continue
		}
		changed = append(changed, o)
	}
	return changed
}

// Prefetch reads what the change of an account's records needs in an earlier round trip; see
// [db.Tx.Prefetch].
func Prefetch(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) {
	if tx.IsRepeated() {
		return
	}
	c := collectorOf(tx, owner)
	c.expected = true
	tx.Prefetch(func(tx *db.Tx) { _, _ = readHeads(ctx, tx, owner, account, "") })
}
