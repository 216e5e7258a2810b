package matching

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/matching/oracle"
)

// anyLinkedFills returns several streams' random fills with links between them.
func anyLinkedFills(t *rapid.T) (streams [][]Fill, links []Link) {
	const instants = 40
	for i := range rapid.IntRange(1, 3).Draw(t, "streams") {
		fills := anyFills(true).Draw(t, "fills")
		for k := range fills {
			fills[k].ID, fills[k].Seq = fmt.Sprintf("s%d-%s", i, fills[k].ID), int64(1+k+100*i)
		}
		streams = append(streams, fills)
	}
	ratio := rapid.SampledFrom([]int64{1, 1, 2, 3, 7, 102918, 100_000})
	for range rapid.IntRange(0, 4).Draw(t, "links") {
		stream := rapid.IntRange(0, len(streams)-1)
		l := Link{From: stream.Draw(t, "from"), To: stream.Draw(t, "to")}
		l.At, l.New, l.Old = rapid.Int64Range(0, instants).Draw(t, "at"), ratio.Draw(t, "new"), ratio.Draw(t, "old")
		l.SpinOff = l.From != l.To && rapid.IntRange(0, 2).Draw(t, "spin off") == 0
		if !l.SpinOff && rapid.Bool().Draw(t, "pays") {
			l.Cash = decimal.Of(decimal.FromScaled(rapid.Int64Range(0, 3000).Draw(t, "cash"), 2))
		}
		if (l.SpinOff || l.Cash.Valid) && rapid.Bool().Draw(t, "shares") {
			l.CostShare = decimal.Of(decimal.FromScaled(rapid.Int64Range(0, 1000).Draw(t, "share"), 3))
		}
		links = append(links, l)
	}
	slices.SortStableFunc(links, func(a, b Link) int { return int(a.At - b.At) })
	return streams, links
}

func toOracleLinks(links []Link) (out []oracle.Link) {
	rat := func(n decimal.Null) *big.Rat {
		if !n.Valid {
			return nil
		}
		return n.Decimal.Rat()
	}
	for _, l := range links {
		out = append(out, oracle.Link{
			Split: oracle.Split{At: l.At, New: l.New, Old: l.Old}, From: l.From, To: l.To, SpinOff: l.SpinOff,
			Cash: rat(l.Cash), CostShare: rat(l.CostShare),
		})
	}
	return out
}

// TestLinkedAgreesWithTheOracle compares trades, leftovers and the streams they end in.
func TestLinkedAgreesWithTheOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		streams, links := anyLinkedFills(t)
		left := map[string]string{}
		var got, want []string
		for _, l := range GroupLinked(streams, links, func(c Closure) {
			if !c.Leftover.IsZero() {
				left[c.FillID] = c.Leftover.Rat().RatString()
			}
		}) {
			for i, trade := range l.Trades {
				got = append(got, fmt.Sprint(l.EndedIn[i], formatTrade(trade)))
			}
		}
		var oracleStreams [][]oracle.Fill
		for _, fills := range streams {
			oracleStreams = append(oracleStreams, toOracleFills(fills))
		}
		trades, leftovers := oracle.RecomputeLinked(oracleStreams, toOracleLinks(links))
		for _, trade := range trades {
			want = append(want, fmt.Sprint(trade.Stream, formatOracleTrade(trade.Trade)))
		}
		wantLeft := map[string]string{}
		for id, quantity := range leftovers {
			wantLeft[id] = quantity.RatString()
		}
		if diff := cmp.Diff(wantLeft, left); diff != "" {
			t.Fatalf("leftovers (-oracle +got):\n%s", diff)
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-oracle +got):\n%s", strings.ReplaceAll(diff, `",`, "\",\n"))
		}
	})
}

// TestLineagesAreStreams: every fill is in one lineage, and a lineage grouped alone, from
// the start or from any of its trades, has its trades. What they realized sums to theirs.
func TestLineagesAreStreams(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		streams, links := anyLinkedFills(t)
		seen, all := map[string]bool{}, 0
		for _, fills := range streams {
			all += len(fills)
		}
		for _, l := range GroupLinked(streams, links, nil) {
			for _, f := range l.Fills {
				seen[f.ID] = true
			}
			if !slices.IsSortedFunc(l.Fills, CompareFills) || !slices.IsSortedFunc(l.Events, func(a, b Event) int { return int(a.At - b.At) }) {
				t.Fatalf("lineage is not in order: %+v", l)
			}
			checkParts(t, l)
			for _, trade := range l.Trades {
				checkAlone(t, l, trade)
			}
		}
		if len(seen) != all {
			t.Fatalf("%d of %d fills are in lineages", len(seen), all)
		}
	})
}

// checkAlone groups and realizes one trade from its own fills.
func checkAlone(t *rapid.T, l Lineage, trade Trade) {
	var fills []Fill
	for _, f := range l.Fills {
		if f.Position().Compare(trade.First) >= 0 && f.Position().Compare(trade.Last) <= 0 {
			fills = append(fills, f)
		}
	}
	for got := range (Grouping{Events: l.Events, Head: trade.Head, Start: trade.First}).Walk(slices.Values(fills)) {
		if diff := cmp.Diff(formatTrade(trade), formatTrade(got)); diff != "" {
			t.Fatalf("(-linked +alone):\n%s", diff)
		}
		break
	}
	r := Realizer{Events: l.Events, Head: trade.Head, Start: trade.First}
	checkRealized(t, trade, realizeAll(&r, fills)[0])
}

// checkParts groups and realizes a whole lineage.
func checkParts(t rapid.TB, l Lineage) {
	got := slices.Collect(Grouping{Events: l.Events}.Walk(slices.Values(l.Fills)))
	if diff := cmp.Diff(formatTrades(l.Trades), formatTrades(got)); diff != "" {
		t.Fatalf("lineage %+v (-linked +alone):\n%s", l, diff)
	}
	all := realizeAll(&Realizer{Events: l.Events}, l.Fills)
	if len(all) != len(l.Trades) {
		t.Fatalf("%d trades realized something, want %d", len(all), len(l.Trades))
	}
	for i, got := range all {
		checkRealized(t, l.Trades[i], got)
	}
	for i, got := range realizeAll(&Realizer{Events: l.Events, EachFill: true, Openings: true}, l.Fills) {
		checkRealized(t, l.Trades[i], got)
		held := decimal.Zero
		for _, p := range got.Parts {
			held = held.Sub(p.Quantity)
		}
		if !held.Equal(l.Trades[i].QtyRemaining) {
			t.Fatalf("the parts of %+v are %+v, so %s are held", l.Trades[i], got.Parts, held)
		}
	}
}

func realizeAll(r *Realizer, fills []Fill) (all []Realized) {
	for _, f := range fills {
		all = append(all, r.Add(f)...)
	}
	return append(all, r.Finish()...)
}

func checkRealized(t rapid.TB, want Trade, got Realized) {
	sum := decimal.Zero
	for _, p := range got.Parts {
		sum = sum.Add(p.Net())
	}
	if diff := cmp.Diff(formatTrade(want), formatTrade(got.Trade)); diff != "" || !sum.Equal(want.RealizedPnL) {
		t.Fatalf("the parts of %+v are %+v (-linked +realized):\n%s", want, got.Parts, diff)
	}
}

// TestCorporateActionExamples are worked examples. Fills of a stream have the instants 1, 2,
// 3 and so on; streams are separated by bars.
func TestCorporateActionExamples(t *testing.T) {
	t.Parallel()
	link := func(from, to int, at, n, o int64) Link {
		return Link{From: from, To: to, Event: Event{At: at, New: n, Old: o}}
	}
	paying := func(l Link, cash, share string) Link {
		l.Cash = decimal.Of(decimal.Must(cash))
		if share != "" {
			l.CostShare = decimal.Of(decimal.Must(share))
		}
		return l
	}
	spinOff := func(l Link, share string) Link {
		l.SpinOff = true
		if share != "" {
			l.CostShare = decimal.Of(decimal.Must(share))
		}
		return l
	}
	for _, c := range []struct {
		name, fills string
		links       []Link
		want        string // in order of streams, positions that moved last
	}{
		{"rename", "buy 10@100 | sell 10@120 at 5", []Link{link(0, 1, 2, 1, 1)}, "1: long 10@100 net 200"},
		{"rename of nothing", "buy 10@100; sell 10@110 | sell 1@120 at 5", []Link{link(0, 1, 3, 1, 1)}, "0: long 10@100 net 100; 1: short 1@120 net null"},
		{"rename while a part is sold", "buy 10@100; sell 4@110 | sell 6@120 at 5", []Link{link(0, 1, 3, 1, 1)}, "1: long 10@100 net 160"},
		{"merger for shares", "buy 100@10 | sell 50@30 at 5", []Link{link(0, 1, 2, 1, 2)}, "1: long 50@20 net 500"},
		{"merger for shares and cash", "buy 100@10 | sell 50@30 at 5", []Link{paying(link(0, 1, 2, 1, 2), "4", "")}, "1: long 50@20 net 900"},
		{"merger for shares and cash with a stated share", "buy 100@10 | sell 25@30 at 5",
			[]Link{paying(link(0, 1, 2, 1, 2), "4", "0.25")}, "1: long 50@20 net null realized 525"},
		{"cash above the cost", "buy 100@10", []Link{paying(link(0, 0, 2, 1, 1), "12", "")}, "0: long 100@10 net null realized 200"},
		{"merger into a held symbol", "buy 100@10 | buy 10@30; sell 60@40 at 5", []Link{link(0, 1, 2, 1, 2)},
			"0: long 50@20 net 0 removed; 1: long 60@21.666666666667 net 1100"},
		{"spin-off without a share", "buy 100@10 | sell 20@3 at 5", []Link{spinOff(link(0, 1, 2, 1, 5), "")}, "0: long 100@10 net null; 1: long 20@0 net 60"},
		{"spin-off with a share of the cost", "buy 100@10; sell 100@9 | sell 20@9 at 5", []Link{spinOff(link(0, 1, 2, 1, 5), "0.1948")},
			"0: long 100@8.052 net 94.8; 1: long 20@9.74 net -14.8"},
		{"spin-off with a fraction", "buy 10@100 | sell 2.41917@10 at 5", []Link{spinOff(link(0, 1, 2, 241917, 1_000_000), "0.1")},
			"0: long 10@90 net null; 1: long 2.41917@41.336491441279 net -75.8083"},
		{"spin-off of a short", "sell 10@100 | buy 5@12 at 5", []Link{spinOff(link(0, 1, 2, 1, 2), "0.1")}, "0: short 10@90 net null; 1: short 5@20 net 40"},
		{"option strike by a split", "buy 1@8 x100 | sell 2@5 x100 at 5", []Link{link(0, 1, 2, 2, 1)}, "1: long 2@4 net 200"},
		{"spun off and merged back twice", "buy 10@10 |", []Link{
			spinOff(link(0, 1, 2, 1, 2), "0.4"), link(1, 0, 3, 2, 1), spinOff(link(0, 1, 4, 1, 4), "0.5"), link(1, 0, 5, 4, 1),
		}, "0: long 40@2.5 net null; 1: long 10@4 net 0 removed; 1: long 20@2.5 net 0 removed"},
		{"chain of renames", "buy 1@5 | | sell 1@9 at 5", []Link{link(0, 1, 2, 1, 1), link(1, 2, 3, 1, 1)}, "2: long 1@5 net 4"},
	} {
		var streams [][]Fill
		for i, text := range strings.Split(c.fills, "|") {
			var fills []Fill
			if strings.TrimSpace(text) != "" {
				fills = parseFills(t, strings.TrimSpace(text))
			}
			for k := range fills {
				fills[k].ID, fills[k].Seq = fmt.Sprint(i, "-", fills[k].ID), int64(10*i+k+1)
			}
			streams = append(streams, fills)
		}
		var got []string
		for _, l := range GroupLinked(streams, c.links, nil) {
			checkParts(t, l)
			for i, trade := range l.Trades {
				text := fmt.Sprint(l.EndedIn[i], ": ", formatBrief([]Trade{trade}))
				if !trade.IsClosed() && !trade.RealizedPnL.IsZero() {
					text += " realized " + trade.RealizedPnL.String()
				}
				if trade.Removed {
					text += " removed"
				}
				got = append(got, text)
			}
		}
		if got := strings.Join(got, "; "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
