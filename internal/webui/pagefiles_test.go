package webui

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// Every address known to the page opens the page, and no other does.
func TestScreensAreThoseOfThePage(t *testing.T) {
	source, err := os.ReadFile("../../web/src/app/routes.ts")
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, match := range regexp.MustCompile(`\bpath: '([^']+)'`).FindAllStringSubmatch(string(source), -1) {
		known = append(known, match[1])
	}
	served := append([]string{sharedScreen}, screens...)
	served[slices.Index(served, "/{$}")] = "/"
	slices.Sort(known)
	slices.Sort(served)
	if !slices.Equal(known, served) {
		t.Errorf("the page knows\n%q\nand the server serves\n%q", known, served)
	}
}

// The worker has a policy of its own, and is asked for again at every visit.
func TestWorker(t *testing.T) {
	mux := http.NewServeMux()
	mountWorker(mux, fstest.MapFS{"page/sw.js": {Data: []byte("const version = 1;")}})
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/sw.js", nil))
	expect(t, w, 200, map[string]string{
		"Content-Security-Policy": workerPolicy, "Cache-Control": "no-cache", "Content-Type": "text/javascript; charset=utf-8",
	})
	if w.Body.String() != "const version = 1;" {
		t.Errorf("the worker is %q", w.Body)
	}
}

func TestDeepLinks(t *testing.T) {
	front := ask(t, "GET", "/")
	for _, path := range []string{"/trades", "/trades/0198-x", "/reports/time?range=90d&unit=r", "/settings/tokens", "/sign-in?to=%2Ftrades"} {
		w := ask(t, "GET", path)
		expect(t, w, 200, map[string]string{"Content-Security-Policy": pagePolicy, "Cache-Control": "no-cache"})
		if w.Body.String() != front.Body.String() {
			t.Errorf("%s is not the page", path)
		}
	}
}

// A shared link's card is the same for every link.
func TestSharedPageHasACard(t *testing.T) {
	one, other := ask(t, "GET", "/s/abc"), ask(t, "GET", "/s/xyz")
	if one.Body.String() != other.Body.String() {
		t.Error("the card tells links apart")
	}
	for _, needed := range []string{`property="og:title"`, `property="og:description"`, `name="twitter:card"`, `content="noindex"`, "/assets/index-"} {
		if !strings.Contains(one.Body.String(), needed) {
			t.Errorf("%s is not in the page", needed)
		}
	}
	if strings.Contains(ask(t, "GET", "/").Body.String(), "og:title") {
		t.Error("the card is on the own page as well")
	}
	expect(t, one, 200, map[string]string{"Content-Security-Policy": pagePolicy})
}

func TestBuiltFiles(t *testing.T) {
	entries, err := fs.ReadDir(files, "page/assets")
	if err != nil {
		t.Fatal(err)
	}
	hashed := regexp.MustCompile(`-[\w-]{8}\.[a-z0-9]+$`)
	for _, entry := range entries {
		if !hashed.MatchString(entry.Name()) {
			t.Errorf("%s has no hash in its name", entry.Name())
		}
		path := "/assets/" + entry.Name()
		plain := ask(t, "GET", path)
		expect(t, plain, 200, map[string]string{"Content-Encoding": "", "Vary": "Accept-Encoding", "Cache-Control": "public, max-age=31536000, immutable"})
		zipped := ask(t, "GET", path, "Accept-Encoding", "gzip")
		expect(t, zipped, 200, map[string]string{"Content-Encoding": "gzip"})
		reader, err := gzip.NewReader(zipped.Body)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		if string(content) != plain.Body.String() {
			t.Errorf("%s differs when compressed", path)
		}
		again := ask(t, "GET", path, "Accept-Encoding", "gzip", "If-None-Match", zipped.Header().Get("ETag"))
		expect(t, again, http.StatusNotModified, nil)
	}
}

// The budget: the first visit fetches at most 200 KB of script.
func TestInitialScriptIsSmall(t *testing.T) {
	html := ask(t, "GET", "/").Body.String()
	total := 0
	for _, match := range regexp.MustCompile(`(?:src|href)="(/assets/[^"]+\.js)"`).FindAllStringSubmatch(html, -1) {
		total += ask(t, "GET", match[1], "Accept-Encoding", "gzip").Body.Len()
	}
	if total < 10_000 || total > 200_000 {
		t.Errorf("the page begins with %d bytes of script", total)
	}
}

// The policy forbids these; a library with one would fail in the browser only, and only
// on the screen using it.
func TestBuiltScriptsKeepThePolicy(t *testing.T) {
	forbidden := regexp.MustCompile(`\beval\(|new Function\(|document\.write\(|createElement\(["'` + "`" + `]style["'` + "`" + `]\)|https?://(?:cdn|fonts|unpkg)`)
	entries, err := fs.ReadDir(files, "page/assets")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".js") {
			continue
		}
		content, err := fs.ReadFile(files, "page/assets/"+entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		if found := forbidden.FindString(string(content)); found != "" {
			t.Errorf("%s has %q", entry.Name(), found)
		}
	}
}

func TestBuiltFileOfUnknownKind(t *testing.T) {
	from := fstest.MapFS{"x/tool.exe": {Data: []byte("MZ")}}
	if _, err := loadBuilt(from, "x"); err == nil || !strings.Contains(err.Error(), "tool.exe") {
		t.Errorf("error %v, want one that names tool.exe", err)
	}
}
