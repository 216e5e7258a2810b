package oracle

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
)

// parseFills reads "side quantity price [fees [stated]]" separated by semicolons.
func parseFills(t *testing.T, text string) []Fill {
	t.Helper()
	var fills []Fill
	for i, line := range strings.Split(text, ";") {
		words := strings.Fields(line)
		figure := func(n int, otherwise string) *big.Rat {
			if n < len(words) {
				otherwise = words[n]
			}
			r, ok := new(big.Rat).SetString(otherwise)
			if !ok {
				t.Fatalf("%q is not a number", otherwise)
			}
			return r
		}
		f := Fill{ID: fmt.Sprint(i + 1), At: int64(i), Seq: int64(i), Buy: words[0] == "buy"}
		f.Quantity, f.Price, f.Fees = figure(1, ""), figure(2, ""), figure(3, "0")
		f.Multiplier, f.Commission = big.NewRat(1, 1), new(big.Rat)
		if len(words) > 4 {
			f.Stated = figure(4, "")
		}
		fills = append(fills, f)
	}
	return fills
}

func formatTrades(trades []Trade) string {
	var out []string
	for _, t := range trades {
		side := map[bool]string{true: "long", false: "short"}[t.Long]
		result := "open, realized " + t.Realized.FloatString(3)
		if t.Net != nil {
			result = fmt.Sprintf("gross %s net %s", t.Gross.FloatString(3), t.Net.FloatString(3))
		}
		out = append(out, fmt.Sprintf("%v %s %s %s", t.FillIDs, side, t.Opened.RatString(), result))
	}
	return strings.Join(out, "; ")
}

func TestRecompute(t *testing.T) {
	t.Parallel()
	for fills, want := range map[string]string{
		"buy 100 10; sell 100 12":                   "[1 2] long 100 gross 200.000 net 200.000",
		"sell 50 20; buy 50 18":                     "[1 2] short 50 gross 100.000 net 100.000",
		"buy 100 10; buy 100 20; sell 200 25":       "[1 2 3] long 200 gross 2000.000 net 2000.000",
		"buy 100 10; sell 150 12; buy 50 11":        "[1 2] long 100 gross 200.000 net 200.000; [2 3] short 50 gross 50.000 net 50.000",
		"buy 100 10; sell 300 11 9; buy 200 10":     "[1 2] long 100 gross 100.000 net 97.000; [2 3] short 200 gross 200.000 net 194.000",
		"buy 100 10; sell 40 12":                    "[1 2] long 100 open, realized 80.000",
		"buy 2 10; sell 1 12; buy 1 20":             "[1 2 3] long 3 open, realized 2.000",
		"buy 1 10; sell 3 12 0 7; buy 2 11":         "[1 2] long 1 gross 7.000 net 7.000; [2 3] short 2 gross 2.000 net 2.000",
		"buy 100 10; sell 40 12 0 1; sell 60 12":    "[1 2 3] long 100 gross 121.000 net 121.000",
		"buy 1 10; sell 2 11; buy 2 12; sell 1 13":  "[1 2] long 1 gross 1.000 net 1.000; [2 3] short 1 gross -1.000 net -1.000; [3 4] long 1 gross 1.000 net 1.000",
		"buy 1 10 0 5; sell 1 10":                   "[1 2] long 1 gross 0.000 net 0.000",
		"buy 1 -5 1; sell 1 0 1":                    "[1 2] long 1 gross 5.000 net 3.000",
		"buy 3 1 1; sell 1 2; sell 1 2; sell 1 2 1": "[1 2 3 4] long 3 gross 3.000 net 1.000",
	} {
		if got := formatTrades(Recompute(parseFills(t, fills))); got != want {
			t.Errorf("%s:\n got %s\nwant %s", fills, got, want)
		}
	}
}

func TestRecomputeSortsAndLeavesItsInputAlone(t *testing.T) {
	t.Parallel()
	fills := parseFills(t, "buy 1 10; sell 1 12; sell 2 9; buy 2 8")
	want := formatTrades(Recompute(fills))
	fills[0], fills[3] = fills[3], fills[0]
	fills[1], fills[2] = fills[2], fills[1]
	if got := formatTrades(Recompute(fills)); got != want {
		t.Errorf("reversed: %s, want %s", got, want)
	}
	if fills[0].ID != "4" {
		t.Error("the caller's fills were reordered")
	}
	if got := Recompute(nil); len(got) != 0 {
		t.Errorf("no fills became %v", got)
	}
}

func TestRoundShareIsHalfEven(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"0": "0", "1/3": "0.333333333333", "2/3": "0.666666666667", "-2/3": "-0.666666666667", "1.5": "1.5",
		"0.0000000000005": "0", "0.0000000000015": "0.000000000002", "0.0000000000025": "0.000000000002",
		"-0.0000000000015": "-0.000000000002", "0.00000000000050001": "0.000000000001", "0.00000000000049999": "0",
	} {
		x, _ := new(big.Rat).SetString(in)
		y, _ := new(big.Rat).SetString(want)
		if got := roundShare(x); got.Cmp(y) != 0 {
			t.Errorf("%s rounded to %s, want %s", in, got.FloatString(15), want)
		}
	}
}

// TestRecomputeKinds: what only closes opens nothing, and a removal has no result.
func TestRecomputeKinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kinds, fills, want string }{
		{"trade expiry", "sell 2 1.35; buy 2 0", "[1 2] short 2 gross 2.700 net 2.700"},
		{"trade expiry", "sell 2 1.35; buy 5 0 5", "[1 2] short 2 gross 2.700 net 0.700"},
		{"trade expiry", "sell 2 1.35; sell 2 0", "[1] short 2 open, realized 0.000"},
		{"removal trade", "sell 5 1; buy 5 10", "[2] long 5 open, realized 0.000"},
		{"trade removal", "buy 5 10 2; sell 5 99", "[1 2] long 5 gross 0.000 net -2.000"},
		{"opening trade", "buy 5 10 2; sell 5 11 1", "[1 2] long 5 gross 5.000 net 4.000"},
		{"trade opening trade", "sell 5 10; buy 8 9; sell 3 10", "[1 2] short 5 gross 5.000 net 5.000; [2 3] long 3 gross 3.000 net 3.000"},
	} {
		fills := parseFills(t, c.fills)
		for i, kind := range strings.Fields(c.kinds) {
			fills[i].Kind = kind
		}
		if got := formatTrades(Recompute(fills)); got != c.want {
			t.Errorf("%s as %s:\n got %s\nwant %s", c.fills, c.kinds, got, c.want)
		}
	}
}
