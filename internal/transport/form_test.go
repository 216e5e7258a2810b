package transport_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/transport"
)

// part is one part in an upload: a field, or a file when it has a file name.
type part struct {
	name, file, content string
}

// upload writes a form.
func upload(t *testing.T, parts ...part) (body []byte, contentType string) {
	t.Helper()
	var buffer bytes.Buffer
	writer := multipart.NewWriter(&buffer)
	for _, p := range parts {
		header := textproto.MIMEHeader{}
		disposition := fmt.Sprintf(`form-data; name="%s"`, p.name)
		if p.file != "" {
			disposition += fmt.Sprintf(`; filename="%s"`, p.file)
		}
		header.Set("Content-Disposition", disposition)
		to, err := writer.CreatePart(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(to, p.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes(), writer.FormDataContentType()
}

const fileLimit = 5000

// takeForm sends a body to a route that accepts a form and returns what arrived.
func takeForm(contentType string, body io.Reader) (*httptest.ResponseRecorder, received) {
	var form transport.Form
	var content []byte
	intake := transport.Intake{Body: transport.FormBody, Limit: fileLimit, Spool: spool}
	handler := observed(&logBuffer{}, nil, func(_ http.ResponseWriter, r *http.Request) {
		form = transport.FormOf(r.Context())
		if form.File != nil {
			content, _ = form.File.Bytes()
		}
	}, intake.Middleware())
	request := httptest.NewRequest(http.MethodPost, "/", body)
	request.Header.Set("Content-Type", contentType)
	got := serve(handler, request)
	return got, received{form, content}
}

// received is a form with the content of its file.
type received struct {
	transport.Form
	content []byte
}

// sendForm sends parts, with or without Content-Length.
func sendForm(t *testing.T, chunked bool, parts ...part) (*httptest.ResponseRecorder, received) {
	t.Helper()
	body, contentType := upload(t, parts...)
	if chunked {
		return takeForm(contentType, unsized{bytes.NewReader(body)})
	}
	return takeForm(contentType, bytes.NewReader(body))
}

func TestFormPartsComeInAnyOrder(t *testing.T) {
	t.Parallel()
	want := map[string]string{"account_id": "a1", "source_tz": "Europe/Athens"}
	file := part{"file", "fills.csv", "a,b\r\n1,2\r\n"}
	account, zone := part{name: "account_id", content: "a1"}, part{name: "source_tz", content: "Europe/Athens"}
	for _, order := range [][]part{{file, account, zone}, {account, file, zone}, {account, zone, file}} {
		for _, chunked := range []bool{false, true} {
			got, form := sendForm(t, chunked, order...)
			if got.Code != http.StatusOK {
				t.Fatalf("status %d: %s", got.Code, got.Body)
			}
			if diff := cmp.Diff(want, form.Fields); diff != "" {
				t.Errorf("chunked %v: %s", chunked, diff)
			}
			if form.File.Name != "fills.csv" || string(form.content) != file.content {
				t.Errorf("chunked %v: %s has %q", chunked, form.File.Name, form.content)
			}
		}
	}
}

// TestFileLimitIsExact checks that the limit applies to the file and not to the
// whole form.
func TestFileLimitIsExact(t *testing.T) {
	t.Parallel()
	field := part{name: "note", content: strings.Repeat("n", transport.MaxField)}
	for _, c := range []struct {
		size int
		want int
	}{
		{0, http.StatusOK},
		{fileLimit, http.StatusOK},
		{fileLimit + 1, http.StatusRequestEntityTooLarge},
		{fileLimit + 2<<20, http.StatusRequestEntityTooLarge},
	} {
		for _, chunked := range []bool{false, true} {
			got, form := sendForm(t, chunked, field, part{"file", "f.csv", strings.Repeat("x", c.size)})
			if got.Code != c.want {
				t.Errorf("%d bytes, chunked %v: status %d, want %d; %s", c.size, chunked, got.Code, c.want, got.Body)
				continue
			}
			if c.want != http.StatusOK {
				wantRefusal(t, got, c.want, "too_large")
			} else if len(form.content) != c.size {
				t.Errorf("%d of %d bytes arrived", len(form.content), c.size)
			}
		}
	}
}

func TestFormHasABoundedNumberOfParts(t *testing.T) {
	t.Parallel()
	parts := func(n int) []part {
		list := []part{{"file", "f.csv", "x"}}
		for i := 1; i < n; i++ {
			list = append(list, part{name: fmt.Sprint("field", i), content: "x"})
		}
		return list
	}
	if got, form := sendForm(t, false, parts(transport.MaxParts)...); got.Code != http.StatusOK || len(form.Fields) != transport.MaxParts-1 {
		t.Errorf("%d parts: status %d, %d fields", transport.MaxParts, got.Code, len(form.Fields))
	}
	got, _ := sendForm(t, false, parts(transport.MaxParts+1)...)
	wantRefusal(t, got, http.StatusBadRequest, "bad_request")
}

func TestFormRejects(t *testing.T) {
	t.Parallel()
	file := part{"file", "f.csv", "x"}
	for _, c := range []struct {
		name   string
		parts  []part
		status int
		field  string
	}{
		{"a field beyond its size", []part{file, {name: "note", content: strings.Repeat("n", transport.MaxField+1)}}, http.StatusRequestEntityTooLarge, ""},
		{"a field twice", []part{{name: "tz", content: "a"}, {name: "tz", content: "b"}, file}, http.StatusBadRequest, "tz"},
		{"two files", []part{file, {"file", "g.csv", "y"}}, http.StatusBadRequest, "file"},
		{"a file under another name beside it", []part{file, {"other", "g.csv", "y"}}, http.StatusBadRequest, "file"},
		{"a field that is not text", []part{file, {name: "tz", content: "\xff\xfe"}}, http.StatusBadRequest, "tz"},
		{"a name that is not text", []part{file, {name: "\xff", content: "a"}}, http.StatusBadRequest, ""},
		{"a field with NUL", []part{file, {name: "tz", content: "a\x00b"}}, http.StatusBadRequest, "tz"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := sendForm(t, false, c.parts...)
			if got.Code != c.status {
				t.Fatalf("status %d, want %d: %s", got.Code, c.status, got.Body)
			}
			if info := refusal(t, got); c.field != "" && info.Details["field"] != c.field {
				t.Errorf("details %v, want the field %s", info.Details, c.field)
			}
		})
	}
}

func TestInvalidForm(t *testing.T) {
	t.Parallel()
	body, contentType := upload(t, part{"file", "f.csv", "content"})
	for _, c := range []struct {
		name        string
		contentType string
		body        string
		status      int
		code        string
	}{
		{"JSON", "application/json", `{}`, http.StatusUnsupportedMediaType, "unsupported_media_type"},
		{"no content type", "", string(body), http.StatusUnsupportedMediaType, "unsupported_media_type"},
		{"another multipart", strings.Replace(contentType, "form-data", "mixed", 1), string(body), http.StatusUnsupportedMediaType, "unsupported_media_type"},
		{"no boundary", "multipart/form-data", string(body), http.StatusBadRequest, "bad_request"},
		{"broken off", contentType, string(body[:len(body)-10]), http.StatusBadRequest, "bad_request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := takeForm(c.contentType, strings.NewReader(c.body))
			wantRefusal(t, got, c.status, c.code)
		})
	}
}

// TestFileNamesAreCleaned checks that the last element of a file name is kept. The
// long name would take hours if it were shortened letter by letter.
func TestFileNamesAreCleaned(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 250_000)
	for _, c := range []struct{ name, sent, want string }{
		{"plain", "fills.csv", "fills.csv"},
		{"a path", "../../etc/passwd", "passwd"},
		{"a path of another system", `C:\\Users\\me\\Fills 2026.csv`, "Fills 2026.csv"},
		{"mixed", `a/b\\c/../d.csv`, "d.csv"},
		{"letters beyond ASCII", "Käufe 株.csv", "Käufe 株.csv"},
		{"control characters", "a\u0085b\u009fc.csv", "abc.csv"},
		{"marks that turn the reading order", "\u2066a\u202evsc.\u200fb\u061c.csv\u2069", "avsc.b.csv"},
		{"not UTF-8", "a\xffb.csv", "ab.csv"},
		{"dots", "..", ".."},
		{"nothing behind the slash", "dir/", "dir"},
		{"long", long, strings.Repeat("é", 200)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, form := sendForm(t, false, part{"file", c.sent, "x"})
			if got.Code != http.StatusOK {
				t.Fatalf("status %d: %s", got.Code, got.Body)
			}
			if form.File.Name != c.want {
				t.Errorf("name %q, want %q", form.File.Name, c.want)
			}
		})
	}
}
