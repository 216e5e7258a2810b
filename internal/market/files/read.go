package files

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// sniffed is how many bytes of a file decide what it is.
const sniffed = 4 << 10

// errNotUnpacked is the error of a packed file with damaged content.
var errNotUnpacked = fmt.Errorf("%w: it can't be unpacked", ErrDamaged)

// Read reads a bar file, which may be packed with gzip. The name is part of the data:
// many layouts have the symbol and the length of a bar only there.
func Read(in Content, name string, options Options) (*File, error) {
	open := func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(in, 0, in.Size())), nil }
	file, _, err := readOpened(open, name, options)
	return file, err
}

// Content is what a file contains.
type Content interface {
	io.ReaderAt
	Size() int64
}

// readOpened is [Read] for a file that can be opened several times: it is read again if a
// row shows that the day comes before the month, or after it, in the rows before. It
// returns also how many bytes were unpacked.
func readOpened(open func() (io.ReadCloser, error), name string, options Options) (*File, int64, error) {
	file, used, err := readOnce(open, name, options)
	if found, ok := errors.AsType[dateOrderError](err); ok {
		options.dates = found.order
		return readOnce(open, name, options)
	}
	return file, used, err
}

func readOnce(open func() (io.ReadCloser, error), name string, options Options) (file *File, used int64, err error) {
	in, err := open()
	if err != nil {
		return nil, 0, errNotUnpacked
	}
	defer func() { _ = in.Close() }()
	buffered := bufio.NewReaderSize(in, 64<<10)
	start, _ := buffered.Peek(sniffed)
	if bytes.HasPrefix(start, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, 0, errNotUnpacked
		}
		buffered = bufio.NewReaderSize(unpacked, 64<<10)
	}
	limited := &limitedReader{in: buffered, left: options.Bytes, limit: options.Bytes}
	file, err = readUnpacked(bufio.NewReaderSize(limited, 64<<10), name, options)
	used = limited.limit - limited.left
	if err != nil && isPackingError(err) {
		err = errNotUnpacked
	}
	if err != nil {
		return nil, used, err
	}
	file.Name = path.Base(name)
	return file, used, nil
}

func isPackingError(err error) bool {
	if _, ok := errors.AsType[flate.CorruptInputError](err); ok {
		return true
	}
	for _, of := range []error{io.ErrUnexpectedEOF, gzip.ErrChecksum, gzip.ErrHeader, zip.ErrChecksum, zip.ErrFormat} {
		if errors.Is(err, of) {
			return true
		}
	}
	return false
}

// ReadAll reads a bar file, or all bar files of a ZIP archive.
func ReadAll(in io.ReaderAt, size int64, name string, options Options) ([]*File, error) {
	var start [4]byte
	if n, _ := in.ReadAt(start[:], 0); n == len(start) && string(start[:]) == "PK\x03\x04" {
		return ReadZip(in, size, options)
	}
	file, err := Read(io.NewSectionReader(in, 0, size), name, options)
	if err != nil {
		return nil, err
	}
	return []*File{file}, nil
}

// ReadZip reads all bar files in a ZIP archive. Files of other kinds, such as checksums,
// are ignored by their names. A file without bars is returned with [File.Refused]: the
// archives of HistData have a report beside the bars. If all are, the error is that of
// the first.
func ReadZip(in io.ReaderAt, size int64, options Options) ([]*File, error) {
	archive, err := zip.NewReader(in, size)
	if err != nil {
		return nil, errNotUnpacked
	}
	var list []*File
	whole, refused := options.Limits, error(nil)
	for _, member := range archive.File {
		if member.FileInfo().IsDir() || !isBarName(member.Name) {
			continue
		}
		file, used, err := readOpened(member.Open, member.Name, options)
		options.Bytes -= used
		switch tooLarge, isTooLarge := errors.AsType[LimitError](err); {
		case isTooLarge:
			return nil, tooLarge.ofWhole(whole)
		case errors.Is(err, ErrUnknownLayout), errors.Is(err, ErrNoBars):
			file = &File{Name: path.Base(member.Name), Refused: err}
			refused = orError(refused, err)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path.Base(member.Name), err)
		}
		for _, s := range file.Series {
			options.Bars -= min(s.Count(), options.Bars)
		}
		list = append(list, file)
	}
	if !slices.ContainsFunc(list, func(f *File) bool { return f.Refused == nil }) {
		return nil, orError(refused, ErrNoBars)
	}
	return list, nil
}

// isBarName reports whether a file of an archive may have bars, by its name. Archives of
// macOS have a second file with attributes for each file.
func isBarName(name string) bool {
	if strings.HasPrefix(name, "__MACOSX/") || strings.HasPrefix(path.Base(name), "._") {
		return false
	}
	return slices.Contains([]string{".csv", ".txt", ".hst", ".scid", ".dbn", ".gz"}, strings.ToLower(path.Ext(name)))
}

func readUnpacked(in *bufio.Reader, name string, options Options) (*File, error) {
	start, _ := in.Peek(sniffed)
	for _, kind := range []struct {
		is   func(start []byte) bool
		read func(*binaryReader, string) error
	}{{isHST, readHST}, {isSCID, readSCID}, {isDBN, readDBN}} {
		if kind.is(start) {
			return readBinary(in, name, options, kind.read)
		}
	}
	if bytes.IndexByte(start, 0) >= 0 && !hasByteOrder(start) {
		return nil, ErrUnknownLayout
	}
	if hasByteOrder(start) {
		return readText(transform.NewReader(in, unicode.BOMOverride(unicode.UTF8.NewDecoder())), name, options)
	}
	if bytes.HasPrefix(start, utf8Mark) {
		_, _ = in.Discard(len(utf8Mark))
	}
	return readText(in, name, options)
}

// utf8Mark is the byte order mark that some programs write before UTF-8.
var utf8Mark = []byte{0xef, 0xbb, 0xbf}

// hasByteOrder reports whether the text says itself that it is UTF-16.
func hasByteOrder(start []byte) bool {
	return bytes.HasPrefix(start, []byte{0xff, 0xfe}) || bytes.HasPrefix(start, []byte{0xfe, 0xff})
}

func readBinary(in *bufio.Reader, name string, options Options, read func(*binaryReader, string) error) (*File, error) {
	r := &binaryReader{in: in, file: &File{}, options: options}
	if err := read(r, name); err != nil {
		return nil, err
	}
	r.file.Series = slices.DeleteFunc(r.file.Series, func(s *Series) bool { return s.bars.count == 0 })
	if len(r.file.Series) == 0 {
		return nil, ErrNoBars
	}
	for _, s := range r.file.Series {
		s.finish("")
	}
	return r.file, nil
}

// limitedReader fails after its limit, unlike io.LimitReader, which would end a large
// file in the middle without an error.
type limitedReader struct {
	in          io.Reader
	left, limit int64
}

func (r *limitedReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		var one [1]byte
		if n, err := r.in.Read(one[:]); n == 0 {
			return 0, err
		}
		return 0, LimitError{What: "bytes", Limit: r.limit}
	}
	n, err := r.in.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	return n, err
}
