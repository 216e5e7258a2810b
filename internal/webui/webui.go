// Package webui serves the page, the API reference at /docs and the guide at /guide/.
// Everything is embedded in the binary, so it works without a network and sends no
// requests to other servers. The page is built from web/ into page/ (make web); the built
// files are committed, so building the program needs only Go.
//
// An asset's address contains a content hash (docs.1f3a….js), so browsers can keep it
// forever, while pages are checked at every visit. The reference's large assets are
// stored compressed and sent as they are; they are decompressed only for clients that do
// not accept gzip.
//
// The Content-Security-Policy protects against injected scripts. The page allows no
// inline scripts and no inline styles. The API reference (Scalar, see docs/index.html)
// sets styles from its script, so it is allowed inline styles, but no inline scripts, no
// eval and no other origins. The browser enforces this, independent of the reference's
// settings.
package webui

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"sync"
)

//go:embed all:page docs guide
var files embed.FS

// Policies for the page and the API reference. Both start with default-src none.
const (
	pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
		"font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; " +
		"frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; " +
		"trusted-types svelte-trusted-html fillbook-worker"
	// A worker obeys the policy of its own file: it only fetches the page's files.
	workerPolicy = "default-src 'none'; connect-src 'self'"
	docsPolicy   = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
		"font-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"
)

// Handler serves GET and HEAD for the page, /docs, /guide/ and their assets; anything
// else is 404 or 405 in plain text. It replaces Content-Security-Policy and caching
// headers set by outer middleware. The API reference expects the OpenAPI document at
// /openapi.json, the page expects the API at /api/v1. The first request loads the files,
// so a server starts without reading them.
func Handler() http.Handler {
	load := sync.OnceValue(loadHandler)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { load().ServeHTTP(w, r) })
}

func loadHandler() http.Handler {
	mux := http.NewServeMux()
	missing := mountPage(mux)
	mount(mux, "docs", "/docs", docsPolicy)
	mountGuide(mux, missing)
	mux.Handle("GET /docs/{$}", http.RedirectHandler("/docs", http.StatusMovedPermanently))
	return setSecurityHeaders(mux)
}

// mount adds a section: its page at path and its assets below path/assets/. It panics if
// an embedded file cannot be loaded; every test in this package would find it.
func mount(mux *http.ServeMux, dir, path, policy string) {
	base := path + "/assets/"
	found, err := loadAssets(files, dir)
	if err != nil {
		panic(err)
	}
	html, err := renderPage(files, dir, base, found)
	if err != nil {
		panic(err)
	}
	mux.Handle("GET "+path, newPage(html, policy))
	for _, a := range found {
		mux.Handle("GET "+base+a.hashedName(), a)
	}
}

// renderPage inserts asset addresses into index.html, which refers to them as in {{asset
// "docs.js"}}. An unknown name is an error.
func renderPage(from fs.FS, dir, base string, found assets) (string, error) {
	address := func(name string) (string, error) {
		if a, ok := found[name]; ok {
			return base + a.hashedName(), nil
		}
		return "", fmt.Errorf("%s/index.html refers to %s, which does not exist", dir, name)
	}
	page := template.New("index.html").Funcs(template.FuncMap{"asset": address})
	page, err := page.ParseFS(from, dir+"/index.html")
	if err != nil {
		return "", err
	}
	var html strings.Builder
	err = page.Execute(&html, nil)
	return html.String(), err
}

// setSecurityHeaders sets the headers on every response, including 404.
func setSecurityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		if r.URL.Path == consentScreen { // otherwise the window seems closed to the app
			h.Set("Cross-Origin-Opener-Policy", "unsafe-none")
		}
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		next.ServeHTTP(w, r)
	})
}
