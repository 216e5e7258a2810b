package statement

import (
	"cmp"
	"slices"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// finish puts what was read in order and looks for what does not add up.
func (r *Reader) finish() *Statement {
	s := r.Out
	s.nameAccount()
	s.resolveActions()
	s.sortRecords(r.Preset.NewestFirst)
	s.linkEvents()
	s.convertCash(r.Hints.Currency)
	stated := s.findStatedValues()
	if stated.cashFlow {
		r.settleAmounts()
		s.settleRemainders()
	}
	if stated.position {
		s.checkPositions()
	}
	if stated.closing || stated.cashFlow { // costs decide what closes a position
		s.checkOpenings()
	}
	s.checkTotals()
	s.warnLeftMoney()
	if len(r.unpriced) > 0 {
		s.Warn(feesNotPriced, listAmounts(r.unpriced))
	}
	s.countRows()
	return s
}

// statedValues are what any fill states beside its usual values.
type statedValues struct{ cashFlow, position, closing bool }

// findStatedValues looks at every fill once, so files without such values need no further
// checks.
func (s *Statement) findStatedValues() (stated statedValues) {
	for _, f := range s.Fills {
		stated.cashFlow = stated.cashFlow || f.StatedCashFlow.Valid
		stated.position = stated.position || f.PositionAfter.Valid
		stated.closing = stated.closing || f.isClosing()
	}
	return stated
}

// sortRecords puts the fills in the order they happened. Only the order inside an instant
// matters to grouping, but it matters much: a file running backwards has to be turned,
// and among fills on a day without times, openings come first.
func (s *Statement) sortRecords(newestFirst bool) {
	if direction := s.countDirection(); newestFirst && direction <= 0 || direction < 0 {
		reverseRows(s.Fills, func(f *Fill) int { return f.Row })
		reverseRows(s.Cash, func(c *Cash) int { return c.Row })
		reverseRows(s.Annotations, func(m *Annotations) int { return m.Row })
	}
	if !slices.IsSortedFunc(s.Fills, compareFills) {
		slices.SortStableFunc(s.Fills, compareFills)
	}
	slices.SortStableFunc(s.Cash, func(a, b *Cash) int { return a.At.Compare(b.At) })
}

// compareFills orders fills by time. Within an instant they are ordered by splitRank, and
// on a day without times by whether they open or close.
func compareFills(a, b *Fill) int {
	if c := a.At.Compare(b.At); c != 0 {
		return c
	}
	c := cmp.Compare(a.splitRank(), b.splitRank())
	if c != 0 || !a.DateOnly || !b.DateOnly {
		return c
	}
	return cmp.Compare(effectRank(a.Effect), effectRank(b.Effect))
}

// reverseRows turns a list around and keeps the order within a row: a trade opens before
// it closes, also in a file running backwards.
func reverseRows[T any](list []T, row func(T) int) {
	slices.Reverse(list)
	for first := 0; first < len(list); {
		end := first + 1
		for end < len(list) && row(list[end]) == row(list[first]) {
			end++
		}
		slices.Reverse(list[first:end])
		first = end
	}
}

// sortedByTime returns the fills sorted by time.
func sortedByTime(fills []*Fill) []*Fill {
	fills = slices.Clone(fills)
	slices.SortStableFunc(fills, func(a, b *Fill) int { return a.At.Compare(b.At) })
	return fills
}

// splitRank orders fills within an instant: splits come last, and what was held leaves
// before its replacement arrives.
func (f *Fill) splitRank() int {
	switch {
	case !f.isSplit:
		return 0
	case f.Effect == parse.Closing:
		return 1
	}
	return 2
}

func effectRank(e parse.Effect) int {
	switch e {
	case parse.Opening:
		return 0
	case parse.EffectUnknown:
		return 1
	case parse.Closing:
	}
	return 2
}

// countDirection counts the steps forwards in time less the steps backwards.
func (s *Statement) countDirection() int {
	n := 0
	for i := 1; i < len(s.Fills); i++ {
		n += s.Fills[i].At.Compare(s.Fills[i-1].At)
	}
	return n
}

// allowance is how far an amount may be off by rounding: five cents or one percent, as
// prices in files are rounded.
func allowance(amount decimal.Decimal) decimal.Decimal {
	return decimal.Max(decimal.Must("0.05"), amount.Abs().Mul(decimal.Must("0.01")))
}

// checkPositions looks for missing fills: if the file states the position after each
// fill, it must be the previous one plus the fill.
func (s *Statement) checkPositions() {
	last := map[streamKey]decimal.Null{}
	for _, f := range s.Fills {
		if !f.PositionAfter.Valid {
			continue
		}
		before, known := last[f.stream()]
		if known && !s.isActionSymbol(f) && !before.Decimal.Add(f.signed()).Equal(f.PositionAfter.Decimal) {
			s.WarnRow(f.Row, "The file says that %s of %s were held after this row, which its other rows do not explain. Fills may be missing.",
				f.PositionAfter, f.Symbol)
		}
		last[f.stream()] = f.PositionAfter
	}
}

// checkOpenings looks for fills closing what the file never opened. The journal may hold
// the opening already, so it is only a warning.
func (s *Statement) checkOpenings() {
	if !slices.ContainsFunc(s.Fills, (*Fill).isClosing) {
		return
	}
	held := map[streamKey]decimal.Decimal{}
	for _, f := range s.Fills {
		position := held[f.stream()]
		if f.isClosing() && !s.isActionSymbol(f) && position.Sign()*f.signed().Sign() >= 0 {
			s.WarnRow(f.Row, "A fill closes a position in %s that this file does not open. Import the earlier statement too, or it will count as a new position.",
				f.Symbol)
		}
		held[f.stream()] = position.Add(f.signed())
	}
}

// isClosing reports whether a fill closes a position by the file: by its effect, or by a
// result beyond its own costs.
func (f *Fill) isClosing() bool {
	return f.Effect == parse.Closing || f.Effect == parse.EffectUnknown && (f.hasResult || f.statesResult(f.StatedPnL.Decimal))
}

// Closes reports whether the file says with a word that the fill closes a position.
func (f *Fill) Closes() bool {
	isShare := f.Right == "" && (f.Type == "" || f.Type == instruments.TypeStock)
	return f.Effect == parse.Closing || f.sellsHeld && isShare && f.Effect == parse.EffectUnknown
}

// statesResult reports whether a stated result belongs to a closed position: an opening
// fill has none, or its own costs.
func (f *Fill) statesResult(result decimal.Decimal) bool {
	return !result.IsZero() && result.Neg().Sub(f.Fees).Sub(f.Commission).Abs().Cmp(hundredth) > 0
}

// SignedQuantity returns the quantity, negative for a sale.
func (f *Fill) SignedQuantity() decimal.Decimal { return f.signed() }

func (f *Fill) signed() decimal.Decimal {
	if f.Side == matching.Sell {
		return f.Quantity.Neg()
	}
	return f.Quantity
}

// streamKey is what fills grouped into trades have in common.
type streamKey struct {
	symbol, instrument, right, strike, expiry, lot string
}

func (f *Fill) stream() streamKey {
	strike := ""
	if f.Strike.Valid {
		strike = f.Strike.String()
	}
	return streamKey{f.Symbol, f.Type, f.Right, strike, string(f.Expiry), f.Lot}
}
