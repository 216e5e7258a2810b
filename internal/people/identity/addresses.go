package identity

import (
	"net/netip"
	"slices"
	"strings"

	"fillbook/internal/base/journal"
)

// maxAddressRanges is the maximum number of address ranges per token.
const maxAddressRanges = 20

// checkAddressRanges returns the ranges as they are stored: as they were sent, without
// surrounding spaces.
func checkAddressRanges(sent []string) ([]string, error) {
	if len(sent) == 0 || len(sent) > maxAddressRanges {
		return nil, journal.InvalidField("allowed_ips", "allowed_ips must have 1 to %d addresses or ranges. Leave it out to allow every address.", maxAddressRanges)
	}
	ranges := make([]string, len(sent))
	for i, text := range sent {
		ranges[i] = strings.TrimSpace(text)
		if _, ok := parseAddressRange(ranges[i]); !ok {
			return nil, journal.InvalidField("allowed_ips", "Entry %d is neither an address such as 203.0.113.7 nor a range such as 10.0.0.0/8 or 2001:db8::/32.", i+1)
		}
	}
	return ranges, nil
}

// parseAddressRange parses an address or a range in CIDR notation. IPv4 in IPv6 form is
// IPv4.
func parseAddressRange(text string) (netip.Prefix, bool) {
	if address, err := netip.ParseAddr(text); err == nil {
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), address.Zone() == ""
	}
	network, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, false
	}
	const mappedBits = 96 // the length of ::ffff:0:0
	if network.Addr().Is4In6() {
		if network.Bits() < mappedBits {
			return netip.Prefix{}, false
		}
		network = netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-mappedBits)
	}
	return network.Masked(), true
}

// containsAddress reports whether an address is in one of the ranges. An invalid address
// is in none.
func containsAddress(ranges []string, text string) bool {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return false
	}
	address = address.Unmap().WithZone("")
	return slices.ContainsFunc(ranges, func(text string) bool {
		network, ok := parseAddressRange(text)
		return ok && network.Contains(address)
	})
}

// addressRefused returns the error for a call from an address the token does not allow.
// It does not name the allowed ones.
func addressRefused() error {
	return &journal.Error{
		Kind: journal.KindForbidden, Code: "ip_not_allowed",
		Message: "This access token cannot be used from this address.",
	}
}
