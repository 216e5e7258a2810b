package httpapi_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tinyPNG, tinyJPEG and tinyPDF are the smallest valid files.
var (
	tinyPNG  = drawn(func(out *bytes.Buffer, picture image.Image) error { return png.Encode(out, picture) })
	tinyJPEG = drawn(func(out *bytes.Buffer, picture image.Image) error { return jpeg.Encode(out, picture, nil) })
	tinyPDF  = []byte("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n")
)

func drawn(encode func(*bytes.Buffer, image.Image) error) []byte {
	var out bytes.Buffer
	if err := encode(&out, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// form is a multipart body with files and fields, in the order given.
type part struct{ field, file, content string }

func (c *client) form(path string, parts ...part) *reply {
	c.w.t.Helper()
	var body bytes.Buffer
	writer := multipart.NewWriter(&body)
	for _, p := range parts {
		header := textproto.MIMEHeader{}
		header.Set("Content-Disposition", fmt.Sprintf(`form-data; name="%s"`, p.field))
		if p.file != "" {
			header.Set("Content-Disposition", fmt.Sprintf(`form-data; name="%s"; filename="%s"`, p.field, p.file))
			header.Set("Content-Type", "text/html") // what a client claims does not count
		}
		out, err := writer.CreatePart(header)
		if err != nil {
			c.w.t.Fatal(err)
		}
		_, _ = out.Write([]byte(p.content))
	}
	_ = writer.Close()
	request := httptest.NewRequestWithContext(c.w.t.Context(), http.MethodPost, "/api/v1"+path, &body)
	request.Header.Set("Content-Type", writer.FormDataContentType())
	request.Header.Set("Authorization", "Bearer "+c.token)
	maps.Copy(request.Header, c.headers)
	return c.send(request)
}

// attach uploads a file to a trade or a note, which is named by its path.
func (c *client) attach(parent, name string, content []byte) *reply {
	c.w.t.Helper()
	return c.form(parent+"/attachments", part{"file", name, string(content)})
}

func TestAttachments(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		trade := "/trades/" + d.roundTrip("A")
		note := "/notes/" + d.made("/notes", more{"body": "b"}).text("id")
		for _, parent := range []string{trade, note} {
			d.get(parent+"/attachments").want(http.StatusOK).is("", "[]")
			var ids []string
			for _, file := range []struct {
				name, stored, mediaType string
				content                 []byte
			}{
				{"chart.png", "chart.png", "image/png", tinyPNG},
				{"photo.JPEG", "photo.JPEG", "image/jpeg", tinyJPEG},
				{"plan.pdf", "plan.pdf", "application/pdf", tinyPDF},
				{`C:\\evil\\..\\name`, "name.png", "image/png", tinyPNG},
				{"../../etc/passwd.png", "passwd.png", "image/png", tinyPNG},
				{"Größe 日本.png", "Größe 日本.png", "image/png", tinyPNG},
			} {
				sum := sha256.Sum256(file.content)
				made := d.attach(parent, file.name, file.content).want(http.StatusCreated).
					wantKeys("", "id", "trade_id", "note_id", "name", "media_type", "size", "sha256", "created_at").
					holds("", fmt.Sprintf(`{"name":%q,"media_type":%q,"size":%d,"sha256":%q}`, file.stored, file.mediaType, len(file.content), hex.EncodeToString(sum[:])))
				if parent != "/trades/"+made.text("trade_id") && parent != "/notes/"+made.text("note_id") || made.value("trade_id") != nil && made.value("note_id") != nil {
					t.Errorf("it belongs to %s", made.body)
				}
				ids = append(ids, made.text("id"))
				wantDownload(t, d.get("/attachments/"+made.text("id")).want(http.StatusOK), file.mediaType, file.content)
			}
			d.get(parent+"/attachments").want(http.StatusOK).wantColumn("id", ids...) // oldest first
			if parent == trade {
				if n := d.get(trade).count("attachments"); n != len(ids) {
					t.Errorf("the trade shows %d attachments, want %d", n, len(ids))
				}
			}
			pages, _ := d.pages(parent+"/attachments?limit=1", "id")
			if total := d.get(parent + "/attachments?limit=1").header.Get("X-Total-Count"); !slices.Equal(pages, ids) || total != strconv.Itoa(len(ids)) {
				t.Errorf("the pages hold %v of %s, want %v", pages, total, ids)
			}
			d.delete("/attachments/" + ids[0]).wantNone()
			d.get("/attachments/"+ids[0]).wantError(http.StatusNotFound, "not_found")
			d.delete("/attachments/"+ids[0]).wantError(http.StatusNotFound, "not_found")
			d.get(parent+"/attachments").want(http.StatusOK).wantColumn("id", ids[1:]...)
		}
	})
}

// wantDownload requires headers with which a browser saves the file and never runs it.
func wantDownload(t *testing.T, r *reply, mediaType string, content []byte) {
	t.Helper()
	if !bytes.Equal(r.body, content) {
		t.Errorf("%s: %d bytes, want the %d that were sent", r.call, len(r.body), len(content))
	}
	for name, want := range map[string]string{
		"Content-Type": mediaType, "X-Content-Type-Options": "nosniff", "Content-Length": itoa(len(content)),
		"Content-Security-Policy": "default-src 'none'; sandbox",
	} {
		if got := r.header.Values(name); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %s is %q, want %q", r.call, name, got, want)
		}
	}
	if got := r.header.Get("Content-Disposition"); !strings.HasPrefix(got, "attachment; filename") {
		t.Errorf("%s: Content-Disposition %q", r.call, got)
	}
	if r.header.Get("Content-Encoding") != "" || r.tag() == "" {
		t.Errorf("%s: headers %v", r.call, r.header)
	}
}

// TestCachedDownloads answers 304 if the client has the file.
func TestCachedDownloads(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		trade := "/trades/" + d.roundTrip("A")
		large := append(bytes.Clone(tinyPDF), bytes.Repeat([]byte{'x'}, 2<<20)...)
		for _, content := range [][]byte{tinyPNG, large} {
			made := d.attach(trade, "", content).want(http.StatusCreated)
			path := "/attachments/" + made.text("id")
			read := d.get(path).want(http.StatusOK)
			cached := d.with("If-None-Match", read.tag()).get(path).want(http.StatusNotModified)
			if len(cached.body) != 0 || cached.tag() != read.tag() {
				t.Errorf("304 with %d bytes and the tag %s", len(cached.body), cached.tag())
			}
			d.with("If-None-Match", `"other"`).get(path).want(http.StatusOK)
			// The download's tag and the record's both work in If-Match.
			d.with("If-Match", `"other"`).delete(path).wantError(http.StatusPreconditionFailed, "precondition_failed")
			d.with("If-Match", read.tag()).delete(path).wantNone()
		}
		made := d.attach(trade, "a.png", tinyPNG).want(http.StatusCreated)
		d.with("If-Match", made.tag()).delete("/attachments/" + made.text("id")).wantNone()
	})
}

// TestAttachmentRefusals takes what the content is, not what it is called.
func TestAttachmentRefusals(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		trade := "/trades/" + d.roundTrip("A")
		for name, content := range map[string][]byte{
			"page.png": []byte("<html><script>alert(1)</script></html>"), "text.pdf": []byte("hello"), "empty.png": {}, "vector.svg": []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"),
			"exe.png": []byte("MZ\x90\x00"), "zip.png": []byte("PK\x03\x04"), "cut.png": tinyPNG[:20], "cut.jpg": tinyJPEG[:10], "chart.pdf": tinyPNG, "plan.png": tinyPDF,
			"late.png": append([]byte(" "), tinyPNG...),
		} {
			d.attach(trade, name, content).wantError(http.StatusUnsupportedMediaType, "unsupported_media_type")
		}
		d.attach("/trades/"+unknown(), "a.png", tinyPNG).wantError(http.StatusNotFound, "not_found")
		d.attach("/notes/"+unknown(), "a.png", tinyPNG).wantError(http.StatusNotFound, "not_found")
		d.get("/trades/"+unknown()+"/attachments").wantError(http.StatusNotFound, "not_found")
		d.get("/notes/"+unknown()+"/attachments").wantError(http.StatusNotFound, "not_found")
		d.form(trade+"/attachments", part{"other", "", "x"}).wantField("file")
		d.form(trade+"/attachments", part{"file", "a.png", string(tinyPNG)}, part{"file", "b.png", string(tinyPNG)}).wantField("file")
		d.post(trade+"/attachments", `{}`).wantError(http.StatusUnsupportedMediaType, "unsupported_media_type")
		d.get(trade+"/attachments").want(http.StatusOK).is("", "[]")
	})
}

// TestAttachmentLimit lets the file be exactly as large as the limit.
func TestAttachmentLimit(t *testing.T) {
	t.Parallel()
	const limit = 4096
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		trade := "/trades/" + d.roundTrip("A")
		exact := append(bytes.Clone(tinyPDF), bytes.Repeat([]byte{'x'}, limit-len(tinyPDF))...)
		d.form(trade+"/attachments", part{"comment", "", strings.Repeat("c", 5000)}, part{"file", "a.pdf", string(exact)}).
			want(http.StatusCreated).is("size", "4096") // the envelope does not count
		d.attach(trade, "a.pdf", append(exact, 'x')).wantError(http.StatusRequestEntityTooLarge, "too_large")
		d.attach(trade, "a.pdf", bytes.Repeat(exact, 1000)).wantError(http.StatusRequestEntityTooLarge, "too_large")
		if n := d.get(trade + "/attachments").count(""); n != 1 {
			d.w.t.Errorf("%d attachments were stored", n)
		}
	}, func(s *settle) { s.api.AttachmentMaxBytes = limit })
}

// TestAnUploadIsSentOnce under one key.
func TestAnUploadIsSentOnce(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		trade := "/trades/" + d.roundTrip("A")
		keyed := d.with("Idempotency-Key", "up-1")
		first, again := keyed.attach(trade, "a.png", tinyPNG).want(http.StatusCreated), keyed.attach(trade, "a.png", tinyPNG).want(http.StatusCreated)
		if first.text("id") != again.text("id") {
			t.Error("the same key stored the file twice")
		}
		keyed.attach(trade, "a.png", tinyPDF).wantError(http.StatusConflict, "conflict")
	})
}
