package outbound

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"
)

// newServer returns a server and a network reaching it as the endpoint for the provider
// acme.
func newServer(t *testing.T, serve http.HandlerFunc) (*Network, *bytes.Buffer) {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	to, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	log := &bytes.Buffer{}
	return New(Options{
		Enabled: true, Endpoints: Endpoints{"acme": to}, Version: "1.2",
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}), log
}

func newClient(n *Network) *Client { return n.Client("acme", []string{"api.acme.example"}, 0) }

func get(t *testing.T, c *Client, address string) (string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Key", "secret-header")
	response, err := c.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

func TestRequestGoesToTheEndpoint(t *testing.T) {
	t.Parallel()
	n, log := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get("User-Agent")+" "+r.URL.RequestURI()+" "+r.Header.Get("X-Key"))
	})
	body, err := get(t, newClient(n), "https://api.acme.example/v1/bars?apikey=secret-query")
	if err != nil || body != "Fillbook/1.2 /v1/bars?apikey=secret-query secret-header" {
		t.Errorf("%q, %v", body, err)
	}
	if text := log.String(); strings.Contains(text, "secret") || !strings.Contains(text, "host=api.acme.example") {
		t.Errorf("the log is %s", text)
	}
}

func TestNothingIsSentUnlessEnabled(t *testing.T) {
	t.Parallel()
	n, _ := newServer(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	n.options.Enabled = false
	if _, err := get(t, newClient(n), "https://api.acme.example/"); !errors.Is(err, ErrDisabled) {
		t.Error(err)
	}
}

func TestOnlyListedHostsAreCalled(t *testing.T) {
	t.Parallel()
	n, _ := newServer(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	for _, address := range []string{
		"http://api.acme.example/", "https://api.acme.example:8443/", "https://other.example/", "https://api.acme.example.other.example/",
		"https://user@api.acme.example/", "https://API.acme.example@other.example/", "https://127.0.0.1/",
	} {
		if _, err := get(t, newClient(n), address); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestRedirectsAreRefused(t *testing.T) {
	t.Parallel()
	calls := 0
	n, _ := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		calls++
		http.Redirect(w, r, "/other", http.StatusFound)
	})
	if _, err := get(t, newClient(n), "https://api.acme.example/"); !errors.Is(err, ErrRefused) || calls != 1 {
		t.Errorf("%v after %d requests", err, calls)
	}
}

// TestPrivateAddressesAreRefused connects to a local server by a listed name. Without an
// endpoint the address decides.
func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "https://")
	n := New(Options{Enabled: true})
	for _, host := range []string{host, strings.Replace(host, "127.0.0.1", "localhost", 1)} {
		if _, err := get(t, n.Client("acme", []string{host}, 0), "https://"+host+"/"); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", host, err)
		}
	}
}

func TestCertificatesAreVerified(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	t.Cleanup(server.Close)
	to, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	n := New(Options{Enabled: true, Endpoints: Endpoints{"acme": to}})
	if _, err := get(t, newClient(n), "https://api.acme.example/?apikey=secret-query"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

func TestIsPublic(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.100.100.200", "0.0.0.0", "224.0.0.1", "255.255.255.255",
		"240.0.0.1", "198.18.0.1", "192.0.2.1", "::1", "::", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1",
		"::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "::7f00:1", "fec0::1",
	} {
		if isPublic(netip.MustParseAddr(text)) {
			t.Errorf("%s counts as public", text)
		}
	}
	for _, text := range []string{"1.1.1.1", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:1.1.1.1"} {
		if !isPublic(netip.MustParseAddr(text)) {
			t.Errorf("%s does not count as public", text)
		}
	}
}

func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	n, _ := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/zip" {
			w.Header().Set("Content-Encoding", "gzip")
			packed := gzip.NewWriter(w)
			_, _ = packed.Write(make([]byte, 101))
			_ = packed.Close()
			return
		}
		_, _ = w.Write(make([]byte, 100))
	})
	n.maxBytes = 100
	if body, err := get(t, newClient(n), "https://api.acme.example/"); err != nil || len(body) != 100 {
		t.Errorf("%d bytes, %v", len(body), err)
	}
	if _, err := get(t, newClient(n), "https://api.acme.example/zip"); !errors.Is(err, ErrTooLarge) {
		t.Errorf("unpacked: %v", err)
	}
	n.maxBytes = 99
	if _, err := get(t, newClient(n), "https://api.acme.example/"); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
}

func TestAnswersAreBoundedInTime(t *testing.T) {
	t.Parallel()
	n, _ := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	n.wholeTime = 50 * time.Millisecond
	if _, err := get(t, newClient(n), "https://api.acme.example/"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// TestOwnLimits checks a client with other limits than the usual ones.
func TestOwnLimits(t *testing.T) {
	t.Parallel()
	n, _ := newServer(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 100)) })
	n.maxBytes, n.wholeTime = 99, time.Nanosecond
	c := n.LimitedClient("acme", []string{"api.acme.example"}, Limits{MaxBytes: 100, MaxTime: time.Minute})
	if body, err := get(t, c, "https://api.acme.example/"); err != nil || len(body) != 100 {
		t.Errorf("%d bytes, %v", len(body), err)
	}
}

func TestParseEndpoints(t *testing.T) {
	t.Parallel()
	known := []string{"acme", "other"}
	endpoints, err := ParseEndpoints([]string{"acme=http://127.0.0.1:8080", " other=https://proxy.example"}, known)
	if err != nil || endpoints["acme"].String() != "http://127.0.0.1:8080" || endpoints["other"].String() != "https://proxy.example" {
		t.Errorf("%v, %v", endpoints, err)
	}
	for _, pair := range []string{
		"", "acme", "acme=", "unknown=https://a.example", "acme=ftp://a.example", "acme=https://a.example/", "acme=https://a.example/path",
		"acme=https://user@a.example", "acme=https://a.example?q=1", "acme=https://", "acme=https://a.example#f", "acme=a.example",
	} {
		if _, err := ParseEndpoints([]string{pair}, known); err == nil {
			t.Errorf("%q was accepted", pair)
		}
	}
	if _, err := ParseEndpoints([]string{"acme=https://a.example", "acme=https://b.example"}, known); err == nil {
		t.Error("two addresses of one provider were accepted")
	}
}
