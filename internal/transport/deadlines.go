package transport

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// Timeouts are how long a server waits for a client in each state of a
// connection.
type Timeouts struct {
	// Header is from the first byte of a request, or from the opening of the
	// connection, to the end of the headers.
	Header time.Duration
	// Stall is how long a body may pause, and what a slow one may take beyond
	// the time that SlowestRate gives it.
	Stall time.Duration
	// SlowestRate is the bytes a second that a body must bring on average.
	SlowestRate int64
	// Drain is how long the rest of a body is awaited after the answer.
	Drain time.Duration
	// Idle is the pause between two requests.
	Idle time.Duration
	// Write is how long a client may take to receive an answer. One that is
	// streamed has its own pace.
	Write time.Duration
}

func defaultTimeouts() Timeouts {
	return Timeouts{
		Header: 10 * time.Second, Stall: 15 * time.Second, SlowestRate: slowestRate, Drain: 5 * time.Second,
		Idle: 90 * time.Second, Write: writePatience,
	}
}

// withDeadlines gives every request its deadlines: a body must keep arriving,
// what is left of it when the answer is given must arrive soon, and an answer
// must be taken.
func withDeadlines(next http.Handler, timeouts Timeouts) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		timed := &timedWriter{ResponseWriter: w, timeouts: timeouts}
		if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
			// net/http reads on while the handler works, to notice that the
			// client has gone; a deadline would end the request.
			timed.setReadDeadline(time.Time{})
			setConnBusy(r.Context(), true)
			next.ServeHTTP(timed, r)
			return
		}
		timed.body = &timedBody{ReadCloser: r.Body, begun: time.Now(), writer: timed, arrived: func() { setConnBusy(r.Context(), true) }}
		timed.setReadDeadline(timed.body.deadline(time.Now()))
		// A copy of the request: net/http looks at the body of its own.
		r = r.WithContext(r.Context())
		r.Body = timed.body
		next.ServeHTTP(timed, r)
	})
}

// timedBody is a request body with a deadline that moves as it arrives.
type timedBody struct {
	io.ReadCloser
	writer   *timedWriter
	arrived  func() // called at the end of the body
	begun    time.Time
	received int64
	err      error
}

// Read reads what has arrived and moves the deadline.
func (b *timedBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.ReadCloser.Read(p)
	b.received += int64(n)
	b.err = err
	switch {
	case err == nil:
		b.writer.setReadDeadline(b.deadline(time.Now()))
	case errors.Is(err, io.EOF):
		b.writer.setReadDeadline(time.Time{})
		b.arrived()
	}
	return n, err
}

// pause moves the deadline for a client that has to wait before its body is
// read.
func (b *timedBody) pause(wait time.Duration) {
	if b.err == nil {
		b.begun = b.begun.Add(wait)
		b.writer.setReadDeadline(b.deadline(time.Now()))
	}
}

// deadline is when the next bytes must have arrived.
func (b *timedBody) deadline(now time.Time) time.Time {
	t := b.writer.timeouts
	stalled := now.Add(t.Stall)
	slow := b.begun.Add(t.Stall + time.Duration(float64(b.received)/float64(t.SlowestRate)*float64(time.Second)))
	if slow.Before(stalled) {
		return slow
	}
	return stalled
}

// timedWriter sets the deadlines that the answer brings.
type timedWriter struct {
	http.ResponseWriter
	timeouts Timeouts
	body     *timedBody // nil for a request without one
	answered bool
}

// WriteHeader begins the answer.
func (w *timedWriter) WriteHeader(status int) {
	w.begin()
	w.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the answer.
func (w *timedWriter) Write(p []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// begin sets the deadlines of the answer: of taking it, and of sending what is
// left of the body, which net/http waits for. After a body that broke off or
// came too slowly, nothing more is awaited.
func (w *timedWriter) begin() {
	if w.answered {
		return
	}
	w.answered = true
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.timeouts.Write))
	switch {
	case w.body == nil || errors.Is(w.body.err, io.EOF):
	case errors.Is(w.body.err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		w.setReadDeadline(time.Now())
	default:
		w.setReadDeadline(time.Now().Add(w.timeouts.Drain))
	}
}

func (w *timedWriter) setReadDeadline(at time.Time) {
	// A writer without a connection, as in tests, has no deadlines.
	_ = http.NewResponseController(w.ResponseWriter).SetReadDeadline(at)
}
