package files

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// sniffed is how many bytes of a file decide what it is.
const sniffed = 4 << 10

// Read reads a bar file, which may be packed with gzip. The name is part of the data:
// many layouts have the symbol and the length of a bar only there.
func Read(in io.Reader, name string, options Options) (*File, error) {
	buffered := bufio.NewReaderSize(in, 64<<10)
	start, _ := buffered.Peek(sniffed)
	if bytes.HasPrefix(start, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, fmt.Errorf("%w: it can't be unpacked", ErrDamaged)
		}
		buffered = bufio.NewReaderSize(unpacked, 64<<10)
	}
	limited := &limitedReader{in: buffered, left: options.Bytes, limit: options.Bytes}
	file, err := readUnpacked(bufio.NewReaderSize(limited, 64<<10), name, options)
	if err != nil && isPackingError(err) {
		return nil, fmt.Errorf("%w: it can't be unpacked", ErrDamaged)
	}
	if err != nil {
		return nil, err
	}
	file.Name, file.bytes = path.Base(name), limited.limit-limited.left
	return file, nil
}

func isPackingError(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader)
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
// are ignored by their names.
func ReadZip(in io.ReaderAt, size int64, options Options) ([]*File, error) {
	archive, err := zip.NewReader(in, size)
	if err != nil {
		return nil, fmt.Errorf("%w: it can't be unpacked", ErrDamaged)
	}
	var list []*File
	whole := options.Limits
	for _, member := range archive.File {
		if member.FileInfo().IsDir() || !hasBarEnding(member.Name) {
			continue
		}
		file, err := readMember(member, options)
		if tooLarge, ok := errors.AsType[LimitError](err); ok {
			return nil, tooLarge.ofWhole(whole)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path.Base(member.Name), err)
		}
		options.Bytes -= file.bytes
		for _, s := range file.Series {
			options.Bars -= min(s.Count(), options.Bars)
		}
		list = append(list, file)
	}
	if len(list) == 0 {
		return nil, ErrNoBars
	}
	return list, nil
}

func readMember(member *zip.File, options Options) (*File, error) {
	in, err := member.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: it can't be unpacked", ErrDamaged)
	}
	defer func() { _ = in.Close() }()
	return Read(in, member.Name, options)
}

func hasBarEnding(name string) bool {
	return slices.Contains([]string{".csv", ".txt", ".hst", ".scid", ".dbn", ".gz"}, path.Ext(name))
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
