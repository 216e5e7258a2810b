package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestReadsHaveAnETag(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		w.settle() // the owner's last use must not change between two reads
		me := owner.get("/me").text("id")
		for _, path := range []string{
			"/setup/status", "/me", "/me/preferences", "/me/sessions", "/access-tokens", "/access-tokens/x/uses",
			"/admin/users", "/admin/users/" + me, "/admin/audit", "//healthz", "//openapi.json",
		} {
			first := owner.get(path).want(http.StatusOK)
			for _, condition := range []string{first.tag(), "W/" + first.tag(), `"a", ` + first.tag(), "*"} {
				again := owner.with("If-None-Match", condition).get(path).want(http.StatusNotModified)
				if len(again.body) != 0 || again.tag() != first.tag() {
					w.t.Errorf("%s: 304 with body %q, ETag %q", path, again.body, again.tag())
				}
			}
			owner.with("If-None-Match", `"other"`).get(path).want(http.StatusOK).wantSame(first)
		}
	})
}

func TestETagChangesWithTheRecord(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		before := owner.get("/me/preferences").tag()
		owner.patch("/me/preferences", `{"a":1}`).wantNone()
		after := owner.with("If-None-Match", before).get("/me/preferences").want(http.StatusOK).tag()
		if before == after {
			t.Error("the tag is the same although the preferences changed")
		}
	})
}

// TestWritesHaveTheETagOfTheRecord lets a client write again without a read.
func TestWritesHaveTheETagOfTheRecord(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		made := owner.post("/admin/users", map[string]any{"email": "anna@example.org", "password": "password of anna"}).want(http.StatusCreated)
		path := "/admin/users/" + made.text("id")
		if got := owner.get(path).tag(); got != made.tag() {
			t.Errorf("created with %s, read with %s", made.tag(), got)
		}
		promoted := owner.with("If-Match", made.tag()).patch(path, `{"is_admin":true}`).want(http.StatusOK)
		if got := owner.get(path).tag(); got != promoted.tag() || got == made.tag() {
			t.Errorf("changed with %s, read with %s, created with %s", promoted.tag(), got, made.tag())
		}
		owner.with("If-Match", promoted.tag()).patch(path, `{"is_admin":false}`).want(http.StatusOK)
	})
}

// TestConditionalWrites tries every write to a single record with a fresh tag, a stale
// one, a weak one, several, and none.
func TestConditionalWrites(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		user := func(i int) (string, string) {
			made := owner.post("/admin/users", map[string]any{"email": fmt.Sprintf("u%d@example.org", i), "password": "password of somebody"}).want(http.StatusCreated)
			return "/admin/users/" + made.text("id"), made.tag()
		}
		token := func(i int) (string, string) {
			made := owner.post("/access-tokens", map[string]any{"name": fmt.Sprint("token ", i)}).want(http.StatusCreated)
			return "/access-tokens/" + made.text("id"), made.tag()
		}
		d := owner.addAccount("Main")
		batch := func(i int) (string, string) {
			file := fmt.Sprintf("Symbol,Side,Quantity,Price,Date\nAAA,buy,1,%d,2026-01-05T15:00:00Z\n", i+1)
			made := d.form("/imports/commit", part{"account_id", "", d.account}, part{"file", "fills.csv", file}).want(http.StatusOK)
			path := "/imports/" + made.text("import_batch_id")
			return path, d.get(path).tag()
		}
		number := 0
		for _, write := range []struct {
			name, method string
			body         any
			record       func(int) (path, tag string)
			done         int
		}{
			{"promoting a user", "PATCH", `{"is_admin":true}`, user, http.StatusOK},
			{"deleting a user", "DELETE", nil, user, http.StatusNoContent},
			{"revoking a token", "DELETE", nil, token, http.StatusNoContent},
			{"taking an import back", "DELETE", nil, batch, http.StatusNoContent},
		} {
			for name, condition := range map[string]func(tag string) string{
				"fresh":          func(tag string) string { return tag },
				"weak":           func(tag string) string { return "W/" + tag },
				"one of several": func(tag string) string { return `"x", ` + tag },
				"any":            func(string) string { return "*" },
				"none":           func(string) string { return "" },
			} {
				number++
				path, tag := write.record(number)
				as := owner
				if header := condition(tag); header != "" {
					as = owner.with("If-Match", header)
				}
				t.Log(write.name, "with a tag that is", name)
				as.do(write.method, path, write.body).want(write.done)
			}
			number++
			path, tag := write.record(number)
			for _, stale := range []string{`"stale"`, "W/" + `"stale"`, strings.Trim(tag, `"`), `"a", "b"`} {
				t.Log(write.name, "with the stale tag", stale)
				owner.with("If-Match", stale).do(write.method, path, write.body).wantError(http.StatusPreconditionFailed, "precondition_failed").wantShape()
			}
			owner.with("If-Match", tag).do(write.method, path, write.body).want(write.done) // no earlier write succeeded
		}
	})
}

// TestAStaleTagOfAnUnknownRecordIsNotFound keeps If-Match from telling which
// records there are.
func TestAStaleTagOfAnUnknownRecordIsNotFound(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		owner := w.setUp()
		stale := owner.with("If-Match", `"stale"`)
		stale.patch("/admin/users/nobody", `{"is_admin":true}`).wantError(http.StatusNotFound, "not_found")
		stale.delete("/admin/users/nobody").wantError(http.StatusNotFound, "not_found")
		stale.delete("/access-tokens/none").wantError(http.StatusNotFound, "not_found")
		stale.delete("/imports/none").wantError(http.StatusNotFound, "not_found")
		stale.delete("/me/sessions/none").wantError(http.StatusNotFound, "not_found")
		// A session has no tag: only "any" is fresh.
		here := "/me/sessions/" + owner.get("/me/sessions").text("0.id")
		stale.delete(here).wantError(http.StatusPreconditionFailed, "precondition_failed")
		owner.with("If-Match", "*").delete(here).wantNone()
	})
}

// TestGzip requests a long and a short list over a real connection.
func TestGzip(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		server := w.serve()
		read := func(path, encoding string) (http.Header, []byte) {
			t.Helper()
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/v1"+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "Bearer "+owner.token)
			request.Header.Set("Accept-Encoding", encoding)
			response, err := server.Client().Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close() //nolint:errcheck // read only
			body, err := io.ReadAll(response.Body)
			if err != nil || response.StatusCode != http.StatusOK {
				t.Fatalf("status %d, %v", response.StatusCode, err)
			}
			return response.Header, body
		}
		for i := range 10 {
			owner.mint(map[string]any{"name": fmt.Sprintf("token %d %s", i, strings.Repeat("x", 100))})
		}
		plain, whole := read("/access-tokens", "identity")
		zipped, packed := read("/access-tokens", "br, gzip")
		if plain.Get("Content-Encoding") != "" || zipped.Get("Content-Encoding") != "gzip" {
			t.Fatalf("encodings %q and %q", plain.Get("Content-Encoding"), zipped.Get("Content-Encoding"))
		}
		reader, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := io.ReadAll(reader)
		if err != nil || !bytes.Equal(unpacked, whole) || len(packed) >= len(whole) {
			t.Errorf("%d bytes, packed %d, unpacked %d (%v)", len(whole), len(packed), len(unpacked), err)
		}
		if plain.Get("ETag") != zipped.Get("ETag") || zipped.Get("Vary") != "Accept-Encoding" {
			t.Errorf("ETags %q and %q, Vary %q", plain.Get("ETag"), zipped.Get("ETag"), zipped.Get("Vary"))
		}
		if short, _ := read("/me", "gzip"); short.Get("Content-Encoding") != "" {
			t.Error("a short answer is compressed")
		}
		if refused, _ := read("/access-tokens", "gzip;q=0"); refused.Get("Content-Encoding") != "" {
			t.Error("gzip;q=0 is answered with gzip")
		}
	})
}

// TestHead answers as GET does, without the body.
func TestHead(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		w.settle()
		server := w.serve()
		ask := func(method, path string) (int, http.Header, string) {
			t.Helper()
			request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "Bearer "+owner.token)
			request.Header.Set("Accept-Encoding", "identity")
			response, err := server.Client().Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close() //nolint:errcheck // read only
			body, err := io.ReadAll(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			return response.StatusCode, response.Header, string(body)
		}
		for path, status := range map[string]int{
			"/api/v1/me": 200, "/api/v1/access-tokens": 200, "/healthz": 200, "/openapi.json": 200, "/api/v1/nope": 404, "/api/v1/admin/users/nobody": 404,
		} {
			getStatus, get, whole := ask(http.MethodGet, path)
			headStatus, head, nothing := ask(http.MethodHead, path)
			if getStatus != status || headStatus != status || whole == "" || nothing != "" {
				t.Errorf("%s: GET %d with %d bytes, HEAD %d with %d", path, getStatus, len(whole), headStatus, len(nothing))
			}
			for _, name := range []string{"ETag", "Content-Type", "Content-Length", "Cache-Control"} {
				if get.Get(name) != head.Get(name) {
					t.Errorf("%s: %s is %q for GET and %q for HEAD", path, name, get.Get(name), head.Get(name))
				}
			}
		}
	})
}
