package strategies

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/instruments"
)

const (
	// Window is the longest time between the first and the last opening of a strategy
	// without better evidence.
	Window = 5 * time.Minute
	// maxNear is how many trades after each one are tried as its companions. It bounds the
	// work in a busy minute.
	maxNear = 11
)

// detect adds proposals for the trades that no decision placed. What a stage proposes is
// not looked at by the next.
func (b *builder) detect() {
	b.detectOrders()
	b.detectShapes(ByInstant, func(l *Leg) (int64, bool) { return l.OpenedAt.Unix(), !l.DayOnly }, 0)
	b.detectShapes(ByWindow, func(l *Leg) (int64, bool) { return 0, !l.DayOnly }, Window)
	b.detectShapes(ByDay, func(l *Leg) (int64, bool) { return l.OpenedAt.Unix() / 86400, l.DayOnly }, 0)
	b.detectCovers()
}

// detectOrders proposes the trades that one order opened, whatever their shape.
func (b *builder) detectOrders() {
	orders := map[string][]*Leg{}
	var sequence []string
	for _, l := range b.free() {
		if l.OrderID == "" {
			continue
		}
		if orders[l.OrderID] == nil {
			sequence = append(sequence, l.OrderID)
		}
		orders[l.OrderID] = append(orders[l.OrderID], l)
	}
	for _, id := range sequence {
		legs := orders[id]
		if len(legs) > 1 && slices.ContainsFunc(legs, func(l *Leg) bool { return !l.Stock }) {
			b.propose(ByOrder, b.assignRoles(legs))
		}
	}
}

// candidate is a named shape among trades.
type candidate struct {
	legs []*Leg
	rank int
}

// detectShapes proposes named shapes among the trades with the same bucket, opened within a
// span. The largest shapes come first.
func (b *builder) detectShapes(evidence Evidence, bucket func(*Leg) (int64, bool), span time.Duration) {
	var pools [][]*Leg
	places := map[int64]int{}
	for _, l := range b.free() {
		key, wanted := bucket(l)
		if !wanted {
			continue
		}
		at, known := places[key]
		if !known {
			at = len(pools)
			places[key], pools = at, append(pools, nil)
		}
		pools[at] = append(pools[at], l)
	}
	for _, pool := range pools {
		for size := min(maxContracts, len(pool)); size > 1; size-- {
			b.takeShapes(evidence, findShapes(pool, size, span))
			pool = slices.DeleteFunc(pool, func(l *Leg) bool { return l.placed })
		}
	}
}

// takeShapes proposes candidates, best first, that share no trade.
func (b *builder) takeShapes(evidence Evidence, candidates []candidate) {
	slices.SortStableFunc(candidates, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(x.rank, y.rank), comparePlaces(x.legs, y.legs))
	})
	for _, c := range candidates {
		if !slices.ContainsFunc(c.legs, func(l *Leg) bool { return l.placed }) {
			b.propose(evidence, b.assignRoles(c.legs))
		}
	}
}

// comparePlaces orders sets of trades by their earliest differing trade.
func comparePlaces(a, b []*Leg) int {
	for i := range a {
		if order := compareLegs(a[i], b[i]); order != 0 {
			return order
		}
	}
	return 0
}

// findShapes returns the named shapes with a number of trades in a sorted pool. A span of 0
// means any: the pool is one instant or day.
func findShapes(pool []*Leg, size int, span time.Duration) (found []candidate) {
	chosen := make([]*Leg, 0, maxContracts)
	members := make([]Member, 0, maxContracts)
	var extend func(near []*Leg)
	extend = func(near []*Leg) {
		if len(chosen) == size {
			if !openTogether(chosen) {
				return
			}
			members = members[:0]
			for _, l := range chosen {
				members = append(members, Member{Leg: l, Role: RoleLeg, Quantity: l.Quantity})
			}
			if kind, _ := Recognize(members); kind != Custom && kind != Single {
				found = append(found, candidate{slices.Clone(chosen), slices.Index(kinds, kind)})
			}
			return
		}
		for i, l := range near {
			if canJoin(chosen, l, size) {
				chosen = append(chosen, l)
				extend(near[i+1:])
				chosen = chosen[:len(chosen)-1]
			}
		}
	}
	for i, first := range pool {
		end := min(len(pool), i+1+maxNear)
		for span > 0 && end > i+1 && pool[end-1].OpenedAt.Sub(first.OpenedAt) > span {
			end--
		}
		chosen = append(chosen[:0], first)
		extend(pool[i+1 : end])
	}
	return found
}

// canJoin reports whether a trade can be in a named shape with the chosen ones. It is a
// fast test before [Recognize]: shapes with four options have equally many of each, those
// with three at most twice as many of one, and a shape has one trade for each contract.
func canJoin(chosen []*Leg, l *Leg, size int) bool {
	for _, c := range chosen {
		if compareContracts(c, l) == 0 {
			return false
		}
		if c.Stock || l.Stock {
			if size > 3 {
				return false
			}
			continue
		}
		equal := c.Quantity.Abs().Equal(l.Quantity.Abs())
		if size == 4 && !equal {
			return false
		}
		if size == 3 && !equal {
			small, large := c.Quantity.Abs(), l.Quantity.Abs()
			if small.Cmp(large) > 0 {
				small, large = large, small
			}
			if !small.Add(small).Equal(large) {
				return false
			}
		}
	}
	return true
}

// openTogether reports whether all trades are open when the last of them opens.
func openTogether(legs []*Leg) bool {
	last := legs[0].OpenedAt
	for _, l := range legs {
		if l.OpenedAt.After(last) {
			last = l.OpenedAt
		}
	}
	return !slices.ContainsFunc(legs, func(l *Leg) bool { return !l.isOpenAt(last) })
}

// coverUse is a time in which shares cover options.
type coverUse struct {
	shares   decimal.Decimal
	from, to time.Time // to is zero while open
}

// detectCovers proposes a covered call for each short call opened while enough shares were
// held that cover nothing else.
func (b *builder) detectCovers() {
	var later, open []*Leg // stock trades by opening, and those that are open
	for _, l := range b.legs {
		if l.Stock && l.Quantity.Sign() > 0 && !l.placed {
			later = append(later, l)
		}
	}
	if len(later) == 0 {
		return
	}
	for _, l := range b.free() {
		for len(later) > 0 && later[0].OpenedAt.Before(l.OpenedAt) {
			open, later = append(open, later[0]), later[1:]
		}
		open = slices.DeleteFunc(open, func(s *Leg) bool { return !s.isOpenAt(l.OpenedAt) })
		if l.Stock || l.Right != instruments.Call || l.Quantity.Sign() > 0 {
			continue
		}
		needed := l.Size.Neg()
		at := slices.IndexFunc(open, func(s *Leg) bool { return b.freeShares(s, l.OpenedAt).Cmp(needed) >= 0 })
		if at < 0 {
			continue
		}
		cover := Member{Leg: open[at], Role: RoleCover, Quantity: needed}
		members := []Member{{Leg: l, Role: RoleLeg, Quantity: l.Quantity}, cover}
		b.useCover(cover, members)
		b.propose(ByCover, members)
	}
}

// useCover records that shares cover the other members from the first opening to the last
// closing.
func (b *builder) useCover(cover Member, members []Member) {
	s := Strategy{Members: members}
	use := coverUse{shares: cover.Quantity, from: s.OpenedAt()}
	if closed := s.ClosedAt(); closed != nil {
		use.to = *closed
	}
	b.covers[cover.Leg] = append(b.covers[cover.Leg], use)
}

// freeShares returns the shares held at an instant that cover nothing. Instants must
// ascend from call to call: uses that ended are dropped.
func (b *builder) freeShares(stock *Leg, at time.Time) decimal.Decimal {
	b.covers[stock] = slices.DeleteFunc(b.covers[stock], func(u coverUse) bool { return !u.to.IsZero() && !u.to.After(at) })
	held := stock.heldAt(at)
	for _, u := range b.covers[stock] {
		if !u.from.After(at) {
			held = held.Sub(u.shares)
		}
	}
	return held
}

// roll is an option that was closed while another was opened.
type roll struct{ from, to *Leg }

// linkRolls joins strategies that continue each other to chains: a leg is closed by a fill
// while a leg with the same right and sign opens, in one order or within the window. A lone
// option that is rolled becomes a proposal, so that the chain has it.
func (b *builder) linkRolls(propose bool) {
	place := map[*Leg]int{}
	for i := range b.found {
		for _, m := range b.found[i].Members {
			if m.Role != RoleCover {
				place[m.Leg] = i
			}
		}
	}
	locate := func(l *Leg) (int, bool) {
		if at, known := place[l]; known {
			return at, true
		}
		if !propose || l.placed {
			return 0, false
		}
		evidence := ByWindow
		if l.DayOnly {
			evidence = ByDay
		}
		b.propose(evidence, []Member{{Leg: l, Role: RoleLeg, Quantity: l.Quantity}})
		place[l] = len(b.found) - 1
		return place[l], true
	}
	links := newUnion()
	for _, r := range b.findRolls() {
		if i, known := place[r.from]; known {
			if j, same := place[r.to]; same && i == j {
				continue
			}
		}
		i, ok := locate(r.from)
		if !ok {
			continue
		}
		if j, ok := locate(r.to); ok {
			links.join(i, j)
		}
	}
	b.nameChains(links)
}

// findRolls returns the rolls, in order of their openings.
func (b *builder) findRolls() (rolls []roll) {
	var closings []*Leg
	for _, l := range b.legs {
		if !l.Stock && l.ClosedAt != nil && l.Traded {
			closings = append(closings, l)
		}
	}
	slices.SortFunc(closings, func(x, y *Leg) int {
		if order := x.ClosedAt.Compare(*y.ClosedAt); order != 0 {
			return order
		}
		return compareLegs(x, y)
	})
	byOrder := map[string][]*Leg{}
	for _, c := range closings {
		if c.CloseOrder != "" {
			byOrder[c.CloseOrder] = append(byOrder[c.CloseOrder], c)
		}
	}
	for _, l := range b.legs {
		if l.Stock {
			continue
		}
		if at := slices.IndexFunc(byOrder[l.OrderID], func(c *Leg) bool { return continues(c, l) }); l.OrderID != "" && at >= 0 {
			rolls = append(rolls, roll{byOrder[l.OrderID][at], l})
			continue
		}
		reach := Window
		if l.DayOnly {
			reach = 0
		}
		from, _ := slices.BinarySearchFunc(closings, l.OpenedAt.Add(-reach), func(c *Leg, at time.Time) int { return c.ClosedAt.Compare(at) })
		var best *Leg
		for tried := 0; from < len(closings) && !closings[from].ClosedAt.After(l.OpenedAt.Add(reach)) && tried < maxNear; from, tried = from+1, tried+1 {
			if c := closings[from]; continues(c, l) && (best == nil || c.ClosedAt.Sub(l.OpenedAt).Abs() < best.ClosedAt.Sub(l.OpenedAt).Abs()) {
				best = c
			}
		}
		if best != nil {
			rolls = append(rolls, roll{best, l})
		}
	}
	return rolls
}

// continues reports whether l has the same right and sign as c, is another contract, and
// was opened after it.
func continues(c, l *Leg) bool {
	return c != l && c.Right == l.Right && c.Quantity.Sign() == l.Quantity.Sign() && c.OpenedAt.Before(l.OpenedAt) && compareContracts(c, l) != 0
}

// nameChains sets the ids of chains, which follow from their first strategies.
func (b *builder) nameChains(links *union) {
	firsts := map[int]int{}
	for i := range b.found {
		root := links.root(i)
		if first, known := firsts[root]; !known || compareStart(&b.found[i], &b.found[first]) < 0 {
			firsts[root] = i
		}
	}
	for i := range b.found {
		if root := links.root(i); links.size(root) > 1 {
			b.found[i].ChainID = newID("chain\n" + b.found[firsts[root]].ID)
		}
	}
}

func compareStart(a, b *Strategy) int {
	return cmp.Or(a.start.Compare(b.start), strings.Compare(a.ID, b.ID))
}

// union is a disjoint set of indexes.
type union struct {
	parent map[int]int
	count  map[int]int
}

func newUnion() *union { return &union{map[int]int{}, map[int]int{}} }

func (u *union) root(i int) int {
	for {
		parent, known := u.parent[i]
		if !known {
			return i
		}
		i = parent
	}
}

func (u *union) size(root int) int { return max(1, u.count[root]) }

func (u *union) join(i, j int) {
	i, j = u.root(i), u.root(j)
	if i == j {
		return
	}
	if u.size(i) < u.size(j) {
		i, j = j, i
	}
	u.parent[j], u.count[i] = i, u.size(i)+u.size(j)
}
