package statement

import (
	"fmt"
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/trading/matching"
)

// headerKeysOf returns a column name as lettersOf has it: as it is, without brackets
// for a zone or a currency, and without these words.
func headerKeysOf(header string) []string {
	core := withoutBrackets(header)
	words := slices.DeleteFunc(parse.HeaderWords(core), func(w string) bool { return isCurrency(w) || isCurrencyCode(w) || isZone(w) })
	return []string{lettersOf(header), lettersOf(core), lettersOf(strings.Join(words, " "))}
}

// amountRank returns the place of a column name among amountNames, or -1.
func amountRank(header string) int {
	if len(header) > longestHeader || strings.Contains(header, "%") {
		return -1
	}
	keys := headerKeysOf(header)
	return slices.IndexFunc(amountNames, func(name string) bool { return slices.Contains(keys, lettersOf(name)) })
}

// findAmountColumn finds the column for what each fill moved, which is compared with
// quantity and price. It returns -1 if none.
func (r *mappedReader) findAmountColumn() int {
	best, at := -1, -1
	for i, header := range r.header {
		rank := amountRank(header)
		if rank < 0 || best >= 0 && rank >= best || r.isUsed(i) || !looksNumeric(r.filledValues(i)) {
			continue
		}
		best, at = rank, i
	}
	return at
}

// filledValues iterates over the values in a column, blanks excepted.
func (r *table) filledValues(column int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for v := range r.values(column) {
			if !parse.Blank(v) && !yield(v) {
				return
			}
		}
	}
}

// isUsed reports whether the mapping uses a column. Results in a list of fills do not
// count: prices give them.
func (r *mappedReader) isUsed(column int) bool {
	if r.Preset.Format == JournalTrades {
		return r.isMapped(column)
	}
	return r.isMapped(column, TargetPnL, TargetNetPnL)
}

// listUnusedMoney warns about unused columns with names for money.
func (r *mappedReader) listUnusedMoney() {
	var list []string
	for i, header := range r.header {
		if i == r.amount || slices.Contains(r.repeated, i) || !isNamedMoney(header) || r.isUsed(i) {
			continue
		}
		isMoney := r.hasValue(i, func(v string) bool {
			n, err := parse.Number(v, parse.Unsettled)
			return err == nil && !n.IsZero()
		})
		if isMoney && looksNumeric(r.filledValues(i)) {
			list = append(list, `"`+strings.TrimSpace(header)+`"`)
		}
	}
	if len(list) > 0 {
		r.Out.Warn("Columns with money that were not used: %s.", strings.Join(list, ", "))
	}
}

// isNamedMoney reports whether a column name is one for money.
func isNamedMoney(header string) bool {
	if len(header) > longestHeader || strings.Contains(header, "%") {
		return false
	}
	if m, ok := meaningOf(header); ok && m.target != TargetPnL && m.target != TargetNetPnL && m.target != TargetFees && m.target != TargetCommission {
		return false
	}
	words := headerWordsOf(header)
	if slices.ContainsFunc(words, func(w string) bool { return notMoneyWords[w] }) {
		return false
	}
	return knownCurrencyIn(header) != "" || containsPart(strings.Join(words, " "), moneyParts)
}

// knownCurrencyIn returns the currency in a column name, if it is known.
func knownCurrencyIn(header string) string {
	code := currencyInHeader(header)
	if IsMoney(code) || slices.Contains(parse.MoneyWords, strings.ToLower(code)) {
		return code
	}
	return ""
}

// readAmount keeps a row's amount as the file writes it, for settleAmounts.
func (r *mappedReader) readAmount(w *Row, f *Fill) {
	i := w.r.amount
	if i < 0 || i >= len(w.Cells) || parse.Blank(w.Cells[i]) {
		return
	}
	if n, err := parse.Number(w.Cells[i], w.r.separator(i)); err == nil {
		f.StatedCashFlow = decimal.Of(n)
	}
}

// settleAmounts decides over all fills whether the amounts in a file without a preset
// have a sign and include costs. Amounts unrelated to quantity and price are dropped.
func (r *Reader) settleAmounts() {
	fills := slices.DeleteFunc(slices.Clone(r.Out.Fills), func(f *Fill) bool { return !f.StatedCashFlow.Valid })
	if !r.Out.ByNames || r.amount < 0 || len(fills) == 0 {
		return
	}
	signAmounts(fills)
	if areBeforeCosts(fills) {
		for _, f := range fills {
			if !f.paidInCoin() {
				f.StatedCashFlow.Decimal = f.StatedCashFlow.Decimal.Sub(f.Fees).Sub(f.Commission)
			}
		}
	}
	near := 0
	for _, f := range fills {
		if f.hiddenGap().Abs().Cmp(mostHiddenCosts(f.value())) <= 0 {
			near++
		}
	}
	if near*2 >= len(fills) {
		return
	}
	first := slices.MinFunc(fills, func(a, b *Fill) int { return a.Row - b.Row })
	r.Out.Warn("%s", fmt.Sprintf("Column %q is not quantity × price (%s, first row %d: %s, not %s) and was not used. Check whether the price is in another currency or for another unit.",
		r.header[r.amount], countRows(len(fills)-near), first.Row, first.StatedCashFlow.Decimal.Abs(), first.value()))
	for _, f := range fills {
		f.StatedCashFlow = decimal.Null{}
	}
}

// signAmounts sets the sign that amounts have in cash. If a file writes both signs, they
// say which way money moved; otherwise the side does.
func signAmounts(fills []*Fill) {
	asCash, reversed, negative := 0, 0, 0
	for _, f := range fills {
		isPaid := f.StatedCashFlow.Decimal.Sign() < 0
		if isPaid {
			negative++
		}
		if isPaid == (f.Side == matching.Buy) {
			asCash++
		} else {
			reversed++
		}
	}
	for _, f := range fills {
		switch {
		case negative == 0 || negative == len(fills):
			f.StatedCashFlow = signed(f.StatedCashFlow, f.Side)
		case reversed > asCash:
			f.StatedCashFlow.Decimal = f.StatedCashFlow.Decimal.Neg()
		}
	}
}

// paidInCoin reports whether a fill's costs were taken from the traded coin, so no amount
// includes them.
func (f *Fill) paidInCoin() bool { return f.Details["fee"] != "" && !f.Fees.IsZero() }

// areBeforeCosts reports whether more amounts are quantity × price without costs than
// with them.
func areBeforeCosts(fills []*Fill) bool {
	before, after := 0, 0
	for _, f := range fills {
		if f.paidInCoin() {
			continue
		}
		gap := f.hiddenGap()
		if gap.Abs().Cmp(hundredth) <= 0 {
			after++
		}
		if gap.Add(f.Fees).Add(f.Commission).Abs().Cmp(hundredth) <= 0 {
			before++
		}
	}
	return before > after
}
