package statement

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// legs are the rows in one trade, or in all trades within a second, in a file with a row
// per coin.
type legs struct {
	reader *layoutReader
	join   *Join
	first  *Row
	at     parse.Moment
	// base and quote are the pair, if the file names it.
	base, quote string
	ids         map[string]string // by coin
	amounts     []coinAmount      // signed
	costs       []coinAmount      // positive is paid
}

// addLeg adds a row to its trade.
func (lr *layoutReader) addLeg(w *Row, kind Kind, j *Join) {
	l := lr.layout
	at := lr.momentOf(w)
	amount := coinAmount{w.Required(l.cashColumn()), coinName(w.Text(l.Currency))}
	fee := w.costs(l.Fees)
	if amount.coin == "" {
		w.Fail("There is no value in column %s.", firstName(l.Currency))
	}
	if w.Failed() {
		return
	}
	g := lr.legsOf(w, w.Text(j.By), j, at)
	if j.Pair != "" {
		g.base, g.quote = SplitPair(w.Text(j.Pair))
	}
	if kind == KindLegFee {
		g.costs = append(g.costs, coinAmount{amount.amount.Neg(), amount.coin})
		return
	}
	if id := w.wholeText(l.ID); l.ID != "" && g.ids[amount.coin] == "" {
		g.ids[amount.coin] = id
	}
	g.amounts = append(g.amounts, amount)
	if other := w.otherLeg; !other.amount.IsZero() {
		g.amounts = append(g.amounts, other)
	}
	if !fee.IsZero() {
		g.costs = append(g.costs, coinAmount{fee, coinName(cmp.Or(w.Text(l.FeesCurrency), amount.coin))})
	}
}

// legsOf returns the legs with a key; its first row makes them, and later rows are
// counted with that one.
func (lr *layoutReader) legsOf(w *Row, key string, j *Join, at parse.Moment) *legs {
	g := lr.legs[key]
	if g == nil {
		g = &legs{reader: lr, join: j, first: w, at: at, ids: map[string]string{}}
		lr.legs[key] = g
		lr.legOrder = append(lr.legOrder, g)
	} else {
		w.Join(g.first.Number)
	}
	return g
}

// closeLegs turns the legs into trades.
func (s *layoutState) closeLegs() {
	for _, g := range s.legOrder {
		g.close()
	}
}

func (g *legs) close() {
	lr, w := g.reader, g.first
	t, problem := g.trade()
	if problem != "" {
		w.Fail("%s", problem)
		return
	}
	w.Set("base", t.instrument.Base)
	w.Set("quote", t.instrument.Quote)
	t.Symbol = strings.ToUpper(w.Text(lr.layout.Symbol))
	t.instrument.Symbol = t.Symbol
	for _, c := range sumCoins(g.costs) {
		t.chargeCoins(c)
	}
	t.noteQuote()
	if t.Quantity.Sign() <= 0 {
		w.Fail("The quantity of %s is zero.", t.Symbol)
		return
	}
	record := Record{Kind: KindTrade, Fill: &t.Fill}
	if lr.layout.Adjust != nil {
		lr.layout.Adjust(w, &record)
	}
	w.emit(&record)
}

// trade returns the trade made by the legs: one coin came and another went. Order parts
// within a second are one fill at their average price.
func (g *legs) trade() (t *tradeRow, problem string) {
	in, out := map[string]decimal.Decimal{}, map[string]decimal.Decimal{}
	for _, leg := range g.amounts {
		switch leg.amount.Sign() {
		case 1:
			in[leg.coin] = in[leg.coin].Add(leg.amount)
		case -1:
			out[leg.coin] = out[leg.coin].Sub(leg.amount)
		}
	}
	if len(in) != 1 || len(out) != 1 {
		return nil, unclearLegs(in, out)
	}
	got, paid := slices.Collect(maps.Keys(in))[0], slices.Collect(maps.Keys(out))[0]
	if got == paid {
		return nil, fmt.Sprintf("Buying and selling of %s share one second and cannot be told apart. Import the trade history instead.", got)
	}
	t = &tradeRow{lr: g.reader, w: g.first, instrument: Instrument{Type: instruments.TypeCrypto}}
	t.At, t.DateOnly, t.Type = g.at.At, g.at.DateOnly, instruments.TypeCrypto
	t.Side, t.Quantity = matching.Buy, in[got]
	worth := out[paid]
	base, quote := g.pair(got, paid)
	if base == paid {
		t.Side, t.Quantity, worth = matching.Sell, out[paid], in[got]
	}
	t.instrument.Base, t.instrument.Quote = base, quote
	t.Price = worth.DivRound(t.Quantity, decimal.MaxDecimals)
	t.ID = cmp.Or(g.ids[base], g.ids[quote])
	return t, ""
}

// pair returns which coin is traded and which prices it: as the file names the pair, or
// as the exchange ranks its coins. The account currency plays no part in it.
func (g *legs) pair(a, b string) (base, quote string) {
	switch {
	case g.base == a && g.quote == b:
		return a, b
	case g.base == b && g.quote == a:
		return b, a
	case g.join.Fiat:
		return orderCoins(a, b, fiatQuoteCoins)
	}
	return orderCoins(a, b, quoteCoins)
}

// unclearLegs returns why legs do not make a trade.
func unclearLegs(in, out map[string]decimal.Decimal) string {
	coins := slices.Concat(slices.Sorted(maps.Keys(in)), slices.Sorted(maps.Keys(out)))
	switch {
	case len(coins) == 0:
		return "There is a fee here and no trade that it belongs to."
	case len(in) == 0 || len(out) == 0:
		return fmt.Sprintf("The other side of this trade in %s is missing.", coins[0])
	}
	return fmt.Sprintf("Trades in several coins (%s) share one second and cannot be told apart. Import the trade history instead.",
		strings.Join(slices.Compact(coins), ", "))
}

// sumCoins adds up amounts by coin, in order of appearance.
func sumCoins(list []coinAmount) (sums []coinAmount) {
	for _, c := range list {
		i := slices.IndexFunc(sums, func(s coinAmount) bool { return s.coin == c.coin })
		if i < 0 {
			sums = append(sums, c)
			continue
		}
		sums[i].amount = sums[i].amount.Add(c.amount)
	}
	return sums
}
