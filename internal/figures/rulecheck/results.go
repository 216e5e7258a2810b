package rulecheck

import (
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/trading/rules"
)

// Results is how well a rule was kept.
type Results struct {
	Kept          int          `json:"kept" doc:"Trades that kept the rule."`
	Broken        int          `json:"broken"`
	Unknown       int          `json:"unknown" doc:"Trades that could not be judged, because something is not stated or not due yet."`
	KeepRate      *float64     `json:"keep_rate" doc:"kept / (kept + broken)."`
	DaysKept      int          `json:"days_kept" doc:"Trading days with a trade that kept the rule and no break."`
	DaysBroken    int          `json:"days_broken"`
	CurrentStreak int          `json:"current_streak" doc:"Kept trading days up to the last one of the range."`
	LongestStreak int          `json:"longest_streak"`
	SinceBreak    int          `json:"trades_since_break" doc:"Trades that kept the rule since the last one that broke it."`
	NetKept       decimal.Null `json:"net_kept" doc:"The net result of closed trades that kept the rule; null for max_daily_loss and no_adding_to_losers, whose breaks go with losses by definition, and for accounts in several currencies."`
	NetBroken     decimal.Null `json:"net_broken"`
	Breaks        []RuleBreak  `json:"breaks" doc:"By time. At most the latest 1000."`
	BreaksTotal   int          `json:"breaks_total"`
}

// RuleBreak is a break as the API shows it.
type RuleBreak struct {
	TradeID *journal.TradeID `json:"trade_id" doc:"Null if the day broke the rule, and for access tokens with scope analytics."`
	// StrategyID is for the caller to fill.
	StrategyID *journal.StrategyID `json:"strategy_id" doc:"With unit=strategy: the strategy that broke the rule, whose first trade is trade_id; null for a trade alone."`
	Day        journal.Day         `json:"day" format:"date"`
	Value      decimal.Null        `json:"value" doc:"What was reached; null if the rule has no number."`
	Limit      decimal.Null        `json:"limit"`
	At         time.Time           `json:"at" doc:"The opening; the fill for max_size and no_adding_to_losers; the close of a day's break; the deadline of review_by."`
}

// maxBreaks is how many breaks are listed.
const maxBreaks = 1000

// Selection is which judged trades results count.
type Selection struct {
	// Passes are the trades passing the conditions; nil means all.
	Passes *analytics.TradeIDs
	Period journal.Period
	// ByClosing makes the period test when a closed trade closed.
	ByClosing bool

	days *dayRange // nil means all
}

// dayRange are days in the rule's zone, as days since 1970, both included.
type dayRange struct{ first, last int64 }

func (s *Selection) hasDay(day int64) bool {
	return s.days == nil || s.days.first <= day && day <= s.days.last
}

func (s *Selection) has(t *analytics.Opening) bool {
	at := t.OpenedAt
	if s.ByClosing {
		at = t.ClosedAt
	}
	return s.Period.Contains(time.UnixMicro(at)) && (s.Passes == nil || t.IsIn(s.Passes))
}

// hasBreak reports whether a break is counted. A day's break belongs to the closing trade,
// and the period tests the close.
func (s *Selection) hasBreak(b *Break, t *analytics.Opening) bool {
	if b.OfDay {
		return s.Period.Contains(b.At()) && (s.Passes == nil || t.IsIn(s.Passes))
	}
	return s.has(t)
}

// Summarize counts a judgement's selected trades.
func Summarize(rule *rules.Rule, trades analytics.Openings, j *Judgement, s Selection, mixed bool) Results {
	out := Results{Breaks: []RuleBreak{}}
	clock := analytics.NewDayClock(rule.Location())
	days := map[int64]bool{} // whether the day is kept
	var kept, broken decimal.Decimal
	for i := range trades.Trades {
		t, v := &trades.Trades[i], j.Verdict(i)
		if v == NotJudged || !s.has(t) {
			continue
		}
		day := clock.Day(t.OpenedAt)
		if !s.hasDay(day) {
			continue
		}
		var net decimal.Decimal
		if !t.IsOpen() {
			net = t.Net()
		}
		switch v {
		case Kept:
			out.Kept++
			out.SinceBreak++
			kept = kept.Add(net)
			if _, known := days[day]; !known {
				days[day] = true
			}
		case Broken:
			out.Broken++
			out.SinceBreak = 0
			broken = broken.Add(net)
			days[day] = false
		case Unknown:
			out.Unknown++
		case NotJudged:
		}
	}
	out.addBreaks(trades, j, &s, days)
	out.countDays(days)
	if judged := out.Kept + out.Broken; judged > 0 {
		rate := float64(out.Kept) / float64(judged)
		out.KeepRate = &rate
	}
	if rule.Kind != rules.MaxDailyLoss && rule.Kind != rules.NoAddingToLosers && !mixed {
		out.NetKept, out.NetBroken = decimal.Of(kept), decimal.Of(broken)
	}
	return out
}

// addBreaks adds the selected breaks, and the days that broke the rule.
func (r *Results) addBreaks(trades analytics.Openings, j *Judgement, s *Selection, days map[int64]bool) {
	var latest []*Break
	// sortLatest cuts the list to the latest ones, the last first. No earlier break is
	// listed after that.
	sortLatest := func() {
		slices.SortFunc(latest, func(a, b *Break) int { return compareBreaks(b, a) })
		latest = latest[:min(len(latest), maxBreaks)]
	}
	var oldest *Break // of the latest ones, if they are as many as are listed
	for b := range j.eachBreak() {
		if !s.hasBreak(b, &trades.Trades[b.Place]) || !s.hasDay(b.day) {
			continue
		}
		if b.OfDay {
			days[b.day] = false
		}
		r.BreaksTotal++
		if oldest != nil && compareBreaks(b, oldest) < 0 {
			continue
		}
		if latest = append(latest, b); len(latest) == 2*maxBreaks {
			sortLatest()
			oldest = latest[maxBreaks-1]
		}
	}
	sortLatest()
	for _, b := range slices.Backward(latest) {
		row := RuleBreak{Day: b.Day(), Value: b.Value, Limit: b.Limit, At: b.At()}
		if !b.OfDay {
			id := trades.Trades[b.Place].ID()
			row.TradeID = &id
		}
		r.Breaks = append(r.Breaks, row)
	}
}

// countDays counts the days and their streaks.
func (r *Results) countDays(days map[int64]bool) {
	order := make([]int64, 0, len(days))
	for day := range days {
		order = append(order, day)
	}
	slices.Sort(order)
	for _, day := range order {
		if !days[day] {
			r.DaysBroken++
			r.CurrentStreak = 0
			continue
		}
		r.DaysKept++
		r.CurrentStreak++
		r.LongestStreak = max(r.LongestStreak, r.CurrentStreak)
	}
}

func dayNumber(day journal.Day) int64 {
	const secondsPerDay = 86400
	return day.Time().Unix() / secondsPerDay
}
