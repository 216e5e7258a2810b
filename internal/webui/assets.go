package webui

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// contentTypes are the assets' content types. The operating system's table is not used,
// because it differs between systems.
var contentTypes = map[string]string{
	".css":         "text/css; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".txt":         "text/plain; charset=utf-8",
	".webmanifest": "application/manifest+json",
	".woff2":       "font/woff2",
}

// storedFile is an embedded file. It is read where the program file has it, because a
// copy in memory would stay there for every file.
type storedFile struct {
	from fs.FS
	path string
}

// open returns the content. It panics if none; loading a file reads it once.
func (f storedFile) open() io.ReadSeeker {
	opened, err := f.from.Open(f.path)
	if err != nil {
		panic(err)
	}
	return opened.(io.ReadSeeker)
}

// hashContent returns a short hash of the content.
func (f storedFile) hashContent() (string, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, f.open()); err != nil {
		return "", err
	}
	return shortHash(sum.Sum(nil)), nil
}

// asset is a file whose content never changes at its address.
type asset struct {
	storedFile

	name   string // without hash and without .gz, such as docs.js
	hash   string // for the stored bytes, shortened
	zipped bool   // content is gzip
}

// assets are a section's assets, by name.
type assets map[string]*asset

// loadAssets reads every file in a directory except its index.html.
func loadAssets(from fs.FS, dir string) (assets, error) {
	entries, err := fs.ReadDir(from, dir)
	if err != nil {
		return nil, err
	}
	found := assets{}
	for _, entry := range entries {
		if entry.Name() == "index.html" {
			continue
		}
		name, zipped := strings.CutSuffix(entry.Name(), ".gz")
		if contentTypes[path.Ext(name)] == "" {
			return nil, fmt.Errorf("%s/%s has an unknown content type", dir, name)
		}
		file, err := newAsset(from, path.Join(dir, entry.Name()), name)
		if err != nil {
			return nil, err
		}
		file.zipped = zipped
		found[name] = file
	}
	return found, nil
}

func newAsset(from fs.FS, file, name string) (*asset, error) {
	a := &asset{storedFile: storedFile{from: from, path: file}, name: name}
	var err error
	a.hash, err = a.hashContent()
	return a, err
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return shortHash(sum[:])
}

func shortHash(sum []byte) string { return hex.EncodeToString(sum[:6]) }

// hashedName returns the name in the address, for example docs.1f3a5c7e9b2d.js.
func (a *asset) hashedName() string {
	ext := path.Ext(a.name)
	return strings.TrimSuffix(a.name, ext) + "." + a.hash + ext
}

// ServeHTTP sends the asset compressed if it is stored compressed and the client accepts
// it.
func (a *asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Type", contentTypes[path.Ext(a.name)])
	if !a.zipped {
		serveContent(w, r, a.hash, a.open())
		return
	}
	h.Add("Vary", "Accept-Encoding")
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		content := a.open()
		size, _ := content.Seek(0, io.SeekEnd) // cannot fail: the file is in memory
		h.Set("Content-Length", strconv.FormatInt(size, 10))
		serveContent(w, r, a.hash+"-gz", content)
		return
	}
	a.unzip(w, r)
}

// unzip sends a compressed asset uncompressed, in parts. Clients needing it are rare, so
// it is not kept in memory.
func (a *asset) unzip(w http.ResponseWriter, r *http.Request) {
	plain, err := gzip.NewReader(a.open())
	if err != nil { // cannot happen: the file is embedded and tested
		http.Error(w, "asset is damaged", http.StatusInternalServerError)
		return
	}
	if r.Method != http.MethodHead {
		_, _ = io.Copy(w, plain) // the client may have disconnected
	}
}

// page is an HTML page with its own policy. Browsers check it at every visit.
type page struct {
	html   []byte
	hash   string
	policy string
}

func newPage(html, policy string) *page {
	return &page{html: []byte(html), hash: hashOf([]byte(html)), policy: policy}
}

// ServeHTTP sends the page, or 304 if the browser already has it.
func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", p.policy)
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Type", "text/html; charset=utf-8")
	serveContent(w, r, p.hash, bytes.NewReader(p.html))
}

// serveContent handles HEAD, conditional and range requests with the standard
// library.
func serveContent(w http.ResponseWriter, r *http.Request, tag string, content io.ReadSeeker) {
	w.Header().Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, content)
}

// acceptsGzip reports whether an Accept-Encoding header allows gzip, by name or
// *, with a weight above zero.
func acceptsGzip(header string) bool {
	accepted := false
	for item := range strings.SplitSeq(strings.ToLower(header), ",") {
		coding, weight, _ := strings.Cut(item, ";")
		coding = strings.TrimSpace(coding)
		if coding != "gzip" && coding != "*" {
			continue
		}
		_, q, _ := strings.Cut(strings.ReplaceAll(weight, " ", ""), "q=")
		accepted = strings.Trim(q, "0.") != "" || q == ""
		if coding == "gzip" {
			return accepted // the name has precedence over *
		}
	}
	return accepted
}
