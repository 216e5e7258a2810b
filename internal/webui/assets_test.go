package webui

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// assetOf returns an API reference asset's address.
func assetOf(t *testing.T, name string) string {
	t.Helper()
	found, err := loadAssets(files, "docs")
	if err != nil {
		t.Fatal(err)
	}
	return "/docs/assets/" + found[name].hashedName()
}

// Every asset named in a page exists, and may be cached forever.
func TestPagesNameAssetsThatExist(t *testing.T) {
	reference := regexp.MustCompile(`(?:src|href)="([^"]*/assets/[^"]*)"`)
	hashed := regexp.MustCompile(`\.[0-9a-f]{12}\.[a-z0-9]+$|-[\w-]{8}\.[a-z0-9]+$`)
	for path := range pages {
		references := reference.FindAllStringSubmatch(ask(t, "GET", path).Body.String(), -1)
		if len(references) < 3 {
			t.Errorf("%s names %d assets only", path, len(references))
		}
		for _, match := range references {
			if !hashed.MatchString(match[1]) {
				t.Errorf("%s has no hash in its name", match[1])
			}
			expect(t, ask(t, "GET", match[1]), 200, map[string]string{"Cache-Control": "public, max-age=31536000, immutable"})
		}
	}
}

func TestContentTypes(t *testing.T) {
	for name, want := range map[string]string{
		"docs.css":           "text/css; charset=utf-8",
		"docs.js":            "text/javascript; charset=utf-8",
		"scalar.js":          "text/javascript; charset=utf-8",
		"favicon.svg":        "image/svg+xml",
		"scalar.LICENSE.txt": "text/plain; charset=utf-8",
	} {
		expect(t, ask(t, "GET", assetOf(t, name)), 200, map[string]string{"Content-Type": want})
	}
}

func TestCompressedAsset(t *testing.T) {
	path := assetOf(t, "scalar.js")
	zipped := ask(t, "GET", path, "Accept-Encoding", "br, gzip")
	expect(t, zipped, 200, map[string]string{
		"Content-Encoding": "gzip",
		"Content-Length":   strconv.Itoa(zipped.Body.Len()),
		"Vary":             "Accept-Encoding",
	})
	plain := ask(t, "GET", path, "Accept-Encoding", "identity")
	expect(t, plain, 200, map[string]string{"Content-Encoding": "", "Vary": "Accept-Encoding"})

	unzipped, err := gzip.NewReader(zipped.Body)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	if string(content) != plain.Body.String() {
		t.Errorf("%d bytes when unzipped by the client, %d when unzipped here", len(content), plain.Body.Len())
	}
}

func TestCompressedAssetIsNotSentTwice(t *testing.T) {
	path := assetOf(t, "scalar.js")
	first := ask(t, "GET", path, "Accept-Encoding", "gzip")
	again := ask(t, "GET", path, "Accept-Encoding", "gzip", "If-None-Match", first.Header().Get("ETag"))
	expect(t, again, http.StatusNotModified, map[string]string{"Content-Encoding": ""})
	for _, encoding := range []string{"gzip", "identity"} {
		if head := ask(t, "HEAD", path, "Accept-Encoding", encoding); head.Code != 200 || head.Body.Len() > 0 {
			t.Errorf("HEAD for %s: status %d, %d bytes", encoding, head.Code, head.Body.Len())
		}
	}
}

func TestAcceptsGzip(t *testing.T) {
	for header, want := range map[string]bool{
		"":                        false,
		"identity":                false,
		"br":                      false,
		"gzip":                    true,
		"GZIP":                    true,
		"gzip, deflate, br, zstd": true,
		"br;q=1.0, gzip;q=0.5":    true,
		"gzip;q=0":                false,
		"gzip; q=0.000":           false,
		"gzip;q=1":                true,
		"*":                       true,
		"*;q=0":                   false,
		"*, gzip;q=0":             false,
		"gzip, *;q=0":             true,
		"x-gzip":                  false,
	} {
		if got := acceptsGzip(header); got != want {
			t.Errorf("acceptsGzip(%q) = %t", header, got)
		}
	}
}

func TestAssetOfUnknownKind(t *testing.T) {
	from := fstest.MapFS{"x/tool.exe": {Data: []byte("MZ")}}
	if _, err := loadAssets(from, "x"); err == nil || !strings.Contains(err.Error(), "tool.exe") {
		t.Errorf("error %v, want one that names tool.exe", err)
	}
}

// plainScalar is the vendored script as its authors published it.
func plainScalar(t *testing.T) string {
	t.Helper()
	return ask(t, "GET", assetOf(t, "scalar.js")).Body.String()
}

// The stored script is the published one, byte for byte; scripts/vendor-docs
// --check compares it with npm, this holds it to what was agreed on.
func TestVendoredScriptIsUnchanged(t *testing.T) {
	source, err := files.ReadFile("docs/scalar.SOURCE.txt")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(plainScalar(t)))
	if want := "sha256   " + hex.EncodeToString(sum[:]); !strings.Contains(string(source), want) {
		t.Errorf("scalar.js.gz is not what scalar.SOURCE.txt says; it has\n%s", want)
	}
}

// A setting unknown to a newer version would silently do nothing.
func TestVendoredScriptHasOurSettings(t *testing.T) {
	ours, err := files.ReadFile("docs/docs.js")
	if err != nil {
		t.Fatal(err)
	}
	script := plainScalar(t)
	settings := regexp.MustCompile(`(?m)^    (\w+):`).FindAllStringSubmatch(string(ours), -1)
	if len(settings) < 8 {
		t.Fatalf("found only %d settings in docs.js", len(settings))
	}
	for _, setting := range append(settings, []string{"", "__zod_globalConfig"}, []string{"", "jitless"}) {
		if !strings.Contains(script, setting[1]) {
			t.Errorf("scalar.js does not know %q", setting[1])
		}
	}
}
