package demo

import (
	"math"
	"slices"

	"fillbook/internal/decimal"
	"fillbook/internal/journal"
)

// habit is a line of the routine over the story.
type habit struct {
	title    string
	stage    string
	weekdays []int
	from, to float64 // shares of the story
	ease     float64 // how much easier than others it is to keep
	follows  bool
}

var weekdays = []int{1, 2, 3, 4, 5}

// habits grow with the trader: the bad weeks bring new lines.
var habits = []habit{
	{title: "Read the overnight news and the calendar", stage: "pre", weekdays: weekdays, to: 2, ease: 0.12},
	{title: "Mark the levels on the watch list", stage: "pre", weekdays: weekdays, to: 2, ease: 0.05},
	{title: "Write the plan before the open", stage: "pre", weekdays: weekdays, to: 2, ease: -0.05},
	{title: "Set the loss limit for the day", stage: "pre", weekdays: weekdays, from: 0.43, to: 2, ease: 0.1},
	{title: "Stop order in the market with every entry", stage: "during", weekdays: weekdays, to: 2, ease: 0.05},
	{title: "Walk ten minutes after two losses", stage: "during", weekdays: weekdays, from: 0.44, to: 2, ease: -0.02},
	{title: "Write every trade down", stage: "post", weekdays: weekdays, to: 2, ease: 0.02},
	{title: "Screenshot of the best and the worst trade", stage: "post", weekdays: weekdays, to: 0.52, ease: -0.12},
	{title: "Screenshot of the best and the worst trade", stage: "post", weekdays: []int{1, 3, 5}, from: 0.52, to: 2, ease: 0.02, follows: true},
	{title: "Look for new bases", stage: "post", weekdays: []int{6}, to: 0.6, ease: -0.2},
	{title: "Weekly review", stage: "post", weekdays: []int{0}, from: 0.02, to: 2, ease: 0.05},
}

// streak is how many of the story's last days everything was done.
const streak = 12

// routine is the checklist with the days on which each line was done.
func (w *world) routine() (items []RoutineItem) {
	for _, h := range habits {
		item := RoutineItem{Title: h.title, Stage: h.stage, Weekdays: h.weekdays, Start: w.dayAt(h.from), Follows: h.follows}
		if h.to < 1 {
			item.End = w.dayAt(h.to)
		}
		for day := item.Start; day <= w.last && (item.End == "" || day < item.End); day = day.AddDays(1) {
			if w.keeps(h, day) {
				item.Done = append(item.Done, day)
			}
		}
		items = append(items, item)
	}
	return items
}

// keeps reports whether the trader did a thing on a day. A day is good or bad as
// a whole, which makes streaks and gaps.
func (w *world) keeps(h habit, day journal.Day) bool {
	n := w.first.DaysUntil(day)
	if !slices.Contains(h.weekdays, day.Weekday()) {
		return false
	}
	if day.DaysUntil(w.last) < streak {
		return true
	}
	weekend := day.Weekday() == 0 || day.Weekday() == 6
	if w.away[day] || !weekend && !w.open[day] {
		return false
	}
	mood := 0.5 + 0.55*w.chapter(day).care
	if throw("slack", n).chance(0.16) {
		mood -= 0.5
	}
	return throw("habit", h.title, n).chance(mood + h.ease)
}

// missedCount is how many trades were seen and not taken.
const missedCount = 42

// The reasons and how often each is the reason, out of ten.
var reasons = []string{
	"hesitated", "hesitated", "away", "hesitated", "rules", "hesitated", "other", "away", "rules", "",
}

// missed are the trades that the trader saw and did not take. What became of
// them is what the tape says.
func (w *world) missed() (list []Missed) {
	for i := range missedCount {
		d := throw("missed", i)
		tape, n := w.missedTape(d, (float64(i)+d.Float64()*0.8)/missedCount)
		seen := choose(d, dayIdeas[:4])
		p := seen.draft(d, tape, n, chapter{})
		p.price = int(tape.look(p.at).close) + p.sign()*d.IntN(2+p.stop*d.whole(1, 4)/3)
		if tape.kind == kindCrypto {
			seen.setup = pick(d, cryptoIdeas).setup
		}
		list = append(list, w.miss(d, i, p, seen.setup))
	}
	return list
}

// missedTape chooses what was watched, and the session.
func (w *world) missedTape(d dice, share float64) (*tape, int) {
	lists := [][]instrument{stocks, stocks, stocks, futures[:2], coins}
	tape := w.tapes[pick(d, pick(d, lists)).symbol]
	n := min(int(share*float64(len(tape.sessions))), len(tape.sessions)-1)
	return tape, n
}

// miss returns a missed trade. Some of the older ones have no plan, and some
// have no outcome.
func (w *world) miss(d dice, i int, p plan, setup string) Missed {
	t := &trade{of: p.tape.instrument, day: p.tape.sessions[p.at.session].day}
	m := Missed{
		Symbol: t.of.symbol, Long: p.long, Setup: setup, Account: w.desks[0].Name,
		At: p.tape.sessions[p.at.session].at(p.at.bar), Reason: reasons[i%len(reasons)], Outcome: p.fate(),
	}
	switch t.of.kind {
	case kindFuture:
		m.Symbol, m.Account = t.of.symbol+delivery(t.of.symbol, t.day), w.desks[1].Name
	case kindCrypto:
		m.Account = w.desks[2].Name
	}
	if list := "missed " + m.Reason; m.Reason != "" {
		m.Notes = w.words.say(d, list)
	} else {
		m.Notes, m.Account = w.words.say(d, "missed none"), ""
	}
	if i%11 == 7 {
		m.Outcome = "unknown"
	}
	if i%14 != 4 {
		m.Entry, m.Stop, m.Target = t.of.nullPrice(p.price), t.of.nullPrice(p.level(-1)), t.of.nullPrice(p.level(p.target))
	}
	return m
}

func (i instrument) nullPrice(ticks int) decimal.Null { return decimal.Of(i.price(ticks)) }

// level is the price that many multiples of the risk ahead of a planned entry.
func (p plan) level(gain float64) int {
	return p.price + p.sign()*int(math.Round(gain*float64(p.stop)))
}

// fate returns the outcome of a plan that was not traded, until the end of its
// session: the entry was never reached, or stop or target were.
func (p plan) fate() string {
	triggered := false
	for n := p.at.bar + 1; n < p.tape.sessions[p.at.session].bars; n++ {
		b := p.tape.look(moment{p.at.session, n})
		if reached := p.reaches(b, p.price); reached {
			triggered = true
		}
		switch {
		case !triggered:
		case p.reaches(b, p.level(-1)):
			return "stop"
		case p.reaches(b, p.level(p.target)):
			return "target"
		}
	}
	if !triggered {
		return "no_trigger"
	}
	return "unknown"
}

func (p plan) reaches(b bar, price int) bool { return int(b.low) <= price && price <= int(b.high) }
