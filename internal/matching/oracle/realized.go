package oracle

import (
	"cmp"
	"math/big"
	"slices"
)

// RealizedPart is what a trade realized at one instant.
type RealizedPart struct {
	At                   int64
	Gross, Costs, Volume *big.Rat
}

// RealizedParts returns for each trade of [Recompute] its realized parts in time order. It
// recomputes the stream up to every fill: what a fill realized is what the trade
// has realized with it, less what it had without it. Gross results are those of
// the same fills without costs. The share of the entry notional, which volume
// needs, is had from results without costs and without statements; it is that of
// volume where all prices of a stream have the same sign.
func RealizedParts(fills []Fill) [][]RealizedPart {
	fills = slices.Clone(fills)
	slices.SortFunc(fills, func(a, b Fill) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
	})
	trades := Recompute(fills)
	out := make([][]RealizedPart, len(trades))
	for n := 1; n <= len(fills); n++ {
		for i := range Recompute(fills[:n]) {
			if c, closed := closingBy(fills, n, i); closed {
				out[i] = appendPart(out[i], c)
			}
		}
	}
	return out
}

// closingBy returns what the last of the first n fills realized in trade i, and
// whether it closed anything of it.
func closingBy(fills []Fill, n, i int) (RealizedPart, bool) {
	exited := changeOf(fills, n, i, func(t Trade) *big.Rat { return sub(t.Opened, t.Remaining) })
	if exited.Sign() == 0 {
		return RealizedPart{}, false
	}
	realized := func(t Trade) *big.Rat { return t.Realized }
	net := changeOf(fills, n, i, realized)
	free := without(fills, false)
	gross := changeOf(free, n, i, realized)
	byPrice := changeOf(without(fills, true), n, i, realized)
	exit := changeOf(fills, n, i, func(t Trade) *big.Rat { return t.Exit })
	entry := add(exit, byPrice)
	if Recompute(fills[:n])[i].Long {
		entry = sub(exit, byPrice)
	}
	return RealizedPart{At: fills[n-1].At, Gross: gross, Costs: sub(gross, net), Volume: add(abs(exit), abs(entry))}, true
}

// changeOf returns how much of a figure of trade i the last of n fills made.
func changeOf(fills []Fill, n, i int, figure func(Trade) *big.Rat) *big.Rat {
	after := figure(Recompute(fills[:n])[i])
	if before := Recompute(fills[:n-1]); i < len(before) {
		return sub(after, figure(before[i]))
	}
	return after
}

// without returns the fills without costs, and without stated results if asked.
func without(fills []Fill, stated bool) []Fill {
	out := slices.Clone(fills)
	for i := range out {
		out[i].Fees, out[i].Commission = new(big.Rat), new(big.Rat)
		if stated {
			out[i].Stated = nil
		}
	}
	return out
}

// appendPart adds a part; parts of one instant are one.
func appendPart(list []RealizedPart, c RealizedPart) []RealizedPart {
	if n := len(list); n > 0 && list[n-1].At == c.At {
		last := &list[n-1]
		last.Gross, last.Costs, last.Volume = add(last.Gross, c.Gross), add(last.Costs, c.Costs), add(last.Volume, c.Volume)
		return list
	}
	return append(list, c)
}
