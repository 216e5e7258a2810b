package hooks

import (
	"context"
	"errors"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

const (
	// keepTime is how long something stays in the quarantine.
	keepTime = 30 * 24 * time.Hour
	// maxEntries and maxEntryBytes bound a hook's quarantine. The oldest are deleted
	// first.
	maxEntries    = 1000
	maxEntryBytes = 8 << 20
)

// Entry is something a hook received and could not store: one fill, or an unreadable
// body.
type Entry struct {
	ID         journal.QuarantineID
	ReceivedAt time.Time
	// Reason is a sentence for the user.
	Reason string
	Body   []byte
}

func errNoEntry() error { return journal.NotFound("quarantined fill") }

// countQuarantined returns how many entries each of the owner's hooks has.
func countQuarantined(ctx context.Context, tx *db.Tx, owner journal.UserID) (map[journal.HookID]int, error) {
	counts := map[journal.HookID]int{}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var id journal.HookID
		var n int
		err := row.Scan(&id, &n)
		counts[id] = n
		return err
	}, `SELECT hook_id, COUNT(*) FROM hook_quarantine WHERE user_id = $1 GROUP BY hook_id`, owner)
	return counts, err
}

// Refused is what a hook could not store since a time.
type Refused struct {
	Hook    journal.HookID
	Account journal.AccountID
	Name    string
	Count   int
	At      time.Time // the last one's
}

// ListRefused returns what the owner's hooks could not store since an instant and is
// still in their quarantine. It is a step.
func ListRefused(ctx context.Context, tx *db.Tx, owner journal.UserID, since time.Time) (list []Refused, err error) {
	err = db.Each(ctx, tx, func(row db.Scanner) error {
		var r Refused
		if err := row.Scan(&r.Hook, &r.Name, &r.Account, &r.Count, db.Instant(&r.At)); err != nil {
			return err
		}
		if journal.AllowsAccount(ctx, r.Account) {
			list = append(list, r)
		}
		return nil
	}, `SELECT h.id, h.name, h.account_id, COUNT(*), MAX(q.received_at) FROM hooks h JOIN hook_quarantine q ON q.user_id = h.user_id AND q.hook_id = h.id
		WHERE h.user_id = $1 AND q.received_at > $2 GROUP BY h.id, h.name, h.account_id`, owner, db.Micros(since))
	return list, err
}

// HasAny reports whether the owner has a hook. It is a step.
func HasAny(ctx context.Context, tx *db.Tx, owner journal.UserID) (found bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM hooks WHERE user_id = $1)`, owner).Scan(&found)
	return found, err
}

const selectEntries = `SELECT id, received_at, reason, body FROM hook_quarantine WHERE user_id = $1 AND hook_id = $2`

func scanEntry(row db.Scanner) (e Entry, err error) {
	err = row.Scan(&e.ID, db.Instant(&e.ReceivedAt), &e.Reason, &e.Body)
	return e, err
}

// Quarantine returns what a hook could not store, newest first.
func (s *Service) Quarantine(ctx context.Context, owner journal.UserID, id journal.HookID) (list []Entry, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		if _, err := readHook(ctx, tx, owner, id, ""); err != nil {
			return err
		}
		list, err = db.List(ctx, tx, scanEntry, selectEntries+` ORDER BY id DESC`, owner, id)
		return err
	})
	return list, err
}

func readEntry(ctx context.Context, tx *db.Tx, owner journal.UserID, hook journal.HookID, id journal.QuarantineID) (Entry, error) {
	entry, err := scanEntry(tx.QueryRow(ctx, selectEntries+` AND id = $3`, owner, hook, id))
	if errors.Is(err, db.ErrNoRows) {
		return Entry{}, errNoEntry()
	}
	return entry, err
}

// Discard deletes a quarantine entry.
func (s *Service) Discard(ctx context.Context, owner journal.UserID, hook journal.HookID, id journal.QuarantineID) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		found, err := readHook(ctx, tx, owner, hook, tx.Lock())
		if err != nil {
			return err
		}
		if _, err := readEntry(ctx, tx, owner, hook, id); err != nil {
			return err
		}
		history.Describe(tx, owner, history.Description{Action: history.Delete, Summary: "Discarded a quarantined fill of " + found.Name})
		return removeEntry(ctx, tx, owner, found, id)
	})
}

// entryField is the internal field with an entry that leaves the quarantine or comes back.
const entryField = ".entry"

// removeEntry takes an entry out of the quarantine and keeps it for an undo.
func removeEntry(ctx context.Context, tx *db.Tx, owner journal.UserID, hook Hook, id journal.QuarantineID) error {
	recordEntry(tx, owner, hook, string(id), nil)
	if err := history.Keep(ctx, tx, owner, "hook_quarantine", `hook_id = $2 AND id = $3`, hook.ID, id); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `DELETE FROM hook_quarantine WHERE user_id = $1 AND hook_id = $2 AND id = $3`, owner, hook.ID, id)
	return err
}

// recordEntry records that an entry left the quarantine or came back.
func recordEntry(tx *db.Tx, owner journal.UserID, hook Hook, before, after any) {
	history.Record(tx, owner, history.Object{
		Type: "hook", ID: string(hook.ID), Label: hook.Name, Action: history.Updated, Account: hook.Account,
		Fields: []history.Field{history.NewField(entryField, before, after)},
	})
}

// Retry tries to store an entry again, which may succeed after a program update. A stored
// entry leaves the quarantine.
func (s *Service) Retry(
	ctx context.Context, owner journal.UserID, id journal.HookID, entryID journal.QuarantineID, read ReadFill,
) (counts Counts, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		hook, err := readHook(ctx, tx, owner, id, tx.Lock())
		if err != nil {
			return err
		}
		entry, err := readEntry(ctx, tx, owner, id, entryID)
		if err != nil {
			return err
		}
		read, err := readBody(entry.Body, read)
		if err != nil {
			return err
		}
		if len(read.fills) == 0 && len(read.refused) == 1 {
			counts = Counts{Quarantined: 1}
			_, err := tx.Exec(ctx, `UPDATE hook_quarantine SET reason = $1 WHERE user_id = $2 AND hook_id = $3 AND id = $4`,
				read.refused[0].reason, owner, id, entryID)
			return err
		}
		if err := removeEntry(ctx, tx, owner, hook, entryID); err != nil {
			return err
		}
		counts, err = s.store(ctx, tx, owner, &hook, read)
		return err
	})
	return counts, err
}

// quarantine stores refused parts of a body, and deletes the oldest above the limits.
func quarantine(ctx context.Context, tx *db.Tx, owner journal.UserID, hook journal.HookID, at time.Time, refused []refusal) error {
	if len(refused) == 0 {
		return nil
	}
	for _, r := range refused {
		_, err := tx.Exec(ctx, `INSERT INTO hook_quarantine (user_id, id, hook_id, received_at, reason, body, size) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			owner, journal.NewID[journal.QuarantineID](), hook, db.Micros(at), r.reason, append([]byte{}, r.text...), len(r.text)) // nil would be NULL
		if err != nil {
			return err
		}
	}
	return trimQuarantine(ctx, tx, owner, hook)
}

func trimQuarantine(ctx context.Context, tx *db.Tx, owner journal.UserID, hook journal.HookID) error {
	entries, bytes := 0, 0
	var last journal.QuarantineID // the newest to delete
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var id journal.QuarantineID
		var size int
		if err := row.Scan(&id, &size); err != nil {
			return err
		}
		entries, bytes = entries+1, bytes+size
		if last == "" && (entries > maxEntries || bytes > maxEntryBytes) {
			last = id
		}
		return nil
	}, `SELECT id, size FROM hook_quarantine WHERE user_id = $1 AND hook_id = $2 ORDER BY id DESC`, owner, hook)
	if err != nil || last == "" {
		return err
	}
	_, err = tx.Exec(ctx, `DELETE FROM hook_quarantine WHERE user_id = $1 AND hook_id = $2 AND id <= $3`, owner, hook, last)
	return err
}
