package demo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// composeNotes returns the notes, oldest first.
func (s *simulation) composeNotes() (list []Note) {
	byDay := map[journal.Day][]*trade{}
	for _, a := range s.accounts {
		for _, t := range a.trades {
			if at, closed := t.closedAt(); closed {
				day := journal.DayOf(at.In(newYork))
				byDay[day] = append(byDay[day], t)
			}
		}
	}
	review := s.Habits[len(s.Habits)-1]
	for day := s.first; day <= s.last; day = day.AddDays(1) {
		n := s.first.DaysUntil(day)
		if isTradingDay(day) && !s.away[day] && newRandom("log", n).chance(0.3+0.6*s.phaseOf(day).Care) {
			list = append(list, s.composeDailyLog(day, byDay[day]))
		}
		if day.Weekday() == 0 && s.isDone(review, day) && n > 6 {
			list = append(list, s.composeWeeklyReview(day, byDay))
		}
	}
	for _, p := range s.Pages {
		list = append(list, Note{Type: "note", Day: s.dayAt(p.Percent / 100), Account: p.Account, Title: p.Title, Body: p.Body})
	}
	slices.SortStableFunc(list, func(a, b Note) int { return strings.Compare(string(a.Day), string(b.Day)) })
	return list
}

// composeDailyLog returns a day's log: the routine checklist, the plan and the result.
func (s *simulation) composeDailyLog(day journal.Day, trades []*trade) Note {
	rng := newRandom("log text", s.first.DaysUntil(day))
	var body strings.Builder
	fmt.Fprintf(&body, "%s\n\n", s.Phrases.choose(rng, "log market"))
	for _, h := range s.Habits {
		if h.Stage == "pre" && s.dayAt(h.From) <= day {
			box := "[ ]"
			if s.isDone(h, day) {
				box = "[x]"
			}
			fmt.Fprintf(&body, "- %s %s\n", box, h.Title)
		}
	}
	fmt.Fprintf(&body, "\n**Plan.** %s\n\n**Result.** %s", s.Phrases.choose(rng, "log plan"), s.summarizeDay(rng, day, trades))
	note := Note{Type: "daily_log", Day: day, Body: body.String()}
	for range rng.IntN(4) {
		symbol := pick(rng, s.Ideas[0].Symbols)
		if !slices.ContainsFunc(note.Symbols, func(n SymbolNote) bool { return n.Symbol == symbol }) {
			note.Symbols = append(note.Symbols, SymbolNote{symbol, s.Phrases.choose(rng, "watch")})
		}
	}
	return note
}

// summarizeDay returns a day's result in figures and a sentence.
func (s *simulation) summarizeDay(rng random, day journal.Day, trades []*trade) string {
	if len(trades) == 0 {
		return s.Phrases.choose(rng, "log none")
	}
	summary, net := summarize(trades)
	list := "log bad"
	switch name := s.phaseOf(day).Name; {
	case name == "tilt" && net.Sign() < 0:
		list = "log tilt"
	case name == "fear" && net.Sign() > 0 && rng.chance(0.5):
		list = "log fear"
	case net.Sign() > 0:
		list = "log good"
	}
	return summary + " " + s.Phrases.choose(rng, list)
}

// summarize returns the result from some trades, as in "3 trades, 2 winners, +$214.30".
func summarize(trades []*trade) (text string, net decimal.Decimal) {
	wins := 0
	for _, t := range trades {
		net = net.Add(t.net())
		if t.net().Sign() > 0 {
			wins++
		}
	}
	return fmt.Sprintf("%s, %s, %s.", formatCount(len(trades), "trade"), formatCount(wins, "winner"), formatMoney(net)), net
}

func formatCount(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// composeWeeklyReview returns the review for the week ending with a Sunday.
func (s *simulation) composeWeeklyReview(sunday journal.Day, byDay map[journal.Day][]*trade) Note {
	rng := newRandom("review", s.first.DaysUntil(sunday))
	var week []*trade
	for ago := 6; ago >= 0; ago-- {
		week = append(week, byDay[sunday.AddDays(-ago)]...)
	}
	body, _ := summarize(week)
	if len(week) > 1 {
		best, worst := findExtremes(week)
		body += fmt.Sprintf("\n\nBest: %s %s. Worst: %s %s.", best.Symbol, formatMoney(best.net()), worst.Symbol, formatMoney(worst.net()))
	}
	body += "\n\n### What worked\n\n" + s.Phrases.bullets(rng, "review good", 2)
	body += "\n\n### What did not\n\n" + s.Phrases.bullets(rng, "review bad", 2)
	body += "\n\n" + s.Phrases.choose(rng, "review focus")
	return Note{Type: "weekly_review", Day: sunday, Title: "Week of " + formatDay(sunday.AddDays(-6)), Body: body}
}

func findExtremes(trades []*trade) (best, worst *trade) {
	order := func(a, b *trade) int { return a.net().Cmp(b.net()) }
	return slices.MaxFunc(trades, order), slices.MinFunc(trades, order)
}

// formatDay returns a day as in "March 2, 2026".
func formatDay(d journal.Day) string { return d.Time().Format("January 2, 2006") }
