package playbook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// ContentTable keeps attachments without files. Copying the whole database leaves it to
// [CopyContent].
const ContentTable = "attachment_blobs"

// CopyContent copies every attachment's content from one installation to another; each
// may keep files or rows. It is a step in copying the whole database: both transactions
// are open, and the attachment rows are copied. It reports what it did also if it fails.
func CopyContent(ctx context.Context, from *Service, source *db.Tx, to *Service, target *db.Tx) (c CopiedContent, err error) {
	c.to = to
	places, err := db.List(ctx, source, func(row db.Scanner) (p contentPlace, err error) {
		err = row.Scan(&p.owner, &p.id)
		return p, err
	}, `SELECT user_id, id FROM attachments ORDER BY user_id, id`)
	if err != nil {
		return c, err
	}
	for i, p := range places {
		if i > 0 && places[i-1].owner == p.owner {
			p.public = places[i-1].public
		} else if p.public, err = from.options.Known.PublicID(ctx, source, p.owner); err != nil {
			return c, err
		}
		places[i].public = p.public
		content, err := from.content(ctx, source, p)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, db.ErrNoRows) {
			c.Missing = append(c.Missing, p.id)
			continue
		}
		if err != nil {
			return c, fmt.Errorf("reading attachment %s: %w", p.id, err)
		}
		if !to.hasFile(p) {
			c.written = append(c.written, p)
		}
		if err := to.keep(ctx, target, p, content); err != nil {
			return c, fmt.Errorf("writing attachment %s: %w", p.id, err)
		}
	}
	return c, nil
}

// contentPlace is where an attachment's content is found.
type contentPlace struct {
	owner  journal.UserID
	public journal.PublicID
	id     journal.AttachmentID
}

// CopiedContent reports what [CopyContent] did.
type CopiedContent struct {
	// Missing are the attachments whose content was missing before.
	Missing []journal.AttachmentID

	to      *Service
	written []contentPlace
}

// Undo removes the files that were written, for a copy whose rows were not
// committed. Files that were there before stay: they may belong to other rows.
func (c CopiedContent) Undo() {
	for _, p := range c.written {
		if c.to.options.Files != nil {
			c.to.removeFiles(p.public, []journal.AttachmentID{p.id})
		}
	}
}

// hasFile reports whether an attachment's content is there as a file.
func (s *attachmentStore) hasFile(p contentPlace) bool {
	if s.options.Files == nil {
		return false
	}
	_, err := s.options.Files.root.Stat(fileOf(p.public, p.id))
	return err == nil
}

// content reads a whole attachment, as one step.
func (s *attachmentStore) content(ctx context.Context, tx *db.Tx, p contentPlace) (content []byte, err error) {
	if s.options.Files == nil {
		err = tx.QueryRow(ctx, `SELECT content FROM attachment_blobs WHERE user_id = $1 AND attachment_id = $2`, p.owner, p.id).Scan(&content)
		return content, err
	}
	file, err := s.options.Files.open(p.public, p.id)
	if err != nil {
		return nil, err
	}
	content, err = io.ReadAll(file)
	return content, errors.Join(err, file.Close())
}

// keep stores an attachment's content; the row must exist.
func (s *attachmentStore) keep(ctx context.Context, tx *db.Tx, p contentPlace, content []byte) error {
	if s.options.Files != nil {
		return s.options.Files.write(p.public, p.id, content)
	}
	_, err := tx.Exec(ctx, `INSERT INTO attachment_blobs (user_id, attachment_id, content) VALUES ($1, $2, $3)`, p.owner, p.id, content)
	return err
}
