package outbound

import (
	"fmt"
	"net/netip"
	"syscall"
)

// controlFunc is called with a connection's resolved address before it is made.
type controlFunc func(network, address string, connection syscall.RawConn) error

// refusePrivate returns an error for a non-public address. It is called with the address
// actually connected to, so a name resolving to another address the second time cannot
// avoid it.
func refusePrivate(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s is not an address", ErrRefused, address)
	}
	if !isPublic(to.Addr()) {
		return fmt.Errorf("%w: %s is not a public address", ErrRefused, to.Addr())
	}
	return nil
}

// isPublic reports whether an address is on the public internet.
func isPublic(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	if !address.IsGlobalUnicast() || address.IsPrivate() {
		return false
	}
	for _, network := range reserved {
		if network.Contains(address) {
			return false
		}
	}
	return true
}

// reserved are the networks that are neither private, loopback, link-local nor multicast
// and yet not public: shared provider networks, which contain cloud metadata servers,
// those for documents and tests, and IPv6 networks embedding an IPv4 address.
var reserved = parsePrefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
)

func parsePrefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}
