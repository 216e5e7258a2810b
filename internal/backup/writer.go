package backup

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// writer writes a JSON object as it comes, one record a line, and takes the
// checksum of each section on the way. Line breaks are whitespace to JSON and
// are not in the checksum, so that a file can be formatted again and still agrees.
type writer struct {
	out   *bufio.Writer
	sum   hash.Hash // of the section that is being written, nil between two
	sums  map[string]string
	empty bool // nothing was written yet since the last bracket
}

func newWriter(out io.Writer) *writer {
	return &writer{out: bufio.NewWriterSize(out, 1<<16), sums: map[string]string{}}
}

// write adds JSON. The buffer keeps its first error until it is asked.
func (w *writer) write(text string) {
	_, _ = w.out.WriteString(text)
	if w.sum != nil {
		_, _ = io.WriteString(w.sum, text) // a hash takes everything
	}
}

func (w *writer) open(bracket string) {
	w.write(bracket)
	w.empty = true
}

func (w *writer) shut(bracket string) error {
	w.write(bracket)
	w.empty = false
	_, err := w.out.Write(nil) // whether the reader has gone away
	return err
}

// next begins a member or an element: on a line of its own, after a comma
// except for the first.
func (w *writer) next() {
	if !w.empty {
		w.write(",")
	}
	_ = w.out.WriteByte('\n')
	w.empty = false
}

func (w *writer) value(v any) error {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	w.write(string(text))
	return nil
}

// head writes a member of the file that is no section.
func (w *writer) head(name string, v any) error {
	w.next()
	w.write(strconv.Quote(name) + ":")
	return w.value(v)
}

// member writes a member of an object. One of the file itself is a section and
// gets a checksum: of its value, not of its name.
func (w *writer) member(name string, content func() error) error {
	w.next()
	w.write(strconv.Quote(name) + ":") // our own names need no escapes
	if w.sum != nil {
		return content()
	}
	w.sum = sha256.New()
	err := content()
	w.sums[name] = hex.EncodeToString(w.sum.Sum(nil))
	w.sum = nil
	return err
}

// record writes a member that is written at once.
func (w *writer) record(name string, v any) error {
	return w.member(name, func() error { return w.value(v) })
}

// list writes a member whose elements fill writes.
func (w *writer) list(name string, fill func() error) error {
	return w.member(name, func() error {
		w.open("[")
		if err := fill(); err != nil {
			return err
		}
		return w.shut("]")
	})
}

// element writes an element of a list.
func (w *writer) element(v any) error {
	w.next()
	return w.value(v)
}

// streamed writes an element of a list whose last member is a list, which fill writes.
// The value has the other members.
func (w *writer) streamed(v any, name string, fill func() error) error {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	head, found := strings.CutSuffix(string(text), `"`+name+`":[]}`)
	if !found {
		return fmt.Errorf("writing %s: it is not the last member", name)
	}
	w.next()
	w.write(head + strconv.Quote(name) + ":")
	w.open("[")
	if err := fill(); err != nil {
		return err
	}
	return w.shut("]}")
}

// finish ends the file with its checksums.
func (w *writer) finish() error {
	if err := w.head("checksums", w.sums); err != nil {
		return err
	}
	_ = w.out.WriteByte('\n')
	if err := w.shut("}"); err != nil {
		return err
	}
	_ = w.out.WriteByte('\n')
	return w.out.Flush()
}
