package oracle

import (
	"math"
	"math/big"
	"time"
)

// tradingDays is how many days a year has where daily ratios are annualised.
const tradingDays = 252

// Summary foretells the summary.
func (j *Journal) Summary(q *Question) Object {
	parts := j.Selected(q)
	list := merged(parts)
	wins, losses := those(list, (*Trade).won), those(list, (*Trade).lost)
	won, lost := each(wins, net), each(losses, func(t *Trade) *big.Rat { return neg(t.Net) })
	nets := each(list, net)
	payoff := over(mean(won), mean(lost))
	deepest, pct := j.depths(q)
	r := resultsInR(list)
	out := Object{
		"total_trades": len(list), "wins": len(wins), "losses": len(losses), "breakeven": len(list) - len(wins) - len(losses),
		"win_rate": float(orZero(share(len(wins), len(list)))),
		"net_pnl":  sum(nets), "gross_pnl": sum(each(list, func(t *Trade) *big.Rat { return t.Gross })),
		"total_fees":   sum(each(list, func(t *Trade) *big.Rat { return t.Fees })),
		"volume":       sum(each(list, volume)),
		"gross_profit": sum(won), "gross_loss": sum(lost), "profit_factor": float(over(sum(won), sum(lost))), "payoff_ratio": float(payoff),
		"avg_win": average(won), "avg_loss": average(lost), "avg_trade": average(nets), "expectancy": average(nets),
		"median_win": orZero(median(won)), "median_loss": orZero(median(lost)), "median_trade": orZero(median(nets)),
		"largest_win": greatest(won), "largest_loss": greatest(lost),
		"kelly_pct": kelly(len(wins), len(losses), len(list), payoff), "std_dev": root(orZero(variance(nets))), "sqn": quality(nets),
		"max_drawdown": deepest, "max_drawdown_pct": pct,
		"max_consecutive_wins": longest(marks(list, (*Trade).won)), "max_consecutive_losses": longest(marks(list, (*Trade).lost)),
		"avg_hold_secs": float(orZero(mean(each(list, hold)))), "avg_win_hold_secs": float(orZero(mean(each(wins, hold)))),
		"avg_loss_hold_secs": float(orZero(mean(each(losses, hold)))),
		"avg_r":              float(mean(r)), "expectancy_r": float(mean(r)), "trades_with_r": len(r),
		"currency": j.currency(q), "breakeven_tolerance": j.Tolerance,
		"trading_days": len(byDay(parts, q.basis, time.UTC)),
	}
	if len(r) > 0 && len(r) == len(list) {
		out["sqn"] = quality(r)
	}
	daily, basis := j.dailyResults(q)
	out["basis"], out["sharpe"], out["sortino"] = basis, sharpe(daily), sortino(daily)
	return out
}

func marks(list []*Trade, holds func(*Trade) bool) []bool {
	out := make([]bool, len(list))
	for i, t := range list {
		out[i] = holds(t)
	}
	return out
}

func kelly(wins, losses, trades int, payoff *big.Rat) any {
	if payoff == nil {
		return nil
	}
	return float(mul(sub(share(wins, trades), quo(share(losses, trades), payoff)), whole(100)))
}

// quality is the system quality number: √n times the mean over the deviation, in
// which n is at most 100.
func quality(values []*big.Rat) any {
	v := variance(values)
	if v == nil || v.Sign() == 0 {
		return nil
	}
	m, _ := mean(values).Float64()
	return math.Sqrt(math.Min(100, float64(len(values)))) * m / root(v)
}

// dailyResults lists the weekdays from the first to the last trading day, and the
// weekend days with trades: the returns on the equity that each opened with, or
// else the money.
func (j *Journal) dailyResults(q *Question) (daily []*big.Rat, basis string) {
	traded := map[string]*big.Rat{}
	days := byDay(j.Selected(q), q.basis, time.UTC)
	for _, d := range days {
		traded[d.date] = d.net()
	}
	known := j.capitalKnown(q)
	var returns []*big.Rat
	if len(days) > 0 {
		day, _ := time.Parse(time.DateOnly, days[0].date) // it is our own text
		for ; day.Format(time.DateOnly) <= days[len(days)-1].date; day = day.AddDate(0, 0, 1) {
			result := traded[day.Format(time.DateOnly)]
			weekend := day.Weekday() == time.Saturday || day.Weekday() == time.Sunday
			if weekend && result == nil {
				continue
			}
			daily = append(daily, orZero(result))
			opening := j.equityBefore(q, day)
			if opening.Sign() <= 0 {
				known = false
				continue
			}
			returns = append(returns, quo(orZero(result), opening))
		}
	}
	if known {
		return returns, "returns"
	}
	return daily, "money"
}

// equityBefore is the equity of the accounts before an instant.
func (j *Journal) equityBefore(q *Question, at time.Time) *big.Rat {
	equity := j.starting(q)
	for _, s := range j.steps(q) {
		if s.at.Before(at) {
			equity = add(equity, s.amount)
		}
	}
	return equity
}

// fewestDays is the number of days below which there are no daily ratios.
const fewestDays = 20

func sharpe(daily []*big.Rat) any {
	v := variance(daily)
	if len(daily) < fewestDays || v.Sign() == 0 {
		return nil
	}
	m, _ := mean(daily).Float64()
	return m / root(v) * math.Sqrt(tradingDays)
}

func sortino(daily []*big.Rat) any {
	if len(daily) < fewestDays {
		return nil
	}
	squares := make([]*big.Rat, len(daily))
	for i, d := range daily {
		if squares[i] = new(big.Rat); d.Sign() < 0 {
			squares[i] = mul(d, d)
		}
	}
	if mean(squares).Sign() == 0 {
		return nil
	}
	m, _ := mean(daily).Float64()
	return m / root(mean(squares)) * math.Sqrt(tradingDays)
}

// resultsInR are the results of the trades whose risk is known.
func resultsInR(list []*Trade) []*big.Rat {
	var out []*big.Rat
	for _, t := range list {
		if r := t.r(); r != nil {
			out = append(out, r)
		}
	}
	return out
}

// Compared foretells the comparison of two questions.
func (j *Journal) Compared(a, b *Question) Object {
	of, against := j.Selected(a), j.Selected(b)
	sa, sb := j.Summary(a), j.Summary(b)
	less := func(name string) any {
		x, okX := sa[name].(float64)
		y, okY := sb[name].(float64)
		if !okX || !okY {
			return nil
		}
		return x - y
	}
	return Object{"a": sa, "b": sb, "difference": Object{
		"net_pnl": sub(sum(each(of, net)), sum(each(against, net))), "expectancy": sub(average(each(of, net)), average(each(against, net))),
		"win_rate": less("win_rate"), "profit_factor": less("profit_factor"), "payoff_ratio": less("payoff_ratio"), "avg_r": less("avg_r"),
		"p_value": Unsaid{}, "significant": Unsaid{},
	}}
}
