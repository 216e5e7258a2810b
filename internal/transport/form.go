package transport

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"strings"
	"unicode"

	"fillbook/internal/base/journal"
)

// Form is a multipart upload: at most one file, and short text fields.
type Form struct {
	Fields map[string]string
	File   *File
}

// File is an uploaded file. It is valid until its request ends. Name is only
// for display and never used as a path.
type File struct {
	Name   string
	Size   int64
	SHA256 [sha256.Size]byte

	memory  []byte
	spooled *spoolFile // nil for a small file, which is in memory
}

// uploadMemory is the largest upload kept in memory.
const uploadMemory = 256 << 10

// Content returns a reader of the file from its beginning.
func (f *File) Content() io.Reader {
	if f.spooled == nil {
		return bytes.NewReader(f.memory)
	}
	return io.NewSectionReader(f.spooled, 0, f.Size)
}

// ReaderAt returns the file's content, for readers going back and forth.
func (f *File) ReaderAt() io.ReaderAt {
	if f.spooled == nil {
		return bytes.NewReader(f.memory)
	}
	return f.spooled
}

// Bytes reads the whole file into memory.
func (f *File) Bytes() ([]byte, error) {
	if f.spooled == nil {
		return f.memory, nil
	}
	content := make([]byte, f.Size)
	if _, err := io.ReadFull(f.Content(), content); err != nil {
		return nil, fmt.Errorf("reading a spooled upload: %w", err)
	}
	return content, nil
}

// close removes the file from the spool.
func (f *File) close() {
	if f != nil && f.spooled != nil {
		_ = f.spooled.Close()
		f.spooled = nil
	}
}

// receive reads a file with at most limit bytes. A file larger than uploadMemory is
// written to the spool.
func (f *File) receive(part io.Reader, limit int64, spool *Spool, user string) error {
	sum := sha256.New()
	buffer := make([]byte, 64<<10)
	for {
		n, err := readFull(part, buffer)
		if f.Size+int64(n) > limit {
			return &http.MaxBytesError{Limit: limit}
		}
		sum.Write(buffer[:n])
		if failed := f.append(buffer[:n], spool, user); failed != nil {
			return failed
		}
		if errors.Is(err, io.EOF) {
			sum.Sum(f.SHA256[:0])
			return nil
		}
		if err != nil {
			return readError(err)
		}
	}
}

// readFull reads until the buffer is full or reading fails, because a part returns only a
// few KiB at a time. Unlike [io.ReadFull] it returns the reader's error.
func readFull(part io.Reader, buffer []byte) (n int, err error) {
	for n < len(buffer) && err == nil {
		var more int
		more, err = part.Read(buffer[n:])
		n += more
	}
	return n, err
}

func (f *File) append(part []byte, spool *Spool, user string) (err error) {
	at := f.Size
	f.Size += int64(len(part))
	if f.spooled == nil && f.Size <= uploadMemory {
		f.memory = append(f.memory, part...)
		return nil
	}
	if f.spooled == nil {
		if f.spooled, err = spool.create(user); err != nil {
			return err
		}
		if err := f.spooled.writeAt(f.memory, 0); err != nil {
			return err
		}
		f.memory = nil
	}
	return f.spooled.writeAt(part, at)
}

const (
	maxParts     = 20
	maxField     = 64 << 10
	formOverhead = 1 << 20 // for boundaries and text fields in addition to the file
)

type formKey struct{}

// FormOf returns the form read by [Intake].
func FormOf(ctx context.Context) Form {
	form, _ := ctx.Value(formKey{}).(Form)
	return form
}

func (in Intake) readForm(w http.ResponseWriter, r *http.Request) (context.Context, error) {
	if !isMediaType(r, "multipart/form-data") {
		return nil, newUnsupported("multipart/form-data")
	}
	limit := in.Limit + formOverhead
	if r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: in.Limit}
	}
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	reader, err := r.MultipartReader()
	if err != nil {
		return nil, journal.Invalid("The form has no boundary.")
	}
	form := Form{Fields: map[string]string{}}
	ctx, err := in.readParts(r, reader, &form)
	if err != nil {
		form.File.close()
	}
	return ctx, err
}

func (in Intake) readParts(r *http.Request, reader *multipart.Reader, form *Form) (context.Context, error) {
	for parts := 0; ; parts++ {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			// There may be data after the last boundary.
			_, err := io.Copy(io.Discard, r.Body)
			return context.WithValue(r.Context(), formKey{}, *form), readError(err)
		}
		if err != nil {
			return nil, readError(err)
		}
		if parts == maxParts {
			return nil, journal.Invalid("The form has more than %d parts.", maxParts)
		}
		if err := form.addPart(part, in, RequestOf(r.Context()).User); err != nil {
			return nil, err
		}
	}
}

func (f *Form) addPart(part *multipart.Part, in Intake, user string) error {
	name := part.FormName()
	if part.FileName() == "" && name != "file" {
		text, err := readPart(part, maxField)
		if err != nil {
			return err
		}
		if !validText(name) {
			return journal.Invalid("The form contains a field whose name is not valid text.")
		}
		if _, twice := f.Fields[name]; twice || !validText(string(text)) {
			return journal.InvalidField(name, "%s may be given only once, as text.", name)
		}
		f.Fields[name] = string(text)
		return nil
	}
	if f.File != nil {
		return journal.InvalidField("file", "The form may contain only one file.")
	}
	f.File = &File{Name: displayName(part.FileName())}
	return f.File.receive(part, in.Limit, in.Spool, user)
}

// readPart reads a part with at most limit bytes.
func readPart(part io.Reader, limit int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(part, limit+1))
	if err != nil {
		return nil, readError(err)
	}
	if int64(len(content)) > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	return content, nil
}

// displayName returns the last element of a client's file name without control
// characters, shortened to journal.MaxName.
func displayName(name string) string {
	name = path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, ""), `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1 // bidirectional controls can make exe.csv look like vsc.exe
		}
		return r
	}, name)
	if name == "." || name == "/" {
		return ""
	}
	count := 0
	for i := range name {
		if count == journal.MaxName {
			return name[:i]
		}
		count++
	}
	return name
}
