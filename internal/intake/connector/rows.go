package connector

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// Rows collects a broker's records as a delivery's rows. Records outside the query's
// time, and those the broker sent twice, are left out.
type Rows struct {
	query     Query
	delivery  Delivery
	statement *statement.Statement
	known     map[string]bool
	// unpriced are fees in coins without a price here, and moved the coins moved without
	// a trade.
	unpriced, moved map[string]decimal.Decimal
	// orders are the places of rows among those at one instant.
	orders map[int]int64
}

// NewRows returns the rows of a delivery without any.
func NewRows(query Query, broker string) *Rows {
	return &Rows{
		query:     query,
		statement: &statement.Statement{Broker: broker, Format: statement.Executions, Source: statement.FromStatement, Zone: time.UTC.String()},
		known:     map[string]bool{},
		unpriced:  map[string]decimal.Decimal{},
		moved:     map[string]decimal.Decimal{},
		orders:    map[int]int64{},
	}
}

// Len returns the number of rows.
func (r *Rows) Len() int { return r.statement.Rows }

// mark is a place among the rows, with what has been said about those before it.
type mark struct {
	statement       statement.Statement
	delivery        Delivery
	unpriced, moved map[string]decimal.Decimal
}

// mark returns the present place.
func (r *Rows) mark() mark {
	return mark{statement: *r.statement, delivery: r.delivery, unpriced: maps.Clone(r.unpriced), moved: maps.Clone(r.moved)}
}

// reset removes the rows after a place.
func (r *Rows) reset(to mark) {
	*r.statement, r.delivery, r.unpriced, r.moved = to.statement, to.delivery, to.unpriced, to.moved
}

// Contains reports whether an instant is in the query's time.
func (r *Rows) Contains(at time.Time) bool { return !at.Before(r.query.From) && at.Before(r.query.To) }

// AddMessage adds a sentence for the user, once.
func (r *Rows) AddMessage(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.delivery.Messages, text) {
		r.delivery.Messages = append(r.delivery.Messages, text)
	}
}

// Withdraw records that the broker has withdrawn the fill with an id.
func (r *Rows) Withdraw(id string) {
	if id != "" && !slices.Contains(r.delivery.Withdrawn, id) {
		r.delivery.Withdrawn = append(r.delivery.Withdrawn, id)
	}
}

// Delivery returns what was collected, the fills and the cash in the order in which they
// happened. The rows must not be used afterwards.
func (r *Rows) Delivery() Delivery {
	slices.SortStableFunc(r.statement.Fills, func(a, b *statement.Fill) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(r.orders[a.Row], r.orders[b.Row]))
	})
	slices.SortStableFunc(r.statement.Cash, func(a, b *statement.Cash) int { return a.At.Compare(b.At) })
	if len(r.unpriced) > 0 {
		r.AddMessage("Fees in another coin than the price do not count as a cost: %s. The details of the fills have them.", listAmounts(r.unpriced))
	}
	if len(r.moved) > 0 {
		r.AddMessage("Coins that moved without a trade were left out: %s. If they changed a position, enter the change by hand.", listAmounts(r.moved))
	}
	r.delivery.Statement = r.statement
	return r.delivery
}

// listAmounts returns amounts with their coins, ordered by coin.
func listAmounts(amounts map[string]decimal.Decimal) string {
	var list []string
	for _, coin := range slices.Sorted(maps.Keys(amounts)) {
		list = append(list, amounts[coin].String()+" "+coin)
	}
	return strings.Join(list, ", ")
}

// Record is a record of a broker. It becomes a row when something is added.
type Record struct {
	// Order is the place among the records at one instant, which are in arrival order if
	// it is the same.
	Order int64

	rows *Rows
	row  int
	// problem is why the record cannot be read; the first one counts.
	problem string
	// isSelected reports that the record's time is not compared with the query.
	isSelected bool
	// zeroFractions are times written with a fractional second, which is 0.
	zeroFractions []time.Time
}

// Start begins a record. It returns false if one with the same id came before.
func (r *Rows) Start(id string) (*Record, bool) {
	if r.known[id] {
		return nil, false
	}
	if id != "" {
		r.known[id] = true
	}
	return &Record{rows: r}, true
}

// Select makes the record count whatever its time is. The broker selects it by another
// time than its stored one.
func (c *Record) Select() { c.isSelected = true }

// contains reports whether the record belongs to the query.
func (c *Record) contains(at time.Time) bool { return c.isSelected || c.rows.Contains(at) }

// Fail records that the record cannot be read. What is added to it afterwards is left
// out.
func (c *Record) Fail(format string, args ...any) {
	if c.problem == "" {
		c.problem = fmt.Sprintf(format, args...)
		c.rows.statement.Problems = append(c.rows.statement.Problems, statement.Problem{Row: c.number(), Message: c.problem})
	}
}

// Failed reports whether the record cannot be read.
func (c *Record) Failed() bool { return c.problem != "" }

// Decimal returns a number the record must have.
func (c *Record) Decimal(name string, number remote.Number) decimal.Decimal {
	if number == "" {
		c.Fail("The broker's record has no %s.", name)
		return decimal.Zero
	}
	return c.Optional(name, number)
}

// Optional returns a number, or 0 if the record has none.
func (c *Record) Optional(name string, number remote.Number) decimal.Decimal {
	if number == "" {
		return decimal.Zero
	}
	d, err := decimal.Parse(string(number))
	if err != nil {
		c.Fail("The broker's record has a %s that is not a number.", name)
	}
	return d
}

// Side returns a fill's side, for which the broker has two words.
func (c *Record) Side(text, buy, sell string) matching.Side {
	switch text {
	case buy:
		return matching.Buy
	case sell:
		return matching.Sell
	}
	c.Fail("The broker's record has an unknown side.")
	return ""
}

// Time returns an instant the record must have, in the form of RFC 3339.
func (c *Record) Time(text string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		c.Fail("The broker's record has no time that can be read.")
		return time.Time{}
	}
	c.noteTime(at, strings.Contains(text, "."))
	return at.UTC()
}

// noteTime remembers a time written with a fractional second.
func (c *Record) noteTime(at time.Time, hasFraction bool) {
	if hasFraction && at.Truncate(time.Microsecond).Nanosecond() == 0 {
		c.zeroFractions = append(c.zeroFractions, at)
	}
}

// hasZeroFraction reports whether the record wrote a time with a fractional second, which
// is 0.
func (c *Record) hasZeroFraction(at time.Time) bool {
	return slices.ContainsFunc(c.zeroFractions, at.Equal)
}

// Millis returns an instant the record must have, in milliseconds since 1970.
func (c *Record) Millis(number remote.Number) time.Time {
	millis := c.Decimal("time", number)
	scaled, ok := millis.ToScaled(0)
	if !ok || scaled <= 0 {
		c.Fail("The broker's record has no time that can be read.")
		return time.Time{}
	}
	at := time.UnixMilli(scaled)
	c.noteTime(at, true)
	return at.UTC()
}

// Seconds returns an instant the record must have, in seconds since 1970 with a fraction.
func (c *Record) Seconds(number remote.Number) time.Time {
	const nanoseconds = 9
	scaled, ok := c.Decimal("time", number).Round(nanoseconds).ToScaled(nanoseconds)
	if !ok || scaled <= 0 {
		c.Fail("The broker's record has no time that can be read.")
		return time.Time{}
	}
	at := time.Unix(0, scaled)
	c.noteTime(at, strings.Contains(string(number), "."))
	return at.UTC()
}

// number returns the row's number, which is the next one at first.
func (c *Record) number() int {
	if c.row == 0 {
		c.rows.statement.Rows++
		c.row = c.rows.statement.Rows
	}
	return c.row
}

// Skip counts the record as a row with nothing to import.
func (c *Record) Skip(at time.Time, reason string) {
	if c.Failed() || !c.contains(at) || c.row != 0 {
		return
	}
	c.rows.statement.Skipped = append(c.rows.statement.Skipped, statement.Skip{Row: c.number(), Reason: reason})
}

// AddFill adds a fill, whose price and costs are in a currency.
func (c *Record) AddFill(fill statement.Fill, currency string) {
	if !c.Failed() && fill.Quantity.Sign() <= 0 {
		c.Fail("The broker's record has a quantity that is not positive.")
	}
	if c.Failed() || !c.contains(fill.At) {
		return
	}
	fill.Row, fill.ZeroFraction = c.number(), c.hasZeroFraction(fill.At)
	c.rows.orders[fill.Row] = c.Order
	if home := strings.ToUpper(c.rows.query.Currency); fill.MarkQuote(currency, home) {
		c.rows.AddMessage("Some fills are in %s, the account is in %s: their amounts were taken as they are.", currency, home)
	}
	c.rows.statement.Fills = append(c.rows.statement.Fills, &fill)
}

// AddCash adds money moved without a fill. Coins other than money are skipped.
func (c *Record) AddCash(cash statement.Cash) {
	if c.Failed() || !c.contains(cash.At) {
		return
	}
	coin := strings.ToUpper(cash.Currency)
	currency, isMoney := statement.CashCurrency(coin, c.rows.query.Currency)
	switch {
	case cash.Amount.IsZero():
		c.Skip(cash.At, statement.ReasonNoAmount)
		return
	case !isMoney:
		c.rows.moved[coin] = c.rows.moved[coin].Add(cash.Amount)
		c.Skip(cash.At, statement.ReasonCoins)
		return
	}
	cash.Row, cash.Currency = c.number(), currency
	c.rows.statement.Cash = append(c.rows.statement.Cash, &cash)
}

// ChargeCoins adds a cost to a fill in an instrument, as exchange files are read: a cost
// in the traded coin changes a pair's quantity, and one in a third coin becomes a detail
// of the fill.
func (c *Record) ChargeCoins(fill *statement.Fill, of statement.Instrument, amount decimal.Decimal, coin string) {
	fill.FeesKnown = true
	coin = strings.ToUpper(coin)
	if !fill.ChargeCoin(of, amount, coin) && !c.Failed() && c.contains(fill.At) {
		c.rows.unpriced[coin] = c.rows.unpriced[coin].Add(amount)
	}
}

// AddDetail adds a further value to a fill, if it has one.
func AddDetail(fill *statement.Fill, name, value string) {
	if value != "" {
		fill.AddDetail(name, value)
	}
}
