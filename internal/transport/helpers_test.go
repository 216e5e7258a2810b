package transport_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"fillbook/internal/transport"
)

// spool is for tests not checking the spool.
var spool = transport.NewSpool("", nil)

// logBuffer is a log for several goroutines.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (b *logBuffer) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// observed wraps a handler in the outermost middleware, as in the server.
func observed(log *logBuffer, proxies transport.Proxies, handler http.HandlerFunc, inner ...transport.Middleware) http.Handler {
	chain := append([]transport.Middleware{transport.Observe(log.logger(), proxies, nil)}, inner...)
	return transport.Chain(handler, chain...)
}

// serve sends one request to a handler.
func serve(handler http.Handler, request *http.Request) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}

// refusal parses an error body and checks its documented shape.
func refusal(t *testing.T, got *httptest.ResponseRecorder) transport.ErrorInfo {
	t.Helper()
	if kind := got.Header().Get("Content-Type"); kind != "application/json" {
		t.Errorf("an error response has content type %q", kind)
	}
	decoder := json.NewDecoder(bytes.NewReader(got.Body.Bytes()))
	decoder.DisallowUnknownFields()
	var body struct {
		Error struct {
			Code    string         `json:"code"`
			Message string         `json:"message"`
			Details map[string]any `json:"details"`
		} `json:"error"`
	}
	if err := decoder.Decode(&body); err != nil {
		t.Fatalf("status %d: %q is not an error response: %v", got.Code, got.Body, err)
	}
	if body.Error.Code == "" || !strings.HasSuffix(body.Error.Message, ".") {
		t.Errorf("status %d: code %q, message %q", got.Code, body.Error.Code, body.Error.Message)
	}
	return transport.ErrorInfo{Code: body.Error.Code, Message: body.Error.Message, Details: body.Error.Details}
}

// wantRefusal checks status and code.
func wantRefusal(t *testing.T, got *httptest.ResponseRecorder, status int, code string) transport.ErrorInfo {
	t.Helper()
	if got.Code != status {
		t.Fatalf("status %d, want %d; body %s", got.Code, status, got.Body)
	}
	info := refusal(t, got)
	if info.Code != code {
		t.Fatalf("code %q, want %q", info.Code, code)
	}
	return info
}

// unsized hides a body's length, so it is sent in chunks.
type unsized struct{ io.Reader }
