package analytics

import (
	"slices"
	"strings"

	"fillbook/internal/journal"
)

// Explanation tells how a figure of the summary came about: its formula, what
// went into it, and which trades stand behind it.
type Explanation struct {
	Figure  string  `json:"figure"`
	Formula string  `json:"formula"`
	Value   any     `json:"value"`
	Inputs  []Input `json:"inputs"`
	// Which names the trades behind the figure, and Trades are their numbers in
	// the selection, in the order of closing; see Selection.ID.
	Which  TradeSet `json:"which"`
	Trades []int    `json:"-"`
}

// Input is a named value of a formula.
type Input struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// TradeSet names some trades of a selection.
type TradeSet string

// The sets of trades that figures are made of.
const (
	AllTrades     TradeSet = "all"
	Winners       TradeSet = "winners"
	Losers        TradeSet = "losers"
	Scratches     TradeSet = "breakeven"
	Decided       TradeSet = "winners_and_losers"
	LargestWinner TradeSet = "largest_win"
	LargestLoser  TradeSet = "largest_loss"
	WithRisk      TradeSet = "with_r"
	InDrawdown    TradeSet = "max_drawdown"
	LongestWins   TradeSet = "longest_run_of_wins"
	LongestLosses TradeSet = "longest_run_of_losses"
)

// figure is a row of the table of formulas.
type figure struct {
	name, formula string
	inputs        []string
	which         TradeSet
	value         func(*Summary) any
}

// figures is the table. Inputs are themselves figures, so that a reader can ask
// on until nothing but trades is left.
func figures() []figure {
	return []figure{
		{"total_trades", "number of closed trades", nil, AllTrades, func(s *Summary) any { return s.TotalTrades }},
		{"wins", "number of trades with net_pnl above 0 and beyond the breakeven tolerance", nil, Winners, func(s *Summary) any { return s.Wins }},
		{"losses", "number of trades with net_pnl below 0 and beyond the breakeven tolerance", nil, Losers, func(s *Summary) any { return s.Losses }},
		{"breakeven", "number of trades with net_pnl of 0 or within the breakeven tolerance", nil, Scratches, func(s *Summary) any { return s.Breakeven }},
		{"win_rate", "wins / total_trades", []string{"wins", "total_trades"}, AllTrades, func(s *Summary) any { return s.WinRate }},
		{"net_pnl", "gross_pnl - total_fees", []string{"gross_pnl", "total_fees"}, AllTrades, func(s *Summary) any { return s.NetPnL }},
		{"gross_pnl", "sum of gross_pnl of the trades", nil, AllTrades, func(s *Summary) any { return s.GrossPnL }},
		{"total_fees", "sum of fees and commission of the trades", nil, AllTrades, func(s *Summary) any { return s.TotalFees }},
		{"gross_profit", "sum of net_pnl of the winners", nil, Winners, func(s *Summary) any { return s.GrossProfit }},
		{"gross_loss", "sum of net_pnl of the losers, without sign", nil, Losers, func(s *Summary) any { return s.GrossLoss }},
		{"profit_factor", "gross_profit / gross_loss", []string{"gross_profit", "gross_loss"}, Decided, func(s *Summary) any { return s.ProfitFactor }},
		{"payoff_ratio", "avg_win / avg_loss", []string{"avg_win", "avg_loss"}, Decided, func(s *Summary) any { return s.PayoffRatio }},
		{"avg_win", "gross_profit / wins", []string{"gross_profit", "wins"}, Winners, func(s *Summary) any { return s.AvgWin }},
		{"avg_loss", "gross_loss / losses", []string{"gross_loss", "losses"}, Losers, func(s *Summary) any { return s.AvgLoss }},
		{"avg_trade", "net_pnl / total_trades", []string{"net_pnl", "total_trades"}, AllTrades, func(s *Summary) any { return s.AvgTrade }},
		{"expectancy", "net_pnl / total_trades", []string{"net_pnl", "total_trades"}, AllTrades, func(s *Summary) any { return s.Expectancy }},
		{"median_win", "median of net_pnl of the winners", nil, Winners, func(s *Summary) any { return s.MedianWin }},
		{"median_loss", "median of net_pnl of the losers, without sign", nil, Losers, func(s *Summary) any { return s.MedianLoss }},
		{"median_trade", "median of net_pnl of the trades", nil, AllTrades, func(s *Summary) any { return s.MedianTrade }},
		{"largest_win", "greatest net_pnl above 0", nil, LargestWinner, func(s *Summary) any { return s.LargestWin }},
		{"largest_loss", "smallest net_pnl below 0, without sign", nil, LargestLoser, func(s *Summary) any { return s.LargestLoss }},
		{"kelly_pct", "(win_rate - losses / total_trades / payoff_ratio) * 100", []string{"win_rate", "losses", "total_trades", "payoff_ratio"}, AllTrades, func(s *Summary) any { return s.KellyPct }},
		{"sqn", "sqrt(total_trades, at most 100) * mean / standard deviation: of R if trades_with_r = total_trades, else of net_pnl, with std_dev", []string{"total_trades", "trades_with_r", "net_pnl", "std_dev"}, AllTrades, func(s *Summary) any { return s.SQN }},
		{"std_dev", "standard deviation of net_pnl, with total_trades - 1", []string{"total_trades"}, AllTrades, func(s *Summary) any { return s.StdDev }},
		{"sharpe", "mean / standard deviation of the daily results * sqrt(252), over all weekdays from the first to the last trading day and traded weekend days; results are net_pnl, or net_pnl / opening equity where basis is returns", []string{"net_pnl", "trading_days", "basis"}, AllTrades, func(s *Summary) any { return s.Sharpe }},
		{"sortino", "mean of the daily results / sqrt(sum of min(result, 0)^2 / days) * sqrt(252), over the days and the results of sharpe", []string{"sharpe"}, AllTrades, func(s *Summary) any { return s.Sortino }},
		{"basis", "returns where capital is known and every day opens with an equity above 0, else money", nil, AllTrades, func(s *Summary) any { return s.Basis }},
		{"max_drawdown", "greatest fall of the cumulative results below their peak: net_pnl of the trades and, without a filter besides accounts and dates, fees, dividends, interest and adjustments in cash", nil, InDrawdown, func(s *Summary) any { return s.MaxDrawdown }},
		{"max_drawdown_pct", "greatest fall of the time-weighted index below its peak, in percent: each result multiplies the index by 1 + result / equity right before it", nil, AllTrades, func(s *Summary) any { return s.MaxDrawdownPct }},
		{"max_consecutive_wins", "longest run of wins in the order of closing", nil, LongestWins, func(s *Summary) any { return s.MaxConsecutiveWins }},
		{"max_consecutive_losses", "longest run of losses in the order of closing", nil, LongestLosses, func(s *Summary) any { return s.MaxConsecutiveLosses }},
		{"avg_hold_secs", "mean of closed_at - opened_at, in seconds", []string{"total_trades"}, AllTrades, func(s *Summary) any { return s.AvgHoldSecs }},
		{"avg_win_hold_secs", "mean of closed_at - opened_at of the winners, in seconds", []string{"wins"}, Winners, func(s *Summary) any { return s.AvgWinHoldSecs }},
		{"avg_loss_hold_secs", "mean of closed_at - opened_at of the losers, in seconds", []string{"losses"}, Losers, func(s *Summary) any { return s.AvgLossHoldSecs }},
		{"avg_r", "mean of net_pnl / initial_risk", []string{"trades_with_r"}, WithRisk, func(s *Summary) any { return s.AvgR }},
		{"expectancy_r", "mean of net_pnl / initial_risk", []string{"trades_with_r"}, WithRisk, func(s *Summary) any { return s.ExpectancyR }},
		{"trades_with_r", "number of trades with an initial risk", nil, WithRisk, func(s *Summary) any { return s.TradesWithR }},
		{"volume", "sum of entry and exit notional", nil, AllTrades, func(s *Summary) any { return s.Volume }},
		{"trading_days", "number of UTC days with a trade", nil, AllTrades, func(s *Summary) any { return s.TradingDays }},
	}
}

// Explain explains a figure of the summary.
func Explain(s *Selection, capital Capital, name string) (Explanation, error) {
	table := figures()
	at := slices.IndexFunc(table, func(f figure) bool { return f.name == name })
	if at < 0 {
		return Explanation{}, journal.InvalidField("figure", "figure must be one of %s.", strings.Join(Explainable(), ", "))
	}
	summary := Summarize(s, capital)
	f := &table[at]
	out := Explanation{Figure: f.name, Formula: f.formula, Value: f.value(&summary), Inputs: []Input{}, Which: f.which}
	for _, input := range f.inputs {
		source := slices.IndexFunc(table, func(f figure) bool { return f.name == input })
		out.Inputs = append(out.Inputs, Input{input, table[source].value(&summary)})
	}
	if f.name == "max_drawdown_pct" {
		out.Inputs = append(out.Inputs, Input{"starting_balance", capital.Starting})
	}
	out.Trades = s.members(capital, f.which)
	return out, nil
}

// members lists the trades of a set.
func (s *Selection) members(capital Capital, which TradeSet) []int {
	s, cash := s.withCash(capital)
	if s.unbounded {
		return members[exact](s, cash, which)
	}
	return members[int128](s, cash, which)
}

func members[T number[T]](s *Selection, cash *cashColumn, which TradeSet) []int {
	net := column[T](s, netOf)
	results := outcomes(s, net)
	switch which {
	case Winners:
		return places(len(net), func(i int) bool { return results[i] == win })
	case Losers:
		return places(len(net), func(i int) bool { return results[i] == loss })
	case Scratches:
		return places(len(net), func(i int) bool { return results[i] == breakeven })
	case Decided:
		return places(len(net), func(i int) bool { return results[i] != breakeven })
	case LargestWinner:
		return extreme(net, results, win)
	case LargestLoser:
		return extreme(net, results, loss)
	case WithRisk:
		_, known := multiples(s, net)
		return places(len(net), func(i int) bool {
			_, has := slices.BinarySearch(known, int32(i))
			return has
		})
	case InDrawdown:
		return deepestFall(resultsOf[T](s, cash))
	case LongestWins:
		return runOf(results, win)
	case LongestLosses:
		return runOf(results, loss)
	case AllTrades:
	}
	return places(len(net), func(int) bool { return true })
}

func places(n int, are func(i int) bool) []int {
	list := []int{}
	for i := range n {
		if are(i) {
			list = append(list, i)
		}
	}
	return list
}

// extreme is the first trade with the greatest result of an outcome.
func extreme[T number[T]](net []T, results []outcome, of outcome) []int {
	best := []int{}
	var most T
	for i, v := range net {
		if signed := v.times(int64(of)); results[i] == of && signed.cmp(most) > 0 {
			most, best = signed, []int{i}
		}
	}
	return best
}

// deepestFall lists the trades from the peak, without the one that made it, to
// the bottom of the deepest drawdown.
func deepestFall[T number[T]](all results[T]) []int {
	list := []int{}
	found := episodes(all.amount)
	if len(found) == 0 {
		return list
	}
	deepest := slices.MaxFunc(found, func(a, b fall[T]) int { return a.depth.cmp(b.depth) })
	for _, trade := range all.trade[deepest.began : deepest.trough+1] {
		if trade != nowhere {
			list = append(list, int(trade))
		}
	}
	return list
}

// runOf is the first of the longest runs of an outcome.
func runOf(results []outcome, of outcome) []int {
	longest, run := longestRun(results, of), 0
	for i, result := range results {
		if result != of {
			run = 0
			continue
		}
		if run++; run == longest {
			return places(i+1, func(k int) bool { return k > i-longest })
		}
	}
	return []int{}
}
