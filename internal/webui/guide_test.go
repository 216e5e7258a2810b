package webui

import (
	"io/fs"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fillbook/docs"
)

var (
	hrefs   = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	anchors = regexp.MustCompile(`id="([^"]+)"`)
)

// TestGuideHasEveryDocument compares the guide's order with the files.
func TestGuideHasEveryDocument(t *testing.T) {
	err := fs.WalkDir(docs.Files, ".", func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && file != "guide/index.md" && !slices.Contains(guideOrder, file) {
			t.Errorf("%s is in no table of contents", file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestGuideLinksWork opens every guide page and follows every link that stays on this
// server, headings included.
func TestGuideLinksWork(t *testing.T) {
	followed := map[string]bool{}
	for _, file := range append([]string{"guide/index.md"}, guideOrder...) {
		from := guideAddress(file)
		w := ask(t, "GET", from)
		expect(t, w, 200, map[string]string{
			"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache", "Content-Security-Policy": guidePolicy,
		})
		html := w.Body.String()
		if strings.Contains(html, "<style") || strings.Contains(html, "style=") || strings.Count(html, "<script") != 1 {
			t.Errorf("%s has a style or script of its own, which the policy forbids", from)
		}
		if strings.Count(html, `aria-current="page"`) != 2 || strings.Count(html, "<h1") != 1 {
			t.Errorf("%s does not say where the reader is", from)
		}
		for _, found := range hrefs.FindAllStringSubmatch(html, -1) {
			if link := found[1]; strings.HasPrefix(link, "#") || !followed[link] {
				followed[link] = true
				followLink(t, from, link)
			}
		}
	}
}

func followLink(t *testing.T, from, link string) {
	t.Helper()
	to, err := url.Parse(link)
	if err != nil {
		t.Errorf("%s: %v", from, err)
		return
	}
	if to.Scheme == "https" {
		return
	}
	path := to.Path
	if path == "" {
		path = from
	}
	w := ask(t, "GET", path)
	if w.Code != 200 {
		t.Errorf("%s links to %s, which answers %d", from, link, w.Code)
		return
	}
	if to.Fragment == "" {
		return
	}
	there := anchors.FindAllStringSubmatch(w.Body.String(), -1)
	if !slices.ContainsFunc(there, func(a []string) bool { return a[1] == to.Fragment }) {
		t.Errorf("%s links to %s, where there is no such heading", from, link)
	}
}

func TestGuideAddresses(t *testing.T) {
	expect(t, ask(t, "GET", "/guide"), 301, map[string]string{"Location": "/guide/"})
	expect(t, ask(t, "GET", "/guide/nothing"), 404, nil)
	expect(t, ask(t, "GET", "/guide/index"), 404, nil)
	expect(t, ask(t, "POST", "/guide/"), 405, nil)
	again := ask(t, "GET", "/guide/", "If-None-Match", ask(t, "GET", "/guide/").Header().Get("ETag"))
	expect(t, again, 304, map[string]string{"Content-Security-Policy": guidePolicy})
}

// TestGuidePolicyIsStrict checks that the guide may load only our stylesheet and the
// theme script.
func TestGuidePolicyIsStrict(t *testing.T) {
	for _, needed := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"} {
		if !slices.Contains(strings.Split(guidePolicy, "; "), needed) {
			t.Errorf("the policy lacks %q", needed)
		}
	}
	if strings.Contains(guidePolicy, "unsafe") || strings.Contains(guidePolicy, "connect-src") {
		t.Errorf("the policy allows too much: %s", guidePolicy)
	}
}

// TestLinkOutOfTheGuideIsAMistake keeps dead links out of the program.
func TestLinkOutOfTheGuideIsAMistake(t *testing.T) {
	links := &guideLinks{file: "guide/index.md", from: docs.Files}
	for link, want := range map[string]string{
		"first-steps.md":        "/guide/first-steps",
		"../metrics.md#summary": "/guide/reference/metrics#summary",
		"index.md":              "/guide/",
		"#here":                 "#here",
		"https://litestream.io": "https://litestream.io",
		"../architecture.md":    "",
		"../../README.md":       "",
		"administration.md#a-b": "/guide/administration#a-b",
		"/docs":                 "/docs",
	} {
		got, err := links.address(link)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%s leads to %q, %v, want %q", link, got, err, want)
		}
	}
}
