package europe

import (
	"slices"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// trading212 knows the history of an account. The set of columns changes every
// year and names carried the account's currency once, "Total (GBP)"; what is
// read has been there in all of them.
func trading212() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Trading 212", Export: "history", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Action", "Time", "ISIN", "Ticker", "No. of shares", "Price / share", "Currency (Price / share)", "Exchange rate"},
		Zone:   "UTC", Costs: statement.CostsPositive,
		Each: trading212Row, Done: trading212Results,
	}}
}

// trading212Costs are the columns of costs.
var trading212Costs = []string{
	"Transaction fee", "Finra fee", "Stamp duty", "Stamp duty reserve tax", "PTM levy", "French transaction tax", "Currency conversion fee",
}

func trading212Row(w *statement.Row) {
	r := w.Reader()
	action := w.Text("Action")
	total, currency := called(r, "Total")
	if currency == "" {
		currency = strings.ToUpper(w.Text("Currency (Total)"))
	}
	e := event{word: action, symbol: w.Text("Ticker"), name: w.Text("Name"), at: w.Moment("Time"), currency: currency}
	side, trades := sideWord(action)
	if !trades {
		trading212Cash(w, e, total)
		return
	}
	d := deal{
		event: e, side: side, quantity: w.Required("No. of shares"), price: w.Required("Price / share"),
		money: w.Text("Currency (Price / share)"), id: w.Text("ID"),
	}
	if result, _ := called(r, "Result"); result != "" {
		d.result = w.Null(result)
	}
	d.amount = signed(w.Null(total), side)
	foreign := d.money != "" && d.money != currency
	if foreign {
		d.worth = trading212Worth(w, &d, decimal.Zero)
	}
	for _, name := range trading212Costs {
		d.fees = d.fees.Add(trading212Cost(w, &d, name))
	}
	if foreign {
		d.worth = trading212Worth(w, &d, d.fees)
	}
	d.fill(w)
}

// trading212Worth returns what a unit of the price is in the account's money.
// The total includes the costs, so the trade itself was worth the total without
// them: what was paid less the costs, what was received and the costs.
func trading212Worth(w *statement.Row, d *deal, costs decimal.Decimal) decimal.Null {
	if isPence(d.money, d.currency) {
		return decimal.Of(decimal.Must("0.01"))
	}
	gross, traded := d.amount.Decimal.Add(costs).Abs(), d.quantity.Mul(d.price).Abs()
	if !gross.IsZero() && !traded.IsZero() {
		return decimal.Of(gross.DivRound(traded, rateScale))
	}
	rate, err := statement.Number(w.Text("Exchange rate"), statement.Point)
	if err != nil || rate.Sign() <= 0 {
		return decimal.Null{}
	}
	return decimal.Of(decimal.New(1).DivRound(rate, rateScale))
}

// trading212Results makes the results of sales those before costs. The file's
// result is after the costs of the sale and of the purchases, which the fills
// have too, so it would count them twice. Where the file does not have all the
// purchases, their costs are not known, and the totals decide instead.
func trading212Results(r *statement.Reader) {
	fills := slices.Clone(r.Out.Fills)
	slices.SortStableFunc(fills, func(a, b *statement.Fill) int { return a.At.Compare(b.At) })
	type position struct{ held, fees decimal.Decimal }
	open := map[string]position{}
	for _, f := range fills {
		p := open[f.Symbol]
		if f.Side == matching.Buy {
			p.held, p.fees = p.held.Add(f.Quantity), p.fees.Add(f.Fees)
			open[f.Symbol] = p
			continue
		}
		known := p.held.Cmp(f.Quantity) >= 0
		paid := decimal.Zero
		if known {
			paid, p.fees = p.fees.Split(f.Quantity, p.held, costScale)
			p.held = p.held.Sub(f.Quantity)
		} else {
			p = position{}
		}
		open[f.Symbol] = p
		switch {
		case f.StatedPnL.Valid && known:
			f.StatedPnL = decimal.Of(f.StatedPnL.Decimal.Add(f.Fees).Add(paid))
		default:
			f.StatedPnL = decimal.Null{}
		}
	}
}

// costScale is how many decimals the share of a cost has.
const costScale = 6

// trading212Cost is one sort of costs in the account's money. A fee of the
// American exchange is written in dollars.
func trading212Cost(w *statement.Row, d *deal, name string) decimal.Decimal {
	column, currency := called(w.Reader(), name)
	if column == "" {
		return decimal.Zero
	}
	cost := w.Cost(column)
	if currency == "" {
		currency = w.Text("Currency (" + name + ")")
	}
	if d.worth.Valid && currency == d.money && currency != d.currency {
		return cost.Mul(d.worth.Decimal).Round(2)
	}
	return cost
}

// trading212Cash reads a row that is no trade. The number columns of rows that
// move shares are not looked at, as such rows were seen with columns in the
// order of another year.
func trading212Cash(w *statement.Row, e event, total string) {
	s := senseOf(e.word)
	if e.symbol != "" && s != dividend {
		e.leaveOut(w)
		return
	}
	e.amount, e.note = w.Null(total), w.Text("Notes")
	if e.note == "" {
		e.note = e.word
	}
	e.emit(w, s)
}
