// Package webui serves what a browser opens: the page, whose screens each have
// an address of their own, the API reference at /docs and the guide at /guide/.
// Everything they need is inside the binary, so all work without a network, and
// none asks anything of anybody but this server. The page is built from web/ into page/
// (make web); the built files are committed, so that building needs Go only.
//
// An asset is addressed by name and content hash (docs.1f3a….js): its address
// changes with its content, so a browser may keep it for good, while a page
// itself is checked at every visit. Large assets of the reference are stored
// compressed and go out as they are; they are unpacked only for a client that
// cannot do it.
//
// The wall against injected script is the Content-Security-Policy. The page
// allows no inline script and no inline style. The API reference (Scalar, see
// docs/index.html) sets styles from script and is therefore allowed inline
// styles, but no inline script, no eval and no other origin either: what it may
// not do is held by the browser and not by our settings of it.
package webui

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
)

//go:embed all:page docs guide
var files embed.FS

// The policies of the two sections. Both start from nothing at all.
const (
	pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
		"font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; " +
		"frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'"
	docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
		"font-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"
)

// Handler serves GET and HEAD of the page, /docs, /guide/ and their assets; anything else is
// 404 or 405 in plain text. It sets its own Content-Security-Policy and caching
// over whatever a middleware has set before, and needs no other header set for
// it. The API reference expects the OpenAPI document at /openapi.json, the
// page expects the API at /api/v1.
func Handler() http.Handler {
	mux := http.NewServeMux()
	missing := mountPage(mux)
	mount(mux, "docs", "/docs", docsPolicy)
	mountGuide(mux, missing)
	mux.Handle("GET /docs/{$}", http.RedirectHandler("/docs", http.StatusMovedPermanently))
	return secured(mux)
}

// mount adds a section: its page at path and its assets below path/assets/.
// The files are part of the program, so one that does not load is a mistake of
// the build, which every test of this package would find, and not an error.
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

// renderPage fills in the addresses of the assets that index.html names, as in
// {{asset "docs.js"}}; a name that does not exist is an error.
func renderPage(from fs.FS, dir, base string, found assets) (string, error) {
	address := func(name string) (string, error) {
		if a, ok := found[name]; ok {
			return base + a.hashedName(), nil
		}
		return "", fmt.Errorf("%s/index.html names %s, which is not there", dir, name)
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

// secured sets the headers that every answer has, 404 included.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		next.ServeHTTP(w, r)
	})
}
