package playbook

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Attachment is an image or PDF on exactly one trade or note.
type Attachment struct {
	ID        journal.AttachmentID
	Trade     *journal.TradeID
	Note      *journal.NoteID
	Name      string
	MediaType string
	Size      int64
	SHA256    []byte
	CreatedAt time.Time
}

// Target is the record an attachment belongs to: exactly one is set.
type Target struct {
	Trade journal.TradeID
	Note  journal.NoteID
}

// Upload is a file as a client sends it. Name and MediaType are what it claims.
type Upload struct {
	Name      string
	MediaType string
	Content   io.Reader
}

// PreparedFile is a file whose attachment is not stored yet.
type PreparedFile struct {
	attachment Attachment
	content    []byte
}

// PrepareFile receives a file before the transaction that attaches it. If it is not
// attached, the caller hands it to RemovePrepared.
func (s *attachmentStore) PrepareFile(ctx context.Context, owner journal.UserID, upload Upload) (p PreparedFile, err error) {
	if p.attachment, p.content, err = s.receive(upload); err != nil {
		return PreparedFile{}, err
	}
	public, err := s.publicID(ctx, owner)
	if err != nil || s.options.Files == nil {
		return p, err
	}
	if err := s.options.Files.write(public, p.attachment.ID, p.content); err != nil {
		return PreparedFile{}, fmt.Errorf("storing an attachment: %w", err)
	}
	return p, nil
}

// AttachPrepared attaches a prepared file to a trade. It is a step in storing a sample
// journal, whose change records the account only.
func (s *attachmentStore) AttachPrepared(ctx context.Context, tx *db.Tx, owner journal.UserID, trade journal.TradeID, p PreparedFile) error {
	p.attachment.Trade = &trade
	if err := s.checkTarget(ctx, tx, owner, p.attachment); err != nil {
		return err
	}
	if err := s.checkQuota(ctx, tx, owner, p.attachment.Size); err != nil {
		return err
	}
	if err := s.insertAttachment(ctx, tx, owner, p.attachment, p.content); err != nil {
		return err
	}
	return s.reportLinked(ctx, tx, owner, &trade)
}

// RemovePrepared removes prepared files that were not attached.
func (s *attachmentStore) RemovePrepared(ctx context.Context, owner journal.UserID, list []PreparedFile) {
	ids := make([]journal.AttachmentID, len(list))
	for i, p := range list {
		ids[i] = p.attachment.ID
	}
	s.RemoveFiles(ctx, owner, ids)
}

// Attach stores a file. What it is, is decided by its content. A trade or note
// that is not the owner's is not found.
func (s *attachmentStore) Attach(ctx context.Context, owner journal.UserID, target Target, upload Upload) (Attachment, error) {
	p, err := s.PrepareFile(ctx, owner, upload)
	if err != nil {
		return Attachment{}, err
	}
	attachment, content := p.attachment, p.content
	if target.Trade != "" {
		attachment.Trade = &target.Trade
	} else {
		attachment.Note = &target.Note
	}
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		return s.addAttachment(ctx, tx, owner, attachment, content)
	})
	if _, refused := errors.AsType[*journal.Error](err); refused { // after any other fault the row may be there
		s.RemoveFiles(ctx, owner, []journal.AttachmentID{attachment.ID})
	}
	return attachment, err
}

// receive reads and inspects a file.
func (s *attachmentStore) receive(upload Upload) (Attachment, []byte, error) {
	content, err := io.ReadAll(io.LimitReader(upload.Content, s.options.MaxFileBytes+1))
	if err != nil {
		return Attachment{}, nil, err
	}
	if int64(len(content)) > s.options.MaxFileBytes {
		return Attachment{}, nil, journal.TooLarge("A file must be at most %s large.", sizeText(s.options.MaxFileBytes))
	}
	kind, err := inspect(upload.Name, upload.MediaType, content)
	if err != nil {
		return Attachment{}, nil, err
	}
	name, err := kind.fileName(upload.Name)
	if err != nil {
		return Attachment{}, nil, err
	}
	sum := sha256.Sum256(content)
	return Attachment{
		ID: journal.NewID[journal.AttachmentID](), Name: name, MediaType: kind.mediaType,
		Size: int64(len(content)), SHA256: sum[:], CreatedAt: s.clock(),
	}, content, nil
}

func sizeText(size int64) string {
	if size%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", size>>20)
	}
	return fmt.Sprintf("%d bytes", size)
}

func (s *attachmentStore) addAttachment(ctx context.Context, tx *db.Tx, owner journal.UserID, a Attachment, content []byte) error {
	if err := s.checkTarget(ctx, tx, owner, a); err != nil {
		return err
	}
	if err := s.checkQuota(ctx, tx, owner, a.Size); err != nil {
		return err
	}
	if err := s.insertAttachment(ctx, tx, owner, a, content); err != nil {
		return err
	}
	if err := recordAttachment(ctx, tx, owner, a, attachmentHistory.Created); err != nil {
		return err
	}
	return s.reportLinked(ctx, tx, owner, a.Trade)
}

// insertAttachment stores a file's row; its target must be known.
func (s *attachmentStore) insertAttachment(ctx context.Context, tx *db.Tx, owner journal.UserID, a Attachment, content []byte) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO attachments (user_id, id, trade_id, note_id, name, media_type, size, sha256, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		owner, a.ID, a.Trade, a.Note, a.Name, a.MediaType, a.Size, a.SHA256, db.Micros(a.CreatedAt))
	if err != nil || s.options.Files != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO attachment_blobs (user_id, attachment_id, content) VALUES ($1, $2, $3)`, owner, a.ID, content)
	return err
}

// checkTarget ensures that there is something to attach to.
func (s *attachmentStore) checkTarget(ctx context.Context, tx *db.Tx, owner journal.UserID, a Attachment) error {
	if a.Trade == nil {
		_, err := lockNote(ctx, tx, owner, *a.Note, nil)
		return err
	}
	account, err := s.options.Known.Trade(ctx, tx, owner, *a.Trade)
	if err != nil {
		return err
	}
	return EnsureAnnotationsRow(ctx, tx, owner, *a.Trade, account, a.CreatedAt)
}

// checkQuota bounds what one user may attach. Two uploads at the same instant
// may each be let in; the next one is not.
func (s *attachmentStore) checkQuota(ctx context.Context, tx *db.Tx, owner journal.UserID, size int64) error {
	var files, total int64
	err := tx.QueryRow(ctx, `SELECT COUNT(*), CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM attachments WHERE user_id = $1`, owner).
		Scan(&files, &total)
	if err != nil {
		return err
	}
	if total+size > s.options.MaxUserBytes || files >= s.options.MaxUserFiles {
		return journal.TooLarge("There is no room left for attachments; delete some first.")
	}
	return nil
}

const selectAttachments = `
	SELECT id, trade_id, note_id, name, media_type, size, sha256, created_at FROM attachments`

func scanAttachment(row db.Scanner) (Attachment, error) {
	var a Attachment
	err := row.Scan(&a.ID, &a.Trade, &a.Note, &a.Name, &a.MediaType, &a.Size, &a.SHA256, db.Instant(&a.CreatedAt))
	return a, err
}

// AttachmentsOf lists a trade's or note's attachments, in arrival order. For another
// user's trade or note the list is empty.
func AttachmentsOf(ctx context.Context, tx *db.Tx, owner journal.UserID, target Target) ([]Attachment, error) {
	w := owned("user_id", owner)
	if target.Trade != "" {
		w.and("trade_id =", target.Trade)
	} else {
		w.and("note_id =", target.Note)
	}
	w.limitAttachments(ctx)
	return db.List(ctx, tx, scanAttachment, selectAttachments+w.text.String()+` ORDER BY created_at, id`, w.args...)
}

// ListAttachments lists everything a user has attached, in arrival order. It is a step.
func ListAttachments(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]Attachment, error) {
	w := owned("user_id", owner)
	w.limitAttachments(ctx)
	return db.List(ctx, tx, scanAttachment, selectAttachments+w.text.String()+` ORDER BY created_at, id`, w.args...)
}

// attachmentsOf returns some trades' attachments.
func attachmentsOf(ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID) (map[journal.TradeID][]Attachment, error) {
	found := make(map[journal.TradeID][]Attachment)
	err := db.EachIn(ctx, tx, trades, func(row db.Scanner) error {
		a, err := scanAttachment(row)
		if err == nil {
			found[*a.Trade] = append(found[*a.Trade], a)
		}
		return err
	}, selectAttachments+` WHERE user_id = $1 AND trade_id IN $keys ORDER BY created_at, id`, owner)
	return found, err
}

// OpenAttachment returns a file to read. The caller closes it.
func (s *attachmentStore) OpenAttachment(ctx context.Context, owner journal.UserID, id journal.AttachmentID) (Attachment, io.ReadSeekCloser, error) {
	var attachment Attachment
	var content []byte
	var public journal.PublicID
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		if attachment, err = readAttachment(ctx, tx, owner, id, ""); err != nil {
			return err
		}
		if s.options.Files != nil {
			public, err = s.options.Known.PublicID(ctx, tx, owner)
			return err
		}
		return tx.QueryRow(ctx, `SELECT content FROM attachment_blobs WHERE user_id = $1 AND attachment_id = $2`, owner, id).Scan(&content)
	})
	if err != nil {
		return Attachment{}, nil, err
	}
	if s.options.Files == nil {
		return attachment, inMemory{bytes.NewReader(content)}, nil
	}
	file, err := s.options.Files.open(public, id)
	if err != nil {
		return Attachment{}, nil, fmt.Errorf("opening attachment %s: %w", id, err)
	}
	return attachment, file, nil
}

// inMemory is content needing no closing.
type inMemory struct{ *bytes.Reader }

// Close does nothing.
func (inMemory) Close() error { return nil }

func readAttachment(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AttachmentID, lock string) (Attachment, error) {
	w := owned("user_id", owner)
	w.and("id =", id)
	w.limitAttachments(ctx)
	a, err := scanAttachment(tx.QueryRow(ctx, selectAttachments+w.text.String()+lock, w.args...))
	return a, db.NotFound(err, "attachment")
}

// DeleteAttachment deletes a file.
func (s *attachmentStore) DeleteAttachment(ctx context.Context, owner journal.UserID, id journal.AttachmentID, check Check[Attachment]) error {
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		old, err := check.apply(readAttachment(ctx, tx, owner, id, tx.Lock()))
		if err != nil {
			return err
		}
		if err := recordAttachment(ctx, tx, owner, old, attachmentHistory.Deleted); err != nil {
			return err
		}
		if err := keepAttachments(ctx, tx, owner, s.clock(), `id = $2`, id); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM attachments WHERE user_id = $1 AND id = $2`, owner, id); err != nil {
			return err
		}
		return s.reportLinked(ctx, tx, owner, old.Trade)
	})
	if err != nil {
		return err
	}
	s.RemoveFiles(ctx, owner, []journal.AttachmentID{id})
	return nil
}
