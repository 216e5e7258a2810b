package playbook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

// What a backup needs beyond the lists: steps that read and write what no
// other caller sees, and that can tell a record of the file from its equal.

// ListAnnotatedTrades lists the trades of an account that have a row of
// annotations, without orphans. It is a step.
func ListAnnotatedTrades(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) ([]journal.TradeID, error) {
	return db.List(ctx, tx, db.Single[journal.TradeID], `
		SELECT m.trade_id FROM trade_annotations m
		WHERE m.user_id = $1 AND m.account_id = $2
			AND NOT EXISTS (SELECT 1 FROM orphaned_annotations o WHERE o.user_id = $1 AND o.trade_id = m.trade_id)
		ORDER BY m.trade_id`, owner, account)
}

// ListLinkedTrades lists the trades that notes or attachments are linked to, orphans
// among them. It is a step.
func ListLinkedTrades(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]journal.TradeID, error) {
	return db.List(ctx, tx, db.Single[journal.TradeID], `
		SELECT trade_id FROM notes WHERE user_id = $1 AND trade_id IS NOT NULL
		UNION SELECT trade_id FROM attachments WHERE user_id = $1 AND trade_id IS NOT NULL
		ORDER BY trade_id`, owner)
}

// StoredOrphan is an orphan with the keys of the fills that it waits for.
type StoredOrphan struct {
	Orphan
	FillKeys []string
}

// LoadOrphans lists the orphans of an account, oldest first. It is a step.
func LoadOrphans(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) ([]StoredOrphan, error) {
	orphans, err := db.List(ctx, tx, scanOrphan, `
		SELECT trade_id, symbol, opened_at, orphaned_at FROM orphaned_annotations
		WHERE user_id = $1 AND account_id = $2 ORDER BY orphaned_at, trade_id`, owner, account)
	if err != nil {
		return nil, err
	}
	if err := describeOrphans(ctx, tx, owner, orphans); err != nil {
		return nil, err
	}
	list := make([]StoredOrphan, len(orphans))
	for i, o := range orphans {
		list[i].Orphan = o
		if list[i].FillKeys, err = fillKeysOf(ctx, tx, owner, o.Trade); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// maxFillKey bounds the key of a fill that an orphan waits for, in bytes.
const maxFillKey = 4 << 10

// Restorer is a restore on its way. A file may hold the same record several
// times, and may be restored twice: each stored record answers for one of the
// file's, and the others are made. Its methods are steps of one transaction.
type Restorer struct {
	orphans map[string][]journal.TradeID
	notes   map[string][]journal.NoteID
	// recorded reports whether the log of notes has this restore.
	recorded bool
}

// NewRestorer begins a restore.
func NewRestorer() *Restorer {
	return &Restorer{orphans: map[string][]journal.TradeID{}, notes: map[string][]journal.NoteID{}}
}

// claim takes one of the stored records that are the same by a key. They are
// looked up once, so that a file of equals costs no more than another.
func claim[T any](known map[string][]T, key string, find func() ([]T, error)) (record T, found bool, err error) {
	same, asked := known[key]
	if !asked {
		if same, err = find(); err != nil {
			return record, false, err
		}
	}
	if len(same) == 0 {
		known[key] = nil
		return record, false, nil
	}
	known[key] = same[1:]
	return same[0], true, nil
}

// RestoreOrphan stores annotations that wait for fills of an account, under a new
// id, unless the same ones are stored. The account, tags and setups must be the
// owner's.
func (r *Restorer) RestoreOrphan(ctx context.Context, tx *db.Tx, owner journal.UserID, w StoredOrphan) (id journal.TradeID, added bool, err error) {
	w.FillKeys = cleanFillKeys(w.FillKeys)
	key := fmt.Sprintf("%s|%d|%s|%q", w.Account, db.Micros(w.OrphanedAt), w.Symbol, w.FillKeys)
	id, known, err := claim(r.orphans, key, func() ([]journal.TradeID, error) { return sameOrphans(ctx, tx, owner, w) })
	if err != nil || known {
		return id, false, err
	}
	w.Trade = journal.NewID[journal.TradeID]()
	w.UpdatedAt = w.OrphanedAt
	if err := saveAnnotations(ctx, tx, owner, w.Annotations); err != nil {
		return "", false, err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO orphaned_annotations (user_id, trade_id, account_id, symbol, opened_at, orphaned_at)
		VALUES ($1, $2, $3, $4, $5, $6)`,
		owner, w.Trade, w.Account, w.Symbol, db.NullMicros(w.OpenedAt), db.Micros(w.OrphanedAt))
	if err != nil {
		return "", false, err
	}
	return w.Trade, true, insertLostFills(ctx, tx, owner, w)
}

// sameOrphans finds the stored orphans that wait for the same fills since the
// same instant. Trades of one symbol that lose their fills together share all
// but those.
func sameOrphans(ctx context.Context, tx *db.Tx, owner journal.UserID, w StoredOrphan) ([]journal.TradeID, error) {
	ids, err := db.List(ctx, tx, db.Single[journal.TradeID], `
		SELECT trade_id FROM orphaned_annotations
		WHERE user_id = $1 AND account_id = $2 AND symbol = $3 AND orphaned_at = $4 ORDER BY trade_id`,
		owner, w.Account, w.Symbol, db.Micros(w.OrphanedAt))
	if err != nil {
		return nil, err
	}
	var same []journal.TradeID
	for _, id := range ids {
		keys, err := fillKeysOf(ctx, tx, owner, id)
		if err != nil {
			return nil, err
		}
		if slices.Equal(cleanFillKeys(keys), w.FillKeys) {
			same = append(same, id)
		}
	}
	return same, nil
}

// fillKeysOf lists the keys of the fills that an orphan waits for.
func fillKeysOf(ctx context.Context, tx *db.Tx, owner journal.UserID, orphan journal.TradeID) ([]string, error) {
	return db.List(ctx, tx, db.Single[string],
		`SELECT fill_key FROM orphaned_fills WHERE user_id = $1 AND trade_id = $2 ORDER BY fill_key`, owner, orphan)
}

// cleanFillKeys returns the keys that a fill can have, each once and sorted.
func cleanFillKeys(keys []string) []string {
	clean := []string{}
	for _, key := range keys {
		if _, err := journal.CheckText("fill_keys", key); err == nil && key != "" && len(key) <= maxFillKey {
			clean = append(clean, key)
		}
	}
	slices.Sort(clean)
	return slices.Compact(clean)
}

// insertLostFills stores the keys of the fills that an orphan waits for.
func insertLostFills(ctx context.Context, tx *db.Tx, owner journal.UserID, w StoredOrphan) error {
	rows := make([][]any, len(w.FillKeys))
	for i, key := range w.FillKeys {
		rows[i] = []any{owner, w.Account, key, w.Trade}
	}
	_, err := tx.InsertMany(ctx, "orphaned_fills", []string{"user_id", "account_id", "fill_key", "trade_id"},
		`ON CONFLICT (user_id, account_id, fill_key, trade_id) DO NOTHING`, rows)
	return err
}

// OrphanedLinks returns the links of notes to orphans, which lists do not show. It
// is a step.
func OrphanedLinks(ctx context.Context, tx *db.Tx, owner journal.UserID) (map[journal.NoteID]journal.TradeID, error) {
	links := map[journal.NoteID]journal.TradeID{}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var note journal.NoteID
		var trade journal.TradeID
		err := row.Scan(&note, &trade)
		links[note] = trade
		return err
	}, `SELECT n.id, n.trade_id FROM notes n JOIN orphaned_annotations o ON o.user_id = n.user_id AND o.trade_id = n.trade_id
		WHERE n.user_id = $1 ORDER BY n.id`, owner)
	return links, err
}

// RestoreNote creates a note unless one of the same type, moment and text is stored.
// Account and trade must be known to be the owner's, and the trade must have
// its row (see [EnsureAnnotationsRow]).
func (r *Restorer) RestoreNote(
	ctx context.Context, tx *db.Tx, owner journal.UserID, created time.Time, change NoteChange,
) (id journal.NoteID, added bool, err error) {
	note, err := newNote(change, created)
	if err != nil {
		return "", false, err
	}
	words := []any{
		db.Micros(note.OccurredAt.At), note.OccurredAt.WholeDay, string(note.Type), note.Title, note.Body, note.symbolsText(),
	}
	id, known, err := claim(r.notes, fmt.Sprintf("%d|%t|%q|%q|%q|%s", words...), func() ([]journal.NoteID, error) {
		return db.List(ctx, tx, db.Single[journal.NoteID], `
			SELECT id FROM notes
			WHERE user_id = $1 AND occurred_at = $2 AND is_day = $3 AND type = $4 AND title = $5 AND body = $6 AND symbols = $7
			ORDER BY id`, append([]any{owner}, words...)...)
	})
	if err != nil || known {
		return id, false, err
	}
	if !r.recorded {
		r.recorded = true
		if err := recordNotes(ctx, tx, owner); err != nil {
			return "", false, err
		}
	}
	return note.ID, true, insertNote(ctx, tx, owner, note)
}

// ReadAttachment returns a file of the owner to read as one step, so that a
// backup needs no second connection. The caller closes it.
func (s *Service) ReadAttachment(
	ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AttachmentID,
) (io.ReadCloser, error) {
	if s.options.Files != nil {
		public, err := s.options.Known.PublicID(ctx, tx, owner)
		if err != nil {
			return nil, err
		}
		file, err := s.options.Files.open(public, id)
		if err != nil {
			return nil, fmt.Errorf("opening attachment %s: %w", id, err)
		}
		return file, nil
	}
	var content []byte
	err := tx.QueryRow(ctx, `SELECT content FROM attachment_blobs WHERE user_id = $1 AND attachment_id = $2`, owner, id).Scan(&content)
	if err != nil {
		return nil, fmt.Errorf("reading attachment %s: %w", id, err)
	}
	return inMemory{bytes.NewReader(content)}, nil
}

// Reattach is [Service.Attach] for a file of a backup: it keeps the instant at
// which the file was first attached, if that is known, may hang it on an
// orphan, and stores nothing where the target has a file of that name and content that is not
// taken. added reports whether it stored the file.
func (s *Service) Reattach(
	ctx context.Context, owner journal.UserID, target Target, created time.Time, upload Upload, taken map[journal.AttachmentID]bool,
) (id journal.AttachmentID, added bool, err error) {
	a, content, err := s.receive(upload)
	if err != nil {
		return "", false, err
	}
	if !created.IsZero() {
		a.CreatedAt = created
	}
	if target.Trade != "" {
		a.Trade = &target.Trade
	} else {
		a.Note = &target.Note
	}
	public, err := s.publicID(ctx, owner)
	if err != nil {
		return "", false, err
	}
	if s.options.Files != nil {
		if err := s.options.Files.write(public, a.ID, content); err != nil {
			return "", false, fmt.Errorf("storing an attachment: %w", err)
		}
	}
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		id, added, err = s.reattach(ctx, tx, owner, target, a, content, taken)
		return err
	})
	if _, refused := errors.AsType[*journal.Error](err); refused || err == nil && !added {
		s.RemoveFiles(ctx, owner, []journal.AttachmentID{a.ID})
	}
	return id, added, err
}

func (s *Service) reattach(
	ctx context.Context, tx *db.Tx, owner journal.UserID, target Target, a Attachment, content []byte, taken map[journal.AttachmentID]bool,
) (journal.AttachmentID, bool, error) {
	there, err := AttachmentsOf(ctx, tx, owner, target)
	if err != nil {
		return "", false, err
	}
	for _, old := range there {
		if old.Name == a.Name && bytes.Equal(old.SHA256, a.SHA256) && !taken[old.ID] {
			return old.ID, false, nil
		}
	}
	if a.Trade == nil {
		return a.ID, true, s.addAttachment(ctx, tx, owner, a, content)
	}
	err = lockOrphan(ctx, tx, owner, *a.Trade)
	if journal.IsKind(err, journal.KindNotFound) {
		return a.ID, true, s.addAttachment(ctx, tx, owner, a, content)
	}
	if err != nil {
		return "", false, err
	}
	if err := s.checkQuota(ctx, tx, owner, a.Size); err != nil {
		return "", false, err
	}
	return a.ID, true, s.insertAttachment(ctx, tx, owner, a, content)
}
