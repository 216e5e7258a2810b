package oracle

import (
	"math/big"
	"slices"
)

// RealizedPart is what a trade realized at one instant.
type RealizedPart struct {
	At                   int64
	Gross, Costs, Volume *big.Rat
}

// RealizedParts returns each [Recompute] trade's parts in time order. It recomputes the
// stream up to every fill: what a fill realized is the difference between the trade with
// and without it. Gross results are for the same fills without costs. The entry
// notional's share, which volume needs, is computed from results without costs and
// without stated results, with openings priced at zero; it equals volume's if all prices in a stream have the same
// sign.
func RealizedParts(fills []Fill) [][]RealizedPart {
	fills = sortFills(fills)
	whole, free, priced := recomputePrefixes(fills), recomputePrefixes(dropCosts(fills, false)), recomputePrefixes(dropCosts(fills, true))
	out := make([][]RealizedPart, len(whole[len(fills)]))
	for n := 1; n <= len(fills); n++ {
		for i, t := range whole[n] {
			exited := whole.changeAt(n, i, func(t Trade) *big.Rat { return sub(t.Opened, t.Remaining) })
			if exited.Sign() == 0 {
				continue
			}
			net, gross := whole.changeAt(n, i, realized), free.changeAt(n, i, realized)
			exit := priced.changeAt(n, i, func(t Trade) *big.Rat { return t.Exit })
			entry := add(exit, priced.changeAt(n, i, realized))
			if t.Long {
				entry = sub(exit, priced.changeAt(n, i, realized))
			}
			if fills[n-1].Kind == "removal" {
				exit = new(big.Rat)
			}
			out[i] = appendPart(out[i], RealizedPart{
				At: fills[n-1].At, Gross: gross, Costs: sub(gross, net), Volume: add(abs(exit), abs(entry)),
			})
		}
	}
	return out
}

func realized(t Trade) *big.Rat { return t.Realized }

// history is a stream's trades after each fill count.
type history [][]Trade

func recomputePrefixes(fills []Fill) history {
	var h history
	for n := range len(fills) + 1 {
		h = append(h, Recompute(fills[:n]))
	}
	return h
}

// changeAt returns how much the last fill among n changed a figure in trade i.
func (h history) changeAt(n, i int, figure func(Trade) *big.Rat) *big.Rat {
	after := figure(h[n][i])
	if before := h[n-1]; i < len(before) {
		return sub(after, figure(before[i]))
	}
	return after
}

// dropCosts returns the fills without costs and, if stated is true, without
// stated results and openings' prices.
func dropCosts(fills []Fill, stated bool) []Fill {
	out := slices.Clone(fills)
	for i := range out {
		out[i].Fees, out[i].Commission = new(big.Rat), new(big.Rat)
		if stated {
			out[i].Stated = nil
			if out[i].Kind == "opening" {
				out[i].Price = new(big.Rat)
			}
		}
	}
	return out
}

// appendPart adds a part; parts with one instant are one.
func appendPart(list []RealizedPart, c RealizedPart) []RealizedPart {
	if n := len(list); n > 0 && list[n-1].At == c.At {
		last := &list[n-1]
		last.Gross, last.Costs, last.Volume = add(last.Gross, c.Gross), add(last.Costs, c.Costs), add(last.Volume, c.Volume)
		return list
	}
	return append(list, c)
}

// ShareVolume returns each part's volume in the account's currency: nil if the trade's is
// unknown. A closed trade's parts share its volume in proportion, and the last gets the
// remainder.
func (t *Trade) ShareVolume(parts []RealizedPart) []*big.Rat {
	shares := make([]*big.Rat, len(parts))
	if t.Volume == nil {
		return shares
	}
	sum := new(big.Rat)
	for i, p := range parts {
		shares[i], sum = p.Volume, add(sum, p.Volume)
	}
	if t.Net == nil || sum.Cmp(t.Volume) == 0 || sum.Sign() == 0 {
		return shares
	}
	left := t.Volume
	for i := range shares[:len(shares)-1] {
		shares[i] = roundShare(quo(mul(t.Volume, shares[i]), sum))
		left = sub(left, shares[i])
	}
	shares[len(shares)-1] = left
	return shares
}
