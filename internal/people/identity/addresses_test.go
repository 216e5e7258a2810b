package identity

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"testing"
)

// TestAddressRangesHoldTheirAddresses compares ranges arithmetically: an address is in a
// range if both have the same leading bits.
func TestAddressRangesHoldTheirAddresses(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) // not a secret
	inside := 0
	for range 20_000 {
		size := []int{4, 16}[random.IntN(2)]
		network, address := make([]byte, size), make([]byte, size)
		for i := range network {
			network[i] = byte(random.Uint32())
			if address[i] = network[i]; random.IntN(size) == 0 { // often only later bytes differ
				address[i] = byte(random.Uint32())
			}
		}
		bits := random.IntN(8*size + 1)
		shift := uint(8*size - bits)
		prefix := func(b []byte) *big.Int { n := new(big.Int).SetBytes(b); return n.Rsh(n, shift) }
		want := prefix(network).Cmp(prefix(address)) == 0
		if want {
			inside++
		}
		of, _ := netip.AddrFromSlice(network)
		client, _ := netip.AddrFromSlice(address)
		if of.Is4In6() || client.Is4In6() {
			continue
		}
		for _, text := range spellings(of, bits) {
			for _, from := range spellings(client, -1) {
				if got := containsAddress([]string{"192.0.2.1/32", text}, from); got != want && from != "192.0.2.1" {
					t.Fatalf("%s contains %s: %v, want %v", text, from, got, want)
				}
			}
		}
		if other := (netip.Addr{}); of.Is4() {
			other = netip.MustParseAddr("2001:db8::1")
			if containsAddress([]string{fmt.Sprintf("%s/%d", of, bits)}, other.String()) {
				t.Fatalf("%s/%d contains an address of IPv6", of, bits)
			}
		}
	}
	if inside < 5000 || inside > 15_000 {
		t.Errorf("%d of 20000 are inside", inside)
	}
}

// spellings returns an address, or a range if bits is not negative, in all forms.
func spellings(a netip.Addr, bits int) []string {
	mapped := netip.AddrFrom16(a.As16()).String()
	switch {
	case bits < 0 && a.Is4():
		return []string{a.String(), mapped}
	case bits < 0:
		return []string{a.String(), a.StringExpanded(), a.WithZone("eth0").String()}
	case a.Is4() && bits == 32:
		return []string{a.String(), mapped, a.String() + "/32", mapped + "/128"}
	case a.Is4():
		return []string{fmt.Sprintf("%s/%d", a, bits), fmt.Sprintf("%s/%d", mapped, bits+96)}
	case bits == 128:
		return []string{a.String(), a.String() + "/128"}
	}
	return []string{fmt.Sprintf("%s/%d", a, bits), fmt.Sprintf("%s/%d", a.StringExpanded(), bits)}
}

func TestAddressRangesAreRefused(t *testing.T) {
	for _, text := range []string{
		"", " ", "10", "10.0.0", "010.0.0.1", "10.0.0.1/", "10.0.0.1/33", "10.0.0.1/-1", "::/129", "::1%eth0", "fe80::%eth0/10",
		"10.0.0.0-10.0.0.9", "example.org", "::ffff:10.0.0.0/95", "10.0.0.1/08", "[::1]", "10.0.0.1:80",
	} {
		if network, ok := parseAddressRange(text); ok {
			t.Errorf("%q is %s", text, network)
		}
	}
	for _, address := range []string{"", "unix", "@", "10.0.0.1:80"} {
		if containsAddress([]string{"0.0.0.0/0", "::/0"}, address) {
			t.Errorf("%q is an address", address)
		}
	}
}
