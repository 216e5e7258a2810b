package demo

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
)

// composeAccount returns an account with all its records.
func (s *simulation) composeAccount(sim *tradingAccount, pictures bool) Account {
	a := Account{NewAccount: ledger.NewAccount{
		Name: sim.Name, Broker: sim.Broker, Type: sim.Type, BaseCurrency: "USD", StartingBalance: decimal.New(sim.Balance),
	}, Fills: sim.fills, Cash: s.composeCash(sim)}
	counts := map[journal.Day]int{}
	illustrated := sim.illustratedTrades()
	for i, t := range sim.trades {
		counts[t.day]++
		isIllustrated := slices.Contains(illustrated, t)
		rng := newRandom("annotations", sim.Name, i)
		if skip := rng.chance(0.1 * (1.3 - t.phase.Care)); skip && !isIllustrated {
			continue
		}
		m := s.annotate(t, rng, counts[t.day])
		m.Rules = s.answerRules(m, t, newRandom("rules", sim.Name, i))
		a.Annotations = append(a.Annotations, m)
		if pictures && isIllustrated {
			name := strings.ToLower(t.Symbol) + "-" + string(t.day) + ".png"
			a.Pictures = append(a.Pictures, Picture{Opening: t.opening(), Name: name, PNG: drawChart(t)})
		}
	}
	a.addSpreads(sim.wings)
	return a
}

// addSpreads adds the spreads that wings are part of, and their annotations. The last two
// are not accepted yet, so they are proposed.
func (a *Account) addSpreads(wings []*trade) {
	for i, t := range wings {
		if i < len(wings)-2 {
			a.Spreads = append(a.Spreads, Spread{Openings: [2]string{t.sold.opening(), t.opening()}, At: t.openedAt()})
		}
		at := slices.IndexFunc(a.Annotations, func(m Annotations) bool { return m.Opening == t.sold.opening() })
		if at < 0 {
			continue
		}
		sold := &a.Annotations[at]
		m := Annotations{Opening: t.opening(), Setups: sold.Setups, ReviewedAt: sold.ReviewedAt}
		if sold.Stop.Valid {
			m.Stop = decimal.Of(decimal.Must("0.01")) // its whole premium is at risk
		}
		a.Annotations = append(a.Annotations, m)
	}
}

// illustratedTrades returns the trades with a picture: the best, the worst and the
// last two.
func (a *tradingAccount) illustratedTrades() []*trade {
	closed := slices.DeleteFunc(slices.Clone(a.trades), func(t *trade) bool { return !t.matched.IsClosed() })
	best, worst := findExtremes(closed)
	return append(closed[len(closed)-2:], best, worst)
}

// annotate returns a trade's annotations; it is the day's count-th trade.
func (s *simulation) annotate(t *trade, rng random, count int) Annotations {
	m := Annotations{Opening: t.opening(), Mood: s.chooseMood(t, rng), Confidence: t.rateConfidence(rng), Quality: t.rateQuality(rng)}
	if t.setup != "" && rng.chance(0.96) {
		m.Setups = []string{t.setup}
	}
	m.Tags = t.chooseTags(rng, m.Quality)
	if t.isByRules() || rng.chance(0.3) {
		m.Risk = sometimes(rng, 0.8, toCents(t.risk))
		m.Stop = sometimes(rng, 0.85, t.plannedPrice(-1))
		m.Target = sometimes(rng, 0.8, t.plannedPrice(t.target))
	}
	if t.matched.IsClosed() && t.option == nil && rng.chance(0.7) {
		m.Worst, m.Best = decimal.Of(toCents(-t.worst*t.risk)), decimal.Of(toCents(t.best*t.risk))
	}
	if rng.chance(0.35 + 0.55*t.phase.Care) {
		m.Notes = s.composeTradeNotes(t, rng, count)
	}
	m.ReviewedAt = s.chooseReviewTime(t, rng)
	return m
}

// answerRules returns whether a trade followed its setup's rules, for most reviewed
// trades. A trade with a mistake breaks about half of them.
func (s *simulation) answerRules(m Annotations, t *trade, rng random) (list []RuleAnswer) {
	at := slices.IndexFunc(s.Setups, func(setup Setup) bool { return slices.Contains(m.Setups, setup.Name) })
	if at < 0 || m.ReviewedAt.IsZero() || rng.chance(0.15) {
		return nil
	}
	broken := 0.01 + 0.1*(1-t.phase.Care)
	if t.net().Sign() < 0 {
		broken += 0.06
	}
	switch {
	case t.mistake != "":
		broken = 0.5
	case slices.Contains(m.Tags, "A+ setup"):
		broken = 0
	}
	for _, rule := range s.Setups[at].Checklist {
		state := playbook.RuleFollowed
		switch {
		case rng.chance(0.03):
			state = playbook.RuleNotApplicable
		case rng.chance(broken):
			state = playbook.RuleBroken
		}
		list = append(list, RuleAnswer{Rule: rule, State: state})
	}
	return list
}

// sometimes returns a value above zero with the given probability.
func sometimes(rng random, p float64, value decimal.Decimal) decimal.Null {
	return decimal.Null{Decimal: value, Valid: rng.chance(p) && value.Sign() > 0}
}

// isByRules reports whether the trader had a plan.
func (t *trade) isByRules() bool {
	return !slices.Contains([]string{"No plan", "Revenge trade", "Overtrading"}, t.mistake)
}

// plannedPrice returns the traded instrument's price gain multiples of R ahead of the
// entry.
func (t *trade) plannedPrice(gain float64) decimal.Decimal {
	return t.instrument.price(t.quote(action{at: t.at, price: t.level(t.entry(), gain)}))
}

func (s *simulation) chooseMood(t *trade, rng random) string {
	switch {
	case rng.chance(0.15):
		return ""
	case t.mistake != "" || t.phase.Care < 0.5 || rng.chance(0.12):
		return pick(rng, s.Phrases["mood bad"])
	case t.ending == byFear:
		return pick(rng, s.Phrases["mood fear"])
	}
	return pick(rng, s.Phrases["mood good"])
}

// rateConfidence returns a grade growing with the size.
func (t *trade) rateConfidence(rng random) int {
	switch {
	case rng.chance(0.12):
		return 0
	case t.size > 1.2:
		return rng.whole(4, 5)
	case t.size < 0.7:
		return rng.whole(2, 3)
	}
	return rng.whole(3, 4)
}

func (t *trade) rateQuality(rng random) int {
	switch {
	case rng.chance(0.1):
		return 0
	case !t.isByRules():
		return 1
	case t.mistake != "" || t.ending == byFear:
		return rng.whole(1, 3)
	}
	return pick(rng, []int{3, 3, 4, 4, 4, 5})
}

// chooseTags returns a trade's tags.
func (t *trade) chooseTags(rng random, quality int) (list []string) {
	day := t.series.days[t.at.session]
	move := math.Abs(math.Log(day.close/day.open)) / day.sigma
	for _, tag := range []struct {
		name    string
		applies bool
		chance  float64
	}{
		{t.mistake, t.mistake != "", 0.92},
		{"Cut winner early", t.ending == byFear, 0.75},
		{"A+ setup", quality == 5 && t.setup != "", 0.55},
		{"Trend day", move > 1.3, 0.5},
		{"Chop", move < 0.2, 0.5},
		{"Earnings", t.setup == "Earnings drift", 1},
		{"Scaled in", len(t.actions) > 1 && t.actions[1].opens > 0, 1},
		{"Overnight", t.lastAction().at.session > t.at.session, 0.6},
		{"News", true, 0.03},
	} {
		if tag.applies && rng.chance(tag.chance) {
			list = append(list, tag.name)
		}
	}
	return list
}

// chooseReviewTime returns when the trader reviewed the trade: on the evening or the
// weekend after it, and not yet for the newest trades.
func (s *simulation) chooseReviewTime(t *trade, rng random) time.Time {
	at, closed := t.closedAt()
	day := journal.DayOf(at)
	if !closed || day.DaysUntil(s.last) < rng.whole(1, 5) || rng.chance(0.07) {
		return time.Time{}
	}
	if rng.chance(0.5) {
		day = day.AddDays((7 - day.Weekday()) % 7)
	}
	return onDay(min(day, s.last.AddDays(-1)), 20, rng.IntN(60))
}

// composeTradeNotes returns some sentences on a trade: how it ended, often why it
// was taken, sometimes the plan in figures and a lesson.
func (s *simulation) composeTradeNotes(t *trade, rng random, count int) string {
	values := t.placeholders(count)
	var parts []string
	add := func(list string) { parts = append(parts, s.Phrases.choose(rng, list, values...)) }
	style := rng.Float64()
	if style < 0.7 && t.setup != "" && t.isByRules() {
		add("why " + t.setup)
	}
	if style < 0.3 && t.isByRules() {
		add("plan")
	}
	add(t.endingList())
	switch {
	case t.mistake != "":
		add("mistake " + t.mistake)
	case style > 0.5 || t.ending == byFear:
	case t.net().Sign() > 0:
		add("lesson good")
	case t.ending == byStop || t.ending == byTime:
		add("lesson bad")
	}
	return strings.Join(parts, "\n\n")
}

// endingList returns the list name for the way the trade ended.
func (t *trade) endingList() string {
	won := t.net().Sign() > 0
	switch {
	case t.ending == stillOn || t.ending == byExpiry:
		return "end " + string(t.ending)
	case won && (t.ending == byTime || t.ending == byStop || t.ending == byEven && t.partial == 0):
		return "end time win"
	case won:
		return "end " + string(t.ending)
	case t.net().Float64() > -0.6*t.risk:
		return "end time loss"
	case t.best < 0.3:
		return "end stop early"
	}
	return "end stop"
}

// placeholders returns the phrase placeholders with their values.
func (t *trade) placeholders(count int) []string {
	side := "Short"
	if t.buys {
		side = "Long"
	}
	name := t.Symbol
	if t.option != nil {
		name = fmt.Sprintf("%s %s %.0f %s", t.Symbol, t.contract.expiry, t.contract.strike, t.contract.right)
	}
	price := func(d decimal.Decimal) string { return strconv.FormatFloat(d.Float64(), 'f', int(t.Scale), 64) }
	closed, _ := t.closedAt()
	return []string{
		"{symbol}", t.Symbol, "{what}", name, "{side}", side, "{size}", t.matched.QtyOpened.String(),
		"{entry}", price(t.matched.AvgEntry), "{exit}", price(t.matched.AvgExit.Or(t.matched.AvgEntry)),
		"{stop}", price(t.plannedPrice(-1)), "{target}", price(t.plannedPrice(t.target)),
		"{risk}", fmt.Sprintf("$%.0f", t.risk), "{net}", formatMoney(t.net()), "{r}", fmt.Sprintf("%.1fR", t.net().Float64()/t.risk),
		"{best}", fmt.Sprintf("%.1fR", t.best), "{hold}", formatDuration(closed.Sub(t.openedAt())), "{count}", strconv.Itoa(count),
	}
}

// formatDuration returns a duration in words.
func formatDuration(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return "a minute"
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f minutes", d.Minutes())
	case d < 36*time.Hour:
		return fmt.Sprintf("%.0f hours", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}

// formatMoney returns an amount with its sign.
func formatMoney(d decimal.Decimal) string {
	text := fmt.Sprintf("%+.2f", d.Float64())
	return text[:1] + "$" + text[1:]
}
