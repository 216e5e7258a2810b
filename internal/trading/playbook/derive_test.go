package playbook_test

import (
	"testing"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

func maybe(text string) decimal.Null {
	if text == "" {
		return decimal.Null{}
	}
	return decimal.Of(decimal.Must(text))
}

func TestDerive(t *testing.T) {
	t.Parallel()
	type in struct {
		short                           bool
		entry, quantity, multiplier     string
		net, risk, stopPrice, goalPrice string
		stated, priced                  string // the rate
	}
	for name, test := range map[string]struct {
		in
		risk    string
		derived bool
		r       string
		planned string
		wrong   bool
	}{
		"nothing said":               {in: in{entry: "10", quantity: "100", multiplier: "1", net: "200"}},
		"a stated risk":              {in: in{entry: "10", quantity: "100", multiplier: "1", net: "200", risk: "80"}, risk: "80", r: "2.5"},
		"a loss":                     {in: in{entry: "10", quantity: "100", multiplier: "1", net: "-100", risk: "80"}, risk: "80", r: "-1.25"},
		"an open trade":              {in: in{entry: "10", quantity: "100", multiplier: "1", risk: "80"}, risk: "80"},
		"a third":                    {in: in{entry: "10", quantity: "1", multiplier: "1", net: "1", risk: "3"}, risk: "3", r: "0.333333333333"},
		"two thirds":                 {in: in{entry: "10", quantity: "1", multiplier: "1", net: "2", risk: "3"}, risk: "3", r: "0.666666666667"},
		"half to even":               {in: in{entry: "10", quantity: "1", multiplier: "1", net: "0.0000000000005", risk: "1"}, risk: "1", r: "0"},
		"a stop":                     {in: in{entry: "10", quantity: "100", multiplier: "1", net: "200", stopPrice: "9.5"}, risk: "50", derived: true, r: "4"},
		"a stop of a future":         {in: in{entry: "5000", quantity: "2", multiplier: "50", net: "1000", stopPrice: "4990"}, risk: "1000", derived: true, r: "1"},
		"a stop above a short":       {in: in{short: true, entry: "20", quantity: "50", multiplier: "1", net: "100", stopPrice: "21"}, risk: "50", derived: true, r: "2"},
		"a stop at the entry":        {in: in{entry: "10", quantity: "100", multiplier: "1", net: "200", stopPrice: "10", goalPrice: "12"}},
		"the stated risk goes first": {in: in{entry: "10", quantity: "100", multiplier: "1", net: "200", risk: "100", stopPrice: "9.5"}, risk: "100", r: "2"},
		"a plan":                     {in: in{entry: "100", quantity: "10", multiplier: "1", stopPrice: "98", goalPrice: "105"}, risk: "20", derived: true, planned: "2.5"},
		"a short plan":               {in: in{short: true, entry: "100", quantity: "10", multiplier: "1", stopPrice: "102", goalPrice: "95"}, risk: "20", derived: true, planned: "2.5"},
		"a target behind the entry":  {in: in{entry: "100", quantity: "10", multiplier: "1", stopPrice: "98", goalPrice: "99"}, risk: "20", derived: true, planned: "-0.5"},
		"a plan without a stop":      {in: in{entry: "100", quantity: "10", multiplier: "2", risk: "40", goalPrice: "105"}, risk: "40", planned: "2.5"},
		"a target alone":             {in: in{entry: "100", quantity: "10", multiplier: "2", goalPrice: "105"}},
		"a stop above a long":        {in: in{entry: "10", quantity: "100", multiplier: "1", net: "200", stopPrice: "11", goalPrice: "12"}, wrong: true},
		"a stop below a short":       {in: in{short: true, entry: "10", quantity: "100", multiplier: "1", net: "200", stopPrice: "9", goalPrice: "8"}, wrong: true},
		"stated beside a wrong stop": {in: in{entry: "10", quantity: "100", multiplier: "1", net: "200", risk: "80", stopPrice: "11", goalPrice: "12"}, risk: "80", r: "2.5", wrong: true},
		"stated, stop at the entry":  {in: in{entry: "10", quantity: "100", multiplier: "1", net: "200", risk: "80", stopPrice: "10", goalPrice: "12"}, risk: "80", r: "2.5"},
		"a rate":                     {in: in{entry: "1.09", quantity: "0.31", multiplier: "1", net: "155", stopPrice: "1.085", goalPrice: "1.10", stated: "155", priced: "0.00155"}, risk: "155", derived: true, r: "1", planned: "2"},
		"a rate that does not end":   {in: in{entry: "10", quantity: "1", multiplier: "1", net: "1", stopPrice: "9", stated: "1", priced: "3"}, risk: "0.333333333333", derived: true, r: "3"},
		"an unknown rate":            {in: in{entry: "10", quantity: "1", multiplier: "1", net: "0", stopPrice: "9", goalPrice: "12", stated: "0", priced: "0"}, planned: "2"},
		"a stated risk and a rate":   {in: in{entry: "10", quantity: "1", multiplier: "1", net: "1", risk: "4", goalPrice: "12", stated: "1", priced: "3"}, risk: "4", r: "0.25", planned: "0.166666666667"},
	} {
		got := playbook.Derive(playbook.Figures{
			Long: !test.short, EntryNotional: decimal.Must(test.entry).Mul(decimal.Must(test.quantity)).Mul(decimal.Must(test.multiplier)),
			EntrySize: decimal.Must(test.quantity).Mul(decimal.Must(test.multiplier)), NetPnL: maybe(test.net),
			Rate: matching.Rate{Stated: maybe(test.stated), Priced: maybe(test.priced)},
		}, playbook.Annotations{AnnotationValues: playbook.AnnotationValues{
			InitialRisk: maybe(test.in.risk), StopPrice: maybe(test.stopPrice), TargetPrice: maybe(test.goalPrice),
		}})
		if !got.InitialRisk.Equal(maybe(test.risk)) || got.InitialRiskDerived != test.derived ||
			!got.RMultiple.Equal(maybe(test.r)) || !got.PlannedR.Equal(maybe(test.planned)) ||
			got.StopOnWrongSide != test.wrong || len(got.Warnings()) > 0 != test.wrong {
			t.Errorf("%s: risk %s (derived: %v), r %s, planned %s, warnings %q",
				name, got.InitialRisk, got.InitialRiskDerived, got.RMultiple, got.PlannedR, got.Warnings())
		}
	}
}

// TestDeriveWithDifferentMultipliers takes the risk over the opening fills, each
// with its own multiplier: 2 × 50 × (100 − 90) + 1 × 10 × (110 − 90).
func TestDeriveWithDifferentMultipliers(t *testing.T) {
	t.Parallel()
	trades := matching.Group([]matching.Fill{
		{ID: "1", At: 1, Side: matching.Buy, Quantity: decimal.New(2), Price: decimal.New(100), Multiplier: decimal.New(50)},
		{ID: "2", At: 2, Side: matching.Buy, Quantity: decimal.New(1), Price: decimal.New(110), Multiplier: decimal.New(10)},
	}, matching.Head{})
	got := playbook.Derive(playbook.Figures{
		Long: true, EntryNotional: trades[0].EntryNotional, EntrySize: trades[0].EntrySize, Rate: trades[0].Rate,
	}, playbook.Annotations{AnnotationValues: playbook.AnnotationValues{StopPrice: maybe("90")}})
	if got.InitialRisk.String() != "1200" {
		t.Errorf("the risk is %s", got.InitialRisk)
	}
}

// TestRiskToStop takes the part still open: a third of 3 × (100 − 90).
func TestRiskToStop(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		short           bool
		remaining, stop string
		want            string
	}{
		"a long":              {remaining: "1", stop: "90", want: "10"},
		"the whole":           {remaining: "3", stop: "90", want: "30"},
		"a short":             {short: true, remaining: "1", stop: "107", want: "7"},
		"a stop in profit":    {remaining: "1", stop: "101", want: "0"},
		"a stop at the entry": {remaining: "1", stop: "100", want: "0"},
		"no stop":             {remaining: "1"},
		"a closed trade":      {remaining: "0", stop: "90"},
	} {
		got := playbook.Derive(playbook.Figures{
			Long: !test.short, EntryNotional: decimal.New(300), EntrySize: decimal.New(3), QtyOpened: decimal.New(3), QtyRemaining: decimal.Must(test.remaining),
		}, playbook.Annotations{AnnotationValues: playbook.AnnotationValues{StopPrice: maybe(test.stop)}}).RiskToStop
		if !got.Equal(maybe(test.want)) {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
