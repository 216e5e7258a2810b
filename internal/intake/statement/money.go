package statement

import (
	"cmp"
	"fmt"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// amount reads a number and the coin or currency written with it. Some coins are tried
// first, because a coin may begin with a digit: 51INCH is 5 of 1INCH.
func (w *cells) amount(col Col, likely ...string) (n decimal.Null, unit string) {
	i, text := w.find(col)
	if text == "" {
		return decimal.Null{}, ""
	}
	if isCurrencyCode(strings.TrimSpace(text)) && i >= 0 && w.r.isUnnamed(i+1) && !parse.Blank(w.cell(i+1)) {
		i, text, unit = i+1, w.cell(i+1), strings.TrimSpace(text) // code and number are swapped
	}
	separator := w.r.separatorFor(i, text)
	if w.r.hasCoins() {
		if number, coin := cutCoin(text, likely); coin != "" {
			text, unit, separator = number, coin, parse.Point
			if parse.ProvenBy(number) == parse.Comma {
				separator = parse.Comma
			}
		}
	}
	value, err := parse.Number(text, separator)
	if err != nil {
		w.Fail("%s: %v.", w.r.nameOf(i, col), err)
		return decimal.Null{}, ""
	}
	return decimal.Of(value), unit
}

// hasCoins reports whether the table is from a crypto exchange.
func (r *table) hasCoins() bool { return r.layout != nil && r.layout.Coins }

// separatorFor returns the separator for a value in a column.
func (r *table) separatorFor(column int, text string) parse.Separator {
	if r.layout != nil {
		switch r.layout.Decimals {
		case DecimalsByValue:
			if own := parse.ProvenBy(text); own != parse.Unsettled {
				return own
			}
		case DecimalsUngrouped:
			if strings.Contains(text, ",") {
				return parse.Comma
			}
			return parse.Point
		case DecimalsComma:
			return parse.Comma
		case DecimalsByColumn:
		}
	}
	return r.separator(column)
}

// cutCoin separates a number from the coin attached to it.
func cutCoin(text string, likely []string) (number, coin string) {
	text = strings.ToUpper(strings.TrimSpace(text))
	for _, c := range likely {
		if rest, ok := strings.CutSuffix(text, c); ok && c != "" && rest != "" && len(c) > len(coin) {
			number, coin = rest, c
		}
	}
	if coin != "" {
		return number, coin
	}
	at := strings.LastIndexAny(text, "0123456789.") + 1
	number, coin = text[:at], strings.TrimSpace(text[at:])
	if at == 0 || strings.ContainsAny(coin, "%)") {
		return text, ""
	}
	return number, coin
}

// settleMoney reads a trade's costs, amounts and currencies.
func (t *tradeRow) settleMoney() {
	if t.lr.layout.Coins {
		t.settleCoins()
		return
	}
	l := t.lr.layout
	t.money = strings.ToUpper(t.w.currencyOfAmount(l))
	t.priced = t.w.currencyOfPrice(l, t.money)
	t.amount, t.gross = t.w.Null(l.Amount), t.w.Null(l.Gross)
	if l.Unsigned {
		t.amount = signed(t.amount, t.Side)
	}
	if t.amount.Valid && l.Tax != "" {
		t.amount.Decimal = t.amount.Decimal.Add(t.w.costs(l.Tax))
	}
	t.readCosts()
	t.computePrice()
	t.stateCashFlow()
	t.inferMultiplier()
	if t.inPercent && !t.isForeign() {
		t.Multiplier, t.Type = decimal.Of(hundredth), cmp.Or(t.Type, typeBond)
	}
	if assumed := t.Multiplier; !assumed.Valid || t.MultiplierAssumed {
		t.settleRate()
		t.MultiplierAssumed = t.MultiplierAssumed && t.Multiplier.Equal(assumed)
	}
	t.bookHiddenCosts()
	t.readResult()
	t.noteCurrency()
}

// currencyOfPrice returns a row's price currency.
func (w *cells) currencyOfPrice(l *Layout, money string) string {
	if code := strings.TrimSpace(w.Text(l.PriceCurrency)); code != "" {
		return code
	}
	if i := w.r.column(l.Price); i >= 0 {
		if code := w.statedCurrency(i); code != "" {
			return code
		}
	}
	return money
}

// readCosts reads a trade's costs. A cost in the price currency is converted to the
// amount's.
func (t *tradeRow) readCosts() {
	l := t.lr.layout
	read := func(col Col, rate decimal.Null) decimal.Decimal {
		sum := decimal.Zero
		for _, one := range sumParts(col) {
			cost := t.w.cost(one)
			if i := t.w.r.column(one); i >= 0 && rate.Valid && !cost.IsZero() && t.w.statedCurrency(i) == t.priced {
				const cents = 2
				cost = cost.Mul(rate.Decimal).Round(cents)
			}
			sum = sum.Add(cost)
		}
		return sum
	}
	rate := decimal.Null{}
	if t.isForeign() {
		rate = t.rateOf()
	}
	t.w.traded = t.Quantity.Mul(t.Price).Mul(t.effectiveMultiplier()).Abs()
	t.Commission, t.Fees = read(l.Commission, rate), read(l.Fees, rate)
}

// isForeign reports whether the price is in another currency than the amount.
func (t *tradeRow) isForeign() bool { return t.priced != "" && t.priced != t.money }

// priceScale is how many decimals a computed price has.
const priceScale = 8

// computePrice computes a missing price from the amount.
func (t *tradeRow) computePrice() {
	if !t.priceMissing || t.w.Failed() {
		return
	}
	units := t.Quantity.Mul(t.effectiveMultiplier())
	if units.IsZero() {
		return // the row fails for its quantity
	}
	t.Price = t.grossAmount().DivRound(units, priceScale)
}

// grossAmount returns the traded value in the amount's currency, without costs; 0 if the
// file does not say.
func (t *tradeRow) grossAmount() decimal.Decimal {
	if t.gross.Valid {
		return t.gross.Decimal.Abs()
	}
	if !t.amount.Valid {
		return decimal.Zero
	}
	return t.amount.Decimal.Add(t.Fees).Add(t.Commission).Abs()
}

// stateCashFlow sets the stated cash flow. An amount before costs that gave the price
// says nothing more.
func (t *tradeRow) stateCashFlow() {
	switch {
	case t.amount.Valid:
		t.StatedCashFlow = t.amount
	case t.gross.Valid && !t.priceMissing:
		t.StatedCashFlow = decimal.Of(signed(t.gross, t.Side).Decimal.Sub(t.Fees).Sub(t.Commission))
	}
}

// costs adds up cost columns.
func (w *cells) costs(col Col) decimal.Decimal { return w.Cost(sumParts(col)...) }

// currencyOfAmount returns the currency for a trade's amounts.
func (w *cells) currencyOfAmount(l *Layout) string { return w.currencyOfFirst(l, l.Amount, l.Gross) }

// currencyOfCash returns a cash row's currency.
func (w *cells) currencyOfCash(l *Layout) string {
	if l.CashAmount != "" {
		return w.currencyOfFirst(l, l.CashAmount)
	}
	return w.currencyOfAmount(l)
}

// currencyOfFirst returns the currency stated with the first amount that has one, or else
// the row's.
func (w *cells) currencyOfFirst(l *Layout, amounts ...Col) string {
	for _, col := range amounts {
		if i := w.r.column(col); i >= 0 {
			if code := w.statedCurrency(i); code != "" {
				return code
			}
		}
	}
	return w.Text(l.Currency)
}

// statedCurrency returns a column's currency as stated by its name, the unnamed column
// beside it or a column "Currency (name)".
func (w *cells) statedCurrency(i int) string {
	if code := currencyInHeader(w.r.header[i]); code != "" {
		return code
	}
	for _, j := range []int{i, i + 1} {
		if code := strings.TrimSpace(w.cell(j)); isCurrencyCode(code) && w.r.isUnnamed(i+1) {
			return code
		}
	}
	return w.Text("Currency (" + strings.TrimSpace(w.r.header[i]) + ")")
}

// signed returns an amount with its sign in cash: buying costs.
func signed(amount decimal.Null, side matching.Side) decimal.Null {
	if !amount.Valid {
		return amount
	}
	if side == matching.Buy {
		return decimal.Of(amount.Decimal.Abs().Neg())
	}
	return decimal.Of(amount.Decimal.Abs())
}

// inferMultiplier finds the value of an unknown contract from what was traded.
func (t *tradeRow) inferMultiplier() {
	if t.Type == instruments.TypeFuture && t.gross.Valid && !t.Multiplier.Valid && !isKnownFuture(t.Symbol) {
		t.Multiplier = RoundWorth(t.gross.Decimal.Abs(), t.Price.Abs().Mul(t.Quantity))
	}
}

// readResult reads a fill's stated result.
func (t *tradeRow) readResult() {
	l := t.lr.layout
	column := cmp.Or(l.Result, l.NetResult)
	if column == "" {
		return
	}
	result, _ := t.w.amount(column, t.instrument.Quote, t.instrument.Base)
	t.hasResult = t.statesResult(result.Decimal)
	counts := false
	switch l.Results { //nolint:exhaustive // the others never count for a fill
	case ResultAlways:
		counts = result.Valid
	case ResultIfClosing:
		counts = t.Effect == parse.Closing
		result = decimal.Of(result.Or(decimal.Zero))
	case ResultIfForeign:
		counts = !result.Decimal.IsZero() && (t.Type == instruments.TypeForex || t.Type == instruments.TypeCFD) ||
			t.isForeign() && !isMinorUnit(t.priced, t.money)
	}
	if counts {
		t.StatedPnL = result
	}
}

// noteCurrency records a fill's currency and warns if it is not the user's.
func (t *tradeRow) noteCurrency() {
	out, home := t.lr.r.Out, t.lr.r.Hints.Currency
	if t.converted {
		return // its amounts are in the account's currency
	}
	switch t.lr.layout.Currencies {
	case CurrencyOfFile:
		if t.money == "" {
			return
		}
		out.Account.Currency = t.money
		if home = strings.ToUpper(home); home != "" && home != t.money {
			out.AddWarning(Warning{
				Code: CurrencyNotConverted,
				Text: fmt.Sprintf("The file is in %s, the account is in %s: its amounts were taken as they are.", t.money, home),
			})
		}
		return
	case CurrencyOfAccount, CurrencyMixed:
		if t.money == "" {
			if t.isForeign() && t.Multiplier.Valid {
				t.AddDetail("currency", t.priced)
			}
			return
		}
		out.DeriveCurrency(t.money)
	case CurrencyOfRow, CurrencyOfPrice:
		out.NoteCurrency(t.money)
	}
	foreign := t.money != "" && home != "" && t.money != home
	if foreign {
		out.WarnCurrency(t.money, home)
	}
	switch {
	case t.isForeign():
		t.AddDetail("currency", t.priced)
	case foreign && (t.lr.layout.Currencies == CurrencyOfRow || t.lr.layout.Currencies == CurrencyOfPrice):
		t.AddDetail("currency", t.money)
	}
}

// coinAmount is an amount in a coin; without a coin it is in the quote coin.
type coinAmount struct {
	amount decimal.Decimal
	coin   string
}

// settleCoins reads costs, amounts and result for a trade in coins.
func (t *tradeRow) settleCoins() {
	l, i := t.lr.layout, &t.instrument
	t.money = i.Quote
	if t.instrument.IsContract && !t.Multiplier.Valid {
		t.Multiplier, t.MultiplierAssumed = decimal.Of(decimal.New(1)), true
	}
	costs := t.w.coinCosts(l, i)
	t.amount, _ = t.w.amount(l.Amount, i.Quote)
	t.gross, _ = t.w.amount(l.Gross, i.Quote)
	if l.Unsigned {
		t.amount = signed(t.amount, t.Side)
	}
	t.StatedCashFlow = t.amount
	t.readCoinResult()
	if t.priceMissing {
		computeCoinPrice(t, costs)
	}
	for _, c := range costs {
		t.chargeCoins(c)
	}
	if l.HiddenCosts != CostNone {
		t.Fees = t.Fees.Add(t.HiddenCosts())
	}
	if !t.w.Failed() {
		t.noteQuote()
	}
	if t.Quantity.Sign() <= 0 {
		t.w.Fail("The quantity of %s is zero.", t.Symbol)
	}
}

// readCoinResult reads a contract's result if prices cannot give it: it is priced in
// dollars and settled in its coin, or its size is unknown.
func (t *tradeRow) readCoinResult() {
	l, i := t.lr.layout, &t.instrument
	if !i.IsContract {
		return
	}
	inCoin := i.Quote == "USD"
	if inCoin || t.w.countsContracts {
		result, _ := t.w.amount(l.Result, i.Quote, i.Base)
		if !result.Decimal.IsZero() || t.w.countsContracts && t.Effect == parse.Closing {
			t.StatedPnL = decimal.Of(result.Decimal)
		}
	}
	if inCoin {
		i.Quote = i.Base
	}
	switch {
	case t.w.Failed():
	case t.w.countsContracts:
		t.lr.r.Out.Warn("Quantities are numbers of contracts, and the file does not state their size. The stated results were used.")
	case inCoin && l.Result == "":
		t.lr.r.Out.Warn("%s is settled in %s, and the file does not state results. Import the closed P&L instead.", t.Symbol, i.Base)
	}
}

// computeCoinPrice computes a missing price from the traded value, or else from the
// amount without the costs in it. The amount proves nothing more then.
func computeCoinPrice(t *tradeRow, costs []coinAmount) {
	gross := t.gross.Decimal
	if !t.gross.Valid {
		gross = t.amount.Decimal
		for _, c := range costs {
			if c.coin == "" || c.coin == t.instrument.Quote {
				gross = gross.Add(c.amount)
			}
		}
	}
	if !t.Quantity.IsZero() {
		t.Price = gross.Abs().DivRound(t.Quantity, decimal.MaxDecimals)
	}
	t.StatedCashFlow = decimal.Null{}
}

// coinCosts reads a trade's costs with their coins.
func (w *Row) coinCosts(l *Layout, i *Instrument) []coinAmount {
	var list []coinAmount
	for _, col := range append(sumParts(l.Commission), sumParts(l.Fees)...) {
		n, coin := w.amount(col, i.Quote, i.Base, "BNB", "MX")
		if column := w.r.column(col); column >= 0 && w.r.costsBelowZero(column) {
			n.Decimal = n.Decimal.Neg()
		}
		if column := w.r.column(col); column >= 0 && n.Valid {
			w.noteCost(column, n.Decimal)
		}
		if named := w.Text(l.FeesCurrency); named != "" {
			coin = named
		}
		list = append(list, coinAmount{n.Decimal, strings.ToUpper(coin)})
	}
	return list
}

// chargeCoins books a fee, and notes what it could not count.
func (t *tradeRow) chargeCoins(c coinAmount) {
	isCounted := t.ChargeCoin(t.instrument, c.amount, c.coin)
	switch {
	case !isCounted:
		t.lr.unpriced[c.coin] = t.lr.unpriced[c.coin].Add(c.amount)
	case !c.amount.IsZero() && c.coin == t.instrument.Base && c.coin != "" && !t.instrument.IsContract:
		t.lr.r.Out.Warn(feesInCoin)
	}
}

// noteQuote records the quote coin and warns if it is not the user's currency. An account
// in any currency may trade coin pairs.
func (t *tradeRow) noteQuote() {
	quote, account := t.instrument.Quote, strings.ToUpper(t.lr.r.Hints.Currency)
	if isFiat(quote) && !IsSameMoney(quote, account) {
		t.lr.r.Out.NoteCurrency(quote)
	} else {
		t.lr.r.Out.NoteCurrency(account)
	}
	if t.MarkQuote(quote, account) {
		t.lr.r.Out.WarnCurrency(quote, account)
	}
}
