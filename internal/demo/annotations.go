package demo

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/journal"
)

// report returns the account with all of its records.
func (d *desk) report(w *world) Account {
	a := d.Account
	counts := map[journal.Day]int{}
	kept := d.keepsakes()
	for i, t := range d.trades {
		counts[t.day]++
		c := throw("mark", d.Name, i)
		if silent := c.chance(0.1 * (1.3 - t.chapter.care)); silent && !slices.Contains(kept, t) {
			continue
		}
		a.Annotations = append(a.Annotations, w.annotate(t, c, counts[t.day]))
	}
	for _, t := range kept {
		if !w.pictures {
			break
		}
		name := strings.ToLower(t.of.symbol) + "-" + string(t.day) + ".png"
		a.Pictures = append(a.Pictures, Picture{Opening: t.fills[0].ID, Name: name, PNG: drawChart(t)})
	}
	a.Cash = w.cash(d)
	return a
}

// annotate returns the annotations of a trade.
func (w *world) annotate(t *trade, d dice, count int) Annotations {
	m := Annotations{Opening: t.fills[0].ID, Mood: w.mood(t, d), Confidence: t.confidence(d), Quality: t.quality(d)}
	if t.setup != "" && d.chance(0.96) {
		m.Setups = []string{t.setup}
	}
	m.Tags = w.tagsOf(t, d, m.Quality)
	t.writePlan(&m, d)
	t.writeExcursions(&m, d)
	if d.chance(0.35 + 0.55*t.chapter.care) {
		m.Notes = w.note(t, d, count)
	}
	m.ReviewedAt = w.reviewed(t, d)
	return m
}

// isByRules reports whether the trader had a plan at all.
func (t *trade) isByRules() bool {
	return !slices.Contains([]string{"No plan", "Revenge trade", "Overtrading"}, t.mistake)
}

// stopPrice and targetPrice are what the plan says, in terms of what was
// really traded.
func (t *trade) stopPrice() decimal.Decimal { return t.planned(-1) }

func (t *trade) targetPrice() decimal.Decimal { return t.planned(t.target) }

// planned is the price of what is traded when the underlying is that many
// multiples of the risk ahead.
func (t *trade) planned(gain float64) decimal.Decimal {
	level := t.entry() + t.sign()*int(math.Round(gain*float64(t.stop)))
	if t.of.kind == kindOption {
		return t.of.price(t.quote(action{at: t.at, price: level}))
	}
	return t.of.price(level)
}

// writePlan notes risk, stop and target as far as the trader did.
func (t *trade) writePlan(m *Annotations, d dice) {
	if !t.isByRules() && d.chance(0.7) {
		return
	}
	if d.chance(0.8) {
		m.Risk = decimal.Of(cents(t.money))
	}
	if stop := t.stopPrice(); d.chance(0.85) && stop.Sign() > 0 {
		m.Stop = decimal.Of(stop)
	}
	if target := t.targetPrice(); d.chance(0.8) && target.Sign() > 0 {
		m.Target = decimal.Of(target)
	}
}

// writeExcursions notes how far the trade went for and against the trader.
func (t *trade) writeExcursions(m *Annotations, d dice) {
	if _, closed := t.closedAt(); !closed || t.of.kind == kindOption || !d.chance(0.7) {
		return
	}
	m.Worst = decimal.Of(cents(-t.worst * t.money))
	m.Best = decimal.Of(cents(t.best * t.money))
}

func (w *world) mood(t *trade, d dice) string {
	switch {
	case d.chance(0.15):
		return ""
	case t.mistake != "" || t.chapter.care < 0.5:
		return pick(d, w.words["mood bad"])
	case t.ending == byFear:
		return pick(d, w.words["mood fear"])
	case d.chance(0.12):
		return pick(d, w.words["mood bad"])
	}
	return pick(d, w.words["mood good"])
}

// confidence follows the size, and anger.
func (t *trade) confidence(d dice) int {
	switch {
	case d.chance(0.12):
		return 0
	case t.mistake == "Oversized", t.size > 1.2:
		return d.whole(4, 5)
	case t.size < 0.7:
		return d.whole(2, 3)
	}
	return d.whole(3, 4)
}

// quality is the grade that the trader gives afterwards.
func (t *trade) quality(d dice) int {
	switch {
	case d.chance(0.1):
		return 0
	case !t.isByRules():
		return 1
	case t.mistake != "":
		return d.whole(1, 3)
	case t.ending == byFear:
		return d.whole(2, 3)
	}
	return pick(d, []int{3, 3, 4, 4, 4, 5})
}

// tagsOf chooses the tags, the mistake first.
func (w *world) tagsOf(t *trade, d dice, quality int) (list []string) {
	span := t.tape.days[t.at.session]
	move := math.Abs(math.Log(span.close/span.open)) / span.sigma
	last := t.actions[len(t.actions)-1].at.session
	for _, tag := range []struct {
		name  string
		holds bool
	}{
		{t.mistake, t.mistake != "" && d.chance(0.92)},
		{"Cut winner early", t.ending == byFear && d.chance(0.75)},
		{"A+ setup", quality == 5 && t.setup != "" && d.chance(0.55)},
		{"Trend day", move > 1.3 && d.chance(0.5)},
		{"Chop", move < 0.2 && d.chance(0.5)},
		{"Earnings", t.setup == "Earnings drift"},
		{"Scaled in", len(t.actions) > 1 && t.actions[1].opens > 0},
		{"Overnight", last > t.at.session && d.chance(0.6)},
		{"News", t.mistake == "Traded the news" || d.chance(0.03)},
	} {
		if tag.holds {
			list = append(list, tag.name)
		}
	}
	return list
}

// reviewed is when the trader went over the trade again: in the evening or at
// the weekend, and not yet for the newest.
func (w *world) reviewed(t *trade, d dice) time.Time {
	closed, over := t.closedAt()
	day := journal.DayOf(closed)
	if !over || day.DaysUntil(w.last) < d.whole(1, 5) || d.chance(0.07) {
		return time.Time{}
	}
	if d.chance(0.5) {
		day = day.AddDays((7 - day.Weekday()) % 7)
	}
	return onDay(min(day, w.last.AddDays(-1)), 20, d.IntN(60), newYork)
}

// note writes a few sentences on a trade: always what came of it, often why it
// was taken, sometimes the plan in figures and what is to be learned.
func (w *world) note(t *trade, d dice, count int) string {
	figures := t.figures(count)
	var parts []string
	style := d.Float64()
	if style < 0.7 {
		list := "why " + t.setup
		if t.setup == "" {
			list = "why none"
		}
		if t.isByRules() {
			parts = append(parts, w.words.say(d, list, figures...))
		}
	}
	if style < 0.3 && t.isByRules() {
		plan := "- **{side}** {size} {what} at {entry}\n- stop {stop}, target {target}\n- risk {risk}"
		parts = append(parts, strings.NewReplacer(figures...).Replace(plan))
	}
	parts = append(parts, w.words.say(d, t.endList(), figures...))
	switch {
	case t.mistake != "":
		parts = append(parts, w.words.say(d, "mistake "+t.mistake, figures...))
	case style > 0.5 || t.ending == byFear:
	case t.net().Sign() > 0:
		parts = append(parts, w.words.say(d, "lesson good"))
	case t.ending == byStop || t.ending == byTime:
		parts = append(parts, w.words.say(d, "lesson bad"))
	}
	return strings.Join(parts, "\n\n")
}

// endList names the list for the way the trade ended.
func (t *trade) endList() string {
	won, part := t.net().Sign() > 0, t.net().Float64()/t.money
	switch {
	case t.ending == stillOn || t.ending == byExpiry:
		return "end " + string(t.ending)
	case won && (t.ending == byTime || t.ending == byStop || t.ending == byEven && t.partial == 0):
		return "end time win"
	case won:
		return "end " + string(t.ending)
	case part > -0.6:
		return "end time loss"
	case t.best < 0.3:
		return "end stop early"
	}
	return "end stop"
}

// figures are the placeholders of sentences with their values.
func (t *trade) figures(count int) []string {
	digits := t.of.scale
	exit := t.result.AvgExit.Or(t.result.AvgEntry)
	side := "Short"
	if t.buys {
		side = "Long"
	}
	return []string{
		"{symbol}", t.of.symbol, "{what}", t.what(), "{side}", side, "{size}", t.result.QtyOpened.String(),
		"{entry}", fixed(t.result.AvgEntry, digits), "{exit}", fixed(exit, digits),
		"{stop}", fixed(t.stopPrice(), digits), "{target}", fixed(t.targetPrice(), digits),
		"{risk}", "$" + fixed(cents(t.money), 0), "{net}", money(t.net()), "{r}", multiple(t.net().Float64() / t.money),
		"{best}", multiple(t.best), "{worst}", multiple(t.worst), "{hold}", t.held(), "{count}", strconv.Itoa(count),
	}
}

// what returns the name of the instrument.
func (t *trade) what() string {
	if t.of.kind != kindOption {
		return t.of.symbol
	}
	return fmt.Sprintf("%s %s %s %s", t.of.symbol, t.contract.Expiry, t.contract.Strike, t.contract.Right)
}

// held is how long a closed trade took, in words.
func (t *trade) held() string {
	closed, _ := t.closedAt()
	switch took := closed.Sub(t.openedAt()); {
	case took < 2*time.Minute:
		return "a minute"
	case took < 2*time.Hour:
		return fmt.Sprintf("%d minutes", int(took.Minutes()))
	case took < 36*time.Hour:
		return fmt.Sprintf("%d hours", int(took.Hours()))
	default:
		return fmt.Sprintf("%d days", int(math.Round(took.Hours()/24)))
	}
}

// fixed writes a number with so many decimals.
func fixed(d decimal.Decimal, digits int32) string {
	text := d.Round(digits).String()
	_, fraction, _ := strings.Cut(text, ".")
	missing := int(digits) - len(fraction)
	if missing <= 0 {
		return text
	}
	if fraction == "" {
		text += "."
	}
	return text + strings.Repeat("0", missing)
}

// money writes an amount the way traders do.
func money(d decimal.Decimal) string {
	if d.Sign() < 0 {
		return "-$" + fixed(d.Neg(), 2)
	}
	return "+$" + fixed(d, 2)
}

// multiple writes a multiple of R.
func multiple(r float64) string { return strconv.FormatFloat(r, 'f', 1, 64) + "R" }

// sum adds up what closed trades made.
func sum(trades []*trade) (net decimal.Decimal, wins int) {
	for _, t := range trades {
		net = net.Add(t.net())
		if t.net().Sign() > 0 {
			wins++
		}
	}
	return net, wins
}
