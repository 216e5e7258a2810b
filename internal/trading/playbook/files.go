package playbook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Files is a directory holding attachment content: one directory per user, one file per
// attachment, named by their ids and nothing a client says. All access goes through an
// [os.Root], so no name can lead out of it.
//
// A file is there, whole and on the disk, before the row naming it is committed, and goes
// after that row has gone. What a crash leaves between is a file without a row, which
// [Service.SweepFiles] collects.
type Files struct {
	root *os.Root
}

// OpenFiles opens the directory, and makes it where it is missing.
func OpenFiles(directory string) (*Files, error) {
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return nil, fmt.Errorf("making the directory of attachments: %w", err)
	}
	root, err := os.OpenRoot(directory)
	if err != nil {
		return nil, fmt.Errorf("opening the directory of attachments: %w", err)
	}
	return &Files{root: root}, nil
}

// Close ends the directory's use.
func (f *Files) Close() error { return f.root.Close() }

// unfinished ends an unfinished file's name.
const unfinished = ".part"

func fileOf(owner journal.PublicID, id journal.AttachmentID) string {
	return string(owner) + "/" + string(id)
}

// write puts a file on the disk. When it returns nil, the file survives a crash.
func (f *Files) write(owner journal.PublicID, id journal.AttachmentID, content []byte) error {
	err := f.root.Mkdir(string(owner), 0o700)
	if err == nil {
		err = f.sync(".")
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	name := fileOf(owner, id)
	if err := f.writeFile(name+unfinished, content); err != nil {
		return errors.Join(err, f.removeFile(name+unfinished))
	}
	if err := f.root.Rename(name+unfinished, name); err != nil {
		return err
	}
	return f.sync(string(owner))
}

func (f *Files) writeFile(name string, content []byte) (err error) {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(content); err != nil {
		return err
	}
	return file.Sync()
}

// sync makes the names in a directory survive a crash. Windows has no such
// call for a directory.
func (f *Files) sync(directory string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	file, err := f.root.Open(directory)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

func (f *Files) open(owner journal.PublicID, id journal.AttachmentID) (*os.File, error) {
	return f.root.Open(fileOf(owner, id))
}

// removeFile removes a file that may be gone already.
func (f *Files) removeFile(name string) error {
	if err := f.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// publicID returns a user's public id, which names the directory with the user's files.
// It is empty if content is stored in the database.
func (s *attachmentStore) publicID(ctx context.Context, owner journal.UserID) (public journal.PublicID, err error) {
	if s.options.Files == nil {
		return "", nil
	}
	err = s.db.Peek(ctx, func(tx *db.Tx) error {
		public, err = s.options.Known.PublicID(ctx, tx, owner)
		return err
	})
	return public, err
}

// RemoveFiles removes deleted attachments' files after the transaction that deleted their
// rows, except those that are kept for an undo. Files it cannot remove are removed by [Service.SweepFiles].
func (s *attachmentStore) RemoveFiles(ctx context.Context, owner journal.UserID, ids []journal.AttachmentID) {
	if s.options.Files == nil || len(ids) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	kept, err := s.keptIDs(ctx, owner, ids)
	if err != nil {
		return
	}
	public, err := s.publicID(ctx, owner)
	if err != nil {
		return
	}
	s.removeFiles(public, slices.DeleteFunc(slices.Clone(ids), func(id journal.AttachmentID) bool { return kept[id] }))
}

func (s *attachmentStore) removeFiles(owner journal.PublicID, ids []journal.AttachmentID) {
	for _, id := range ids {
		_ = s.options.Files.removeFile(fileOf(owner, id))
	}
}

// RemoveFilesOf removes all files for a user whose rows are gone.
func (s *attachmentStore) RemoveFilesOf(owner journal.PublicID) error {
	if s.options.Files == nil || owner == "" {
		return nil
	}
	return s.options.Files.root.RemoveAll(string(owner))
}

// sweepAge is how old a file without a row must be to be collected: a younger
// one may be an upload whose row is about to be committed.
const sweepAge = time.Hour

// SweepFiles removes files no attachment names, as a crash or a deleted user leaves them,
// and returns how many. It is meant to run now and then.
func (s *attachmentStore) SweepFiles(ctx context.Context) (removed int, err error) {
	if s.options.Files == nil {
		return 0, nil
	}
	users, err := fs.ReadDir(s.options.Files.root.FS(), ".")
	if err != nil {
		return 0, err
	}
	for _, user := range users {
		if !user.IsDir() {
			continue
		}
		n, err := s.sweepUser(ctx, journal.PublicID(user.Name()))
		removed += n
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}

func (s *attachmentStore) sweepUser(ctx context.Context, owner journal.PublicID) (removed int, err error) {
	files := s.options.Files
	entries, err := fs.ReadDir(files.root.FS(), string(owner))
	if err != nil {
		return 0, err
	}
	known, err := s.attachmentIDs(ctx, owner)
	if err != nil {
		return 0, err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		_, isKnown := slices.BinarySearch(known, journal.AttachmentID(entry.Name()))
		if err != nil || isKnown || s.clock().Sub(info.ModTime()) < sweepAge {
			continue
		}
		if err := files.removeFile(string(owner) + "/" + entry.Name()); err != nil {
			return removed, err
		}
		removed++
	}
	if removed == len(entries) {
		_ = files.root.Remove(string(owner)) // it may have been filled again
	}
	return removed, nil
}

// attachmentIDs are a user's attachment ids, sorted, also those that are kept for an undo.
func (s *attachmentStore) attachmentIDs(ctx context.Context, public journal.PublicID) ([]journal.AttachmentID, error) {
	var ids []journal.AttachmentID
	err := s.db.View(ctx, func(tx *db.Tx) error {
		owner, err := s.options.Known.UserNumber(ctx, tx, public)
		if err != nil {
			return err
		}
		ids, err = db.List(ctx, tx, db.Single[journal.AttachmentID], `SELECT id FROM attachments WHERE user_id = $1
			UNION SELECT attachment_id FROM kept_attachments WHERE user_id = $1 ORDER BY id`, owner)
		return err
	})
	return ids, err
}

// CheckFiles names a user's attachments whose content is missing or has a size differing
// from its row. It is part of checking an installation.
func (s *attachmentStore) CheckFiles(ctx context.Context, owner journal.UserID) ([]Attachment, error) {
	var all []Attachment
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		all, err = ListAttachments(ctx, tx, owner)
		return err
	})
	if err != nil || s.options.Files == nil {
		return nil, err
	}
	public, err := s.publicID(ctx, owner)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(a Attachment) bool {
		info, err := s.options.Files.root.Stat(fileOf(public, a.ID))
		return err == nil && info.Size() == a.Size
	}), nil
}
