package rulecheck

import (
	"iter"
	"slices"

	"fillbook/internal/figures/analytics"
	"fillbook/internal/trading/rules"
)

// Judgement is a rule's verdicts on trades. It never changes; later judgements share its
// parts.
type Judgement struct {
	count int // trades
	gap   int // trades in a part; the last may have fewer
	parts []part
}

// part is the verdicts on a few trades in a row, and the state before them.
type part struct {
	before   walkState
	verdicts []Verdict
	breaks   []Break // as the walk found them
}

// usualGap makes a write evaluate at most about a thousand trades again, and costs less
// than a byte of state for each.
const usualGap = 1024

// Judge evaluates a rule. The trades must be all of its accounts, and may include others.
func Judge(rule *rules.Rule, trades analytics.Openings, facts *Facts) Judgement {
	return (&Judgement{}).Continue(rule, trades, facts, 0)
}

// Continue evaluates the same rule on trades that begin as those judged: same of them, as
// [analytics.Openings.CountSame] counts, and what the facts state about them. The rest is
// evaluated again.
func (j *Judgement) Continue(rule *rules.Rule, trades analytics.Openings, facts *Facts, same int) Judgement {
	n := len(trades.Trades)
	out := Judgement{count: n, gap: facts.Gap}
	if out.gap == 0 {
		out.gap = usualGap
	}
	if n == 0 {
		return out
	}
	state := newWalkState()
	if place := min(same, n-1) / out.gap; place > 0 && place < len(j.parts) && j.gap == out.gap && canContinue(rule) {
		out.parts = slices.Clone(j.parts[:place])
		state = j.parts[place].before.clone()
	}
	w := newWalker(rule, trades, facts)
	w.checkDay = rule.JudgesDay
	var last *part
	w.onPlace = func(i int) {
		if i%out.gap == 0 {
			w.forgetDays()
			out.parts = append(out.parts, part{before: w.clone(), verdicts: make([]Verdict, 0, min(out.gap, n-i))})
			last = &out.parts[len(out.parts)-1]
		}
	}
	w.onDayBreak = func(b Break) { last.breaks = append(last.breaks, b) }
	w.walkFrom(state, func(i int, v Verdict) {
		last.verdicts = append(last.verdicts, v)
		if v == Broken {
			last.breaks = append(last.breaks, Break{Place: int32(i), day: w.openDay(i), at: w.at, Value: w.value, Limit: w.limit})
		}
	})
	return out
}

// canContinue reports whether a rule's verdicts stay while trades and entries stay: they do
// unless they depend on the equity, which cash changes, or on the time.
func canContinue(rule *rules.Rule) bool { return !NeedsAll(rule) && rule.Kind != rules.ReviewBy }

// Verdict returns the verdict on the trade at a place.
func (j *Judgement) Verdict(i int) Verdict { return j.parts[i/j.gap].verdicts[i%j.gap] }

// Len returns how many trades were judged.
func (j *Judgement) Len() int { return j.count }

// Bytes returns the approximate memory used, for a cache limit. Judgements that share parts
// count them each.
func (j *Judgement) Bytes() int {
	const perPart, perDay, perBreak = 256, 160, 88
	n := 0
	for k := range j.parts {
		p := &j.parts[k]
		n += perPart + perDay*len(p.before.days) + cap(p.verdicts) + perBreak*cap(p.breaks)
	}
	return n
}

// eachBreak returns the breaks from the last to the first, as the walk found them. That is
// nearly their order.
func (j *Judgement) eachBreak() iter.Seq[*Break] {
	return func(yield func(*Break) bool) {
		for k := len(j.parts) - 1; k >= 0; k-- {
			breaks := j.parts[k].breaks
			for i := len(breaks) - 1; i >= 0; i-- {
				if !yield(&breaks[i]) {
					return
				}
			}
		}
	}
}

// ListBreaks returns the breaks by instant.
func (j *Judgement) ListBreaks() []*Break {
	return slices.SortedFunc(j.eachBreak(), compareBreaks)
}
