package programs

import (
	"maps"
	"slices"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Checkpoint is the state of an evaluation before everything at an instant or later. Another
// evaluation can go on from it if nothing before the instant differs. It never changes.
type Checkpoint struct {
	At int64
	// Carried are the trades opened before the instant that have later fills or stay open, in
	// opening order. Their later fills may differ.
	Carried []Trade

	state evaluator // its trades are places in Carried
}

// Bytes returns the approximate size in memory without what is shared with the checkpoint
// before, which may be nil.
func (c *Checkpoint) Bytes(before *Checkpoint) int {
	const head, perRule, perTrade, perFill, perDay = 1 << 10, 300, 200, 64, 400
	n := head + perRule*len(c.state.rules)
	for i := range c.Carried {
		n += perTrade + perFill*len(c.Carried[i].Fills)
	}
	if days := c.state.days; len(days) > 0 && (before == nil || len(before.state.days) == 0 || &before.state.days[0] != &days[0]) {
		n += perDay * len(days)
	}
	return n
}

// settledTrades is what the end of an evaluation needs of trades that ended before a
// checkpoint.
type settledTrades struct {
	counts      bool  // one of them counts
	isUnbounded bool  // one of them has no excursion
	first       int64 // the first opening
	lastFill    int64
	after       int // opened after the enrollment was passed or failed
}

// Fit is whether an evaluation can go on from a checkpoint.
type Fit int

// The answers. With EndsBefore, the present trades end before the checkpoint; an earlier one
// may fit. With OtherBounds, they change whether open profit is bounded; no other
// checkpoint of that evaluation fits.
const (
	Fits Fit = iota
	EndsBefore
	OtherBounds
)

// EvaluateFrom is [Evaluate] from a checkpoint on, which may be nil. The trades of the facts
// must be those that the checkpoint carries, in their present state, and all trades opened
// at its instant or later, in opening order.
//
// It makes a checkpoint for each mark, which are instants in order; some may be left out.
func EvaluateFrom(p *Program, facts *Facts, from *Checkpoint, marks []int64) (*Result, []*Checkpoint, Fit) {
	clock, err := newDayClock(p.Day)
	if err != nil {
		panic("programs: " + err.Error()) // the program was not checked
	}
	e := newEvaluator(p, facts, clock)
	if from != nil {
		e = from.resume(p, facts, clock)
	}
	bounded := e.isBounded()
	if from != nil {
		if bounded != e.bounded {
			return nil, nil, OtherBounds
		}
		if _, last := e.tradedTime(); last < from.At || facts.Until < from.At {
			return nil, nil, EndsBefore
		}
	}
	e.bounded, e.marks = bounded, &markList{marks: marks, settled: e.settled}
	events := e.listEvents()
	if from != nil {
		e.goOn(events, newDayTable(clock, e.day), 1)
	} else {
		e.run(events, newDayTable(clock, clock.dayAt(facts.StartedAt)), 0)
	}
	e.markRest()
	out := e.result()
	out.ValidUntil, out.LastFill = e.nextChange()-1, e.lastFill()
	return out, e.marks.made, Fits
}

// resume returns an evaluator that goes on from the checkpoint.
func (c *Checkpoint) resume(p *Program, facts *Facts, clock dayClock) *evaluator {
	e := c.state
	e.program, e.facts, e.clock, e.resumedAt = p, facts, clock, c.At
	e.rules, e.held, e.days = slices.Clone(e.rules), maps.Clone(e.held), slices.Clip(e.days)
	for i := range e.rules {
		e.rules[i].Rule = &p.Rules[i]
	}
	return &e
}

// markList makes checkpoints during an evaluation.
type markList struct {
	marks []int64 // still to come
	made  []*Checkpoint
	// next is the first trade that was not opened before the last mark, and active are the
	// trades before it that have not ended.
	next   int
	active []int
	// settled are all trades that ended before the last mark.
	settled settledTrades
}

// markBefore makes the checkpoints before an event.
func (e *evaluator) markBefore(at int64) {
	m := e.marks
	for m != nil && len(m.marks) > 0 && m.marks[0] <= at {
		e.mark(m.marks[0])
		m.marks = m.marks[1:]
	}
}

// markRest makes the checkpoints after the end of the enrollment. Without an end there is no
// event after them, and nothing to go on with.
func (e *evaluator) markRest() {
	for _, at := range e.marks.marks {
		if e.state != "" && at > e.ended && at <= e.facts.Until {
			e.mark(at)
		}
	}
}

func (e *evaluator) mark(at int64) {
	m := e.marks
	for ; m.next < len(e.facts.Trades) && e.facts.Trades[m.next].OpenedAt < at; m.next++ {
		m.active = append(m.active, m.next)
	}
	m.active = slices.DeleteFunc(m.active, func(i int) bool {
		t := &e.facts.Trades[i]
		if len(t.Fills) == 0 || t.Fills[len(t.Fills)-1].At >= at || !t.held().IsZero() {
			return false
		}
		e.settle(t)
		return true
	})
	c := &Checkpoint{At: at, Carried: make([]Trade, len(m.active)), state: *e}
	places := make(map[int]int, len(m.active))
	for place, i := range m.active {
		c.Carried[place], places[i] = e.facts.Trades[i], place
	}
	c.state.facts, c.state.program, c.state.marks, c.state.settled = nil, nil, nil, m.settled
	c.state.rules, c.state.held = slices.Clone(e.rules), make(map[int]decimal.Decimal, len(e.held))
	for i := range c.state.rules {
		c.state.rules[i].Rule = nil
	}
	for i, held := range e.held {
		if place, isCarried := places[i]; isCarried {
			c.state.held[place] = held
		} else {
			c.state.held[-1-i] = held // the enrollment ended while the trade was open
		}
	}
	c.state.openedAlone = nil
	if alone := e.openedAlone; alone != nil {
		if place, isCarried := places[alone.trade]; isCarried {
			moved := *alone
			moved.trade = place
			c.state.openedAlone = &moved
		}
	}
	m.made = append(m.made, c)
}

// settle adds a trade that has ended.
func (e *evaluator) settle(t *Trade) {
	s := &e.marks.settled
	if t.Fills[0].At < e.facts.StartedAt {
		return
	}
	if !s.counts || t.Fills[0].At < s.first {
		s.first = t.Fills[0].At
	}
	s.counts = true
	s.isUnbounded = s.isUnbounded || t.Excursion == nil
	s.lastFill = max(s.lastFill, t.Fills[len(t.Fills)-1].At)
	if e.state != "" && t.Fills[0].At > e.ended {
		s.after++
	}
}

// HasSameStart reports whether a trade carried by the checkpoint has the same fills before
// its instant.
func (c *Checkpoint) HasSameStart(place int, t *Trade) bool {
	old := &c.Carried[place]
	if old.ID != t.ID || old.OpenedAt != t.OpenedAt || old.Size != t.Size || c.state.bounded && !sameExcursion(old.Excursion, t.Excursion) {
		return false
	}
	before, now := old.before(c.At), t.before(c.At)
	return slices.EqualFunc(before, now, func(a, b Fill) bool {
		return a.At == b.At && a.Seq == b.Seq && a.Quantity.Equal(b.Quantity) && a.Net.Equal(b.Net)
	})
}

// FindCarried returns a trade's place in Carried, -1 if it is not there.
func (c *Checkpoint) FindCarried(id journal.TradeID) int {
	return slices.IndexFunc(c.Carried, func(t Trade) bool { return t.ID == id })
}

// WithCarried returns the checkpoint with another state of a trade that it carries.
func (c *Checkpoint) WithCarried(place int, t *Trade) *Checkpoint {
	out := *c
	out.Carried = slices.Clone(c.Carried)
	out.Carried[place] = *t
	return &out
}

// before returns the fills before an instant.
func (t *Trade) before(at int64) []Fill {
	n := 0
	for n < len(t.Fills) && t.Fills[n].At < at {
		n++
	}
	return t.Fills[:n]
}

func sameExcursion(a, b *Excursion) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.LossLow.Equal(b.LossLow) && a.LossHigh.Equal(b.LossHigh) && a.ProfitLow.Equal(b.ProfitLow) && a.ProfitHigh.Equal(b.ProfitHigh)
}
