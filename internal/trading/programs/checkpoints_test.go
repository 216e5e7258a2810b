package programs_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/programs"
	"fillbook/internal/trading/programs/oracle"
)

// resumed returns the facts with which an evaluation goes on from a checkpoint: the trades
// that it carries and those opened later.
func resumed(f *programs.Facts, from *programs.Checkpoint) *programs.Facts {
	out := *f
	out.Trades = nil
	for i := range from.Carried {
		at := slices.IndexFunc(f.Trades, func(t programs.Trade) bool { return t.ID == from.Carried[i].ID })
		out.Trades = append(out.Trades, f.Trades[at])
	}
	for _, t := range f.Trades {
		if t.OpenedAt >= from.At {
			out.Trades = append(out.Trades, t)
		}
	}
	return &out
}

// An evaluation that goes on from a checkpoint, after changes of what is later, has the same
// result as one of everything, and its checkpoints can be used again.
func TestEvaluationGoesOnFromCheckpoints(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := newProgram()
		p.Phase = rapid.SampledFrom([]string{programs.PhaseEvaluation, programs.PhaseFunded}).Draw(t, "phase")
		p.Day = rapid.SampledFrom([]programs.DayBounds{{Reset: "00:00", Zone: "UTC"}, {Reset: "17:00", Zone: "America/Chicago"}}).Draw(t, "day")
		for _, kind := range rapid.SliceOfNDistinct(rapid.SampledFrom(allKinds), 1, 4, func(k programs.Kind) programs.Kind { return k }).Draw(t, "kinds") {
			p.Rules = append(p.Rules, drawRule(t, kind))
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		f := drawFacts(t)
		withBars := rapid.Bool().Draw(t, "bars")
		for i := range f.Trades {
			f.Trades[i].OpenedAt = f.Trades[i].Fills[0].At
			if withBars {
				f.Trades[i].Excursion = drawExcursion(t)
			}
		}
		var marks []int64
		for i := range f.Trades {
			if at := f.Trades[i].OpenedAt; rapid.Bool().Draw(t, "mark") && (len(marks) == 0 || marks[len(marks)-1] < at) {
				marks = append(marks, at)
			}
		}
		_, made, fit := programs.EvaluateFrom(p, f, nil, marks)
		if fit != programs.Fits {
			t.Fatal("an evaluation from the start is not possible")
		}
		for round := 0; round < 2 && len(made) > 0; round++ {
			k := rapid.IntRange(0, len(made)-1).Draw(t, "checkpoint")
			from := made[k]
			changeAfter(t, f, from, withBars)
			for i := range from.Carried {
				place := slices.IndexFunc(f.Trades, func(t programs.Trade) bool { return t.ID == from.Carried[i].ID })
				if !from.HasSameStart(i, &f.Trades[place]) {
					t.Fatal("a carried trade has another start")
				}
			}
			var later []int64
			for i := range f.Trades {
				if at := f.Trades[i].OpenedAt; at > from.At && (len(later) == 0 || later[len(later)-1] < at) {
					later = append(later, at)
				}
			}
			want := programs.Evaluate(p, f)
			got, again, fit := programs.EvaluateFrom(p, resumed(f, from), from, later)
			if fit != programs.Fits {
				made = made[:k]
				continue
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("from the checkpoint at %d:\n%s", from.At, diff)
			}
			if !withBars {
				compare(t, got, oracle.Evaluate(p, f))
			}
			made = append(made[:k+1:k+1], again...)
		}
	})
}

func drawExcursion(t *rapid.T) *programs.Excursion {
	n := func(name string) decimal.Decimal {
		return decimal.New(int64(rapid.IntRange(0, 12).Draw(t, name)) * 100)
	}
	low, high := n("loss"), n("profit")
	return &programs.Excursion{LossLow: low, LossHigh: low.Add(n("more loss")), ProfitLow: high, ProfitHigh: high.Add(n("more profit"))}
}

// changeAfter changes facts at a checkpoint's instant or later: other ends of carried trades,
// removed and new trades, and another present.
func changeAfter(t *rapid.T, f *programs.Facts, from *programs.Checkpoint, withBars bool) {
	const hour = int64(3600e6)
	var trades []programs.Trade
	for _, tr := range f.Trades {
		switch {
		case tr.OpenedAt < from.At && from.FindCarried(tr.ID) < 0:
		case tr.OpenedAt >= from.At && rapid.IntRange(0, 3).Draw(t, "removed") == 0:
			continue
		case rapid.Bool().Draw(t, "ends otherwise"):
			held, kept := decimal.Zero, []programs.Fill(nil)
			for _, fill := range tr.Fills {
				if fill.At < from.At || len(kept) == 0 {
					held, kept = held.Add(fill.Quantity), append(kept, fill)
				}
			}
			if last := kept[len(kept)-1]; held.Sign() > 0 && rapid.Bool().Draw(t, "closed") {
				kept = append(kept, programs.Fill{
					At: max(from.At, last.At) + hour*int64(rapid.IntRange(0, 40).Draw(t, "held")), Seq: last.Seq + 1000, Quantity: held.Neg(),
					Net: decimal.New(int64(rapid.IntRange(-12, 12).Draw(t, "net")) * 100),
				})
			}
			tr.Fills = kept
		}
		trades = append(trades, tr)
	}
	for range rapid.IntRange(0, 3).Draw(t, "new trades") {
		at := from.At + hour*int64(rapid.IntRange(0, 200).Draw(t, "opened"))
		seq := int64(5000 + 2*len(trades) + rapid.IntRange(0, 1).Draw(t, "seq"))
		tr := programs.Trade{ID: journal.TradeID(rapid.StringMatching("new[a-z]{9}").Draw(t, "id")), Size: programs.FullContract, OpenedAt: at, Fills: []programs.Fill{
			{At: at, Seq: seq, Quantity: decimal.New(1)},
			{At: at + hour, Seq: seq + 1, Quantity: decimal.New(-1), Net: decimal.New(int64(rapid.IntRange(-12, 12).Draw(t, "net")) * 100)},
		}}
		if withBars {
			tr.Excursion = drawExcursion(t)
		}
		trades = append(trades, tr)
	}
	slices.SortStableFunc(trades, func(a, b programs.Trade) int {
		switch {
		case a.OpenedAt != b.OpenedAt:
			return int(min(max(a.OpenedAt-b.OpenedAt, -1), 1))
		default:
			return 0
		}
	})
	f.Trades = trades
	f.Until = max(from.At, f.Until+hour*int64(rapid.IntRange(-30, 60).Draw(t, "until")))
}
