package programs

import (
	"cmp"
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Facts are what happened in an enrollment. Instants are in microseconds since 1970.
type Facts struct {
	StartedAt int64
	// Until is the last instant that is evaluated.
	Until   int64
	Start   decimal.Decimal // the starting balance
	Trades  []Trade
	Cash    []Cash
	Payouts []Payout
	// SetAside are the breaches after which the user continued.
	SetAside []Breach
}

// Trade is a trade with its fills in time order. A trade opened before StartedAt does not
// count.
type Trade struct {
	ID   journal.TradeID
	Size ContractSize
	// OpenedAt is when the trade was opened, at its first fill or before. Only checkpoints use
	// it.
	OpenedAt int64
	Fills    []Fill
	// Excursion is what bars say about open profit; nil without bars.
	Excursion *Excursion
}

// ContractSize is how a trade counts in a limit for contracts.
type ContractSize int

// The contract sizes.
const (
	NoContract ContractSize = iota
	FullContract
	MicroContract
)

// Fill is a fill's part in a trade.
type Fill struct {
	At, Seq int64
	// Quantity is above 0 if the fill opens or adds, below 0 if it closes.
	Quantity decimal.Decimal
	// Net is a closing's result after costs.
	Net decimal.Decimal
}

// Excursion bounds a trade's largest open loss and profit, both 0 or above.
type Excursion struct{ LossLow, LossHigh, ProfitLow, ProfitHigh decimal.Decimal }

// Cash is a cash row that changes the balance.
type Cash struct {
	At     int64
	Amount decimal.Decimal
}

// Payout is a paid payout.
type Payout struct {
	At    int64
	Gross decimal.Decimal
}

// Breach is a breached limit.
type Breach struct {
	Kind Kind
	At   int64
	// Trade is the one that caused it; empty if none did.
	Trade journal.TradeID
}

// CompareFills orders fills by time.
func CompareFills(a, b *Fill) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Seq, b.Seq)) }

// event is one step of an evaluation. Exactly one of fill, cash, payout and rule is used.
type event struct {
	at, seq int64
	order   int // among events with the same instant
	trade   int // in Facts.Trades
	fill    *Fill
	amount  decimal.Decimal // cash and payouts
	rule    int             // a flat_by rule
}

// The order of events with the same instant.
const (
	cashEvent = iota
	payoutEvent
	fillEvent
	flatEvent
)

// listEvents returns what happened until the last instant, in order.
func (e *evaluator) listEvents() []event {
	f := e.facts
	from := max(f.StartedAt, e.resumedAt)
	isIn := func(at int64) bool { return at >= from && at <= f.Until }
	var list []event
	for i := range f.Trades {
		if t := &f.Trades[i]; len(t.Fills) == 0 || t.Fills[0].At < f.StartedAt {
			continue
		}
		for k := range f.Trades[i].Fills {
			if fill := &f.Trades[i].Fills[k]; isIn(fill.At) {
				list = append(list, event{at: fill.At, seq: fill.Seq, order: fillEvent, trade: i, fill: fill})
			}
		}
	}
	for _, c := range f.Cash {
		if isIn(c.At) {
			list = append(list, event{at: c.At, order: cashEvent, amount: c.Amount})
		}
	}
	for _, p := range f.Payouts {
		if isIn(p.At) {
			list = append(list, event{at: p.At, order: payoutEvent, amount: p.Gross})
		}
	}
	first, last := e.tradedTime()
	list = append(list, e.listDeadlines(max(first, e.resumedAt), last)...)
	slices.SortStableFunc(list, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order), cmp.Compare(a.seq, b.seq))
	})
	return list
}

// listDeadlines returns the instants between two others at which positions must be closed.
func (e *evaluator) listDeadlines(first, last int64) (list []event) {
	if e.deadlines != nil {
		return slices.DeleteFunc(slices.Clone(e.deadlines), func(d event) bool { return d.at < first || d.at > last })
	}
	for i := range e.rules {
		r := e.rules[i].Rule
		if r.Kind != FlatBy || first > last {
			continue
		}
		zone, minutes := e.clock.zone, 0
		if r.Zone != "" {
			zone, _ = journal.ParseZone("zone", r.Zone) // it was checked with the program
		}
		minutes, _ = parseTime("time", r.Time)
		for day := journal.DayOf(time.UnixMicro(first).In(zone)); ; day = day.AddDays(1) {
			at := wallInstant(day, minutes, zone)
			if at > last {
				break
			}
			if at >= first && (len(r.Weekday) == 0 || slices.Contains(r.Weekday, day.Weekday())) {
				list = append(list, event{at: at, order: flatEvent, rule: i})
			}
		}
	}
	return list
}

// lastFill returns the last fill of the trades that count, or 0.
func (e *evaluator) lastFill() int64 {
	f := e.facts
	last := e.settled.lastFill
	for i := range f.Trades {
		fills := f.Trades[i].Fills
		if len(fills) == 0 || fills[0].At < f.StartedAt {
			continue
		}
		for k := range fills {
			if fills[k].At <= f.Until {
				last = max(last, fills[k].At)
			}
		}
	}
	return last
}

// tradedTime returns the first opening that counts, and the last instant at which a trade
// may be open. first is above last without trades.
func (e *evaluator) tradedTime() (first, last int64) {
	f := e.facts
	first, last = f.Until+1, e.settled.lastFill
	if e.settled.counts {
		first = e.settled.first
	}
	for i := range f.Trades {
		t := &f.Trades[i]
		if len(t.Fills) == 0 || t.Fills[0].At < f.StartedAt || t.Fills[0].At > f.Until {
			continue
		}
		first = min(first, t.Fills[0].At)
		if !t.held().IsZero() {
			last = f.Until
			continue
		}
		last = max(last, min(t.Fills[len(t.Fills)-1].At, f.Until))
	}
	return first, last
}

// held returns the position that is left after the last fill.
func (t *Trade) held() decimal.Decimal {
	held := decimal.Zero
	for i := range t.Fills {
		held = held.Add(t.Fills[i].Quantity)
	}
	return held
}
