package america

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// sense is the kind of a row of an account's history.
type sense int

// The senses. A transfer is a deposit or a withdrawal, as its sign says;
// corporate is what changes shares without anybody trading them; nothing is a
// row that says what another row says already.
const (
	unknown sense = iota
	trade
	expired
	assigned
	exercised
	transfer
	dividend
	interest
	fee
	adjustment
	corporate
	nothing
)

// action is what a broker's word for a row means. Side and effect are for
// trades, and the side for endings whose direction the file tells.
type action struct {
	sense  sense
	side   matching.Side
	effect statement.Effect
}

// ends reports whether an option came to its end.
func (a action) ends() bool { return a.sense == expired || a.sense == assigned || a.sense == exercised }

// entry is a row of an account's history.
type entry struct {
	action
	word       string // the broker's, for messages
	symbol     string
	contract   string // where the option is written, if not in the symbol
	at         statement.Moment
	quantity   decimal.Null
	price      decimal.Null
	amount     decimal.Null // what it moved in cash, after costs
	fees       decimal.Decimal
	commission decimal.Decimal
	currency   string
	note       string
}

// emit puts the entry into the row.
func (e *entry) emit(w *statement.Row) {
	switch e.sense {
	case trade:
		e.trade(w)
	case expired, assigned, exercised:
		e.end(w)
	case transfer, dividend, interest, fee, adjustment:
		e.money(w)
	case corporate:
		e.leaveOut(w)
	case unknown:
		e.reportUnknownRow(w)
	case nothing:
		w.Skip(statement.ReasonRepeated)
	}
}

// fill begins a fill with what trades and endings have in common.
func (e *entry) fill(w *statement.Row) statement.Fill {
	f := statement.Fill{
		Symbol: strings.ToUpper(e.symbol), Side: e.side, Effect: e.effect, Quantity: e.quantity.Decimal.Abs(),
		Fees: e.fees, Commission: e.commission, At: e.at.At, DateOnly: e.at.DateOnly,
	}
	if !e.quantity.Valid {
		w.Fail("There is no quantity.")
	}
	if o, ok := e.option(); ok {
		f.Contract(o)
	}
	return f
}

func (e *entry) option() (instruments.Option, bool) {
	if e.contract != "" {
		return instruments.ParseOption(e.contract)
	}
	return instruments.ParseOption(e.symbol)
}

// trade emits a fill. A price that is not there follows from the amount, as it
// does for reinvested dividends.
func (e *entry) trade(w *statement.Row) {
	f := e.fill(w)
	f.StatedCashFlow = e.amount
	switch {
	case e.price.Valid:
		f.Price = e.price.Decimal
		asBond(&f)
	case e.amount.Valid && f.Quantity.Sign() != 0:
		f.Price = perUnit(e.amount.Decimal, f.Quantity.Mul(worth(&f)))
	default:
		w.Fail("There is no price.")
	}
	f.Fees = f.Fees.Add(f.HiddenCosts())
	w.Fill(f)
}

// end emits the fill that takes an option at its end out of the position, at
// nothing. Assigned is who wrote the option, exercised who held it.
func (e *entry) end(w *statement.Row) {
	f := e.fill(w)
	f.Effect = statement.Closing
	switch {
	case f.Right == "":
		e.leaveOut(w)
		return
	case e.sense == assigned:
		f.Side = matching.Buy
	case e.sense == exercised:
		f.Side = matching.Sell
	case e.side == "":
		// The file's sign is only a hint, until the position is known.
		f.Side = sideOf(e.quantity.Decimal)
		settleLater(w, w.Fill(f), e.quantity.Decimal.Sign() < 0)
		return
	}
	w.Fill(f)
}

// cashTypes are the journal's words for money that moved without a fill.
var cashTypes = map[sense]string{dividend: "dividend", interest: "interest", fee: "fee", adjustment: "adjustment"}

// money emits a cash row; a row without an amount moved nothing.
func (e *entry) money(w *statement.Row) {
	amount := e.amount.Decimal
	if amount.IsZero() {
		w.Skip(statement.ReasonNoAmount)
		return
	}
	kind, ok := cashTypes[e.sense]
	switch {
	case ok:
	case amount.Sign() < 0:
		kind = "withdrawal"
	default:
		kind = "deposit"
	}
	note := e.note
	if e.symbol != "" && !strings.Contains(note, e.symbol) {
		note = strings.TrimSpace(e.symbol + " " + note)
	}
	w.Money(statement.Cash{Type: kind, Amount: amount, Currency: e.currency, At: e.at.At, Note: note})
}

// leaveOut warns that a row which moves shares was skipped.
func (e *entry) leaveOut(w *statement.Row) {
	w.Skip(statement.ReasonSecurities)
	w.Reader().Out.Warn("%s of %s on %s was left out, as it is no trade. Where it changed your position, enter the change by hand.",
		e.word, e.thing(), e.at.At.Format("2006-01-02"))
}

func (e *entry) thing() string {
	if e.symbol == "" {
		return "an unnamed security"
	}
	return e.symbol
}

// reportUnknownRow handles a row of an unknown kind: money is kept, so that the
// balance stays right, and shares are left out.
func (e *entry) reportUnknownRow(w *statement.Row) {
	if !e.quantity.Decimal.IsZero() {
		e.leaveOut(w)
		return
	}
	if e.amount.Decimal.IsZero() {
		w.Skip(statement.ReasonNoAmount)
		return
	}
	w.Reader().Out.Warn("Rows of the kind %q are not known; their amounts were taken as adjustments.", e.word)
	e.sense = adjustment
	e.money(w)
}

func sideOf(signed decimal.Decimal) matching.Side {
	if signed.Sign() < 0 {
		return matching.Sell
	}
	return matching.Buy
}
