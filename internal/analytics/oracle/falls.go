package oracle

import (
	"math/big"
	"time"
)

// depths gives the deepest fall of the cumulative result of trades in the order
// of closing, in money and in percent of the capital at the peak before it.
func depths(list []*Trade, starting *big.Rat) (deepest *big.Rat, pct any) {
	deepest = new(big.Rat)
	var greatestPart *big.Rat
	level, peak := new(big.Rat), new(big.Rat)
	for _, t := range list {
		level = add(level, t.Net)
		peak = higher(peak, level)
		fall := sub(peak, level)
		deepest = higher(deepest, fall)
		if capital := add(starting, peak); capital.Sign() > 0 {
			greatestPart = higher(orZero(greatestPart), quo(fall, capital))
		}
	}
	return deepest, percent(greatestPart)
}

func higher(a, b *big.Rat) *big.Rat {
	if b.Cmp(a) > 0 {
		return b
	}
	return a
}

func percent(r *big.Rat) any {
	if r == nil {
		return nil
	}
	return float(mul(r, whole(100)))
}

// fall is a drawdown: the trades that closed below a peak, and the one that made
// it good.
type fall struct {
	peak      *big.Rat
	peakAt    any
	trades    []*Trade
	levels    []*big.Rat
	recovered bool
}

// falls cuts the trades at their peaks.
func falls(list []*Trade) []*fall {
	var out []*fall
	var open *fall
	level, peak := new(big.Rat), new(big.Rat)
	var peakAt any
	for _, t := range list {
		level = add(level, t.Net)
		if level.Cmp(peak) < 0 && open == nil {
			open = &fall{peak: peak, peakAt: peakAt}
			out = append(out, open)
		}
		if open != nil {
			open.trades, open.levels = append(open.trades, t), append(open.levels, level)
		}
		if level.Cmp(peak) >= 0 {
			peak, peakAt = level, t.ClosedAt
			if open != nil {
				open.recovered, open = true, nil
			}
		}
	}
	return out
}

func (f *fall) depth() *big.Rat {
	depth := new(big.Rat)
	for _, level := range f.levels {
		depth = higher(depth, sub(f.peak, level))
	}
	return depth
}

func (f *fall) trough() time.Time {
	depth := f.depth()
	for i, level := range f.levels {
		if sub(f.peak, level).Cmp(depth) == 0 {
			return f.trades[i].ClosedAt
		}
	}
	return time.Time{}
}

// Drawdowns foretells the list of drawdowns.
func (j *Journal) Drawdowns(q *Question, limit int) List {
	out := List{}
	deepestFirst := sorted(falls(j.Selected(q)), func(a, b *fall) int { return b.depth().Cmp(a.depth()) })
	for _, f := range deepestFirst[:min(limit, len(deepestFirst))] {
		began, end := f.trades[0].ClosedAt, f.trades[len(f.trades)-1].ClosedAt
		row := Object{
			"depth": f.depth(), "depth_pct": nil, "peak_at": f.peakAt, "began_at": began, "trough_at": f.trough(),
			"recovered_at": nil, "recovery_secs": nil, "trades": len(f.trades), "length_secs": float(seconds(end.Sub(began))),
		}
		if capital := add(j.starting(q), f.peak); capital.Sign() > 0 {
			row["depth_pct"] = percent(quo(f.depth(), capital))
		}
		if f.recovered {
			row["recovered_at"], row["recovery_secs"] = end, float(seconds(end.Sub(f.trough())))
		}
		out = append(out, row)
	}
	return out
}
