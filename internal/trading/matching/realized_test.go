package matching

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/matching/oracle"
)

// realize returns a stream's trades, each with its parts.
func realize(fills []Fill) (trades []Trade, parts [][]RealizedPart) {
	var r Realizer
	take := func(ended []Realized) {
		for _, t := range ended {
			trades, parts = append(trades, t.Trade), append(parts, t.Parts)
		}
	}
	for _, f := range fills {
		take(r.Add(f))
	}
	take(r.Finish())
	return trades, parts
}

// TestRealizedParts are examples worked by hand: each part's instant, gross, costs and
// volume.
func TestRealizedParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, fills, want string }{
		{"one exit", "buy 100@10 fees 1; sell 100@12 fees 2", "2: 200-3 of 2200"},
		{"scale out", "buy 100@10 fees 1; sell 40@12; sell 60@14 fees 2", "2: 80-0.4 of 880; 3: 240-2.6 of 1440"},
		{"short", "sell 2@10; buy 1@8; buy 1@11", "2: 2-0 of 18; 3: -1-0 of 21"},
		{"still open", "buy 3@10 fees 1; sell 1@12", "2: 2-0.333333333333 of 22"},
		{"nothing closed", "buy 3@10; buy 1@12", ""},
		{
			"thirds", "buy 3@10 fees 1; sell 1@12; sell 1@12; sell 1@12",
			"2: 2-0.333333333333 of 22; 3: 2-0.333333333334 of 22; 4: 2-0.333333333333 of 22",
		},
		{"flip", "buy 1@10; sell 3@12 fees 3; buy 1@11; buy 1@10", "2: 2-1 of 22 | 3: 1-1 of 23; 4: 2-1 of 22"},
		{"stated", "buy 2@10; sell 1@12 stated 7; sell 1@12", "2: 7-0 of 22; 3: 2-0 of 22"},
		{"one instant", "buy 2@10 at 1; sell 1@12 at 5; sell 1@9 at 5", "5: 1-0 of 41"},
		{"refilled", "buy 1@10; sell 0.5@12; buy 0.5@20; sell 1@16", "2: 1-0 of 11; 4: 1-0 of 31"},
		{"prices below zero", "sell 2@-37; buy 1@-40; buy 1@-30", "2: 3-0 of 77; 3: -7-0 of 67"},
	} {
		var trades []string
		_, all := realize(parseFills(t, c.fills))
		for _, parts := range all {
			var list []string
			for _, x := range parts {
				list = append(list, fmt.Sprintf("%d: %s-%s of %s", x.At, x.Gross, x.Costs, x.Volume))
			}
			trades = append(trades, strings.Join(list, "; "))
		}
		if got := strings.Join(trades, " | "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestRealizedPartsSumToTrade: the trades equal Walk's, parts come in order and their
// sums are the trade's figures, exactly.
func TestRealizedPartsSumToTrade(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fills := anyFills(true).Draw(t, "fills")
		trades, all := realize(fills)
		for n, trade := range trades {
			parts := all[n]
			var sum RealizedPart
			for i, c := range parts {
				if sum = sum.add(c); i > 0 && c.At <= parts[i-1].At {
					t.Fatalf("closing %d is not after the one before it", i)
				}
			}
			if !sum.Net().Equal(trade.RealizedPnL) {
				t.Fatalf("parts realized %s, the trade %s", sum.Net(), trade.RealizedPnL)
			}
			costs := trade.FeesTotal.Add(trade.Commission)
			if trade.IsClosed() && (!sum.Gross.Equal(trade.GrossPnL.Decimal) || !sum.Costs.Equal(costs) || !sum.Volume.Equal(trade.Volume)) {
				t.Fatalf("parts sum to %+v, the trade is %+v", sum, trade)
			}
			if trade.IsClosed() && (!sum.Quantity.Equal(trade.QtyOpened) || !sum.Entry.Equal(trade.EntryNotional) || !sum.Exit.Equal(trade.ExitNotional)) {
				t.Fatalf("parts close %+v, the trade is %+v", sum, trade)
			}
		}
		if got, want := formatTrades(trades), formatTrades(Group(fills, Head{})); got != want {
			t.Fatalf("trades are\n%s\nwant\n%s", got, want)
		}
	})
}

// TestRealizedPartsAgreeWithTheOracle compares every closing with the oracle's.
func TestRealizedPartsAgreeWithTheOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fills := anyFills(true).Draw(t, "fills")
		want := oracle.RealizedParts(toOracleFills(fills))
		_, got := realize(fills)
		for i, parts := range got {
			if len(parts) != len(want[i]) {
				t.Fatalf("trade %d has %d parts, the oracle has %d", i, len(parts), len(want[i]))
			}
			for k, c := range parts {
				o := want[i][k]
				if c.At != o.At || !equalRat(c.Gross, o.Gross) || !equalRat(c.Costs, o.Costs) {
					t.Fatalf("closing %d of trade %d is %+v, the oracle has %+v", k, i, c, o)
				}
			}
		}
	})
}

func equalRat(d decimal.Decimal, r *big.Rat) bool { return d.Rat().Cmp(r) == 0 }
