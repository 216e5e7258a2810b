package transport_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"fillbook/internal/transport"
)

// TestServeDrains ends a server in the middle of a request: the request is
// answered, new ones are not taken, and the end is no error.
func TestServeDrains(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	running, finish := make(chan struct{}), make(chan struct{})
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	log := &logBuffer{}
	go func() {
		ended <- transport.Serve(ctx, listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(running)
			<-finish
			_, _ = io.WriteString(w, "done")
		}), log.logger())
	}()
	type result struct {
		text string
		err  error
	}
	answered := make(chan result, 1)
	go func() {
		answer, err := http.Get("http://" + listener.Addr().String()) //nolint:noctx // a test
		if err != nil {
			answered <- result{err: err}
			return
		}
		defer answer.Body.Close() //nolint:errcheck // read only
		text, err := io.ReadAll(answer.Body)
		answered <- result{string(text), err}
	}()
	<-running
	end()
	// Once the listener is closed nobody new is let in.
	for {
		connection, err := net.Dial("tcp", listener.Addr().String()) //nolint:noctx // a test
		if err != nil {
			break
		}
		_ = connection.Close()
	}
	select {
	case err := <-ended:
		t.Fatalf("the server ended under a running request: %v", err)
	default:
	}
	close(finish)
	if got := <-answered; got.err != nil || got.text != "done" {
		t.Errorf("the running request got %q, %v", got.text, got.err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the end is %v", err)
	}
}

// TestALongAnswerIsNotBrokenOff sends an answer that takes several times as
// long as a client is waited for, but never stands still for the client's sake.
func TestALongAnswerIsNotBrokenOff(t *testing.T) {
	t.Parallel()
	const pieces, patience = 5, 50 * time.Millisecond
	piece := strings.Repeat("x", 64<<10)
	server := httptest.NewServer(transport.WithWriteDeadline(patience, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range pieces {
			<-time.After(2 * patience) // the next piece is long in the making
			if _, err := io.WriteString(w, piece); err != nil {
				t.Errorf("broken off: %v", err)
			}
		}
	})))
	defer server.Close()
	answer, err := http.Get(server.URL) //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // read only
	if got, err := io.Copy(io.Discard, answer.Body); err != nil || got != pieces*int64(len(piece)) {
		t.Errorf("%d bytes arrived, %v", got, err)
	}
}

// TestAClientThatDoesNotReadIsCutOff: waiting has an end where nothing moves.
func TestAClientThatDoesNotReadIsCutOff(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	server := httptest.NewServer(transport.WithWriteDeadline(50*time.Millisecond, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		piece := make([]byte, 1<<20)
		for {
			if _, err := w.Write(piece); err != nil {
				failed <- err
				return
			}
		}
	})))
	defer server.Close()
	connection, err := net.Dial("tcp", server.Listener.Addr().String()) //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close() //nolint:errcheck // nothing is written
	if _, err := io.WriteString(connection, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it ended with %v", err)
	}
}

func TestServeTellsWhyItCannot(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	if err := transport.Serve(t.Context(), listener, http.NotFoundHandler(), (&logBuffer{}).logger()); err == nil {
		t.Error("a closed listener serves")
	}
}
