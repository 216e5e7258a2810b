package brokers

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

func TestSwimExpiry(t *testing.T) {
	for _, test := range []struct {
		month, year, brackets string
		want                  journal.Day
	}{
		{"APR", "22", " (WEDNESDAY) (WK5)", "2022-04-27"}, // the month begins on a Friday, its first line has two days
		{"APR", "22", " (FRIDAY) (WK1)", "2022-04-01"},
		{"APR", "22", " (MONDAY) (WK1)", ""}, // that line has no Monday
		{"MAR", "26", " (FRIDAY) (WK2)", "2026-03-13"},
		{"MAR", "26", " (TUESDAY) (WK5)", "2026-03-31"},
		{"MAR", "26", " (FRIDAY) (WK6)", ""},
		{"MAR", "26", " (WK2)", ""},
		{"MAR", "26", " (EOM)", ""},
		{"MAR", "26", "", ""},
		{"NOT", "26", " (FRIDAY) (WK2)", ""},
	} {
		if got := swimExpiry(test.month, test.year, test.brackets); got != test.want {
			t.Errorf("%s %s%s is %q, want %q", test.month, test.year, test.brackets, got, test.want)
		}
	}
}

func TestSwimName(t *testing.T) {
	for text, want := range map[string]statement.Fill{
		"KELP":         {Symbol: "KELP"},
		"brk/b":        {Symbol: "BRK/B", Type: "forex"}, // a pair and a class of shares look the same
		"/MESM26:XCME": {Symbol: "MESM26", Type: "future"},
		"/ZZZQ26:XCME": {Symbol: "/ZZZQ26", Type: "future"}, // a root that is not known keeps its slash
		"EUR/USD":      {Symbol: "EUR/USD", Type: "forex"},
		"FERN 20 MAR 26 55 PUT": {
			Symbol: "FERN", Type: "option", Right: "put", Strike: decimal.Of(decimal.New(55)), Expiry: "2026-03-20",
		},
		"SPX 100 19 JUN 26 [AM] 7000 CALL": {
			Symbol: "SPX", Type: "option", Right: "call", Strike: decimal.Of(decimal.New(7000)), Expiry: "2026-06-19",
		},
		"/ESH26:XCME 1/50 MAR 26 (Friday) (Wk2) /EW2H26:XCME 6900 CALL": {
			Symbol: "/ESH26", Type: "option", Right: "call", Strike: decimal.Of(decimal.New(6900)), Expiry: "2026-03-13",
			Multiplier: decimal.Of(decimal.New(50)),
		},
		"/CLQ26 1/1,000 AUG 26 /LOQ26 70.5 PUT": {
			Symbol: "/CLQ26", Type: "option", Right: "put", Strike: decimal.Of(decimal.Must("70.5")),
			Multiplier: decimal.Of(decimal.New(1000)), Lot: "LOQ26",
		},
	} {
		var got statement.Fill
		if !swimName(&got, text) {
			t.Errorf("%q has no name", text)
			continue
		}
		if got.Symbol != want.Symbol || got.Type != want.Type || got.Right != want.Right || got.Expiry != want.Expiry ||
			got.Lot != want.Lot || !same(got.Strike, want.Strike) || !same(got.Multiplier, want.Multiplier) {
			t.Errorf("%q is %+v", text, got)
		}
	}
	for _, text := range []string{"", " ", "SOMETHING ODD", "/ESH26 1/0 MAR 26 /EW2H26 6900 CALL", "VERTICAL SPY 100 5 JUN 26 715/714 PUT"} {
		if got := (statement.Fill{}); swimName(&got, text) {
			t.Errorf("%q is %+v, want none", text, got)
		}
	}
}

func same(a, b decimal.Null) bool { return a.Valid == b.Valid && a.Decimal.Equal(b.Decimal) }

func TestSwimSpread(t *testing.T) {
	for text, want := range map[string]struct{ symbol, multiplier string }{
		"VERTICAL SPY 100 (Weeklys) 5 JUN 26 715/714 PUT":             {"SPY", "100"},
		"~IRON CONDOR SPX 100 5 JUN 26 7100/7125/6900/6875 CALL/PUT":  {"SPX", "100"},
		"STRADDLE /ESH26:XCME 1/50 MAR 26 /EW2H26:XCME 6900 CALL/PUT": {"/ESH26", "50"},
		"DIAGONAL FERN 100 19 JUN 26/15 MAY 26 50/55 CALL":            {"FERN", "100"},
		"1/2 BACKRATIO FERN 100 19 JUN 26 50/55 PUT":                  {"FERN", "100"},
		"VERTICAL SPY 0 (Weeklys) 5 JUN 26 715/714 PUT":               {},
		"CUSTOM SOMETHING": {},
		"COVERED FERN":     {},
	} {
		var f statement.Fill
		ok := swimSpread(&f, text)
		if ok != (want.symbol != "") || f.Symbol != want.symbol {
			t.Errorf("%q is %+v, %v", text, f, ok)
		}
		if ok && (f.Lot == "" || !f.Multiplier.Decimal.Equal(decimal.Must(want.multiplier))) {
			t.Errorf("%q is %+v", text, f)
		}
	}
}

// TestShareSumsUp holds that the costs of an order are never changed by being
// laid on its legs.
func TestShareSumsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quantities := rapid.SliceOfN(rapid.Int64Range(1, 500), 1, 6).Draw(t, "quantities")
		c := &swimCharge{
			fees:       decimal.FromScaled(rapid.Int64Range(-1000, 100000).Draw(t, "fees"), 2),
			commission: decimal.FromScaled(rapid.Int64Range(-1000, 100000).Draw(t, "commission"), 2),
		}
		o := &swimOrder{}
		for _, q := range quantities {
			o.legs = append(o.legs, &statement.Fill{Quantity: decimal.New(q)})
		}
		o.share(c)
		fees, commission := decimal.Zero, decimal.Zero
		for _, leg := range o.legs {
			fees, commission = fees.Add(leg.Fees), commission.Add(leg.Commission)
		}
		if !fees.Equal(c.fees) || !commission.Equal(c.commission) {
			t.Errorf("%s and %s became %s and %s", c.fees, c.commission, fees, commission)
		}
	})
}

func TestTakeTheNearestCharge(t *testing.T) {
	at := time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)
	charge := func(after time.Duration, text string, side matching.Side) *swimCharge {
		return newSwimCharge(&statement.Fill{
			At: at.Add(after), Quantity: decimal.New(1), Price: decimal.New(2), Side: side, Commission: decimal.New(1),
		}, text)
	}
	far, near := charge(2*time.Hour, "KELP", matching.Buy), charge(time.Second, "KELP", matching.Buy)
	others := []*swimCharge{
		charge(0, "MOSS", matching.Buy), charge(0, "KELP", matching.Sell), charge(25*time.Hour, "KELP", matching.Buy),
	}
	s := &swim{charges: append([]*swimCharge{far, near}, others...)}
	for range 3 {
		leg := &statement.Fill{Quantity: decimal.New(1), Side: matching.Buy}
		s.orders = append(s.orders, &swimOrder{at: at, net: "2", symbol: "KELP", legs: []*statement.Fill{leg}})
	}
	legs := []*statement.Fill{s.orders[0].legs[0], s.orders[1].legs[0], s.orders[2].legs[0]}
	s.charge()
	if !near.taken || !far.taken {
		t.Errorf("near %v, far %v: both are an order's own", near.taken, far.taken)
	}
	for i, c := range others {
		if c.taken {
			t.Errorf("charge %d belongs to no order", i)
		}
	}
	charged := 0
	for _, leg := range legs {
		if !leg.Commission.IsZero() {
			charged++
		}
	}
	if charged != 2 {
		t.Errorf("%d orders have costs, want 2", charged)
	}
}

func TestSpreadsAreChargedByTheirStrikes(t *testing.T) {
	o := &swimOrder{symbol: "FERN", legs: []*statement.Fill{{}, {}}, strikes: []decimal.Decimal{decimal.New(55), decimal.Must("47.50")}}
	for text, want := range map[string]bool{
		"VERTICAL FERN 100 20 MAR 26 55/47.5 PUT":      true,
		"VERTICAL FERN:OPRA 100 20 MAR 26 55/47.5 PUT": true,
		"VERTICAL FERN 100 20 MAR 26 55/50 PUT":        false,
		"VERTICAL MOSS 100 20 MAR 26 55/47.5 PUT":      false,
	} {
		if got := o.is(&swimCharge{words: swimWords(text)}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
