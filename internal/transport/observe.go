package transport

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/lazyregexp"
)

// validRequestID matches the request ids accepted from a client or proxy. Others are
// replaced.
var validRequestID = lazyregexp.New(`^[A-Za-z0-9-]{1,64}$`)

// Observe is the outermost middleware. It sets the request id and the client
// address, turns a panic into a 500, and writes a log line and a metric after
// the response. Neither contains a path, a query or a body.
func Observe(log *slog.Logger, proxies Proxies, metrics *Metrics) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			started := time.Now()
			request := newRequest(r, proxies)
			recorded := &statusWriter{ResponseWriter: w}
			recorded.Header().Set("X-Request-Id", request.ID)
			r = r.WithContext(withRequest(r.Context(), request))
			defer func() {
				abort := false
				if fault := recover(); fault != nil {
					abort = !respondToPanic(log, recorded, r, fault)
				}
				taken := time.Since(started)
				metrics.observe(request.Route, recorded.status, taken)
				logRequest(log, r, recorded, taken)
				if abort {
					panic(http.ErrAbortHandler)
				}
			}()
			next.ServeHTTP(recorded, r)
		})
	}
}

func newRequest(r *http.Request, proxies Proxies) *Request {
	request := &Request{ID: r.Header.Get("X-Request-Id"), Route: "none", UserAgent: r.UserAgent(), Host: r.Host}
	if !validRequestID().MatchString(request.ID) {
		request.ID = journal.NewID[string]()
	}
	request.Address, request.Secure = proxies.clientAddress(r)
	return request
}

// respondToPanic sends a 500 if no response was started, and reports whether it
// did. It does nothing if the handler aborts the connection with
// http.ErrAbortHandler.
func respondToPanic(log *slog.Logger, w *statusWriter, r *http.Request, fault any) bool {
	err, ok := fault.(error)
	if ok && errors.Is(err, http.ErrAbortHandler) {
		return false
	}
	log.Error("handler panicked", "request_id", RequestOf(r.Context()).ID,
		"route", RequestOf(r.Context()).Route, "fault", fmt.Sprint(fault), "stack", string(debug.Stack()))
	if w.status != 0 {
		return false
	}
	WriteError(w, r, errors.New("handler panicked"))
	return true
}

func logRequest(log *slog.Logger, r *http.Request, w *statusWriter, taken time.Duration) {
	request := RequestOf(r.Context())
	level := slog.LevelInfo
	if w.status >= 500 {
		level = slog.LevelError
	}
	if !log.Enabled(r.Context(), level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("request_id", request.ID), slog.String("route", request.Route),
		slog.Int("status", w.status), slog.Int64("bytes", w.bytes),
		slog.Duration("took", taken.Round(time.Microsecond)), slog.String("ip", request.Address),
	}
	if request.User != "" {
		attrs = append(attrs, slog.String("user", request.User))
	}
	if request.Fault != nil {
		attrs = append(attrs, slog.String("error", request.Fault.Error()))
	}
	log.LogAttrs(r.Context(), level, "request", attrs...)
}

// statusWriter records the response's status and size.
type statusWriter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
