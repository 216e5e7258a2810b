package webui

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

var handler = sync.OnceValue(Handler)

// ask sends a request; its headers are given as name, value, name, value.
func ask(t *testing.T, method, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	w := httptest.NewRecorder()
	handler().ServeHTTP(w, r)
	return w
}

func expect(t *testing.T, w *httptest.ResponseRecorder, status int, headers map[string]string) {
	t.Helper()
	if w.Code != status {
		t.Errorf("status %d, want %d", w.Code, status)
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if got := w.Header().Get(name); got != headers[name] {
			t.Errorf("%s: %q, want %q", name, got, headers[name])
		}
	}
}

var pages = map[string]string{"/": pagePolicy, "/docs": docsPolicy}

func TestPages(t *testing.T) {
	for path, policy := range pages {
		t.Run(path, func(t *testing.T) {
			w := ask(t, "GET", path)
			expect(t, w, 200, map[string]string{
				"Content-Type":            "text/html; charset=utf-8",
				"Cache-Control":           "no-cache",
				"Content-Security-Policy": policy,
			})
			if !strings.Contains(w.Body.String(), "<title>Fillbook") {
				t.Errorf("this is not the page: %s", w.Body)
			}
			head := ask(t, "HEAD", path)
			expect(t, head, 200, map[string]string{"Content-Security-Policy": policy, "Content-Length": w.Header().Get("Content-Length")})
			if head.Body.Len() > 0 {
				t.Error("HEAD has a body")
			}
			again := ask(t, "GET", path, "If-None-Match", w.Header().Get("ETag"))
			expect(t, again, http.StatusNotModified, map[string]string{"Content-Security-Policy": policy})
		})
	}
}

// The page's policy is the one in the security rules, to the letter; the reference's may
// differ only in inline styles and data fonts.
func TestPolicies(t *testing.T) {
	for path, policy := range pages {
		for _, needed := range []string{"default-src 'none'", "script-src 'self'", "connect-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"} {
			if !slices.Contains(strings.Split(policy, "; "), needed) {
				t.Errorf("%s: the policy lacks %q", path, needed)
			}
		}
		for _, evil := range []string{"unsafe-eval", "http:", "https:", "*"} {
			if strings.Contains(policy, evil) {
				t.Errorf("%s: the policy allows %q", path, evil)
			}
		}
	}
	if strings.Contains(pagePolicy, "unsafe") {
		t.Error("the page allows something unsafe")
	}
}

// What the policies forbid must not be in the pages: it would silently not work.
func TestPagesHaveNothingInline(t *testing.T) {
	inline := regexp.MustCompile(`(?i)<style|<script[^>]*>[^<]|\sstyle=|\son[a-z]+=|javascript:`)
	outside := regexp.MustCompile(`(?:src|href)="[^/"]`)
	for path := range pages {
		html := ask(t, "GET", path).Body.String()
		if found := inline.FindString(html); found != "" {
			t.Errorf("%s has %q inline", path, found)
		}
		if found := outside.FindString(html); found != "" {
			t.Errorf("%s points outside: %q", path, found)
		}
	}
}

func TestEveryAnswerIsSecured(t *testing.T) {
	for _, path := range []string{"/", "/docs", "/docs/", "/nothing", assetOf(t, "docs.js"), "/docs/assets/nothing.js"} {
		w := ask(t, "GET", path)
		expect(t, w, w.Code, map[string]string{
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "no-referrer",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
		})
		if w.Header().Get("Content-Security-Policy") == "" || w.Header().Get("Permissions-Policy") == "" {
			t.Errorf("%s has no policy: %v", path, w.Header())
		}
	}
}

// TestAppSeesItsWindow checks the one page that an app opens.
func TestAppSeesItsWindow(t *testing.T) {
	expect(t, ask(t, "GET", "/connect-app?request_id=x"), http.StatusOK, map[string]string{"Cross-Origin-Opener-Policy": "unsafe-none"})
}

// A middleware may have set the API's strict headers before.
func TestOwnHeadersReplaceThoseOfTheAPI(t *testing.T) {
	w := httptest.NewRecorder()
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	w.Header().Set("Cache-Control", "no-store")
	handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/docs", nil))
	for _, name := range []string{"Content-Security-Policy", "Cache-Control"} {
		if values := w.Header().Values(name); len(values) != 1 || values[0] == "no-store" || values[0] == "default-src 'none'" {
			t.Errorf("%s: %q", name, values)
		}
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		method, path string
		status       int
	}{
		{"GET", "/nothing", 404},
		{"GET", "/index.html", 404},
		{"GET", "/docs/nothing", 404},
		{"GET", "/docs/assets/", 404},
		{"GET", "/docs/assets/scalar.js", 404},
		{"GET", "/docs/assets/scalar.000000000000.js", 404},
		{"GET", "/docs/assets/index.html", 404},
		{"GET", "/assets/", 404},
		{"GET", "/assets/index.js", 404},
		{"GET", "/assets/index-00000000.js", 404},
		{"GET", "/trades/1/2", 404},
		{"GET", "/s/", 404},
		{"GET", "/api/v1/accounts", 404},
		{"POST", "/", 405},
		{"DELETE", "/docs", 405},
		{"PUT", assetOf(t, "docs.js"), 405},
	}
	for _, tt := range tests {
		w := ask(t, tt.method, tt.path)
		expect(t, w, tt.status, map[string]string{
			"Content-Type":            "text/plain; charset=utf-8",
			"Cache-Control":           "",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		})
	}
}

// TestUnknownAddressShowsThePage opens unknown addresses with a browser.
func TestUnknownAddressShowsThePage(t *testing.T) {
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for _, path := range []string{"/nothing", "/trades/1/2", "/docs/nothing", "/guide/nothing", "/s/"} {
		w := ask(t, "GET", path, "Accept", browser)
		expect(t, w, 404, map[string]string{
			"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache", "Content-Security-Policy": pagePolicy,
		})
		if !strings.Contains(w.Body.String(), "<title>Fillbook") {
			t.Errorf("%s: this is not the page: %s", path, w.Body)
		}
	}
	for _, path := range []string{"/assets/index-00000000.js", "/favicon.png"} {
		expect(t, ask(t, "GET", path, "Accept", browser), 404, map[string]string{"Content-Type": "text/plain; charset=utf-8"})
	}
}

func TestDocsWithSlash(t *testing.T) {
	expect(t, ask(t, "GET", "/docs/"), http.StatusMovedPermanently, map[string]string{"Location": "/docs"})
}

func TestPageThatNamesWhatIsNotThere(t *testing.T) {
	from := fstest.MapFS{"x/index.html": {Data: []byte(`{{asset "gone.js"}}`)}}
	if _, err := renderPage(from, "x", "/assets/", assets{}); err == nil || !strings.Contains(err.Error(), "gone.js") {
		t.Errorf("error %v, want one that names gone.js", err)
	}
}
