package playbook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// What a backup needs beyond the lists: steps that read and write what no
// other caller sees.

// LoadTagNames returns the owner's tag names. It is a step.
func LoadTagNames(ctx context.Context, tx *db.Tx, owner journal.UserID) (map[journal.TagID]string, error) {
	return loadNames[journal.TagID](ctx, tx, owner, `SELECT id, name FROM tags WHERE user_id = $1 ORDER BY id`)
}

// LoadSetupNames returns the owner's setup names. It is a step.
func LoadSetupNames(ctx context.Context, tx *db.Tx, owner journal.UserID) (map[journal.SetupID]string, error) {
	return loadNames[journal.SetupID](ctx, tx, owner, `SELECT id, name FROM setups WHERE user_id = $1 ORDER BY id`)
}

func loadNames[ID ~string](ctx context.Context, tx *db.Tx, owner journal.UserID, query string) (map[ID]string, error) {
	names := map[ID]string{}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var id ID
		var name string
		err := row.Scan(&id, &name)
		names[id] = name
		return err
	}, query, owner)
	return names, err
}

// EachTag calls fn with the owner's tags by name. It is a step; fn must not run
// statements.
func EachTag(ctx context.Context, tx *db.Tx, owner journal.UserID, fn func(Tag) error) error {
	return eachRecord(ctx, tx, scanTag, fn, selectTags+` WHERE user_id = $1 ORDER BY name_key, id`, owner)
}

// EachSetup calls fn with the owner's setups by name. It is a step; fn must not run
// statements.
func EachSetup(ctx context.Context, tx *db.Tx, owner journal.UserID, fn func(Setup) error) error {
	return eachRecord(ctx, tx, scanSetup, fn, selectSetups+` WHERE user_id = $1 ORDER BY name_key, id`, owner)
}

// EachNoteTemplate calls fn with the owner's templates by name. It is a step; fn must not
// run statements.
func EachNoteTemplate(ctx context.Context, tx *db.Tx, owner journal.UserID, fn func(NoteTemplate) error) error {
	return eachRecord(ctx, tx, scanNoteTemplate, fn, selectNoteTemplates+` WHERE t.user_id = $1 ORDER BY t.name_key, t.id`, owner)
}

func eachRecord[T any](ctx context.Context, tx *db.Tx, scan func(db.Scanner) (T, error), fn func(T) error, query string, args ...any) error {
	return db.Each(ctx, tx, func(row db.Scanner) error {
		record, err := scan(row)
		if err != nil {
			return err
		}
		return fn(record)
	}, query, args...)
}

// ListAnnotatedTrades lists an account's trades with an annotations row, without orphans.
// It is a step.
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

// StoredOrphan is an orphan with the fill keys it waits for.
type StoredOrphan struct {
	Orphan
	FillKeys []string
}

// orphansAtOnce is how many orphans are in memory at a time; their texts may be long.
const orphansAtOnce = 128

// EachOrphan calls fn with an account's orphans, oldest first. It is a step; fn may run
// statements.
func EachOrphan(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, fn func(StoredOrphan) error,
) error {
	orphans, err := db.List(ctx, tx, scanOrphan, `
		SELECT trade_id, symbol, opened_at, orphaned_at FROM orphaned_annotations
		WHERE user_id = $1 AND account_id = $2 ORDER BY orphaned_at, trade_id`, owner, account)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(orphans, orphansAtOnce) {
		if err := describeOrphans(ctx, tx, owner, part); err != nil {
			return err
		}
		keys, err := fillKeysOf(ctx, tx, owner, part)
		if err != nil {
			return err
		}
		for _, o := range part {
			if err := fn(StoredOrphan{Orphan: o, FillKeys: keys[o.Trade]}); err != nil {
				return err
			}
		}
		clear(part) // their texts may be long
	}
	return nil
}

// fillKeysOf returns the fill keys that some orphans wait for.
func fillKeysOf(ctx context.Context, tx *db.Tx, owner journal.UserID, orphans []Orphan) (map[journal.TradeID][]string, error) {
	found := map[journal.TradeID][]string{}
	trades := make([]journal.TradeID, len(orphans))
	for i, o := range orphans {
		trades[i], found[o.Trade] = o.Trade, []string{}
	}
	err := db.EachIn(ctx, tx, trades, func(row db.Scanner) error {
		var trade journal.TradeID
		var key string
		err := row.Scan(&trade, &key)
		found[trade] = append(found[trade], key)
		return err
	}, `SELECT trade_id, fill_key FROM orphaned_fills WHERE user_id = $1 AND trade_id IN $keys ORDER BY trade_id, fill_key`, owner)
	return found, err
}

// OrphanedLinks returns note links to orphans, which lists do not show. It is a step.
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

// ReadAttachment returns an owner's file to read as one step, so a backup needs no second
// connection. The caller closes it.
func (s *attachmentStore) ReadAttachment(
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

// StoredFiles are the files on trades and notes before a restore, by target, name and
// content. Each is handed out once. A target is read once, so many files for one target
// take no longer than others.
type StoredFiles struct{ counts map[Target]map[storedFile]int }

type storedFile struct{ name, sum string }

// NewStoredFiles begins restoring files.
func NewStoredFiles() *StoredFiles { return &StoredFiles{counts: map[Target]map[storedFile]int{}} }

// claim reports whether the target has a file no other file in the backup has claimed.
func (f *StoredFiles) claim(ctx context.Context, d *db.DB, owner journal.UserID, target Target, a Attachment) (bool, error) {
	counts, isRead := f.counts[target]
	if !isRead {
		var stored []Attachment
		err := d.View(ctx, func(tx *db.Tx) (err error) {
			stored, err = AttachmentsOf(ctx, tx, owner, target)
			return err
		})
		if err != nil {
			return false, err
		}
		counts = map[storedFile]int{}
		for _, old := range stored {
			counts[storedFile{old.Name, string(old.SHA256)}]++
		}
		f.counts[target] = counts
	}
	file := storedFile{a.Name, string(a.SHA256)}
	if counts[file] == 0 {
		return false, nil
	}
	counts[file]--
	return true, nil
}

// Reattach is [Service.Attach] for a backup file: it keeps when the file was first
// attached, if that is known, can attach it to an orphan, and stores nothing if the
// target has the same file. added reports whether it stored the file.
func (s *attachmentStore) Reattach(
	ctx context.Context, owner journal.UserID, target Target, created time.Time, upload Upload, stored *StoredFiles,
) (added bool, err error) {
	a, content, err := s.receive(upload)
	if err != nil {
		return false, err
	}
	if !created.IsZero() {
		a.CreatedAt = created
	}
	if target.Trade != "" {
		a.Trade = &target.Trade
	} else {
		a.Note = &target.Note
	}
	if known, err := stored.claim(ctx, s.db, owner, target, a); err != nil || known {
		return false, err
	}
	public, err := s.publicID(ctx, owner)
	if err != nil {
		return false, err
	}
	if s.options.Files != nil {
		if err := s.options.Files.write(public, a.ID, content); err != nil {
			return false, fmt.Errorf("storing an attachment: %w", err)
		}
	}
	err = s.db.Update(ctx, func(tx *db.Tx) error { return s.reattach(ctx, tx, owner, a, content) })
	if _, refused := errors.AsType[*journal.Error](err); refused {
		s.RemoveFiles(ctx, owner, []journal.AttachmentID{a.ID})
	}
	return err == nil, err
}

func (s *attachmentStore) reattach(ctx context.Context, tx *db.Tx, owner journal.UserID, a Attachment, content []byte) error {
	if a.Trade == nil {
		return s.addAttachment(ctx, tx, owner, a, content)
	}
	err := lockOrphan(ctx, tx, owner, *a.Trade)
	if journal.IsKind(err, journal.KindNotFound) {
		return s.addAttachment(ctx, tx, owner, a, content)
	}
	if err != nil {
		return err
	}
	if err := s.checkQuota(ctx, tx, owner, a.Size); err != nil {
		return err
	}
	return s.insertAttachment(ctx, tx, owner, a, content)
}
