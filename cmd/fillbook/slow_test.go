package main

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
)

// raw opens a connection and sends a text.
func raw(t *testing.T, p *process, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.address, "http://")) //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := conn.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// serves checks that others are served, long before slow clients are disconnected.
func serves(t *testing.T, p *process, token string) {
	t.Helper()
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for range 5 {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.address+"/api/v1/me", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		answer, err := client.Do(request)
		if err != nil {
			t.Fatalf("others are not served: %v", err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("others get %d", answer.StatusCode)
		}
	}
}

// TestSlowClients delays a server in every way a client can: endless headers, a missing
// body, an unread long list. Each client is disconnected in time, and others are not
// affected.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	v := newVictim(t, db.SQLite)
	k := &killing{victim: v}
	// More than the buffers between us hold.
	if status, answer, err := k.upload("/imports/commit", longImportFile(30_000)); err != nil || status != http.StatusOK {
		t.Fatalf("the import returned %d %v %v", status, answer, err)
	}
	head := "Host: x\r\nAuthorization: Bearer " + v.token + "\r\n"
	var slow []net.Conn
	for range 30 {
		slow = append(slow,
			raw(t, v.p, "GET /api/v1/me HTTP/1.1\r\nHost: x\r\nX-Slow: "),
			raw(t, v.p, "POST /api/v1/tags HTTP/1.1\r\n"+head+"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"))
	}
	const slowReaders = 20
	for range slowReaders {
		reader := raw(t, v.p, "")
		_ = reader.(*net.TCPConn).SetReadBuffer(4 << 10)
		if _, err := reader.Write([]byte("GET /api/v1/executions HTTP/1.1\r\n" + head + "\r\n")); err != nil {
			t.Fatal(err)
		}
	}
	serves(t, v.p, v.token)
	v.p.must("POST", "/tags", v.token, map[string]any{"name": "meanwhile"}, http.StatusCreated)
	for i, conn := range slow {
		// The answer, if any, and then the end: single bytes extend no deadline.
		_ = conn.SetReadDeadline(time.Now().Add(40 * time.Second))
		for buffer := make([]byte, 4096); ; {
			if _, err := conn.Read(buffer); err != nil {
				if timeout, ok := err.(net.Error); ok && timeout.Timeout() { //nolint:errorlint // as the connection gives it
					t.Fatalf("slow client %d is still connected", i)
				}
				break
			}
		}
	}
	serves(t, v.p, v.token)
	// A request is logged when the server is done with it.
	for deadline := time.Now().Add(40 * time.Second); ; <-time.After(50 * time.Millisecond) {
		done := strings.Count(v.p.stderr.String(), `route="GET /api/v1/executions"`)
		if done == slowReaders {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d slow readers are still served", slowReaders-done, slowReaders)
		}
	}
	if code := v.p.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func longImportFile(fills int) importFile {
	return importFileFrom(time.Date(2020, 1, 6, 14, 0, 0, 0, time.UTC), fills)
}

// importFileFrom is a file with a fill in each second from a time on.
func importFileFrom(at time.Time, fills int) importFile {
	var rows strings.Builder
	rows.WriteString("Symbol,Side,Quantity,Price,Executed At,Commission\n")
	for i := range fills {
		fmt.Fprintf(&rows, "AAPL,%s,1,10,%s,1\n", []string{"buy", "sell"}[i%2], at.Add(time.Duration(i)*time.Second).Format(time.RFC3339))
	}
	return importFile{"fills.csv", rows.String(), fills, 0}
}

// TestIdleConnections opens more idle connections than are accepted; others must still
// be served.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	v := newVictim(t, db.SQLite)
	for i := range 1200 {
		if i%2 == 0 {
			raw(t, v.p, "")
		} else {
			raw(t, v.p, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		}
	}
	serves(t, v.p, v.token)
	if peak := peakMemory(t, v.p.command.Process.Pid); peak > 256<<10 {
		t.Errorf("memory peaked at %d KiB", peak)
	}
	if code := v.p.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
