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

// writer writes a JSON object as it comes, one record per line, and computes each
// section's checksum on the way. Line breaks are whitespace to JSON and not in the
// checksum, so a reformatted file still agrees.
type writer struct {
	out   *bufio.Writer
	sum   hash.Hash // the current section's, nil between sections
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

func (w *writer) close(bracket string) error {
	w.write(bracket)
	w.empty = false
	_, err := w.out.Write(nil) // whether the reader has gone away
	return err
}

// next begins a member or an element: on its own line, after a comma except for the
// first.
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

// head writes a member outside the sections.
func (w *writer) head(name string, v any) error {
	w.next()
	w.write(strconv.Quote(name) + ":")
	return w.value(v)
}

// member writes an object member. A top-level one is a section and gets a checksum over
// its value, without its name.
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

// record writes a member at once.
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
		return w.close("]")
	})
}

// element writes a list element.
func (w *writer) element(v any) error {
	w.next()
	return w.value(v)
}

// streamElement writes a list element whose last member is a list, written by fill. The
// value has the other members.
func (w *writer) streamElement(v any, name string, fill func() error) error {
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
	return w.close("]}")
}

// finish ends the file with its checksums.
func (w *writer) finish() error {
	if err := w.head("checksums", w.sums); err != nil {
		return err
	}
	_ = w.out.WriteByte('\n')
	if err := w.close("}"); err != nil {
		return err
	}
	_ = w.out.WriteByte('\n')
	return w.out.Flush()
}
