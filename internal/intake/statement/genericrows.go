package statement

import (
	"cmp"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
)

// What a file without a preset has besides fills in money: rows of cash, and costs in
// coins.

// skipCash skips a row that is not a fill but cash or a movement, and says which. It
// reports whether it did.
func (m *fieldMap) skipCash(w *Row) bool {
	word, kind := m.cashWord(w)
	if word == "" {
		return false
	}
	w.Skip("%s, not a fill: %s", strings.ReplaceAll(string(kind), "_", " "), parse.Shorten(strings.TrimSpace(word)))
	m.noteLeft(w, word)
	return true
}

// noteLeft adds up the money of a row that is not a fill.
func (m *fieldMap) noteLeft(w *Row, word string) {
	if i := w.r.amount; i >= 0 && i < len(w.Cells) {
		if n, err := parse.Number(w.Cells[i], w.r.separator(i)); err == nil {
			w.r.Out.noteLeftMoney(word, w.Number, n, strings.ToUpper(cmp.Or(m.currency.text(w), knownCurrencyIn(w.r.header[i]))))
		}
	}
}

// cashWord returns the word that says that a row is not a fill, and its kind: that in
// the column of sides, or in one for kinds if the row has no quantity.
func (m *fieldMap) cashWord(w *Row) (string, Kind) {
	if word := m.side.text(w); word != "" && !m.side.isConstant {
		if w.findSideWord(word).whole {
			return "", kindUnknown
		}
		if kind := FindCashKind(word); kind != kindUnknown {
			return word, kind
		}
		return "", kindUnknown
	}
	if !m.quantity.isMapped() || m.quantity.isConstant || !m.quantity.peek(w).IsZero() {
		return "", kindUnknown
	}
	for _, i := range w.r.kindColumns() {
		if i < len(w.Cells) && !w.isTradeWord(w.Cells[i]) {
			if kind := FindCashKind(w.Cells[i]); kind != kindUnknown {
				return w.Cells[i], kind
			}
		}
	}
	return "", kindUnknown
}

// coinOfCost returns the coin or currency that a cost is in, if it is not the money of
// the row.
func (m *fieldMap) coinOfCost(w *Row, e *expression) string {
	i, text := w.findIn(e)
	if !w.r.Out.ByNames || i < 0 || text == "" {
		return ""
	}
	coin := m.statedCoin(w, text)
	if coin == "" {
		return ""
	}
	if quote := m.pair(w).Quote; quote == "" || IsSameMoney(coin, quote) {
		return ""
	}
	return coin
}

// statedCoin returns the coin or currency in the column for that of costs, or the one
// that is attached to a number. It is empty if the file does not say.
func (m *fieldMap) statedCoin(w *Row, text string) string {
	if coin := w.cell(m.feeCurrency); m.feeCurrency >= 0 && !parse.Blank(coin) {
		return strings.ToUpper(strings.TrimSpace(coin))
	}
	text = strings.TrimSpace(text)
	unit := strings.TrimSpace(text[strings.LastIndexAny(text, "0123456789.,)%")+1:])
	const shortest, longest = 2, 6
	if len(unit) < shortest || len(unit) > longest || strings.Trim(unit, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return ""
	}
	return unit
}

// chargeCoins books the costs of a fill that are in a coin or currency of their own. Those
// in neither the money nor the coin of the fill are kept beside it and told.
func (m *fieldMap) chargeCoins(w *Row, f *Fill) {
	if len(w.coins) == 0 {
		return
	}
	pair := m.pair(w)
	for _, c := range w.coins {
		switch {
		case !f.ChargeCoin(pair, c.amount, c.coin):
			w.r.noteUnpriced(c)
		case c.coin == pair.Base && !c.amount.IsZero():
			w.r.Out.Warn(feesInCoin)
		}
	}
}

// chargeTripCoins is chargeCoins for a whole trade, which has several prices: no cost
// in a coin is counted.
func (m *fieldMap) chargeTripCoins(w *Row) {
	for _, c := range w.coins {
		w.r.noteUnpriced(c)
	}
}

// pair returns the coin that the row trades, if it is one, and the money that it is
// priced in.
func (m *fieldMap) pair(w *Row) Instrument {
	i := Instrument{Quote: strings.ToUpper(cmp.Or(w.currency, w.r.Hints.Currency))}
	if isPair(w.symbol) {
		i.Base, i.Quote = SplitPair(w.symbol)
	}
	return i
}

// noteUnpriced adds up a cost that could not be counted.
func (r *Reader) noteUnpriced(c coinAmount) {
	if c.amount.IsZero() {
		return
	}
	if r.unpriced == nil {
		r.unpriced = map[string]decimal.Decimal{}
	}
	r.unpriced[c.coin] = r.unpriced[c.coin].Add(c.amount)
}

// The warnings about costs in coins.
const (
	feesInCoin    = "Fees that were taken in the coin itself are no longer part of the quantity, and count as a cost at the price of the fill."
	feesNotPriced = "Fees in other coins than those of the pair (%s in all) are kept beside their fills but are not counted, as the file has no rate for them."
)
