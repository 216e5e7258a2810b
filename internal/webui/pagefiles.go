package webui

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
)

// screens are the addresses at which the page opens. They are those in
// web/src/app/routes.ts, with {name} for a variable part; a test compares the two. At any
// other address a browser gets the page with status 404, which shows its own message;
// programs get a plain 404.
var screens = []string{
	"/{$}",
	"/trades", "/trades/{id}",
	"/review",
	"/positions",
	"/options",
	"/calendar", "/calendar/{day}", "/calendar/week/{day}", "/calendar/month/{month}",
	"/notes", "/notes/templates", "/notes/{id}",
	"/reports", "/reports/{report}",
	"/programs", "/programs/{id}",
	"/setups", "/setups/{id}",
	"/symbols/{symbol}",
	"/tags",
	"/missed",
	"/routines",
	"/rules",
	"/accounts", "/accounts/{id}",
	"/import", "/import/{id}",
	"/connections",
	"/corporate-actions",
	"/prices",
	"/history",
	"/export",
	"/settings", "/settings/{tab}",
	"/admin",
	consentScreen,
	"/start", "/sign-in", "/register",
}

// consentScreen lets a user allow an app access. The app may have opened its window.
const consentScreen = "/connect-app"

// sharedScreen is opened by strangers and read by other sites for a card. The card's text
// is the same for every link: it must not reveal whether a link works, and never contains
// an amount.
const (
	sharedScreen = "/s/{token}"
	sharedCard   = `<meta name="robots" content="noindex" />
    <meta property="og:type" content="website" />
    <meta property="og:site_name" content="Fillbook" />
    <meta property="og:title" content="A trading journal, shared" />
    <meta property="og:description" content="Results of a trader who keeps a journal in Fillbook." />
    <meta name="twitter:card" content="summary" />
  </head>`
)

// mountPage adds the page at all its addresses and its files below /assets/. The build
// named each file after a hash of its content (see web/), so they are served under their
// own names. It returns the handler for unknown addresses.
func mountPage(mux *http.ServeMux) (missing http.Handler) {
	html, err := fs.ReadFile(files, "page/index.html")
	if err != nil {
		panic(err) // a build mistake, which every test would find
	}
	app := newPage(string(html), pagePolicy)
	for _, address := range screens {
		mux.Handle("GET "+address, app)
	}
	missing = notFound(app)
	mux.Handle("GET /", missing)
	shared := strings.Replace(string(html), "</head>", sharedCard, 1)
	mux.Handle("GET "+sharedScreen, newPage(shared, pagePolicy))

	mountWorker(mux, files)
	built, err := loadBuilt(files, "page/assets")
	if err != nil {
		panic(err)
	}
	for _, file := range built {
		mux.Handle("GET /assets/"+file.name, file)
	}
	return missing
}

// mountWorker adds the page's service worker. Browsers look for a new one under the same
// address, so it has no hash in its name and is not cached. A page without one is
// complete: it only needs the server.
func mountWorker(mux *http.ServeMux, from fs.FS) {
	script, err := fs.ReadFile(from, "page/sw.js")
	if err != nil {
		return
	}
	mux.HandleFunc("GET /sw.js", func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", workerPolicy)
		h.Set("Cache-Control", "no-cache")
		h.Set("Content-Type", contentTypes[".js"])
		serveContent(w, r, "sw.js", bytes.NewReader(script))
	})
}

// notFound answers unknown addresses. The page is sent to browsers navigating there, and
// not in place of a missing file or an answer a program waits for.
func notFound(app *page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		isFile := strings.Contains(r.URL.Path, "/assets/") || path.Ext(r.URL.Path) != ""
		if isFile || !strings.Contains(r.Header.Get("Accept"), "text/html") {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", app.policy)
		h.Set("Cache-Control", "no-cache")
		h.Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusNotFound)
		if r.Method != http.MethodHead {
			_, _ = w.Write(app.html)
		}
	})
}

// builtFile is a page file under its hashed name.
type builtFile struct {
	storedFile

	name   string
	zipped func() []byte // compressed at the first request for it
}

func loadBuilt(from fs.FS, dir string) ([]*builtFile, error) {
	entries, err := fs.ReadDir(from, dir)
	if err != nil {
		return nil, err
	}
	built := make([]*builtFile, 0, len(entries))
	for _, entry := range entries {
		if contentTypes[path.Ext(entry.Name())] == "" {
			return nil, fmt.Errorf("%s/%s is of a kind we do not serve", dir, entry.Name())
		}
		file := &builtFile{storedFile: storedFile{from: from, path: path.Join(dir, entry.Name())}, name: entry.Name()}
		file.zipped = sync.OnceValue(func() []byte { return zip(file.open()) })
		built = append(built, file)
	}
	return built, nil
}

func zip(content io.Reader) []byte {
	var out bytes.Buffer
	// None can fail: the level is known, an embedded file is in memory, and a buffer
	// takes everything.
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	_, _ = io.Copy(w, content)
	_ = w.Close()
	return out.Bytes()
}

// ServeHTTP sends the file, compressed to clients accepting it.
func (f *builtFile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Type", contentTypes[path.Ext(f.name)])
	h.Add("Vary", "Accept-Encoding")
	if !acceptsGzip(r.Header.Get("Accept-Encoding")) {
		serveContent(w, r, f.name, f.open())
		return
	}
	h.Set("Content-Encoding", "gzip")
	serveContent(w, r, f.name+"-gz", bytes.NewReader(f.zipped()))
}
