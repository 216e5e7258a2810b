package oracle

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
)

// Link is a corporate action on the position open in stream From at an instant. It
// multiplies the position and moves it to stream To, which may be the same. Cash is paid per
// unit for CostShare of its cost; both may be nil. A spin-off leaves the position and opens
// one in To for CostShare of its cost.
type Link struct {
	Split
	From, To        int
	SpinOff         bool
	Cash, CostShare *big.Rat
}

// LinkedTrade is a trade with the stream in which it ends.
type LinkedTrade struct {
	Trade
	Stream int
	// OpenedAt is when it was opened.
	OpenedAt int64
}

// event is what a corporate action makes of a trade, as a cut without a fill: cash for a
// part of its cost, cost that leaves, cost and quantity that arrive, or its departure.
type event struct {
	kind eventKind
	// cost is what leaves or arrives, or what cash pays for; cash is the cash.
	cost, cash *big.Rat
	multiplier *big.Rat
}

type eventKind int

const (
	eventCash eventKind = iota
	eventCostOut
	eventArrival
	eventDeparture
)

// lane is a stream between two links: the fills that are left, and the open trade's cuts.
type lane struct {
	rest    []Fill
	carried []cut
}

// RecomputeLinked returns the trades of streams between which links move positions, in no
// order, and what of each fill belongs to no trade. The links are in order.
func RecomputeLinked(streams [][]Fill, links []Link) (trades []LinkedTrade, left map[string]*big.Rat) {
	left = map[string]*big.Rat{}
	lanes := make([]lane, len(streams))
	for i := range streams {
		lanes[i].rest = sortFills(streams[i])
	}
	finish := func(stream int, cuts []cut) {
		trades = append(trades, LinkedTrade{newTrade(cuts), stream, cuts[0].fill.At})
	}
	passUntil := func(stream, n int) {
		l := &lanes[stream]
		closings, more := cutToClosings(l.rest[:n], position(l.carried))
		maps.Copy(left, more)
		l.rest = l.rest[n:]
		for _, cuts := range cutAtFlatPoints(buildAxis(l.carried, closings)) {
			if l.carried = nil; position(cuts).Sign() != 0 {
				l.carried = cuts
			} else {
				finish(stream, cuts)
			}
		}
	}
	for _, link := range links {
		for _, stream := range slices.Compact([]int{link.From, link.To}) {
			n, _ := slices.BinarySearchFunc(lanes[stream].rest, link.At, func(f Fill, at int64) int { return cmp.Compare(f.At, at) })
			passUntil(stream, n)
		}
		from, to := &lanes[link.From], &lanes[link.To]
		before := position(from.carried)
		if before.Sign() == 0 {
			continue
		}
		if link.From == link.To {
			from.carried = link.move(from.carried)
			continue
		}
		held := position(to.carried)
		switch {
		case held.Sign() != 0 && held.Sign() != before.Sign():
		case link.SpinOff:
			cost := link.share(openCost(from.carried), link.CostShare)
			multiplier := from.carried[0].multiplier()
			if link.CostShare == nil {
				cost = new(big.Rat)
			}
			from.carried = append(from.carried, cut{fill: Fill{Buy: before.Sign() > 0}, event: &event{kind: eventCostOut, cost: cost}}.empty())
			to.carried = append(to.carried, link.arrival(before.Sign() > 0, link.units(abs(before)), cost, multiplier))
		case held.Sign() != 0:
			moved := link.move(from.carried)
			to.carried = append(to.carried, link.arrival(before.Sign() > 0, abs(position(moved)), openCost(moved), moved[0].multiplier()))
			finish(link.From, append(moved, cut{
				fill: Fill{Buy: before.Sign() < 0, Kind: "removal"}, quantity: abs(position(moved)), fees: new(big.Rat), commission: new(big.Rat),
				event: &event{kind: eventDeparture, cost: openCost(moved), multiplier: moved[0].multiplier()},
			}))
			from.carried = nil
		default:
			to.carried, from.carried = link.move(from.carried), nil
		}
	}
	for i := range lanes {
		passUntil(i, len(lanes[i].rest))
		if len(lanes[i].carried) > 0 {
			finish(i, lanes[i].carried)
		}
	}
	return trades, left
}

// empty returns the cut without a quantity or costs.
func (c cut) empty() cut {
	c.quantity, c.fees, c.commission = new(big.Rat), new(big.Rat), new(big.Rat)
	return c
}

func (l Link) arrival(buy bool, quantity, cost, multiplier *big.Rat) cut {
	c := cut{fill: Fill{At: l.At, Buy: buy, Multiplier: multiplier}, event: &event{kind: eventArrival, cost: cost, multiplier: multiplier}}.empty()
	c.quantity = quantity
	return c
}

// multiplier returns the multiplier of a trade that begins with the cut.
func (c cut) multiplier() *big.Rat { return c.fill.Multiplier }

// units returns a quantity in the units after the link.
func (l Link) units(quantity *big.Rat) *big.Rat {
	if l.New == l.Old {
		return quantity
	}
	return roundQuantity(mul(quantity, big.NewRat(l.New, l.Old)))
}

// share returns a share of a cost: all, or rounded.
func (l Link) share(cost, share *big.Rat) *big.Rat {
	if share == nil || share.Cmp(big.NewRat(1, 1)) == 0 {
		return cost
	}
	return roundShare(mul(cost, share))
}

// move returns an open trade's cuts after the cash and in the new units.
func (l Link) move(cuts []cut) []cut {
	if l.Cash != nil {
		multiplier, cost := cuts[0].multiplier(), openCost(cuts)
		cash := mul(mul(abs(position(cuts)), l.Cash), multiplier)
		switch {
		case l.CostShare != nil:
			cost = l.share(cost, l.CostShare)
		case cash.Cmp(cost) < 0:
			cost = cash
		}
		cuts = append(slices.Clone(cuts), cut{fill: Fill{Buy: position(cuts).Sign() < 0}, event: &event{kind: eventCash, cost: cost, cash: cash}}.empty())
	}
	return l.convert(cuts)
}

// openCost returns the notional at which an open trade's position was entered.
func openCost(cuts []cut) *big.Rat {
	cost := pool{new(big.Rat), new(big.Rat)}
	priceRemovals(cuts)
	for _, c := range cuts {
		cost.pass(c, cuts[0].fill.Buy)
	}
	return cost.amount
}

// pass changes a pool of entry notional by a cut, and returns what the cut took from it.
func (p *pool) pass(c cut, buy bool) (taken *big.Rat) {
	switch {
	case c.rounding != nil:
		p.held = add(p.held, signed(c.quantity, c.fill.Buy == buy))
	case c.event != nil && (c.event.kind == eventCash || c.event.kind == eventCostOut):
		p.amount = sub(p.amount, c.event.cost)
	case c.fill.Buy == buy:
		p.held, p.amount = add(p.held, c.quantity), add(p.amount, c.notional())
	default:
		taken = p.takeShare(c.quantity)
		p.held = sub(p.held, c.quantity)
	}
	return taken
}
