package transport_test

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"fillbook/internal/transport"
)

var trusted = transport.Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:ffff::/48")}

// seenAs returns a request's client address and TLS state.
func seenAs(request *http.Request, proxies transport.Proxies) transport.Request {
	var seen transport.Request
	handler := observed(&logBuffer{}, proxies, func(_ http.ResponseWriter, r *http.Request) {
		seen = *transport.RequestOf(r.Context())
	})
	serve(handler, request)
	return seen
}

func TestClientAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		peer      string
		forwarded []string
		want      string
	}{
		{"no proxy", "203.0.113.7:1234", nil, "203.0.113.7"},
		{"an untrusted peer's word is nothing", "203.0.113.7:1234", []string{"198.51.100.1"}, "203.0.113.7"},
		{"a trusted proxy names the client", "10.0.0.1:1234", []string{"198.51.100.1"}, "198.51.100.1"},
		{"a trusted proxy that names no client", "10.0.0.1:1234", nil, "10.0.0.1"},
		{"an empty header", "10.0.0.1:1234", []string{""}, "10.0.0.1"},
		{"spoofed entries on the left are ignored", "10.0.0.1:1234", []string{"1.1.1.1, 127.0.0.1, 198.51.100.1"}, "198.51.100.1"},
		{"trusted hops on the right are skipped", "10.0.0.1:1234", []string{"198.51.100.1, 10.9.9.9, 10.8.8.8"}, "198.51.100.1"},
		{"only trusted hops: the outermost", "10.0.0.1:1234", []string{"10.7.7.7, 10.8.8.8"}, "10.7.7.7"},
		{"several headers are one list", "10.0.0.1:1234", []string{"1.1.1.1", "198.51.100.1"}, "198.51.100.1"},
		{"what is no address stops the walk", "10.0.0.1:1234", []string{"198.51.100.1, unknown"}, "10.0.0.1"},
		{"and so in the middle", "10.0.0.1:1234", []string{"198.51.100.1, unknown, 10.8.8.8"}, "10.8.8.8"},
		{"an entry with a port is no address", "10.0.0.1:1234", []string{"198.51.100.1:80"}, "10.0.0.1"},
		{"IPv6 peer", "[2001:db8::7]:1234", []string{"198.51.100.1"}, "2001:db8::7"},
		{"IPv6 proxy and client", "[2001:db8:ffff::1]:1234", []string{"2001:db8::9"}, "2001:db8::9"},
		{"an IPv4 peer written as IPv6", "[::ffff:10.0.0.1]:1234", []string{"198.51.100.1"}, "198.51.100.1"},
		{"a client written as IPv6", "10.0.0.1:1234", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"a zone is dropped", "[fe80::1%eth0]:1234", nil, "fe80::1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			request := httptest.NewRequest(http.MethodGet, "/", nil)
			request.RemoteAddr = c.peer
			request.Header["X-Forwarded-For"] = c.forwarded
			// None of these is ever believed.
			request.Header.Set("X-Real-Ip", "192.0.2.99")
			request.Header.Set("Forwarded", "for=192.0.2.99")
			request.Header.Set("True-Client-Ip", "192.0.2.99")
			if got := seenAs(request, trusted).Address; got != c.want {
				t.Errorf("address %q, want %q", got, c.want)
			}
		})
	}
}

func TestSecureOnlyByTLSOrATrustedProxy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		peer  string
		proto string
		tls   bool
		want  bool
	}{
		{"plain", "203.0.113.7:1", "", false, false},
		{"TLS here", "203.0.113.7:1", "", true, true},
		{"a stranger says https", "203.0.113.7:1", "https", false, false},
		{"a trusted proxy says https", "10.0.0.1:1", "https", false, true},
		{"a trusted proxy says http", "10.0.0.1:1", "http", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			request := httptest.NewRequest(http.MethodGet, "/", nil)
			request.RemoteAddr = c.peer
			request.Header.Set("X-Forwarded-Proto", c.proto)
			if c.tls {
				request.TLS = &tls.ConnectionState{}
			}
			if got := seenAs(request, trusted).Secure; got != c.want {
				t.Errorf("secure %v, want %v", got, c.want)
			}
		})
	}
}
