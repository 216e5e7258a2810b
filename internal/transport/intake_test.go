package transport_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fillbook/internal/transport"
)

// newIntakeRoute returns a route responding with what arrived.
func newIntakeRoute(in transport.Intake) http.Handler {
	return observed(&logBuffer{}, nil, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}, in.Middleware())
}

func TestJSONBodyNeedsItsContentType(t *testing.T) {
	t.Parallel()
	for contentType, want := range map[string]int{
		"application/json":                  http.StatusOK,
		"application/json; charset=utf-8":   http.StatusOK,
		"Application/JSON":                  http.StatusOK,
		"":                                  http.StatusUnsupportedMediaType,
		"text/plain":                        http.StatusUnsupportedMediaType,
		"application/x-www-form-urlencoded": http.StatusUnsupportedMediaType,
		"application/jsonp":                 http.StatusUnsupportedMediaType,
		"application/json/":                 http.StatusUnsupportedMediaType,
		"text/plain; application/json":      http.StatusUnsupportedMediaType,
	} {
		request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"a":1}`))
		request.Header["Content-Type"] = []string{contentType}
		got := serve(newIntakeRoute(transport.Intake{Body: transport.JSONBody, Limit: 100}), request)
		if got.Code != want {
			t.Errorf("%q: status %d, want %d", contentType, got.Code, want)
		}
		if want == http.StatusUnsupportedMediaType {
			wantRefusal(t, got, want, "unsupported_media_type")
		}
	}
}

func TestJSONBodyIsNotCompressed(t *testing.T) {
	t.Parallel()
	for encoding, want := range map[string]int{"": 200, "identity": 200, "gzip": 415, "br": 415} {
		request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"a":1}`))
		request.Header.Set("Content-Type", jsonType)
		request.Header.Set("Content-Encoding", encoding)
		if got := serve(newIntakeRoute(transport.Intake{Body: transport.JSONBody, Limit: 100}), request); got.Code != want {
			t.Errorf("%q: status %d, want %d", encoding, got.Code, want)
		}
	}
}

func TestJSONBodyLimitIsExact(t *testing.T) {
	t.Parallel()
	const limit = 1000
	for size, want := range map[int]int{limit: 200, limit + 1: 413, 10 * limit: 413} {
		body := []byte(`"` + strings.Repeat("x", size-2) + `"`)
		for _, reader := range []io.Reader{bytes.NewReader(body), unsized{bytes.NewReader(body)}} {
			request := httptest.NewRequest(http.MethodPost, "/", reader)
			request.Header.Set("Content-Type", jsonType)
			got := serve(newIntakeRoute(transport.Intake{Body: transport.JSONBody, Limit: limit}), request)
			if got.Code != want {
				t.Errorf("%d bytes as %T: status %d, want %d", size, reader, got.Code, want)
			}
			if want == 413 {
				wantRefusal(t, got, want, "too_large")
			} else if !bytes.Equal(got.Body.Bytes(), body) {
				t.Errorf("%d bytes: a different body arrived", size)
			}
		}
	}
}

func TestParametersAreRefused(t *testing.T) {
	t.Parallel()
	handler := newIntakeRoute(transport.Intake{Refuses: func(name string) bool { return name == "symbol" }})
	if got := serve(handler, httptest.NewRequest(http.MethodGet, "/?limit=1", nil)); got.Code != http.StatusOK {
		t.Errorf("another parameter: status %d", got.Code)
	}
	info := wantRefusal(t, serve(handler, httptest.NewRequest(http.MethodGet, "/?limit=1&symbol=ES", nil)), 400, "bad_request")
	if info.Details["field"] != "symbol" {
		t.Errorf("the refusal names %v", info.Details["field"])
	}
}

func TestQueryIsStrict(t *testing.T) {
	t.Parallel()
	handler := newIntakeRoute(transport.Intake{Repeated: []string{"account_id"}})
	for _, c := range []struct {
		query string
		want  int
		field string
	}{
		{"", 200, ""},
		{"limit=1&cursor=x&unknown=1", 200, ""},
		{"account_id=a&account_id=b", 200, ""},
		{"limit=1&limit=1", 400, "limit"},
		{"limit=1&%6cimit=2", 400, "limit"},
		{"cursor=%ff", 400, "cursor"},
		{"cursor=a%00b", 400, "cursor"},
		{"account_id=a&account_id=%ff", 400, "account_id"},
		{"cursor=%zz", 400, ""},
		{"a=1;b=2", 400, ""},
		{"x=" + strings.Repeat("a", 8<<10-2), 200, ""},
		{"x=" + strings.Repeat("a", 8<<10-1), 400, ""},
	} {
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		request.URL.RawQuery = c.query
		got := serve(handler, request)
		if got.Code != c.want {
			t.Errorf("%.40q: status %d, want %d", c.query, got.Code, c.want)
			continue
		}
		if c.want == 400 {
			info := wantRefusal(t, got, 400, "bad_request")
			if named := fmt.Sprint(info.Details["field"]); c.field != "" && named != c.field {
				t.Errorf("%.40q names %s, want %s", c.query, named, c.field)
			}
		}
	}
}

// TestRejectedNameIsValidText checks that the error contains only valid UTF-8.
func TestRejectedNameIsValidText(t *testing.T) {
	t.Parallel()
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.URL.RawQuery = "%ff%00=1"
	wantRefusal(t, serve(newIntakeRoute(transport.Intake{}), request), http.StatusBadRequest, "bad_request")
}
