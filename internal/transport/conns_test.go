package transport_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"fillbook/internal/transport"
)

// testServer is a server on its own port. Its paths: /body reads the body and answers
// with its length, /wait answers when release is closed, /long answers with more than any
// buffer holds, all others are refused at once.
type testServer struct {
	t       *testing.T
	address string
	release chan struct{}
	inside  chan context.Context // gets the context of a request to /wait
}

func startServer(t *testing.T, limit, evictAbove int, timeouts transport.Timeouts) *testServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	s := &testServer{t: t, address: listener.Addr().String(), release: make(chan struct{}), inside: make(chan context.Context, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("/body", func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
		}
		_, _ = fmt.Fprint(w, n)
	})
	mux.HandleFunc("/wait", func(w http.ResponseWriter, r *http.Request) {
		s.inside <- r.Context()
		<-s.release
		_, _ = io.WriteString(w, "done")
	})
	mux.HandleFunc("/long", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(make([]byte, 64<<20))
	})
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- transport.ServeLimited(ctx, listener, limit, evictAbove, mux, (&logBuffer{}).logger(), timeouts)
	}()
	t.Cleanup(func() {
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s
}

// completeHeader is the time for a header sent at once. A busy machine may take seconds
// to read it.
const completeHeader = 5 * time.Second

// waitInside waits until /wait is being handled, and returns its context.
func (s *testServer) waitInside() context.Context {
	s.t.Helper()
	select {
	case ctx := <-s.inside:
		return ctx
	case <-time.After(20 * time.Second):
		s.t.Fatal("the request did not reach its handler")
		return nil
	}
}

// send opens a connection and sends a text on it.
func (s *testServer) send(text string) net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.address) //nolint:noctx // a test
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		s.t.Fatal(err)
	}
	return conn
}

// wantClosed checks that the server closes a connection, and returns what it sent
// before.
func wantClosed(t *testing.T, conn net.Conn) string {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	got, err := io.ReadAll(conn)
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		t.Fatalf("the connection is still open; received %.60q", got)
	}
	return string(got)
}

// silentClients are requests after which a client sends nothing more.
var silentClients = map[string]string{
	"nothing":                       "",
	"half a request line":           "GET /",
	"half a header":                 "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ",
	"a request, then nothing":       "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
	"no body, unknown path":         "POST /unknown HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n",
	"half a body, unknown path":     "POST /unknown HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
	"half a chunk, unknown path":    "POST /unknown HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n{",
	"half a long body, unknown":     "POST /unknown HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n{",
	"half a body of a GET":          "GET /unknown HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
	"half a body of OPTIONS":        "OPTIONS /unknown HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
	"half a body of OPTIONS *":      "OPTIONS * HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
	"a body that is not asked for":  "POST /unknown HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n",
	"a body that is asked for":      "POST /body HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n",
	"half a body that is read":      "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
	"half a chunk that is read":     "POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n{",
	"a body without its last chunk": "POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
	"half a body of HTTP/1.0":       "POST /unknown HTTP/1.0\r\nContent-Length: 1000\r\n\r\n{",
	"a long answer is not taken":    "GET /long HTTP/1.1\r\nHost: x\r\n\r\n",
}

// TestSilentClientsAreDisconnected checks this in each connection state.
func TestSilentClientsAreDisconnected(t *testing.T) {
	t.Parallel()
	s := startServer(t, 1000, 900, transport.Timeouts{
		Header: completeHeader, Stall: 200 * time.Millisecond, SlowestRate: 1 << 10, Drain: 200 * time.Millisecond,
		Idle: 200 * time.Millisecond, Write: time.Second,
	})
	for name, text := range silentClients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := s.send(text)
			if strings.Contains(text, "/long") {
				time.Sleep(3 * time.Second) //nolint:forbidigo // it reads nothing for longer than it may
			}
			got := wantClosed(t, conn)
			if strings.Contains(text, "/unknown") && !strings.HasPrefix(got, "HTTP/1.1 404") && !strings.HasPrefix(got, "HTTP/1.0 404") {
				t.Errorf("the response is %.60q", got)
			}
			if strings.Contains(text, "/long") && len(got) >= 64<<20 {
				t.Error("the response is complete")
			}
		})
	}
}

// TestTrickleIsDisconnected checks that single bytes do not keep a connection open.
func TestTrickleIsDisconnected(t *testing.T) {
	t.Parallel()
	s := startServer(t, 1000, 900, transport.Timeouts{
		Header: time.Second, Stall: time.Second, SlowestRate: 1 << 10, Drain: time.Second, Idle: time.Second, Write: time.Second,
	})
	for name, text := range map[string]string{
		"header":      "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ",
		"body":        "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n",
		"unread body": "POST /unknown HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := s.send(text)
			for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) { //nolint:forbidigo // a slow client is what is tested
				if _, err := conn.Write([]byte("x")); err != nil {
					return
				}
				if time.Now().After(deadline) {
					t.Fatal("the connection is still open")
				}
			}
		})
	}
}

// TestSteadyUploadIsAccepted sends a body for longer than the longest pause.
func TestSteadyUploadIsAccepted(t *testing.T) {
	t.Parallel()
	s := startServer(t, 1000, 900, transport.Timeouts{
		Header: completeHeader, Stall: 4 * time.Second, SlowestRate: 1 << 10, Drain: time.Second, Idle: time.Second, Write: time.Second,
	})
	const pieces, size = 50, 1 << 10
	conn := s.send(fmt.Sprintf("POST /body HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n", pieces*size))
	for range pieces { // five seconds in all, at ten times the slowest rate
		if _, err := conn.Write(bytes.Repeat([]byte("x"), size)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond) //nolint:forbidigo // a slow client is what is tested
	}
	if got := wantClosed(t, conn); !strings.HasSuffix(got, fmt.Sprint("\r\n\r\n", pieces*size)) {
		t.Errorf("the response is %q", got)
	}
}

// TestLongWorkIsNotInterrupted checks that deadlines apply to the client, not to the
// handler.
func TestLongWorkIsNotInterrupted(t *testing.T) {
	t.Parallel()
	s := startServer(t, 1000, 900, transport.Timeouts{
		Header: completeHeader, Stall: 100 * time.Millisecond, SlowestRate: 1 << 20, Drain: 100 * time.Millisecond,
		Idle: 100 * time.Millisecond, Write: 100 * time.Millisecond,
	})
	conn := s.send("GET /wait HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	request := s.waitInside()
	time.Sleep(completeHeader + time.Second) //nolint:forbidigo // long work is what is tested
	if err := request.Err(); err != nil {
		t.Errorf("the request was ended: %v", err)
	}
	close(s.release)
	if got := wantClosed(t, conn); !strings.HasSuffix(got, "done") {
		t.Errorf("the response is %q", got)
	}
}

// TestSilentClientsMakeRoom checks that clients holding idle connections do not block
// others even with long timeouts, and that no request in progress is aborted for them.
func TestSilentClientsMakeRoom(t *testing.T) {
	t.Parallel()
	for name, text := range silentClients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			patient := transport.Timeouts{
				Header: time.Hour, Stall: time.Hour, SlowestRate: 1, Drain: time.Hour, Idle: time.Hour, Write: time.Hour,
			}
			s := startServer(t, 20, 10, patient)
			worker := s.send("GET /wait HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
			s.waitInside()
			for range 40 {
				s.send(text)
			}
			client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
			for range 5 {
				answer, err := client.Post("http://"+s.address+"/body", "text/plain", strings.NewReader("body")) //nolint:noctx // a test
				if err != nil {
					t.Fatalf("others are not served: %v", err)
				}
				_ = answer.Body.Close()
			}
			close(s.release)
			if got := wantClosed(t, worker); !strings.HasSuffix(got, "done") {
				t.Errorf("the request in progress got %q", got)
			}
		})
	}
}
