package analytics

import (
	"cmp"
	"slices"
	"time"

	"fillbook/internal/decimal"
)

// falls is what a walk along a level found.
type falls[T number[T]] struct {
	// deepest is the greatest distance below the highest level so far.
	deepest T
	// percent is the greatest such distance in percent of that level, where the
	// level is above zero; it is known when the level ever was.
	percent float64
	known   bool
	// below is the greatest distance below the present peak. Percentages of one
	// peak grow with it, so they are computed when the peak changes.
	below T
}

// fallsOf walks the cumulative net result from 0. Levels for percentages stand
// on the starting capital.
func fallsOf[T number[T]](net []T, scale int32, starting decimal.Decimal) falls[T] {
	var f falls[T]
	var level, peak T
	ground := starting.Float64()
	for _, v := range net {
		level = level.add(v)
		if below := peak.sub(level); below.sign() > 0 {
			f.fell(below)
			continue
		}
		f.leave(peak.float(scale)+ground, scale)
		peak = level
	}
	f.leave(peak.float(scale)+ground, scale)
	f.known = f.known && len(net) > 0
	return f
}

// fell takes a distance below the present peak.
func (f *falls[T]) fell(below T) {
	if below.cmp(f.below) > 0 {
		f.below = below
	}
}

// leave notes what was found below a peak that is about to change.
func (f *falls[T]) leave(peak float64, scale int32) {
	if peak > 0 {
		f.percent, f.known = max(f.percent, percent*f.below.float(scale)/peak), true
	}
	if f.below.cmp(f.deepest) > 0 {
		f.deepest = f.below
	}
	var none T
	f.below = none
}

// pct is the percentage as answers show it.
func (f *falls[T]) pct() *float64 {
	if !f.known {
		return nil
	}
	value := f.percent
	return &value
}

// Drawdown is one fall of the cumulative result from a peak, until it was made
// good or until now.
type Drawdown struct {
	Depth decimal.Decimal `json:"depth"`
	// DepthPct is the depth in percent of the starting capital and the peak.
	DepthPct *float64 `json:"depth_pct"`
	// PeakAt is the close of the trade that made the peak; null when the fall
	// began with the first trade.
	PeakAt   *time.Time `json:"peak_at"`
	BeganAt  time.Time  `json:"began_at"`
	TroughAt time.Time  `json:"trough_at"`
	// RecoveredAt is null while the peak has not been reached again.
	RecoveredAt *time.Time `json:"recovered_at"`
	// Trades counts those below the peak, the recovering one included.
	Trades int `json:"trades"`
	// LengthSecs runs from the beginning to the recovery, or to the last trade;
	// RecoverySecs from the trough to the recovery.
	LengthSecs   float64  `json:"length_secs"`
	RecoverySecs *float64 `json:"recovery_secs"`
}

// Drawdowns lists the drawdowns of a selection, the deepest first and at most
// limit of them; 0 means all.
func Drawdowns(s *Selection, capital Capital, limit int) []Drawdown {
	if s.unbounded {
		return drawdowns[exact](s, capital, limit)
	}
	return drawdowns[int128](s, capital, limit)
}

// fall is a drawdown while it is being walked: places of trades, and levels.
type fall[T number[T]] struct {
	peak, depth               T
	top, began, trough, ended int
	recovered                 bool
}

func drawdowns[T number[T]](s *Selection, capital Capital, limit int) []Drawdown {
	found := episodes(column[T](s, netOf))
	slices.SortStableFunc(found, func(a, b fall[T]) int { return cmp.Or(b.depth.cmp(a.depth), a.began-b.began) })
	if limit > 0 && len(found) > limit {
		found = found[:limit]
	}
	list := make([]Drawdown, len(found))
	for i := range found {
		list[i] = found[i].shown(s, capital)
	}
	return list
}

// episodes cuts the cumulative result into its falls.
func episodes[T number[T]](net []T) []fall[T] {
	var found []fall[T]
	var level, peak T
	top, falling := nowhere, false
	for i, v := range net {
		level = level.add(v)
		switch below := level.cmp(peak) < 0; {
		case below && !falling:
			found = append(found, fall[T]{peak: peak, depth: peak.sub(level), top: top, began: i, trough: i, ended: i})
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

func (f *fall[T]) shown(s *Selection, capital Capital) Drawdown {
	at := func(i int) time.Time { return time.UnixMicro(s.closed(i)).UTC() }
	d := Drawdown{
		Depth: f.depth.decimal(s.scale), BeganAt: at(f.began), TroughAt: at(f.trough), Trades: f.ended - f.began + 1,
		LengthSecs: at(f.ended).Sub(at(f.began)).Seconds(),
	}
	if f.top != nowhere {
		peak := at(f.top)
		d.PeakAt = &peak
	}
	if top := capital.Starting.Add(f.peak.decimal(s.scale)); top.Sign() > 0 {
		share := percent * d.Depth.Float64() / top.Float64()
		d.DepthPct = &share
	}
	if f.recovered {
		recovered, took := at(f.ended), at(f.ended).Sub(d.TroughAt).Seconds()
		d.RecoveredAt, d.RecoverySecs = &recovered, &took
	}
	return d
}
