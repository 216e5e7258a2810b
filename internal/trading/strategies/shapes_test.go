package strategies_test

import (
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/strategies"
)

var start = time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)

// parseLegs reads legs such as "+1 C100@2.50 2026-06-19" and "+100 S@50", separated by
// commas. Options have a multiplier of 100.
func parseLegs(t rapid.TB, text string) []strategies.Leg {
	t.Helper()
	var legs []strategies.Leg
	for i, part := range strings.Split(text, ",") {
		words := strings.Fields(part)
		name, price, ok := strings.Cut(words[1], "@")
		if !ok {
			name, price = words[1], "0"
		}
		quantity := decimal.Must(strings.TrimPrefix(words[0], "+"))
		l := strategies.Leg{
			Trade: journal.TradeID(part), Key: "fill " + strconv.Itoa(i), OpenedAt: start, Quantity: quantity, Size: quantity,
		}
		if name == "S" {
			l.Stock = true
			l.Held = []strategies.Holding{{At: start, Quantity: quantity}}
		} else {
			l.Root, l.Right, l.Strike, l.Expiry = "XYZ", instruments.Call, decimal.Must(name[1:]), "2026-06-19"
			if name[0] == 'P' {
				l.Right = instruments.Put
			}
			if len(words) > 2 {
				l.Expiry = journal.Day(words[2])
			}
			l.Size = quantity.Mul(decimal.New(100))
		}
		l.Paid = l.Size.Mul(decimal.Must(price))
		legs = append(legs, l)
	}
	return legs
}

func toMembers(legs []strategies.Leg) []strategies.Member {
	members := make([]strategies.Member, len(legs))
	for i := range legs {
		members[i] = strategies.Member{Leg: &legs[i], Role: strategies.RoleLeg, Quantity: legs[i].Quantity}
	}
	return members
}

// TestPayoffs has the shapes with their numbers: kind and direction, largest profit and
// loss, breakevens.
func TestPayoffs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, legs, kind, profit, loss, breakevens string }{
		{"long call", "+1 C100@3", "single long", "unlimited", "300", "103"},
		{"long put", "+1 P100@3", "single long", "9700", "300", "97"},
		{"short call", "-1 C100@3", "single short", "300", "unlimited", "103"},
		{"short put", "-1 P100@3", "single short", "300", "9700 at zero", "97"},
		{"covered call", "+100 S@95, -1 C100@3", "covered_call ", "800", "9200 at zero", "92"},
		{"covered call with more shares", "+150 S@95, -1 C100@3", "covered_call ", "unlimited", "13950 at zero", "93"},
		{"covered call with too few shares", "+50 S@95, -1 C100@3", "custom ", "550", "unlimited", "89 111"},
		{"protective put", "+100 S@95, +1 P90@2", "protective_put ", "unlimited", "700", "97"},
		{"collar", "+100 S@95, +1 P90@2, -1 C100@3", "collar ", "600", "400", "94"},
		{"bull call vertical", "+1 C100@3, -1 C105@1", "vertical bull", "300", "200", "102"},
		{"bear put vertical", "+1 P105@4, -1 P100@2", "vertical bear", "300", "200", "103"},
		{"bear call vertical", "-1 C100@3, +1 C105@1", "vertical bear", "200", "300", "102"},
		{"bull put vertical", "-2 P105@4, +2 P100@2", "vertical bull", "400", "600", "103"},
		{"long straddle", "+1 C100@3, +1 P100@2", "straddle long", "unlimited", "500", "95 105"},
		{"short strangle", "-1 P95@2, -1 C105@3", "strangle short", "500", "unlimited", "90 110"},
		{"long guts", "+1 C95@7, +1 P105@8", "guts long", "unlimited", "500", "90 110"},
		{"short straddle", "-1 C100@3, -1 P100@2", "straddle short", "500", "unlimited", "95 105"},
		{"long strangle", "+1 P95@2, +1 C105@3", "strangle long", "unlimited", "500", "90 110"},
		{"short guts", "-1 C95@7, -1 P105@8", "guts short", "500", "unlimited", "90 110"},
		{"iron condor", "+1 P90@1, -1 P95@2, -1 C105@2, +1 C115@0.5", "iron_condor short", "250", "750", "92.5 107.5"},
		{"reverse iron condor", "-1 P90@1, +1 P95@2, +1 C105@2, -1 C110@1", "iron_condor long", "300", "200", "93 107"},
		{"iron butterfly", "+1 P90@1, -1 P100@4, -1 C100@4, +1 C110@1", "iron_butterfly short", "600", "400", "94 106"},
		{"reverse iron butterfly", "-1 P90@1, +1 P100@4, +1 C100@4, -1 C110@1", "iron_butterfly long", "400", "600", "94 106"},
		{"inverted iron", "+1 P95@1, -1 P105@6, -1 C100@5, +1 C110@1", "custom ", "400", "100", "96 109"},
		{"butterfly", "+1 C95@6, -2 C100@3, +1 C105@1", "butterfly long", "400", "100", "96 104"},
		{"short put butterfly", "-1 P95@1, +2 P100@3, -1 P105@6", "butterfly short", "100", "400", "96 104"},
		{"broken-wing butterfly", "+1 C95@6, -2 C100@3, +1 C110@0.5", "broken_wing_butterfly long", "450", "550", "95.5 104.5"},
		{"condor", "+1 C90@11, -1 C95@7, -1 C105@2, +1 C110@1", "condor long", "200", "300", "93 107"},
		{"short condor", "-1 C90@11, +1 C95@7, +1 C105@2, -1 C110@1", "condor short", "300", "200", "93 107"},
		{"unequal condor", "+1 C90@11, -1 C95@7, -1 C105@2, +1 C115@1", "custom ", "200", "800", "93 107"},
		{"call ratio", "+1 C100@3, -2 C105@1", "ratio ", "400", "unlimited", "101 109"},
		{"put ratio", "+1 P100@3, -2 P95@1", "ratio ", "400", "9100 at zero", "91 99"},
		{"call backspread", "-1 C100@3, +2 C105@1", "backspread ", "unlimited", "400", "101 109"},
		{"put backspread", "-1 P100@3, +2 P95@1", "backspread ", "9100", "400", "91 99"},
		{"more at the near strike", "+2 C100@3, -1 C105@1", "custom ", "unlimited", "500", "102.5"},
		{"jade lizard", "-1 P95@2, -1 C105@2, +1 C108@1", "jade_lizard ", "300", "9200 at zero", "92 108 "},
		{"jade lizard with risk above", "-1 P95@2, -1 C105@2, +1 C110@1", "jade_lizard ", "300", "9200 at zero", "92 108"},
		{"big lizard", "-1 P100@2, -1 C100@2, +1 C103@1", "jade_lizard ", "300", "9700 at zero", "97 103 "},
		{"reverse jade lizard", "-1 C105@2, -1 P95@2, +1 P92@1", "jade_lizard ", "300", "unlimited", "92 108"},
		{"synthetic", "+1 C100@3, -1 P100@2", "synthetic long", "unlimited", "10100 at zero", "101"},
		{"short synthetic", "-1 C100@3, +1 P100@2", "synthetic short", "10100", "unlimited", "101"},
		{"bearish risk reversal", "+1 P95@2, -1 C105@3", "risk_reversal bear", "9600", "unlimited", "106"},
		{"risk reversal with a credit", "-1 P95@3, +1 C105@2", "risk_reversal bull", "unlimited", "9400 at zero", "94"},
		{"risk reversal with a debit", "-1 P95@2, +1 C105@3", "risk_reversal bull", "unlimited", "9600 at zero", "106"},
		{"conversion", "+100 S@99, -1 C100@3, +1 P100@2", "conversion long", "200", "0", ""},
		{"reversal", "-100 S@99, +1 C100@3, -1 P100@2", "conversion short", "-200", "200", ""},
		{"box", "+1 C100@6, -1 C105@3, +1 P105@5, -1 P100@3.5", "box long", "50", "0", ""},
		{"short box", "-1 C100@6, +1 C105@3, -1 P105@5, +1 P100@3.5", "box short", "-50", "50", ""},
		{"box for more than its width", "+1 C100@6, -1 C105@2, +1 P105@5, -1 P100@3.5", "box long", "-50", "50", ""},
		{"calendar", "-1 C100@2 2026-06-19, +1 C100@3 2026-07-17", "calendar long", "unknown", "100 about", ""},
		{"short calendar", "+1 C100@2 2026-06-19, -1 C100@3 2026-07-17", "calendar short", "unknown", "unknown", ""},
		{"call diagonal", "-1 C100@2 2026-06-19, +1 C105@3 2026-07-17", "diagonal long", "unknown", "600 about", ""},
		{"put diagonal", "-1 P100@2 2026-06-19, +1 P105@6 2026-07-17", "diagonal long", "unknown", "400 about", ""},
		{"double calendar", "-1 C105@2 2026-06-19, +1 C105@3 2026-07-17, -1 P95@2 2026-06-19, +1 P95@3 2026-07-17", "double_calendar long", "unknown", "200 about", ""},
		{"double diagonal", "-1 C105@2 2026-06-19, +1 C110@3 2026-07-17, -1 P95@2 2026-06-19, +1 P90@3 2026-07-17", "double_diagonal long", "unknown", "1200 about", ""},
		{"covered put", "-100 S@95, -1 P90@2", "custom ", "700", "unlimited", "97"},
		{"thirds", "+1 C100@1, -3 C110@0.1", "ratio ", "930", "unlimited", "100.7 114.65"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			members := toMembers(parseLegs(t, test.legs))
			kind, direction := strategies.Recognize(members)
			if got := string(kind) + " " + string(direction); got != test.kind {
				t.Errorf("kind %q, want %q", got, test.kind)
			}
			p := strategies.NewPayoff(members)
			if got := describeProfit(p); got != test.profit {
				t.Errorf("max profit %s, want %s", got, test.profit)
			}
			if got := describeLoss(p); got != test.loss {
				t.Errorf("max loss %s, want %s", got, test.loss)
			}
			var roots []string
			for _, b := range p.Breakevens {
				roots = append(roots, b.String())
			}
			if got := strings.Join(roots, " "); got != strings.TrimSpace(test.breakevens) {
				t.Errorf("breakevens %s, want %s", got, test.breakevens)
			}
		})
	}
}

func describeProfit(p strategies.Payoff) string {
	switch {
	case !p.Known:
		return "unknown"
	case p.UnlimitedProfit:
		return "unlimited"
	}
	return p.MaxProfit.String()
}

func describeLoss(p strategies.Payoff) string {
	switch {
	case p.UnlimitedLoss:
		return "unlimited"
	case !p.MaxLoss.Valid:
		return "unknown"
	case p.About:
		return p.MaxLoss.String() + " about"
	case p.LossAtZero:
		return p.MaxLoss.String() + " at zero"
	}
	return p.MaxLoss.String()
}

// TestAdjustedContracts compares contracts with different roots: only different expiries
// have a name, and never with an adjusted contract.
func TestAdjustedContracts(t *testing.T) {
	t.Parallel()
	name := func(change func([]strategies.Leg)) strategies.Kind {
		legs := parseLegs(t, "+1 C100@3, -1 C105@1")
		change(legs)
		kind, _ := strategies.Recognize(toMembers(legs))
		return kind
	}
	if got := name(func(l []strategies.Leg) { l[1].Root, l[1].Adjusted = "XYZ1", true }); got != strategies.Custom {
		t.Errorf("with an adjusted contract: %s", got)
	}
	if got := name(func(l []strategies.Leg) { l[1].Root = "XYZW" }); got != strategies.Custom {
		t.Errorf("with another settlement: %s", got)
	}
	if got := name(func(l []strategies.Leg) { l[1].Root, l[1].Expiry = "XYZW", "2026-06-26" }); got != strategies.Diagonal {
		t.Errorf("with another settlement and expiry: %s", got)
	}
	if got := name(func(l []strategies.Leg) { l[1].Size = l[1].Size.Mul(decimal.New(10)) }); got != strategies.Custom {
		t.Errorf("with another multiplier: %s", got)
	}
}

func drawLegs(t *rapid.T) []strategies.Leg {
	n := rapid.IntRange(1, 5).Draw(t, "legs")
	var parts []string
	for range n {
		quantity := rapid.SampledFrom([]string{"-3", "-2", "-1", "1", "2", "3"}).Draw(t, "quantity")
		price := rapid.IntRange(0, 900).Draw(t, "price")
		if rapid.IntRange(0, 5).Draw(t, "stock") == 0 {
			parts = append(parts, quantity+"00 S@"+decimal.FromScaled(int64(price), 1).String())
			continue
		}
		right := rapid.SampledFrom([]string{"C", "P"}).Draw(t, "right")
		strike := rapid.IntRange(18, 24).Draw(t, "strike") * 5
		parts = append(parts, quantity+" "+right+strconv.Itoa(strike)+"@"+decimal.FromScaled(int64(price), 2).String())
	}
	return parseLegs(t, strings.Join(parts, ","))
}

// slowValue returns the result at a price with fractions, leg by leg.
func slowValue(legs []strategies.Leg, price *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, l := range legs {
		worth := new(big.Rat).Set(price)
		if !l.Stock {
			worth.Sub(price, l.Strike.Rat())
			if l.Right == instruments.Put {
				worth.Neg(worth)
			}
			if worth.Sign() < 0 {
				worth.SetInt64(0)
			}
		}
		sum.Add(sum, worth.Mul(worth, l.Size.Rat()))
		sum.Sub(sum, l.Paid.Rat())
	}
	return sum
}

// TestPayoffAgreesWithSampling compares the numbers with results sampled at prices from 0 to
// far above the strikes: no sample exceeds the extremes, the extremes occur, and the
// sign changes exactly at breakevens.
func TestPayoffAgreesWithSampling(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		legs := drawLegs(t)
		p := strategies.NewPayoff(toMembers(legs))
		var lowest, highest *big.Rat
		for price := int64(0); price <= 200; price += 5 { // all strikes are multiples of 5
			v := slowValue(legs, big.NewRat(price, 1))
			if lowest == nil || v.Cmp(lowest) < 0 {
				lowest = v
			}
			if highest == nil || v.Cmp(highest) > 0 {
				highest = v
			}
		}
		far, farther := slowValue(legs, big.NewRat(10000, 1)), slowValue(legs, big.NewRat(20000, 1))
		if p.UnlimitedProfit != (farther.Cmp(far) > 0) || p.UnlimitedLoss != (farther.Cmp(far) < 0) {
			t.Fatalf("unlimited %v %v, far %s %s", p.UnlimitedProfit, p.UnlimitedLoss, far, farther)
		}
		if !p.UnlimitedProfit && p.MaxProfit.Decimal.Rat().Cmp(highest) != 0 {
			t.Fatalf("max profit %s, sampled %s", p.MaxProfit, highest.FloatString(4))
		}
		if loss := new(big.Rat).Neg(lowest); !p.UnlimitedLoss && p.MaxLoss.Decimal.Rat().Cmp(maxRat(loss)) != 0 {
			t.Fatalf("max loss %s, sampled %s", p.MaxLoss, loss.FloatString(4))
		}
		checkRoots(t, legs, p.Breakevens)
	})
}

func maxRat(r *big.Rat) *big.Rat {
	if r.Sign() < 0 {
		return new(big.Rat)
	}
	return r
}

// checkRoots fails unless the result keeps its sign between breakevens.
func checkRoots(t *rapid.T, legs []strategies.Leg, roots []decimal.Decimal) {
	step, tiny := big.NewRat(1, 1), big.NewRat(1, 1_000_000)
	at, sign := new(big.Rat), slowValue(legs, new(big.Rat)).Sign()
	for ; at.Cmp(big.NewRat(300, 1)) < 0; at.Add(at, step) {
		next := slowValue(legs, new(big.Rat).Add(at, step)).Sign()
		if next != sign {
			end := new(big.Rat).Add(at, step)
			end.Add(end, tiny)
			found := false
			for _, r := range roots {
				found = found || r.Rat().Cmp(at) >= 0 && r.Rat().Cmp(end) <= 0
			}
			if !found && (at.Sign() != 0 || sign != 0) {
				t.Fatalf("the result changes its sign after %s, breakevens %v", at.FloatString(2), roots)
			}
		}
		sign = next
	}
	for _, r := range roots {
		if v := slowValue(legs, r.Rat()); new(big.Rat).Abs(v).Cmp(tiny) > 0 {
			t.Fatalf("the result at breakeven %s is %s", r, v.FloatString(8))
		}
	}
}
