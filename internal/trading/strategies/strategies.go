// Package strategies finds out which trades were one decision: a vertical, an iron condor,
// a covered call. It has no database and no clock: the same trades and decisions always
// result in the same strategies, in whatever order they are given.
//
// Build returns the strategies for one account and underlying. Decisions of the user come
// first and are never changed; the other trades are grouped by evidence, strongest first.
// Recognize names a shape, NewPayoff computes its numbers, and strategies that continue
// each other form chains.
package strategies

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/google/uuid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/instruments"
)

// Leg is a trade as detection reads it: an option, or the underlying itself.
type Leg struct {
	Trade journal.TradeID
	// Key identifies the first fill, also after it was deleted and imported again.
	Key string
	// Keys identify all fills, if decisions must be found by them.
	Keys []string
	// Stock reports that the trade is in the underlying; the contract is empty then.
	Stock    bool
	Root     string
	Adjusted bool
	Right    instruments.Right
	Strike   decimal.Decimal
	Expiry   journal.Day
	// Quantity is what was opened, negative if short. Size is quantity × multiplier.
	Quantity, Size decimal.Decimal
	// Paid is the money paid for the opening, negative if received. Costs are those of the
	// opening fills.
	Paid, Costs decimal.Decimal
	OpenedAt    time.Time
	ClosedAt    *time.Time // nil while open
	// DayOnly reports that the opening's time is only a day.
	DayOnly bool
	// OrderID is the first opening fill's order, CloseOrder the last fill's of a closed
	// trade; empty if unknown.
	OrderID, CloseOrder string
	// Traded reports that the trade was closed by a fill, in contrast to an expiry or
	// assignment.
	Traded bool
	// Opens and Ends are the events that an assignment or exercise gave the first fill and
	// the last; empty for none.
	Opens, Ends string
	// Held is the position after each fill; only legs in stock have it.
	Held []Holding
	// Net and Gross are absent while the trade is open.
	Net, Gross decimal.Null
	Fees       decimal.Decimal
	// Closed is how much of an open trade's quantity was closed again, without sign, and
	// Realized the net result of that part.
	Closed, Realized decimal.Decimal

	placed bool // in a strategy, or decided to be in none
}

// Holding is a position from an instant on.
type Holding struct {
	At       time.Time
	Quantity decimal.Decimal
}

// isOpenAt reports whether the trade was open at an instant after its opening.
func (l *Leg) isOpenAt(at time.Time) bool {
	return l.ClosedAt == nil || l.ClosedAt.After(at) || l.DayOnly && !l.ClosedAt.Before(at)
}

// heldAt returns the position at an instant.
func (l *Leg) heldAt(at time.Time) decimal.Decimal {
	next := sort.Search(len(l.Held), func(i int) bool { return l.Held[i].At.After(at) })
	if next == 0 {
		return decimal.Zero
	}
	return l.Held[next-1].Quantity
}

// Role is a trade's part in a strategy.
type Role string

// The roles. A cover counts in shape and payoff, not in the result.
const (
	RoleLeg   Role = "leg"
	RoleStock Role = "stock"
	RoleCover Role = "cover"
)

// State is who placed the trades of a strategy.
type State string

// The states. An alone decision keeps its trades out of every strategy.
const (
	Proposed State = "proposed"
	Accepted State = "accepted"
	Manual   State = "manual"
	Alone    State = "alone"
)

// Evidence is the reason for a strategy.
type Evidence string

// The evidence, strongest first.
const (
	ByUser    Evidence = "user"
	ByOrder   Evidence = "order"
	ByInstant Evidence = "instant"
	ByWindow  Evidence = "window"
	ByDay     Evidence = "day"
	ByCover   Evidence = "cover"
)

// EvidenceNames lists the evidence, strongest first.
func EvidenceNames() []Evidence {
	return []Evidence{ByUser, ByOrder, ByInstant, ByWindow, ByDay, ByCover}
}

// isStrong reports whether a proposal with the evidence can be accepted by itself.
func (e Evidence) isStrong() bool { return e == ByOrder || e == ByInstant }

// Mode is what detection does.
type Mode string

// The modes.
const (
	DetectOff    Mode = "off"
	Propose      Mode = "propose"
	AcceptStrong Mode = "accept_strong"
)

// Modes lists the modes.
func Modes() []Mode { return []Mode{DetectOff, Propose, AcceptStrong} }

// Decision is what the user decided about some trades.
type Decision struct {
	ID    string
	State State
	// Kind is the user's name for the shape; empty for the detected one.
	Kind Kind
	// Evidence is what the strategy was proposed with, if the user accepted it.
	Evidence Evidence
	Members  []Decided
}

// Decided is a trade in a decision, with its fills' keys: the decision holds for every trade
// with one of these fills.
type Decided struct {
	Trade journal.TradeID `json:"trade_id,omitzero"`
	Keys  []string        `json:"keys"`
}

// Member is a trade in a strategy.
type Member struct {
	*Leg
	Role Role
	// Quantity is what was opened, negative if short, or the shares that a cover needs.
	Quantity decimal.Decimal
	// Later reports that the trade came by an assignment or exercise. It counts in the
	// result, and neither in the shape nor in the payoff of the opening.
	Later bool
}

// Strategy is a set of trades that were one decision.
type Strategy struct {
	ID       string
	State    State
	Evidence Evidence
	// Kind is the user's, or the shape of the opening.
	Kind      Kind
	KindBy    string // detected or user
	Direction Direction
	Members   []Member
	Payoff    Payoff
	// ChainID is empty unless the strategy continues another or is continued.
	ChainID string

	start time.Time // the opening, for sorting
}

// Legs returns the trades whose results belong to the strategy: all but the covers.
func (s *Strategy) Legs() []Member {
	return slices.DeleteFunc(slices.Clone(s.Members), func(m Member) bool { return m.Role == RoleCover })
}

// Opening returns the members of the opening, which shape and numbers come from.
func (s *Strategy) Opening() []Member {
	return slices.DeleteFunc(slices.Clone(s.Members), func(m Member) bool { return m.Later })
}

// OpenedAt returns the first member's opening, without covers.
func (s *Strategy) OpenedAt() time.Time {
	var first time.Time
	for _, m := range s.Members {
		if m.Role != RoleCover && (first.IsZero() || m.OpenedAt.Before(first)) {
			first = m.OpenedAt
		}
	}
	return first
}

// ClosedAt returns the last member's closing, or nil while a member is open.
func (s *Strategy) ClosedAt() *time.Time {
	var last *time.Time
	for _, m := range s.Members {
		switch {
		case m.Role == RoleCover:
		case m.ClosedAt == nil:
			return nil
		case last == nil || m.ClosedAt.After(*last):
			last = m.ClosedAt
		}
	}
	return last
}

// ListedAt returns the instant by which lists sort strategies, as those of trades: the
// closing, or the opening while a member is open.
func (s *Strategy) ListedAt() time.Time {
	if at := s.ClosedAt(); at != nil {
		return *at
	}
	return s.OpenedAt()
}

// OpenMembers returns what is open of members: open trades with the quantity that they still
// have, and its share of the money paid.
func OpenMembers(members []Member) (open []Member) {
	for _, m := range members {
		if m.ClosedAt != nil {
			continue
		}
		if m.Role != RoleCover && !m.Closed.IsZero() {
			left, whole := m.Leg.Quantity.Abs().Sub(m.Closed), m.Leg.Quantity.Abs()
			rest := *m.Leg
			for _, value := range []*decimal.Decimal{&rest.Quantity, &rest.Size, &rest.Paid, &rest.Costs} {
				*value = value.Mul(left).DivAverage(whole)
			}
			m.Leg, m.Quantity = &rest, rest.Quantity
		}
		open = append(open, m)
	}
	return open
}

// RealizedSoFar returns the net result of everything that was closed, parts of open trades
// included.
func (s *Strategy) RealizedSoFar() decimal.Decimal {
	sum := decimal.Zero
	for _, m := range s.Legs() {
		sum = sum.Add(m.Net.Or(m.Realized))
	}
	return sum
}

// Credit returns the money of the opening before costs, negative for a debit.
func (s *Strategy) Credit() decimal.Decimal {
	sum := decimal.Zero
	for _, m := range s.Opening() {
		if m.Role != RoleCover {
			sum = sum.Sub(m.Paid)
		}
	}
	return sum
}

// Result returns the sums over the members, and what closed members of an open strategy
// realized. net and gross are absent while a member is open.
func (s *Strategy) Result() (net, gross decimal.Null, fees, realized decimal.Decimal) {
	net, gross = decimal.Of(decimal.Zero), decimal.Of(decimal.Zero)
	for _, m := range s.Legs() {
		fees = fees.Add(m.Fees)
		if !m.Net.Valid {
			net.Valid, gross.Valid = false, false
			continue
		}
		net.Decimal, gross.Decimal = net.Decimal.Add(m.Net.Decimal), gross.Decimal.Add(m.Gross.Decimal)
	}
	if net.Valid {
		return net, gross, fees, decimal.Zero
	}
	return decimal.Null{}, decimal.Null{}, fees, net.Decimal
}

// Risk returns the money at risk of the opening: the largest loss, unless it is unlimited,
// unknown, or lies at a price of 0 only.
func (s *Strategy) Risk() decimal.Null {
	if s.Payoff.LossAtZero || s.Payoff.MaxLoss.Decimal.IsZero() {
		return decimal.Null{}
	}
	return s.Payoff.MaxLoss
}

// NearestExpiry returns the first expiry of the opening, empty without options.
func (s *Strategy) NearestExpiry() journal.Day {
	var first journal.Day
	for _, m := range s.Opening() {
		if !m.Stock && m.Expiry != "" && (first == "" || m.Expiry < first) {
			first = m.Expiry
		}
	}
	return first
}

// Build returns the strategies for the trades of one account and underlying, by opening.
// Trades that a decision names twice belong to the first of the sorted decisions.
func Build(legs []Leg, decisions []Decision, mode Mode) []Strategy {
	b := &builder{used: map[string]bool{}, legs: make([]*Leg, len(legs)), covers: map[*Leg][]coverUse{}, decidedCovers: map[*Leg]bool{}}
	legs = slices.Clone(legs)
	for i := range legs {
		b.legs[i] = &legs[i]
	}
	slices.SortFunc(b.legs, compareLegs)
	b.place(decisions)
	if mode != DetectOff {
		b.detect()
	}
	b.joinAssigned()
	b.linkRolls(mode != DetectOff)
	b.finish(mode)
	return b.found
}

// builder collects strategies.
type builder struct {
	legs []*Leg          // sorted
	used map[string]bool // ids of decisions
	// decided are the decisions with their trades.
	decided []resolved
	found   []Strategy
	// covers are the uses of a stock trade's shares; see freeShares.
	covers map[*Leg][]coverUse
	// decidedCovers are the shares that a decision has as a cover. They can cover more, but
	// are no legs of proposals.
	decidedCovers map[*Leg]bool
}

// compareLegs orders legs by opening, then by contract and key.
func compareLegs(a, b *Leg) int {
	if order := a.OpenedAt.Compare(b.OpenedAt); order != 0 { // cmp.Or would compare everything
		return order
	}
	if order := compareContracts(a, b); order != 0 {
		return order
	}
	return cmp.Or(strings.Compare(a.Key, b.Key), cmp.Compare(a.Trade, b.Trade))
}

// compareContracts orders the underlying first, then by expiry, strike and right.
func compareContracts(a, b *Leg) int {
	if a.Stock != b.Stock {
		if a.Stock {
			return -1
		}
		return 1
	}
	if a.Expiry != b.Expiry {
		return cmp.Compare(a.Expiry, b.Expiry)
	}
	if order := a.Strike.Cmp(b.Strike); order != 0 {
		return order
	}
	return cmp.Or(cmp.Compare(a.Right, b.Right), cmp.Compare(a.Root, b.Root))
}

// free returns the legs in no strategy and no decision.
func (b *builder) free() []*Leg {
	return slices.DeleteFunc(slices.Clone(b.legs), func(l *Leg) bool { return l.placed || b.decidedCovers[l] })
}

// place makes the strategies that the user decided on.
func (b *builder) place(decisions []Decision) {
	sorted := slices.Clone(decisions)
	slices.SortFunc(sorted, func(x, y Decision) int { return cmp.Compare(x.ID, y.ID) })
	b.decided = b.resolve(sorted)
	for i, d := range sorted {
		legs := b.decided[i].legs
		b.decided[i].Decision = d
		if d.State == Proposed {
			continue
		}
		b.used[d.ID] = true
		if len(legs) == 0 {
			continue
		}
		if d.State == Alone {
			b.take(legs)
			continue
		}
		members := slices.DeleteFunc(b.assignRoles(legs), func(m Member) bool { return m.Role != RoleCover && m.placed })
		if !slices.ContainsFunc(members, func(m Member) bool { return m.Role != RoleCover }) {
			continue
		}
		s := Strategy{ID: d.ID, State: d.State, Evidence: cmp.Or(d.Evidence, ByUser), Kind: d.Kind, Members: members}
		for _, m := range s.Members {
			if m.Role == RoleCover {
				b.useCover(m, s.Members)
				b.decidedCovers[m.Leg] = true
			} else {
				m.placed = true
			}
		}
		s.start = s.OpenedAt()
		b.found = append(b.found, s)
	}
}

// resolved is a decision with the trades that it is about now.
type resolved struct {
	Decision
	legs []*Leg // sorted
}

// resolve returns the trades for each decision: those that it names, and those with fills
// that it names. A trade that several decisions name belongs to the first. A stock trade
// may be in several: it can cover them.
func (b *builder) resolve(decisions []Decision) []resolved {
	out := make([]resolved, len(decisions))
	byTrade, byKey := map[journal.TradeID][]int{}, map[string][]int{}
	for i, d := range decisions {
		for _, m := range d.Members {
			if m.Trade != "" {
				byTrade[m.Trade] = append(byTrade[m.Trade], i)
			}
			for _, key := range m.Keys {
				byKey[key] = append(byKey[key], i)
			}
		}
	}
	for _, l := range b.legs {
		places := byTrade[l.Trade]
		for _, key := range l.Keys {
			if len(places) == 0 {
				places = byKey[key]
			}
		}
		var known []int
		for _, i := range places {
			decides := decisions[i].State != Proposed
			if slices.Contains(known, i) || decides && !l.Stock && slices.ContainsFunc(known, func(j int) bool { return decisions[j].State != Proposed }) {
				continue
			}
			known = append(known, i)
			out[i].legs = append(out[i].legs, l)
		}
	}
	return out
}

func (b *builder) take(legs []*Leg) {
	for _, l := range legs {
		l.placed = true
	}
}

// assignRoles returns the members for legs: shares held before the options are a cover,
// all others belong to the strategy.
func (b *builder) assignRoles(legs []*Leg) []Member {
	first := slices.IndexFunc(legs, func(l *Leg) bool { return !l.Stock })
	members := make([]Member, len(legs))
	needed := neededShares(legs)
	for i, l := range legs {
		members[i] = Member{Leg: l, Role: RoleLeg, Quantity: l.Quantity}
		if !l.Stock {
			continue
		}
		members[i].Role = RoleStock
		if first >= 0 && i < first && !openedTogether(l, legs[first]) && needed.Sign() != 0 && needed.Sign() == l.Quantity.Sign() {
			members[i].Role = RoleCover
			members[i].Quantity = smallerSize(needed, l.Quantity)
			needed = needed.Sub(members[i].Quantity)
		}
	}
	return members
}

// smallerSize returns the one of two numbers with the same sign that is nearer to 0.
func smallerSize(a, b decimal.Decimal) decimal.Decimal {
	if a.Abs().Cmp(b.Abs()) <= 0 {
		return a
	}
	return b
}

// neededShares returns the shares that cover the legs: positive for short calls or long
// puts, negative for the opposite.
func neededShares(legs []*Leg) decimal.Decimal {
	calls, puts := decimal.Zero, decimal.Zero
	for _, l := range legs {
		switch {
		case l.Stock:
		case l.Right == instruments.Call:
			calls = calls.Sub(l.Size)
		default:
			puts = puts.Add(l.Size)
		}
	}
	if calls.IsZero() {
		return puts
	}
	return calls
}

// openedTogether reports whether two trades were opened by one order, within the window,
// or on one day if only days are known.
func openedTogether(a, b *Leg) bool {
	if a.OrderID != "" && a.OrderID == b.OrderID {
		return true
	}
	if a.DayOnly || b.DayOnly {
		return dayOf(a.OpenedAt) == dayOf(b.OpenedAt)
	}
	return a.OpenedAt.Sub(b.OpenedAt).Abs() <= Window
}

// dayOf returns the day of a time without a time of day, which is UTC.
func dayOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// joinAssigned adds the trades that an assignment or exercise of a member opened.
func (b *builder) joinAssigned() {
	opened := map[string]*Leg{}
	for _, l := range b.legs {
		if l.Stock && l.Opens != "" && !l.placed {
			opened[l.Opens] = l
		}
	}
	if len(opened) == 0 {
		return
	}
	for i := range b.found {
		s := &b.found[i]
		for _, m := range s.Members {
			l := opened[m.Ends]
			if m.Ends == "" || m.Stock || l == nil || l.placed {
				continue
			}
			l.placed = true
			s.Members = append(s.Members, Member{Leg: l, Role: RoleStock, Quantity: l.Quantity, Later: true})
		}
	}
}

// finish names the strategies, computes their numbers and sorts them.
func (b *builder) finish(mode Mode) {
	b.keepIDs()
	for i := range b.found {
		s := &b.found[i]
		kind, direction := Recognize(s.Opening())
		s.Direction, s.KindBy = direction, "detected"
		if s.Kind != "" && s.Kind != kind {
			s.KindBy, s.Direction = "user", ""
		} else {
			s.Kind = kind
		}
		s.Payoff = NewPayoff(s.Opening())
		if s.State == Proposed && mode == AcceptStrong && s.Evidence.isStrong() {
			s.State = Accepted
		}
	}
	slices.SortFunc(b.found, func(x, y Strategy) int { return compareStart(&x, &y) })
}

// keepIDs sets the ids of proposals to those under which the user annotated them: an
// annotation belongs to the proposal with most of its trades.
func (b *builder) keepIDs() {
	proposals := map[*Leg]int{}
	for i := range b.found {
		for _, m := range b.found[i].Members {
			if b.found[i].State == Proposed && m.Role != RoleCover {
				proposals[m.Leg] = i
			}
		}
	}
	for _, d := range b.decided {
		if d.State != Proposed {
			continue
		}
		shared, best, most := map[int]int{}, -1, 0
		for _, l := range d.legs {
			i, known := proposals[l]
			if !known || b.used[b.found[i].ID] {
				continue
			}
			if shared[i]++; shared[i] > most {
				best, most = i, shared[i]
			}
		}
		if best >= 0 {
			b.found[best].ID = d.ID
			b.used[d.ID] = true
		}
	}
}

// propose adds a proposal. Its id follows the first leg's first fill.
func (b *builder) propose(evidence Evidence, members []Member) {
	key := members[0].Key
	for _, m := range members {
		if m.Role != RoleCover {
			key = m.Key
			break
		}
	}
	id := newID(key)
	for b.used[id] {
		id = newID(id)
	}
	for _, m := range members {
		if m.Role != RoleCover {
			m.placed = true
		}
	}
	b.found = append(b.found, Strategy{ID: id, State: Proposed, Evidence: evidence, Members: members, start: (&Strategy{Members: members}).OpenedAt()})
}

// newID returns the id that a text results in.
func newID(text string) string {
	sum := sha256.Sum256([]byte("strategy\n" + text))
	id := uuid.UUID(sum[:16])
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // version 8, as RFC 9562 has it for hashes
	return id.String()
}
