package demo

import (
	"slices"
	"testing"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// closedTrades are a story's closed trades by closing time.
func closedTrades(s Story) (list []matching.Trade) {
	for _, a := range s.Accounts {
		for _, t := range tradesIn(a) {
			if t.IsClosed() {
				list = append(list, t)
			}
		}
	}
	slices.SortFunc(list, func(a, b matching.Trade) int { return a.Last.Compare(b.Last) })
	return list
}

// figures are a summary's figures for some trades.
type figures struct {
	trades, wins      int
	gained, lost      float64
	deepest           float64       // drawdown, in money
	longest           time.Duration // from the peak before the drawdown to its bottom
	winHold, lossHold time.Duration // in sum
}

func figure(trades []matching.Trade) (f figures) {
	var equity, peak float64
	var peakAt int64
	for _, t := range trades {
		net := t.NetPnL.Decimal.Float64()
		held := time.Duration(t.Last.At-t.First.At) * time.Microsecond
		f.trades++
		if net > 0 {
			f.wins, f.gained, f.winHold = f.wins+1, f.gained+net, f.winHold+held
		} else {
			f.lost, f.lossHold = f.lost-net, f.lossHold+held
		}
		if equity += net; equity > peak {
			peak, peakAt = equity, t.Last.At
		}
		if peak-equity > f.deepest {
			f.deepest, f.longest = peak-equity, time.Duration(t.Last.At-peakAt)*time.Microsecond
		}
	}
	return f
}

func (f figures) winRate() float64      { return float64(f.wins) / float64(f.trades) }
func (f figures) profitFactor() float64 { return f.gained / f.lost }
func (f figures) averageWin() float64   { return f.gained / float64(f.wins) }
func (f figures) averageLoss() float64  { return f.lost / float64(f.trades-f.wins) }

// The trader makes money, with a drawdown for some weeks in between.
func TestFiguresAreBelievable(t *testing.T) {
	eachStory(t, func(t *testing.T, s Story) {
		f := figure(closedTrades(s))
		t.Logf("%d trades, win rate %.3f, profit factor %.2f, net %.0f, average win %.0f and loss %.0f, drawdown %.0f in %.0f days",
			f.trades, f.winRate(), f.profitFactor(), f.gained-f.lost, f.averageWin(), f.averageLoss(), f.deepest, f.longest.Hours()/24)
		if r := f.winRate(); r < 0.48 || r > 0.55 {
			t.Errorf("win rate %.3f", r)
		}
		if p := f.profitFactor(); p < 1.3 || p > 1.6 {
			t.Errorf("profit factor %.2f", p)
		}
		if f.deepest < 5_000 || f.deepest > (f.gained-f.lost)/2 || f.longest < 14*24*time.Hour || f.longest > 150*24*time.Hour {
			t.Errorf("drawdown of %.0f in %.0f days", f.deepest, f.longest.Hours()/24)
		}
	})
}

// Every account makes money in the end.
func TestEveryAccountIsAhead(t *testing.T) {
	eachStory(t, func(t *testing.T, s Story) {
		for _, a := range s.Accounts {
			if f := figure(closedTrades(Story{Accounts: []Account{a}})); f.gained <= f.lost {
				t.Errorf("%s: gained %.0f, lost %.0f", a.Name, f.gained, f.lost)
			}
		}
	})
}

// phasePeriod returns a phase's period.
func phasePeriod(s Story, name string) (from, to int64) {
	w := &simulation{first: s.First, last: s.Last}
	begin := 0.0
	for _, c := range loadData().Phases {
		if c.Name == name {
			return w.dayAt(begin).Time().UnixMicro(), w.dayAt(c.Until).Time().UnixMicro()
		}
		begin = c.Until
	}
	return 0, 0
}

func during(s Story, name string) (list []matching.Trade) {
	from, to := phasePeriod(s, name)
	for _, t := range closedTrades(s) {
		if t.First.At >= from && t.First.At < to {
			list = append(list, t)
		}
	}
	return list
}

func TestPhasesDiffer(t *testing.T) {
	eachStory(t, func(t *testing.T, s Story) {
		first, tilt := figure(during(s, "first run")), figure(during(s, "tilt"))
		fear, second := figure(during(s, "fear")), figure(during(s, "second run"))
		if first.gained < 1.3*first.lost || second.gained < 1.3*second.lost {
			t.Errorf("good runs: profit factors %.2f and %.2f", first.profitFactor(), second.profitFactor())
		}
		if tilt.gained > 0.9*tilt.lost {
			t.Errorf("tilt: profit factor %.2f", tilt.profitFactor())
		}
		// Winners were cut short: more winners, and smaller ones.
		if fear.averageWin() > 0.75*second.averageWin() || fear.winRate() < second.winRate() {
			t.Errorf("fear: wins of %.0f at %.2f, later %.0f at %.2f",
				fear.averageWin(), fear.winRate(), second.averageWin(), second.winRate())
		}
	})
}

// A revenge detector looks for a trade in the same symbol within fifteen minutes of a
// loss. It must find some, and most of them in the bad weeks.
func TestRevengeCluster(t *testing.T) {
	eachStory(t, func(t *testing.T, s Story) {
		from, to := phasePeriod(s, "tilt")
		inTilt, all := 0, 0
		for _, a := range s.Accounts {
			symbols := map[string]string{}
			for _, f := range a.Fills {
				symbols[f.ExternalID] = f.Symbol
			}
			lost := map[string]int64{}
			trades := closedTrades(Story{Accounts: []Account{a}})
			slices.SortFunc(trades, func(a, b matching.Trade) int { return a.First.Compare(b.First) })
			for _, trade := range trades {
				symbol := symbols[trade.Parts[0].FillID]
				since := time.Duration(trade.First.At-lost[symbol]) * time.Microsecond
				if since >= 0 && since < 15*time.Minute {
					all++
					inTilt += flag(trade.First.At >= from && trade.First.At < to)
				}
				if trade.NetPnL.Decimal.Sign() < 0 {
					lost[symbol] = trade.Last.At
				}
			}
		}
		if inTilt < 10 || inTilt < all/3 {
			t.Errorf("%d of %d revenge trades are in the bad weeks", inTilt, all)
		}
	})
}

// Most days have few trades, and a day or two have far too many.
func TestOvertradingDays(t *testing.T) {
	eachStory(t, func(t *testing.T, s Story) {
		days := map[journal.Day]int{}
		for _, trade := range closedTrades(s) {
			days[journal.DayOf(time.UnixMicro(trade.First.At).In(newYork))]++
		}
		counts := make([]int, 0, len(days))
		many := 0
		for _, n := range days {
			counts = append(counts, n)
			many += flag(n >= 12)
		}
		slices.Sort(counts)
		if median := counts[len(counts)/2]; median > 4 || many < 2 || many > 6 {
			t.Errorf("median %d a day, %d days with twelve or more", median, many)
		}
	})
}
