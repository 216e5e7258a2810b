package analytics

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// ShareView is a public link's view: aggregates without any trade, account or id. Without
// amounts it contains only ratios, counts and the curve's shape; multiplying every amount
// by the same number does not change it.
type ShareView struct {
	Summary     ShareSummary  `json:"summary"`
	Equity      []SharePoint  `json:"equity"`
	Months      []ShareMonth  `json:"months"`
	TopSymbols  []ShareSymbol `json:"top_symbols"`
	TradingDays int           `json:"trading_days"`
	GreenDays   int           `json:"green_days"`
	RedDays     int           `json:"red_days"`
	// BestStreak and WorstStreak are runs of green and red trading days.
	BestStreak  int         `json:"best_streak"`
	WorstStreak int         `json:"worst_streak"`
	FirstDay    journal.Day `json:"first_day"`
	LastDay     journal.Day `json:"last_day"`
	ShowAmounts bool        `json:"show_amounts"`
	Currency    string      `json:"currency"`
}

// ShareSummary is a link's figures. A link without amounts omits the money fields.
type ShareSummary struct {
	TotalTrades  int      `json:"total_trades"`
	Wins         int      `json:"wins"`
	Losses       int      `json:"losses"`
	Breakeven    int      `json:"breakeven"`
	WinRate      float64  `json:"win_rate"`
	ProfitFactor *float64 `json:"profit_factor"`
	PayoffRatio  *float64 `json:"payoff_ratio"`
	ExpectancyR  *float64 `json:"expectancy_r"`
	KellyPct     *float64 `json:"kelly_pct"`
	SQN          *float64 `json:"sqn"`

	NetPnL      *decimal.Decimal `json:"net_pnl,omitempty"`
	GrossProfit *decimal.Decimal `json:"gross_profit,omitempty"`
	GrossLoss   *decimal.Decimal `json:"gross_loss,omitempty"`
	Expectancy  *decimal.Decimal `json:"expectancy,omitempty"`
	AvgWin      *decimal.Decimal `json:"avg_win,omitempty"`
	AvgLoss     *decimal.Decimal `json:"avg_loss,omitempty"`
	LargestWin  *decimal.Decimal `json:"largest_win,omitempty"`
	LargestLoss *decimal.Decimal `json:"largest_loss,omitempty"`
	TotalFees   *decimal.Decimal `json:"total_fees,omitempty"`
	MaxDrawdown *decimal.Decimal `json:"max_drawdown,omitempty"`
}

// SharePoint is the cumulative result at the end of a trading day: an amount, or without
// amounts a share of the greatest distance from zero, between -1 and 1.
type SharePoint struct {
	At    time.Time       `json:"at"`
	Value decimal.Decimal `json:"value"`
}

// ShareMonth is a month in a link.
type ShareMonth struct {
	Month   string           `json:"month"`
	Trades  int              `json:"trades"`
	WinRate float64          `json:"win_rate"`
	PnL     *decimal.Decimal `json:"pnl,omitempty"`
}

// ShareDay is a trading day in a link to a single month.
type ShareDay struct {
	Date    journal.Day      `json:"date"`
	Trades  int              `json:"trades"`
	Outcome int              `json:"outcome" doc:"1 for a winning day, -1 for a losing one, else 0."`
	PnL     *decimal.Decimal `json:"pnl,omitempty"`
}

// ListShareDays returns a selection's trading days if all are in one month, else none.
func ListShareDays(s *Selection, q ShareQuery) []ShareDay {
	days := ListDays(s, q.Zone)
	list := []ShareDay{}
	for _, day := range days {
		if day.Date.Month() != days[0].Date.Month() {
			return []ShareDay{}
		}
		list = append(list, ShareDay{Date: day.Date, Trades: day.Trades, Outcome: day.NetPnL.Sign(), PnL: q.optionalAmount(day.NetPnL)})
	}
	return list
}

// ShareSymbol is one of the most traded symbols.
type ShareSymbol struct {
	Symbol  string           `json:"symbol"`
	Trades  int              `json:"trades"`
	WinRate float64          `json:"win_rate"`
	PnL     *decimal.Decimal `json:"pnl,omitempty"`
}

// ShareQuery has the parameters for [BuildShareView].
type ShareQuery struct {
	Zone        *time.Location
	Capital     Capital // for the accounts in scope
	Currency    string
	ShowAmounts bool
	// Units are what summary and symbols count; nil means the trades. Days are by trade.
	Units *Selection
}

const (
	maxTopSymbols = 5
	// shapeScale is the number of decimals for a curve without amounts.
	shapeScale = 4
)

// BuildShareView builds a selection's public view.
func BuildShareView(s *Selection, q ShareQuery) ShareView {
	days, counted := ListDays(s, q.Zone), s
	if q.Units != nil {
		counted = q.Units
	}
	view := ShareView{
		Summary: q.buildSummary(Summarize(counted, q.Capital)), Equity: q.buildEquity(days), Months: q.buildMonths(days), TopSymbols: q.listTopSymbols(counted),
		ShowAmounts: q.ShowAmounts, Currency: q.Currency,
	}
	colors := make([]outcome, len(days))
	for i, day := range days {
		if day.Trades > 0 {
			view.TradingDays++
		}
		colors[i] = outcome(day.NetPnL.Sign())
		switch colors[i] {
		case win:
			view.GreenDays++
		case loss:
			view.RedDays++
		case breakeven, uncounted:
		}
	}
	view.BestStreak, view.WorstStreak = longestRun(colors, win), longestRun(colors, loss)
	if len(days) > 0 {
		view.FirstDay, view.LastDay = days[0].Date, days[len(days)-1].Date
	}
	return view
}

// optionalAmount returns d, or nil if the link hides amounts. All money in a view
// passes through it.
func (q ShareQuery) optionalAmount(d decimal.Decimal) *decimal.Decimal {
	if !q.ShowAmounts {
		return nil
	}
	return &d
}

func (q ShareQuery) buildSummary(s Summary) ShareSummary {
	return ShareSummary{
		TotalTrades: s.TotalTrades, Wins: s.Wins, Losses: s.Losses, Breakeven: s.Breakeven, WinRate: s.WinRate,
		ProfitFactor: s.ProfitFactor, PayoffRatio: s.PayoffRatio, ExpectancyR: s.ExpectancyR, KellyPct: s.KellyPct, SQN: s.SQN,
		NetPnL: q.optionalAmount(s.NetPnL), GrossProfit: q.optionalAmount(s.GrossProfit), GrossLoss: q.optionalAmount(s.GrossLoss),
		Expectancy: q.optionalAmount(s.Expectancy), AvgWin: q.optionalAmount(s.AvgWin), AvgLoss: q.optionalAmount(s.AvgLoss),
		LargestWin: q.optionalAmount(s.LargestWin), LargestLoss: q.optionalAmount(s.LargestLoss), TotalFees: q.optionalAmount(s.TotalFees),
		MaxDrawdown: q.optionalAmount(s.MaxDrawdown),
	}
}

// buildEquity returns one point for each trading day.
func (q ShareQuery) buildEquity(days []Day) []SharePoint {
	unit := decimal.Zero
	for _, day := range days {
		unit = decimal.Max(unit, day.CumulativePnL.Abs())
	}
	points := make([]SharePoint, len(days))
	for i, day := range days {
		points[i] = SharePoint{At: endOfDay(day.Date, q.Zone), Value: day.CumulativePnL}
		if !q.ShowAmounts && !unit.IsZero() {
			points[i].Value = day.CumulativePnL.DivRound(unit, shapeScale)
		}
	}
	return points
}

func (q ShareQuery) buildMonths(days []Day) []ShareMonth {
	list := []ShareMonth{}
	var group Group
	for i, day := range days {
		group.addDay(day.Trades, day.Wins, day.NetPnL)
		if i+1 < len(days) && days[i+1].Date.Month() == day.Date.Month() {
			continue
		}
		list = append(list, ShareMonth{day.Date.Month(), group.Trades, group.WinRate, q.optionalAmount(group.NetPnL)})
		group = Group{}
	}
	return list
}

// listTopSymbols returns the symbols with the most trades, then by name. The order
// reveals nothing about results.
func (q ShareQuery) listTopSymbols(s *Selection) []ShareSymbol {
	list := chooseArithmetic(s, tallySymbols[int128], tallySymbols[exact])(s, q)
	slices.SortFunc(list, func(a, b ShareSymbol) int { return cmp.Or(b.Trades-a.Trades, strings.Compare(a.Symbol, b.Symbol)) })
	return list[:min(len(list), maxTopSymbols)]
}

func tallySymbols[T number[T]](s *Selection, q ShareQuery) []ShareSymbol {
	sums := make([]tally[T], len(s.symbols.values))
	net := readColumn[T](s, netOf)
	for i, result := range outcomes(s, net) {
		sums[s.symbol(i)].addResult(net[i], result)
	}
	list := []ShareSymbol{}
	for k := range sums {
		if t := &sums[k]; t.trades() > 0 {
			list = append(list, ShareSymbol{s.symbols.values[k], t.trades(), t.winRate(), q.optionalAmount(t.net().decimal(s.scale))})
		}
	}
	return list
}
