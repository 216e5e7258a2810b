package programs_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/programs"
	"fillbook/internal/trading/programs/oracle"
)

func amount(s string) decimal.Decimal { return decimal.Must(s) }
func some(s string) decimal.Null      { return decimal.Of(decimal.Must(s)) }

func instant(t interface{ Fatal(...any) }, text string) int64 {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMicro()
}

// newProgram returns an evaluation of 100,000 with days from midnight UTC.
func newProgram(rules ...programs.Rule) *programs.Program {
	return &programs.Program{
		Firm: "Firm", Name: "Test", Phase: programs.PhaseEvaluation, Product: "futures", Version: 1, Currency: "USD", InitialBalance: amount("100000"),
		Day: programs.DayBounds{Reset: "00:00", Zone: "UTC"}, Rules: rules,
	}
}

// history builds facts: each trade opens and closes one contract at an instant's hour.
type history struct {
	t     *testing.T
	facts programs.Facts
}

func newHistory(t *testing.T) *history {
	t.Helper()
	return &history{t: t, facts: programs.Facts{
		StartedAt: instant(t, "2026-03-02T00:00:00Z"), Until: instant(t, "2026-03-31T00:00:00Z"), Start: amount("100000"),
	}}
}

// trade adds a trade held for a minute.
func (h *history) trade(closed, net string) *programs.Trade {
	h.t.Helper()
	at := instant(h.t, closed)
	n := int64(len(h.facts.Trades))
	h.facts.Trades = append(h.facts.Trades, programs.Trade{
		ID: journal.TradeID(fmt.Sprint("t", n+1)), Size: programs.FullContract,
		Fills: []programs.Fill{{At: at - 60e6, Seq: 2 * n, Quantity: amount("1")}, {At: at, Seq: 2*n + 1, Quantity: amount("-1"), Net: amount(net)}},
	})
	return &h.facts.Trades[n]
}

func (h *history) evaluate(p *programs.Program) *programs.Result {
	h.t.Helper()
	if err := p.Check(); err != nil {
		h.t.Fatal(err)
	}
	return programs.Evaluate(p, &h.facts)
}

func (h *history) wantFailed(p *programs.Program, kind programs.Kind, at string, trade journal.TradeID) *programs.Result {
	h.t.Helper()
	r := h.evaluate(p)
	if r.State != programs.Failed || r.Breach.Kind != kind || r.Breach.At != instant(h.t, at) || r.Breach.Trade != trade {
		h.t.Fatalf("got %s, breach %+v", r.State, r.Breach)
	}
	return r
}

func wantFloors(t *testing.T, r *programs.Result, floors ...string) {
	t.Helper()
	for i, want := range floors {
		if got := r.Days[i].FloorNext; !got.Equal(some(want)) {
			t.Errorf("day %d: the next floor is %s, not %s", i+1, got, want)
		}
	}
}

// Trailing at the end of the day, L = 3,000: the peak inside day 1 does not count, day 2
// raises the floor above the start, and day 3 touches it.
func TestTrailingEndOfDayFailsAboveTheStart(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.trade("2026-03-02T10:00:00Z", "4000")
	h.trade("2026-03-02T15:00:00Z", "-4500")
	h.trade("2026-03-03T15:00:00Z", "5000")
	h.trade("2026-03-04T15:00:00Z", "-3500")
	h.trade("2026-03-05T15:00:00Z", "100")
	r := h.wantFailed(newProgram(programs.Rule{Kind: programs.MaxLoss, Mode: programs.TrailingEOD, Amount: some("3000")}),
		programs.MaxLoss, "2026-03-04T15:00:00Z", "t4")
	wantFloors(t, r, "97000", "101500")
	if !r.Balance.Equal(amount("101000")) || r.TradesAfter != 1 {
		t.Errorf("balance %s, %d trades after", r.Balance, r.TradesAfter)
	}
}

// Trailing by open profit, L = 3,000: bars prove a profit of 2,000, so the floor is 99,000
// and the close at 98,500 fails. A static floor at 97,000 holds.
func TestTrailingIntradayFailsWhereStaticHolds(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.trade("2026-03-02T10:00:00Z", "-1500").Excursion = &programs.Excursion{
		LossLow: amount("1500"), LossHigh: amount("1600"), ProfitLow: amount("2000"), ProfitHigh: amount("2100"),
	}
	trailing := newProgram(programs.Rule{Kind: programs.MaxLoss, Mode: programs.TrailingOpen, Amount: some("3000")})
	h.wantFailed(trailing, programs.MaxLoss, "2026-03-02T10:00:00Z", "t1")
	static := newProgram(programs.Rule{Kind: programs.MaxLoss, Amount: some("3000")})
	if r := h.evaluate(static); r.State != programs.Active || r.Rules[0].State != programs.OK || r.Rules[0].Evidence != programs.Bounded {
		t.Errorf("static: %s, %+v", r.State, r.Rules[0])
	}
	h.facts.Trades[0].Excursion = nil
	if r := h.evaluate(trailing); r.State != programs.Active || r.Rules[0].State != programs.Unknown || r.OpenBounded {
		t.Errorf("without bars: %s, %+v", r.State, r.Rules[0])
	}
}

// 5 % of 102,000: the limit is 5,000 of the initial balance, so the day's floor is 97,000,
// or 5,100 of the balance at the reset: 96,900.
func TestDailyLossBasis(t *testing.T) {
	t.Parallel()
	for basis, last := range map[string]string{programs.BasisInitial: "-5000", programs.BasisAnchor: "-5100"} {
		h := newHistory(t)
		h.trade("2026-03-02T10:00:00Z", "2000")
		h.trade("2026-03-03T10:00:00Z", last)
		p := newProgram(programs.Rule{Kind: programs.DailyLoss, Fraction: some("0.05"), Basis: basis})
		h.wantFailed(p, programs.DailyLoss, "2026-03-03T10:00:00Z", "t2")
		h.facts.Trades[1].Fills[1].Net = amount(last).Add(amount("0.01"))
		if r := h.evaluate(p); r.State != programs.Active || r.Days[1].States[programs.DailyLoss] != programs.Warning {
			t.Errorf("%s: a cent above the limit: %s, %v", basis, r.State, r.Days[1].States)
		}
	}
}

// Consistency 50 %, target 3,000: +3,000, +1,000, +2,000 passes on day 3 (3,000 of 6,000).
func TestConsistencyPassesOnDayThree(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.trade("2026-03-02T10:00:00Z", "3000")
	h.trade("2026-03-03T10:00:00Z", "1000")
	h.trade("2026-03-04T10:00:00Z", "2000")
	h.trade("2026-03-05T10:00:00Z", "-90000")
	r := h.evaluate(newProgram(
		programs.Rule{Kind: programs.ProfitTarget, Amount: some("3000")}, programs.Rule{Kind: programs.Consistency, Fraction: some("0.5")},
		programs.Rule{Kind: programs.MaxLoss, Amount: some("3000")}))
	if r.State != programs.Passed || r.DecidedAt != instant(t, "2026-03-04T10:00:00Z") || r.TradesAfter != 1 {
		t.Errorf("%s at %d, %d trades after", r.State, r.DecidedAt, r.TradesAfter)
	}
}

// 800 received at a share of 80 % lower the balance by 1,000.
func TestPayoutsLowerTheBalanceByTheirGross(t *testing.T) {
	t.Parallel()
	for floor, want := range map[string]string{programs.FloorKeep: "99000", programs.FloorToInitial: "100000", programs.FloorByAmount: "98000"} {
		h := newHistory(t)
		h.trade("2026-03-02T10:00:00Z", "2000")
		h.facts.Payouts = []programs.Payout{{At: instant(t, "2026-03-03T10:00:00Z"), Gross: amount("1000")}}
		p := newProgram(programs.Rule{Kind: programs.MaxLoss, Mode: programs.TrailingEOD, Amount: some("3000")}, programs.Rule{Kind: programs.Payouts, Floor: floor})
		p.Phase = programs.PhaseFunded
		r := h.evaluate(p)
		if !r.Balance.Equal(amount("101000")) || !r.Floor.Equal(some(want)) || !r.Days[1].Net.IsZero() || !r.Days[1].Paid.Equal(amount("1000")) {
			t.Errorf("%s: balance %s, floor %s, day %+v", floor, r.Balance, r.Floor, r.Days[1])
		}
	}
}

func TestPauseMarksTheDayAndGoesOn(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.trade("2026-03-02T10:00:00Z", "-1000")
	h.trade("2026-03-03T10:00:00Z", "-1000")
	rule := programs.Rule{Kind: programs.DailyLoss, Amount: some("1000"), Effect: programs.Pause}
	if r := h.evaluate(newProgram(rule)); r.State != programs.Active || r.Days[1].States[programs.DailyLoss] != programs.Breached || r.Rules[0].State != programs.OK {
		t.Errorf("pause: %s %v %+v", r.State, r.Days[1].States, r.Rules[0])
	}
	rule.Effect, rule.Count = programs.CountDays, "2"
	h.wantFailed(newProgram(rule), programs.DailyLoss, "2026-03-03T10:00:00Z", "t2")
}

// A breach that was set aside no longer fails; the rule is tested again after the balance
// was above the floor.
func TestBreachIsSetAside(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.trade("2026-03-02T10:00:00Z", "-3000")
	h.trade("2026-03-03T10:00:00Z", "-100")
	h.trade("2026-03-04T10:00:00Z", "500")
	h.trade("2026-03-05T10:00:00Z", "-500")
	p := newProgram(programs.Rule{Kind: programs.MaxLoss, Amount: some("3000")})
	h.wantFailed(p, programs.MaxLoss, "2026-03-02T10:00:00Z", "t1")
	h.facts.SetAside = []programs.Breach{{Kind: programs.MaxLoss, At: instant(t, "2026-03-02T10:00:00Z")}}
	h.wantFailed(p, programs.MaxLoss, "2026-03-05T10:00:00Z", "t4")
}

func TestContractsAndDeadlines(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	tr := h.trade("2026-03-02T10:00:00Z", "0")
	tr.Size, tr.Fills[0].Quantity, tr.Fills[1].Quantity = programs.MicroContract, amount("21"), amount("-21")
	h.wantFailed(newProgram(programs.Rule{Kind: programs.MaxContracts, N: 2}), programs.MaxContracts, "2026-03-02T09:59:00Z", "t1")
	if r := h.evaluate(newProgram(programs.Rule{Kind: programs.MaxContracts, N: 3})); r.State != programs.Active {
		t.Error("2.1 contracts are above 3")
	}
	h.wantFailed(newProgram(programs.Rule{Kind: programs.MaxContracts, N: 20, Micro: some("1")}), programs.MaxContracts, "2026-03-02T09:59:00Z", "t1")
	plan := programs.Rule{Kind: programs.ScalingPlan, N: 2, Steps: []programs.Step{{Above: amount("1500"), N: 3}}}
	h.wantFailed(newProgram(plan), programs.ScalingPlan, "2026-03-02T09:59:00Z", "t1")
	deadline := programs.Rule{Kind: programs.FlatBy, Time: "10:00"}
	if r := h.evaluate(newProgram(deadline)); r.State != programs.Active {
		t.Error("a close at the deadline is late")
	}
	tr.Fills[1].At++
	h.wantFailed(newProgram(deadline), programs.FlatBy, "2026-03-02T10:00:00Z", "t1")
	h.wantFailed(newProgram(programs.Rule{Kind: programs.MaxDays, N: 3}), programs.MaxDays, "2026-03-05T00:00:00Z", "")
	h.wantFailed(newProgram(programs.Rule{Kind: programs.Inactivity, Days: 7}), programs.Inactivity, "2026-03-10T00:00:00Z", "")
}

// The days of a program follow its own clocks, over both changes of the year.
func TestDaysFollowTheProgramsClock(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reset, zone, at string
		day             journal.Day
	}{
		{"00:00", "Europe/Prague", "2026-03-28T23:00:00Z", "2026-03-29"},
		{"00:00", "Europe/Prague", "2026-03-29T21:59:59Z", "2026-03-29"},
		{"00:00", "Europe/Prague", "2026-03-29T22:00:00Z", "2026-03-30"},
		{"00:00", "Europe/Prague", "2026-10-25T22:59:59Z", "2026-10-25"},
		{"00:00", "Europe/Prague", "2026-10-25T23:00:00Z", "2026-10-26"},
		{"17:00", "America/Chicago", "2026-03-06T23:00:00Z", "2026-03-07"},
		{"17:00", "America/Chicago", "2026-03-08T21:59:59Z", "2026-03-08"},
		{"17:00", "America/Chicago", "2026-03-08T22:00:00Z", "2026-03-09"},
		{"17:00", "America/Chicago", "2026-11-01T22:59:59Z", "2026-11-01"},
		{"17:00", "America/Chicago", "2026-11-01T23:00:00Z", "2026-11-02"},
		{"18:00", "America/New_York", "2026-03-08T22:00:00Z", "2026-03-09"},
		{"18:00", "America/New_York", "2026-11-01T22:59:59Z", "2026-11-01"},
		{"02:30", "Europe/Prague", "2026-03-29T00:59:59Z", "2026-03-28"},
		{"02:30", "Europe/Prague", "2026-03-29T01:00:00Z", "2026-03-29"},
		{"02:30", "Europe/Prague", "2026-10-25T00:30:00Z", "2026-10-25"},
	} {
		h := newHistory(t)
		h.facts.StartedAt, h.facts.Until = instant(t, "2026-01-01T00:00:00Z"), instant(t, "2026-12-31T00:00:00Z")
		h.facts.Cash = []programs.Cash{{At: instant(t, c.at), Amount: amount("-1")}}
		p := newProgram()
		p.Day = programs.DayBounds{Reset: c.reset, Zone: c.zone}
		if r := h.evaluate(p); len(r.Days) != 1 || r.Days[0].Day != c.day {
			t.Errorf("%s %s %s: %+v, not %s", c.reset, c.zone, c.at, r.Days, c.day)
		}
	}
}

func TestInvalidRulesAreRefused(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]programs.Rule{
		"kind": {Kind: "news"}, "no amount": {Kind: programs.MaxLoss}, "both": {Kind: programs.MaxLoss, Amount: some("1"), Fraction: some("0.1")},
		"zero": {Kind: programs.MaxLoss, Amount: some("0")}, "percent": {Kind: programs.DailyLoss, Fraction: some("5")},
		"foreign parameter": {Kind: programs.MinDays, N: 1, Amount: some("1")}, "mode": {Kind: programs.MaxLoss, Amount: some("1"), Mode: "up"},
		"pause": {Kind: programs.MaxLoss, Amount: some("1"), Effect: programs.Pause}, "count": {Kind: programs.DailyLoss, Amount: some("1"), Effect: programs.CountDays},
		"time": {Kind: programs.FlatBy, Time: "25:00"}, "n": {Kind: programs.MinDays}, "weekday": {Kind: programs.FlatBy, Time: "10:00", Weekday: []int{7}},
		"steps":                   {Kind: programs.ScalingPlan, N: 1, Steps: []programs.Step{{Above: amount("2"), N: 1}, {Above: amount("1"), N: 1}}},
		"effect of a requirement": {Kind: programs.ProfitTarget, Amount: some("1"), Effect: programs.Fail},
	} {
		if err := newProgram(r).Check(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// drawRule returns a random valid rule.
func drawRule(t *rapid.T, kind programs.Kind) programs.Rule {
	money := func(name string) decimal.Null {
		return decimal.Of(decimal.New(int64(rapid.IntRange(1, 30).Draw(t, name)) * 100))
	}
	word := func(name string, words ...string) string { return rapid.SampledFrom(words).Draw(t, name) }
	n := func(most int) int { return rapid.IntRange(1, most).Draw(t, "n") }
	r := programs.Rule{Kind: kind}
	switch kind {
	case programs.MaxLoss:
		r.Mode, r.Test = word("mode", "", programs.TrailingEOD, programs.TrailingClosed, programs.TrailingOpen), word("test", "", programs.TestBelow)
		r.Amount = money("loss")
		if rapid.Bool().Draw(t, "locks") {
			r.Lock = &programs.Lock{Offset: decimal.New(int64(rapid.IntRange(0, 1).Draw(t, "offset")) * 100)}
		}
	case programs.DailyLoss:
		r.Fraction, r.Basis = some(word("fraction", "0.01", "0.02")), word("basis", "", programs.BasisAnchor)
		r.Evaluation, r.Test = word("evaluation", "", programs.DayEnd), word("test", "", programs.TestBelow)
		if r.Effect = programs.Effect(word("effect", "", "pause", "count")); r.Effect == programs.CountDays {
			r.Count = programs.Count(word("count", "2", "3"))
		}
	case programs.ProfitTarget:
		r.Amount = money("target")
	case programs.Consistency:
		r.Fraction, r.Test = some(word("fraction", "0.3", "0.5", "0.8")), word("test", "", programs.TestBelow)
	case programs.MinDays:
		r.N, r.Count = n(5), programs.Count(word("count", "", "opening"))
	case programs.MinProfitDays:
		r.N, r.Amount = n(3), money("profit")
	case programs.MaxDays:
		r.N, r.Unit = n(15)+3, word("unit", "", programs.UnitTrading)
	case programs.MaxContracts:
		r.N = n(4)
	case programs.ScalingPlan:
		r.N, r.Steps = n(3), []programs.Step{{Above: amount("200"), N: 3}, {Above: amount("900"), N: 5}}
	case programs.FlatBy:
		r.Time, r.Zone, r.Weekday = word("time", "16:59", "02:30"), word("zone", "", "America/New_York"), []int{rapid.IntRange(0, 6).Draw(t, "weekday")}
	case programs.Inactivity:
		r.Days = n(6) + 2
	case programs.Payouts:
		r.MinAmount, r.Buffer, r.Floor = money("min"), money("buffer"), word("floor", "", programs.FloorToInitial, programs.FloorByAmount)
		if rapid.Bool().Draw(t, "profit days") {
			r.ProfitDays = &programs.ProfitDays{N: 2, Amount: amount("100")}
			r.Consistency, r.MaxCount = some("0.6"), 2
		}
	}
	return r
}

// drawFacts returns a random journal over a change of the clocks, with trades held
// overnight, several at once and closed in parts, with cash rows and payouts.
func drawFacts(t *rapid.T) *programs.Facts {
	begin := rapid.SampledFrom([]string{"2026-03-02T07:00:00Z", "2026-03-26T23:00:00Z", "2026-10-23T22:30:00Z"}).Draw(t, "begin")
	start := instant(t, begin)
	const minute = int64(time.Minute / time.Microsecond)
	at := func(name string, most int) int64 {
		return int64(rapid.IntRange(0, most).Draw(t, name)) * 30 * minute
	}
	f := &programs.Facts{StartedAt: start, Until: start + at("days", 14*48) + 2*48*30*minute, Start: amount("100000")}
	seq := int64(0)
	opened := start - 60*minute
	for i := range rapid.IntRange(0, 25).Draw(t, "trades") {
		opened += at("pause", 40)
		tr := programs.Trade{ID: journal.TradeID(fmt.Sprint(i)), Size: programs.ContractSize(rapid.IntRange(0, 2).Draw(t, "size"))}
		held, when := 0, opened
		for k := range rapid.IntRange(1, 4).Draw(t, "fills") {
			seq++
			change := rapid.IntRange(1, 3).Draw(t, "quantity")
			fill := programs.Fill{At: when, Seq: seq}
			if k > 0 && rapid.Bool().Draw(t, "closes") {
				change = -min(change, held)
				fill.Net = decimal.New(int64(rapid.IntRange(-12, 12).Draw(t, "net")) * 100)
			}
			fill.Quantity = decimal.New(int64(change))
			tr.Fills = append(tr.Fills, fill)
			if held += change; held == 0 {
				break
			}
			when += at("held", 30)
		}
		if held > 0 && rapid.IntRange(0, 9).Draw(t, "stays open") > 0 {
			seq++
			tr.Fills = append(tr.Fills, programs.Fill{
				At: when, Seq: seq, Quantity: decimal.New(int64(-held)), Net: decimal.New(int64(rapid.IntRange(-12, 12).Draw(t, "net")) * 100),
			})
		}
		f.Trades = append(f.Trades, tr)
	}
	for range rapid.IntRange(0, 3).Draw(t, "cash rows") {
		f.Cash = append(f.Cash, programs.Cash{At: start + at("cash at", 600), Amount: decimal.New(int64(rapid.IntRange(-5, 5).Draw(t, "cash")) * 100)})
	}
	for range rapid.IntRange(0, 2).Draw(t, "payouts") {
		f.Payouts = append(f.Payouts, programs.Payout{At: start + at("paid at", 600), Gross: decimal.New(int64(rapid.IntRange(1, 5).Draw(t, "gross")) * 100)})
	}
	return f
}

var allKinds = []programs.Kind{
	programs.MaxLoss, programs.DailyLoss, programs.ProfitTarget, programs.Consistency, programs.MinDays, programs.MinProfitDays, programs.MaxDays,
	programs.MaxContracts, programs.ScalingPlan, programs.FlatBy, programs.Inactivity, programs.Payouts,
}

func TestEvaluationAgreesWithTheOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := newProgram()
		p.Phase = rapid.SampledFrom([]string{programs.PhaseEvaluation, programs.PhaseFunded}).Draw(t, "phase")
		p.Day = rapid.SampledFrom([]programs.DayBounds{
			{Reset: "00:00", Zone: "Europe/Prague"},
			{Reset: "17:00", Zone: "America/Chicago"},
			{Reset: "02:30", Zone: "Europe/Prague"},
			{Reset: "18:00", Zone: "America/New_York"},
			{Reset: "00:00", Zone: "UTC"},
		}).Draw(t, "day")
		for _, kind := range rapid.SliceOfNDistinct(rapid.SampledFrom(allKinds), 1, 4, func(k programs.Kind) programs.Kind { return k }).Draw(t, "kinds") {
			p.Rules = append(p.Rules, drawRule(t, kind))
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		f := drawFacts(t)
		compare(t, programs.Evaluate(p, f), oracle.Evaluate(p, f))
	})
}

func compare(t *rapid.T, got *programs.Result, want oracle.Outcome) {
	t.Helper()
	var kind programs.Kind
	var trade journal.TradeID
	if got.Breach != nil {
		kind, trade = got.Breach.Kind, got.Breach.Trade
	}
	if got.State != want.State || got.DecidedAt != want.At || kind != want.Kind || trade != want.Trade {
		t.Fatalf("%s at %d by %s %s, not %s at %d by %s %s", got.State, got.DecidedAt, kind, trade, want.State, want.At, want.Kind, want.Trade)
	}
	if !got.Balance.Equal(want.Balance) || !got.Floor.Equal(want.Floor) || !got.Today.Net.Equal(want.DayNet) {
		t.Fatalf("%s: balance %s, floor %s, net %s, not %s, %s, %s", got.State, got.Balance, got.Floor, got.Today.Net, want.Balance, want.Floor, want.DayNet)
	}
	for _, r := range got.Rules {
		if r.Met != nil && *r.Met != want.Met[r.Rule.Kind] {
			t.Fatalf("%s is met: %v, not %v", r.Rule.Kind, *r.Met, want.Met[r.Rule.Kind])
		}
	}
	for _, d := range got.Days {
		if net := want.Nets[d.Day]; !d.Net.Equal(net) {
			t.Fatalf("%s has %s, not %s", d.Day, d.Net, net)
		}
		delete(want.Nets, d.Day)
	}
	if len(want.Nets) > 0 {
		t.Fatalf("missing days: %v", want.Nets)
	}
}
