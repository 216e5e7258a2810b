package crypto

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// ledger gathers the rows of trades that were written as one row a coin.
type ledger struct {
	groups map[string]*group
	order  []*group
}

// group is what belongs to one trade, or to all trades of one second.
type group struct {
	row int
	at  statement.Moment
	id  string
	// base and quote are the pair, where the file names it.
	base, quote string
	legs        []coins // signed
	costs       []coins // positive is paid
}

// of returns the group of a key; the first row creates it, and later rows
// are counted with it.
func (l *ledger) of(w *statement.Row, key, id string, at statement.Moment) *group {
	g := l.groups[key]
	if g == nil {
		g = &group{row: w.Number, at: at, id: id}
		l.groups[key] = g
		l.order = append(l.order, g)
	}
	w.Join(g.row)
	return g
}

// settle makes deals of the groups. Where the file does not name the pair, rank
// tells which coin of it is the price; see [ordered].
func (l *ledger) settle(r *statement.Reader, rank []string, symbol func(base, quote string) string) {
	for _, g := range l.order {
		d, problem := g.deal(rank)
		if problem != "" {
			r.Out.Problems = append(r.Out.Problems, statement.Problem{Row: g.row, Message: problem})
			continue
		}
		d.symbol = symbol(d.base, d.quote)
		d.emitLate(r, g.row)
	}
	slices.SortStableFunc(r.Out.Problems, func(a, b statement.Problem) int { return a.Row - b.Row })
	slices.SortStableFunc(r.Out.Fills, func(a, b *statement.Fill) int { return a.Row - b.Row })
}

// deal is the one trade that a group holds: one coin came and another went. The
// parts of one order that share a second are one fill at their average price.
func (g *group) deal(rank []string) (d *deal, problem string) {
	in, out := map[string]decimal.Decimal{}, map[string]decimal.Decimal{}
	for _, leg := range g.legs {
		switch leg.amount.Sign() {
		case 1:
			in[leg.coin] = in[leg.coin].Add(leg.amount)
		case -1:
			out[leg.coin] = out[leg.coin].Sub(leg.amount)
		}
	}
	if len(in) != 1 || len(out) != 1 {
		return nil, g.unclear(in, out)
	}
	got, paid := slices.Collect(maps.Keys(in))[0], slices.Collect(maps.Keys(out))[0]
	if got == paid {
		return nil, fmt.Sprintf("Buying and selling of %s share one second and cannot be told apart. Import the trade history instead.", got)
	}
	d = &deal{costs: summed(g.costs), at: g.at, id: g.id, side: matching.Buy, quantity: in[got]}
	worth := out[paid]
	if d.base, d.quote = g.pair(got, paid, rank); d.base == paid {
		d.side, d.quantity, worth = matching.Sell, out[paid], in[got]
	}
	d.price = worth.DivRound(d.quantity, decimal.MaxDecimals)
	return d, ""
}

// pair returns which of two coins is traded and which prices it: as the file names
// the pair, or as the exchange ranks its coins. The currency of the journal's
// account plays no part in it.
func (g *group) pair(a, b string, rank []string) (base, quote string) {
	switch {
	case g.base == a && g.quote == b:
		return a, b
	case g.base == b && g.quote == a:
		return b, a
	}
	return ordered(a, b, rank)
}

// unclear returns why a group is no trade.
func (g *group) unclear(in, out map[string]decimal.Decimal) string {
	coins := slices.Concat(slices.Sorted(maps.Keys(in)), slices.Sorted(maps.Keys(out)))
	switch {
	case len(coins) == 0:
		return "There is a fee here and no trade that it belongs to."
	case len(in) == 0 || len(out) == 0:
		return fmt.Sprintf("The other side of this trade in %s is missing.", coins[0])
	}
	return fmt.Sprintf("Trades in several coins (%s) share one second and cannot be told apart. Import the trade history instead.", strings.Join(slices.Compact(coins), ", "))
}

// summed adds up amounts of the same coin, in the order in which they came.
func summed(list []coins) (sums []coins) {
	for _, c := range list {
		i := slices.IndexFunc(sums, func(s coins) bool { return s.coin == c.coin })
		if i < 0 {
			sums = append(sums, c)
			continue
		}
		sums[i].amount = sums[i].amount.Add(c.amount)
	}
	return sums
}
