package demo

import (
	"slices"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// habit is a routine line.
type habit struct {
	Title, Stage string
	Weekdays     []int
	From, To     float64 // fractions of the journal
	Ease         float64 // added to the probability that it is done
	Follows      bool
}

// streak is the number of days, at the end, on which everything was done.
const streak = 12

// composeRoutine returns the checklist with the days on which each line was done.
func (s *simulation) composeRoutine() (items []RoutineItem) {
	for _, h := range s.Habits {
		item := RoutineItem{Title: h.Title, Stage: h.Stage, Weekdays: h.Weekdays, Start: s.dayAt(h.From), Follows: h.Follows}
		if h.To < 1 {
			item.End = s.dayAt(h.To)
		}
		for day := item.Start; day <= s.last && (item.End == "" || day < item.End); day = day.AddDays(1) {
			if s.isDone(h, day) {
				item.Done = append(item.Done, day)
			}
		}
		items = append(items, item)
	}
	return items
}

// isDone reports whether a line was done on a day. Some days are bad for all lines,
// which results in streaks and gaps.
func (s *simulation) isDone(h habit, day journal.Day) bool {
	n := s.first.DaysUntil(day)
	switch weekend := day.Weekday() == 0 || day.Weekday() == 6; {
	case !slices.Contains(h.Weekdays, day.Weekday()):
		return false
	case day.DaysUntil(s.last) < streak:
		return true
	case s.away[day] || !weekend && !isTradingDay(day):
		return false
	}
	p := 0.5 + 0.55*s.phaseOf(day).Care + h.Ease
	if newRandom("bad day", n).chance(0.16) {
		p -= 0.5
	}
	return newRandom("habit", h.Title, n).chance(p)
}

// missedCount is the number of missed trades.
const missedCount = 42

// missedReasons are the reasons for missing a trade, the frequent ones repeated.
var missedReasons = []string{
	"hesitated", "hesitated", "away", "hesitated", "rules", "hesitated", "other", "away", "rules", "",
}

// composeMissed returns trades seen but not taken.
func (s *simulation) composeMissed() (list []Missed) {
	for i := range missedCount {
		rng := newRandom("missed", i)
		seen := pick(rng, s.Ideas)
		for seen.Option != nil || seen.Setup == "" {
			seen = pick(rng, s.Ideas)
		}
		on := s.series[pick(rng, seen.Symbols)]
		n := int((float64(i) + rng.Float64()*0.8) / missedCount * float64(len(on.sessions)))
		p := seen.draft(rng, on, n, phase{})
		p.price = on.barAt(p.at).close
		list = append(list, s.composeMissedTrade(rng, i, p, seen))
	}
	return list
}

// composeMissedTrade returns a missed trade. Some have no plan, and some no outcome.
func (s *simulation) composeMissedTrade(rng random, i int, p plan, seen idea) Missed {
	m := Missed{
		Symbol: p.series.Symbol, Long: p.long, Setup: seen.Setup, Account: seen.Account, At: p.series.timeAt(p.at),
		Reason: missedReasons[i%len(missedReasons)], Outcome: "unknown",
	}
	if p.series.market.Kind == "future" {
		m.Symbol += deliveryCode(m.Symbol, p.series.sessions[p.at.session].day)
	}
	if m.Reason == "" {
		m.Notes, m.Account = s.Phrases.choose(rng, "missed none"), ""
	} else {
		m.Notes = s.Phrases.choose(rng, "missed "+m.Reason)
	}
	switch p.partial = 0; p.run().ending {
	case byTarget:
		m.Outcome = "target"
	case byStop:
		m.Outcome = "stop"
	default:
		m.Outcome = "unknown"
	}
	if i%9 == 7 {
		m.Outcome = "no_trigger"
	}
	if i%14 != 4 {
		price := func(gain float64) decimal.Null { return decimal.Of(p.series.price(p.level(p.price, gain))) }
		m.Entry, m.Stop, m.Target = price(0), price(-1), price(p.target)
	}
	return m
}
