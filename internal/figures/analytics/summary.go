package analytics

import (
	"encoding/json"
	"math"
	"slices"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/parallel"
)

// Summary is the main figures for a selection, and the table of these figures. Losses,
// drawdowns, and averages and medians over losses are positive numbers.
//
// A figure's tags explain it: its formula, the formula with realized results if it
// differs, the figures in it, and the trades behind it, all by default. [Figures] returns
// the table. TestEveryFigureIsEverywhere compares its names with the oracle,
// docs/metrics.md and the page's labels.
type Summary struct {
	TotalTrades int     `json:"total_trades" formula:"number of closed trades" realized:"number of trades with a closing fill in the period"`
	Wins        int     `json:"wins" formula:"number of trades with net_pnl above 0 and beyond the breakeven tolerance" trades:"winners"`
	Losses      int     `json:"losses" formula:"number of trades with net_pnl below 0 and beyond the breakeven tolerance" trades:"losers"`
	Breakeven   int     `json:"breakeven" formula:"number of trades with net_pnl of 0 or within the breakeven tolerance" trades:"breakeven"`
	WinRate     float64 `json:"win_rate" formula:"wins / total_trades" inputs:"wins total_trades"`

	NetPnL       decimal.Decimal `json:"net_pnl" formula:"gross_pnl - total_fees" inputs:"gross_pnl total_fees"`
	GrossPnL     decimal.Decimal `json:"gross_pnl" formula:"sum of gross_pnl of the trades" realized:"sum of the gross results that were realized"`
	TotalFees    decimal.Decimal `json:"total_fees" formula:"sum of fees and commission of the trades" realized:"sum of fees and commission of the closing fills and their shares of the entries' costs"`
	GrossProfit  decimal.Decimal `json:"gross_profit" formula:"sum of net_pnl of the winners" trades:"winners"`
	GrossLoss    decimal.Decimal `json:"gross_loss" formula:"sum of net_pnl of the losers, without sign" trades:"losers"`
	ProfitFactor *float64        `json:"profit_factor" formula:"gross_profit / gross_loss" inputs:"gross_profit gross_loss" trades:"winners_and_losers"`
	PayoffRatio  *float64        `json:"payoff_ratio" formula:"avg_win / avg_loss" inputs:"avg_win avg_loss" trades:"winners_and_losers"`

	AvgWin      decimal.Decimal `json:"avg_win" formula:"gross_profit / wins" inputs:"gross_profit wins" trades:"winners"`
	AvgLoss     decimal.Decimal `json:"avg_loss" formula:"gross_loss / losses" inputs:"gross_loss losses" trades:"losers"`
	AvgTrade    decimal.Decimal `json:"avg_trade" formula:"mean of net_pnl of the trades" inputs:"total_trades"`
	Expectancy  decimal.Decimal `json:"expectancy" formula:"mean of net_pnl of the trades" inputs:"total_trades"`
	MedianWin   decimal.Decimal `json:"median_win" formula:"median of net_pnl of the winners" trades:"winners"`
	MedianLoss  decimal.Decimal `json:"median_loss" formula:"median of net_pnl of the losers, without sign" trades:"losers"`
	MedianTrade decimal.Decimal `json:"median_trade" formula:"median of net_pnl of the trades"`
	LargestWin  decimal.Decimal `json:"largest_win" formula:"greatest net_pnl above 0" trades:"largest_win"`
	LargestLoss decimal.Decimal `json:"largest_loss" formula:"smallest net_pnl below 0, without sign" trades:"largest_loss"`

	KellyPct *float64 `json:"kelly_pct" formula:"(win_rate - losses / total_trades / payoff_ratio) * 100" inputs:"win_rate losses total_trades payoff_ratio"`
	SQN      *float64 `json:"sqn" formula:"sqrt(total_trades, at most 100) * mean / standard deviation: of R if trades_with_r = total_trades, else of net_pnl, with std_dev" inputs:"total_trades trades_with_r net_pnl std_dev"`
	StdDev   float64  `json:"std_dev" formula:"standard deviation of net_pnl, with total_trades - 1" inputs:"total_trades"`
	Sharpe   *float64 `json:"sharpe" formula:"mean / standard deviation of the daily results * sqrt(252), over all weekdays from the first to the last trading day and traded weekend days; results are net_pnl, or net_pnl / opening equity where basis is returns" inputs:"net_pnl trading_days basis"`
	Sortino  *float64 `json:"sortino" formula:"mean of the daily results / sqrt(sum of min(result, 0)^2 / days) * sqrt(252), over the days and the results of sharpe" inputs:"sharpe"`
	// Basis is what Sharpe and Sortino are computed from.
	Basis ReturnBasis `json:"basis" formula:"returns where capital is known and every day opens with an equity above 0, else money"`

	MaxDrawdown          decimal.Decimal `json:"max_drawdown" formula:"greatest fall of the cumulative results below their peak: net_pnl of the trades and, without a filter besides accounts and dates, fees, dividends, interest and adjustments in cash" realized:"greatest fall of the cumulative realized results below their peak: those of the trades and, without a filter besides accounts and dates, fees, dividends, interest and adjustments in cash" trades:"max_drawdown"`
	MaxDrawdownPct       *float64        `json:"max_drawdown_pct" formula:"greatest fall of the time-weighted index below its peak, in percent: each result multiplies the index by 1 + result / equity right before it"`
	MaxConsecutiveWins   int             `json:"max_consecutive_wins" formula:"longest run of wins in the order of closing" realized:"longest run of wins in the order of the trades' last closing fills" trades:"longest_run_of_wins"`
	MaxConsecutiveLosses int             `json:"max_consecutive_losses" formula:"longest run of losses in the order of closing" realized:"longest run of losses in the order of the trades' last closing fills" trades:"longest_run_of_losses"`

	AvgHoldSecs     float64  `json:"avg_hold_secs" formula:"mean of closed_at - opened_at, in seconds" realized:"mean of the last closing fill in the period - opened_at, in seconds" inputs:"total_trades"`
	AvgWinHoldSecs  float64  `json:"avg_win_hold_secs" formula:"mean of closed_at - opened_at of the winners, in seconds" realized:"mean of the last closing fill in the period - opened_at of the winners, in seconds" inputs:"wins" trades:"winners"`
	AvgLossHoldSecs float64  `json:"avg_loss_hold_secs" formula:"mean of closed_at - opened_at of the losers, in seconds" realized:"mean of the last closing fill in the period - opened_at of the losers, in seconds" inputs:"losses" trades:"losers"`
	AvgR            *float64 `json:"avg_r" formula:"mean of net_pnl / initial_risk" inputs:"trades_with_r" trades:"with_r"`
	ExpectancyR     *float64 `json:"expectancy_r" formula:"mean of net_pnl / initial_risk" inputs:"trades_with_r" trades:"with_r"`
	TradesWithR     int      `json:"trades_with_r" formula:"number of trades with an initial risk" trades:"with_r"`

	Volume      decimal.Decimal `json:"volume" formula:"sum of entry and exit notional" realized:"sum of the exit notional and its share of the entry notional"`
	TradingDays int             `json:"trading_days" formula:"number of UTC days with a trade" realized:"number of UTC days with a closing fill"`
	Currency    string          `json:"currency"`

	// Excluded counts closed trades that are in no figure but sums of money.
	Excluded Excluded `json:"excluded"`
	// BreakevenTolerance is the user's setting as stored; null by default.
	BreakevenTolerance json.RawMessage `json:"breakeven_tolerance"`
}

// Excluded counts closed trades that are in no count and no average. Their costs are in
// net_pnl, total_fees and equity.
type Excluded struct {
	Removals int `json:"removals" doc:"Trades that ended only by removals, such as transfers out."`
}

// ReturnBasis is what daily ratios are computed from.
type ReturnBasis string

const (
	// OnReturns is a day's result divided by the equity at its start.
	OnReturns ReturnBasis = "returns"
	// OnMoney is a day's result in money.
	OnMoney ReturnBasis = "money"
)

// Summarize computes a selection's summary.
func Summarize(s *Selection, capital Capital) Summary {
	s, cash := s.withCash(capital)
	return chooseArithmetic(s, summarize[int128], summarize[exact])(s, cash, capital.Currency)
}

func summarize[T number[T]](s *Selection, cash *cashColumn, currency string) Summary {
	counted := s.withoutRemoved()
	parts := readColumn[T](s, netOf)
	countedParts := parts
	if counted != s {
		countedParts = readColumn[T](counted, netOf)
	}
	trades, net, _ := mergeParts(counted, countedParts, nil)
	results := outcomes(trades, net)
	all := tallyGroups(1, nil, net, results)[0]
	out := Summary{
		TotalTrades: all.trades(), Wins: all.wins(), Losses: all.losses(), Breakeven: all.trades() - all.wins() - all.losses(),
		WinRate:      all.winRate(),
		NetPnL:       sumColumn[T](s, netOf).decimal(s.scale),
		GrossProfit:  all.profitSum().decimal(s.scale),
		GrossLoss:    all.lossSum().times(-1).decimal(s.scale),
		ProfitFactor: all.profitFactor(s.scale),
		Currency:     currency,

		BreakevenTolerance: s.filter.Tolerance.Stored,
	}
	if counted != s {
		whole, _, _ := mergeParts(s, parts, nil)
		out.Excluded.Removals = len(whole.picks) - len(trades.picks)
	}
	countedNet := all.net().decimal(s.scale)
	out.computeAverages(countedNet)
	parallel.Run(func() {
		computeDistribution(&out, s, net, results)
		rs, _ := computeMultiples(trades, net)
		out.TradesWithR, out.AvgR = len(rs), meanR(rs)
		out.ExpectancyR = out.AvgR
		computeDeviations(&out, s, net, countedNet, rs)
		out.MaxConsecutiveWins, out.MaxConsecutiveLosses = longestRun(results, win), longestRun(results, loss)
		computeHoldTimes(&out, trades, results)
		out.GrossPnL = sumColumn[T](s, grossOf).decimal(s.scale)
		out.TotalFees = sumColumn[T](s, feesOf).decimal(s.scale)
		out.Volume = sumColumn[T](s, volumeOf).decimal(s.scale)
	}, func() { // the timeline takes about as long as everything else
		t := newTimeline(s, parts, cash)
		computeDailyRatios(&out, t, parts)
		if counted != s {
			out.TradingDays = len(daySums(counted, counted.basisColumn(), countedParts))
		}
		computeMaxDrawdown(&out, t)
	})
	return out
}

// computeAverages computes the averages and ratios from the sums; net is the result of the
// counted trades. The Kelly fraction is p
// − q / payoff, where p and q are the win and loss shares; breakevens are neither.
func (out *Summary) computeAverages(net decimal.Decimal) {
	out.AvgWin, out.AvgLoss = mean(out.GrossProfit, out.Wins), mean(out.GrossLoss, out.Losses)
	out.AvgTrade = mean(net, out.TotalTrades)
	out.Expectancy = out.AvgTrade
	if out.Wins == 0 || out.Losses == 0 {
		return
	}
	// (profit / wins) / (loss / losses), from the sums and not from rounded means.
	payoff := out.GrossProfit.Float64() * float64(out.Losses) / (out.GrossLoss.Float64() * float64(out.Wins))
	kelly := percent * (out.WinRate - fraction(out.Losses, out.TotalTrades)/payoff)
	out.PayoffRatio, out.KellyPct = &payoff, &kelly
}

// computeDistribution computes the medians and extremes.
func computeDistribution[T number[T]](out *Summary, s *Selection, net []T, results []outcome) {
	if len(net) == 0 {
		return
	}
	order := newSortKeys(net)
	all, wins, losses := out.selectKeys(order.keys, results, !s.filter.Tolerance.InR && !s.isConverted())
	median := func(middle []int64) decimal.Decimal {
		return order.decimal(middle[0], s.scale).Add(order.decimal(middle[1], s.scale)).Mul(half())
	}
	out.MedianTrade = median(all)
	if out.Wins > 0 {
		out.MedianWin, out.LargestWin = median(wins), order.decimal(wins[2], s.scale)
	}
	if out.Losses > 0 {
		out.MedianLoss, out.LargestLoss = median(losses).Neg(), order.decimal(losses[2], s.scale).Neg()
	}
}

// selectKeys returns three keys for all trades, wins and losses: the two in the middle and
// the extreme one. If the results are ordered, every loss is below and every win is above
// all other results, and the keys are found together.
func (out *Summary) selectKeys(keys []int64, results []outcome, areOrdered bool) (all, wins, losses []int64) {
	ranks := func(first, n, extreme int) []int {
		last := len(keys) - 1
		return []int{min(first+(n-1)/2, last), min(first+n/2, last), extreme}
	}
	n, last := len(keys), len(keys)-1
	if areOrdered {
		found := selectRanks(keys, slices.Concat(ranks(0, n, last), ranks(n-out.Wins, out.Wins, last), ranks(0, out.Losses, 0))...)
		return found[:3], found[3:6], found[6:]
	}
	if out.Wins > 0 {
		wins = selectRanks(filterByOutcome(results, keys, win), ranks(0, out.Wins, out.Wins-1)...)
	}
	if out.Losses > 0 {
		losses = selectRanks(filterByOutcome(results, keys, loss), ranks(0, out.Losses, 0)...)
	}
	return selectRanks(keys, ranks(0, n, last)...), wins, losses
}

// annualFactor returns the factor from daily to annual ratios.
func annualFactor() float64 {
	const tradingDays = 252
	return math.Sqrt(tradingDays)
}

// computeDeviations computes the standard deviation and the system quality number, which
// is based on R if every trade has one. sum is the sum of net.
func computeDeviations[T number[T]](out *Summary, s *Selection, net []T, sum decimal.Decimal, rs []float64) {
	if len(net) == 0 {
		return
	}
	average := sum.Float64() / float64(len(net))
	out.StdDev = deviationOf(net, average, s.scale)
	if len(rs) == len(net) {
		out.SQN = systemQuality(len(rs), *out.AvgR, standardDeviation(rs, *out.AvgR))
		return
	}
	out.SQN = systemQuality(len(net), average, out.StdDev)
}

// systemQuality returns √n × mean / deviation, with n counted up to 100 so the number
// does not grow just because the history is longer.
func systemQuality(n int, average, deviation float64) *float64 {
	const most = 100
	return divide(math.Sqrt(float64(min(n, most)))*average, deviation)
}

// minRatioDays is the day count below which Sharpe and Sortino are absent.
const minRatioDays = 20

// computeDailyRatios computes Sharpe and Sortino over the weekdays from the first to the
// last trading day in UTC, and traded weekend days. A day without trades counts as 0;
// there may be any number of them, so they are counted and not listed. net are the
// results in the timeline's selection.
func computeDailyRatios[T number[T]](out *Summary, t *timeline[T], net []T) {
	sums := daySums(t.s, t.s.basisColumn(), net)
	out.TradingDays, out.Basis = len(sums), OnMoney
	isKnown := t.isCapitalKnown()
	if len(sums) == 0 {
		if isKnown {
			out.Basis = OnReturns
		}
		return
	}
	days, daily := make([]int64, len(sums)), make([]float64, len(sums))
	n := countWeekdays(sums[0].day, sums[len(sums)-1].day)
	for i := range sums {
		if days[i], daily[i] = sums[i].day, sums[i].sum.float(t.s.scale); !isWeekday(days[i]) {
			n++
		}
	}
	if isKnown {
		closings := sums
		if !t.s.complete || t.s.basis != ByClosing {
			closings = daySums(t.whole, closedOf, t.net)
		}
		if t.cash.exchange != nil {
			if equity, positive := t.convertedOpenings(days); positive {
				out.Basis = OnReturns
				for i := range daily {
					daily[i] /= equity[i]
				}
			}
		} else if equity, positive := t.openingEquities(days, closings); positive {
			out.Basis = OnReturns
			for i := range daily {
				daily[i] /= equity[i].float(t.s.scale)
			}
		}
	}
	if n >= minRatioDays {
		out.Sharpe, out.Sortino = sharpeAndSortino(daily, n)
	}
}

// sharpeAndSortino returns both ratios over n days; unlisted days were 0.
func sharpeAndSortino(daily []float64, n int) (sharpe, sortino *float64) {
	var sum float64
	for _, v := range daily {
		sum += v
	}
	average := sum / float64(n)
	squares, downside := float64(n-len(daily))*average*average, 0.0
	for _, v := range daily {
		squares += (v - average) * (v - average)
		downside += min(v, 0) * min(v, 0)
	}
	if len(daily) < n || !isConstant(daily) {
		sharpe = divide(average*annualFactor(), math.Sqrt(squares/float64(n-1)))
	}
	return sharpe, divide(average*annualFactor(), math.Sqrt(downside/float64(n)))
}

// computeMaxDrawdown computes the greatest fall in the cumulative result, in money and in
// percent.
func computeMaxDrawdown[T number[T]](out *Summary, t *timeline[T]) {
	p := newPerformance(t)
	var results []T
	if t.cash.exchange != nil {
		results = t.applyConverted(&p)
	} else {
		var equity []T
		results, equity = t.listResults()
		t.applyAll(&p, results, equity)
	}
	var zero T
	out.MaxDrawdown, out.MaxDrawdownPct = zero.deepestFall(results).decimal(t.s.scale), p.drawdownPct()
}

// longestRun returns the length of the longest run with an outcome. Any other outcome,
// including breakeven, ends a run.
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

// computeHoldTimes computes the average holding times.
func computeHoldTimes(out *Summary, s *Selection, results []outcome) {
	var sums [outcomeCount]int128
	rest := results
	for picks := s.picks; len(picks) > 0; {
		run := firstRun(picks)
		page := s.pages[run[0].source]
		for i, p := range run {
			at := rest[i] - loss
			sums[at] = sums[at].add(newInt128(page.closed[p.row] - page.opened[p.row]))
		}
		picks, rest = picks[len(run):], rest[len(run):]
	}
	out.AvgHoldSecs = meanSeconds(sums[0].add(sums[1]).add(sums[2]), out.TotalTrades)
	out.AvgWinHoldSecs = meanSeconds(sums[win-loss], out.Wins)
	out.AvgLossHoldSecs = meanSeconds(sums[0], out.Losses)
}

// meanSeconds returns the mean over n values in seconds, given their sum in microseconds.
// It is 0 if n is 0.
func meanSeconds(micros int128, n int) float64 {
	if n == 0 {
		return 0
	}
	const microScale = 6
	return micros.float(microScale) / float64(n)
}

// computeMultiples returns the results in units of initial risk, and their trades: those
// with a known risk above zero.
func computeMultiples[T number[T]](s *Selection, net []T) (rs []float64, trades []int32) {
	net = ownResults(s, net)
	risk, known := readOptionalColumn[T](s, riskOf)
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
	return divide(sum, float64(len(rs)))
}
