package ledger

import (
	"cmp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
)

// TestOrderKeysCompareAsInstruments compares keys with a comparison part by part.
func TestOrderKeysCompareAsInstruments(t *testing.T) {
	t.Parallel()
	key := rapid.Custom(func(t *rapid.T) streamKey {
		strike := rapid.OneOf(rapid.Just(""), rapid.Map(rapid.Int64Range(-2000, 2000), func(n int64) string {
			return decimal.FromScaled(n, 2).String()
		}), rapid.SampledFrom([]string{"999999999999999", "0.000000000000000001", "-0.000000000000000001", "10", "9"}))
		return streamKey{
			symbol: rapid.SampledFrom([]string{"A", "AB", "A B", "Ä", "B"}).Draw(t, "symbol"), strike: strike.Draw(t, "strike"),
			right:  rapid.SampledFrom([]string{"", "call", "put"}).Draw(t, "right"),
			expiry: rapid.SampledFrom([]string{"", "2026-01-16", "2026-02-20"}).Draw(t, "expiry"),
			lot:    rapid.SampledFrom([]string{"", "1", "10", "2"}).Draw(t, "lot"),
		}
	})
	number := func(text string) decimal.Decimal {
		if text == "" {
			return decimal.Must("-1000000000000000") // absent comes first
		}
		return decimal.Must(text)
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := key.Draw(t, "a"), key.Draw(t, "b")
		want := cmp.Or(strings.Compare(a.symbol, b.symbol), strings.Compare(a.right, b.right),
			number(a.strike).Cmp(number(b.strike)), strings.Compare(a.expiry, b.expiry), strings.Compare(a.lot, b.lot))
		if got := strings.Compare(a.orderKey(), b.orderKey()); got != want {
			t.Fatalf("%+v and %+v compare as %d, want %d: %q %q", a, b, got, want, a.orderKey(), b.orderKey())
		}
	})
}
