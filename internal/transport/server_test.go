package transport_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"

	"fillbook/internal/transport"
)

// TestServeDrains stops a server during a request: the request is completed, new
// connections are not accepted, and Serve returns no error.
func TestServeDrains(t *testing.T) {
	t.Parallel()
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
	// Once the listener is closed, new connections fail.
	for {
		connection, err := net.Dial("tcp", listener.Addr().String()) //nolint:noctx // a test
		if err != nil {
			break
		}
		_ = connection.Close()
	}
	select {
	case err := <-ended:
		t.Fatalf("the server stopped during a request: %v", err)
	default:
	}
	close(finish)
	if got := <-answered; got.err != nil || got.text != "done" {
		t.Errorf("the running request got %q, %v", got.text, got.err)
	}
	if err := <-ended; err != nil {
		t.Errorf("Serve returned %v", err)
	}
}

func TestServeReturnsListenerErrors(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	if err := transport.Serve(t.Context(), listener, http.NotFoundHandler(), (&logBuffer{}).logger()); err == nil {
		t.Error("Serve succeeds on a closed listener")
	}
}
