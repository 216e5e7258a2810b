package httpapi

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/transport"
)

// writeList writes the records in chunks. An error before the first chunk is
// answered as a refusal; after it the connection is closed, because half a list
// must not look complete.
func writeList[T any](ctx huma.Context, list *listing[T]) {
	ctx.SetHeader("Content-Type", "application/json")
	if list.link != "" {
		ctx.SetHeader("Link", list.link)
	}
	if list.total != "" {
		ctx.SetHeader("X-Total-Count", list.total)
	}
	w := &listWriter{out: bufio.NewWriterSize(ctx.BodyWriter(), 32<<10)}
	err := writeInChunks(list.each, func(part []T) error { return writePart(w, part) })
	if err == nil {
		err = w.close()
	}
	switch {
	case err == nil:
	case !w.begun:
		writeRefusal(ctx, err)
	default:
		transport.RequestOf(ctx.Context()).Fault = err
		panic(http.ErrAbortHandler)
	}
}

// chunk is how many records of a long list are read, and then written, at a time.
const chunk = 1000

// writeInChunks reads records and writes them in parts, one while the next is read:
// encoding a long list takes about as long as reading it.
func writeInChunks[T any](each func(emit func(T) error) error, write func([]T) error) error {
	var part []T
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
		part = make([]T, 0, chunk)
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
	out   *bufio.Writer
	begun bool
}

func writePart[T any](w *listWriter, part []T) error {
	for _, record := range part {
		text, err := transport.Marshal(record)
		if err != nil {
			return err
		}
		separator := byte(',')
		if !w.begun {
			separator = '['
		}
		w.begun = true
		_ = w.out.WriteByte(separator) // Write returns its error.
		if _, err := w.out.Write(text); err != nil {
			return errors.Join(errClientGone, err)
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
	_, _ = io.WriteString(w.out, bracket) // Flush returns its error.
	if err := w.out.Flush(); err != nil {
		return errors.Join(errClientGone, err)
	}
	return nil
}

// errClientGone reports that the client closed the connection during a list.
var errClientGone = errors.New("the client is gone")

func writeRefusal(ctx huma.Context, err error) {
	refusal := transport.Refuse(ctx.Context(), err)
	for name, values := range refusal.Headers {
		ctx.SetHeader(name, values[0])
	}
	ctx.SetStatus(refusal.Status)
	text, _ := transport.Marshal(refusal.Body)
	_, _ = ctx.BodyWriter().Write(text)
}
