package matching

import (
	"math/big"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/matching/oracle"
)

// anySplitFills returns random fills with splits among them.
func anySplitFills(t *rapid.T) ([]Fill, []Event) {
	var d fillSequence
	var splits []Event
	for range rapid.IntRange(0, 20).Draw(t, "length") {
		if rapid.IntRange(0, 3).Draw(t, "split") == 0 {
			d.at++
			s := Event{
				At: d.at, New: rapid.SampledFrom([]int64{1, 2, 3, 7, 102918, 10_000_000_000}).Draw(t, "new"),
				Old: rapid.SampledFrom([]int64{1, 2, 3, 25, 100_000, 416_666_667}).Draw(t, "old"),
			}
			splits = append(splits, s)
			if sign := d.position.Sign(); sign != 0 {
				d.position = s.Apply(d.position.Abs()).Mul(decimal.New(int64(sign)))
			}
		}
		d.next(t, true)
		if last := &d.fills[len(d.fills)-1]; !last.Kind.OnlyCloses() && rapid.IntRange(0, 3).Draw(t, "fine") == 0 {
			tiny := decimal.FromScaled(1, 18)
			last.Quantity = last.Quantity.Add(tiny)
			d.position = d.position.Add(signedQuantity(last.Side, tiny))
		}
	}
	return d.fills, splits
}

func toOracleSplits(splits []Event) (out []oracle.Split) {
	for _, s := range splits {
		out = append(out, oracle.Split{At: s.At, New: s.New, Old: s.Old})
	}
	return out
}

// TestSplitsAgreeWithTheOracle compares trades and leftovers.
func TestSplitsAgreeWithTheOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fills, splits := anySplitFills(t)
		left := map[string]string{}
		grouping := Grouping{Events: splits, ReportClosing: func(c Closure) {
			if !c.Leftover.IsZero() {
				left[c.FillID] = c.Leftover.Rat().RatString()
			}
		}}
		got := slices.Collect(grouping.Walk(slices.Values(fills)))
		wantLeft := map[string]string{}
		for id, quantity := range oracle.Leftovers(toOracleFills(fills), toOracleSplits(splits)...) {
			wantLeft[id] = quantity.RatString()
		}
		if diff := cmp.Diff(wantLeft, left); diff != "" {
			t.Fatalf("leftovers (-oracle +got):\n%s", diff)
		}
		want := oracle.Recompute(toOracleFills(fills), toOracleSplits(splits)...)
		if len(got) != len(want) {
			t.Fatalf("%d trades, the oracle has %d", len(got), len(want))
		}
		for i := range got {
			if diff := cmp.Diff(formatOracleTrade(want[i]), formatTrade(got[i])); diff != "" {
				t.Fatalf("trade %d (-oracle +got):\n%s", i, diff)
			}
		}
	})
}

// TestSplitsFromAnyCheckpoint: a grouping continued from a checkpoint, or from a trade's
// start, is the whole one.
func TestSplitsFromAnyCheckpoint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fills, splits := anySplitFills(t)
		var points []Checkpoint
		grouping := Grouping{Events: splits, Every: 1, Report: func(c Checkpoint) { points = append(points, c) }}
		whole := slices.Collect(grouping.Walk(slices.Values(fills)))
		continued := func(from Grouping, after Position) {
			from.Events = splits
			rest := fills[slices.IndexFunc(fills, func(f Fill) bool { return f.Position().Compare(after) >= 0 }):]
			got := slices.Collect(from.Walk(slices.Values(rest)))
			want := whole[len(whole)-len(got):]
			for i := range got {
				got[i].Parts, got[i].Skipped = want[i].Parts, want[i].Skipped
			}
			if diff := cmp.Diff(formatTrades(want), formatTrades(got)); diff != "" {
				t.Fatalf("(-whole +continued):\n%s", diff)
			}
		}
		for _, point := range points {
			if last := fills[len(fills)-1].Position(); point.Last() != last {
				next := point.Last()
				next.Seq++
				continued(Grouping{From: &point}, next)
			}
		}
		for _, trade := range whole {
			continued(Grouping{Head: trade.Head}, trade.First)
		}
	})
}

// TestSplitsKeepRealizedSums: the parts a trade realized around splits sum to its figures.
func TestSplitsKeepRealizedSums(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fills, splits := anySplitFills(t)
		r := Realizer{Events: splits}
		var trades []Trade
		take := func(ended []Realized) {
			for _, e := range ended {
				trades = append(trades, e.Trade)
				var sum RealizedPart
				for _, p := range e.Parts {
					sum = sum.add(p)
				}
				if !sum.Net().Equal(e.Trade.RealizedPnL) {
					t.Fatalf("parts realized %s, the trade %s", sum.Net(), e.Trade.RealizedPnL)
				}
			}
		}
		for _, f := range fills {
			take(r.Add(f))
		}
		take(r.Finish())
		want := slices.Collect(Grouping{Events: splits}.Walk(slices.Values(fills)))
		if diff := cmp.Diff(formatTrades(want), formatTrades(trades)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// TestSplitExamples are worked examples. Fills have the instants 1, 2, 3 and so on; a split
// acts before the fill of its instant.
func TestSplitExamples(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, fills string
		splits      []Event
		// quantity opened and remaining, average entry and exit, realized
		opened, remaining, entry, exit, realized string
	}{
		{"open position", "buy 10@100", []Event{{At: 5, New: 2, Old: 1}}, "20", "20", "50", "", "0"},
		{"sold after the split", "buy 10@100; sell 20@60", []Event{{At: 2, New: 2, Old: 1}}, "20", "0", "50", "60", "200"},
		{"sold before the split", "buy 10@100; sell 10@110", []Event{{At: 3, New: 2, Old: 1}}, "10", "0", "100", "110", "100"},
		{"sold on both sides", "buy 10@100; sell 4@110; sell 12@60", []Event{{At: 3, New: 2, Old: 1}}, "20", "0", "50", "58", "160"},
		{"reverse split with cash in lieu", "buy 105@1; sell 10@12; sell 0.5@12", []Event{{At: 2, New: 1, Old: 10}}, "10.5", "0", "10", "12", "21"},
		{"1 for 25 with a fraction", "buy 30@2", []Event{{At: 2, New: 1, Old: 25}}, "1.2", "1.2", "50", "", "0"},
		{"stock dividend of 5 %", "buy 100@21; sell 105@22", []Event{{At: 2, New: 105, Old: 100}}, "105", "0", "20", "22", "210"},
		{"short", "sell 10@100; buy 20@40", []Event{{At: 2, New: 2, Old: 1}}, "20", "0", "50", "40", "200"},
		{"thirds are rounded", "buy 10@3", []Event{{At: 2, New: 1, Old: 3}}, "3.33333333", "3.33333333", "9.000000009", "", "0"},
		{"only what was closed is rounded", "buy 4@3; sell 1@3", []Event{{At: 3, New: 1, Old: 3}}, "1.33333333", "1", "9.0000000225", "9.00000009", "0"},
		{"two splits", "buy 1@100; sell 6@20", []Event{{At: 2, New: 2, Old: 1}, {At: 2, New: 3, Old: 1}}, "6", "0", "16.666666666667", "20", "20"},
		{"nothing rounds to nothing", "buy 1@5", []Event{{At: 2, New: 1, Old: 10_000_000_000}}, "0.00000001", "0.00000001", "500000000", "", "0"},
		{"bought at the split's instant", "buy 10@100", []Event{{At: 1, New: 2, Old: 1}}, "10", "10", "100", "", "0"},
	} {
		trades := slices.Collect(Grouping{Events: c.splits}.Walk(slices.Values(parseFills(t, c.fills))))
		if len(trades) != 1 {
			t.Errorf("%s: %d trades", c.name, len(trades))
			continue
		}
		got := trades[0]
		for what, pair := range map[string][2]string{
			"opened": {got.QtyOpened.String(), c.opened}, "remaining": {got.QtyRemaining.String(), c.remaining},
			"entry": {got.AvgEntry.String(), c.entry}, "realized": {got.RealizedPnL.String(), c.realized},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: %s is %s, want %s", c.name, what, pair[0], pair[1])
			}
		}
		if exit := got.AvgExit.String(); got.AvgExit.Valid && exit != c.exit {
			t.Errorf("%s: exit is %s, want %s", c.name, exit, c.exit)
		}
		want := oracle.Recompute(toOracleFills(parseFills(t, c.fills)), toOracleSplits(c.splits)...)
		if want[0].Opened.Cmp(ratOf(t, c.opened)) != 0 {
			t.Errorf("%s: the oracle opened %s", c.name, want[0].Opened)
		}
	}
}

func ratOf(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatal(text)
	}
	return r
}
