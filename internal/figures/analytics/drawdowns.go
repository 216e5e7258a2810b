package analytics

import (
	"cmp"
	"slices"
	"time"

	"fillbook/internal/base/decimal"
)

// Drawdown is a fall in the cumulative result below a peak, until the peak was reached
// again or until now. Results come from trades and, unless the query filters by anything
// besides accounts and dates, from cash other than deposits and withdrawals.
type Drawdown struct {
	Depth decimal.Decimal `json:"depth"`
	// DepthPct is the deepest fall in the time-weighted index below its peak, in percent,
	// at any result in the drawdown; null if the capital is unknown.
	DepthPct *float64 `json:"depth_pct"`
	// PeakAt is when the peak was made; null if the fall began with the first result.
	PeakAt   *time.Time `json:"peak_at"`
	BeganAt  time.Time  `json:"began_at"`
	TroughAt time.Time  `json:"trough_at"`
	// RecoveredAt is null while the peak has not been reached again.
	RecoveredAt *time.Time `json:"recovered_at"`
	// Trades counts those below the peak, the recovering one included.
	Trades int `json:"trades"`
	// LengthSecs runs from the beginning to the recovery, or to the last result;
	// RecoverySecs from the trough to the recovery.
	LengthSecs   float64  `json:"length_secs"`
	RecoverySecs *float64 `json:"recovery_secs"`
	Currency     string   `json:"currency,omitempty" doc:"The currency of the amounts. Only with currency."`
}

// ListDrawdowns returns at most limit drawdowns, the deepest first; 0 means all.
func ListDrawdowns(s *Selection, capital Capital, limit int) []Drawdown {
	s, cash := s.withCash(capital)
	return chooseArithmetic(s, listDrawdowns[int128], listDrawdowns[exact])(s, cash, limit)
}

// results are a query's results in order, in parallel lists.
type results[T number[T]] struct {
	at     []int64
	amount []T
	// trade is the index in the selection, or nowhere for cash and removed trades.
	trade []int32
	// fall is how far the time-weighted index is below its peak, as a fraction;
	// pctKnown reports whether it is valid.
	fall     []float64
	pctKnown bool
}

func collectResults[T number[T]](s *Selection, cash *cashColumn) results[T] {
	t := newTimeline(s, readColumn[T](s, netOf), cash)
	p := newPerformance(t)
	n := s.Len() + len(cash.events)
	out := results[T]{
		at: make([]int64, 0, n), amount: make([]T, 0, n), trade: make([]int32, 0, n), fall: make([]float64, 0, n),
	}
	t.walk(func(e *event[T]) {
		if e.flow || !e.inside {
			return
		}
		p.apply(e.amount.float(s.scale), e.equity(s.scale), e.overdraws(s.scale))
		out.at, out.amount = append(out.at, e.at), append(out.amount, e.amount)
		trade := int32(e.trade)
		if e.trade != nowhere && s.isRemoved(e.trade) {
			trade = nowhere // it does not count
		}
		out.trade, out.fall = append(out.trade, trade), append(out.fall, p.fall)
	})
	out.pctKnown = p.known
	return out
}

// fall is a drawdown by its result indexes.
type fall[T number[T]] struct {
	depth                     T
	top, began, trough, ended int
	recovered                 bool
}

func listDrawdowns[T number[T]](s *Selection, cash *cashColumn, limit int) []Drawdown {
	all := collectResults[T](s, cash)
	found := findFalls(all.amount)
	slices.SortFunc(found, func(a, b fall[T]) int { return cmp.Or(b.depth.cmp(a.depth), a.began-b.began) })
	if limit > 0 && len(found) > limit {
		found = found[:limit]
	}
	list := make([]Drawdown, len(found))
	for i := range found {
		list[i] = all.describe(&found[i], s.scale)
	}
	return list
}

// findFalls returns the falls in the cumulative result, in order.
func findFalls[T number[T]](amounts []T) []fall[T] {
	var found []fall[T]
	var level, peak T
	top, falling := nowhere, false
	for i, v := range amounts {
		level = level.add(v)
		switch below := level.cmp(peak) < 0; {
		case below && !falling:
			found = append(found, fall[T]{depth: peak.sub(level), top: top, began: i, trough: i, ended: i})
			falling = true
		case falling:
			f := &found[len(found)-1]
			f.ended, f.recovered = i, !below
			if depth := peak.sub(level); depth.cmp(f.depth) > 0 {
				f.depth, f.trough = depth, i
			}
			falling = below
		}
		if level.cmp(peak) >= 0 {
			peak, top = level, i
		}
	}
	return found
}

// describe returns a fall as a Drawdown.
func (r *results[T]) describe(f *fall[T], scale int32) Drawdown {
	at := func(i int) time.Time { return time.UnixMicro(r.at[i]).UTC() }
	d := Drawdown{
		Depth: f.depth.decimal(scale), BeganAt: at(f.began), TroughAt: at(f.trough),
		LengthSecs: at(f.ended).Sub(at(f.began)).Seconds(),
	}
	for i := f.began; i <= f.ended; i++ {
		if r.trade[i] != nowhere {
			d.Trades++
		}
	}
	if f.top != nowhere {
		peak := at(f.top)
		d.PeakAt = &peak
	}
	if r.pctKnown {
		deepest := percent * slices.Max(r.fall[f.began:f.ended+1])
		d.DepthPct = &deepest
	}
	if f.recovered {
		recovered, took := at(f.ended), at(f.ended).Sub(d.TroughAt).Seconds()
		d.RecoveredAt, d.RecoverySecs = &recovered, &took
	}
	return d
}
