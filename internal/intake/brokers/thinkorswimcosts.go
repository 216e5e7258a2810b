package brokers

import (
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// swimOrder is an order that was filled, as the table of trades has it.
type swimOrder struct {
	at      time.Time
	net     string // its net price, without its sign
	symbol  string
	strikes []decimal.Decimal
	legs    []*statement.Fill
}

// swimCharge is a trade as a cash table has it, with its costs.
type swimCharge struct {
	swimKey
	side             matching.Side
	words            map[string]bool
	fees, commission decimal.Decimal
	taken            bool
}

// swimKey is what an order and its charge have in common for certain.
type swimKey struct {
	second          int64
	quantity, price string
}

func newSwimCharge(f *statement.Fill, text string) *swimCharge {
	return &swimCharge{
		swimKey: swimKey{f.At.Unix(), f.Quantity.String(), f.Price.Abs().String()},
		side:    f.Side, words: swimWords(text), fees: f.Fees, commission: f.Commission,
	}
}

// swimWords are the words of a description, the strikes of a spread apart.
func swimWords(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(strings.ToUpper(text)) {
		word, _, _ = strings.Cut(word, ":")
		words[word] = true
		if strings.HasPrefix(word, "/") {
			continue
		}
		for part := range strings.SplitSeq(word, "/") {
			if n, ok := swimNumber(part); ok {
				part = n.String()
			}
			words[part] = true
		}
	}
	return words
}

// finish brings costs and trades together.
func (s *swim) finish(r *statement.Reader) {
	s.charge()
	lost := decimal.Zero
	n := 0
	for _, c := range s.charges {
		if !c.taken {
			lost = lost.Add(c.fees).Add(c.commission)
			n++
		}
	}
	if n > 0 {
		r.Out.Warn("%d trades of the cash section are not in the trade history; their costs of %s are missing.", n, lost)
	}
	if s.stated {
		r.Out.State(statement.ItemFees, s.fees)
		r.Out.State(statement.ItemCommission, s.commission)
	}
	r.Out.ResolveEndings(s.endings)
}

// enoughAlike is how many charges of one quantity and price are looked at. No
// account has as many; a forged file might.
const enoughAlike = 1000

// charge finds for each order the charge of the same second, then those that
// were booked a second or two aside, and at last those of the same day: a few
// rows of real statements have times that are hours apart.
func (s *swim) charge() {
	byKey := map[swimKey][]*swimCharge{}
	add := func(key swimKey, c *swimCharge) { byKey[key] = append(byKey[key], c) }
	for _, c := range s.charges {
		add(c.swimKey, c)
		add(c.anySecond(), c)
	}
	orders := s.orders
	for _, aside := range []int64{0, 1, -1, 2, -2} {
		orders = slices.DeleteFunc(orders, func(o *swimOrder) bool {
			key := o.key()
			key.second += aside
			return o.take(byKey[key])
		})
	}
	for _, o := range orders {
		o.take(byKey[o.key().anySecond()])
	}
}

// anySecond is the key without its time.
func (k swimKey) anySecond() swimKey {
	k.second = 0
	return k
}

func (o *swimOrder) key() swimKey {
	return swimKey{o.at.Unix(), o.legs[0].Quantity.String(), o.net}
}

// take takes the nearest of some charges that is the order's own.
func (o *swimOrder) take(alike []*swimCharge) bool {
	const day = 24 * 60 * 60
	var best *swimCharge
	nearest := int64(day)
	for _, c := range alike[:min(len(alike), enoughAlike)] {
		away := max(c.second-o.at.Unix(), o.at.Unix()-c.second)
		if c.taken || away >= nearest || !o.is(c) {
			continue
		}
		best, nearest = c, away
	}
	if best == nil {
		return false
	}
	best.taken = true
	o.share(best)
	return true
}

// is reports whether a charge is that of the order.
func (o *swimOrder) is(c *swimCharge) bool {
	if !c.words[o.symbol] || len(o.legs) == 1 && o.legs[0].Side != c.side {
		return false
	}
	return !slices.ContainsFunc(o.strikes, func(strike decimal.Decimal) bool { return !c.words[strike.String()] })
}

// share lays the costs of an order on its legs by their quantity; the last one
// takes what is left, so that the parts sum up to the whole.
func (o *swimOrder) share(c *swimCharge) {
	all := decimal.Zero
	for _, leg := range o.legs {
		all = all.Add(leg.Quantity)
	}
	if all.IsZero() {
		return
	}
	const cents = 2
	fees, commission := c.fees, c.commission
	for i, leg := range o.legs {
		if i == len(o.legs)-1 {
			leg.Fees, leg.Commission = fees, commission
			return
		}
		leg.Fees = c.fees.Mul(leg.Quantity).DivRound(all, cents)
		leg.Commission = c.commission.Mul(leg.Quantity).DivRound(all, cents)
		fees, commission = fees.Sub(leg.Fees), commission.Sub(leg.Commission)
	}
}
