package analytics

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/tradefilter"
)

// anyParts draws realized parts for a few trades. A trade's parts have its risk and its
// status.
func anyParts() *rapid.Generator[[]Trade] {
	return rapid.Custom(func(t *rapid.T) []Trade {
		rows := anyTrades(25).Draw(t, "rows")
		trades := rapid.IntRange(1, 8).Draw(t, "different trades")
		for i := range rows {
			first := &rows[i%trades]
			row := &rows[i]
			row.Part, row.ID, row.InitialRisk, row.Open = true, first.ID, first.InitialRisk, i%trades%3 == 2
			row.ClosedAt = row.ClosedAt.Add(time.Duration(i) * time.Microsecond)
		}
		return rows
	})
}

func anyTolerance() *rapid.Generator[tradefilter.Tolerance] {
	return rapid.Custom(func(t *rapid.T) tradefilter.Tolerance {
		limit := decimal.Must(rapid.SampledFrom([]string{"0", "0.5", "1", "2.999", "0.333333333333333333", "999999999999999"}).Draw(t, "limit"))
		if rapid.Bool().Draw(t, "in r") {
			return tradefilter.Tolerance{R: limit, InR: true}
		}
		return tradefilter.Tolerance{Amount: limit}
	})
}

// isWithin reports whether a result is breakeven, by plain decimals.
func isWithin(tolerance tradefilter.Tolerance, net decimal.Decimal, risk decimal.Null) bool {
	limit := tolerance.Amount
	if tolerance.InR && risk.Valid && risk.Decimal.Sign() > 0 {
		limit = risk.Decimal.Mul(tolerance.R)
	}
	return net.Abs().Cmp(limit) <= 0
}

// The tolerance applies to what a trade realized in the period or on a day,
// not to a single part.
func TestToleranceIsThatOfMergedParts(t *testing.T) {
	t.Parallel()
	type key struct {
		id  journal.TradeID
		day string
	}
	rapid.Check(t, func(t *rapid.T) {
		rows, tolerance := anyParts().Draw(t, "rows"), anyTolerance().Draw(t, "tolerance")
		sums, risks := map[key]decimal.Decimal{}, map[journal.TradeID]decimal.Null{}
		for _, row := range rows {
			risks[row.ID] = row.InitialRisk
			for _, day := range []string{"", row.ClosedAt.UTC().Format(time.DateOnly)} {
				k := key{row.ID, day}
				sums[k] = sums[k].Add(row.Net)
			}
		}
		wins, losses := map[string]int{}, map[string]int{}
		for k, sum := range sums {
			switch {
			case isWithin(tolerance, sum, risks[k.id]):
			case sum.Sign() > 0:
				wins[k.day]++
			default:
				losses[k.day]++
			}
		}
		s := SelectTrades([]*Columns{BuildColumns("a", rows)}, Filter{Realized: true, Tolerance: tolerance})
		unbounded := *s
		unbounded.unbounded = true
		for _, s := range []*Selection{s, &unbounded} {
			got := Summarize(s, Capital{})
			if got.Wins != wins[""] || got.Losses != losses[""] || got.TotalTrades != len(risks) {
				t.Fatalf("%d trades, %d wins, %d losses; want %d, %d, %d", got.TotalTrades, got.Wins, got.Losses, len(risks), wins[""], losses[""])
			}
			if list := s.tradeSets(Capital{}).find(Winners); list.count != got.Wins {
				t.Fatalf("%d winners are explained, want %d", list.count, got.Wins)
			}
			for _, day := range ListDays(s, time.UTC) {
				if name := string(day.Date); day.Wins != wins[name] || day.Losses != losses[name] {
					t.Fatalf("%s has %d wins, %d losses; want %d, %d", name, day.Wins, day.Losses, wins[name], losses[name])
				}
			}
		}
	})
}

// Summary and curve over realized parts have the same maximum drawdown, for every filter.
func TestOneMaximumDrawdownOfParts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		columns := []*Columns{BuildColumns("a", anyParts().Draw(t, "rows"))}
		capital := Capital{
			Starting: decimal.New(rapid.SampledFrom([]int64{0, 10, 100, -5}).Draw(t, "starting")),
			Cash:     [][]CashEvent{anyCash().Draw(t, "cash")},
		}
		f := anyFilter().Draw(t, "filter")
		f.Realized, f.Status = true, Status(rapid.IntRange(0, 2).Draw(t, "status"))
		if f.Period.Check() != nil {
			f.Period.To = nil
		}
		summary, curve := Summarize(SelectTrades(columns, f), capital), BuildEquityCurve(columns, CurveQuery{Filter: f, Capital: capital})
		if !summary.MaxDrawdown.Equal(curve.MaxDrawdown) {
			t.Fatalf("%s in the summary, %s in the curve", summary.MaxDrawdown, curve.MaxDrawdown)
		}
		a, b := summary.MaxDrawdownPct, curve.MaxDrawdownPct
		if (a == nil) != (b == nil) || a != nil && *a != *b {
			t.Fatalf("%v percent in the summary, %v in the curve", a, b)
		}
	})
}

// A sum over parts may have more bits than an amount and must still be compared exactly.
func TestToleranceOfGreatSums(t *testing.T) {
	t.Parallel()
	const parts = 34                                      // their sum times 10⁹ is about 2¹²⁸
	great := decimal.Must("9999999999999999999999999999") // 28 digits
	var rows []Trade
	for i := range parts {
		at := time.Date(2026, 1, 5, 10, i, 0, 0, time.UTC)
		rows = append(rows, Trade{ID: "a", Part: true, OpenedAt: at, ClosedAt: at, Net: great, InitialRisk: decimal.Of(great)})
	}
	for limit, wins := range map[string]int{"33.999999": 1, "34": 0, "1.000000001": 1} {
		f := Filter{Realized: true, Tolerance: tradefilter.Tolerance{R: decimal.Must(limit), InR: true}}
		s := SelectTrades([]*Columns{BuildColumns("a", rows)}, f)
		if got := Summarize(s, Capital{}); s.unbounded || got.Wins != wins || got.Losses != 0 {
			t.Errorf("within %s R: %d wins, %d losses, want %d wins; unbounded %v", limit, got.Wins, got.Losses, wins, s.unbounded)
		}
	}
}
