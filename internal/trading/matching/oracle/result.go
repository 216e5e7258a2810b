package oracle

import "math/big"

// shareDecimals is how many decimals rounded shares and nonterminating averages have;
// endDecimals is for terminating averages.
const (
	shareDecimals = 12
	endDecimals   = 18
)

// newTrade computes one trade from its cuts; the first cut decides the
// direction.
func newTrade(cuts []cut) Trade {
	t := Trade{Long: cuts[0].fill.Buy, Fees: new(big.Rat), Commission: new(big.Rat)}
	priceRemovals(cuts)
	t.Remaining = abs(position(cuts))
	bought, sold := new(big.Rat), new(big.Rat)
	paid, received := new(big.Rat), new(big.Rat)
	rounded := new(big.Rat)
	for _, c := range cuts {
		if c.rounding != nil {
			rounded = add(rounded, c.rounding.opened)
			continue
		}
		switch {
		case c.event == nil:
			t.FillIDs = append(t.FillIDs, c.fill.ID)
		case c.event.kind == eventCash:
			if t.Long {
				received = add(received, c.event.cash)
			} else {
				paid = add(paid, c.event.cash)
			}
			continue
		case c.event.kind == eventCostOut:
			if t.Long {
				paid = sub(paid, c.event.cost)
			} else {
				received = sub(received, c.event.cost)
			}
			continue
		}
		t.Fees = add(t.Fees, c.fees)
		t.Commission = add(t.Commission, c.commission)
		if c.fill.Buy {
			bought, paid = add(bought, c.quantity), add(paid, c.notional())
		} else {
			sold, received = add(sold, c.quantity), add(received, c.notional())
		}
	}
	if t.Long {
		t.Opened, t.Entry, t.Exit = bought, paid, received
	} else {
		t.Opened, t.Entry, t.Exit = sold, received, paid
	}
	t.Opened = add(t.Opened, rounded)
	closings := sumClosings(cuts)
	t.Realized = sub(closings.result, closings.costs)
	if t.Remaining.Sign() == 0 {
		t.Gross = sub(received, paid)
		if closings.stated != nil {
			t.Gross = closings.result
		}
		t.Net = sub(t.Gross, add(t.Fees, t.Commission))
		if t.EndedBy = cuts[len(cuts)-1].fill.Kind; t.EndedBy == "" || t.EndedBy == "opening" {
			t.EndedBy = "trade"
		}
	}
	t.Removed = isRemoved(cuts)
	t.setAverages(cuts)
	t.setConverted(cuts, closings)
	return t
}

// priceRemovals sets the cost that each removal takes away: its share of what was paid, or
// received, for the position held then.
func priceRemovals(cuts []cut) {
	position := pool{new(big.Rat), new(big.Rat)}
	for i, c := range cuts {
		taken := position.pass(c, cuts[0].fill.Buy)
		if taken != nil && c.fill.Kind == "removal" && c.event == nil {
			cuts[i].cost = taken
		}
	}
}

// isRemoved reports whether a trade has exits, all of them removals.
func isRemoved(cuts []cut) bool {
	exits, removals := 0, 0
	for _, c := range cuts {
		if c.event != nil && c.event.kind == eventCash {
			exits++
		}
		if c.rounding != nil || c.quantity.Sign() == 0 || c.fill.Buy == cuts[0].fill.Buy {
			continue
		}
		if exits++; c.fill.Kind == "removal" {
			removals++
		}
	}
	return exits > 0 && removals == exits
}

// setAverages computes the average prices: each side's price × quantity sum over its
// quantity.
func (t *Trade) setAverages(cuts []cut) {
	t.Size = new(big.Rat)
	value := map[bool]*big.Rat{true: new(big.Rat), false: new(big.Rat)}
	for _, c := range cuts {
		if c.rounding != nil {
			t.Size = add(t.Size, c.rounding.size)
			continue
		}
		if c.event != nil && c.event.kind == eventCash {
			continue
		}
		if c.event != nil && c.event.kind == eventCostOut {
			value[true] = sub(value[true], roundAverage(quo(c.event.cost, cuts[0].multiplier())))
			continue
		}
		entry := c.fill.Buy == t.Long
		value[entry] = add(value[entry], c.value())
		if entry {
			t.Size = add(t.Size, mul(c.quantity, c.fill.Multiplier))
		}
	}
	t.EntryPrice = roundAverage(quo(value[true], t.Opened))
	if exited := sub(t.Opened, t.Remaining); exited.Sign() != 0 {
		t.ExitPrice = roundAverage(quo(value[false], exited))
	}
}

// setConverted computes the rate the stated results imply and the figures it converts.
func (t *Trade) setConverted(cuts []cut, closings closingSums) {
	switch {
	case closings.stated == nil:
		t.Rate = big.NewRat(1, 1)
	case t.Net != nil && closings.priced.Sign() != 0:
		if rate := quo(closings.stated, closings.priced); rate.Sign() > 0 {
			t.Rate = rate
		}
	}
	if t.Rate == nil {
		return
	}
	volume := new(big.Rat)
	for _, c := range cuts {
		if c.rounding == nil && c.event == nil && c.fill.Kind != "opening" && c.fill.Kind != "removal" {
			volume = add(volume, abs(c.notional()))
		}
	}
	t.Volume = roundAverage(mul(volume, t.Rate))
	if invested := mul(abs(t.Entry), t.Rate); t.Net != nil && invested.Sign() != 0 {
		t.Return = roundShare(mul(quo(t.Net, invested), big.NewRat(100, 1)))
	}
}

// notional returns the cut's traded notional.
func (c cut) notional() *big.Rat {
	if c.cost != nil {
		return c.cost
	}
	if c.event != nil {
		return c.event.cost
	}
	return mul(c.value(), c.fill.Multiplier)
}

// value returns the cut's price times its quantity.
func (c cut) value() *big.Rat {
	if c.cost != nil {
		return roundAverage(quo(c.cost, c.fill.Multiplier))
	}
	if c.event != nil {
		return roundAverage(quo(c.event.cost, c.event.multiplier))
	}
	return quo(mul(c.fill.Price, c.quantity), orOne(c.scale))
}

// pool is an amount spread evenly over a held quantity.
type pool struct {
	held, amount *big.Rat
}

// takeShare removes a quantity's share from the pool's amount and returns it: everything
// if that is the whole quantity, else rounded. It does not change the held quantity.
func (p *pool) takeShare(quantity *big.Rat) *big.Rat {
	share := p.amount
	if quantity.Cmp(p.held) != 0 {
		share = roundShare(quo(mul(p.amount, quantity), p.held))
	}
	p.amount = sub(p.amount, share)
	return share
}

// closingSums are sums over a trade's closings: their results before costs, and their
// costs with the costs of entries they closed. stated sums the stated results, nil if
// there is none, and priced the same closings' results by prices.
type closingSums struct {
	result, costs, stated, priced *big.Rat
}

// sumClosings walks through a trade at average cost, the one rule that depends on fill
// order.
func sumClosings(cuts []cut) closingSums {
	total := closingSums{result: new(big.Rat), costs: new(big.Rat), priced: new(big.Rat)}
	money, costs := pool{new(big.Rat), new(big.Rat)}, pool{new(big.Rat), new(big.Rat)}
	for _, c := range cuts {
		if c.rounding != nil {
			money.held = add(money.held, signed(c.quantity, c.fill.Buy == cuts[0].fill.Buy))
			costs.held = money.held
			continue
		}
		if c.event != nil && c.event.kind == eventCostOut {
			money.amount = add(money.amount, signed(c.event.cost, cuts[0].fill.Buy))
			continue
		}
		if c.event != nil && c.event.kind == eventCash {
			money.amount = add(money.amount, signed(c.event.cost, cuts[0].fill.Buy))
			total.result = add(total.result, signed(sub(c.event.cash, c.event.cost), cuts[0].fill.Buy))
			continue
		}
		own := add(c.fees, c.commission)
		// A sale is an inflow and a purchase an outflow: the pool is the open position's
		// net inflow, which is negative for a long one.
		flow := signed(c.notional(), !c.fill.Buy)
		if c.fill.Buy == cuts[0].fill.Buy {
			money.amount, costs.amount = add(money.amount, flow), add(costs.amount, own)
			money.held = add(money.held, c.quantity)
			costs.held = money.held
			continue
		}
		result := add(flow, money.takeShare(c.quantity))
		if c.fill.Stated != nil && c.fill.Kind != "removal" {
			if total.stated == nil {
				total.stated = new(big.Rat)
			}
			total.stated, total.priced = add(total.stated, c.fill.Stated), add(total.priced, result)
			result = c.fill.Stated
		}
		total.result = add(total.result, result)
		total.costs = add(total.costs, add(own, costs.takeShare(c.quantity)))
		money.held = sub(money.held, c.quantity)
		costs.held = money.held
	}
	return total
}

// roundShare rounds a share half to even.
func roundShare(x *big.Rat) *big.Rat { return round(x, shareDecimals) }

// roundAverage rounds as averages are rounded. A fraction in lowest terms terminates if
// its denominator divides a large enough power of 10.
func roundAverage(x *big.Rat) *big.Rat {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(x.Denom().BitLen())), nil)
	if power.Rem(power, x.Denom()).Sign() == 0 {
		return round(x, endDecimals)
	}
	return round(x, shareDecimals)
}

// round rounds half to even. It divides twice the scaled value as integers; the
// quotient's last bit distinguishes the upper half from the lower.
func round(x *big.Rat, decimals int64) *big.Rat {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(decimals), nil)
	twice := new(big.Int).Mul(abs(x).Num(), unit)
	twice.Lsh(twice, 1)
	halves, rest := new(big.Int).QuoRem(twice, x.Denom(), new(big.Int))
	tie := rest.Sign() == 0 && halves.Bit(0) == 1
	whole := new(big.Int).Rsh(halves, 1)
	if halves.Bit(0) == 1 && (!tie || whole.Bit(0) == 1) {
		whole.Add(whole, big.NewInt(1))
	}
	return signed(new(big.Rat).SetFrac(whole, unit), x.Sign() >= 0)
}

func add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func sub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func quo(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }
func abs(a *big.Rat) *big.Rat    { return new(big.Rat).Abs(a) }

// signed returns a, or its negative.
func signed(a *big.Rat, positive bool) *big.Rat {
	if positive {
		return a
	}
	return new(big.Rat).Neg(a)
}
