package brokers

import (
	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// roundTrip emits a finished trade of one row, and gives its opening fill. The
// prices decide what it made where the contract is known; where it is not, the
// result that the file states tells what the contract is worth.
func roundTrip(w *statement.Row, t statement.Trip) *statement.Fill {
	b := booksOf(w.Reader())
	points := t.ClosePrice.Or(t.OpenPrice).Sub(t.OpenPrice)
	if t.Short {
		points = points.Neg()
	}
	costs := t.Fees.Add(t.Commission)
	gross := t.GrossPnL
	if !gross.Valid && t.NetPnL.Valid {
		gross = decimal.Of(t.NetPnL.Decimal.Add(costs))
	}
	if gross.Valid && t.Type == instruments.TypeFuture && !t.Multiplier.Valid && !isKnown(t.Symbol) {
		t.Multiplier = statement.RoundWorth(gross.Decimal, points.Mul(t.Quantity))
	}
	open := w.Trip(t)
	if gross.Valid && !w.Failed() {
		contradiction(w, &t, gross.Decimal, points)
		b.made(t.Symbol, gross.Decimal, points, t.Quantity)
		b.net = plus(b.net, gross.Decimal.Sub(costs))
	}
	return open
}

// contradiction warns about a row whose prices and result do not fit. The
// result wins, as it is what the account was credited with.
func contradiction(w *statement.Row, t *statement.Trip, gross, points decimal.Decimal) {
	if !isKnown(t.Symbol) || t.Type != instruments.TypeFuture {
		return
	}
	each, _ := instruments.DefaultMultiplier(t.Symbol, t.Type)
	byPrice := points.Mul(t.Quantity).Mul(each)
	allowed := decimal.Max(decimal.Must("0.05"), gross.Abs().Mul(decimal.Must("0.01")))
	if byPrice.Sub(gross).Abs().Cmp(allowed) > 0 {
		w.Reader().Out.Warn("Row %d: the prices of %s give %s, the file says %s. The file's figure was taken.",
			w.Number, t.Symbol, byPrice, gross)
	}
}
