package analytics

import (
	"math"
	"slices"
	"time"

	"fillbook/internal/decimal"
)

// Summary is the figures of a selection at a glance. Losses, drawdowns and the
// averages and medians of losses are positive numbers.
type Summary struct {
	TotalTrades int     `json:"total_trades"`
	Wins        int     `json:"wins"`
	Losses      int     `json:"losses"`
	Breakeven   int     `json:"breakeven"`
	WinRate     float64 `json:"win_rate"`

	NetPnL       decimal.Decimal `json:"net_pnl"`
	GrossPnL     decimal.Decimal `json:"gross_pnl"`
	TotalFees    decimal.Decimal `json:"total_fees"`
	GrossProfit  decimal.Decimal `json:"gross_profit"`
	GrossLoss    decimal.Decimal `json:"gross_loss"`
	ProfitFactor *float64        `json:"profit_factor"`
	PayoffRatio  *float64        `json:"payoff_ratio"`

	AvgWin      decimal.Decimal `json:"avg_win"`
	AvgLoss     decimal.Decimal `json:"avg_loss"`
	AvgTrade    decimal.Decimal `json:"avg_trade"`
	Expectancy  decimal.Decimal `json:"expectancy"`
	MedianWin   decimal.Decimal `json:"median_win"`
	MedianLoss  decimal.Decimal `json:"median_loss"`
	MedianTrade decimal.Decimal `json:"median_trade"`
	LargestWin  decimal.Decimal `json:"largest_win"`
	LargestLoss decimal.Decimal `json:"largest_loss"`

	KellyPct *float64 `json:"kelly_pct"`
	SQN      *float64 `json:"sqn"`
	StdDev   float64  `json:"std_dev"`
	Sharpe   *float64 `json:"sharpe"`
	Sortino  *float64 `json:"sortino"`

	MaxDrawdown          decimal.Decimal `json:"max_drawdown"`
	MaxDrawdownPct       *float64        `json:"max_drawdown_pct"`
	MaxConsecutiveWins   int             `json:"max_consecutive_wins"`
	MaxConsecutiveLosses int             `json:"max_consecutive_losses"`

	AvgHoldSecs     float64  `json:"avg_hold_secs"`
	AvgWinHoldSecs  float64  `json:"avg_win_hold_secs"`
	AvgLossHoldSecs float64  `json:"avg_loss_hold_secs"`
	AvgR            *float64 `json:"avg_r"`
	ExpectancyR     *float64 `json:"expectancy_r"`
	TradesWithR     int      `json:"trades_with_r"`

	Volume      decimal.Decimal `json:"volume"`
	TradingDays int             `json:"trading_days"`
	Currency    string          `json:"currency"`
}

// Capital is what the trades of a selection stand on.
type Capital struct {
	// Starting is the sum of the accounts' starting balances.
	Starting decimal.Decimal
	// Currency is the one that all amounts are in.
	Currency string
}

// Summarize computes the summary of a selection.
func Summarize(s *Selection, capital Capital) Summary {
	if s.unbounded {
		return summarize[exact](s, capital)
	}
	return summarize[int128](s, capital)
}

func summarize[T number[T]](s *Selection, capital Capital) Summary {
	parts := column[T](s, netOf)
	trades, net, _ := mergeParts(s, parts, nil)
	var all tally[T]
	for _, v := range net {
		all.add(v)
	}
	out := Summary{
		TotalTrades: all.trades(), Wins: all.wins(), Losses: all.losses(), Breakeven: all.trades() - all.wins() - all.losses(),
		WinRate:      all.winRate(),
		NetPnL:       all.net().decimal(s.scale),
		GrossPnL:     totalOf[T](s, grossOf).decimal(s.scale),
		TotalFees:    totalOf[T](s, feesOf).decimal(s.scale),
		Volume:       totalOf[T](s, volumeOf).decimal(s.scale),
		GrossProfit:  all.profit().decimal(s.scale),
		GrossLoss:    all.lost().times(-1).decimal(s.scale),
		ProfitFactor: all.profitFactor(s.scale),
		Currency:     capital.Currency,
	}
	out.averages()
	distribution(&out, net, s.scale)
	deviations(&out, s, net, parts)
	falls := fallsOf(parts, s.scale, capital.Starting)
	out.MaxDrawdown, out.MaxDrawdownPct = falls.deepest.decimal(s.scale), falls.pct()
	results := outcomes(net)
	out.MaxConsecutiveWins, out.MaxConsecutiveLosses = longestRun(results, win), longestRun(results, loss)
	holds(&out, trades, results)
	rs, _ := multiples(trades, net)
	out.TradesWithR, out.AvgR = len(rs), meanR(rs)
	out.ExpectancyR = out.AvgR
	return out
}

// averages follow from the sums. The Kelly fraction is W − (1 − W) / payoff.
func (out *Summary) averages() {
	out.AvgWin, out.AvgLoss = mean(out.GrossProfit, out.Wins), mean(out.GrossLoss, out.Losses)
	out.AvgTrade = mean(out.NetPnL, out.TotalTrades)
	out.Expectancy = out.AvgTrade
	if out.Wins == 0 || out.Losses == 0 {
		return
	}
	// (profit / wins) / (loss / losses), from the sums and not from rounded means.
	payoff := out.GrossProfit.Float64() * float64(out.Losses) / (out.GrossLoss.Float64() * float64(out.Wins))
	kelly := percent * (out.WinRate - (1-out.WinRate)/payoff)
	out.PayoffRatio, out.KellyPct = &payoff, &kelly
}

// distribution finds the medians and extremes.
func distribution[T number[T]](out *Summary, net []T, scale int32) {
	order := orderOf(net)
	median := func(keys []int64) decimal.Decimal {
		low, high := middle(keys)
		return order.decimal(low, scale).Add(order.decimal(high, scale)).Mul(half())
	}
	if len(net) > 0 {
		out.MedianTrade = median(order.keys)
	}
	results := outcomes(net)
	if out.Wins > 0 {
		wins := only(results, order.keys, win)
		out.MedianWin, out.LargestWin = median(wins), order.decimal(slices.Max(wins), scale)
	}
	if out.Losses > 0 {
		losses := only(results, order.keys, loss)
		out.MedianLoss, out.LargestLoss = median(losses).Neg(), order.decimal(slices.Min(losses), scale).Neg()
	}
}

// yearly is the factor from daily to annual ratios.
func yearly() float64 {
	const tradingDays = 252
	return math.Sqrt(tradingDays)
}

// deviations computes what needs the spread of results: over trades, and over
// the trading days in UTC. parts are the results in the order of time, which days
// are made of.
func deviations[T number[T]](out *Summary, s *Selection, net, parts []T) {
	if len(net) == 0 {
		return
	}
	sum, n := out.NetPnL.Float64(), float64(len(net))
	out.StdDev = deviation(floats(net, s.scale), sum/n)
	out.SQN = over(math.Sqrt(n)*sum/n, out.StdDev)

	days := dayNets(s, newClock(time.UTC), parts)
	out.TradingDays = len(days)
	daily := floats(days, s.scale)
	average := sum / float64(len(days))
	out.Sharpe = over(average*yearly(), deviation(daily, average))
	var squares float64
	red := 0
	for _, v := range daily {
		if v < 0 {
			squares += v * v
			red++
		}
	}
	if red > 0 {
		out.Sortino = over(average*yearly(), math.Sqrt(squares/float64(red)))
	}
}

// longestRun is the longest run of one outcome. Any other outcome ends a run, a
// breakeven too.
func longestRun(results []outcome, of outcome) int {
	longest, run := 0, 0
	for _, result := range results {
		same := 0
		if result == of {
			same = 1
		}
		run = (run + 1) * same
		longest = max(longest, run)
	}
	return longest
}

// holds averages the time in trade.
func holds(out *Summary, s *Selection, results []outcome) {
	var sums [3]int128
	for i, result := range results {
		at := result - loss
		sums[at] = sums[at].add(int128Of(s.closed(i) - s.opened(i)))
	}
	out.AvgHoldSecs = seconds(sums[0].add(sums[1]).add(sums[2]), out.TotalTrades)
	out.AvgWinHoldSecs = seconds(sums[win-loss], out.Wins)
	out.AvgLossHoldSecs = seconds(sums[0], out.Losses)
}

// seconds is a mean of microseconds in seconds, 0 of nothing.
func seconds(micros int128, n int) float64 {
	if n == 0 {
		return 0
	}
	const microScale = 6
	return micros.float(microScale) / float64(n)
}

// multiples gives the results in units of the initial risk, and the trades that
// have one: those with a known risk above zero.
func multiples[T number[T]](s *Selection, net []T) (rs []float64, trades []int32) {
	risk, known := optionalColumn[T](s, riskOf)
	rs, trades = make([]float64, 0, len(known)), make([]int32, 0, len(known))
	for k, i := range known {
		if risk[k].sign() > 0 {
			rs = append(rs, net[i].float(s.scale)/risk[k].float(s.scale))
			trades = append(trades, i)
		}
	}
	return rs, trades
}

func meanR(rs []float64) *float64 {
	var sum float64
	for _, r := range rs {
		sum += r
	}
	return over(sum, float64(len(rs)))
}
