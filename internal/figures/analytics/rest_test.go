package analytics

import (
	"fmt"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
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
		if e := MeasureEffects(s, BreakdownQuery{By: ByTag})[0]; e.SelectsWinners != c.winners || e.SelectsLosers != c.losers {
			t.Errorf("%s: the effect has %+v", c.name, e.RowShare)
		}
	}
}
