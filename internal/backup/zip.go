package backup

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/playbook"
)

// The entries of a zip beside the attached files. The manifest is for people
// and returns which files could not be read; a restore goes by the backup alone.
const (
	backupEntry   = "backup.json"
	manifestEntry = "manifest.json"
)

// manifest lists the files of a zip.
type manifest struct {
	Format  string      `json:"format"`
	Version int         `json:"version"`
	Files   []zipFile   `json:"files"`
	Missing []FileEntry `json:"missing"`
}

type zipFile struct {
	FileEntry
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// FileEntry names a file of a zip.
type FileEntry struct {
	Path string `json:"path"`
}

// WriteZip writes the backup with the content of the attached files, as one
// step of a reading transaction. It returns the files that could not be read:
// the zip goes without them.
func WriteZip(
	ctx context.Context, tx *db.Tx, files *playbook.Service, owner journal.UserID, scope Scope, out io.Writer,
) (missing []FileEntry, err error) {
	archive := zip.NewWriter(out)
	list := manifest{Format: formatName, Version: formatVersion, Missing: []FileEntry{}}
	var listed []listedFile
	entry, err := addEntry(archive, backupEntry, scope.At, zip.Deflate, func(w io.Writer) error {
		listed, err = writeJSON(ctx, tx, owner, scope, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	list.Files = append(list.Files, entry)
	for _, file := range listed {
		entry, err := addFile(ctx, tx, files, owner, scope.At, archive, file)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, db.ErrNoRows) {
			list.Missing = append(list.Missing, FileEntry{file.path})
			continue
		}
		if err != nil {
			return nil, err
		}
		list.Files = append(list.Files, entry)
	}
	_, err = addEntry(archive, manifestEntry, scope.At, zip.Deflate, func(w io.Writer) error {
		m := newWriter(w)
		if err := m.value(list); err != nil {
			return err
		}
		return m.out.Flush()
	})
	return list.Missing, errors.Join(err, archive.Close())
}

// addFile adds the content of an attachment. Pictures are packed already.
func addFile(
	ctx context.Context, tx *db.Tx, files *playbook.Service, owner journal.UserID, at time.Time, archive *zip.Writer, file listedFile,
) (zipFile, error) {
	content, err := files.ReadAttachment(ctx, tx, owner, file.id)
	if err != nil {
		return zipFile{}, err
	}
	defer content.Close() //nolint:errcheck // it was only read
	return addEntry(archive, file.path, at, zip.Store, func(w io.Writer) error {
		_, err := io.Copy(w, content)
		return err
	})
}

// addEntry adds an entry and reports what became of it.
func addEntry(archive *zip.Writer, name string, at time.Time, method uint16, write func(io.Writer) error) (zipFile, error) {
	w, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: at.UTC()})
	if err != nil {
		return zipFile{}, err
	}
	sum, size := sha256.New(), &counter{}
	if err := write(io.MultiWriter(w, sum, size)); err != nil {
		return zipFile{}, fmt.Errorf("adding %s: %w", name, err)
	}
	return zipFile{FileEntry{name}, size.n, hex.EncodeToString(sum.Sum(nil))}, nil
}

// counter counts the bytes that go by.
type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// What a zip from outside may be. Sizes are those that really come out of it,
// whatever its headers say.
const (
	maxEntries = 25_000
	// maxRatio is how much smaller than its content an entry may be that
	// unpacks to more than freeBytes.
	maxRatio  = 200
	freeBytes = 1 << 20
	// maxAttached is the largest file that is looked at.
	maxAttached = 64 << 20
)

// zipStart is what a zip begins with.
const zipStart = "PK"

// Archive is an open zip: a document and the files that it names.
type Archive struct {
	Document *Document
	entries  map[string]*zip.File
	left     int64 // how many bytes may still come out of it
}

// IsZip reports whether a file is a zip that holds a backup, and not, say, a
// spreadsheet. A file that does not begin as a zip does is not searched for the
// directory of one.
func IsZip(r io.ReaderAt, size int64) bool {
	start := make([]byte, len(zipStart))
	if _, err := r.ReadAt(start, 0); err != nil || string(start) != zipStart {
		return false
	}
	archive, err := zip.NewReader(r, size)
	if err != nil || len(archive.File) > maxEntries {
		return false
	}
	for _, file := range archive.File {
		if file.Name == backupEntry {
			return true
		}
	}
	return false
}

// OpenZip reads the backup in a zip. limit bounds how many bytes may come out
// of the zip in all. The names of its entries are only ever compared with those
// that the backup tells; none becomes a path. What is no such zip, is damaged
// or too large is refused with a [journal.Error].
func OpenZip(r io.ReaderAt, size, limit int64) (*Archive, error) {
	in, err := zip.NewReader(r, size)
	if err != nil {
		return nil, &journal.Error{Kind: journal.KindInvalid, Code: "bad_request", Err: err, Message: "The file is no zip archive, or a damaged one."}
	}
	if len(in.File) > maxEntries {
		return nil, journal.TooLarge("The archive holds more than %d files.", maxEntries)
	}
	a := &Archive{entries: make(map[string]*zip.File, len(in.File)), left: limit}
	for _, file := range in.File {
		if a.entries[file.Name] != nil {
			return nil, journal.Invalid("The archive holds the file %q twice.", shortened(file.Name))
		}
		a.entries[file.Name] = file
	}
	text, err := a.read(backupEntry, limit)
	if err != nil {
		return nil, err
	}
	a.Document, err = Decode(text)
	return a, err
}

// read unpacks an entry of at most so many bytes.
func (a *Archive) read(name string, most int64) ([]byte, error) {
	file := a.entries[name]
	if file == nil {
		return nil, journal.Invalid("The archive holds no file %q.", shortened(name))
	}
	tooLarge := journal.TooLarge("The file %q of the archive is too large.", shortened(name))
	most = min(most, a.left, max(freeBytes, packedSize(file)*maxRatio))
	in, err := file.Open()
	if err != nil {
		return nil, damaged(name, err)
	}
	defer in.Close() //nolint:errcheck // it was only read
	content, err := io.ReadAll(io.LimitReader(in, most+1))
	a.left -= int64(len(content))
	switch {
	case int64(len(content)) > most:
		return nil, tooLarge
	case err != nil:
		return nil, damaged(name, err)
	}
	return content, nil
}

// packedSize is the size of an entry in the zip, which a forged header cannot
// make larger than the whole.
func packedSize(file *zip.File) int64 {
	const most = 1 << 40
	return int64(min(file.CompressedSize64, most))
}

func damaged(name string, err error) error {
	return &journal.Error{
		Kind: journal.KindInvalid, Code: "bad_request", Err: err,
		Message: fmt.Sprintf("The file %q of the archive is damaged.", shortened(name)),
	}
}

// AttachFiles stores the files that a restore left to be attached, after its
// transaction is committed, and returns how many it stored. archive is nil for a
// plain JSON backup, which carries none. A file that is missing, damaged or
// refused is added to the result's errors; one that is there already is left
// alone. Each file is a transaction of its own: what an interruption leaves
// undone, the same restore does later.
func AttachFiles(ctx context.Context, files *playbook.Service, owner journal.UserID, archive *Archive, result *Result) (attached int, err error) {
	if archive == nil {
		if n := len(result.Files); n > 0 {
			result.Warnings = append(result.Warnings, fmt.Sprintf(
				"The backup names attached files (%d) that only the zip of the export holds; they were not restored.", n))
		}
		return 0, nil
	}
	stored := playbook.NewStoredFiles()
	for _, file := range result.Files {
		added, err := archive.attach(ctx, files, owner, file, stored)
		if _, refused := errors.AsType[*journal.Error](err); refused {
			result.Errors = append(result.Errors, Problem{Row: file.place + 1, Message: named("Attachment", file.place) + ": " + sentence(err)})
			continue
		}
		if err != nil {
			return attached, fmt.Errorf("restoring an attachment: %w", err)
		}
		if added {
			attached++
		}
	}
	return attached, nil
}

func (a *Archive) attach(
	ctx context.Context, files *playbook.Service, owner journal.UserID, file PendingFile, stored *playbook.StoredFiles,
) (added bool, err error) {
	content, err := a.read(file.Path, maxAttached)
	if err != nil {
		return false, err
	}
	sum := sha256.Sum256(content)
	if file.SHA256 != "" && hex.EncodeToString(sum[:]) != file.SHA256 {
		return false, journal.Invalid("The file %q of the archive does not agree with its checksum.", shortened(file.Path))
	}
	upload := playbook.Upload{Name: file.Name, MediaType: file.MediaType, Content: bytes.NewReader(content)}
	return files.Reattach(ctx, owner, file.Target, file.CreatedAt.Time, upload, stored)
}
