package europe

import (
	"strings"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// sense is the kind of a row of an account's history.
type sense int

// The senses. A transfer is a deposit or a withdrawal, as its sign says;
// exchange is one leg of changing money; corporate is what changes shares
// without anybody trading them; nothing is a row that says what another row
// says already.
const (
	unknown sense = iota
	transfer
	dividend
	interest
	fee
	adjustment
	exchange
	corporate
	nothing
)

// event is a row of an account's history.
type event struct {
	word     string // the broker's, for messages
	symbol   string
	name     string // of the security, where the symbol is not one that people know
	at       statement.Moment
	currency string // of the amounts
	amount   decimal.Null
	note     string
}

// deal is an event that traded something.
type deal struct {
	event
	side             matching.Side
	effect           statement.Effect
	quantity, price  decimal.Decimal
	money            string       // currency of the price, where it is not that of the amounts
	worth            decimal.Null // of one unit of the price in that of the amounts
	fees, commission decimal.Decimal
	result           decimal.Null // what the broker says that it made
	id               string
}

// fill emits the fill of a deal. The broker's result counts only where prices
// are in foreign money: else they say it themselves, and more exactly.
func (d *deal) fill(w *statement.Row) *statement.Fill {
	f := statement.Fill{
		Symbol: strings.ToUpper(strings.TrimSpace(d.symbol)), Side: d.side, Effect: d.effect, Quantity: d.quantity, Price: d.price,
		Multiplier: d.worth, Fees: d.fees, Commission: d.commission, At: d.at.At, DateOnly: d.at.DateOnly,
		StatedCashFlow: d.amount, ID: ownID(w, d.id, d.side),
	}
	if f.Multiplier.Decimal.Sign() <= 0 {
		f.Multiplier = decimal.Null{} // amounts that have nothing to do with each other
	}
	details := map[string]string{}
	if d.name != "" && !strings.EqualFold(d.name, f.Symbol) {
		details["name"] = d.name
	}
	if d.money != "" && d.money != d.currency {
		details["currency"] = d.money
		if !isPence(d.money, d.currency) {
			f.StatedPnL = d.result
		}
	}
	if len(details) > 0 {
		f.Details = details
	}
	inMoney(w.Reader(), d.currency)
	return w.Fill(f)
}

// ownID makes a fill's id its own where an export gives both sides of a
// position the same: the side that comes second has its name in it. Rows that
// repeat an id and the side are the same fill twice, and stay so.
func ownID(w *statement.Row, id string, side matching.Side) string {
	if id == "" {
		return ""
	}
	first, ok := w.Reader().Memory.(map[string]matching.Side)
	if !ok {
		first = map[string]matching.Side{}
		w.Reader().Memory = first
	}
	switch first[id] {
	case "":
		first[id] = side
	case side:
	default:
		return id + "/" + string(side)
	}
	return id
}

// inMoney notes the currency of the file's amounts, which is the account's
// unless there are several, and tells where the journal has another.
func inMoney(r *statement.Reader, currency string) {
	if currency == "" {
		return
	}
	r.Out.DeriveCurrency(currency)
	if home := r.Hints.Currency; home != "" && home != currency {
		r.Out.Warn("Some rows are in %s, the account is in %s: their amounts were taken as they are.", currency, home)
	}
}

// emit puts an event that is no trade into the row.
func (e *event) emit(w *statement.Row, s sense) {
	switch s {
	case transfer, dividend, interest, fee, adjustment, exchange:
		e.pay(w, s)
	case corporate:
		e.leaveOut(w)
	case unknown:
		e.reportUnknownRow(w)
	case nothing:
		w.Skip(statement.ReasonRepeated)
	}
}

// cashTypes are the journal's words for money that moved without a fill. The
// legs of an exchange cancel each other but for the rate, so both are kept.
var cashTypes = map[sense]string{
	dividend: "dividend", interest: "interest", fee: "fee", adjustment: "adjustment", exchange: "adjustment",
}

// pay emits a cash row; a row without an amount moved nothing.
func (e *event) pay(w *statement.Row, s sense) {
	amount := e.amount.Decimal
	if amount.IsZero() || w.Failed() {
		w.Skip(statement.ReasonNoAmount)
		return
	}
	kind := cashTypes[s]
	switch {
	case s == transfer && amount.Sign() < 0:
		kind = "withdrawal"
	case s == transfer:
		kind = "deposit"
	}
	note := strings.Join(strings.Fields(e.note), " ")
	if e.symbol != "" && !strings.Contains(note, e.symbol) {
		note = strings.TrimSpace(e.symbol + " " + note)
	}
	w.Money(statement.Cash{Type: kind, Amount: amount, Currency: e.currency, At: e.at.At, Note: note})
}

// leaveOut warns that a row which moves shares was skipped.
func (e *event) leaveOut(w *statement.Row) {
	w.Skip(statement.ReasonSecurities)
	thing := e.symbol
	if thing == "" {
		thing = "an unnamed security"
	}
	w.Reader().Out.Warn("%s of %s on %s was left out, as it is no trade. Where it changed your position, enter the change by hand.",
		e.word, thing, day(w, e.at))
}

// day is the day of a moment where the file's clock stands.
func day(w *statement.Row, m statement.Moment) string {
	zone, err := time.LoadLocation(w.Reader().Out.Zone)
	if err != nil {
		zone = time.UTC
	}
	return m.At.In(zone).Format(time.DateOnly)
}

// reportUnknownRow handles a row of an unknown kind: money is kept, so that the
// balance stays right.
func (e *event) reportUnknownRow(w *statement.Row) {
	if e.amount.Decimal.IsZero() {
		w.Skip(statement.ReasonNoAmount)
		return
	}
	w.Reader().Out.Warn("Rows of the kind %q are not known; their amounts were taken as adjustments.", e.word)
	e.pay(w, adjustment)
}
