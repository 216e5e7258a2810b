package demo

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/matching"
)

// desk is an account at work.
type desk struct {
	Account
	unit   float64 // the usual risk of a trade, in money
	charge func(*Execution)
	free   map[string]time.Time // until when each stream is in a trade
	flat   time.Time            // the end of the latest trade
	trades []*trade
	// aim is what the story wants the desk to have made by now and score what
	// it has made, both in usual risks.
	aim, score float64
}

// trade is a round trip as the trader lived it.
type trade struct {
	outcome
	of       instrument
	buys     bool // opens with a purchase; of an option this is not the plan's direction
	contract Contract
	day      journal.Day
	chapter  chapter
	setup    string
	mistake  string  // a tag; empty for a trade by the rules
	size     float64 // of the risk, beside the usual
	units    int64   // planned, in the smallest units
	money    float64 // risked
	fills    []*Execution
	result   matching.Trade // after settle
}

func newDesk(a deskAccount) *desk {
	return &desk{
		Account: a.Account, unit: a.unit, charge: a.charge, free: map[string]time.Time{},
	}
}

// deskAccount is an account with the way its broker charges.
type deskAccount struct {
	Account
	unit   float64
	charge func(*Execution)
}

// order is one order of a trade with its whole quantity.
type order struct {
	action
	quantity int64 // in the smallest units of the instrument
}

// orders turns shares of the size into whole quantities. What rounds to
// nothing is left out, and the last order closes all that is left.
func (o outcome) orders(size int64) (list []order) {
	held := int64(0)
	for _, a := range o.actions {
		quantity := int64(math.Round(float64(size) * a.opens))
		if a.closes > 0 {
			quantity = int64(math.Round(float64(held) * a.closes))
		}
		switch {
		case held == 0:
			quantity = max(quantity, 1)
			held = quantity
		case a.closes == 1:
			quantity, held = held, 0
		case quantity == 0 || a.closes > 0 && quantity >= held:
			continue
		case a.opens > 0:
			held += quantity
		default:
			held -= quantity
		}
		list = append(list, order{a, quantity})
	}
	return list
}

// stream names what a trade trades, as fills are grouped.
func (t *trade) stream() string {
	return fmt.Sprint(t.of.symbol, "|", t.contract.Right, "|", t.contract.Strike, "|", t.contract.Expiry)
}

// take brings a trade into the books, unless its stream is busy: a position
// cannot be two trades.
func (d *desk) take(t *trade, size int64, c dice, quote func(action) int) bool {
	begin, busy := t.tape.sessions[t.at.session].at(t.at.bar), d.free[t.stream()]
	if !begin.After(busy) || size < 1 {
		return false
	}
	d.carryOut(t, size, c, quote, busy)
	return true
}

// carryOut fills the orders of a trade, all of them behind an instant.
func (d *desk) carryOut(t *trade, size int64, c dice, quote func(action) int, at time.Time) {
	for _, o := range t.orders(size) {
		at = later(c, at, t.tape.sessions[o.at.session], o.at.bar)
		at = d.execute(t, o, at, c, quote(o.action))
	}
	d.free[t.stream()], d.flat = at, at
	if t.ending == stillOn {
		d.free[t.stream()] = at.AddDate(100, 0, 0)
	}
	d.trades = append(d.trades, t)
	d.keepScore(t)
}

// later is an instant inside a bar, behind the one before.
func later(c dice, before time.Time, s session, bar int) time.Time {
	at := s.at(bar).Add(time.Duration(c.IntN(int(s.width/time.Millisecond)-9000)) * time.Millisecond)
	if !at.After(before) {
		at = before.Add(time.Duration(c.whole(300, 1900)) * time.Millisecond)
	}
	return at
}

// execute fills an order, in up to three parts, and tells when it was done.
func (d *desk) execute(t *trade, o order, at time.Time, c dice, ticks int) time.Time {
	side := matching.Sell
	if (o.opens > 0) == t.buys {
		side = matching.Buy
	}
	for _, quantity := range split(c, o.quantity, t.of) {
		f := &Execution{
			Symbol: t.of.symbol, Kind: t.of.kind, Contract: t.contract, Side: side,
			Quantity: t.of.quantity(quantity), Price: t.of.price(ticks),
			Multiplier: decimal.New(t.of.multiplier), At: at,
		}
		d.charge(f)
		t.fills = append(t.fills, f)
		at = at.Add(time.Duration(c.whole(15, 900)) * time.Millisecond)
		if t.of.kind != kindOption {
			ticks += c.whole(-1, 1)
		}
	}
	return at
}

// split cuts an order into the parts in which the market fills it.
func split(c dice, quantity int64, of instrument) []int64 {
	atLeast := map[string]int64{kindStock: 60, kindOption: 4, kindFuture: 3, kindCrypto: 20_000_000}[of.kind]
	if quantity < atLeast || !c.chance(0.33) {
		return []int64{quantity}
	}
	first := max(quantity*int64(c.whole(20, 70))/100, 1)
	if rest := quantity - first; c.chance(0.3) && rest > 2 {
		return []int64{first, rest / 2, rest - rest/2}
	}
	return []int64{first, quantity - first}
}

// keepScore notes what a trade made, for the skill of the next. The two
// never drift far apart, so that luck or bad luck is not repaid for months.
func (d *desk) keepScore(t *trade) {
	const far = 6
	d.aim += t.chapter.edge * t.size
	if t.ending != stillOn {
		d.score += t.cash() / d.unit
	}
	d.aim = min(max(d.aim, d.score-far), d.score+far)
}

// cash is what the fills of a closed trade brought in, after costs.
func (t *trade) cash() (sum float64) {
	for _, f := range t.fills {
		notional := f.Price.Mul(f.Quantity).Mul(f.Multiplier).Float64()
		if f.Side == matching.Buy {
			notional = -notional
		}
		sum += notional - f.Fees.Float64() - f.Commission.Float64()
	}
	return sum
}

// settle puts the fills of the desk in order, gives them the broker's ids and
// works out what each trade made.
func (d *desk) settle() {
	all := map[*Execution]bool{}
	streams := map[string][]*Execution{}
	for _, t := range d.trades {
		for _, f := range t.fills {
			if !all[f] {
				streams[t.stream()] = append(streams[t.stream()], f)
			}
			all[f] = true
		}
	}
	d.number(all)
	opened := map[string]matching.Trade{}
	for _, fills := range streams {
		for _, result := range group(fills) {
			opened[result.Parts[0].FillID] = result
		}
	}
	slices.SortFunc(d.trades, func(a, b *trade) int { return a.openedAt().Compare(b.openedAt()) })
	for _, t := range d.trades {
		t.result = opened[t.fills[0].ID]
	}
}

// number sorts the fills by time and names them.
func (d *desk) number(all map[*Execution]bool) {
	fills := make([]*Execution, 0, len(all))
	for f := range all {
		fills = append(fills, f)
	}
	slices.SortFunc(fills, func(a, b *Execution) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Symbol, b.Symbol), cmp.Compare(a.Contract.Right, b.Contract.Right),
			a.Contract.Strike.Cmp(b.Contract.Strike), a.Quantity.Cmp(b.Quantity))
	})
	for i, f := range fills {
		f.ID = fmt.Sprintf("%s-%06d", d.Type[:2], 100_000+i*7)
		d.Fills = append(d.Fills, *f)
	}
}

// group works out the trades of one stream, as the ledger will.
func group(fills []*Execution) []matching.Trade {
	list := make([]matching.Fill, 0, len(fills))
	for _, f := range fills {
		list = append(list, matching.Fill{
			ID: f.ID, At: f.At.UnixMicro(), Side: f.Side, Quantity: f.Quantity, Price: f.Price,
			Multiplier: f.Multiplier, Fees: f.Fees, Commission: f.Commission,
		})
	}
	slices.SortFunc(list, matching.CompareFills)
	return matching.Group(list, matching.Head{})
}

func (t *trade) openedAt() time.Time { return t.fills[0].At }

// closedAt returns when the trade was closed, and whether it is closed.
func (t *trade) closedAt() (time.Time, bool) {
	at, closed := t.result.ClosedAt()
	return time.UnixMicro(at).UTC(), closed
}

// net is what a closed trade made.
func (t *trade) net() decimal.Decimal { return t.result.NetPnL.Decimal }
