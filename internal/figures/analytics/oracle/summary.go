package oracle

import (
	"math"
	"math/big"
	"time"
)

// tradingDays is the number of days per year for annualized ratios.
const tradingDays = 252

// Summary predicts the summary.
func (j *Journal) Summary(q *Question) Object {
	parts := j.SelectTrades(q)
	whole := mergeParts(parts)
	list := listCounting(whole)
	wins, losses := filterTrades(list, (*Trade).isWin), filterTrades(list, (*Trade).isLoss)
	won, lost := mapTrades(wins, net), mapTrades(losses, func(t *Trade) *big.Rat { return neg(t.Net) })
	nets := mapTrades(list, net)
	payoff := divide(mean(won), mean(lost))
	deepest, pct := j.maxDrawdown(q)
	r := resultsInR(list)
	out := Object{
		"total_trades": len(list), "wins": len(wins), "losses": len(losses), "breakeven": len(list) - len(wins) - len(losses),
		"win_rate": float(orZero(share(len(wins), len(list)))),
		"net_pnl":  sum(mapTrades(whole, net)), "gross_pnl": sum(mapTrades(whole, func(t *Trade) *big.Rat { return t.Gross })),
		"total_fees":   sum(mapTrades(whole, func(t *Trade) *big.Rat { return t.Fees })),
		"volume":       sum(mapTrades(whole, volume)),
		"excluded":     Object{"removals": len(whole) - len(list)},
		"gross_profit": sum(won), "gross_loss": sum(lost), "profit_factor": float(divide(sum(won), sum(lost))), "payoff_ratio": float(payoff),
		"avg_win": average(won), "avg_loss": average(lost), "avg_trade": average(nets), "expectancy": average(nets),
		"median_win": orZero(median(won)), "median_loss": orZero(median(lost)), "median_trade": orZero(median(nets)),
		"largest_win": greatest(won), "largest_loss": greatest(lost),
		"kelly_pct": kellyPct(len(wins), len(losses), len(list), payoff), "std_dev": squareRoot(orZero(variance(nets))), "sqn": systemQuality(nets),
		"max_drawdown": deepest, "max_drawdown_pct": pct,
		"max_consecutive_wins": longest(listMatches(list, (*Trade).isWin)), "max_consecutive_losses": longest(listMatches(list, (*Trade).isLoss)),
		"avg_hold_secs": float(orZero(mean(mapTrades(list, hold)))), "avg_win_hold_secs": float(orZero(mean(mapTrades(wins, hold)))),
		"avg_loss_hold_secs": float(orZero(mean(mapTrades(losses, hold)))),
		"avg_r":              float(mean(r)), "expectancy_r": float(mean(r)), "trades_with_r": len(r),
		"currency": j.currency(q), "breakeven_tolerance": j.Tolerance,
		"trading_days": len(byDay(listCounting(parts), q.basis, time.UTC)),
	}
	if len(r) > 0 && len(r) == len(list) {
		out["sqn"] = systemQuality(r)
	}
	daily, basis := j.dailyResults(q)
	out["basis"], out["sharpe"], out["sortino"] = basis, sharpe(daily), sortino(daily)
	return out
}

func listMatches(list []*Trade, holds func(*Trade) bool) []bool {
	out := make([]bool, len(list))
	for i, t := range list {
		out[i] = holds(t)
	}
	return out
}

func kellyPct(wins, losses, trades int, payoff *big.Rat) any {
	if payoff == nil {
		return nil
	}
	return float(mul(sub(share(wins, trades), quo(share(losses, trades), payoff)), whole(100)))
}

// systemQuality returns the system quality number: √n times the mean over the
// deviation, in which n is at most 100.
func systemQuality(values []*big.Rat) any {
	v := variance(values)
	if v == nil || v.Sign() == 0 {
		return nil
	}
	m, _ := mean(values).Float64()
	return math.Sqrt(math.Min(100, float64(len(values)))) * m / squareRoot(v)
}

// dailyResults returns the results on weekdays from the first to the last trading day,
// and on weekend days with trades: the returns on each day's opening equity, or else the
// money.
func (j *Journal) dailyResults(q *Question) (daily []*big.Rat, basis string) {
	traded := map[string]*big.Rat{}
	days := byDay(j.SelectTrades(q), q.basis, time.UTC)
	for _, d := range days {
		traded[d.date] = d.net()
	}
	known := j.isCapitalKnown(q)
	var returns []*big.Rat
	if len(days) > 0 {
		day, _ := time.Parse(time.DateOnly, days[0].date) // a date formatted by this package
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

// equityBefore returns the accounts' equity before an instant.
func (j *Journal) equityBefore(q *Question, at time.Time) *big.Rat {
	equity := j.startingBalance(q)
	for _, s := range j.listSteps(q) {
		if s.at.Before(at) {
			equity = add(equity, s.amount)
		}
	}
	return equity
}

// minRatioDays is the day count below which there are no daily ratios.
const minRatioDays = 20

func sharpe(daily []*big.Rat) any {
	v := variance(daily)
	if len(daily) < minRatioDays || v.Sign() == 0 {
		return nil
	}
	m, _ := mean(daily).Float64()
	return m / squareRoot(v) * math.Sqrt(tradingDays)
}

func sortino(daily []*big.Rat) any {
	if len(daily) < minRatioDays {
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
	return m / squareRoot(mean(squares)) * math.Sqrt(tradingDays)
}

// resultsInR returns the results in R for trades with a known risk.
func resultsInR(list []*Trade) []*big.Rat {
	var out []*big.Rat
	for _, t := range list {
		if r := t.r(); r != nil {
			out = append(out, r)
		}
	}
	return out
}

// Compare predicts the comparison between two questions.
func (j *Journal) Compare(a, b *Question) Object {
	of, against := j.SelectTrades(a), j.SelectTrades(b)
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
		"net_pnl": sub(sum(mapTrades(of, net)), sum(mapTrades(against, net))), "expectancy": sub(average(mapTrades(listCounting(of), net)), average(mapTrades(listCounting(against), net))),
		"win_rate": less("win_rate"), "profit_factor": less("profit_factor"), "payoff_ratio": less("payoff_ratio"), "avg_r": less("avg_r"),
		"interval": differenceInterval(a, b, listCounting(of), listCounting(against)), "p_value": Unpredicted{}, "significant": Unpredicted{},
	}}
}
