package transport

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the networks whose word about the client is believed.
type Proxies []netip.Prefix

func (p Proxies) trust(address netip.Addr) bool {
	for _, network := range p {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// client tells the client's address, and whether it came by TLS. It is the
// TCP peer unless the peer is a trusted proxy; then X-Forwarded-For is walked
// from the right, because only that end was written by somebody we trust.
func (p Proxies) client(r *http.Request) (address string, secure bool) {
	peer, ok := parseHost(r.RemoteAddr)
	if !ok {
		return r.RemoteAddr, r.TLS != nil
	}
	if !p.trust(peer) {
		return peer.String(), r.TLS != nil
	}
	secure = r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		hop, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		peer = hop.Unmap()
		if !p.trust(peer) {
			break
		}
	}
	return peer.String(), secure
}

func parseHost(hostPort string) (netip.Addr, bool) {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		host = hostPort
	}
	address, err := netip.ParseAddr(host)
	return address.Unmap().WithZone(""), err == nil
}

// bucketOf is the key under which an address is rate-limited: an IPv6
// customer has a whole /64 to himself.
func bucketOf(address string) string {
	parsed, err := netip.ParseAddr(address)
	if err != nil || parsed.Is4() {
		return address
	}
	network, err := parsed.Prefix(64)
	if err != nil {
		return address
	}
	return network.String()
}
