package analytics

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/journal"
)

// ShareView is what a public link shows: aggregates of a selection, and no trade,
// account or id. Without amounts it holds ratios, counts and the shape of the
// curve only; nothing in it changes when every amount of the journal is
// multiplied by the same number.
type ShareView struct {
	Summary     ShareSummary  `json:"summary"`
	Equity      []SharePoint  `json:"equity"`
	Months      []ShareMonth  `json:"months"`
	TopSymbols  []ShareSymbol `json:"top_symbols"`
	TradingDays int           `json:"trading_days"`
	GreenDays   int           `json:"green_days"`
	RedDays     int           `json:"red_days"`
	// BestStreak and WorstStreak are runs of green and of red trading days.
	BestStreak  int         `json:"best_streak"`
	WorstStreak int         `json:"worst_streak"`
	FirstDay    journal.Day `json:"first_day"`
	LastDay     journal.Day `json:"last_day"`
	ShowAmounts bool        `json:"show_amounts"`
	Currency    string      `json:"currency"`
}

// ShareSummary is the figures of a link. Those of money are left out, key and
// all, of a link without amounts.
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

// SharePoint is the cumulative result at the end of a trading day: an amount, or
// without amounts a share of the greatest distance from zero, between -1 and 1.
type SharePoint struct {
	At    time.Time       `json:"at"`
	Value decimal.Decimal `json:"value"`
}

// ShareMonth is a month of a link.
type ShareMonth struct {
	Month   string           `json:"month"`
	Trades  int              `json:"trades"`
	WinRate float64          `json:"win_rate"`
	PnL     *decimal.Decimal `json:"pnl,omitempty"`
}

// ShareSymbol is one of the symbols that were traded most.
type ShareSymbol struct {
	Symbol  string           `json:"symbol"`
	Trades  int              `json:"trades"`
	WinRate float64          `json:"win_rate"`
	PnL     *decimal.Decimal `json:"pnl,omitempty"`
}

// ShareQuery says what a link may show.
type ShareQuery struct {
	Zone        *time.Location
	Capital     Capital // of the accounts in scope
	Currency    string
	ShowAmounts bool
}

const (
	mostSymbols = 5
	// shapeScale is the number of decimals of a curve without amounts.
	shapeScale = 4
)

// Share makes the public view of a selection.
func Share(s *Selection, q ShareQuery) ShareView {
	days := Daily(s, q.Zone)
	view := ShareView{
		Summary: q.summary(Summarize(s, q.Capital)), Equity: q.equity(days), Months: q.months(days), TopSymbols: q.symbols(s),
		TradingDays: len(days), ShowAmounts: q.ShowAmounts, Currency: q.Currency,
	}
	colors := make([]outcome, len(days))
	for i, day := range days {
		colors[i] = outcome(day.NetPnL.Sign())
		switch colors[i] {
		case win:
			view.GreenDays++
		case loss:
			view.RedDays++
		case breakeven:
		}
	}
	view.BestStreak, view.WorstStreak = longestRun(colors, win), longestRun(colors, loss)
	if len(days) > 0 {
		view.FirstDay, view.LastDay = days[0].Date, days[len(days)-1].Date
	}
	return view
}

// amount is the one way for money into a view.
func (q ShareQuery) amount(d decimal.Decimal) *decimal.Decimal {
	if !q.ShowAmounts {
		return nil
	}
	return &d
}

func (q ShareQuery) summary(s Summary) ShareSummary {
	return ShareSummary{
		TotalTrades: s.TotalTrades, Wins: s.Wins, Losses: s.Losses, Breakeven: s.Breakeven, WinRate: s.WinRate,
		ProfitFactor: s.ProfitFactor, PayoffRatio: s.PayoffRatio, ExpectancyR: s.ExpectancyR, KellyPct: s.KellyPct, SQN: s.SQN,
		NetPnL: q.amount(s.NetPnL), GrossProfit: q.amount(s.GrossProfit), GrossLoss: q.amount(s.GrossLoss),
		Expectancy: q.amount(s.Expectancy), AvgWin: q.amount(s.AvgWin), AvgLoss: q.amount(s.AvgLoss),
		LargestWin: q.amount(s.LargestWin), LargestLoss: q.amount(s.LargestLoss), TotalFees: q.amount(s.TotalFees),
		MaxDrawdown: q.amount(s.MaxDrawdown),
	}
}

// equity has a point for each trading day.
func (q ShareQuery) equity(days []Day) []SharePoint {
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

func (q ShareQuery) months(days []Day) []ShareMonth {
	list := []ShareMonth{}
	var group Group
	for i, day := range days {
		group.include(day)
		if i+1 < len(days) && days[i+1].Date.Month() == day.Date.Month() {
			continue
		}
		list = append(list, ShareMonth{day.Date.Month(), group.Trades, group.WinRate, q.amount(group.NetPnL)})
		group = Group{}
	}
	return list
}

// symbols are those with the most trades, then by name: an order that tells
// nothing about results.
func (q ShareQuery) symbols(s *Selection) []ShareSymbol {
	var list []ShareSymbol
	if s.unbounded {
		list = symbolsOf[exact](s, q)
	} else {
		list = symbolsOf[int128](s, q)
	}
	slices.SortFunc(list, func(a, b ShareSymbol) int { return cmp.Or(b.Trades-a.Trades, strings.Compare(a.Symbol, b.Symbol)) })
	return list[:min(len(list), mostSymbols)]
}

func symbolsOf[T number[T]](s *Selection, q ShareQuery) []ShareSymbol {
	sums := make([]tally[T], len(s.symbols.words))
	net := column[T](s, netOf)
	for i, result := range outcomes(s, net) {
		sums[s.symbol(i)].addAs(net[i], result)
	}
	list := []ShareSymbol{}
	for k := range sums {
		if t := &sums[k]; t.trades() > 0 {
			list = append(list, ShareSymbol{s.symbols.words[k], t.trades(), t.winRate(), q.amount(t.net().decimal(s.scale))})
		}
	}
	return list
}
