package transport

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the networks of trusted reverse proxies.
type Proxies []netip.Prefix

func (p Proxies) contains(address netip.Addr) bool {
	for _, network := range p {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// clientAddress returns the client's address and reports whether it used TLS. The address
// is the TCP peer unless the peer is a trusted proxy. Then X-Forwarded-For is read from
// the right, because only its last entries were written by trusted proxies.
func (p Proxies) clientAddress(r *http.Request) (address string, secure bool) {
	peer, ok := parseHost(r.RemoteAddr)
	if !ok {
		return r.RemoteAddr, r.TLS != nil
	}
	if !p.contains(peer) {
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
		if !p.contains(peer) {
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

// limitKey returns the key under which an address is rate-limited. IPv6
// addresses are limited by /64 network, which is what one customer gets.
func limitKey(address string) string {
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
