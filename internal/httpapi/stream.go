package httpapi

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"sync"

	"fillbook/internal/transport"
)

// writeList writes the records in chunks. An error before the first chunk is
// answered as a refusal; after it the connection is closed, because half a list
// must not look complete.
func writeList[T any](w http.ResponseWriter, r *http.Request, list *listing[T]) {
	w.Header().Set("Content-Type", "application/json")
	if list.link != "" {
		w.Header().Set("Link", list.link)
	}
	if list.total != "" {
		w.Header().Set("X-Total-Count", list.total)
	}
	for name, value := range list.headers {
		w.Header().Set(name, value)
	}
	out := &listWriter{out: w, buffer: listBuffers.Get().(*[]byte)}
	defer out.release()
	err := writeInChunks(list.each, func(part []T) error { return writePart(out, part) })
	if err == nil {
		err = out.close()
	}
	switch {
	case err == nil:
	case !out.begun:
		transport.WriteError(w, r, err)
	default:
		transport.RequestOf(r.Context()).Fault = err
		panic(http.ErrAbortHandler)
	}
}

// chunk is how many list records are collected before they are encoded. They are few, so
// they are still in the processor's cache, and even a short list is encoded while it is
// read.
const chunk = 100

// listBuffers are the buffers for lists being written.
var listBuffers = sync.Pool{New: func() any {
	buffer := make([]byte, 0, listBuffer)
	return &buffer
}}

// listBuffer is how many list bytes are collected before they are sent.
const listBuffer = 64 << 10

// writeInChunks reads records and writes them in parts, one while the next is read:
// encoding a long list takes about as long as reading it.
func writeInChunks[T any](each func(emit func(T) error) error, write func([]T) error) error {
	var part, other []T // one is filled while the other is written
	written := func() error { return nil }
	defer func() { _ = written() }() // after a panic, wait for the writer too
	err := each(func(record T) error {
		if part = append(part, record); len(part) < chunk {
			return nil
		}
		if err := written(); err != nil {
			return err
		}
		full := part
		written = runAsync(func() error { return write(full) })
		part, other = other[:0], full
		return nil
	})
	if failed := written(); failed != nil {
		return failed
	}
	if err != nil {
		return err
	}
	return write(part)
}

// runAsync runs fn beside its caller, who asks for the outcome in the end. A panic
// comes out there too: on its own it would take the whole server down.
func runAsync(fn func() error) func() error {
	outcome := make(chan func() error, 1)
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
				outcome <- func() error { panic(fault) }
			}
		}()
		err := fn()
		outcome <- func() error { return err }
	}()
	return sync.OnceValue(func() error { return (<-outcome)() })
}

// listWriter writes a JSON list.
type listWriter struct {
	out    io.Writer
	buffer *[]byte // to be sent
	begun  bool
}

// writePart appends records to the list. The first ones are sent when a buffer is full,
// and not before one is encoded without an error.
func writePart[T any](w *listWriter, part []T) error {
	for i := range part {
		separator := byte(',')
		if !w.begun {
			separator = '['
		}
		text, err := appendRecord(append(*w.buffer, separator), &part[i])
		if err != nil {
			return err
		}
		w.begun, *w.buffer = true, text
		if len(text) < listBuffer-listBuffer/8 {
			continue
		}
		if err := w.flush(); err != nil {
			return err
		}
	}
	return nil
}

// close closes the list.
func (w *listWriter) close() error {
	bracket := "]"
	if !w.begun {
		bracket = "[]"
	}
	w.begun = true
	*w.buffer = append(*w.buffer, bracket...)
	return w.flush()
}

// flush sends the buffer.
func (w *listWriter) flush() error {
	_, err := w.out.Write(*w.buffer)
	*w.buffer = (*w.buffer)[:0]
	if err != nil {
		return errors.Join(errClientGone, err)
	}
	return nil
}

// release makes the buffer available to other lists, unless a long record made
// it large.
func (w *listWriter) release() {
	if cap(*w.buffer) <= 4*listBuffer {
		*w.buffer = (*w.buffer)[:0]
		listBuffers.Put(w.buffer)
	}
}

// errClientGone reports that the client closed the connection during a list.
var errClientGone = errors.New("the client is gone")

// fileBody is a file written while it is read. Status and headers are sent with the first
// bytes, so an earlier error is answered as a refusal.
type fileBody struct {
	w       http.ResponseWriter
	headers map[string]string
	begun   bool
}

// Write sends bytes, the first ones after the headers.
func (f *fileBody) Write(p []byte) (int, error) {
	if !f.begun {
		f.begun = true
		for name, value := range f.headers {
			f.w.Header().Set(name, value)
		}
		f.w.WriteHeader(http.StatusOK)
	}
	return f.w.Write(p)
}

// writeFile sends the output of write. An error before the first buffer is sent is
// answered as a refusal; after it the connection is closed, because half a file must not
// look complete.
func writeFile(w http.ResponseWriter, r *http.Request, headers map[string]string, write func(io.Writer) error) {
	body := &fileBody{w: w, headers: headers}
	buffer := bufio.NewWriterSize(body, listBuffer)
	err := write(buffer)
	if err == nil {
		err = buffer.Flush()
	}
	switch {
	case err == nil:
	case !body.begun:
		transport.WriteError(w, r, err)
	default:
		transport.RequestOf(r.Context()).Fault = err
		panic(http.ErrAbortHandler)
	}
}
