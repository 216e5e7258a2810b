package analytics

import (
	"fmt"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/tradefilter"
)

// TestTagsChosenByTheResult checks which tags are marked: not those with few trades, nor
// any in a journal in which nearly all trades win.
func TestTagsChosenByTheResult(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                       string
		tagged, wins, others, rest int // rest are the wins of the others
		winners, losers            bool
	}{
		{"only winners", 20, 20, 20, 10, true, false},
		{"nearly only winners", 20, 19, 20, 10, true, false},
		{"too many losers", 20, 18, 20, 10, false, false},
		{"only losers", 20, 0, 20, 10, false, true},
		{"few", 9, 9, 20, 10, false, false},
		{"all win", 20, 20, 20, 17, false, false},
	} {
		var rows []Trade
		add := func(n, wins int, tags ...journal.TagID) {
			for i := range n {
				at := time.Date(2026, 1, 5, 10, len(rows), 0, 0, time.UTC)
				row := Trade{ID: journal.TradeID(fmt.Sprint(len(rows))), OpenedAt: at, ClosedAt: at.Add(time.Second), Net: decimal.New(-5), Tags: tags, Arrival: int64(len(rows))}
				if i < wins {
					row.Net = decimal.New(5)
				}
				rows = append(rows, row)
			}
		}
		add(c.tagged, c.wins, "cut early")
		add(c.others, c.rest)
		s := SelectTrades([]*Columns{BuildColumns("a", rows)}, Filter{})
		for _, row := range BreakDown(s, BreakdownQuery{By: ByTag, Zone: time.UTC}) {
			if is := row.Key != ""; row.SelectsWinners != (is && c.winners) || row.SelectsLosers != (is && c.losers) {
				t.Errorf("%s: %q selects winners %t and losers %t", c.name, row.Key, row.SelectsWinners, row.SelectsLosers)
			}
		}
		if e := MeasureEffects(s, BreakdownQuery{By: ByTag, Zone: time.UTC})[0]; e.SelectsWinners != c.winners || e.SelectsLosers != c.losers {
			t.Errorf("%s: the effect has %+v", c.name, e.RowShare)
		}
	}
}

// TestSidesCompareOnce checks the comparison of long with short: the same from both sides,
// and the same as in Compare.
func TestSidesCompareOnce(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("UTC+9", 9*60*60)
	rows := generateSteadyTrades(150, 12, -9, 4, -6, 7)
	for i := range rows {
		rows[i].Side = []Side{Long, Long, Short}[i%3]
		rows[i].OpenedAt, rows[i].ClosedAt = rows[i].OpenedAt.Add(time.Duration(i)*7*time.Hour), rows[i].ClosedAt.Add(time.Duration(i)*7*time.Hour)
	}
	s := selectAll(rows)
	sides := map[string]*Rest{}
	for _, row := range BreakDown(s, BreakdownQuery{By: BySide, Zone: zone, Evidence: true, Seed: Seed}) {
		sides[row.Key] = row.Rest
	}
	long, short := sides["long"], sides["short"]
	if *long.PValue != *short.PValue {
		t.Errorf("long differs from short with %v, and short from long with %v", *long.PValue, *short.PValue)
	}
	if !long.Interval.Low.Decimal.Equal(short.Interval.High.Decimal.Neg()) || !long.Interval.High.Decimal.Equal(short.Interval.Low.Decimal.Neg()) {
		t.Errorf("long has %+v and short %+v", *long.Interval, *short.Interval)
	}
	columns := []*Columns{BuildColumns("a", rows)}
	onlyLong := Filter{}
	onlyLong.Side = tradefilter.Long
	rest := onlyLong
	rest.Invert = true
	compared := CompareSelections(SelectTrades(columns, onlyLong), SelectTrades(columns, rest), zone, Capital{}, Capital{}).Difference
	if *compared.PValue != *long.PValue {
		t.Errorf("Compare has %v, the row %v", *compared.PValue, *long.PValue)
	}
	if !compared.Interval.Low.Decimal.Equal(long.Interval.Low.Decimal) || !compared.Interval.High.Decimal.Equal(long.Interval.High.Decimal) {
		t.Errorf("Compare has %+v, the row %+v", compared.Interval, *long.Interval)
	}
}

// TestTagComparesAsItsRow checks that a tag has the same comparison as in a breakdown.
func TestTagComparesAsItsRow(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("UTC-8", -8*60*60)
	rows := generateSteadyTrades(150, 12, -9, 4, -6, 7)
	for i := range rows {
		rows[i].OpenedAt, rows[i].ClosedAt = rows[i].OpenedAt.Add(time.Duration(i)*7*time.Hour), rows[i].ClosedAt.Add(time.Duration(i)*7*time.Hour)
		if i%4 != 0 {
			rows[i].Tags = []journal.TagID{"calm"}
		}
	}
	s := selectAll(rows)
	effect := MeasureEffects(s, BreakdownQuery{By: ByTag, Zone: zone})[0]
	for _, row := range BreakDown(s, BreakdownQuery{By: ByTag, Zone: zone, Evidence: true, Seed: Seed}) {
		if row.Key == "calm" && (fmt.Sprint(*row.Rest.Interval) != fmt.Sprint(effect.Interval) || *row.Rest.PValue != *effect.PValue) {
			t.Errorf("the row has %+v and %v, the effect %+v and %v", *row.Rest.Interval, *row.Rest.PValue, effect.Interval, *effect.PValue)
		}
	}
}
