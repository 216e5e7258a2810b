package analytics

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fillbook/internal/base/decimal"
)

// TestRankLimits compares the first rows in each order, from its beginning and after a
// row, with the whole order. Values have several scales, some repeat, some are absent,
// and some need more than 64 bits.
func TestRankLimits(t *testing.T) {
	t.Parallel()
	dice := rand.New(rand.NewPCG(3, 4))
	number := func() decimal.Decimal {
		d := decimal.FromScaled(int64(dice.IntN(300))-150, int32(dice.IntN(4)))
		if dice.IntN(50) == 0 {
			d = d.Mul(decimal.Must("1000000000000000000.5"))
		}
		return d
	}
	optional := func() decimal.Null { return decimal.Null{Decimal: number(), Valid: dice.IntN(3) > 0} }
	rows := generateTrades(700)
	for i := range rows {
		r := &rows[i]
		r.Net, r.Fees, r.Quantity, r.EntryPrice = number(), number(), number(), number()
		r.ExitPrice, r.ReturnPct, r.RMultiple, r.InitialRisk = optional(), optional(), optional(), optional()
	}
	open := slices.Clone(rows[:90])
	for i := range open {
		open[i].Open, open[i].ClosedAt = true, open[i].OpenedAt
	}
	columns := []*Columns{
		buildColumns("a", rows[90:], 64).WithName("A", 1), buildColumns("a", open, 64).WithName("A", 1),
	}
	for key := RankByOpening; key <= RankByQuality; key++ {
		for _, down := range []bool{false, true} {
			whole, total := RankTrades(columns, RankQuery{Key: key, Down: down})
			if len(whole) != len(rows) || total != len(rows) {
				t.Fatalf("key %d: %d rows, total %d", key, len(whole), total)
			}
			for _, limit := range []int{1, 7, 60} {
				for _, skip := range []int{0, 1, 350, 690} {
					q := RankQuery{Key: key, Down: down, Limit: limit}
					if skip > 0 {
						last := whole[skip-1]
						q.After = &RankPosition{
							Number: last.Number, Text: last.Text,
							ComparePlace: func(r *RankedRow) int { return (&ranking{query: q}).comparePlaces(r, &last) },
						}
					}
					got, total := RankTrades(columns, q)
					want := whole[skip:min(skip+limit, len(whole))]
					if describeRanks(got) != describeRanks(want) || total != len(rows) {
						t.Errorf("key %d, down %t, limit %d after %d:\n%s\nwant\n%s", key, down, limit, skip, describeRanks(got), describeRanks(want))
					}
				}
			}
		}
	}
}

func describeRanks(rows []RankedRow) (text string) {
	for i := range rows {
		text += fmt.Sprintf("%s %s %s\n", rows[i].ID(), rows[i].Number, rows[i].Text)
	}
	return text
}

func TestScaledLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		number   string
		scale    int32
		down, up int64
	}{
		{"1.25", 2, 125, 125}, {"1.25", 3, 1250, 1250}, {"1.25", 1, 12, 13}, {"-1.25", 1, -13, -12}, {"1.20", 1, 12, 12}, {"0", 0, 0, 0},
	} {
		down, ok := scaledLimit(decimal.Must(c.number), c.scale, false)
		up, ok2 := scaledLimit(decimal.Must(c.number), c.scale, true)
		if !ok || !ok2 || down != c.down || up != c.up {
			t.Errorf("%s at %d: %d and %d, want %d and %d", c.number, c.scale, down, up, c.down, c.up)
		}
	}
	if _, ok := scaledLimit(decimal.Must("10000000000"), 10, false); ok {
		t.Error("a number of 21 digits fits into 64 bits")
	}
}
