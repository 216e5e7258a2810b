package transport

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// Timeouts limit how long the server waits for a client in each connection state.
type Timeouts struct {
	// Header is from a request's first byte, or from opening the connection, to the end
	// of the headers.
	Header time.Duration
	// Stall is how long a body may pause. It is also the extra time for slow
	// bodies beyond SlowestRate.
	Stall time.Duration
	// SlowestRate is the minimum average body rate in bytes per second.
	SlowestRate int64
	// Drain is how long the server waits for the rest of a body after the
	// response.
	Drain time.Duration
	// Idle is the longest pause between two requests.
	Idle time.Duration
	// Write is how long a client may take to read a response. Streamed
	// responses use writePacer instead.
	Write time.Duration
}

func defaultTimeouts() Timeouts {
	return Timeouts{
		Header: 10 * time.Second, Stall: 15 * time.Second, SlowestRate: slowestRate, Drain: 5 * time.Second,
		Idle: 90 * time.Second, Write: writeTimeout,
	}
}

// withDeadlines sets every request's deadlines: for the body to keep arriving, for its
// rest after the response, and for the client to read the response.
func withDeadlines(next http.Handler, timeouts Timeouts) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		timed := &timedWriter{ResponseWriter: w, timeouts: timeouts}
		if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
			// net/http keeps reading to detect a disconnected client; a deadline would
			// end the request.
			timed.setReadDeadline(time.Time{})
			setConnBusy(r.Context(), true)
			next.ServeHTTP(timed, r)
			return
		}
		timed.body = &timedBody{ReadCloser: r.Body, begun: time.Now(), writer: timed, arrived: func() { setConnBusy(r.Context(), true) }}
		timed.setReadDeadline(timed.body.deadline(time.Now()))
		// A copy of the request: net/http uses the body of the original.
		r = r.WithContext(r.Context())
		r.Body = timed.body
		next.ServeHTTP(timed, r)
	})
}

// timedBody is a request body whose deadline moves as it arrives.
type timedBody struct {
	io.ReadCloser
	writer   *timedWriter
	arrived  func() // called at the end of the body
	begun    time.Time
	received int64
	err      error
}

// Read reads from the body and moves the deadline.
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

// pause extends the deadline by the time the client had to wait before its body was read.
func (b *timedBody) pause(wait time.Duration) {
	if b.err == nil {
		b.begun = b.begun.Add(wait)
		b.writer.setReadDeadline(b.deadline(time.Now()))
	}
}

// deadline returns the time by which the next bytes must arrive.
func (b *timedBody) deadline(now time.Time) time.Time {
	t := b.writer.timeouts
	stalled := now.Add(t.Stall)
	slow := b.begun.Add(t.Stall + time.Duration(float64(b.received)/float64(t.SlowestRate)*float64(time.Second)))
	if slow.Before(stalled) {
		return slow
	}
	return stalled
}

// timedWriter sets the deadlines when the response starts.
type timedWriter struct {
	http.ResponseWriter
	timeouts Timeouts
	body     *timedBody // nil for a request without one
	answered bool
}

// WriteHeader starts the response.
func (w *timedWriter) WriteHeader(status int) {
	w.start()
	w.ResponseWriter.WriteHeader(status)
}

// Write writes a part of the response.
func (w *timedWriter) Write(p []byte) (int, error) {
	w.start()
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// start sets the deadlines for reading the response and for the rest of the body, which
// net/http waits for. After a body that broke off or was too slow, the rest is not read.
func (w *timedWriter) start() {
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
