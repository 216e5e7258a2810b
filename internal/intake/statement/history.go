package statement

import (
	"cmp"
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
)

// UnknownKind is a kind word found neither in the preset nor in the shared words. Rows
// with it are skipped until the user says what it means; see [Hints.Kinds].
type UnknownKind struct {
	Word    string // as the file writes it
	Rows    int
	Example string // the cells in the first row with it
	Kind    Kind   // the user's choice, empty for none
}

// readKind reads a row by its kind.
func (lr *layoutReader) readKind(w *Row, kind Kind) {
	switch {
	case kind.isTrade() && lr.layout.isRoundTrip():
		lr.readTrip(w, kind)
	case kind.isTrade() && lr.layout.BuyPrice != "":
		lr.readPair(w)
	case kind.isTrade():
		lr.readTrade(w, kind)
	case kind.isEnding():
		lr.readEnding(w, kind)
	case kind.isCash():
		lr.readCash(w, kind)
	default:
		lr.skipKind(w, kind)
	}
}

// skipKind skips a row with nothing to import.
func (lr *layoutReader) skipKind(w *Row, kind Kind) {
	switch kind {
	case KindMovement:
		lr.skipMovement(w)
	case KindCorporateAction:
		if w.peek(lr.layout.Quantity).IsZero() && !w.peek(lr.layout.cashColumn()).IsZero() {
			lr.readCash(w, KindAdjustment)
			return
		}
		lr.skipMovement(w)
	case KindInternal:
		if !lr.layout.Coins {
			w.Skip("%s", ReasonOwnMoney)
			return
		}
		w.Skip("%s", ReasonInternal)
	case KindResult:
		lr.skipResult(w)
	case KindNotFilled:
		w.Skip("%s", ReasonNotFilled)
	case KindRepeated:
		w.Skip("%s", ReasonRepeated)
	case KindIgnored:
		w.Skip("%s", ReasonIgnored)
	case KindNotData:
		w.Drop()
	default:
		lr.skipUnknown(w)
	}
}

// amountColumn returns the column for a trade's amount.
func (l *Layout) amountColumn() Col { return cmp.Or(l.Amount, l.Gross) }

// cashColumn returns the column for a cash amount.
func (l *Layout) cashColumn() Col { return cmp.Or(l.CashAmount, l.Amount, l.Gross) }

// peek returns an expression's number, or 0. It never fails the row.
func (w *cells) peek(col Col) decimal.Decimal {
	i, text := w.find(col)
	n, err := parse.Number(text, w.r.separatorFor(i, text))
	if err != nil {
		return decimal.Zero
	}
	return n
}

// skipMovement skips a row moving securities or coins without a trade.
func (lr *layoutReader) skipMovement(w *Row) {
	l := lr.layout
	if l.Coins {
		lr.skipCoins(w, strings.ToLower(w.noteText(l)), coinName(cmp.Or(w.Text(l.Currency), w.Text(l.Symbol))))
		return
	}
	at := lr.momentOf(w)
	w.Skip("%s", ReasonSecurities)
	if w.Failed() {
		return
	}
	out, number, args := lr.r.Out, w.Number, []any{w.word, cmp.Or(w.Text(l.Symbol), w.Text(l.Name), "an unnamed security"), w.day()}
	warn := func() {
		out.WarnRow(number, "%s of %s on %s was skipped: it is not a trade. Adjust your position manually if it changed.", args...)
	}
	if !lr.readAction(w, warn) {
		warn()
	}
	lr.emitCharges(w, KindMovement, &Cash{Currency: strings.ToUpper(w.currencyOfAmount(l)), At: at.At})
}

// emitCharges adds tax and fees in a row other than a trade as separate cash.
func (lr *layoutReader) emitCharges(w *Row, kind Kind, of *Cash) {
	l := lr.layout
	lr.emitTax(w, kind, of)
	if l.CashFees != CashFeesApart {
		return
	}
	if fees := w.costs(l.Fees).Add(w.costs(l.Commission)); !fees.IsZero() {
		lr.emitCashFee(w, *of, fees)
	}
}

// skipCoins skips a row moving coins without a trade.
func (lr *layoutReader) skipCoins(w *Row, word, coin string) {
	w.Skip("%s", ReasonCoins)
	if lr.moved[word] == nil {
		lr.moved[word] = map[string]bool{}
	}
	lr.moved[word][coin] = true
}

// skipResult skips a contract's result or fee, whose fills are in other files, and adds
// it up.
func (lr *layoutReader) skipResult(w *Row) {
	l := lr.layout
	n, unit := w.amount(l.cashColumn())
	if l.CashFees == CashFeesSubtracted {
		n.Decimal = n.Decimal.Sub(w.costs(l.Fees))
	}
	w.Skip("%s", ReasonResult)
	coin := coinName(cmp.Or(w.Text(l.Currency), unit))
	if !l.Coins {
		coin += " of " + strings.TrimSpace(w.word)
	}
	lr.results[coin] = lr.results[coin].Add(n.Decimal)
}

// skipUnknown skips a row with an unknown kind and lists its word.
func (lr *layoutReader) skipUnknown(w *Row) {
	l := lr.layout
	if l.isRoundTrip() && w.Text(l.Symbol) != "" {
		w.Fail("%s: %q is neither a buy nor a sell.", firstName(l.Kind), parse.Shorten(w.word))
		return
	}
	switch {
	case !w.peek(l.Quantity).IsZero() && !l.Coins, w.Text(l.Symbol) != "" && w.peek(l.cashColumn()).IsZero() && !l.Coins:
		lr.skipMovement(w)
	case w.peek(l.cashColumn()).IsZero():
		w.Skip("%s", ReasonNoAmount)
		return
	default:
		w.Skip("unknown kind %q", parse.Shorten(w.word))
	}
	lr.listUnknown(w, kindUnknown)
	if amount := w.peek(l.cashColumn()); !w.Failed() {
		lr.r.Out.noteLeftMoney(w.word, w.Number, amount, coinName(w.currencyOfCash(l)))
	}
}

// listUnknown lists a row's word with the user's choice for it.
func (lr *layoutReader) listUnknown(w *Row, kind Kind) {
	if !w.Failed() {
		w.noteUnknownKind(w.word, kind)
	}
}

// ChosenKind returns the user's choice for an unknown word, and lists the word with it.
// It is for hooks; a [Layout] looks it up by itself.
func (w *Row) ChosenKind(word string) (Kind, bool) {
	kind, ok := w.r.Hints.Kinds[WordKey(word)]
	if ok {
		w.noteUnknownKind(word, kind)
	}
	return kind, ok
}

// SkipUnknownKind skips a row that moved money and has an unknown kind, and lists its
// word. It is for hooks.
func (w *Row) SkipUnknownKind(word string, c Cash) {
	w.Skip("unknown kind %q", parse.Shorten(word))
	if !w.Failed() {
		w.noteUnknownKind(word, kindUnknown)
		w.r.Out.noteLeftMoney(word, w.Number, c.Amount, c.Currency)
	}
}

// CashKind returns a cash row's kind: the one for its word in a list, or else the user's
// choice for the word. A row whose word has neither, or is ignored, is skipped; c is the
// money it moved. It is for hooks.
func (w *Row) CashKind(words []Word, word string, c Cash) (kind Kind, ok bool) {
	if kind = FindKind(words, word); kind != kindUnknown {
		return kind, true
	}
	switch kind, ok = w.ChosenKind(word); {
	case !ok:
		w.SkipUnknownKind(word, c)
	case kind == KindIgnored:
		w.Skip("%s", ReasonIgnored)
		return kind, false
	}
	return kind, ok
}

// CashType returns the API's cash type for a kind, by the sign of its amount and its
// text. It is empty for a kind other than cash.
func CashType(kind Kind, amount decimal.Decimal, text string) string {
	return cashType(kind, amount, text)
}

// noteUnknownKind lists a row's word with the user's choice for it.
func (w *Row) noteUnknownKind(word string, kind Kind) {
	if word == "" {
		return
	}
	out := w.r.Out
	i := slices.IndexFunc(out.UnknownKinds, func(u UnknownKind) bool { return WordKey(u.Word) == WordKey(word) })
	if i >= 0 {
		out.UnknownKinds[i].Rows++
		return
	}
	const most = 100
	if len(out.UnknownKinds) < most {
		out.UnknownKinds = append(out.UnknownKinds, UnknownKind{Word: parse.Shorten(strings.TrimSpace(word)), Rows: 1, Example: w.example(), Kind: kind})
	}
}

// example returns the row's cells in one line.
func (w *Row) example() string {
	cells := slices.DeleteFunc(slices.Clone(w.Cells), parse.Blank)
	const longest = 160
	text := []rune(strings.Join(strings.Fields(strings.Join(cells, " · ")), " "))
	return string(text[:min(len(text), longest)])
}

// cashTypes are the API's cash types. The legs in an exchange cancel each other but for
// the rate, so both are kept.
var cashTypes = map[Kind]string{
	KindDividend: "dividend", KindWithholding: "dividend", KindInterest: "interest", KindFee: cashFee, KindTax: cashAdjustment,
	KindAdjustment: cashAdjustment, KindExchange: cashAdjustment, KindDeposit: cashDeposit, KindWithdrawal: cashWithdrawal,
}

// cashType returns the API's type for an amount.
func cashType(kind Kind, amount decimal.Decimal, text string) string {
	switch kind { //nolint:exhaustive // the others have one type
	case KindTransfer, KindDeposit, KindWithdrawal:
		if amount.Sign() < 0 {
			return cashWithdrawal
		}
		return cashDeposit
	case KindWithholding:
		if FindCashKind(text) == KindInterest || slices.ContainsFunc(interestWords(), func(word string) bool { return strings.Contains(strings.ToLower(text), word) }) {
			return "interest"
		}
	}
	return cashTypes[kind]
}

// interestWords are the shared words for interest.
func interestWords() []string {
	for _, w := range cashWords {
		if w.kind == KindInterest {
			return w.parts
		}
	}
	return nil
}

// readCash reads a row moving money without a fill.
func (lr *layoutReader) readCash(w *Row, kind Kind) {
	l := lr.layout
	amount, unit := w.amount(l.cashColumn())
	at := lr.momentOf(w)
	n := amount.Decimal
	if l.Coins && !amount.Valid {
		w.Fail("There is no value in column %s.", firstName(l.cashColumn()))
	}
	if l.Unsigned && (kind == KindFee || kind == KindWithdrawal) {
		n = n.Abs().Neg()
	}
	if l.CashFees == CashFeesSubtracted {
		n = n.Sub(w.costs(l.Fees))
	}
	currency := coinName(cmp.Or(w.currencyOfCash(l), unit))
	c := Cash{Type: cashType(kind, n, w.word), Amount: n, Currency: currency, At: at.At, Note: w.cashNote(l)}
	if n.IsZero() {
		lr.skipNoAmount(w)
	} else {
		if kind == KindExchange {
			lr.noteRate(w, &c)
		}
		lr.emitCash(w, &Record{Kind: kind, Cash: &c})
	}
	if w.Failed() {
		return
	}
	lr.emitCharges(w, kind, &c)
}

// skipNoAmount skips a cash row without an amount.
func (lr *layoutReader) skipNoAmount(w *Row) {
	if !w.peek(lr.layout.Quantity).IsZero() && !lr.layout.Coins {
		lr.skipMovement(w)
		return
	}
	w.Skip("%s", ReasonNoAmount)
}

// emitCash adds cash to a row's outcome. Coins other than money are skipped; those equal
// to the account's currency are booked in it.
func (lr *layoutReader) emitCash(w *Row, record *Record) {
	l, c := lr.layout, record.Cash
	if l.Coins {
		currency, isMoney := CashCurrency(c.Currency, lr.r.Hints.Currency)
		if !isMoney {
			if !w.Failed() {
				lr.skipCoins(w, strings.ToLower(c.Note), c.Currency)
			}
			return
		}
		c.Currency = currency
	}
	if l.Adjust != nil && !w.Failed() {
		l.Adjust(w, record)
	}
	w.emit(record)
}

// emitTax adds a row's tax as separate cash.
func (lr *layoutReader) emitTax(w *Row, kind Kind, of *Cash) {
	l := lr.layout
	tax := w.costs(l.Tax)
	if l.Tax == "" || tax.IsZero() || w.Failed() {
		return
	}
	c := *of
	c.Type, c.Amount, c.Note = cashAdjustment, tax.Neg(), w.withSymbol("Tax of "+cmp.Or(w.chargesName, w.word))
	if kind == KindDividend || kind == KindInterest {
		c.Type, c.Note = cashTypes[kind], "Tax: "+of.Note
	}
	w.skipped = ""
	w.Money(c)
}

// emitCashFee adds a cash row's fee as separate cash.
func (lr *layoutReader) emitCashFee(w *Row, c Cash, fees decimal.Decimal) {
	l := lr.layout
	c.Type, c.Amount = cashFee, fees.Neg()
	if l.Coins {
		c.Note += " fee"
		if coin := w.Text(l.FeesCurrency); coin != "" {
			c.Currency = strings.ToUpper(coin)
		}
	} else {
		c.Note = w.withSymbol("Fee of " + cmp.Or(w.chargesName, w.word))
	}
	skipped, cash := w.skipped, w.cash
	w.skipped = ""
	lr.emitCash(w, &Record{Kind: KindFee, Cash: &c})
	switch {
	case len(w.cash) > 0:
	case len(cash) > 0: // a fee in a coin other than money does not skip the row
		w.cash, w.skipped = cash, ""
	case skipped != "":
		w.skipped = skipped
	}
}

// noteText returns a row's note as the layout builds it.
func (w *Row) noteText(l *Layout) string {
	switch {
	case l.Note != "":
		return strings.Join(strings.Fields(w.Text(l.Note)), " ")
	case l.Coins:
		return WordKey(w.word)
	}
	return w.word
}

// cashNote returns a cash row's note: the layout's text, with the symbol before it.
func (w *Row) cashNote(l *Layout) string {
	return w.withSymbol(w.noteText(l))
}

// withSymbol puts the row's symbol before a note without it.
func (w *Row) withSymbol(note string) string {
	l := w.r.layout
	if symbol := w.Text(l.Symbol); symbol != "" && !l.Coins && !strings.Contains(note, symbol) {
		note = strings.TrimSpace(symbol + " " + note)
	}
	return note
}

// noteRate notes the rate between the two sides of a money exchange.
func (lr *layoutReader) noteRate(w *Row, c *Cash) {
	for _, j := range lr.layout.Join {
		if j.As != JoinRates {
			continue
		}
		key := w.Text(j.By)
		first, known := lr.exchanges[key]
		if !known {
			lr.exchanges[key] = *c
			return
		}
		if from := first.Amount.Abs(); !from.IsZero() && !w.Failed() {
			w.Rate(first.Currency, c.Currency, c.Amount.Abs().DivRound(from, rateScale), c.At)
		}
	}
}
