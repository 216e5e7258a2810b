package transport

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"time"

	"fillbook/internal/journal"
)

// requestIDs that a client or proxy may hand in; anything else is replaced.
var requestIDs = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

// Observe is the outermost middleware: it names the request, finds out who
// calls, turns a panic into a 500, and writes one log line and one metric when
// the answer is out. Neither holds a path, a query or a body.
func Observe(log *slog.Logger, proxies Proxies, metrics *Metrics) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			started := time.Now()
			request := newRequest(r, proxies)
			seen := &seenWriter{ResponseWriter: w}
			seen.Header().Set("X-Request-Id", request.ID)
			r = r.WithContext(withRequest(r.Context(), request))
			defer func() {
				cut := false
				if fault := recover(); fault != nil {
					cut = !answerPanic(log, seen, r, fault)
				}
				taken := time.Since(started)
				metrics.observe(request.Route, seen.status, taken)
				logRequest(log, r, seen, taken)
				if cut {
					panic(http.ErrAbortHandler)
				}
			}()
			next.ServeHTTP(seen, r)
		})
	}
}

func newRequest(r *http.Request, proxies Proxies) *Request {
	request := &Request{ID: r.Header.Get("X-Request-Id"), Route: "none", UserAgent: r.UserAgent()}
	if !requestIDs.MatchString(request.ID) {
		request.ID = journal.NewID[string]()
	}
	request.Address, request.Secure = proxies.client(r)
	return request
}

// answerPanic gives a clean 500 where nothing was sent yet. Otherwise, and where
// a handler means to cut the connection, it tells that it could not answer.
func answerPanic(log *slog.Logger, w *seenWriter, r *http.Request, fault any) bool {
	err, ok := fault.(error)
	if ok && errors.Is(err, http.ErrAbortHandler) {
		return false
	}
	log.Error("a handler panicked", "request_id", RequestOf(r.Context()).ID,
		"route", RequestOf(r.Context()).Route, "fault", fmt.Sprint(fault), "stack", string(debug.Stack()))
	if w.status != 0 {
		return false
	}
	WriteError(w, r, errors.New("a handler panicked"))
	return true
}

func logRequest(log *slog.Logger, r *http.Request, w *seenWriter, taken time.Duration) {
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

// seenWriter remembers what was answered.
type seenWriter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *seenWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *seenWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *seenWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
