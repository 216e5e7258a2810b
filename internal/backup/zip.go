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
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/playbook"
)

// The entries in a zip beside the attachments. The manifest is for people and lists the
// unreadable files; a restore reads only the backup.
const (
	backupEntry   = "backup.json"
	manifestEntry = "manifest.json"
)

// manifest lists the files in a zip.
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

// FileEntry names a file in a zip.
type FileEntry struct {
	Path string `json:"path"`
}

// WriteZip writes the backup and the attachments inside a read transaction. It returns
// the unreadable files, which the zip leaves out.
func WriteZip(
	ctx context.Context, tx *db.Tx, files *playbook.Service, owner journal.UserID, scope Scope, out io.Writer,
) (missing []FileEntry, err error) {
	z := &zipWriter{Writer: zip.NewWriter(out), at: scope.At.UTC(), manifest: manifest{Format: formatName, Version: formatVersion, Missing: []FileEntry{}}}
	var listed []listedFile
	err = z.addEntry(backupEntry, zip.Deflate, func(w io.Writer) error {
		listed, err = writeJSON(ctx, tx, owner, scope, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, file := range listed {
		content, err := files.ReadAttachment(ctx, tx, owner, file.id)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, db.ErrNoRows) {
			z.manifest.Missing = append(z.manifest.Missing, FileEntry{file.path})
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := z.addFile(file.path, content); err != nil {
			return nil, err
		}
	}
	list := z.manifest
	err = z.addEntry(manifestEntry, zip.Deflate, func(w io.Writer) error {
		return json.MarshalWrite(w, list, json.Deterministic(true))
	})
	return list.Missing, errors.Join(err, z.Close())
}

// zipWriter writes a zip and lists its entries in the manifest.
type zipWriter struct {
	*zip.Writer
	at       time.Time
	manifest manifest
}

// addFile adds an attachment and closes it. Pictures are already compressed.
func (z *zipWriter) addFile(path string, content io.ReadCloser) error {
	defer content.Close() //nolint:errcheck // it was only read
	return z.addEntry(path, zip.Store, func(w io.Writer) error {
		_, err := io.Copy(w, content)
		return err
	})
}

func (z *zipWriter) addEntry(name string, method uint16, write func(io.Writer) error) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: z.at})
	if err != nil {
		return err
	}
	sum, size := sha256.New(), &counter{}
	if err := write(io.MultiWriter(w, sum, size)); err != nil {
		return fmt.Errorf("adding %s: %w", name, err)
	}
	z.manifest.Files = append(z.manifest.Files, zipFile{FileEntry{name}, size.n, hex.EncodeToString(sum.Sum(nil))})
	return nil
}

// counter counts written bytes.
type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// Limits for uploaded zips. Sizes are those actually unpacked, whatever the headers say.
const (
	maxEntries = 25_000
	// maxRatio is the maximum compression ratio of an entry unpacking to more than
	// freeBytes.
	maxRatio  = 200
	freeBytes = 1 << 20
	// maxAttached is the maximum attachment size.
	maxAttached = 64 << 20
)

// zipStart is what a zip begins with.
const zipStart = "PK"

// Archive is an open zip: a document and its files.
type Archive struct {
	Document *Document
	entries  map[string]*zip.File
	left     int64 // bytes that may still be unpacked
}

// IsZip reports whether a file is a zip with a backup, and not, say, a spreadsheet. A
// file without a zip's first bytes is not searched for a zip directory.
func IsZip(r io.ReaderAt, size int64) bool {
	start := make([]byte, len(zipStart))
	if _, err := r.ReadAt(start, 0); err != nil || string(start) != zipStart {
		return false
	}
	archive, err := zip.NewReader(r, size)
	if err != nil || len(archive.File) > maxEntries {
		return false
	}
	return slices.ContainsFunc(archive.File, func(file *zip.File) bool { return file.Name == backupEntry })
}

// OpenZip reads the backup in a zip and unpacks at most limit bytes. Entry names are only
// compared with those in the backup; none becomes a path. Other zips, damaged and too
// large ones are refused with a [journal.Error].
func OpenZip(r io.ReaderAt, size, limit int64) (*Archive, error) {
	in, err := zip.NewReader(r, size)
	if err != nil {
		return nil, newDamagedError(err, "The file is not a zip archive, or it is damaged.")
	}
	if len(in.File) > maxEntries {
		return nil, journal.TooLarge("The archive holds more than %d files.", maxEntries)
	}
	a := &Archive{entries: make(map[string]*zip.File, len(in.File)), left: limit}
	for _, file := range in.File {
		if a.entries[file.Name] != nil {
			return nil, journal.Invalid("The archive holds the file %q twice.", shorten(file.Name))
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

// read unpacks an entry up to a size.
func (a *Archive) read(name string, most int64) ([]byte, error) {
	file := a.entries[name]
	if file == nil {
		return nil, journal.Invalid("The archive holds no file %q.", shorten(name))
	}
	damaged := fmt.Sprintf("The file %q in the archive is damaged.", shorten(name))
	most = min(most, a.left, max(freeBytes, packedSize(file)*maxRatio))
	in, err := file.Open()
	if err != nil {
		return nil, newDamagedError(err, damaged)
	}
	defer in.Close() //nolint:errcheck // it was only read
	content, err := io.ReadAll(io.LimitReader(in, most+1))
	a.left -= int64(len(content))
	switch {
	case int64(len(content)) > most:
		return nil, journal.TooLarge("The file %q in the archive is too large.", shorten(name))
	case err != nil:
		return nil, newDamagedError(err, damaged)
	}
	return content, nil
}

// packedSize returns an entry's compressed size, bounded against forged headers.
func packedSize(file *zip.File) int64 {
	const most = 1 << 40
	return int64(min(file.CompressedSize64, most))
}

func newDamagedError(err error, message string) error {
	return &journal.Error{Kind: journal.KindInvalid, Code: "bad_request", Err: err, Message: message}
}

// AttachFiles stores the pending files after the restore's commit, and returns how many
// it stored. archive is nil for a plain JSON backup, which contains none. Missing,
// damaged and refused files are added to the result's errors; stored ones are left alone.
// Each file has its own transaction: the same restore, repeated, completes an interrupted
// one.
func AttachFiles(ctx context.Context, files *playbook.Service, owner journal.UserID, archive *Archive, result *Result) (attached int, err error) {
	if archive == nil {
		if n := len(result.Files); n > 0 {
			result.Warnings = append(result.Warnings, fmt.Sprintf(
				"The backup names attached files (%d), which only a zip export contains. They were not restored.", n))
		}
		return 0, nil
	}
	stored := playbook.NewStoredFiles()
	for _, file := range result.Files {
		added, err := archive.attach(ctx, files, owner, file, stored)
		if _, refused := errors.AsType[*journal.Error](err); refused {
			result.Errors = append(result.Errors, newProblem("Attachment", file.place, err))
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
		return false, journal.Invalid("The file %q in the archive does not agree with its checksum.", shorten(file.Path))
	}
	upload := playbook.Upload{Name: file.Name, MediaType: file.MediaType, Content: bytes.NewReader(content)}
	return files.Reattach(ctx, owner, file.Target, file.CreatedAt.Time, upload, stored)
}
