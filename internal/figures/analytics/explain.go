package analytics

import (
	"slices"

	"fillbook/internal/base/journal"
)

// Explanation is the derivation of one figure of the summary: its formula, the
// values that enter it, and the trades that it is computed from.
type Explanation struct {
	Figure  string  `json:"figure"`
	Formula string  `json:"formula"`
	Value   any     `json:"value"`
	Inputs  []Input `json:"inputs"`
	// Which names the set of trades that the figure is computed from. TradeCount
	// is their number, and TradeIDs are the first of them in the order
	// of closing.
	Which      TradeSet          `json:"which"`
	TradeCount int               `json:"trade_count"`
	TradeIDs   []journal.TradeID `json:"trade_ids" doc:"The first 100 of the trades behind the figure."`
}

// Input is a named value of a formula.
type Input struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// TradeSet names some trades of a selection.
type TradeSet string

// The sets of trades that figures are computed from.
const (
	AllTrades        TradeSet = "all"
	Winners          TradeSet = "winners"
	Losers           TradeSet = "losers"
	Breakevens       TradeSet = "breakeven"
	WinnersAndLosers TradeSet = "winners_and_losers"
	LargestWinner    TradeSet = "largest_win"
	LargestLoser     TradeSet = "largest_loss"
	WithRisk         TradeSet = "with_r"
	InDrawdown       TradeSet = "max_drawdown"
	LongestWins      TradeSet = "longest_run_of_wins"
	LongestLosses    TradeSet = "longest_run_of_losses"
)

// figureFormula is the formula of one figure.
type figureFormula struct {
	name, formula string
	inputs        []string
	which         TradeSet
	value         func(*Summary) any
}

// figureFormulas returns the table of formulas. Inputs are figures too, so that a
// reader can follow them down to the trades.
func figureFormulas() []figureFormula {
	return []figureFormula{
		{"total_trades", "number of closed trades", nil, AllTrades, func(s *Summary) any { return s.TotalTrades }},
		{"wins", "number of trades with net_pnl above 0 and beyond the breakeven tolerance", nil, Winners, func(s *Summary) any { return s.Wins }},
		{"losses", "number of trades with net_pnl below 0 and beyond the breakeven tolerance", nil, Losers, func(s *Summary) any { return s.Losses }},
		{"breakeven", "number of trades with net_pnl of 0 or within the breakeven tolerance", nil, Breakevens, func(s *Summary) any { return s.Breakeven }},
		{"win_rate", "wins / total_trades", []string{"wins", "total_trades"}, AllTrades, func(s *Summary) any { return s.WinRate }},
		{"net_pnl", "gross_pnl - total_fees", []string{"gross_pnl", "total_fees"}, AllTrades, func(s *Summary) any { return s.NetPnL }},
		{"gross_pnl", "sum of gross_pnl of the trades", nil, AllTrades, func(s *Summary) any { return s.GrossPnL }},
		{"total_fees", "sum of fees and commission of the trades", nil, AllTrades, func(s *Summary) any { return s.TotalFees }},
		{"gross_profit", "sum of net_pnl of the winners", nil, Winners, func(s *Summary) any { return s.GrossProfit }},
		{"gross_loss", "sum of net_pnl of the losers, without sign", nil, Losers, func(s *Summary) any { return s.GrossLoss }},
		{"profit_factor", "gross_profit / gross_loss", []string{"gross_profit", "gross_loss"}, WinnersAndLosers, func(s *Summary) any { return s.ProfitFactor }},
		{"payoff_ratio", "avg_win / avg_loss", []string{"avg_win", "avg_loss"}, WinnersAndLosers, func(s *Summary) any { return s.PayoffRatio }},
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

// maxExplainedIDs is the most trades that an explanation lists by id.
const maxExplainedIDs = 100

// ExplainSummary returns the explanations of all figures of a summary, in its
// order. The summary must be that of the selection. Each set of trades is looked
// up once, however many figures share it.
func ExplainSummary(s *Selection, capital Capital, summary *Summary) []Explanation {
	table := figureFormulas()
	values := make(map[string]any, len(table))
	for i := range table {
		values[table[i].name] = table[i].value(summary)
	}
	sets := s.tradeSets(capital)
	list := make([]Explanation, len(table))
	for i := range table {
		f := &table[i]
		e := Explanation{Figure: f.name, Formula: f.formula, Value: values[f.name], Inputs: []Input{}, Which: f.which}
		if formula, differs := realizedFormulas[f.name]; differs && s.parts {
			e.Formula = formula
		}
		for _, name := range f.inputs {
			e.Inputs = append(e.Inputs, Input{name, values[name]})
		}
		if f.name == "max_drawdown_pct" {
			e.Inputs = append(e.Inputs, Input{"starting_balance", capital.Starting})
		}
		set := sets.find(f.which)
		e.TradeCount, e.TradeIDs = set.count, set.ids
		list[i] = e
	}
	return list
}

// tradeSets looks up the trades of sets, each set once.
type tradeSets struct {
	s       *Selection
	members func(which TradeSet) tradeList
	found   map[TradeSet]explainedSet
}

// tradeList is the number of some trades of a selection, and the indexes of
// the first of them in the order of closing.
type tradeList struct {
	count int
	first []int
}

// explainedSet is a set of trades as an explanation shows it.
type explainedSet struct {
	count int
	ids   []journal.TradeID
}

func (s *Selection) tradeSets(capital Capital) *tradeSets {
	s, cash := s.withCash(capital)
	sets := &tradeSets{found: map[TradeSet]explainedSet{}}
	if s.unbounded {
		sets.s, sets.members = newMemberLister[exact](s, cash)
	} else {
		sets.s, sets.members = newMemberLister[int128](s, cash)
	}
	return sets
}

// find returns the trades of a set.
func (t *tradeSets) find(which TradeSet) explainedSet {
	if set, known := t.found[which]; known {
		return set
	}
	list := t.members(which)
	set := explainedSet{count: list.count, ids: make([]journal.TradeID, len(list.first))}
	for k, i := range list.first {
		set.ids[k] = t.s.ID(i)
	}
	t.found[which] = set
	return set
}

// newMemberLister returns a function that lists the trades of a set, and the selection
// that has one row for each trade. Results are read once for all sets.
func newMemberLister[T number[T]](s *Selection, cash *cashColumn) (trades *Selection, list func(which TradeSet) tradeList) {
	trades, net, _ := mergeParts(s, readColumn[T](s, netOf), nil)
	results := outcomes(trades, net)
	return trades, func(which TradeSet) tradeList {
		if which == InDrawdown {
			return s.listTradesAt(trades, findDeepestFall(collectResults[T](s, cash)))
		}
		return listMembers(trades, net, results, which)
	}
}

// listMembers lists the trades of a set other than InDrawdown, which also depends on
// cash.
func listMembers[T number[T]](s *Selection, net []T, results []outcome, which TradeSet) tradeList {
	switch which {
	case Winners:
		return listWhere(len(net), func(i int) bool { return results[i] == win })
	case Losers:
		return listWhere(len(net), func(i int) bool { return results[i] == loss })
	case Breakevens:
		return listWhere(len(net), func(i int) bool { return results[i] == breakeven })
	case WinnersAndLosers:
		return listWhere(len(net), func(i int) bool { return results[i] != breakeven })
	case LargestWinner:
		return findExtreme(net, results, win)
	case LargestLoser:
		return findExtreme(net, results, loss)
	case WithRisk:
		_, known := computeMultiples(s, net)
		list := tradeList{}
		for _, i := range known {
			list.add(int(i))
		}
		return list
	case LongestWins:
		return findLongestRun(results, win)
	case LongestLosses:
		return findLongestRun(results, loss)
	case AllTrades, InDrawdown:
	}
	return listWhere(len(net), func(int) bool { return true })
}

// add adds a trade by its index in the selection.
func (l *tradeList) add(place int) {
	if l.count < maxExplainedIDs {
		l.first = append(l.first, place)
	}
	l.count++
}

func listWhere(n int, are func(i int) bool) tradeList {
	var list tradeList
	for i := range n {
		if are(i) {
			list.add(i)
		}
	}
	return list
}

// findExtreme returns the first trade with the greatest result of an outcome.
func findExtreme[T number[T]](net []T, results []outcome, of outcome) tradeList {
	best := nowhere
	var most T
	for i, v := range net {
		if signed := v.times(int64(of)); results[i] == of && signed.cmp(most) > 0 {
			most, best = signed, i
		}
	}
	if best == nowhere {
		return tradeList{}
	}
	return tradeList{count: 1, first: []int{best}}
}

// findDeepestFall returns the rows of the selection after the peak,
// up to the trough of the deepest drawdown.
func findDeepestFall[T number[T]](all results[T]) []int32 {
	found := findFalls(all.amount)
	if len(found) == 0 {
		return nil
	}
	deepest := slices.MaxFunc(found, func(a, b fall[T]) int { return a.depth.cmp(b.depth) })
	var rows []int32
	for _, row := range all.trade[deepest.began : deepest.trough+1] {
		if row != nowhere {
			rows = append(rows, row)
		}
	}
	return rows
}

// findLongestRun returns the first of the longest runs of an outcome.
func findLongestRun(results []outcome, of outcome) tradeList {
	longest, run := longestRun(results, of), 0
	for i, result := range results {
		if result != of {
			run = 0
			continue
		}
		if run++; run == longest {
			return listWhere(i+1, func(k int) bool { return k > i-longest })
		}
	}
	return tradeList{}
}
