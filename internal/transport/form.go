package transport

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"strings"
	"unicode"

	"fillbook/internal/journal"
)

// Form is a multipart upload: at most one file, and short text fields.
type Form struct {
	Fields map[string]string
	File   *File
}

// File is an uploaded file. Its name is text to show, never a path.
type File struct {
	Name  string
	Bytes []byte
}

const (
	maxParts    = 20
	maxField    = 64 << 10
	formOverlay = 1 << 20 // what boundaries and text fields may add to a file
)

type formKey struct{}

// FormOf gives the form that Intake has read.
func FormOf(ctx context.Context) Form {
	form, _ := ctx.Value(formKey{}).(Form)
	return form
}

func (in Intake) readForm(w http.ResponseWriter, r *http.Request) (context.Context, error) {
	if !isMediaType(r, "multipart/form-data") {
		return nil, unsupported("multipart/form-data")
	}
	limit := in.Limit + formOverlay
	if r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: in.Limit}
	}
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	reader, err := r.MultipartReader()
	if err != nil {
		return nil, journal.Invalid("The form has no boundary.")
	}
	form := Form{Fields: map[string]string{}}
	for parts := 0; ; parts++ {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			// To its end, which may come after the last boundary.
			_, err := io.Copy(io.Discard, r.Body)
			return context.WithValue(r.Context(), formKey{}, form), readError(err)
		}
		if err != nil {
			return nil, readError(err)
		}
		if parts == maxParts {
			return nil, journal.Invalid("The form has more than %d parts.", maxParts)
		}
		if err := form.take(part, in.Limit); err != nil {
			return nil, err
		}
	}
}

func (f *Form) take(part *multipart.Part, limit int64) error {
	name := part.FormName()
	if part.FileName() == "" && name != "file" {
		text, err := readPart(part, maxField)
		if err != nil {
			return err
		}
		if !validText(name) {
			return journal.Invalid("The form holds a field whose name is not valid text.")
		}
		if _, twice := f.Fields[name]; twice || !validText(string(text)) {
			return journal.InvalidField(name, "%s may be given only once, as text.", name)
		}
		f.Fields[name] = string(text)
		return nil
	}
	if f.File != nil {
		return journal.InvalidField("file", "The form may hold only one file.")
	}
	content, err := readPart(part, limit)
	if err != nil {
		return err
	}
	f.File = &File{Name: displayName(part.FileName()), Bytes: content}
	return nil
}

// readPart reads a part of exactly limit bytes at most.
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

// displayName keeps the last element of a client's file name, as text that is
// read in the order in which it stands.
func displayName(name string) string {
	name = path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, ""), `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1 // such as those that make exe.csv look like vsc.exe
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
