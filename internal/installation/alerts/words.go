package alerts

import (
	"fillbook/internal/trading/programs"
	"fillbook/internal/trading/rules"
)

// The words of the page for rules without a name. They have no amounts, because titles go to
// the lock screens of phones.
var (
	ruleNames = map[rules.Kind]string{
		rules.MaxDailyLoss:     "Daily loss limit",
		rules.MaxTrades:        "Trades a day",
		rules.StopAfterLosses:  "Stop after losses in a row",
		rules.MaxLosses:        "Losses a day",
		rules.StopAtProfit:     "Stop at a profit",
		rules.GiveBack:         "Stop after giving back profit",
		rules.CoolDown:         "Pause after a loss",
		rules.NoTrading:        "No trading at times",
		rules.MaxSize:          "Largest position",
		rules.MaxOpen:          "Open trades",
		rules.MaxOpenRisk:      "Open risk",
		rules.OnlySetups:       "Only some setups",
		rules.AvoidSetups:      "Avoid setups",
		rules.AvoidTags:        "Avoid tags",
		rules.OnlySymbols:      "Only some symbols",
		rules.MinRewardRisk:    "Reward for the risk",
		rules.StopSet:          "Stop set",
		rules.NoAddingToLosers: "No adding to losers",
		rules.ReviewBy:         "Review in time",
	}
	programRuleNames = map[programs.Kind]string{
		programs.MaxLoss:       "Max loss",
		programs.DailyLoss:     "Daily loss",
		programs.ProfitTarget:  "Profit target",
		programs.Consistency:   "Consistency",
		programs.MinDays:       "Minimum days",
		programs.MinProfitDays: "Profitable days",
		programs.MaxDays:       "Maximum days",
		programs.MaxContracts:  "Max contracts",
		programs.ScalingPlan:   "Scaling plan",
		programs.FlatBy:        "Flat by",
		programs.Inactivity:    "Inactivity",
		programs.Payouts:       "Payout",
	}
	metricNames = map[rules.Metric]string{
		rules.NetPnL:       "Net P&L",
		rules.RMultiple:    "Result in R",
		rules.WinRate:      "Win rate",
		rules.ProfitFactor: "Profit factor",
		rules.TradeCount:   "Trades",
		rules.Reviewed:     "Trades reviewed",
		rules.DaysKept:     "Days that keep a rule",
	}
	limitNames = map[rules.Metric]string{
		rules.NetPnL:     "Loss limit",
		rules.RMultiple:  "Loss limit in R",
		rules.TradeCount: "Trade limit",
	}
)

// nameRule returns what a trader calls a rule.
func nameRule(r *rules.Rule) string {
	if r.Name != "" {
		return r.Name
	}
	return ruleNames[r.Kind]
}

// nameGoal returns what a trader calls a goal.
func nameGoal(g *rules.Goal) string {
	if g.Name != "" {
		return g.Name
	}
	name := metricNames[g.Metric]
	if limit := limitNames[g.Metric]; g.Kind == rules.LimitGoal && limit != "" {
		name = limit
	}
	return name + " per " + string(g.Period)
}
