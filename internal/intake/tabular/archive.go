package tabular

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"fillbook/internal/base/journal"
)

const (
	maxEntries = 200
	// maxRatio is how many times larger an archive may become when unpacked,
	// beyond the first freeInflated bytes.
	maxRatio     = 200
	freeInflated = 1 << 20
	// encrypted is the flag for an entry that needs a password.
	encrypted = 1
)

// archive is a ZIP file whose entries are unpacked under a budget. What its
// directory says is not trusted: bytes are counted as they are read.
type archive struct {
	files    []*zip.File
	size     int64
	inflated int64
	budget   *budget
}

// openArchive reads an archive's directory.
func openArchive(file io.ReaderAt, size int64, b *budget) (*archive, error) {
	reader, err := zip.NewReader(file, size)
	if err != nil {
		return nil, newDamagedError("file", err)
	}
	if len(reader.File) > maxEntries {
		return nil, journal.Invalid("The archive has more than %d entries.", maxEntries)
	}
	a := &archive{files: reader.File, size: size, budget: b}
	var declared uint64
	for _, entry := range reader.File {
		if entry.UncompressedSize64 > uint64(b.limits.Inflated) {
			return nil, a.tooLarge()
		}
		declared += entry.UncompressedSize64
	}
	if declared > uint64(b.limits.Inflated) {
		return nil, a.tooLarge()
	}
	return a, nil
}

func (a *archive) tooLarge() error {
	return journal.Invalid("The file unpacks to more than %d MiB; split it and upload the parts.", a.budget.limits.Inflated>>20)
}

// sniffArchive distinguishes a workbook from other archives.
func sniffArchive(file io.ReaderAt, size int64) (Kind, error) {
	reader, err := zip.NewReader(file, size)
	if err != nil {
		return "", newDamagedError("file", err)
	}
	for _, entry := range reader.File {
		name := partName(entry.Name)
		if strings.HasPrefix(name, "xl/workbook") || name == "[content_types].xml" {
			return XLSX, nil
		}
	}
	return Zip, nil
}

// partName returns an entry's name for comparing. Workbook writers do not agree on case,
// slashes and a leading slash.
func partName(name string) string {
	return strings.TrimPrefix(strings.ToLower(strings.ReplaceAll(name, `\`, "/")), "/")
}

// find returns the first entry with the name, or nil.
func (a *archive) find(name string) *zip.File {
	name = partName(name)
	for _, entry := range a.files {
		if partName(entry.Name) == name {
			return entry
		}
	}
	return nil
}

// unpack opens an entry. Reading from it stops with a refusal when the archive
// turns out too large.
func (a *archive) unpack(entry *zip.File) (io.ReadCloser, error) {
	if entry.Flags&encrypted != 0 {
		return nil, journal.Invalid("The file is protected by a password; save it without one.")
	}
	content, err := entry.Open()
	if err != nil {
		return nil, newDamagedError("file", err)
	}
	return &countingReader{ReadCloser: content, archive: a}, nil
}

// countingReader counts the bytes read from an archive.
type countingReader struct {
	io.ReadCloser
	archive *archive
}

func (m *countingReader) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	a := m.archive
	a.inflated += int64(n)
	a.budget.inflated += int64(n)
	switch {
	case a.budget.inflated > a.budget.limits.Inflated:
		return 0, a.tooLarge()
	case a.inflated > freeInflated+maxRatio*a.size:
		return 0, journal.Invalid("The file unpacks to more than %d times its size.", maxRatio)
	}
	return n, err
}

// part opens an entry as UTF-8. MetaTrader's native reports are workbooks with UTF-16
// parts, so the encoding is detected for each part.
func (a *archive) part(entry *zip.File) (text io.Reader, encoding string, err error) {
	content, err := a.unpack(entry)
	if err != nil {
		return nil, "", err
	}
	buffered := bufio.NewReader(content)
	mark, err := buffered.Peek(len(utf8Mark))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, "", newDamagedError("file", err)
	}
	switch {
	case strings.HasPrefix(string(mark), "\xff\xfe"), strings.HasPrefix(string(mark), "<\x00"):
		decoder := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
		return transform.NewReader(buffered, decoder), "UTF-16LE", nil
	case strings.HasPrefix(string(mark), "\xfe\xff"), strings.HasPrefix(string(mark), "\x00<"):
		decoder := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()
		return transform.NewReader(buffered, decoder), "UTF-16BE", nil
	case string(mark) == utf8Mark:
		if _, err := buffered.Discard(len(utf8Mark)); err != nil {
			return nil, "", newDamagedError("file", err)
		}
	}
	return buffered, "UTF-8", nil
}

// readOnlyFile reads the one importable file in an archive. The names decide which one it
// is; the content, as always, decides its kind.
func readOnlyFile(a *archive) (File, error) {
	var only *zip.File
	for _, entry := range a.files {
		if !isUsable(entry.Name) {
			continue
		}
		if only != nil {
			return File{}, journal.Invalid("The archive contains several files that can be imported. Unpack it and upload the files.")
		}
		only = entry
	}
	if only == nil {
		return File{}, journal.Invalid("The archive holds no file that can be imported; it should hold one CSV, XLSX, HTML or XML file.")
	}
	text, err := a.contents(only)
	if err != nil {
		return File{}, err
	}
	reader, size := strings.NewReader(text), int64(len(text))
	kind, err := sniff(text[:min(len(text), headBytes)], reader, size)
	if err != nil {
		return File{}, err
	}
	switch kind {
	case Zip:
		return File{}, journal.Invalid("The archive holds another archive; unpack it and upload the file inside.")
	case XLSX:
		inner, err := openArchive(reader, size, a.budget)
		if err != nil {
			return File{}, err
		}
		return readWorkbook(inner)
	default:
		return readText(kind, text, a.budget)
	}
}

// isUsable reports by the name whether an entry is meant to be imported. The copies a Mac
// adds for every file are not.
func isUsable(name string) bool {
	name = partName(name)
	if strings.HasPrefix(name, "__macosx/") || strings.HasPrefix(path.Base(name), ".") {
		return false
	}
	switch path.Ext(name) {
	case ".csv", ".tsv", ".txt", ".xlsx", ".xml", ".htm", ".html":
		return true
	}
	return false
}

// contents unpacks an entry into memory. It is unpacked twice: once to see that it fits
// and how long it is, and once into a buffer with just that length.
func (a *archive) contents(entry *zip.File) (string, error) {
	content, err := a.unpack(entry)
	if err != nil {
		return "", err
	}
	length, err := io.Copy(io.Discard, content)
	if err == nil {
		err = content.Close()
	}
	if err != nil {
		return "", newDamagedError("archive", err)
	}
	again, err := entry.Open()
	if err != nil {
		return "", newDamagedError("archive", err)
	}
	var text strings.Builder
	text.Grow(int(length))
	if _, err := io.CopyN(&text, again, length); err != nil {
		return "", newDamagedError("archive", fmt.Errorf("second reading: %w", err))
	}
	return text.String(), again.Close()
}
