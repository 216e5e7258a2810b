package oracle

import "math/big"

// Split converts the position open at an instant: New units for Old ones.
type Split struct {
	At       int64
	New, Old int64
}

// splitDecimals is how many decimals quantities have after a split.
const splitDecimals = 8

// rounding is the difference between a trade's rounded quantities after a split and the
// exact ones; the cut itself has the position's.
type rounding struct{ opened, size *big.Rat }

// position returns the signed position that cuts form.
func position(cuts []cut) *big.Rat {
	sum := new(big.Rat)
	for _, c := range cuts {
		sum = add(sum, signed(c.quantity, c.fill.Buy))
	}
	return sum
}

// convert returns an open trade's cuts in the units after the split.
func (s Split) convert(cuts []cut) []cut {
	if s.New == s.Old {
		return cuts
	}
	ratio := big.NewRat(s.New, s.Old)
	before := newTrade(cuts)
	out := make([]cut, len(cuts), len(cuts)+1)
	for i, c := range cuts {
		c.quantity, c.scale = mul(c.quantity, ratio), mul(orOne(c.scale), ratio)
		if r := c.rounding; r != nil {
			c.rounding = &rounding{mul(r.opened, ratio), mul(r.size, ratio)}
		}
		out[i] = c
	}
	opened, remaining := roundQuantity(mul(before.Opened, ratio)), roundQuantity(mul(before.Remaining, ratio))
	if opened.Cmp(remaining) == 0 && before.Opened.Cmp(before.Remaining) != 0 {
		opened = add(opened, big.NewRat(1, 100_000_000))
	}
	size := roundAverage(quo(mul(before.Size, opened), before.Opened))
	moved := sub(remaining, mul(before.Remaining, ratio))
	return append(out, cut{
		fill: Fill{Buy: before.Long == (moved.Sign() >= 0)}, quantity: abs(moved), fees: new(big.Rat), commission: new(big.Rat),
		rounding: &rounding{sub(opened, mul(before.Opened, ratio)), sub(size, mul(before.Size, ratio))},
	})
}

// roundQuantity rounds a quantity after a split; something stays of every position.
func roundQuantity(x *big.Rat) *big.Rat {
	rounded := round(x, splitDecimals)
	if rounded.Sign() == 0 {
		return big.NewRat(1, 100_000_000)
	}
	return rounded
}

func orOne(x *big.Rat) *big.Rat {
	if x == nil {
		return big.NewRat(1, 1)
	}
	return x
}
