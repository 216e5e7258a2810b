// Package oracle evaluates prop firm programs slowly, each test from its definition over
// everything that happened before it. It knows closed results only.
package oracle

import (
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/programs"
)

// Outcome is what the oracle predicts.
type Outcome struct {
	State   programs.State
	At      int64 // when it was passed or failed
	Kind    programs.Kind
	Trade   journal.TradeID
	Balance decimal.Decimal
	Floor   decimal.Null
	DayNet  decimal.Decimal
	Met     map[programs.Kind]bool
	// Nets has the result of each day with a fill, cash row or payout.
	Nets map[journal.Day]decimal.Decimal
}

// Begin returns the instant at which a program's day begins, by looking at each minute.
func Begin(bounds programs.DayBounds, day journal.Day) int64 {
	if bounds.Reset >= "12:00" {
		day = day.AddDays(-1)
	}
	return firstShown(bounds.Zone, day, bounds.Reset)
}

// firstShown returns the first instant at which the clocks show a time of a day or later.
func firstShown(zoneName string, day journal.Day, clock string) int64 {
	zone, err := time.LoadLocation(zoneName)
	if err != nil {
		panic(err)
	}
	wanted := string(day) + " " + clock
	for at := day.Time().Add(-16 * time.Hour); ; at = at.Add(time.Minute) {
		if at.In(zone).Format("2006-01-02 15:04") >= wanted {
			return at.UnixMicro()
		}
	}
}

type moment struct {
	at   int64
	kind string // reset, cash, payout, fill, flat
	// seq orders fills; index is the trade's or the rule's.
	seq   int64
	index int
	fill  programs.Fill
	cash  decimal.Decimal
	day   journal.Day // of a reset: the day that ends
}

type world struct {
	p       *programs.Program
	f       *programs.Facts
	begins  []int64 // of the days from the first on
	days    []journal.Day
	moments []moment
}

// Evaluate predicts the outcome.
func Evaluate(p *programs.Program, f *programs.Facts) Outcome {
	w := &world{p: p, f: f}
	w.listDays()
	w.listMoments()
	for k := range w.moments {
		if out, done := w.test(k); done {
			return out
		}
	}
	return w.outcome(len(w.moments)-1, programs.Active, 0, "", "")
}

func (w *world) listDays() {
	day := journal.DayOf(time.UnixMicro(w.f.StartedAt).UTC()).AddDays(-2)
	for Begin(w.p.Day, day.AddDays(1)) <= w.f.StartedAt {
		day = day.AddDays(1)
	}
	for begin := Begin(w.p.Day, day); begin <= w.f.Until; begin = Begin(w.p.Day, day) {
		w.days, w.begins = append(w.days, day), append(w.begins, begin)
		day = day.AddDays(1)
	}
}

func (w *world) listMoments() {
	isIn := func(at int64) bool { return at >= w.f.StartedAt && at <= w.f.Until }
	for i := 1; i < len(w.days); i++ {
		w.moments = append(w.moments, moment{at: w.begins[i], kind: "reset", day: w.days[i-1]})
	}
	for _, c := range w.f.Cash {
		if isIn(c.At) {
			w.moments = append(w.moments, moment{at: c.At, kind: "cash", cash: c.Amount})
		}
	}
	for _, p := range w.f.Payouts {
		if isIn(p.At) {
			w.moments = append(w.moments, moment{at: p.At, kind: "payout", cash: p.Gross})
		}
	}
	for i, t := range w.f.Trades {
		for _, fill := range t.Fills {
			if t.Fills[0].At >= w.f.StartedAt && isIn(fill.At) {
				w.moments = append(w.moments, moment{at: fill.At, kind: "fill", seq: fill.Seq, index: i, fill: fill})
			}
		}
	}
	for i, r := range w.p.Rules {
		if r.Kind != programs.FlatBy {
			continue
		}
		zone := r.Zone
		if zone == "" {
			zone = w.p.Day.Zone
		}
		for _, day := range append([]journal.Day{w.days[0].AddDays(-1)}, append(slices.Clone(w.days), w.days[len(w.days)-1].AddDays(1))...) {
			at := firstShown(zone, day, r.Time)
			if isIn(at) && (len(r.Weekday) == 0 || slices.Contains(r.Weekday, day.Weekday())) {
				w.moments = append(w.moments, moment{at: at, kind: "flat", index: i})
			}
		}
	}
	order := []string{"reset", "cash", "payout", "fill", "flat"}
	slices.SortStableFunc(w.moments, func(a, b moment) int {
		for _, d := range []int64{a.at - b.at, int64(slices.Index(order, a.kind) - slices.Index(order, b.kind)), a.seq - b.seq} {
			if d != 0 {
				return int(max(-1, min(1, d)))
			}
		}
		return 0
	})
}

func (w *world) dayOf(at int64) journal.Day {
	day := w.days[0]
	for i := range w.days {
		if w.begins[i] <= at {
			day = w.days[i]
		}
	}
	return day
}

// dayOfMoment returns the day a moment is judged on: a reset's is the one that ends.
func (w *world) dayOfMoment(k int) journal.Day {
	if w.moments[k].kind == "reset" {
		return w.moments[k].day
	}
	return w.dayOf(w.moments[k].at)
}

// balance returns the balance after moment k.
func (w *world) balance(k int) decimal.Decimal {
	sum := w.f.Start
	for _, m := range w.moments[:k+1] {
		switch m.kind {
		case "cash":
			sum = sum.Add(m.cash)
		case "payout":
			sum = sum.Sub(m.cash)
		case "fill":
			sum = sum.Add(m.fill.Net)
		}
	}
	return sum
}

// dayNets returns the results of days up to moment k, after moment from.
func (w *world) dayNets(from, k int) map[journal.Day]decimal.Decimal {
	nets := map[journal.Day]decimal.Decimal{}
	for i := from; i <= k; i++ {
		switch m := w.moments[i]; m.kind {
		case "cash":
			nets[w.dayOf(m.at)] = nets[w.dayOf(m.at)].Add(m.cash)
		case "fill":
			nets[w.dayOf(m.at)] = nets[w.dayOf(m.at)].Add(m.fill.Net)
		case "payout":
			nets[w.dayOf(m.at)] = nets[w.dayOf(m.at)].Add(decimal.Zero)
		}
	}
	return nets
}

// lastPayout returns the moment after the last payout up to k, and how many there were.
func (w *world) lastPayout(k int) (next, count int) {
	for i := 0; i <= k; i++ {
		if w.moments[i].kind == "payout" {
			next, count = i+1, count+1
		}
	}
	return next, count
}

// held returns the open quantity of each trade after moment k.
func (w *world) held(k int) map[int]decimal.Decimal {
	held := map[int]decimal.Decimal{}
	for _, m := range w.moments[:k+1] {
		if m.kind == "fill" {
			if held[m.index] = held[m.index].Add(m.fill.Quantity); held[m.index].IsZero() {
				delete(held, m.index)
			}
		}
	}
	return held
}

func (w *world) contracts(k int, micro decimal.Null) decimal.Decimal {
	sum := decimal.Zero
	for index, quantity := range w.held(k) {
		switch w.f.Trades[index].Size {
		case programs.FullContract:
			sum = sum.Add(quantity)
		case programs.MicroContract:
			sum = sum.Add(quantity.Mul(micro.Or(decimal.Must("0.1"))))
		case programs.NoContract:
		}
	}
	return sum
}

func (w *world) amount(r *programs.Rule, of decimal.Decimal) decimal.Decimal {
	if r.Amount.Valid {
		return r.Amount.Decimal
	}
	return r.Fraction.Decimal.Mul(of)
}

func (w *world) payoutEffect() string {
	effect := programs.FloorKeep
	for _, r := range w.p.Rules {
		if r.Kind == programs.Payouts && r.Floor != "" {
			effect = r.Floor
		}
	}
	return effect
}

// floor returns the floor that is tested at moment k, before what happens at it raises it:
// the highest level of any earlier moment that raises it.
func (w *world) floor(r *programs.Rule, k int) decimal.Decimal {
	effect, lost := w.payoutEffect(), w.amount(r, w.f.Start)
	taken, stopped := decimal.Zero, false
	level := func(balance decimal.Decimal) decimal.Decimal {
		value := balance.Sub(lost)
		if r.Lock != nil {
			value = decimal.Min(value, w.f.Start.Add(r.Lock.Offset).Sub(taken))
		}
		if stopped {
			value = decimal.Min(value, w.f.Start)
		}
		return value
	}
	floor := level(w.f.Start)
	for i := range k {
		m := w.moments[i]
		switch {
		case m.kind == "payout" && effect == programs.FloorByAmount:
			floor, taken = floor.Sub(m.cash), taken.Add(m.cash)
		case m.kind == "payout" && effect == programs.FloorToInitial:
			floor, stopped = decimal.Max(floor, w.f.Start), true
		case m.kind == "reset" && r.Mode == programs.TrailingEOD,
			m.kind == "fill" && m.fill.Quantity.Sign() < 0 && (r.Mode == programs.TrailingClosed || r.Mode == programs.TrailingOpen):
			floor = decimal.Max(floor, level(w.balance(i)))
		}
	}
	return floor
}

// balanceAtReset returns the balance at the beginning of a day.
func (w *world) balanceAtReset(day journal.Day) decimal.Decimal {
	balance := w.f.Start
	for k, m := range w.moments {
		if m.kind == "reset" && m.day < day {
			balance = w.balance(k)
		}
	}
	return balance
}

func isBelow(r *programs.Rule, value, limit decimal.Decimal) bool {
	return value.Cmp(limit) < 0 || value.Equal(limit) && r.Test != programs.TestBelow
}

// lossToday reports whether a day's result reaches the daily loss at moment k.
func (w *world) lossToday(r *programs.Rule, k int) bool {
	basis := w.f.Start
	if r.Basis == programs.BasisAnchor {
		basis = w.balanceAtReset(w.dayOfMoment(k))
	}
	return isBelow(r, w.dayNets(0, k)[w.dayOfMoment(k)], w.amount(r, basis).Neg())
}

// testsLossAt reports whether daily losses are tested at moment k.
func (w *world) testsLossAt(r *programs.Rule, k int) bool {
	m := w.moments[k]
	if r.Evaluation == programs.DayEnd {
		return m.kind == "reset"
	}
	return m.kind == "fill" && m.fill.Quantity.Sign() < 0
}

// fillDays returns the days with a fill, or with an opening, up to moment k.
func (w *world) fillDays(k int, openingsOnly bool) map[journal.Day]bool {
	days, seen := map[journal.Day]bool{}, map[int]bool{}
	for _, m := range w.moments[:k+1] {
		if m.kind == "fill" && (!openingsOnly || !seen[m.index]) {
			days[w.dayOf(m.at)] = true
			seen[m.index] = true
		}
	}
	return days
}

// test tests moment k.
func (w *world) test(k int) (Outcome, bool) {
	m := w.moments[k]
	for i := range w.p.Rules {
		r := &w.p.Rules[i]
		if trade, breached := w.isBreached(r, i, k); breached {
			return w.outcome(k, programs.Failed, m.at, r.Kind, trade), true
		}
	}
	closes := m.kind == "fill" && m.fill.Quantity.Sign() < 0
	if closes && len(w.held(k)) == 0 && (w.p.Phase == "evaluation" || w.p.Phase == "verification") && w.allMet(k) {
		return w.outcome(k, programs.Passed, m.at, "", ""), true
	}
	return Outcome{}, false
}

func (w *world) isBreached(r *programs.Rule, index, k int) (trade journal.TradeID, breached bool) {
	m := w.moments[k]
	if m.kind == "fill" {
		trade = w.f.Trades[m.index].ID
	}
	switch r.Kind {
	case programs.MaxLoss:
		return trade, m.kind == "fill" && m.fill.Quantity.Sign() < 0 && isBelow(r, w.balance(k), w.floor(r, k))
	case programs.DailyLoss:
		return w.lossTrade(k, trade), w.testsLossAt(r, k) && w.lossToday(r, k) && w.failsByLoss(r, k)
	case programs.MaxContracts:
		return trade, m.kind == "fill" && w.contracts(k, r.Micro).Cmp(decimal.New(int64(r.N))) > 0
	case programs.ScalingPlan:
		allowed, profit := r.N, w.balanceAtReset(w.dayOfMoment(k)).Sub(w.f.Start)
		for _, s := range r.Steps {
			if profit.Cmp(s.Above) > 0 {
				allowed = s.N
			}
		}
		return trade, m.kind == "fill" && w.contracts(k, r.Micro).Cmp(decimal.New(int64(allowed))) > 0
	case programs.FlatBy:
		if m.kind != "flat" || m.index != index || len(w.held(k)) == 0 {
			return "", false
		}
		oldest := len(w.f.Trades)
		for i := range w.held(k) {
			oldest = min(oldest, i)
		}
		return w.f.Trades[oldest].ID, true
	case programs.MaxDays:
		used := slices.Index(w.days, w.dayOfMoment(k)) + 1
		if r.Unit == programs.UnitTrading {
			used = len(w.fillDays(k, false))
		}
		return "", m.kind == "reset" && used >= r.N
	case programs.Inactivity:
		last := w.days[0]
		for day := range w.fillDays(k, false) {
			last = max(last, day)
		}
		return "", m.kind == "reset" && last.DaysUntil(m.day) >= r.Days
	default:
		return "", false
	}
}

// lossTrade returns the trade behind a daily loss: at a reset the last one closed that day.
func (w *world) lossTrade(k int, trade journal.TradeID) journal.TradeID {
	if w.moments[k].kind != "reset" {
		return trade
	}
	for _, m := range w.moments[:k] {
		if m.kind == "fill" && m.fill.Quantity.Sign() < 0 && w.dayOf(m.at) == w.moments[k].day {
			trade = w.f.Trades[m.index].ID
		}
	}
	return trade
}

// failsByLoss reports whether a daily loss at moment k ends the program.
func (w *world) failsByLoss(r *programs.Rule, k int) bool {
	switch r.Effect {
	case programs.Pause, programs.Warn:
		return false
	case programs.CountDays:
		days := map[journal.Day]bool{}
		for i := 0; i <= k; i++ {
			if w.testsLossAt(r, i) && w.lossToday(r, i) {
				days[w.dayOfMoment(i)] = true
			}
		}
		return len(days) >= r.Count.Number()
	default:
		return true
	}
}

func (w *world) allMet(k int) bool {
	required := 0
	for i := range w.p.Rules {
		r := &w.p.Rules[i]
		if r.Kind.IsRequirement() && r.EffectOrDefault() == programs.BlockPass {
			if required++; !w.met(r, k) {
				return false
			}
		}
	}
	return required > 0
}

func (w *world) met(r *programs.Rule, k int) bool {
	from, count := w.lastPayout(k)
	switch r.Kind {
	case programs.ProfitTarget:
		return w.balance(k).Sub(w.f.Start).Cmp(w.amount(r, w.f.Start)) >= 0 && len(w.held(k)) == 0
	case programs.MinDays:
		return len(w.fillDays(k, r.Count == programs.CountOpening)) >= r.N
	case programs.MinProfitDays:
		return w.profitDays(from, k, w.amount(r, w.f.Start)) >= r.N
	case programs.Consistency:
		return w.steady(from, k, r.Fraction.Decimal, r.Test == programs.TestBelow)
	default:
		take := w.balance(k).Sub(w.f.Start).Sub(r.Buffer.Or(decimal.Zero))
		if r.MaxAmount.Valid {
			take = decimal.Min(take, r.MaxAmount.Decimal)
		}
		return take.Sign() > 0 && take.Cmp(r.MinAmount.Or(decimal.Zero)) >= 0 && (r.MaxCount == 0 || count < r.MaxCount) &&
			(r.ProfitDays == nil || w.profitDays(from, k, r.ProfitDays.Amount) >= r.ProfitDays.N) &&
			(!r.Consistency.Valid || w.steady(from, k, r.Consistency.Decimal, false))
	}
}

func (w *world) profitDays(from, k int, minimum decimal.Decimal) (n int) {
	for _, net := range w.dayNets(from, k) {
		if net.Cmp(minimum) >= 0 {
			n++
		}
	}
	return n
}

func (w *world) steady(from, k int, share decimal.Decimal, below bool) bool {
	best, total := decimal.Zero, decimal.Zero
	for _, net := range w.dayNets(from, k) {
		best, total = decimal.Max(best, net), total.Add(net)
	}
	order := best.Cmp(share.Mul(total))
	return total.Sign() > 0 && (order < 0 || order == 0 && !below)
}

func (w *world) outcome(k int, state programs.State, at int64, kind programs.Kind, trade journal.TradeID) Outcome {
	out := Outcome{State: state, At: at, Kind: kind, Trade: trade, Balance: w.balance(k), Met: map[programs.Kind]bool{}, Nets: w.dayNets(0, k)}
	day := w.dayOf(w.f.Until)
	if state != programs.Active {
		day = w.dayOfMoment(k)
	}
	out.DayNet = out.Nets[day]
	for i := range w.p.Rules {
		r := &w.p.Rules[i]
		switch {
		case r.Kind == programs.MaxLoss:
			next := k + 1
			if state == programs.Failed {
				next = k // what happened at the breach no longer raises it
			}
			if floor := w.floor(r, next); !out.Floor.Valid || floor.Cmp(out.Floor.Decimal) > 0 {
				out.Floor = decimal.Of(floor)
			}
		case r.Kind.IsRequirement():
			out.Met[r.Kind] = w.met(r, k)
		}
	}
	return out
}
