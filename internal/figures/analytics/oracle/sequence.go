package oracle

import (
	"slices"
	"time"
)

// Sequence is the conditions on what came before a trade on its day in the question's
// zone; 0 tests nothing.
type Sequence struct{ AfterLosses, AfterWins, NthMin, NthMax int }

// accepts reports whether a trade passes all filters except for the period.
func (j *Journal) accepts(q *Question, t *Trade) bool {
	return q.accepts(t) && (q.Sequence == Sequence{} || j.isInSequence(q, t.ID))
}

// isInSequence tests a trade against all other trades in the question's accounts.
func (j *Journal) isInSequence(q *Question, id string) bool {
	var all []*Trade
	var own *Trade
	add := func(t Trade, open bool) {
		if !isAllowed(q.Accounts, t.Account) {
			return
		}
		if open { // closes after everything
			t.open, t.ClosedAt = true, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		j.setTolerance(&t)
		all = append(all, &t)
		if t.ID == id {
			own = &t
		}
	}
	for _, t := range j.Trades {
		add(t, false)
	}
	for _, t := range j.Open {
		add(t, true)
	}
	day := func(at time.Time) string { return at.In(q.Zone).Format(time.DateOnly) }
	opened := filterTrades(sortByOpening(all), func(t *Trade) bool { return day(t.OpenedAt) == day(own.OpenedAt) })
	nth := slices.Index(opened, own) + 1
	decided := filterTrades(sortByClosing(all), func(t *Trade) bool {
		return t.ClosedAt.Before(own.OpenedAt) && day(t.ClosedAt) == day(own.OpenedAt) && (t.isWin() || t.isLoss())
	})
	endsWith := func(n int, is func(*Trade) bool) bool {
		return len(decided) >= n && len(filterTrades(decided[len(decided)-n:], is)) == n
	}
	return endsWith(q.AfterLosses, (*Trade).isLoss) && endsWith(q.AfterWins, (*Trade).isWin) &&
		nth >= q.NthMin && (q.NthMax == 0 || nth <= q.NthMax)
}
