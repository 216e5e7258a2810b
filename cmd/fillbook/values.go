package main

import (
	"fmt"
	"log/slog"
	"net/netip"
)

// network is a setting: a network or a single address.
type network struct{ netip.Prefix }

// UnmarshalText parses a network such as 10.0.0.0/8, or an address as a network with that
// address only.
func (n *network) UnmarshalText(text []byte) (err error) {
	address, err := netip.ParseAddr(string(text))
	if err == nil {
		n.Prefix = netip.PrefixFrom(address, address.BitLen())
		return nil
	}
	if n.Prefix, err = netip.ParsePrefix(string(text)); err != nil {
		return fmt.Errorf("%q is not a network such as 10.0.0.0/8, or an address", text)
	}
	return nil
}

// toPrefixes converts networks for package transport.
func toPrefixes(networks []network) []netip.Prefix {
	var all []netip.Prefix
	for _, n := range networks {
		all = append(all, n.Prefix)
	}
	return all
}

// level is a setting: the lowest log level.
type level struct{ slog.Level }

// UnmarshalText parses debug, info, warn or error.
func (l *level) UnmarshalText(text []byte) error {
	if err := l.Level.UnmarshalText(text); err != nil {
		return fmt.Errorf("%q is not debug, info, warn or error", text)
	}
	return nil
}
