package strategies

import (
	"slices"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/instruments"
)

// scale is for quotients that do not terminate.
const scale = 12

// Payoff has the numbers of an opening: the result at expiry, by the underlying's price.
type Payoff struct {
	// Known reports that all options expire on one day, so that the result depends on the
	// price alone.
	Known bool
	// MaxProfit is absent if it is unlimited or unknown, and negative if every price loses.
	MaxProfit decimal.Null
	// MaxLoss is positive or 0, and absent if it is unlimited or unknown. About marks the
	// bound for a calendar or diagonal, which early exercise can exceed.
	MaxLoss decimal.Null
	About   bool
	// LossAtZero reports that the largest loss lies at a price of 0 only.
	LossAtZero                     bool
	UnlimitedProfit, UnlimitedLoss bool
	// Breakevens ascend and are above 0.
	Breakevens []decimal.Decimal
}

// PayoffPoint is a result at a price.
type PayoffPoint struct {
	Price decimal.Decimal `json:"price"`
	PnL   decimal.Decimal `json:"pnl"`
}

// line is a result by price: linear between points, and with a slope after the last.
type line struct {
	points []PayoffPoint
	slope  decimal.Decimal
}

// NewPayoff returns the numbers of an opening, entry costs included.
func NewPayoff(members []Member) Payoff {
	if !hasOneExpiry(members) {
		return boundLoss(members)
	}
	l := newLine(members)
	p := Payoff{Known: true, UnlimitedProfit: l.slope.Sign() > 0, UnlimitedLoss: l.slope.Sign() < 0, Breakevens: l.roots()}
	lowest, highest := l.points[0].PnL, l.points[0].PnL
	for _, point := range l.points {
		lowest, highest = decimal.Min(lowest, point.PnL), decimal.Max(highest, point.PnL)
	}
	if !p.UnlimitedProfit {
		p.MaxProfit = decimal.Of(highest)
	}
	if !p.UnlimitedLoss {
		p.MaxLoss = decimal.Of(decimal.Max(decimal.Zero, lowest.Neg()))
		next := l.points[0].PnL.Add(l.slope) // without a strike
		if len(l.points) > 1 {
			next = l.points[1].PnL
		}
		p.LossAtZero = l.points[0].PnL.Equal(lowest) && next.Cmp(lowest) > 0
	}
	return p
}

// Lines returns the result of the opening by price, and that of what is open at its entry,
// with every strike and at least that many points. Each is empty if its options expire on
// different days, or if there are no members.
func Lines(s *Strategy, points int) (opening, open []PayoffPoint) {
	members, held := s.Opening(), OpenMembers(s.Members)
	opening, open = []PayoffPoint{}, []PayoffPoint{}
	all, rest := newLine(members), newLine(held)
	shape := rest
	if len(members) > 0 && hasOneExpiry(members) {
		shape = all
	}
	prices := pricesOf(shape, points)
	if shape == all {
		opening = all.at(prices)
	}
	if len(held) > 0 && hasOneExpiry(held) {
		open = rest.at(prices)
	}
	return opening, open
}

// Breakevens returns the prices at which open members and what was realized before are worth
// 0, or nil if the options expire on different days.
func Breakevens(open []Member, realized decimal.Decimal) []decimal.Decimal {
	if !hasOneExpiry(open) {
		return nil
	}
	l := newLine(open)
	for i := range l.points {
		l.points[i].PnL = l.points[i].PnL.Add(realized)
	}
	return l.roots()
}

// pricesOf returns the prices of a picture: from half the lowest strike to one and a half
// times the highest, with every strike and breakeven.
func pricesOf(l *line, points int) []decimal.Decimal {
	var prices []decimal.Decimal
	for _, p := range l.points[1:] {
		prices = append(prices, p.Price)
	}
	prices = append(prices, l.roots()...)
	if len(prices) == 0 {
		prices = append(prices, decimal.New(1))
	}
	slices.SortFunc(prices, decimal.Decimal.Cmp)
	low, high := prices[0], prices[len(prices)-1]
	span := decimal.Max(high.Sub(low), high.Mul(decimal.FromScaled(1, 1)))
	low, high = decimal.Max(decimal.Zero, low.Sub(span)), high.Add(span)
	for i := range max(points, 2) {
		prices = append(prices, low.Add(high.Sub(low).Mul(decimal.New(int64(i))).DivRound(decimal.New(int64(max(points, 2)-1)), 8)))
	}
	slices.SortFunc(prices, decimal.Decimal.Cmp)
	return slices.CompactFunc(prices, decimal.Decimal.Equal)
}

// hasOneExpiry reports whether all options expire on one day under one root.
func hasOneExpiry(members []Member) bool {
	var expiry journal.Day
	var root string
	some := false
	for _, m := range members {
		if m.Stock {
			continue
		}
		if some && (m.Expiry != expiry || m.Root != root) {
			return false
		}
		some, expiry, root = true, m.Expiry, m.Root
	}
	return true
}

// newLine returns the members' result at expiry.
func newLine(members []Member) *line {
	l := &line{points: []PayoffPoint{{}}}
	for _, m := range members {
		if !m.Stock {
			l.points = append(l.points, PayoffPoint{Price: m.Strike})
		}
		if m.Stock || m.Right == instruments.Call {
			l.slope = l.slope.Add(m.units())
		}
	}
	slices.SortFunc(l.points, func(a, b PayoffPoint) int { return a.Price.Cmp(b.Price) })
	l.points = slices.CompactFunc(l.points, func(a, b PayoffPoint) bool { return a.Price.Equal(b.Price) })
	for i := range l.points {
		l.points[i].PnL = valueAt(members, l.points[i].Price)
	}
	return l
}

// units returns the number of shares that the member delivers, negative if short.
func (m *Member) units() decimal.Decimal {
	if m.Role == RoleCover {
		return m.Quantity
	}
	return m.Size
}

// cost returns what the member cost at the opening. A cover costs its share of the
// position.
func (m *Member) cost() decimal.Decimal {
	if m.Role == RoleCover {
		return m.Paid.Mul(m.Quantity).DivAverage(m.Leg.Quantity)
	}
	return m.Paid.Add(m.Costs)
}

func valueAt(members []Member, price decimal.Decimal) decimal.Decimal {
	sum := decimal.Zero
	for i := range members {
		m := &members[i]
		worth := price
		if !m.Stock {
			worth = price.Sub(m.Strike)
			if m.Right == instruments.Put {
				worth = worth.Neg()
			}
			worth = decimal.Max(decimal.Zero, worth)
		}
		sum = sum.Add(worth.Mul(m.units())).Sub(m.cost())
	}
	return sum
}

// at returns the results at prices.
func (l *line) at(prices []decimal.Decimal) []PayoffPoint {
	out := make([]PayoffPoint, len(prices))
	for i, price := range prices {
		out[i] = PayoffPoint{Price: price, PnL: l.valueAt(price)}
	}
	return out
}

func (l *line) valueAt(price decimal.Decimal) decimal.Decimal {
	i := len(l.points) - 1
	for i > 0 && l.points[i].Price.Cmp(price) > 0 {
		i--
	}
	a := l.points[i]
	if i == len(l.points)-1 {
		return a.PnL.Add(l.slope.Mul(price.Sub(a.Price)))
	}
	b := l.points[i+1]
	return a.PnL.Add(b.PnL.Sub(a.PnL).Mul(price.Sub(a.Price)).DivAverage(b.Price.Sub(a.Price)))
}

// roots returns the prices above 0 at which the result is 0, and the ends of stretches
// where it is.
func (l *line) roots() []decimal.Decimal {
	roots := []decimal.Decimal{}
	last := len(l.points) - 1
	for i, p := range l.points {
		before := i > 0 && l.points[i-1].PnL.IsZero()
		after := i < last && l.points[i+1].PnL.IsZero() || i == last && l.slope.IsZero()
		if p.PnL.IsZero() && p.Price.Sign() > 0 && (!before || !after) {
			roots = append(roots, p.Price)
		}
		if i < last && p.PnL.Sign()*l.points[i+1].PnL.Sign() < 0 {
			roots = append(roots, crossing(p, l.points[i+1]))
		}
	}
	if end := l.points[last]; end.PnL.Sign()*l.slope.Sign() < 0 {
		roots = append(roots, end.Price.Mul(l.slope).Sub(end.PnL).DivAverage(l.slope))
	}
	return roots
}

// crossing returns the price between two points at which the result is 0.
func crossing(a, b PayoffPoint) decimal.Decimal {
	return a.Price.Mul(b.PnL).Sub(b.Price.Mul(a.PnL)).DivAverage(b.PnL.Sub(a.PnL))
}

// boundLoss returns what is known about options with several expiries: a long calendar or
// diagonal cannot lose more than was paid and the distance of its strikes, because the long
// option lives at least as long as the short one.
func boundLoss(members []Member) Payoff {
	kind, direction := Recognize(members)
	bounded := kind == Calendar || kind == Diagonal || kind == DoubleCalendar || kind == DoubleDiagonal
	if !bounded || direction != Long {
		return Payoff{}
	}
	loss := decimal.Zero
	for _, right := range []instruments.Right{instruments.Call, instruments.Put} {
		gap := decimal.Zero // Σ strike × units of the right
		for i := range members {
			if m := &members[i]; m.Right == right {
				gap = gap.Add(m.Strike.Mul(m.units()))
			}
		}
		if right == instruments.Put {
			gap = gap.Neg()
		}
		loss = loss.Add(decimal.Max(decimal.Zero, gap))
	}
	for i := range members {
		loss = loss.Add(members[i].cost())
	}
	return Payoff{MaxLoss: decimal.Of(decimal.Max(decimal.Zero, loss)), About: true}
}
