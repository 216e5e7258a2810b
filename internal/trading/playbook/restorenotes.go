package playbook

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// NewNote is a note to be restored, with the instant at which it was created. Its
// account and its trade must be known to be the owner's.
type NewNote struct {
	NoteChange
	ByApp     bool
	CreatedAt time.Time
	// TradeAccount is the trade's account, if the note has one.
	TradeAccount journal.AccountID
}

// recordKey is a hash of the values that identify a record.
type recordKey [sha256.Size]byte

func newRecordKey(format string, values ...any) recordKey {
	return sha256.Sum256(fmt.Appendf(nil, format, values...))
}

// claims are the stored records that a file's records may be, by their keys.
type claims[ID any] map[recordKey][]ID

// take returns a stored record with a key no other record in the file has.
func (c claims[ID]) take(key recordKey) (id ID, found bool) {
	same := c[key]
	if len(same) == 0 {
		return id, false
	}
	c[key] = same[1:]
	return same[0], true
}

// RestoreNotes creates notes in their order, unless one with the same type, moment and
// text is stored. It is a step.
func RestoreNotes(ctx context.Context, tx *db.Tx, owner journal.UserID, list []NewNote) ([]Restored[journal.NoteID], error) {
	if len(list) == 0 {
		return nil, nil
	}
	out := make([]Restored[journal.NoteID], len(list))
	notes, keys := make([]Note, len(list)), make([]recordKey, len(list))
	for i, in := range list {
		if notes[i], out[i].Err = newNote(in.NoteChange, in.CreatedAt); out[i].Err == nil {
			n := &notes[i]
			n.ByApp = in.ByApp
			keys[i] = noteKey(db.Micros(n.OccurredAt.At), n.OccurredAt.WholeDay, string(n.Type), n.Title, n.Body, n.symbolsText())
		}
	}
	stored, err := findNotes(ctx, tx, owner, notes, keys)
	if err != nil {
		return nil, err
	}
	room, err := limits.Notes.Room(ctx, tx, owner, countNotes)
	if err != nil {
		return nil, err
	}
	bytes, err := limits.NoteBytes.Room(ctx, tx, owner, sumNoteBytes)
	if err != nil {
		return nil, err
	}
	var fresh []Note
	var linked []Annotations
	for i := range notes {
		if out[i].Err != nil {
			continue
		}
		if id, found := stored.take(keys[i]); found {
			out[i].ID = id
			continue
		}
		if len(fresh) == room {
			out[i].Err = limits.Notes.Reached()
			continue
		}
		if bytes < notes[i].bytes() {
			out[i].Err = errNoteBytes()
			continue
		}
		bytes -= notes[i].bytes()
		out[i].ID, out[i].Changed = notes[i].ID, true
		fresh = append(fresh, notes[i])
		if trade := notes[i].Trade; trade != nil {
			linked = append(linked, Annotations{Trade: *trade, Account: list[i].TradeAccount, UpdatedAt: notes[i].CreatedAt})
		}
	}
	recordBrought(tx, owner, noteHistory, fresh)
	return out, insertNotes(ctx, tx, owner, fresh, linked)
}

const countNotes = `SELECT COUNT(*) FROM notes WHERE user_id = $1`

// noteKey returns the key that finds a file's note again.
func noteKey(at int64, isDay bool, kind, title, body, symbols string) recordKey {
	return newRecordKey("%d|%t|%q|%q|%q|%s", at, isDay, kind, title, body, symbols)
}

// findNotes returns the stored notes with any of the keys. It reads those with the same
// instants.
func findNotes(ctx context.Context, tx *db.Tx, owner journal.UserID, notes []Note, keys []recordKey) (claims[journal.NoteID], error) {
	wanted, instants := map[recordKey]bool{}, map[int64]bool{}
	for i := range notes {
		wanted[keys[i]] = true
		instants[db.Micros(notes[i].OccurredAt.At)] = true
	}
	w := owned("user_id", owner)
	andAmong(w, "occurred_at", slices.Collect(maps.Keys(instants)))
	found := claims[journal.NoteID]{}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var id journal.NoteID
		var at int64
		var isDay bool
		var kind, title, body, symbols string
		err := row.Scan(&id, &at, &isDay, &kind, &title, &body, &symbols)
		if err != nil || !instants[at] {
			return err
		}
		if key := noteKey(at, isDay, kind, title, body, symbols); wanted[key] {
			found[key] = append(found[key], id)
		}
		return nil
	}, `SELECT id, occurred_at, is_day, type, title, body, symbols FROM notes`+w.text.String()+` ORDER BY occurred_at, id`, w.args...)
	return found, err
}

// insertNotes inserts notes, with the annotations rows their links refer to.
func insertNotes(ctx context.Context, tx *db.Tx, owner journal.UserID, fresh []Note, linked []Annotations) error {
	if len(fresh) == 0 {
		return nil
	}
	if err := ensureAnnotationsRows(ctx, tx, owner, linked); err != nil {
		return err
	}
	_, err := insertRows(ctx, tx, noteTable.Name, noteTable.Columns(), "", fresh, func(n *Note) []any { return noteTable.Values(owner, n) })
	if err != nil {
		return err
	}
	return recordNotes(ctx, tx, owner)
}

// ensureAnnotationsRows is [EnsureAnnotationsRow] for several trades.
func ensureAnnotationsRows(ctx context.Context, tx *db.Tx, owner journal.UserID, rows []Annotations) error {
	_, err := insertRows(ctx, tx, annotationTable.Name, annotationTable.Columns(), `ON CONFLICT (user_id, trade_id) DO NOTHING`, rows,
		func(m *Annotations) []any { return annotationTable.Values(owner, m) })
	return err
}
