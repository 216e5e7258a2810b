package programs_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/trading/programs"
)

// TestResultsHoldUntilSomethingHappens: with the same facts, the result is the same at each
// instant until ValidUntil, and what it says about a later instant is not used.
func TestResultsHoldUntilSomethingHappens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := newProgram()
		p.Day = rapid.SampledFrom([]programs.DayBounds{{Reset: "17:00", Zone: "America/Chicago"}, {Reset: "00:00", Zone: "Europe/Prague"}}).Draw(t, "day")
		for _, kind := range rapid.SliceOfNDistinct(rapid.SampledFrom(allKinds), 1, 5, func(k programs.Kind) programs.Kind { return k }).Draw(t, "kinds") {
			p.Rules = append(p.Rules, drawRule(t, kind))
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		f := drawFacts(t)
		first := programs.Evaluate(p, f)
		if first.ValidUntil < f.Until {
			t.Fatalf("the result at %d holds until %d", f.Until, first.ValidUntil)
		}
		later := *f
		later.Until = f.Until + rapid.Int64Range(0, first.ValidUntil-f.Until).Draw(t, "later")
		if rapid.Bool().Draw(t, "last") {
			later.Until = first.ValidUntil
		}
		if second := programs.Evaluate(p, &later); !reflect.DeepEqual(show(first), show(second)) {
			t.Fatalf("it was %+v, and later %+v", show(first), show(second))
		}
	})
}

// show returns what answers show of a result.
func show(r *programs.Result) (shown programs.Result) {
	shown = *r
	shown.Rules = nil
	for _, rule := range r.Rules {
		rule.Rule = nil
		shown.Rules = append(shown.Rules, rule)
	}
	return shown
}

// TestOpenTradesAreNotBounded: an excursion covers the whole trade, so at an instant in it
// the rest would be known too early.
func TestOpenTradesAreNotBounded(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	trade := h.trade("2026-03-02T16:00:00Z", "100")
	trade.Excursion = &programs.Excursion{LossLow: amount("5000"), LossHigh: amount("5000")}
	p := newProgram(programs.Rule{Kind: programs.MaxLoss, Amount: some("3000")})
	if r := h.evaluate(p); r.State != programs.Failed || !r.OpenBounded {
		t.Errorf("after the close it is %s", r.State)
	}
	h.facts.Until = trade.Fills[0].At
	if r := programs.Evaluate(p, &h.facts); r.State != programs.Active || r.OpenBounded || r.Rules[0].State != programs.OK {
		t.Errorf("while it is open it is %s, %+v", r.State, r.Rules[0])
	}
}
