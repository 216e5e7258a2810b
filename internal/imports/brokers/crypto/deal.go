package crypto

import (
	"fmt"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// coins is an amount of a coin; without a coin it is in that of the price.
type coins struct {
	amount decimal.Decimal
	coin   string
}

// deal is a fill as an exchange gives it.
type deal struct {
	symbol, base, quote string
	side                matching.Side
	effect              statement.Effect
	quantity, price     decimal.Decimal
	costs               []coins // positive is paid
	at                  statement.Moment
	id                  string
	// contract says that a contract was traded and not the coin itself: a fee
	// leaves the position alone then.
	contract bool
	// pnl is the result in the coin that the contract is settled in, where
	// prices cannot give it.
	pnl        decimal.Null
	multiplier decimal.Null
	// flow is what the file says that the fill moved, fees included.
	flow decimal.Null
}

// emit adds the deal to a row that could be read.
func (d *deal) emit(w *statement.Row) {
	if w.Failed() {
		return
	}
	f, problem := d.fill(w.Reader())
	if problem != "" {
		w.Fail("%s", problem)
		return
	}
	w.Fill(f)
}

// emitLate adds a deal that several rows give together, when all are read.
func (d *deal) emitLate(r *statement.Reader, row int) {
	f, problem := d.fill(r)
	if problem != "" {
		r.Out.Problems = append(r.Out.Problems, statement.Problem{Row: row, Message: problem})
		return
	}
	f.Row = row
	r.Out.Fills = append(r.Out.Fills, &f)
}

// fill puts the deal into the journal's words, or says why it cannot.
func (d *deal) fill(r *statement.Reader) (f statement.Fill, problem string) {
	f = statement.Fill{
		Symbol: strings.ToUpper(strings.TrimSpace(d.symbol)), Type: instruments.TypeCrypto, Side: d.side, Effect: d.effect,
		Quantity: d.quantity.Abs(), Price: d.price, At: d.at.At, DateOnly: d.at.DateOnly, ID: d.id, StatedPnL: d.pnl,
		Multiplier: d.multiplier, StatedCashFlow: d.flow,
	}
	if d.contract {
		f.Type = instruments.TypeFuture
		if !f.Multiplier.Valid {
			f.Multiplier, f.MultiplierAssumed = decimal.Of(decimal.New(1)), true
		}
		nameOption(&f)
	}
	for _, c := range d.costs {
		d.charge(r, &f, c)
	}
	f.Fees = f.Fees.Add(f.HiddenCosts())
	d.noteCurrency(r, &f)
	if f.Quantity.Sign() <= 0 {
		return f, fmt.Sprintf("The quantity of %s is zero.", f.Symbol)
	}
	return f, ""
}

// charge takes a fee. In the coin that is traded it is a part of the position:
// who buys gets less, who sells gives more.
func (d *deal) charge(r *statement.Reader, f *statement.Fill, c coins) {
	c.coin = strings.ToUpper(c.coin)
	switch {
	case c.amount.IsZero():
	case c.coin == "" || d.quote == "" && c.coin != d.base || sameMoney(c.coin, d.quote):
		f.Fees = f.Fees.Add(c.amount)
	case c.coin == d.base:
		f.Fees = f.Fees.Add(c.amount.Mul(d.price).Round(decimal.MaxDecimals))
		if d.contract {
			return
		}
		if d.side == matching.Buy {
			f.Quantity = f.Quantity.Sub(c.amount)
		} else {
			f.Quantity = f.Quantity.Add(c.amount)
		}
		d.detail(f, "fee", c.amount.String()+" "+c.coin)
		r.Out.Warn("Fees that were taken in the coin itself are no longer part of the quantity, and count as a cost at the price of the fill.")
	default:
		d.detail(f, "fee", c.amount.String()+" "+c.coin)
		remembered(r).unpriced(c)
	}
}

// noteCurrency warns that the price is not in the account's currency.
func (d *deal) noteCurrency(r *statement.Reader, f *statement.Fill) {
	account := strings.ToUpper(r.Hints.Currency)
	if isFiat(d.quote) && !sameMoney(d.quote, account) {
		r.Out.NoteCurrency(d.quote)
	} else {
		r.Out.NoteCurrency(account) // an account of any currency may trade pairs of coins
	}
	if d.quote == "" || account == "" || sameMoney(d.quote, account) {
		return
	}
	r.Out.Warn("Some rows are in %s, the account is in %s: their amounts were taken as they are.", d.quote, account)
	d.detail(f, "currency", d.quote)
}

func (d *deal) detail(f *statement.Fill, key, value string) {
	if f.Details == nil {
		f.Details = map[string]string{}
	}
	if before := f.Details[key]; before != "" {
		value = before + ", " + value
	}
	f.Details[key] = value
}

// amountOf reads a number with its coin glued to it. Coins that it is likely in
// are tried first, as some begin with a digit: 51INCH is 5 of 1INCH.
func amountOf(w *statement.Row, names string, likely ...string) coins {
	text := strings.ToUpper(strings.TrimSpace(w.Text(names)))
	if text == "" {
		return coins{}
	}
	number, coin := text, ""
	for _, c := range likely {
		if rest, ok := strings.CutSuffix(text, c); ok && c != "" && rest != "" && len(c) > len(coin) {
			number, coin = rest, c
		}
	}
	if coin == "" {
		at := strings.LastIndexAny(text, "0123456789.") + 1
		number, coin = text[:at], strings.TrimSpace(text[at:])
		if at == 0 || strings.ContainsAny(coin, "%)") {
			number, coin = text, ""
		}
	}
	n, err := statement.Number(number, statement.Point)
	if err != nil {
		w.Fail("%s: %v.", w.Reader().Header(names), err)
	}
	return coins{n, coin}
}

// starting finds the column whose name begins so: exchanges put the zone of a
// time, or the currency of an amount, behind it.
func starting(r *statement.Reader, names string) string {
	for name := range strings.SplitSeq(names, "|") {
		for _, header := range r.Out.Headers {
			if strings.HasPrefix(statement.HeaderKey(header), statement.HeaderKey(name)) {
				return header
			}
		}
	}
	return names
}

// columns returns which column is what, for the user to see and to change. An id
// or a fee that the file does not have is left out.
func columns(symbol, side, at, quantity, price, fees, id string) map[statement.Target]string {
	named := map[statement.Target]string{
		statement.TargetSymbol: symbol, statement.TargetSide: side, statement.TargetExecutedAt: at,
		statement.TargetQuantity: quantity, statement.TargetPrice: price,
	}
	if fees != "" {
		named[statement.TargetFees] = fees
	}
	if id != "" {
		named[statement.TargetExternalID] = id
	}
	return named
}
