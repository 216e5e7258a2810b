package demo

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// newTestAccount returns a simulation and its account with the given type.
func newTestAccount(t *testing.T, kind string) (*simulation, *tradingAccount) {
	t.Helper()
	s := newSimulation("2024-03-11", "2026-03-10")
	for _, a := range s.accounts {
		if a.Type == kind {
			return s, a
		}
	}
	t.Fatalf("no account of type %s", kind)
	return nil, nil
}

func TestCharge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		market, quantity, price string
		multiplier              int64
		commission, fees        string
	}{
		"few shares":     {"stock", "10", "200", 1, "0.35", "0.06"},
		"many shares":    {"stock", "1000", "12", 1, "3.5", "3.57"},
		"option":         {"option", "3", "2.5", 100, "1.95", "0.18"},
		"one option":     {"option", "1", "2.5", 100, "1", "0.06"},
		"expired option": {"option", "3", "0", 100, "0", "0"},
		"future":         {"future", "2", "5900", 50, "2.58", "2.8"},
		"micro":          {"micro", "5", "5900", 5, "1.95", "1.85"},
		"coins":          {"crypto", "0.05", "80000", 1, "0", "6.4"},
	} {
		f := ledger.NewFill{
			Quantity: decimal.Must(c.quantity), Price: decimal.Must(c.price), Multiplier: decimal.Of(decimal.New(c.multiplier)),
		}
		loadData().Markets[c.market].charge(&f)
		if f.Commission.String() != c.commission || f.Fees.String() != c.fees {
			t.Errorf("%s: commission %s, fees %s, want %s and %s", name, f.Commission, f.Fees, c.commission, c.fees)
		}
	}
}

// A stop-and-reverse is one fill closing one trade and opening the next.
func TestReverseIsOneFill(t *testing.T) {
	t.Parallel()
	s, a := newTestAccount(t, "prop")
	found := false
	for n := 0; n < 200 && !found; n++ {
		rng := newRandom("reversal", n)
		p := plan{series: s.series["ES"], at: moment{n, 400}, long: true, stop: 12, target: 3, bars: 60}
		stopped := s.enter(a, rng, &trade{outcome: p.run(), phase: s.Phases[0], size: 1})
		found = s.reverse(a, rng, stopped, s.Phases[0]) != stopped
	}
	if !found {
		t.Fatal("no trade was reversed")
	}
	a.groupFills()
	last, before := a.trades[len(a.trades)-1], a.trades[len(a.trades)-2]
	if last.fills[0] != before.fills[len(before.fills)-1] {
		t.Error("the two trades do not share a fill")
	}
	if last.matched.Head.Consumed.Sign() <= 0 || !before.matched.IsClosed() || last.matched.Direction == before.matched.Direction {
		t.Errorf("grouped as %+v and %+v", before.matched, last.matched)
	}
}

func TestChooseOutcome(t *testing.T) {
	t.Parallel()
	bars := append(flatBars(1, 100), bar{100, 130, 99, 130})
	up := plan{series: newTestSeries(append(bars, flatBars(10, 130)...)...), long: true, stop: 10, target: 2}
	down := up
	down.long = false
	for skill, want := range map[float64]float64{1: 2, -1: -1} {
		for i := range 20 {
			if got := chooseOutcome(newRandom("skill", i), skill, up, down).r; got != want {
				t.Errorf("skill %.0f, better plan first: %.1fR, want %.1fR", skill, got, want)
			}
			if got := chooseOutcome(newRandom("skill", i), skill, down, up).r; got != want {
				t.Errorf("skill %.0f, worse plan first: %.1fR, want %.1fR", skill, got, want)
			}
		}
	}
	if got := chooseOutcome(newRandom("none"), 0, down, up); got.long {
		t.Error("skill 0 did not choose the first plan")
	}
}

// The skill falls if the account is ahead of its intended result, and rises if it is
// below.
func TestSkill(t *testing.T) {
	t.Parallel()
	s, a := newTestAccount(t, "margin")
	at, ph := time.Date(2025, 3, 3, 15, 30, 0, 0, time.UTC), s.Phases[1]
	even := a.skill(0, ph, "", at)
	a.result = 5
	ahead := a.skill(0, ph, "", at)
	a.result = -5
	below := a.skill(0, ph, "", at)
	if ahead >= even || even >= below || below > 0.95 {
		t.Errorf("skill ahead %.2f, even %.2f, below %.2f", ahead, even, below)
	}
	if got := a.skill(0, ph, "Moved stop", at); got >= below {
		t.Errorf("skill with a mistake %.2f, want less than %.2f", got, below)
	}
	noon := at.Add(90 * time.Minute) // 12:00 in New York
	if got := a.skill(0, ph, "", noon); got >= below {
		t.Errorf("skill at noon %.2f, want less than %.2f", got, below)
	}
}

// An instrument with an open position takes no second trade.
func TestEnterRefusesSecondPosition(t *testing.T) {
	t.Parallel()
	s, a := newTestAccount(t, "margin")
	p := plan{series: s.series["AAPL"], at: moment{10, 30}, long: true, stop: 5000, target: 9, sessions: 3}
	enter := func(session int) bool {
		p.at.session = session
		return s.enter(a, newRandom(session), &trade{outcome: p.run(), size: 1}) != nil
	}
	if diff := cmp.Diff([]bool{true, false, true}, []bool{enter(10), enter(11), enter(20)}); diff != "" {
		t.Error(diff)
	}
}

// A position in an option does not outlive its contract.
func TestOptionsEndAtExpiry(t *testing.T) {
	t.Parallel()
	s, _ := newTestAccount(t, "margin")
	on := s.series["AAPL"]
	p := plan{series: on, at: moment{10, 30}, long: true, stop: 9000, target: 9, sessions: 60, expiry: on.sessions[30].day}
	out := p.run()
	if last := out.lastAction(); out.ending != byExpiry || last.at != (moment{30, on.market.Bars - 1}) || last.closes != 1 {
		t.Errorf("ended by %s at %+v", out.ending, last)
	}
}

// Orders are whole numbers of units, and the last one closes all.
func TestExecuteRoundsOrders(t *testing.T) {
	t.Parallel()
	for units, want := range map[int64]string{100: "67 33 -50 -50", 3: "2 1 -2 -1", 1: "1 -1"} {
		s, a := newTestAccount(t, "prop")
		on := s.series["CL"]
		actions := []action{
			{at: moment{5, 1}, price: 7000, opens: 0.67},
			{at: moment{5, 2}, price: 7000, opens: 0.33},
			{at: moment{5, 3}, price: 7000, closes: 0.5},
			{at: moment{5, 4}, price: 7000, closes: 1},
		}
		tr := &trade{outcome: outcome{plan: plan{series: on}, actions: actions}, instrument: on.instrument, buys: true, units: units}
		a.execute(tr, newRandom("orders"), time.Time{})
		sums, order := []int64{}, time.Time{}
		for _, f := range tr.fills {
			quantity := int64(f.Quantity.Float64())
			if f.Side == matching.Sell {
				quantity = -quantity
			}
			if minute := f.ExecutedAt.Truncate(time.Minute); minute.Equal(order) {
				sums[len(sums)-1] += quantity
			} else {
				sums, order = append(sums, quantity), minute
			}
		}
		if diff := cmp.Diff(want, strings.Trim(fmt.Sprint(sums), "[]")); diff != "" {
			t.Errorf("%d units: %s", units, diff)
		}
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		formatMoney(decimal.Must("12.3")): "+$12.30", formatMoney(decimal.Must("-0.5")): "-$0.50",
		formatCount(1, "trade"): "1 trade", formatCount(0, "trade"): "0 trades",
		formatDay("2026-03-02"):          "March 2, 2026",
		formatDuration(90 * time.Second): "a minute", formatDuration(5 * time.Hour): "5 hours", formatDuration(72 * time.Hour): "3 days",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
