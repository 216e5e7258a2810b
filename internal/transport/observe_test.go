package transport_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"fillbook/internal/transport"
)

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	ours := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	handler := observed(&logBuffer{}, nil, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, transport.RequestOf(r.Context()).ID)
	})
	for _, c := range []struct {
		name, sent string
		kept       bool
	}{
		{"none", "", false},
		{"a sane one", "deploy-42-ABC", true},
		{"the longest", strings.Repeat("a", 64), true},
		{"too long", strings.Repeat("a", 65), false},
		{"with a blank", "a b", false},
		{"with a line break", "a\nlevel=ERROR msg=forged", false},
		{"with a break at its end", "abc\n", false},
		{"with quotes", `a"b`, false},
		{"beyond ASCII", "anfrage-ü", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			request := httptest.NewRequest(http.MethodGet, "/", nil)
			request.Header["X-Request-Id"] = []string{c.sent}
			got := serve(handler, request)
			id := got.Header().Get("X-Request-Id")
			if id != got.Body.String() {
				t.Errorf("the handler sees %q, the client %q", got.Body, id)
			}
			if c.kept && id != c.sent {
				t.Errorf("%q became %q", c.sent, id)
			}
			if !c.kept && !ours.MatchString(id) {
				t.Errorf("%q became %q, which is not a new id", c.sent, id)
			}
		})
	}
}

func TestPanicBecomesAnErrorResponse(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]any{
		"a text":   "secret text of the panic",
		"an error": fmt.Errorf("secret text of the panic"),
		"a value":  struct{ Text string }{"secret text of the panic"},
	} {
		t.Run(name, func(t *testing.T) {
			log := &logBuffer{}
			handler := observed(log, nil, func(w http.ResponseWriter, _ *http.Request) {
				// Half an answer, as a handler may have begun it.
				w.Header().Set("ETag", `"half"`)
				w.Header().Set("Content-Type", "text/csv")
				_, _ = io.WriteString(w, "half an ans")
				panic(fault)
			}, transport.Headers(nil), transport.BufferResponses(spool))
			got := serve(handler, httptest.NewRequest(http.MethodGet, "/", nil))
			wantRefusal(t, got, http.StatusInternalServerError, "internal")
			if strings.Contains(got.Body.String(), "secret") || strings.Contains(got.Body.String(), "half") {
				t.Errorf("the response reveals %s", got.Body)
			}
			if got.Header().Get("ETag") != "" || got.Header().Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("headers %v", got.Header())
			}
			id := got.Header().Get("X-Request-Id")
			if text := log.String(); id == "" || !strings.Contains(text, id) || !strings.Contains(text, "secret text") || !strings.Contains(text, "observe_test.go") {
				t.Errorf("the log does not describe the panic of request %q: %s", id, text)
			}
		})
	}
}

// TestPanicAfterTheResponseStartedClosesTheConnection checks that a client can
// detect an incomplete response.
func TestPanicAfterTheResponseStartedClosesTheConnection(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]any{"a fault": "oops", "an abort": http.ErrAbortHandler} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(observed(&logBuffer{}, nil, func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "half an ans")
				_ = http.NewResponseController(w).Flush()
				panic(fault)
			}))
			defer server.Close()
			answer, err := http.Get(server.URL) //nolint:noctx // a test
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close() //nolint:errcheck // read only
			if _, err := io.ReadAll(answer.Body); err == nil {
				t.Error("an incomplete response looks complete")
			}
		})
	}
}

func TestLogHasTheRouteAndNotThePath(t *testing.T) {
	t.Parallel()
	log := &logBuffer{}
	handler := observed(log, nil, func(w http.ResponseWriter, r *http.Request) {
		request := transport.RequestOf(r.Context())
		request.Route, request.User = "GET /public/share/{token}", "user-1"
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "12345")
	})
	request := httptest.NewRequest(http.MethodGet, "/public/share/hidden-token?code=hidden-code", nil)
	request.Header.Set("Authorization", "Bearer hidden-bearer")
	request.Header.Set("X-Request-Id", "id-1")
	serve(handler, request)
	line := log.String()
	if strings.Count(line, "\n") != 1 || strings.Contains(line, "hidden") {
		t.Errorf("the log is %s", line)
	}
	for _, want := range []string{
		"level=INFO", "request_id=id-1", `route="GET /public/share/{token}"`, "status=418", "bytes=5", "took=", "ip=192.0.2.1", "user=user-1",
	} {
		if !strings.Contains(line, want) {
			t.Errorf("the log lacks %s: %s", want, line)
		}
	}
}

func TestLogHasTheCauseOfAnInternalError(t *testing.T) {
	t.Parallel()
	log := &logBuffer{}
	handler := observed(log, nil, func(w http.ResponseWriter, r *http.Request) {
		transport.WriteError(w, r, errors.New("the disk is on fire"))
	})
	got := serve(handler, httptest.NewRequest(http.MethodGet, "/", nil))
	wantRefusal(t, got, http.StatusInternalServerError, "internal")
	if strings.Contains(got.Body.String(), "fire") {
		t.Errorf("the response reveals %s", got.Body)
	}
	if line := log.String(); !strings.Contains(line, "level=ERROR") || !strings.Contains(line, "the disk is on fire") {
		t.Errorf("the log is %s", line)
	}
}

func TestMetricsCountRoutes(t *testing.T) {
	t.Parallel()
	metrics := transport.NewMetrics()
	log := &logBuffer{}
	handler := transport.Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		transport.RequestOf(r.Context()).Route = "GET /things/{id}"
		w.WriteHeader(http.StatusTeapot)
	}), transport.Observe(log.logger(), nil, metrics))
	for i := range 3 {
		serve(handler, httptest.NewRequest(http.MethodGet, fmt.Sprint("/things/", i), nil))
	}
	metrics.ObserveConnectionRun("bybit", "ok", 7, time.Unix(1_700_000_000, 0), true)
	metrics.ObserveConnectionRun("bybit", "waiting", 2, time.Unix(1_700_000_060, 0), false)
	text := serve(metrics.Handler(), httptest.NewRequest(http.MethodGet, "/metrics", nil)).Body.String()
	for _, want := range []string{
		`fillbook_connection_runs_total{outcome="ok",provider="bybit"} 1`,
		`fillbook_connection_runs_total{outcome="waiting",provider="bybit"} 1`,
		`fillbook_connection_requests_total{provider="bybit"} 9`,
		`fillbook_connection_last_success_timestamp_seconds{provider="bybit"} 1.7e+09`,
		`fillbook_http_requests_total{route="GET /things/{id}",status="418"} 3`,
		`fillbook_http_request_seconds_count{route="GET /things/{id}"} 3`,
		"go_goroutines ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if strings.Contains(text, "/things/1") {
		t.Error("the metrics contain a path")
	}
}
