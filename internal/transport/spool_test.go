package transport_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/transport"
)

// slowClient is a client that reads nothing until it is released, or disconnects.
type slowClient struct {
	*httptest.ResponseRecorder
	release chan struct{}
	gone    bool
}

func (c *slowClient) Write(p []byte) (int, error) {
	<-c.release
	if c.gone {
		return 0, errors.New("gone")
	}
	return c.ResponseRecorder.Write(p)
}

func newSlowClient() *slowClient {
	return &slowClient{ResponseRecorder: httptest.NewRecorder(), release: make(chan struct{})}
}

const longChunks = 128

// longChunk is a part of a long answer, 64 KiB.
func longChunk(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%26)}, 64<<10) }

// writeLong writes eight megabytes and signals when it has written them.
func writeLong(written chan<- error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		for i := range longChunks {
			if _, err := w.Write(longChunk(i)); err != nil {
				written <- err
				return
			}
		}
		written <- nil
	}
}

func wantLong(t *testing.T, got []byte) {
	t.Helper()
	for i := range longChunks {
		if len(got) < (i+1)*64<<10 || !bytes.Equal(got[i*64<<10:(i+1)*64<<10], longChunk(i)) {
			t.Fatalf("%d bytes arrived, which differ from chunk %d on", len(got), i)
		}
	}
	if len(got) != longChunks*64<<10 {
		t.Errorf("%d bytes arrived", len(got))
	}
}

func wantEmptySpool(t *testing.T, s *transport.Spool, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) > 0 || s.Users() != 0 {
		t.Errorf("%v (%v) are left in the spool, %d users have data in it", left, err, s.Users())
	}
}

// TestHandlersDoNotWaitForClients checks that a handler finishes while the client
// reads nothing.
func TestHandlersDoNotWaitForClients(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := transport.NewSpool(dir, nil)
	written := make(chan error, 1)
	handler := observed(&logBuffer{}, nil, writeLong(written), transport.BufferResponses(s))
	client, done := newSlowClient(), make(chan struct{})
	go func() {
		defer close(done)
		handler.ServeHTTP(client, httptest.NewRequest(http.MethodGet, "/", nil))
	}()
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	close(client.release)
	<-done
	wantLong(t, client.Body.Bytes())
	wantEmptySpool(t, s, dir)
}

// TestCompleteResponsesAreSpooledForSlowClients checks that a response completed before
// it is sent is written to the spool only if the client does not read it.
func TestCompleteResponsesAreSpooledForSlowClients(t *testing.T) {
	t.Parallel()
	for _, slow := range []bool{false, true} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			s := transport.NewSpool(dir, nil)
			want := bytes.Repeat([]byte("fillbook"), 80<<10)
			handler := observed(&logBuffer{}, nil, func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write(want)
			}, transport.BufferResponses(s))
			client, done := newSlowClient(), make(chan struct{})
			if !slow {
				close(client.release)
			}
			go func() {
				defer close(done)
				handler.ServeHTTP(client, httptest.NewRequest(http.MethodGet, "/", nil))
			}()
			<-time.After(time.Second) // by the fake clock
			if n := s.Bytes(); (n > 0) != slow {
				t.Errorf("slow %t: %d bytes are in the spool", slow, n)
			}
			if slow {
				close(client.release)
			}
			<-done
			if !bytes.Equal(client.Body.Bytes(), want) {
				t.Errorf("slow %t: %d bytes arrived, want %d", slow, client.Body.Len(), len(want))
			}
			wantEmptySpool(t, s, dir)
		})
	}
}

// TestResponsesOfDisconnectedClientsEnd checks that the handler gets an error and
// the spool is empty.
func TestResponsesOfDisconnectedClientsEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := transport.NewSpool(dir, nil)
	client := newSlowClient()
	client.gone = true
	close(client.release)
	handler := observed(&logBuffer{}, nil, func(w http.ResponseWriter, _ *http.Request) {
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
			if _, err := w.Write(longChunk(0)); err != nil {
				return
			}
		}
		t.Error("the handler gets no error after the client disconnected")
	}, transport.BufferResponses(s))
	handler.ServeHTTP(client, httptest.NewRequest(http.MethodGet, "/", nil))
	wantEmptySpool(t, s, dir)
}

// TestBrokenResponsesAreAborted checks that after a panic nothing more is sent and the
// spool is empty.
func TestBrokenResponsesAreAborted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := transport.NewSpool(dir, nil)
	handler := transport.BufferResponses(s)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := range longChunks {
			_, _ = w.Write(longChunk(i))
		}
		panic(http.ErrAbortHandler)
	}))
	client := newSlowClient()
	time.AfterFunc(100*time.Millisecond, func() { close(client.release) })
	defer func() {
		if fault := recover(); fault != http.ErrAbortHandler { //nolint:errorlint // as it was thrown
			t.Errorf("the panic became %v", fault)
		}
		if client.Body.Len() >= longChunks*64<<10 {
			t.Error("the response looks complete")
		}
		wantEmptySpool(t, s, dir)
	}()
	handler.ServeHTTP(client, httptest.NewRequest(http.MethodGet, "/", nil))
}

// TestResponsesWithoutSpaceWait checks that on a full disk two responses at a time
// wait for their clients, and others are aborted.
func TestResponsesWithoutSpaceWait(t *testing.T) {
	t.Parallel()
	s := transport.NewSpool(t.TempDir(), func() error { return errors.New("full") })
	const clients = 5
	written, ended := make(chan error, clients), make(chan *slowClient, clients)
	release := make(chan struct{})
	for range clients {
		go func() {
			client := newSlowClient()
			client.release = release
			transport.BufferResponses(s)(writeLong(written)).ServeHTTP(client, httptest.NewRequest(http.MethodGet, "/", nil))
			ended <- client
		}()
	}
	for range clients - 2 {
		if err := <-written; err == nil {
			t.Error("a response was written without space and without a client")
		}
	}
	close(release)
	whole := 0
	for range clients {
		if client := <-ended; client.Body.Len() == longChunks*64<<10 {
			wantLong(t, client.Body.Bytes())
			whole++
		}
	}
	if whole != 2 {
		t.Errorf("%d responses are complete", whole)
	}
}

// TestRelayKeepsTheOrder uses parts with random sizes and pauses on both sides.
func TestRelayKeepsTheOrder(t *testing.T) {
	t.Parallel()
	s := transport.NewSpool(t.TempDir(), nil)
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(0, 400<<10), 1, 20).Draw(t, "sizes")
		pauses := rapid.SliceOfN(rapid.IntRange(0, 2), 1, 20).Draw(t, "pauses")
		var want bytes.Buffer
		for i, size := range sizes {
			want.Write(bytes.Repeat([]byte{byte(i)}, size))
		}
		handler := transport.BufferResponses(s)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for i, size := range sizes {
				_, _ = w.Write(bytes.Repeat([]byte{byte(i)}, size))
				time.Sleep(time.Duration(pauses[i%len(pauses)]) * time.Millisecond) //nolint:forbidigo // a slow client is what is tested
			}
		}))
		client := httptest.NewRecorder()
		handler.ServeHTTP(client, httptest.NewRequest(http.MethodGet, "/", nil))
		if !bytes.Equal(client.Body.Bytes(), want.Bytes()) {
			t.Fatalf("%d bytes arrived of %d, or in another order", client.Body.Len(), want.Len())
		}
	})
}

// TestUploadsAreSpooled checks that a large file is complete, not in memory, and
// removed after the request, even if it is aborted or too large.
func TestUploadsAreSpooled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		size int
		cut  int
		want int
	}{
		{"small", 1000, 0, http.StatusOK},
		{"large", 3 << 20, 0, http.StatusOK},
		{"too large", 5 << 20, 0, http.StatusRequestEntityTooLarge},
		{"broken off", 3 << 20, 1 << 20, http.StatusBadRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := transport.NewSpool(dir, nil)
			content := strings.Repeat("0123456789abcdef", c.size/16)
			handler := observed(&logBuffer{}, nil, func(_ http.ResponseWriter, r *http.Request) {
				file := transport.FormOf(r.Context()).File
				got, err := file.Bytes()
				if err != nil || string(got) != content || file.SHA256 != sha256.Sum256(got) || file.Size != int64(len(content)) {
					t.Errorf("%d bytes arrived (%v), or the checksum differs", len(got), err)
				}
				again, err := io.ReadAll(file.Content())
				if err != nil || string(again) != content {
					t.Errorf("read again it has %d bytes (%v)", len(again), err)
				}
				if isLarge := len(content) > 1<<20; isLarge == (s.Users() == 0) {
					t.Errorf("spooled is %v", !isLarge)
				}
			}, transport.Intake{Body: transport.FormBody, Limit: 4 << 20, Spool: s}.Middleware())
			body, contentType := upload(t, part{"file", "f.csv", content})
			request := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body[:len(body)-c.cut]))
			request.Header.Set("Content-Type", contentType)
			if got := serve(handler, request); got.Code != c.want {
				t.Errorf("status %d: %s", got.Code, got.Body)
			}
			wantEmptySpool(t, s, dir)
		})
	}
}

// TestSpoolIsEmptiedAtTheStart checks that only files left by a crash are removed.
func TestSpoolIsEmptiedAtTheStart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "spool")
	transport.NewSpool(dir, nil)
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("the directory: %v %v", info, err)
	}
	for _, name := range []string{"spool-1", "spool-xyz", "keep"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	transport.NewSpool(dir, nil)
	left, err := os.ReadDir(dir)
	if err != nil || fmt.Sprint(left) != "[- keep]" {
		t.Errorf("%v are left: %v", left, err)
	}
}
