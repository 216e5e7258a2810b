package analytics

import (
	"cmp"
	"math"
	"time"

	"fillbook/internal/trading/tradefilter"
)

// DaySequence is what came before each trade on its day: how many trades were opened, and
// which results had closed. It covers all trades in some accounts, because a condition on
// the sequence looks at them whatever else is filtered.
type DaySequence struct {
	trades *Selection
	// before is by page and row, the pages in column order.
	before [][]dayState
}

// dayState is a day's state when a trade opens.
type dayState struct {
	nth          int32 // the trade's number among the day's openings, from 1
	losses, wins int32 // in a row at the last closes, without breakevens
}

// NewDaySequence returns the sequence for accounts. The columns must be those for closed
// trades and those for open trades. Days are in a zone, nil means UTC.
func NewDaySequence(columns []*Columns, tolerance tradefilter.Tolerance, zone *time.Location) *DaySequence {
	f := Filter{Tolerance: tolerance}
	f.Zone = zone
	d := &DaySequence{trades: SelectTrades(columns, f)}
	for _, p := range d.trades.pages {
		d.before = append(d.before, make([]dayState, p.len()))
	}
	d.walk(newClock(filterZone(&f)))
	return d
}

// walk visits openings and closings together. A close at the instant of an opening is not
// before it. A clock going back over midnight returns to the day before, so all days keep
// their state.
func (d *DaySequence) walk(local *clock) {
	s := d.trades
	outcomes := make([]func(row int32) outcome, len(s.pages))
	for i, p := range s.pages {
		outcomes[i] = p.newOutcomeReader(s.filter.Tolerance)
	}
	states := map[int64]*dayState{}
	day, state := int64(math.MinInt64), (*dayState)(nil)
	stateAt := func(at int64) *dayState {
		if its := local.day(at); state == nil || its != day {
			day = its
			if state = states[day]; state == nil {
				state = &dayState{}
				states[day] = state
			}
		}
		return state
	}
	next := 0
	for _, i := range mergeRuns(s.listOpeningRuns(), d.compareOpenings) {
		opened := s.opened(int(i))
		for ; next < len(s.picks) && s.closed(next) < opened; next++ {
			if p := s.picks[next]; !s.pages[p.source].state[p.row].isOpen() {
				stateAt(s.closed(next)).addClose(outcomes[p.source](p.row))
			}
		}
		its := stateAt(opened)
		its.nth++
		d.before[s.picks[i].source][s.picks[i].row] = *its
	}
}

func (d *dayState) addClose(result outcome) {
	switch result {
	case loss:
		d.losses, d.wins = d.losses+1, 0
	case win:
		d.losses, d.wins = 0, d.wins+1
	case breakeven, uncounted:
	}
}

// compareOpenings compares in opening order. An open trade closes after all others.
func (d *DaySequence) compareOpenings(a, b int32) int {
	s := d.trades
	x, y := s.picks[a], s.picks[b]
	return s.compare(func(p *page, i int32, q *page, j int32, accounts int) int {
		if open := p.state[i].isOpen(); p.opened[i] == q.opened[j] && p.order.at(i) == q.order.at(j) && accounts == 0 && open != q.state[j].isOpen() {
			return cmp.Compare(boolToInt(open), boolToInt(!open))
		}
		return compareOpening(p, i, q, j, accounts)
	}, x, y)
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Select returns the trades passing the conditions on the sequence.
func (d *DaySequence) Select(c *tradefilter.Conditions) *TradeIDs {
	least, most := wholeBounds(c.NthOfDay, 0)
	set := NewTradeIDs(nil)
	for _, p := range d.trades.picks {
		b := &d.before[p.source][p.row]
		if int(b.losses) >= c.AfterLosses && int(b.wins) >= c.AfterWins && least <= int64(b.nth) && int64(b.nth) <= most {
			set.ids.addRow(&d.trades.pages[p.source].ids, p.row)
		}
	}
	return set
}
