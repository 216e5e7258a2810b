package statement

import (
	"cmp"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/trading/annotations"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// readExecution reads a row as one fill.
func (r *mappedReader) readExecution(w *Row) {
	if r.readPlainFill(w) {
		return
	}
	if r.Out.ByNames && r.skipCash(w) {
		return
	}
	quantity, filled := r.filled(w)
	if !filled {
		return
	}
	f := r.pool.newFill()
	r.readInstrument(w, f)
	if !quantity.Valid || quantity.Decimal.Sign() == 0 {
		r.noQuantity(w, quantity)
		return
	}
	f.Quantity = quantity.Decimal
	r.readSide(w, f)
	r.readPrice(w, f)
	w.traded = f.Quantity.Mul(f.Price).Mul(f.effectiveMultiplier()).Abs()
	at := r.readMoment(w)
	f.At, f.DateOnly = at.At, at.DateOnly
	f.Fees, f.Commission = r.readCosts(w)
	r.chargeCoins(w, f)
	r.readAmount(w, f)
	f.ID = w.Text(r.layout.ID)
	f.SetOrder(w.Text(r.layout.Order))
	for _, result := range r.results {
		f.hasResult = f.hasResult || f.statesResult(w.peek(result))
	}
	w.emitFill(f)
}

// filled reads a row's quantity and skips unfilled orders. For an order filled in part,
// even if canceled afterwards, it is the filled quantity.
func (r *mappedReader) filled(w *Row) (quantity decimal.Null, ok bool) {
	quantity = w.Null(r.layout.Quantity)
	word := w.Text(r.status)
	if word == "" {
		return quantity, true
	}
	status := parse.Status(word)
	if status == parse.StatusFilled || status == parse.StatusUnknown {
		if status == parse.StatusUnknown {
			r.Out.WarnRow(w.Number, "The status %q is not known and was read as filled.", parse.Shorten(word))
		}
		return quantity, true
	}
	done := w.filledQuantity()
	switch {
	case done.Decimal.Sign() != 0:
		if quantity.Decimal.Sign() < 0 {
			done.Decimal = done.Decimal.Abs().Neg()
		}
		return done, true
	case status != parse.StatusPartial:
		w.Skip("%s", parse.SkipReasons[status])
	case done.Valid:
		w.Skip("%s", ReasonNotFilled)
	default:
		w.Fail("The order was filled in part, but the file does not say how much of it.")
	}
	return quantity, false
}

// noQuantity ends a row without a quantity: an unfilled order is skipped, a line of text
// is ignored, and any other row fails.
func (r *mappedReader) noQuantity(w *Row, quantity decimal.Null) {
	side := w.Text(r.layout.Side)
	if side != "" {
		r.readSideWord(w, side)
	}
	switch {
	case !quantity.Valid && w.Text(r.layout.Symbol) == "" && side == "":
		w.Ignore()
	case quantity.Valid && (r.Preset.Broker != "" || r.filledColumn() >= 0):
		w.Skip("%s", ReasonNotFilled)
	default:
		w.Fail("There is no quantity.")
	}
}

// readInstrument reads what was traded.
func (r *mappedReader) readInstrument(w *Row, f *Fill) {
	l := r.layout
	kind := r.Preset.Instrument
	if word := w.Text(r.layout.Type); word != "" {
		kind = InstrumentType(word)
	}
	multiplier := w.Null(l.Multiplier)
	f.setInstrument(r.nameInstrument(l, "", w.Text(l.Symbol), kind))
	if multiplier.Valid {
		f.Multiplier = multiplier
	}
	if right := strings.ToLower(w.Text(r.layout.Right)); right != "" && f.Right == "" {
		f.Type = "option"
		f.Right = optionRight(right)
		f.Strike = w.Null(l.Strike)
		f.Expiry = readExpiry(w, l.Expiry)
	}
	currency := cmp.Or(strings.ToUpper(w.Text(r.layout.Currency)), r.priceCurrency)
	w.symbol, w.currency = f.Symbol, currency
	if currency == "" {
		return
	}
	r.Out.NoteCurrency(currency)
	if r.Hints.Currency != "" && currency != r.Hints.Currency {
		r.Out.WarnCurrency(currency, r.Hints.Currency)
		f.Details = map[string]string{"currency": currency}
	}
}

// readExpiry reads the day on which an option expires.
func readExpiry(w *Row, col Col) journal.Day {
	if !isConstant(col) {
		return w.Day(col)
	}
	day, err := journal.ParseDay(string(TargetExpiry), col[1:])
	if err != nil {
		w.Fail("%q is not a day.", parse.Shorten(col[1:]))
	}
	return day
}

// readPrice reads the price. A percentage is a bond price.
func (r *mappedReader) readPrice(w *Row, f *Fill) {
	if !isConstant(r.layout.Price) && r.layout.Price != "" {
		if price, ok := w.percentPrice(w.find(r.layout.Price)); ok {
			f.Price, f.Type = price, cmp.Or(f.Type, typeBond)
			f.Multiplier = decimal.Null{Decimal: f.Multiplier.Or(hundredth), Valid: true}
			return
		}
	}
	price := w.Null(r.layout.Price)
	if !price.Valid {
		w.Fail("There is no price.")
	}
	f.Price = price.Decimal
}

// readSide reads the side, or takes it from the quantity's sign.
func (r *mappedReader) readSide(w *Row, f *Fill) {
	word := w.Text(r.layout.Side)
	if word == "" {
		f.Side = matching.Buy
		if f.Quantity.Sign() < 0 {
			f.Side = matching.Sell
		} else if r.layout.Side != "" {
			w.Fail("There is no side.")
		}
		return
	}
	f.Side, f.Effect = r.readSideWord(w, word)
}

// readSideWord reads the word for a side, and fails the row if it is unknown.
func (r *mappedReader) readSideWord(w *Row, word string) (matching.Side, parse.Effect) {
	side, effect, ok := w.sideWord(word)
	if !ok {
		w.Fail("%q is neither a buy nor a sell.", parse.Shorten(word))
		r.noteLeft(w, word)
	}
	return side, effect
}

// readMoment reads when a fill happened, or a trade with one time.
func (r *mappedReader) readMoment(w *Row) parse.Moment {
	switch l := r.layout; {
	case l.Time != "":
		return w.dayAndTime(l.Date, l.Time)
	case l.Clock != "":
		return w.DateAndTime(l.Date, l.Clock)
	default:
		return w.Moment(l.Date)
	}
}

// readCosts reads a row's costs. Swap is written as its effect on the account: below zero
// is a cost.
func (r *mappedReader) readCosts(w *Row) (fees, commission decimal.Decimal) {
	fees = r.readCost(w, TargetFees, r.layout.Fees, r.fees).Sub(w.Decimal(r.layout.Swap))
	return fees, r.readCost(w, TargetCommission, r.layout.Commission, r.commission)
}

// readCost reads a constant cost or the sum over some columns. Costs in other coins are
// kept apart; see chargeCoins.
func (r *mappedReader) readCost(w *Row, target Target, col Col, columns []Col) decimal.Decimal {
	if columns == nil {
		constant := w.Null(col)
		w.noteZero(target, constant.Valid && constant.Decimal.IsZero())
		return constant.Or(decimal.Zero)
	}
	fees, commission := w.noFees, w.noCommission
	cost := decimal.Zero
	for _, name := range columns {
		e := r.parse(name)
		n := w.costIn(e, name)
		if coin := r.coinOfCost(w, e); coin != "" {
			w.coins = append(w.coins, coinAmount{n, coin})
			continue
		}
		cost = cost.Add(n)
	}
	isZero := w.noFees != fees || w.noCommission != commission
	w.noFees, w.noCommission = fees, commission // the mapping says which it is
	w.noteZero(target, isZero)
	return cost
}

// readRoundTrip reads a row as a finished trade by a mapping.
func (r *mappedReader) readRoundTrip(w *Row) {
	switch status := parse.Status(w.Text(r.status)); status {
	case parse.StatusCanceled, parse.StatusRejected:
		w.Skip("%s", parse.SkipReasons[status])
		return
	case parse.StatusUnknown, parse.StatusFilled, parse.StatusPartial, parse.StatusExpired, parse.StatusPending: // a trade may be open, an option expired
	}
	var f Fill
	r.readInstrument(w, &f)
	if f.Symbol == "" {
		if w.Text(r.layout.Quantity) == "" {
			w.Ignore()
			return
		}
		w.Fail("There is no symbol.")
		return
	}
	t := Trip{
		Symbol: f.Symbol, Type: f.Type, Multiplier: f.Multiplier, Right: f.Right, Strike: f.Strike, Expiry: f.Expiry,
		Details: f.Details, ID: w.Text(r.layout.ID),
		OpenPrice: w.Null(r.layout.OpenPrice).Or(decimal.Zero), ClosePrice: w.Null(r.layout.ClosePrice),
	}
	t.Fees, t.Commission = r.readCosts(w)
	t.GrossPnL, t.NetPnL = w.Null(r.layout.Result), w.Null(r.layout.NetResult)
	r.chargeTripCoins(w)
	quantity := w.Null(r.layout.Quantity)
	if !quantity.Valid {
		w.Fail("There is no quantity.")
	}
	t.Quantity = quantity.Decimal.Abs()
	t.Short = r.isShort(w, quantity.Decimal)
	r.readTimes(w, &t)
	t.TrustPnL = t.Type == instruments.TypeForex || t.Type == instruments.TypeCFD
	r.annotate(w, w.Trip(t))
}

// isShort reads a finished trade's direction.
func (r *mappedReader) isShort(w *Row, quantity decimal.Decimal) bool {
	word := strings.ToLower(strings.TrimSpace(w.Text(r.layout.Side)))
	switch word {
	case "":
		return quantity.Sign() < 0
	case "long", "l":
		return false
	case "short", "s":
		return true
	}
	side, _, ok := w.sideWord(word)
	if !ok {
		w.Fail("%q is neither long nor short.", parse.Shorten(word))
	}
	return side == matching.Sell
}

// readTimes reads when the trade opened and closed. A journal with only one
// moment has the day; both fills have it then.
func (r *mappedReader) readTimes(w *Row, t *Trip) {
	l := r.layout
	switch {
	case l.OpenTime != "":
		t.Open = w.dayAndTime(l.OpenDate, l.OpenTime)
	case l.OpenDate != "":
		t.Open = w.Moment(l.OpenDate)
	case l.Time != "" || l.Date != "":
		t.Open = r.readMoment(w)
	}
	switch closes := w.Text(l.CloseTime) != "" || w.Text(l.CloseDate) != ""; {
	case closes && l.CloseTime != "":
		t.Close = w.dayAndTime(l.CloseDate, l.CloseTime)
	case closes:
		t.Close = w.Moment(l.CloseDate)
	case t.ClosePrice.Valid && l.CloseTime == "" && l.CloseDate == "":
		t.Close = t.Open
	}
	if t.Open.At.IsZero() && !w.Failed() {
		t.Open = t.Close
	}
}

// annotate reads a trade's annotations.
func (r *mappedReader) annotate(w *Row, on *Fill) {
	a := Annotations{Fill: on, Setups: List(w.Text(r.layout.Setups))}
	for _, f := range annotations.Fields {
		w.ReadAnnotation(f, r.mapping[Target(f.Name)], &a.Values)
		if value, ok := f.At(&a.Values).(*decimal.Null); ok && f.Range != 0 { // platforms write 0 if there is no stop, target or risk
			*value = NonZero(*value)
		}
	}
	for _, tag := range List(w.Text(r.layout.Tags)) {
		if kind, mistake, ok := strings.Cut(tag, ":"); ok && strings.EqualFold(kind, "mistake") {
			a.Mistakes = append(a.Mistakes, strings.TrimSpace(mistake))
			continue
		}
		a.Tags = append(a.Tags, tag)
	}
	w.Annotate(a)
}

// skipCash skips a row with cash or a movement instead of a fill, and says which. It
// reports whether it did.
func (r *mappedReader) skipCash(w *Row) bool {
	word, kind := r.cashWord(w)
	if word == "" {
		return false
	}
	w.Skip("%s, not a fill: %s", strings.ReplaceAll(string(kind), "_", " "), parse.Shorten(strings.TrimSpace(word)))
	r.noteLeft(w, word)
	return true
}

// noteLeft adds up the money in a row without a fill.
func (r *mappedReader) noteLeft(w *Row, word string) {
	if i := r.amount; i >= 0 && i < len(w.Cells) {
		if n, err := parse.Number(w.Cells[i], r.separator(i)); err == nil {
			r.Out.noteLeftMoney(word, w.Number, n, strings.ToUpper(cmp.Or(w.Text(r.layout.Currency), knownCurrencyIn(r.header[i]))))
		}
	}
}

// cashWord returns the word and kind of a row without a fill: from the side column, or
// from a kind column if the row has no quantity.
func (r *mappedReader) cashWord(w *Row) (string, Kind) {
	if word := w.Text(r.layout.Side); word != "" && !isConstant(r.layout.Side) {
		if w.findSideWord(word).whole {
			return "", kindUnknown
		}
		if kind := FindCashKind(word); kind != kindUnknown {
			return word, kind
		}
		return "", kindUnknown
	}
	if r.layout.Quantity == "" || isConstant(r.layout.Quantity) || !w.peek(r.layout.Quantity).IsZero() {
		return "", kindUnknown
	}
	for _, i := range r.kindColumns() {
		if i < len(w.Cells) && !w.isTradeWord(w.Cells[i]) {
			if kind := FindCashKind(w.Cells[i]); kind != kindUnknown {
				return w.Cells[i], kind
			}
		}
	}
	return "", kindUnknown
}

// coinOfCost returns a cost's coin or currency, if it is not the row's money.
func (r *mappedReader) coinOfCost(w *Row, e *expression) string {
	i, text := w.findIn(e)
	if !r.Out.ByNames || i < 0 || text == "" {
		return ""
	}
	coin := r.statedCoin(w, text)
	if coin == "" {
		return ""
	}
	if quote := r.pair(w).Quote; quote == "" || IsSameMoney(coin, quote) {
		return ""
	}
	return coin
}

// statedCoin returns the coin or currency in the fee currency column, or attached to a
// number. It is empty if the file does not say.
func (r *mappedReader) statedCoin(w *Row, text string) string {
	if coin := w.cell(r.feeCurrency); r.feeCurrency >= 0 && !parse.Blank(coin) {
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

// chargeCoins books costs in a coin or currency of their own. Those in neither the fill's
// money nor its coin are kept beside it and reported.
func (r *mappedReader) chargeCoins(w *Row, f *Fill) {
	if len(w.coins) == 0 {
		return
	}
	pair := r.pair(w)
	for _, c := range w.coins {
		switch {
		case !f.ChargeCoin(pair, c.amount, c.coin):
			r.noteUnpriced(c)
		case c.coin == pair.Base && !c.amount.IsZero():
			r.Out.Warn(feesInCoin)
		}
	}
}

// chargeTripCoins is chargeCoins for a whole trade, which has several prices: no cost
// in a coin is counted.
func (r *mappedReader) chargeTripCoins(w *Row) {
	for _, c := range w.coins {
		r.noteUnpriced(c)
	}
}

// pair returns the row's traded coin, if it has one, and the money it is priced in.
func (r *mappedReader) pair(w *Row) Instrument {
	i := Instrument{Quote: strings.ToUpper(cmp.Or(w.currency, r.Hints.Currency))}
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
