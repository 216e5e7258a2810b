package analytics

import (
	"cmp"
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
)

// Effect compares the trades with a key, such as a tag, with all others selected.
// Differences are with the key less without it; they are null if there are no other
// trades.
type Effect struct {
	Key     string     `json:"-"`
	With    EffectSide `json:"with"`
	Without EffectSide `json:"without"`
	// Difference is between the average results, and Total the difference times the
	// number of trades with the key.
	Difference  decimal.Null `json:"difference"`
	Total       decimal.Null `json:"total"`
	DifferenceR *float64     `json:"difference_r"`
	TotalR      *float64     `json:"total_r"`
	// Interval belongs to Difference.
	Interval DifferenceInterval `json:"interval"`
	// PValue is how likely trades with the same expectancy differ as much, corrected for
	// the key count; null unless both sides have enough trades and days.
	PValue      *float64 `json:"p_value"`
	Significant bool     `json:"significant"`
	// Rest has the same comparison in the form of a breakdown row.
	Rest *Rest `json:"rest"`
	RowShare
}

// EffectSide is the trades on one side.
type EffectSide struct {
	Trades      int             `json:"trades"`
	NetPnL      decimal.Decimal `json:"net_pnl"`
	AvgTrade    decimal.Decimal `json:"avg_trade"`
	AvgR        *float64        `json:"avg_r"`
	TradesWithR int             `json:"trades_with_r"`
}

// MeasureEffects returns the effect for each key in use, the greatest loss first. The
// empty key has none. A tag's effect compares its trades with the rest.
func MeasureEffects(s *Selection, q BreakdownQuery) []Effect {
	s, q.Evidence = s.withoutRemoved(), true
	return chooseArithmetic(s, measureEffects[int128], measureEffects[exact])(s, q)
}

func measureEffects[T number[T]](s *Selection, q BreakdownQuery) []Effect {
	all := rowTally[T]{tally: tallyAll[T](s), days: tallyNetDays[T](s, q.Zone)}
	rs, _ := computeMultiples(s, readColumn[T](s, netOf))
	for _, r := range rs {
		all.rs += r
	}
	all.withR = len(rs)
	list := []Effect{}
	var chances []*float64
	keys, rows := tallyRows[T](s, q)
	for k := range rows {
		if keys[k] == "" || rows[k].trades() == 0 {
			continue
		}
		effect, p := compareRow(&rows[k], &all, s.scale)
		effect.Key, effect.RowShare = keys[k], newRowShare(&rows[k].tally, &all.tally, true)
		list, chances = append(list, effect), append(chances, p)
	}
	trades := func(i int) int { return list[i].With.Trades }
	isMirrored := func(i, k int) bool {
		return list[i].Difference.Decimal.Equal(list[k].Difference.Decimal.Neg())
	}
	for i, p := range correctOnce(chances, all.trades(), trades, isMirrored) {
		list[i].PValue, list[i].Significant = p, p != nil && *p < significance
		list[i].Rest = list[i].toRest()
	}
	slices.SortFunc(list, func(a, b Effect) int {
		if a.Total.Valid != b.Total.Valid {
			return map[bool]int{true: -1, false: 1}[a.Total.Valid]
		}
		return cmp.Or(a.Total.Decimal.Cmp(b.Total.Decimal), strings.Compare(a.Key, b.Key))
	})
	return list
}

// compareRow compares a row with all trades outside it. It returns the uncorrected
// probability for the difference.
func compareRow[T number[T]](with, all *rowTally[T], scale int32) (Effect, *float64) {
	without := rowTally[T]{days: subtractDays(all.days, with.days), rs: all.rs - with.rs, withR: all.withR - with.withR}
	e := Effect{With: with.toEffectSide(scale), Without: without.toEffectSide(scale)}
	if e.Without.Trades == 0 {
		return e, nil
	}
	difference := e.With.AvgTrade.Sub(e.Without.AvgTrade)
	e.Difference, e.Total = decimal.Of(difference), decimal.Of(difference.Mul(decimal.New(int64(e.With.Trades))))
	if e.DifferenceR = subtractOptional(e.With.AvgR, e.Without.AvgR); e.DifferenceR != nil {
		total := *e.DifferenceR * float64(e.With.TradesWithR)
		e.TotalR = &total
	}
	x, y := estimateMean(with.days, e.With.Trades, scale), estimateMean(without.days, e.Without.Trades, scale)
	var p *float64
	e.Interval, p = compareMeans(x, y, Seed)
	return e, p
}

// toEffectSide returns the figures for a tally's days.
func (t *rowTally[T]) toEffectSide(scale int32) EffectSide {
	var sum tally[T]
	for i := range t.days {
		sum = sum.plus(&t.days[i].tally)
	}
	side := EffectSide{Trades: sum.trades(), NetPnL: sum.net().decimal(scale), TradesWithR: t.withR, AvgR: divide(t.rs, float64(t.withR))}
	if side.Trades > 0 {
		side.AvgTrade = mean(side.NetPnL, side.Trades)
	}
	return side
}

// subtractDays returns the days less those in other, without days then empty. Both are in
// order, and other has no days of its own.
func subtractDays[T number[T]](days, other []dayNet[T]) []dayNet[T] {
	left := make([]dayNet[T], 0, len(days))
	next := 0
	for _, d := range days {
		if next < len(other) && other[next].day == d.day {
			d.tally = d.minus(&other[next].tally)
			next++
		}
		if d.trades() > 0 {
			left = append(left, d)
		}
	}
	return left
}
