//go:build !race

package hostiletest

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/base/secrets"
	"fillbook/internal/httpapi"
	"fillbook/internal/installation"
	"fillbook/internal/people/identity"
	"fillbook/internal/testkit"
)

// maxHeap is how much the heap may grow during an upload: a few copies of the file, and
// its unpacked content.
const maxHeap = 256 << 20

// TestHostileFiles: a hostile file is refused with one clear sentence, needs little memory,
// and nothing is stored. Reading a file does not depend on the engine.
func TestHostileFiles(t *testing.T) { // not parallel: it measures the heap
	s := newServer(t)
	for _, file := range hostileFiles {
		t.Run(file.name, func(t *testing.T) {
			form, contentType := s.form(file.content())
			for _, path := range []string{"/imports", "/imports/commit"} {
				testkit.CheckHeap(t, maxHeap, func() { checkRefusal(t, s.post(path, contentType, form), file.status) })
			}
			s.checkEmpty(t)
		})
	}
}

// server is an API with a signed-in user and an account.
type server struct {
	db             *db.DB
	handler        http.Handler
	token, account string
}

func newServer(t *testing.T) *server {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	keys, err := secrets.NewKeys([]byte("a root secret for tests, 32 bytes or more"))
	if err != nil {
		t.Fatal(err)
	}
	s := &server{db: testkit.Open(t, db.SQLite)}
	services, err := installation.New(installation.Options{
		DB: s.db, Keys: keys, Clock: testkit.NewClock().Now, Log: log, Attachments: t.TempDir(),
		Identity: identity.Options{PasswordCost: identity.PasswordCost{MemoryKiB: 64, Passes: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	api, err := httpapi.New(services, httpapi.Options{Log: log, SpoolDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s.handler = api.Handler()
	s.token = s.create(t, "/setup", `{"email":"owner@example.org","password":"correct horse battery"}`)["access_token"].(string)
	s.account = s.create(t, "/accounts", `{"name":"Main"}`)["id"].(string)
	return s
}

// create sends JSON and returns the created record.
func (s *server) create(t *testing.T, path, body string) (record map[string]any) {
	t.Helper()
	reply := s.post(path, "application/json", []byte(body))
	if err := json.Unmarshal(reply.Body.Bytes(), &record); err != nil || reply.Code != http.StatusCreated {
		t.Fatalf("POST %s: status %d, %s", path, reply.Code, reply.Body)
	}
	return record
}

func (s *server) post(path, contentType string, body []byte) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, "/api/v1"+path, bytes.NewReader(body))
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Authorization", "Bearer "+s.token)
	reply := httptest.NewRecorder()
	s.handler.ServeHTTP(reply, request)
	return reply
}

// form returns a form with a file for the account.
func (s *server) form(content string) (body []byte, contentType string) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	_ = w.WriteField("account_id", s.account)
	file, _ := w.CreateFormFile("file", "fills.csv")
	_, _ = io.WriteString(file, content)
	_ = w.Close()
	return out.Bytes(), w.FormDataContentType()
}

// checkRefusal requires one sentence without internals.
func checkRefusal(t *testing.T, reply *httptest.ResponseRecorder, status int) {
	t.Helper()
	var answer struct {
		Error struct{ Code, Message string }
	}
	code := map[int]string{http.StatusBadRequest: "bad_request", http.StatusRequestEntityTooLarge: "too_large"}[status]
	if err := json.Unmarshal(reply.Body.Bytes(), &answer); err != nil || reply.Code != status || answer.Error.Code != code {
		t.Fatalf("status %d, want %d %s: %.400s", reply.Code, status, code, reply.Body)
	}
	message := answer.Error.Message
	if !strings.HasSuffix(message, ".") || len(message) > 400 {
		t.Errorf("the message is not a short sentence: %.1000s", message)
	}
	for _, internal := range []string{"runtime", "goroutine", ".go:", "zip:", "XML syntax", "jsontext", "sql"} {
		if strings.Contains(message, internal) {
			t.Errorf("the message shows internals: %s", message)
		}
	}
}

// checkEmpty requires that nothing was stored.
func (s *server) checkEmpty(t *testing.T) {
	t.Helper()
	for table, want := range map[string]int{
		"import_batches": 0, "executions": 0, "trades": 0, "cash_transactions": 0, "notes": 0, "tags": 0, "setups": 0, "accounts": 1,
	} {
		var n int
		err := s.db.Peek(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM `+table).Scan(&n)
		})
		if err != nil || n != want {
			t.Errorf("%d rows in %s, want %d (%v)", n, table, want, err)
		}
	}
}
