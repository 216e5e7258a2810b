package playbook

import (
	"cmp"
	"context"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// Restore steps. Each takes all records in a section: it looks up the stored ones in a
// few statements, decides in memory and writes the new ones together, so the work grows
// with the record count, whatever their keys and order are. A file may have the same
// record several times, and may be restored twice: each stored record matches one in the
// file, and the others are created. What is above a user's limit is refused record by
// record.

// Restored is what a restore did with one record.
type Restored[ID any] struct {
	// ID identifies the new record, or the stored one it equals.
	ID ID
	// Changed reports whether the record was created or changed.
	Changed bool
	// Err is why this record was refused. The others are restored.
	Err error
}

// FirstRefusal returns the first refusal, or nil.
func FirstRefusal[ID any](list []Restored[ID]) error {
	for _, one := range list {
		if one.Err != nil {
			return one.Err
		}
	}
	return nil
}

// insertRows inserts rows in parts, so few are in memory as arguments.
func insertRows[T any](
	ctx context.Context, tx *db.Tx, table string, columns []string, suffix string, list []T, row func(*T) []any,
) (inserted int64, err error) {
	for part := range slices.Chunk(list, 1000) {
		rows := make([][]any, len(part))
		for i := range part {
			rows[i] = row(&part[i])
		}
		n, err := tx.InsertMany(ctx, table, columns, suffix, rows)
		if err != nil {
			return inserted, err
		}
		inserted += n
	}
	return inserted, nil
}

// NewTag is a tag to be created, with the instant at which it was.
type NewTag struct {
	TagChange
	CreatedAt time.Time
}

// EnsureTags finds tags by name, without regard to case, or creates them. It is an import
// step.
func EnsureTags(ctx context.Context, tx *db.Tx, owner journal.UserID, list []NewTag) ([]Restored[journal.TagID], error) {
	if len(list) == 0 {
		return nil, nil
	}
	out := make([]Restored[journal.TagID], len(list))
	tags, keys := make([]Tag, len(list)), make([]string, len(list))
	for i, in := range list {
		tags[i], out[i].Err = in.apply(Tag{ID: journal.NewID[journal.TagID](), CreatedAt: in.CreatedAt})
		keys[i] = nameKey(tags[i].Name)
	}
	known, err := findTags(ctx, tx, owner, keys)
	if err != nil {
		return nil, err
	}
	room, err := limits.Tags.Room(ctx, tx, owner, countTags)
	if err != nil {
		return nil, err
	}
	var fresh []Tag
	for i := range list {
		if out[i].Err != nil {
			continue
		}
		id, found := known[keys[i]]
		if !found && len(fresh) == room {
			out[i].Err = limits.Tags.Reached()
			continue
		}
		if !found {
			id, out[i].Changed = tags[i].ID, true
			known[keys[i]] = id
			fresh = append(fresh, tags[i])
		}
		out[i].ID = id
	}
	n, err := insertRows(ctx, tx, "tags", tagColumns, `ON CONFLICT (user_id, name_key) DO NOTHING`, fresh, func(t *Tag) []any { return t.row(owner) })
	if err != nil {
		return nil, err
	}
	if n == int64(len(fresh)) {
		recordBrought(tx, owner, tagHistory, fresh)
		return out, nil
	}
	// Another transaction has created some meanwhile.
	if known, err = findTags(ctx, tx, owner, keys); err != nil {
		return nil, err
	}
	for i := range out {
		if id := known[keys[i]]; out[i].Err == nil && id != out[i].ID {
			out[i].ID, out[i].Changed = id, false
		}
	}
	recordBrought(tx, owner, tagHistory, slices.DeleteFunc(fresh, func(t Tag) bool { return known[nameKey(t.Name)] != t.ID }))
	return out, nil
}

// recordBrought records what an import brought.
func recordBrought[R any](tx *db.Tx, owner journal.UserID, kind *history.Type[R], list []R) {
	for i := range list {
		kind.Brought(tx, owner, &list[i])
	}
}

const countTags = `SELECT COUNT(*) FROM tags WHERE user_id = $1`

// andAmong adds the condition that a column equals any value in a list, or for many
// values lies between the least and the greatest: one statement reads all candidates, and
// the caller leaves out the others.
func andAmong[T cmp.Ordered](w *where, column string, values []T) {
	if values = unique(values); len(values) <= idChunk {
		andIn(w, column, values)
		return
	}
	w.and(column+" >=", slices.Min(values))
	w.and(column+" <=", slices.Max(values))
}

// findTags returns the owner's tags by name key.
func findTags(ctx context.Context, tx *db.Tx, owner journal.UserID, keys []string) (map[string]journal.TagID, error) {
	found := map[string]journal.TagID{}
	wanted := make(map[string]bool, len(keys))
	for _, key := range keys {
		wanted[key] = true
	}
	w := owned("user_id", owner)
	if len(wanted) <= idChunk {
		andIn(w, "name_key", unique(keys))
	}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var key string
		var id journal.TagID
		err := row.Scan(&key, &id)
		if wanted[key] {
			found[key] = id
		}
		return err
	}, `SELECT name_key, id FROM tags`+w.text.String()+` ORDER BY name_key`, w.args...)
	return found, err
}

// NewSetup is a setup to be created or changed. CreatedAt is when it was created, if it
// is new.
type NewSetup struct {
	SetupChange
	CreatedAt time.Time
}

// UpsertSetups creates setups, or changes those with the names already; a change is made
// now. It is an import step.
func UpsertSetups(ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, list []NewSetup) ([]Restored[journal.SetupID], error) {
	if len(list) == 0 {
		return nil, nil
	}
	room, err := limits.Setups.Room(ctx, tx, owner, countSetups)
	if err != nil {
		return nil, err
	}
	var out []Restored[journal.SetupID]
	for part := range slices.Chunk(list, idChunk) { // setup texts may be long
		u := setupUpsert{ctx: ctx, tx: tx, owner: owner, now: now, room: room}
		some, err := u.run(part)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
		room = u.room
	}
	return out, nil
}

const countSetups = `SELECT COUNT(*) FROM setups WHERE user_id = $1`

// setupUpsert creates and changes some setups.
type setupUpsert struct {
	ctx   context.Context
	tx    *db.Tx
	owner journal.UserID
	now   time.Time
	room  int
	// setups are the stored and the new ones by name key.
	setups map[string]*upsertedSetup
}

type upsertedSetup struct {
	Setup
	before           Setup // as it is stored
	isNew, isChanged bool
}

func (u *setupUpsert) run(list []NewSetup) ([]Restored[journal.SetupID], error) {
	out := make([]Restored[journal.SetupID], len(list))
	fresh, keys := make([]Setup, len(list)), make([]string, len(list))
	for i, in := range list {
		fresh[i], out[i].Err = newSetup(in.SetupChange, in.CreatedAt)
		keys[i] = nameKey(fresh[i].Name)
	}
	if err := u.load(keys); err != nil {
		return nil, err
	}
	for i, in := range list {
		if out[i].Err == nil {
			out[i] = u.upsert(keys[i], fresh[i], in.SetupChange)
		}
	}
	return out, u.write()
}

// load reads the stored setups with the name keys.
func (u *setupUpsert) load(keys []string) error {
	u.setups = map[string]*upsertedSetup{}
	w := owned("user_id", u.owner)
	andIn(w, "name_key", unique(keys))
	stored, err := db.List(u.ctx, u.tx, scanSetup, selectSetups+w.text.String()+` ORDER BY name_key`+u.tx.Lock(), w.args...)
	for _, s := range stored {
		u.setups[nameKey(s.Name)] = &upsertedSetup{Setup: s, before: s}
	}
	return err
}

func (u *setupUpsert) upsert(key string, fresh Setup, change SetupChange) (out Restored[journal.SetupID]) {
	s := u.setups[key]
	if s == nil {
		if u.room == 0 {
			return Restored[journal.SetupID]{Err: limits.Setups.Reached()}
		}
		u.room--
		u.setups[key] = &upsertedSetup{Setup: fresh, isNew: true}
		return Restored[journal.SetupID]{ID: fresh.ID, Changed: true}
	}
	change.Name = journal.Opt[string]{} // the user's own spelling stays
	changed, err := applySetup(change, s.Setup)
	if err != nil || setupTable.Fields.Equal(&changed, &s.Setup) {
		return Restored[journal.SetupID]{ID: s.ID, Err: err}
	}
	changed.UpdatedAt = u.now
	s.Setup, s.isChanged = changed, true
	return Restored[journal.SetupID]{ID: s.ID, Changed: true}
}

// write stores what is new or changed. Another transaction creating a setup with any of
// the names at the same time is a conflict.
func (u *setupUpsert) write() error {
	var fresh []Setup
	for _, s := range u.setups {
		switch {
		case s.isNew:
			fresh = append(fresh, s.Setup)
		case s.isChanged:
			if err := updateSetup(u.ctx, u.tx, u.owner, s.Setup); err != nil {
				return err
			}
			setupHistory.BroughtUpdate(u.tx, u.owner, &s.before, &s.Setup)
		}
	}
	slices.SortFunc(fresh, func(a, b Setup) int { return cmp.Compare(a.ID, b.ID) })
	n, err := insertRows(u.ctx, u.tx, setupTable.Name, setupTable.Columns(), `ON CONFLICT (user_id, name_key) DO NOTHING`, fresh,
		func(s *Setup) []any { return setupTable.Values(u.owner, s) })
	recordBrought(u.tx, u.owner, setupHistory, fresh)
	if err == nil && n != int64(len(fresh)) {
		err = journal.Conflict("Another request created one of the setups. Try again.")
	}
	return err
}
