package files

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// sniffed is how many bytes decide a file's format.
const sniffed = 4 << 10

// errNotUnpacked is the error for a packed file with damaged content.
var errNotUnpacked = fmt.Errorf("%w: it can't be unpacked", ErrDamaged)

// Read reads a bar file, which may be packed with gzip or Zstandard. The name is part of
// the data: many layouts have the symbol and the bar length only there. It stops when the
// context ends.
func Read(ctx context.Context, in Content, name string, options Options) (*File, error) {
	options.budget = newBudget(ctx, options)
	defer options.budget.release()
	open := func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(in, 0, in.Size())), nil }
	return readOpened(open, name, options)
}

// Content is what a file contains.
type Content interface {
	io.ReaderAt
	Size() int64
}

// readOpened is [Read] for a file that can be opened several times: it is read again if a
// row proves the other day and month order for the rows before.
func readOpened(open func() (io.ReadCloser, error), name string, options Options) (*File, error) {
	before := options.budget.used
	file, err := readOnce(open, name, options)
	if found, ok := errors.AsType[dateOrderError](err); ok {
		options.budget.used, options.dates = before, found.order
		return readOnce(open, name, options)
	}
	return file, err
}

func readOnce(open func() (io.ReadCloser, error), name string, options Options) (file *File, err error) {
	options.budget.discard()
	in, err := open()
	if err != nil {
		return nil, errNotUnpacked
	}
	defer func() { _ = in.Close() }()
	unpacked, err := unpack(options.budget.buffer(0, in))
	if err != nil {
		return nil, err
	}
	defer func() { _ = unpacked.Close() }()
	limited := &limitedReader{in: unpacked, budget: options.budget}
	file, err = readUnpacked(options.budget.buffer(1, limited), name, options)
	if err != nil && isPackingError(err) {
		err = errNotUnpacked
	}
	if err != nil {
		return nil, err
	}
	file.Name = path.Base(name)
	return file, nil
}

// unpack returns a file's unpacked content.
func unpack(in *bufio.Reader) (io.ReadCloser, error) {
	start, _ := in.Peek(4)
	switch {
	case bytes.HasPrefix(start, []byte{0x1f, 0x8b}):
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return nil, errNotUnpacked
		}
		return unpacked, nil
	case bytes.Equal(start, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		unpacked, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, errNotUnpacked
		}
		return zstdReader{unpacked}, nil
	}
	return io.NopCloser(in), nil
}

// maxWindow is how many bytes a file packed with Zstandard may refer back to. Its usual
// levels need 8 MiB.
const maxWindow = 32 << 20

// zstdReader returns errNotUnpacked for damaged content, for which zstd has many errors.
type zstdReader struct{ in *zstd.Decoder }

func (r zstdReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // io.Reader returns io.EOF itself
		err = errNotUnpacked
	}
	return n, err
}

func (r zstdReader) Close() error {
	r.in.Close()
	return nil
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

// ReadAll reads a bar file, or all bar files in a ZIP archive.
func ReadAll(ctx context.Context, in io.ReaderAt, size int64, name string, options Options) ([]*File, error) {
	var start [4]byte
	if n, _ := in.ReadAt(start[:], 0); n == len(start) && string(start[:]) == "PK\x03\x04" {
		return ReadZip(ctx, in, size, options)
	}
	file, err := Read(ctx, io.NewSectionReader(in, 0, size), name, options)
	if err != nil {
		return nil, err
	}
	return []*File{file}, nil
}

// ReadZip reads all bar files in a ZIP archive. Other files, such as checksums, are
// ignored by their names. A file without bars is returned with [File.Refused]: HistData's
// archives have a report beside the bars. If all are refused, the error is the first
// one's. The limits are for all files together.
func ReadZip(ctx context.Context, in io.ReaderAt, size int64, options Options) ([]*File, error) {
	archive, err := openZip(in, size)
	if err != nil {
		return nil, err
	}
	options.budget = newBudget(ctx, options)
	defer options.budget.release()
	var list []*File
	var refused error
	members := slices.DeleteFunc(archive.File, func(m *zip.File) bool { return m.FileInfo().IsDir() || !isBarName(m.Name) })
	if len(members) > maxMembers {
		return nil, LimitError{What: "files", Limit: maxMembers}
	}
	for _, member := range members {
		file, err := readOpened(member.Open, member.Name, options)
		switch {
		case errors.Is(err, ErrUnknownLayout), errors.Is(err, ErrNoBars):
			file = &File{Name: path.Base(member.Name), Refused: err}
			refused = orError(refused, err)
		case err != nil && isLimitOrEnd(err):
			return nil, err
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path.Base(member.Name), err)
		}
		list = append(list, file)
	}
	if !slices.ContainsFunc(list, func(f *File) bool { return f.Refused == nil }) {
		return nil, orError(refused, ErrNoBars)
	}
	return list, nil
}

// openZip opens an archive whose directory is not too long.
func openZip(in io.ReaderAt, size int64) (*zip.Reader, error) {
	limited := &directoryReader{in: in, left: maxDirectory}
	archive, err := zip.NewReader(limited, size)
	limited.left = math.MaxInt64
	if isLimitOrEnd(err) {
		return nil, err
	}
	if err != nil {
		return nil, errNotUnpacked
	}
	return archive, nil
}

// maxDirectory is how many bytes in an archive are read to find its files: each takes
// some hundred bytes of memory.
const maxDirectory = 4 << 20

// directoryReader fails after some bytes, until the archive directory was read.
type directoryReader struct {
	in   io.ReaderAt
	left int64
}

// ReadAt implements [io.ReaderAt].
func (r *directoryReader) ReadAt(p []byte, at int64) (int, error) {
	if r.left -= int64(len(p)); r.left < 0 {
		return 0, LimitError{What: "files", Limit: maxMembers}
	}
	return r.in.ReadAt(p, at)
}

// isLimitOrEnd reports whether an error concerns the whole archive.
func isLimitOrEnd(err error) bool {
	_, isLimit := errors.AsType[LimitError](err)
	return isLimit || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// isBarName reports whether a file in an archive may have bars, by its name. macOS
// archives have a second file with attributes for each file.
func isBarName(name string) bool {
	if strings.HasPrefix(name, "__MACOSX/") || strings.HasPrefix(path.Base(name), "._") {
		return false
	}
	return slices.Contains([]string{".csv", ".txt", ".hst", ".scid", ".dbn", ".gz", ".zst"}, strings.ToLower(path.Ext(name)))
}

// binaryKinds are the binary formats.
var binaryKinds = []struct {
	name string
	is   func(start []byte) bool
	read func(*binaryReader, string) error
}{{"history", isHST, readHST}, {"Sierra Chart", isSCID, readSCID}, {"Databento", isDBN, readDBN}}

func readUnpacked(in *bufio.Reader, name string, options Options) (*File, error) {
	start, _ := in.Peek(sniffed)
	for _, kind := range binaryKinds {
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

// utf8Mark is the byte order mark some programs write before UTF-8.
var utf8Mark = []byte{0xef, 0xbb, 0xbf}

// hasByteOrder reports whether the text has a UTF-16 byte order mark.
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

// limitedReader fails after the budget's limit, unlike io.LimitReader, which would end a
// large file in the middle without an error.
type limitedReader struct {
	in     io.Reader
	budget *budget
}

func (r *limitedReader) Read(p []byte) (int, error) {
	if err := r.budget.ctx.Err(); err != nil {
		return 0, err
	}
	left := r.budget.limits.Bytes - r.budget.used.bytes
	if left <= 0 {
		var one [1]byte
		if n, err := r.in.Read(one[:]); n == 0 {
			return 0, err
		}
		return 0, LimitError{What: "bytes", Limit: r.budget.limits.Bytes}
	}
	n, err := r.in.Read(p[:min(int64(len(p)), left)])
	r.budget.used.bytes += int64(n)
	return n, err
}
