package outbound

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"syscall"
)

// Private are the addresses inside a network that requests to users' addresses may reach.
// The zero value is none.
type Private struct {
	networks  []netip.Prefix
	addresses []netip.AddrPort
}

// IsEmpty reports whether no address is allowed.
func (p *Private) IsEmpty() bool { return len(p.networks)+len(p.addresses) == 0 }

// metadata are addresses at which clouds give machines their credentials.
var metadata = parseAddresses("169.254.169.254", "168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254")

func parseAddresses(texts ...string) []netip.Addr {
	list := make([]netip.Addr, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParseAddr(text)
	}
	return list
}

// closed are networks of which no part may be opened: loopback, link-local, unspecified and
// multicast addresses, and IPv6 networks that embed an IPv4 address.
var closed = parsePrefixes(
	"0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3",
	"::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16", "fe80::/10", "fec0::/10", "ff00::/8",
)

// ParsePrivate parses networks such as 192.168.1.0/24, and addresses with a port such as
// 127.0.0.1:8090 or [::1]:8090. Loopback addresses need a port.
func ParsePrivate(texts []string) (p Private, err error) {
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		if strings.Contains(text, "/") {
			err = p.addNetwork(text)
		} else {
			err = p.addAddress(text)
		}
		if err != nil {
			return Private{}, fmt.Errorf("%q %w", text, err)
		}
	}
	return p, nil
}

func (p *Private) addNetwork(text string) error {
	network, err := netip.ParsePrefix(text)
	if err != nil {
		return errors.New("is not a network such as 192.168.1.0/24")
	}
	network = network.Masked()
	for _, other := range closed {
		if network.Overlaps(other) {
			return fmt.Errorf("contains addresses that must stay closed (%s)", other)
		}
	}
	for _, address := range metadata {
		if network.Contains(address) {
			return fmt.Errorf("contains the metadata address %s", address)
		}
	}
	p.networks = append(p.networks, network)
	return nil
}

func (p *Private) addAddress(text string) error {
	to, err := netip.ParseAddrPort(text)
	if err != nil {
		if _, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
			return errors.New("has no port: write an address with its port, or a network such as 192.168.1.20/32")
		}
		return errors.New("is not a network such as 192.168.1.0/24 or an address with a port such as 127.0.0.1:8090")
	}
	address := to.Addr().Unmap()
	isClosed := slices.ContainsFunc(closed, func(n netip.Prefix) bool { return n.Contains(address) })
	switch {
	case to.Port() == 0, address.Zone() != "":
		return errors.New("is not an address with a port")
	case slices.Contains(metadata, address):
		return errors.New("is a metadata address")
	case isClosed && !address.IsLoopback():
		return errors.New("is an address that must stay closed")
	}
	p.addresses = append(p.addresses, netip.AddrPortFrom(address, to.Port()))
	return nil
}

// allows reports whether an address may be reached although it is not public.
func (p *Private) allows(to netip.AddrPort) bool {
	address := to.Addr().Unmap()
	return slices.Contains(p.addresses, netip.AddrPortFrom(address, to.Port())) ||
		isUsualPort(to.Port()) && slices.ContainsFunc(p.networks, func(n netip.Prefix) bool { return n.Contains(address) })
}

// isUsualPort reports whether a port is one of web servers. Lower ones have other services.
func isUsualPort(port uint16) bool { return port == 443 || port == 80 || port >= 1024 }

// control returns the function that checks each connection's address. Without TLS only
// private addresses are allowed.
func (p *Private) control(withTLS bool) controlFunc {
	return func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("%w: %s is not an address", ErrRefused, address)
		}
		if p.allows(to) || withTLS && isUsualPort(to.Port()) && isPublic(to.Addr()) {
			return nil
		}
		return fmt.Errorf("%w: %s is not an allowed address", ErrRefused, to)
	}
}
