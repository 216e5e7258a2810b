package demo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/journal"
)

// The types of notes.
const (
	noteNote   = "note"
	noteLog    = "daily_log"
	noteReview = "weekly_review"
)

// notes are the pages of the journal, oldest first.
func (w *world) notes() []Note {
	byDay := map[journal.Day][]*trade{}
	for _, d := range w.desks {
		for _, t := range d.trades {
			if at, closed := t.closedAt(); closed {
				day := journal.DayOf(at.In(newYork))
				byDay[day] = append(byDay[day], t)
			}
		}
	}
	var list []Note
	for day := w.first; day <= w.last; day = day.AddDays(1) {
		if w.open[day] && w.writesLog(day) {
			list = append(list, w.dailyLog(day, byDay[day]))
		}
		if day.Weekday() == 0 && w.keeps(habits[len(habits)-1], day) && w.first.DaysUntil(day) > 6 {
			list = append(list, w.weeklyReview(day, byDay))
		}
	}
	list = append(list, w.pages()...)
	slices.SortStableFunc(list, func(a, b Note) int { return strings.Compare(string(a.Day), string(b.Day)) })
	return list
}

func (w *world) writesLog(day journal.Day) bool {
	return !w.away[day] && throw("log", w.first.DaysUntil(day)).chance(0.3+0.6*w.chapter(day).care)
}

// dailyLog is the page of one day: the checklist as it was ticked, the plan,
// and what came of it.
func (w *world) dailyLog(day journal.Day, trades []*trade) Note {
	d := throw("page", w.first.DaysUntil(day))
	var body strings.Builder
	fmt.Fprintf(&body, "%s\n\n", w.words.say(d, "log market"))
	for _, h := range habits {
		if h.stage == "pre" && w.dayAt(h.from) <= day {
			box := "[ ]"
			if w.keeps(h, day) {
				box = "[x]"
			}
			fmt.Fprintf(&body, "- %s %s\n", box, h.title)
		}
	}
	fmt.Fprintf(&body, "\n**Plan.** %s\n\n**Result.** %s", w.words.say(d, "log plan"), w.verdict(d, day, trades))
	note := Note{Type: noteLog, Day: day, Title: longDay(day), Body: body.String()}
	for range d.IntN(4) {
		symbol := pick(d, stocks).symbol
		if !slices.ContainsFunc(note.Symbols, func(s SymbolNote) bool { return s.Symbol == symbol }) {
			note.Symbols = append(note.Symbols, SymbolNote{symbol, w.words.say(d, "watch")})
		}
	}
	return note
}

// verdict sums up a day in figures and a sentence.
func (w *world) verdict(d dice, day journal.Day, trades []*trade) string {
	if len(trades) == 0 {
		return w.words.say(d, "log none")
	}
	net, wins := sum(trades)
	list := "log bad"
	switch c := w.chapter(day); {
	case c.name == "tilt" && net.Sign() < 0:
		list = "log tilt"
	case c.name == "fear" && net.Sign() > 0 && d.chance(0.5):
		list = "log fear"
	case net.Sign() > 0:
		list = "log good"
	}
	return tally(trades, wins, net) + " " + w.words.say(d, list)
}

// tally sums up some trades, as in 3 trades, 2 winners, +$214.30.
func tally(trades []*trade, wins int, net decimal.Decimal) string {
	return fmt.Sprintf("%s, %s, %s.", count(len(trades), "trade"), count(wins, "winner"), money(net))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// weeklyReview looks back on the week that ends with a Sunday.
func (w *world) weeklyReview(sunday journal.Day, byDay map[journal.Day][]*trade) Note {
	d := throw("review", w.first.DaysUntil(sunday))
	var week []*trade
	for ago := 6; ago >= 0; ago-- {
		week = append(week, byDay[sunday.AddDays(-ago)]...)
	}
	var body strings.Builder
	net, wins := sum(week)
	fmt.Fprintf(&body, "%s\n\n", tally(week, wins, net))
	if len(week) > 1 {
		best, worst := extremes(week)
		fmt.Fprintf(&body, "Best: %s %s. Worst: %s %s.\n\n", best.of.symbol, money(best.net()), worst.of.symbol, money(worst.net()))
	}
	fades := strconv.Itoa(w.tradesOf("Gap fade", sunday))
	fmt.Fprintf(&body, "### What worked\n\n%s\n\n", bullets(w.words.some(d, "review good", 2)))
	fmt.Fprintf(&body, "### What did not\n\n%s\n\n", bullets(w.words.some(d, "review bad", 2, "{fades}", fades)))
	body.WriteString(w.words.say(d, "review focus"))
	return Note{
		Type: noteReview, Day: sunday, Title: "Week of " + longDay(sunday.AddDays(-6)), Body: body.String(),
	}
}

// tradesOf counts the trades of a setup up to a day.
func (w *world) tradesOf(setup string, until journal.Day) (n int) {
	for _, d := range w.desks {
		for _, t := range d.trades {
			if t.setup == setup && t.day <= until {
				n++
			}
		}
	}
	return n
}

func extremes(trades []*trade) (best, worst *trade) {
	order := func(a, b *trade) int { return a.net().Cmp(b.net()) }
	return slices.MaxFunc(trades, order), slices.MinFunc(trades, order)
}

// some takes up to n different entries of a list.
func (w words) some(d dice, list string, n int, figures ...string) (said []string) {
	for range n {
		if line := w.say(d, list, figures...); !slices.Contains(said, line) {
			said = append(said, line)
		}
	}
	return said
}

func bullets(lines []string) string { return "- " + strings.Join(lines, "\n- ") }

// longDay is "Monday, 2 March 2026".
func longDay(d journal.Day) string { return d.Time().Format("Monday, 2 January 2006") }

// pages are the notes that are about no day in particular. The name of their
// list says when they were written, about which account, and their title.
func (w *world) pages() (list []Note) {
	for name, lines := range w.words {
		parts := strings.Split(strings.TrimPrefix(name, "page "), " | ")
		if len(parts) != 3 {
			continue
		}
		percent, err := strconv.Atoi(parts[0])
		if err != nil {
			panic("demo: words.txt: " + name)
		}
		list = append(list, Note{
			Type: noteNote, Day: w.dayAt(float64(percent) / 100), Account: parts[1], Title: parts[2],
			Body: strings.ReplaceAll(strings.Join(lines, "\n"), "\n.", "\n\n"),
		})
	}
	slices.SortFunc(list, func(a, b Note) int { return strings.Compare(a.Title, b.Title) })
	return list
}
