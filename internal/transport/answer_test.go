package transport_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/transport"
)

// newBodyHandler returns a handler writing a body, with the BufferResponses middleware.
func newBodyHandler(status int, contentType string, chunks ...string) http.Handler {
	return transport.Chain(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		for _, chunk := range chunks {
			_, _ = io.WriteString(w, chunk)
		}
	}), transport.BufferResponses(spool))
}

func ask(handler http.Handler, method string, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, "/", nil)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	return serve(handler, request)
}

const jsonType = "application/json"

func TestSuccessfulJSONHasATag(t *testing.T) {
	t.Parallel()
	get := ask(newBodyHandler(200, jsonType, `{"a":`, `1}`), http.MethodGet)
	tag := get.Header().Get("ETag")
	if !strings.HasPrefix(tag, `"`) || !strings.HasSuffix(tag, `"`) || len(tag) < 12 {
		t.Fatalf("ETag %q is not a strong tag", tag)
	}
	if post := ask(newBodyHandler(201, jsonType, `{"a":1}`), http.MethodPost); post.Header().Get("ETag") != tag {
		t.Error("the ETag of a record differs after its creation")
	}
	if other := ask(newBodyHandler(200, jsonType, `{"a":2}`), http.MethodGet); other.Header().Get("ETag") == tag {
		t.Error("another record has the same tag")
	}
	for name, got := range map[string]*httptest.ResponseRecorder{
		"a refusal": ask(newBodyHandler(404, jsonType, `{"error":{}}`), http.MethodGet),
		"no body":   ask(newBodyHandler(204, ""), http.MethodDelete),
	} {
		if tag := got.Header().Get("ETag"); tag != "" {
			t.Errorf("%s has the tag %q", name, tag)
		}
	}
}

func TestIfNoneMatch(t *testing.T) {
	t.Parallel()
	handler := newBodyHandler(200, jsonType, `{"a":1}`)
	tag := ask(handler, http.MethodGet).Header().Get("ETag")
	for _, c := range []struct {
		method, header string
		want           int
	}{
		{http.MethodGet, tag, http.StatusNotModified},
		{http.MethodHead, tag, http.StatusNotModified},
		{http.MethodGet, "W/" + tag, http.StatusNotModified},
		{http.MethodGet, `"other", ` + tag, http.StatusNotModified},
		{http.MethodGet, "*", http.StatusNotModified},
		{http.MethodGet, `"other"`, http.StatusOK},
		{http.MethodGet, strings.Trim(tag, `"`), http.StatusOK},
		{http.MethodPut, tag, http.StatusOK}, // a write's answer is never withheld
	} {
		got := ask(handler, c.method, "If-None-Match", c.header)
		if got.Code != c.want {
			t.Errorf("%s with %s: status %d, want %d", c.method, c.header, got.Code, c.want)
		}
		if got.Header().Get("ETag") != tag {
			t.Errorf("%s with %s: the tag is %q", c.method, c.header, got.Header().Get("ETag"))
		}
		if c.want == http.StatusNotModified && (got.Body.Len() != 0 || got.Header().Get("Content-Type") != "") {
			t.Errorf("%s with %s: 304 with a body: %s", c.method, c.header, got.Body)
		}
	}
	if got := ask(newBodyHandler(404, jsonType, `{"error":{}}`), http.MethodGet, "If-None-Match", "*"); got.Code != http.StatusNotFound {
		t.Errorf("an error became %d", got.Code)
	}
}

func TestIfMatchComparesByValue(t *testing.T) {
	t.Parallel()
	shape := func(n int) any { return map[string]int{"n": n} }
	tag, err := transport.ETag(shape(1))
	if err != nil {
		t.Fatal(err)
	}
	for header, fresh := range map[string]bool{
		tag: true, "W/" + tag: true, `"other",` + tag: true, `"other"`: false, strings.Trim(tag, `"`): false,
	} {
		check := transport.IfMatch(header, shape)
		if err := check(1); (err == nil) != fresh {
			t.Errorf("%s against the record: %v", header, err)
		}
		if err := check(2); !journal.IsKind(err, journal.KindStale) {
			t.Errorf("%s against a changed record: %v", header, err)
		}
	}
	for _, header := range []string{"", "*"} {
		if transport.IfMatch(header, shape) != nil {
			t.Errorf("%q is a check", header)
		}
	}
}

func unzip(t *testing.T, body []byte) string {
	t.Helper()
	reader, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestGzipIsNegotiated(t *testing.T) {
	t.Parallel()
	body := `["` + strings.Repeat("a", 2000) + `"]`
	handler := newBodyHandler(200, jsonType, body)
	tag := ask(handler, http.MethodGet).Header().Get("ETag")
	for header, zipped := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "deflate, gzip": true, "gzip;q=0.5": true, "br;q=1, gzip;q=0.001": true,
		"gzip;q=0": false, "gzip; q=0": false, "gzip;q=0.0": false, "gzip;q=0.000, deflate": false, "gzip ; q=0": false,
		"deflate": false, "identity": false, "xgzip": false, "gzip;q=x": false,
	} {
		got := ask(handler, http.MethodGet, "Accept-Encoding", header)
		text := got.Body.String()
		if (got.Header().Get("Content-Encoding") == "gzip") != zipped {
			t.Errorf("Accept-Encoding %q: Content-Encoding %q", header, got.Header().Get("Content-Encoding"))
			continue
		}
		if zipped {
			text = unzip(t, got.Body.Bytes())
		}
		if text != body {
			t.Errorf("Accept-Encoding %q: another content", header)
		}
		if got.Header().Get("ETag") != tag || !strings.Contains(got.Header().Get("Vary"), "Accept-Encoding") {
			t.Errorf("Accept-Encoding %q: ETag %q, Vary %q", header, got.Header().Get("ETag"), got.Header().Get("Vary"))
		}
	}
}

func TestGzipOnlyForLargeText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		size        int
		contentType string
		zipped      bool
	}{
		{"exactly 1 KiB", 1 << 10, jsonType, false},
		{"above 1 KiB", 1<<10 + 1, jsonType, true},
		{"an image", 5000, "image/png", false},
		{"text", 5000, "text/csv; charset=utf-8", true},
	} {
		got := ask(newBodyHandler(200, c.contentType, strings.Repeat("1", c.size)), http.MethodGet, "Accept-Encoding", "gzip")
		if (got.Header().Get("Content-Encoding") == "gzip") != c.zipped {
			t.Errorf("%s: Content-Encoding %q", c.name, got.Header().Get("Content-Encoding"))
		}
	}
}

// TestNotModifiedVariesLikeTheResponse checks Vary, so caches do not confuse encodings.
func TestNotModifiedVariesLikeTheResponse(t *testing.T) {
	t.Parallel()
	handler := newBodyHandler(200, jsonType, `["`+strings.Repeat("a", 2000)+`"]`)
	whole := ask(handler, http.MethodGet)
	got := ask(handler, http.MethodGet, "If-None-Match", whole.Header().Get("ETag"))
	if got.Code != http.StatusNotModified || got.Header().Get("Vary") != whole.Header().Get("Vary") {
		t.Errorf("status %d, Vary %q; the full response has %q", got.Code, got.Header().Get("Vary"), whole.Header().Get("Vary"))
	}
}

// arrival is a client signaling the first response bytes.
type arrival struct {
	*httptest.ResponseRecorder
	once  sync.Once
	first chan struct{}
}

func (a *arrival) Write(p []byte) (int, error) {
	a.once.Do(func() { close(a.first) })
	return a.ResponseRecorder.Write(p)
}

// TestLargeResponsesAreStreamed writes more than is buffered and checks that the
// first bytes are sent before the last are written.
func TestLargeResponsesAreStreamed(t *testing.T) {
	t.Parallel()
	chunk := strings.Repeat("0123456789abcdef", 4<<10) // 64 KiB
	const chunks = 40
	for _, encoding := range []string{"", "gzip"} {
		halfWay := make(chan struct{})
		goOn := make(chan struct{})
		handler := transport.Chain(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", jsonType)
			for i := range chunks {
				if i == chunks/2 {
					close(halfWay)
					<-goOn
				}
				_, _ = io.WriteString(w, chunk)
			}
		}), transport.BufferResponses(spool))
		recorder := &arrival{ResponseRecorder: httptest.NewRecorder(), first: make(chan struct{})}
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		request.Header.Set("Accept-Encoding", encoding)
		done := make(chan struct{})
		go func() { defer close(done); handler.ServeHTTP(recorder, request) }()
		<-halfWay
		select {
		case <-recorder.first:
		case <-time.After(20 * time.Second):
			t.Errorf("%q: nothing was sent although %d bytes were written", encoding, len(chunk)*chunks/2)
		}
		close(goOn)
		<-done
		text := recorder.Body.String()
		if encoding == "gzip" {
			text = unzip(t, recorder.Body.Bytes())
		}
		if text != strings.Repeat(chunk, chunks) {
			t.Errorf("%q: the content differs", encoding)
		}
		if tag := recorder.Header().Get("ETag"); tag != "" {
			t.Errorf("%q: a streamed response has the ETag %q", encoding, tag)
		}
	}
}

func TestResponseIsBufferedUpToItsLimit(t *testing.T) {
	t.Parallel()
	for size, tagged := range map[int]bool{transport.MaxBuffered: true, transport.MaxBuffered + 1: false} {
		half := strings.Repeat("1", size/2)
		got := ask(newBodyHandler(200, jsonType, half, half, strings.Repeat("1", size%2)), http.MethodGet)
		if got.Body.Len() != size || (got.Header().Get("ETag") != "") != tagged {
			t.Errorf("%d bytes: %d arrived, ETag %q", size, got.Body.Len(), got.Header().Get("ETag"))
		}
	}
}
