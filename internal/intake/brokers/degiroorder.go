package brokers

import (
	"maps"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/statement"
)

// degiroPaid is what the rows in an order, or in a minute without one, say beside the
// trade: costs, and both sides of the money changed for it.
type degiroPaid struct {
	entries []degiroEntry
	rated   []degiroEntry              // with a stated rate
	changed map[string]decimal.Decimal // without signs, by currency
	costs   map[string]degiroCost      // by currency
	fills   []*statement.Fill
	home    string // the currency of amounts
	row     int    // with a trade, for messages
	rows    []int  // that only add to a trade
	trades  bool
}

// degiroCost are an order's costs in one currency.
type degiroCost struct{ commission, fees decimal.Decimal }

// degiroEntry is a row in an order other than a trade.
type degiroEntry struct {
	text, currency string
	amount         decimal.Decimal
	rate           decimal.Null // stated in the row
}

// isCost reports whether a row's words name a cost. No other row is one, whatever its
// sign.
func (e degiroEntry) isCost() bool {
	s := statement.FindCashKind(e.text)
	return s == statement.KindFee || s == statement.KindAdjustment || e.isAutoFX()
}

func (e degiroEntry) isAutoFX() bool { return strings.Contains(strings.ToLower(e.text), "autofx") }

func (p *degiroPaid) add(e degiroEntry) {
	if trade := degiroTrade().FindStringSubmatch(e.text); trade != nil {
		p.trades = p.trades || trade[1] == ""
		return
	}
	p.entries = append(p.entries, e)
	if e.rate.Valid && len(p.rated) < maxDegiroRates {
		p.rated = append(p.rated, e)
	}
}

// degiroRateScale is how many decimals a computed rate has.
const degiroRateScale = 10

// maxDegiroRates is how many rates in one order are compared with its other rows. No
// order has as many; a forged file might.
const maxDegiroRates = 100

// sort separates the changed money from the costs.
func (p *degiroPaid) sort() {
	for _, e := range p.entries {
		switch cost := p.costs[e.currency]; {
		case p.isLeg(e):
			p.changed[e.currency] = p.changed[e.currency].Add(e.amount.Abs())
			continue
		case !e.isCost():
			continue
		case statement.FindCashKind(e.text) == statement.KindAdjustment || e.isAutoFX():
			cost.fees = cost.fees.Sub(e.amount)
			p.costs[e.currency] = cost
		default:
			cost.commission = cost.commission.Sub(e.amount)
			p.costs[e.currency] = cost
		}
	}
}

// isLeg reports whether a row is one side of changed money: by its words, by its rate,
// or, in an unknown language, as the other side of a row with a rate.
func (p *degiroPaid) isLeg(e degiroEntry) bool {
	if e.isAutoFX() || e.amount.IsZero() {
		return false
	}
	s := statement.FindCashKind(e.text)
	if s == statement.KindExchange || e.rate.Valid {
		return true
	}
	if s != "" && s != statement.KindTransfer {
		return false
	}
	return slices.ContainsFunc(p.rated, e.completes)
}

// completes reports whether a row is the other side of one with a stated rate: in another
// currency, with the other sign, and worth as much.
func (e degiroEntry) completes(other degiroEntry) bool {
	if !other.rate.Valid || other.isAutoFX() || other.currency == e.currency || other.amount.Sign()*e.amount.Sign() >= 0 {
		return false
	}
	a, b := e.amount.Abs(), other.amount.Abs()
	return isDegiroNear(a.Mul(other.rate.Decimal), b) || isDegiroNear(b.Mul(other.rate.Decimal), a)
}

// quote notes the exchange rate, for cash in that currency.
func (p *degiroPaid) quote(w *statement.Row, currency string, at time.Time) {
	if rate, home := p.rate(currency); rate.Valid {
		w.Rate(currency, home, rate.Decimal, at)
	}
}

// rate returns the value of a currency unit in the other currency changed for the order,
// and which that is.
func (p *degiroPaid) rate(currency string) (decimal.Null, string) {
	from := p.changed[currency]
	if len(p.changed) != 2 || from.IsZero() {
		return decimal.Null{}, ""
	}
	for other, n := range p.changed {
		if other != currency && !n.IsZero() {
			return decimal.Of(n.DivRound(from, degiroRateScale)), other
		}
	}
	return decimal.Null{}, ""
}

// settle adds an order's costs to its first fill. Costs in another currency than the
// fill's are converted with the order's own rate.
func (p *degiroPaid) settle(r *statement.Reader) {
	if len(p.fills) == 0 {
		return
	}
	const cents = 2
	first := p.fills[0]
	for _, row := range p.rows {
		r.Out.Join(row, first.Row)
	}
	for _, currency := range slices.Sorted(maps.Keys(p.costs)) {
		cost := p.costs[currency]
		if currency != p.home {
			rate, home := p.rate(currency)
			if rate.Valid && home == p.home {
				cost.commission = cost.commission.Mul(rate.Decimal).Round(cents)
				cost.fees = cost.fees.Mul(rate.Decimal).Round(cents)
			} else {
				r.Out.Warn("Row %d: its costs are in %s and its amount is in %s; they were taken as they are.", p.row, currency, p.home)
			}
		}
		first.Commission, first.Fees = first.Commission.Add(cost.commission), first.Fees.Add(cost.fees)
	}
	if first.StatedCashFlow.Valid {
		first.StatedCashFlow = decimal.Of(first.StatedCashFlow.Decimal.Sub(first.Commission).Sub(first.Fees))
	}
}
