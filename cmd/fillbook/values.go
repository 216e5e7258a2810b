package main

import (
	"fmt"
	"log/slog"
	"net/netip"
)

// network is a setting: a network, or a single address.
type network struct{ netip.Prefix }

// UnmarshalText reads 10.0.0.0/8, and 10.0.0.1 as the network of that address
// alone.
func (n *network) UnmarshalText(text []byte) (err error) {
	address, err := netip.ParseAddr(string(text))
	if err == nil {
		n.Prefix = netip.PrefixFrom(address, address.BitLen())
		return nil
	}
	if n.Prefix, err = netip.ParsePrefix(string(text)); err != nil {
		return fmt.Errorf("%q is neither a network, such as 10.0.0.0/8, nor an address", text)
	}
	return nil
}

// prefixes are networks as the transport takes them.
func prefixes(networks []network) []netip.Prefix {
	var all []netip.Prefix
	for _, n := range networks {
		all = append(all, n.Prefix)
	}
	return all
}

// level is a setting: from which weight on lines go into the log.
type level struct{ slog.Level }

// UnmarshalText reads the names that the help tells.
func (l *level) UnmarshalText(text []byte) error {
	if err := l.Level.UnmarshalText(text); err != nil {
		return fmt.Errorf("%q is none of debug, info, warn and error", text)
	}
	return nil
}
