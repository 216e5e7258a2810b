package webui

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"fillbook/docs"
	"fillbook/internal/base/lazyregexp"
)

// guidePolicy allows one script, which sets the theme; the guide works without it. The
// pages contain no text from users.
const guidePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guideOrder is the order of the table of contents after the index.
var guideOrder = []string{
	"guide/first-steps.md",
	"guide/importing.md",
	"guide/connect-a-broker.md",
	"guide/watch-a-folder.md",
	"guide/send-fills-by-webhook.md",
	"guide/trades-and-notes.md",
	"guide/options-and-strategies.md",
	"guide/splits-and-transfers.md",
	"guide/history-and-undo.md",
	"guide/ask-an-assistant.md",
	"guide/prices-and-charts.md",
	"guide/filters-and-views.md",
	"guide/figures.md",
	"guide/several-currencies.md",
	"guide/routines.md",
	"guide/rules-and-goals.md",
	"guide/prop-firm-programs.md",
	"guide/send-events.md",
	"guide/exporting.md",
	"guide/sharing.md",
	"guide/api-tokens.md",
	"guide/administration.md",
	"guide/backup-and-restore.md",
	"guide/security.md",
	"guide/faq.md",
	"metrics.md", "history.md", "brokers.md", "glossary.md", "api.md", "backup-format.md", "backup.md",
}

// guideAddress returns a document's path: the guide is at /guide/, the documents it
// refers to are below /guide/reference/.
func guideAddress(file string) string {
	name := strings.TrimSuffix(path.Base(file), ".md")
	switch {
	case file == "guide/index.md":
		return "/guide/"
	case path.Dir(file) == "guide":
		return "/guide/" + name
	}
	return "/guide/reference/" + name
}

// guidePage is a document as HTML.
type guidePage struct {
	Title   string
	Address string
	Body    template.HTML
}

// guideEntry is a line in the table of contents.
type guideEntry struct {
	Title, Address     string
	Current, Reference bool
}

// mountGuide adds the guide. Its pages are rendered at the first request,
// because few visits need them and the start should not wait.
func mountGuide(mux *http.ServeMux, missing http.Handler) {
	style, err := newAsset(files, "guide/guide.css", "guide.css")
	if err != nil {
		panic(err) // cannot happen: an embedded file can be read
	}
	address := "/guide/assets/" + style.hashedName()
	mux.Handle("GET "+address, style)
	pages := sync.OnceValue(func() map[string]*page {
		made, err := renderGuide(docs.Files, address)
		if err != nil {
			panic(err) // an embedded document is invalid
		}
		return made
	})
	serve := func(w http.ResponseWriter, r *http.Request) {
		if p, ok := pages()[r.URL.Path]; ok {
			p.ServeHTTP(w, r)
			return
		}
		missing.ServeHTTP(w, r)
	}
	mux.HandleFunc("GET /guide/", serve)
	mux.Handle("GET /guide", http.RedirectHandler("/guide/", http.StatusMovedPermanently))
}

// renderGuide renders all guide pages, by path.
func renderGuide(from fs.FS, stylesheet string) (map[string]*page, error) {
	shell, err := template.ParseFS(files, "guide/page.html")
	if err != nil {
		return nil, err
	}
	shared, err := findSharedFiles(files)
	if err != nil {
		return nil, err
	}
	var all []guidePage
	for _, file := range append([]string{"guide/index.md"}, guideOrder...) {
		made, err := renderDocument(from, file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, made)
	}
	pages := map[string]*page{}
	for _, made := range all {
		var html strings.Builder
		err := shell.Execute(&html, map[string]any{
			"Page": made, "Contents": contentsFor(made, all), "Stylesheet": stylesheet, "Theme": shared.theme, "Icon": shared.icon,
		})
		if err != nil {
			return nil, err
		}
		pages[made.Address] = newPage(html.String(), guidePolicy)
	}
	return pages, nil
}

func contentsFor(current guidePage, all []guidePage) []guideEntry {
	var entries []guideEntry
	for _, p := range all {
		entries = append(entries, guideEntry{
			Title: p.Title, Address: p.Address, Current: p.Address == current.Address,
			Reference: strings.HasPrefix(p.Address, "/guide/reference/"),
		})
	}
	return entries
}

// sharedFiles are paths of page files also used by the guide.
type sharedFiles struct {
	theme string // theme script
	icon  string
}

var (
	themeName = lazyregexp.New(`/assets/theme-[\w-]+\.js`)
	iconName  = lazyregexp.New(`/assets/favicon-[\w-]+\.svg`)
)

// findSharedFiles finds their names in the page, which change with their
// content.
func findSharedFiles(from fs.FS) (sharedFiles, error) {
	html, err := fs.ReadFile(from, "page/index.html")
	if err != nil {
		return sharedFiles{}, err
	}
	found := sharedFiles{theme: string(themeName().Find(html)), icon: string(iconName().Find(html))}
	if found.theme == "" || found.icon == "" {
		return sharedFiles{}, errors.New("page/index.html has no theme script or no icon")
	}
	return found, nil
}

// renderDocument converts Markdown to HTML. Raw HTML is removed, and links to
// other documents become their paths.
func renderDocument(from fs.FS, file string) (guidePage, error) {
	source, err := fs.ReadFile(from, file)
	if err != nil {
		return guidePage{}, err
	}
	links := &guideLinks{file: file, from: from}
	markdown := goldmark.New(
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(links, 100))),
	)
	var body bytes.Buffer
	if err := markdown.Convert(source, &body); err != nil {
		return guidePage{}, err
	}
	title, _, _ := strings.Cut(strings.TrimPrefix(string(source), "# "), "\n")
	return guidePage{Title: title, Address: guideAddress(file), Body: template.HTML(body.String())}, links.err // our own documents
}

// guideLinks rewrites the links in one document.
type guideLinks struct {
	file string
	from fs.FS
	err  error
}

// Transform implements goldmark's parser.ASTTransformer.
func (g *guideLinks) Transform(document *ast.Document, _ text.Reader, _ parser.Context) {
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := node.(*ast.Link); ok && entering {
			address, err := g.address(string(link.Destination))
			if err != nil && g.err == nil {
				g.err = err
			}
			link.Destination = []byte(address)
		}
		return ast.WalkContinue, nil
	})
}

// address returns the path for a link. A link to a document outside the guide is an
// error.
func (g *guideLinks) address(link string) (string, error) {
	to, err := url.Parse(link)
	if err != nil {
		return "", err
	}
	if to.Scheme != "" || to.Path == "" || strings.HasPrefix(to.Path, "/") {
		return link, nil
	}
	file := path.Join(path.Dir(g.file), to.Path)
	if _, err := fs.Stat(g.from, file); err != nil {
		return "", fmt.Errorf("link %s refers to a document outside of the guide", link)
	}
	to.Path = guideAddress(file)
	return to.String(), nil
}
