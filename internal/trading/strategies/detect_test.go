package strategies_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
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

// change sets values of the leg at a place.
type change func(*strategies.Leg)

func after(d time.Duration) change { return func(l *strategies.Leg) { l.OpenedAt = start.Add(d) } }
func order(id string) change       { return func(l *strategies.Leg) { l.OrderID = id } }
func onDay(l *strategies.Leg)      { l.DayOnly, l.OpenedAt = true, start.Truncate(24*time.Hour) }
func closed(d time.Duration) change {
	return func(l *strategies.Leg) {
		at := start.Add(d)
		l.ClosedAt, l.Traded = &at, true
		l.Net, l.Gross = decimal.Of(decimal.New(10)), decimal.Of(decimal.New(11))
	}
}

func newLegs(t rapid.TB, text string, changes map[int][]change) []strategies.Leg {
	legs := parseLegs(t, text)
	for i, list := range changes {
		for _, c := range list {
			c(&legs[i])
		}
	}
	return legs
}

// describe lists strategies as "state evidence kind: trades".
func describe(found []strategies.Strategy) string {
	var lines []string
	for _, s := range found {
		var trades []string
		for _, m := range s.Members {
			trades = append(trades, strings.TrimSpace(string(m.Trade))+map[strategies.Role]string{strategies.RoleCover: " cover", strategies.RoleStock: " stock"}[m.Role])
		}
		slices.Sort(trades)
		lines = append(lines, fmt.Sprintf("%s %s %s: %s", s.State, s.Evidence, s.Kind, strings.Join(trades, ", ")))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestDetection(t *testing.T) {
	t.Parallel()
	const condor = "+1 P90@1, -1 P95@2, -1 C105@2, +1 C110@1"
	for _, test := range []struct {
		name, legs string
		changes    map[int][]change
		want       string
	}{
		{"one instant", condor, nil, "proposed instant iron_condor: +1 C110@1, +1 P90@1, -1 C105@2, -1 P95@2"},
		{
			"window", condor,
			map[int][]change{1: {after(4 * time.Minute)}, 2: {after(5 * time.Minute)}, 3: {after(time.Minute)}},
			"proposed window iron_condor: +1 C110@1, +1 P90@1, -1 C105@2, -1 P95@2",
		},
		{
			"two halves too far apart", condor,
			map[int][]change{2: {after(6 * time.Minute)}, 3: {after(6 * time.Minute)}},
			"proposed instant vertical: +1 C110@1, -1 C105@2\nproposed instant vertical: +1 P90@1, -1 P95@2",
		},
		{
			"day", condor,
			map[int][]change{0: {onDay}, 1: {onDay}, 2: {onDay}, 3: {onDay}},
			"proposed day iron_condor: +1 C110@1, +1 P90@1, -1 C105@2, -1 P95@2",
		},
		{
			"order of any shape", "+1 C100, +1 C110, +1 C120",
			map[int][]change{0: {order("7")}, 1: {order("7")}, 2: {order("7"), after(time.Hour)}},
			"proposed order custom: +1 C100, +1 C110, +1 C120",
		},
		{
			"orders apart in one second", condor,
			map[int][]change{0: {order("1")}, 1: {order("1")}, 2: {order("2")}, 3: {order("2")}},
			"proposed order vertical: +1 C110@1, -1 C105@2\nproposed order vertical: +1 P90@1, -1 P95@2",
		},
		{"not open together", "+1 C100, -1 C105", map[int][]change{0: {closed(time.Minute)}, 1: {after(2 * time.Minute)}}, ""},
		{
			"stock opened together", "+100 S@95, -1 C100@3",
			map[int][]change{1: {after(time.Minute)}},
			"proposed window covered_call: +100 S@95 stock, -1 C100@3",
		},
		{
			"cover held before", "+100 S@95, -1 C100@3",
			map[int][]change{1: {after(time.Hour)}},
			"proposed cover covered_call: +100 S@95 cover, -1 C100@3",
		},
		{"too few shares", "+50 S@95, -1 C100@3", map[int][]change{1: {after(time.Hour)}}, ""},
		{
			"shares that cover another call", "+100 S@95, -1 C100@3, -1 C110@1",
			map[int][]change{1: {after(time.Hour)}, 2: {after(2 * time.Hour)}},
			"proposed cover covered_call: +100 S@95 cover, -1 C100@3",
		},
		{
			"calls one after the other", "+100 S@95, -1 C100@3, -1 C110@1",
			map[int][]change{1: {after(time.Hour), closed(2 * time.Hour)}, 2: {after(3 * time.Hour)}},
			"proposed cover covered_call: +100 S@95 cover, -1 C100@3\nproposed cover covered_call: +100 S@95 cover, -1 C110@1",
		},
		{
			"a rolled option", "-1 P90@1, -1 P85@1 2026-07-17",
			map[int][]change{0: {closed(time.Hour)}, 1: {after(time.Hour)}},
			"proposed window single: -1 P85@1 2026-07-17\nproposed window single: -1 P90@1",
		},
		{"stock alone", "+100 S@95, -100 S@95", nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := describe(strategies.Build(newLegs(t, test.legs, test.changes), nil, strategies.Propose)); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	legs := newLegs(t, "+1 C100, -1 C105, +1 P90, -1 P80", map[int][]change{2: {after(time.Hour)}, 3: {after(time.Hour + time.Minute)}})
	if got := strategies.Build(legs, nil, strategies.DetectOff); len(got) != 0 {
		t.Errorf("off: %s", describe(got))
	}
	want := "accepted instant vertical: +1 C100, -1 C105\nproposed window vertical: +1 P90, -1 P80"
	if got := describe(strategies.Build(legs, nil, strategies.AcceptStrong)); got != want {
		t.Errorf("accept strong: %s", got)
	}
}

func decide(trades ...journal.TradeID) (members []strategies.Decided) {
	for _, id := range trades {
		members = append(members, strategies.Decided{Trade: id})
	}
	return members
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	legs := parseLegs(t, "+1 C100,-1 C105,+1 C90,-1 C95")
	alone := strategies.Build(legs, []strategies.Decision{{ID: "a", State: strategies.Alone, Members: decide("+1 C100", "-1 C105")}}, strategies.Propose)
	if got, want := describe(alone), "proposed instant vertical: +1 C90, -1 C95"; got != want {
		t.Errorf("alone: %s", got)
	}
	manual := strategies.Build(legs, []strategies.Decision{{ID: "m", State: strategies.Manual, Members: decide("+1 C100", "-1 C95", "gone")}}, strategies.Propose)
	if got, want := describe(manual), "manual user vertical: +1 C100, -1 C95\nproposed instant vertical: +1 C90, -1 C105"; got != want {
		t.Errorf("manual: %s", got)
	}
}

// TestDecisionsFollowFills deletes the trades of a decision and imports their fills again,
// grouped otherwise.
func TestDecisionsFollowFills(t *testing.T) {
	t.Parallel()
	legs := newLegs(t, "+1 C100,-1 C105,-1 C95", map[int][]change{
		0: {func(l *strategies.Leg) { l.Keys = []string{"k0", "k9"} }}, 1: {func(l *strategies.Leg) { l.Keys = []string{"k1"} }},
		2: {func(l *strategies.Leg) { l.Keys = []string{"k2"} }},
	})
	decision := strategies.Decision{ID: "m", State: strategies.Manual, Members: []strategies.Decided{
		{Trade: "old", Keys: []string{"k0", "lost"}}, {Trade: "older", Keys: []string{"k2"}},
	}}
	want := "manual user vertical: +1 C100, -1 C95"
	if got := describe(strategies.Build(legs, []strategies.Decision{decision}, strategies.Propose)); got != want {
		t.Errorf("got %s", got)
	}
	annotated := strategies.Decision{ID: "note", State: strategies.Proposed, Members: []strategies.Decided{{Keys: []string{"k1"}}}}
	found := strategies.Build(legs[:2], []strategies.Decision{annotated}, strategies.Propose)
	if len(found) != 1 || found[0].ID != "note" || found[0].State != strategies.Proposed {
		t.Errorf("the annotated proposal is %+v", found)
	}
}

func TestAssignedStockJoins(t *testing.T) {
	t.Parallel()
	legs := newLegs(t, "-1 P95@2,+1 P90@1,+100 S@95", map[int][]change{
		0: {closed(time.Hour), func(l *strategies.Leg) { l.Ends, l.Traded = "event", false }},
		2: {after(time.Hour), func(l *strategies.Leg) { l.Opens = "event" }},
	})
	found := strategies.Build(legs, nil, strategies.Propose)
	if got, want := describe(found), "proposed instant vertical: +1 P90@1, +100 S@95 stock, -1 P95@2"; got != want {
		t.Fatalf("got %s", got)
	}
	if p := found[0].Payoff; p.MaxLoss.String() != "400" || p.MaxProfit.String() != "100" {
		t.Errorf("the numbers are not those of the opening: %+v", p)
	}
}

func TestChains(t *testing.T) {
	t.Parallel()
	legs := newLegs(t, "-1 P90@1,+1 P85@0.5,-1 P88@1 2026-07-17,+1 P83@0.5 2026-07-17,-1 C120@1", map[int][]change{
		0: {closed(time.Hour)}, 1: {closed(time.Hour)}, 2: {after(time.Hour)}, 3: {after(time.Hour)}, 4: {after(time.Hour)},
	})
	found := strategies.Build(legs, nil, strategies.Propose)
	if len(found) != 2 || found[0].ChainID == "" || found[0].ChainID != found[1].ChainID {
		t.Fatalf("got %s", describe(found))
	}
	for i := range legs {
		legs[i].Traded = false // expired, not rolled
	}
	for _, s := range strategies.Build(legs, nil, strategies.Propose) {
		if s.ChainID != "" {
			t.Errorf("an expiry is no roll: %s", s.Kind)
		}
	}
}

// TestRollInOneOrder: an order that was filled over a longer time than the window is a roll
// all the same, and in a busy minute the order decides.
func TestRollInOneOrder(t *testing.T) {
	t.Parallel()
	byOrder := func(l *strategies.Leg) { l.CloseOrder = "roll" }
	legs := newLegs(t, "-1 P90@1,-1 P85@1 2026-07-17,-1 P88@1", map[int][]change{
		0: {closed(time.Hour), byOrder}, 1: {after(time.Hour + 20*time.Minute), order("roll")},
		2: {after(time.Minute), closed(time.Hour + 20*time.Minute)},
	})
	found := strategies.Build(legs, nil, strategies.Propose)
	if len(found) != 2 || found[0].ChainID == "" || found[0].ChainID != found[1].ChainID || found[0].Members[0].Strike.String() != "90" {
		t.Fatalf("got %s", describe(found))
	}
}

// TestLinesOfWhatIsOpen: what is open has a picture of its own, with the quantity that is
// left, also when the opening has several expiries.
func TestLinesOfWhatIsOpen(t *testing.T) {
	t.Parallel()
	legs := newLegs(t, "-2 C100@2,+2 C100@3 2026-07-17", map[int][]change{0: {closed(time.Hour)}, 1: {func(l *strategies.Leg) { l.Closed = decimal.New(1) }}})
	found := strategies.Build(legs, nil, strategies.Propose)
	opening, open := strategies.Lines(&found[0], 2)
	if len(opening) != 0 || len(open) < 3 {
		t.Fatalf("opening %v, open %v", opening, open)
	}
	for _, p := range open {
		want := decimal.Max(decimal.Zero, p.Price.Sub(decimal.New(100))).Mul(decimal.New(100)).Sub(decimal.New(300))
		if !p.PnL.Equal(want) {
			t.Errorf("at %s: %s, want %s", p.Price, p.PnL, want)
		}
	}
}

// drawJournal draws trades in one underlying within some minutes.
func drawJournal(t *rapid.T, most int) []strategies.Leg {
	n := rapid.IntRange(1, most).Draw(t, "trades")
	legs := make([]strategies.Leg, n)
	for i := range legs {
		text := rapid.SampledFrom([]string{"+1 C100", "-1 C100", "-1 C105", "+1 C110", "+1 P95", "-1 P95", "+1 P90", "-1 P90", "+2 C105", "-2 C105", "-1 C105 2026-07-17", "+1 P95 2026-07-17", "+100 S@95"}).Draw(t, "leg")
		legs[i] = parseLegs(t, text)[0]
		l := &legs[i]
		l.Trade, l.Key = journal.TradeID(strconv.Itoa(i)), "fill "+strconv.Itoa(i)
		after(time.Duration(rapid.IntRange(0, 12).Draw(t, "minute")) * time.Minute)(l)
		if l.Stock {
			l.Held = []strategies.Holding{{At: l.OpenedAt, Quantity: l.Quantity}}
		}
		l.OrderID = rapid.SampledFrom([]string{"", "", "", "1", "2"}).Draw(t, "order")
		if rapid.IntRange(0, 3).Draw(t, "closed") == 0 {
			closed(time.Duration(rapid.IntRange(13, 20).Draw(t, "end")) * time.Minute)(l)
		}
	}
	return legs
}

// TestOrderOfArrivalDoesNotMatter shuffles trades and decisions.
func TestOrderOfArrivalDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		legs := drawJournal(t, 12)
		decisions := []strategies.Decision{
			{ID: "m", State: strategies.Manual, Members: decide("0", "3")},
			{ID: "a", State: strategies.Alone, Members: decide("1", "3")},
		}[:rapid.IntRange(0, 2).Draw(t, "decisions")]
		want := strategies.Build(slices.Clone(legs), decisions, strategies.Propose)
		shuffled := rapid.Permutation(legs).Draw(t, "order")
		got := strategies.Build(shuffled, rapid.Permutation(decisions).Draw(t, "decision order"), strategies.Propose)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got\n%s\nwant\n%s", describe(got), describe(want))
		}
	})
}

// TestDecidedCoverIsNoLeg: shares that the user has as a cover are no leg of a proposal with
// a call that was sold together with them.
func TestDecidedCoverIsNoLeg(t *testing.T) {
	t.Parallel()
	legs := parseLegs(t, "-1 C100, +100 S@95, -1 C100")
	for i := range legs {
		legs[i].Trade, legs[i].Key = journal.TradeID(strconv.Itoa(i)), "fill "+strconv.Itoa(i)
	}
	after(6 * time.Minute)(&legs[0])
	legs[1].Held = []strategies.Holding{{At: legs[1].OpenedAt, Quantity: legs[1].Quantity}}
	decided := strategies.Decision{ID: "m", State: strategies.Manual, Members: decide("0", "1")}
	found := strategies.Build(legs, []strategies.Decision{decided}, strategies.Propose)
	if len(found) != 1 || found[0].ID != "m" || found[0].Members[0].Role != strategies.RoleCover {
		t.Errorf("found %s", describe(found))
	}
}

// TestDetectionLaws checks what holds for any journal: a trade is in one strategy at most,
// decisions are never changed, and covers never exceed what was held.
func TestDetectionLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		legs := drawJournal(t, 14)
		decided := strategies.Decision{ID: "m", State: strategies.Manual, Members: decide("0", "1", "2")}
		used, shares := map[journal.TradeID]bool{}, decimal.Zero
		for _, s := range strategies.Build(legs, []strategies.Decision{decided}, strategies.Propose) {
			for _, m := range s.Members {
				if m.Role == strategies.RoleCover {
					if s.ClosedAt() == nil && s.Evidence == strategies.ByCover {
						shares = shares.Add(m.Quantity)
					}
					continue
				}
				if used[m.Trade] {
					t.Fatalf("trade %s is in two strategies", m.Trade)
				}
				used[m.Trade] = true
				if slices.ContainsFunc(decided.Members, func(d strategies.Decided) bool { return d.Trade == m.Trade }) != (s.ID == "m") {
					t.Fatalf("detection changed a decision: %s in %s", m.Trade, s.ID)
				}
			}
		}
		held := decimal.Zero
		for _, l := range legs {
			if l.Stock {
				held = held.Add(l.Quantity)
			}
		}
		if shares.Cmp(held) > 0 {
			t.Fatalf("%s shares cover calls, %s were held", shares, held)
		}
	})
}

// slowDetect is detection written again: in every stage it tries all subsets and takes the
// best one, until none has a name. It returns the trades of each proposal, without covers
// and rolls.
func slowDetect(legs []strategies.Leg) (found []string) {
	free := make([]*strategies.Leg, len(legs))
	for i := range legs {
		free[i] = &legs[i]
	}
	slices.SortFunc(free, func(a, b *strategies.Leg) int {
		return cmp.Or(a.OpenedAt.Compare(b.OpenedAt), cmp.Compare(contractText(a), contractText(b)), cmp.Compare(a.Key, b.Key))
	})
	take := func(set []*strategies.Leg) {
		var names []string
		for _, l := range set {
			names = append(names, string(l.Trade))
		}
		slices.Sort(names)
		found = append(found, strings.Join(names, " "))
		free = slices.DeleteFunc(free, func(l *strategies.Leg) bool { return slices.Contains(set, l) })
	}
	for _, id := range []string{"1", "2"} {
		set := slices.DeleteFunc(slices.Clone(free), func(l *strategies.Leg) bool { return l.OrderID != id })
		if len(set) > 1 && slices.ContainsFunc(set, func(l *strategies.Leg) bool { return !l.Stock }) {
			take(set)
		}
	}
	for _, span := range []time.Duration{0, strategies.Window} {
		for best := bestSubset(free, span); best != nil; best = bestSubset(free, span) {
			take(best)
		}
	}
	slices.Sort(found)
	return found
}

// contractText orders contracts as detection does.
func contractText(l *strategies.Leg) string {
	if l.Stock {
		return ""
	}
	return fmt.Sprintf("%s %04s %s", l.Expiry, l.Strike, l.Right)
}

func bestSubset(free []*strategies.Leg, span time.Duration) (best []*strategies.Leg) {
	bestRank := 0
	for bits := 1; bits < 1<<len(free); bits++ {
		var set []*strategies.Leg
		for i, l := range free {
			if bits&(1<<i) != 0 {
				set = append(set, l)
			}
		}
		if len(set) < 2 || len(set) > 4 || set[len(set)-1].OpenedAt.Sub(set[0].OpenedAt) > span {
			continue
		}
		rank, named := rankSet(set)
		if !named {
			continue
		}
		order := cmp.Or(cmp.Compare(len(best), len(set)), cmp.Compare(rank, bestRank))
		for i := 0; order == 0 && i < len(set); i++ {
			order = cmp.Compare(slices.Index(free, set[i]), slices.Index(free, best[i]))
		}
		if order < 0 {
			best, bestRank = set, rank
		}
	}
	return best
}

// rankSet returns a set's rank among the kinds, if it has a name, one trade for each
// contract, and is open together.
func rankSet(set []*strategies.Leg) (rank int, named bool) {
	var members []strategies.Member
	seen := map[string]bool{}
	for _, l := range set {
		if seen[contractText(l)] || l.ClosedAt != nil && !l.ClosedAt.After(set[len(set)-1].OpenedAt) {
			return 0, false
		}
		seen[contractText(l)] = true
		members = append(members, strategies.Member{Leg: l, Quantity: l.Quantity})
	}
	kind, _ := strategies.Recognize(members)
	return slices.Index(strategies.Kinds(), kind), kind != strategies.Custom && kind != strategies.Single
}

// TestDetectionAgreesWithTheOracle compares detection with trying everything.
func TestDetectionAgreesWithTheOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		legs := drawJournal(t, 8)
		var got []string
		for _, s := range strategies.Build(slices.Clone(legs), nil, strategies.Propose) {
			if s.Evidence == strategies.ByCover || len(s.Members) == 1 { // a rolled option
				continue
			}
			var names []string
			for _, m := range s.Members {
				names = append(names, string(m.Trade))
			}
			slices.Sort(names)
			got = append(got, strings.Join(names, " "))
		}
		slices.Sort(got)
		if want := slowDetect(legs); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

// manyLegs returns option trades in one underlying: condors of one second, four legs each,
// a minute apart, a third of them with order ids.
func manyLegs(n int) []strategies.Leg {
	random := rand.New(rand.NewPCG(1, 2))
	legs := make([]strategies.Leg, n)
	for i := range legs {
		group := i / 4
		quantity, right := decimal.New(int64(1+group%3)), instruments.Put
		if i%4 > 1 {
			right = instruments.Call
		}
		if i%4 == 1 || i%4 == 2 {
			quantity = quantity.Neg()
		}
		at := start.Add(time.Duration(group) * time.Minute)
		end := at.Add(time.Duration(1+random.IntN(5000)) * time.Minute)
		legs[i] = strategies.Leg{
			Trade: journal.TradeID(strconv.Itoa(i)), Key: strconv.Itoa(i), Root: "SPX", Right: right,
			Strike: decimal.New(int64(4000 + 10*(i%4) + 50*random.IntN(20))), Expiry: journal.Day(at.Format(time.DateOnly)),
			Quantity: quantity, Size: quantity.Mul(decimal.New(100)), Paid: quantity.Mul(decimal.New(250)), OpenedAt: at, ClosedAt: &end, Traded: true,
		}
		if group%3 == 0 {
			legs[i].OrderID = strconv.Itoa(group)
		}
	}
	return legs
}

// BenchmarkBuild detects 100,000 option trades.
func BenchmarkBuild(b *testing.B) {
	legs := manyLegs(100_000)
	for b.Loop() {
		strategies.Build(legs, nil, strategies.Propose)
	}
}
