package connector

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
)

// Records collects the records of a broker and builds a statement from them. Records
// outside of the time of the query, and fills whose id came before, are left out: pages
// overlap, and the ends of a time are meant differently by each broker.
type Records struct {
	// IsNewestFirst reports that records of one instant arrive in the opposite order.
	IsNewestFirst bool

	broker string
	query  Query
	fills  []orderedFill
	cash   []*statement.Cash
	known  map[string]bool
	// problems and skipped are sentences of records without a row so far.
	problems, skipped []string
	messages          []string
	// fees are those in a third coin, and moved the coins that moved without a trade.
	fees, moved map[string]decimal.Decimal
	// foreign are the coins of prices that are not the money of the account.
	foreign map[string]bool
}

// orderedFill is a fill with its place among the fills of one instant.
type orderedFill struct {
	*statement.Fill
	order int64
}

// NewRecords returns records without content. broker is the name that the presets for
// files of this broker have.
func NewRecords(broker string, query Query) *Records {
	return &Records{
		broker: broker, query: query, known: map[string]bool{},
		fees: map[string]decimal.Decimal{}, moved: map[string]decimal.Decimal{}, foreign: map[string]bool{},
	}
}

// CoinFill is a fill at an exchange of coins. The costs of Fill are set from Fee.
type CoinFill struct {
	statement.Fill
	// Instrument has the coin that is traded and the one of the price. That of the price
	// of a contract that is settled in its coin is this coin, as with the presets.
	Instrument statement.Instrument
	// Fee is a cost if it is positive. It is in the coin of the price if FeeCoin is empty.
	Fee     decimal.Decimal
	FeeCoin string
	// Order is the place among the fills of one instant.
	Order int64
}

// AddCoinFill adds a fill at an exchange of coins, with the rules of the presets: a fee in
// the coin that is traded changes the quantity, and one in a third coin is only kept in
// the details.
func (r *Records) AddCoinFill(c CoinFill) {
	f := &c.Fill
	if !r.isWanted(f) {
		return
	}
	f.SetInstrument(c.Instrument)
	if c.Instrument.IsContract && !f.Multiplier.Valid {
		f.Multiplier = decimal.Of(decimal.New(1))
	}
	f.FeesKnown = true
	coin := strings.ToUpper(c.FeeCoin)
	if !f.ChargeCoin(c.Instrument, c.Fee, coin) {
		r.fees[coin] = r.fees[coin].Add(c.Fee)
	}
	if f.MarkQuote(c.Instrument.Quote, strings.ToUpper(r.query.Currency)) {
		r.foreign[c.Instrument.Quote] = true
	}
	r.add(f, c.Order)
}

// AddFill adds a fill. order is its place among the fills of one instant.
func (r *Records) AddFill(f statement.Fill, order int64) {
	if r.isWanted(&f) {
		r.add(&f, order)
	}
}

func (r *Records) isWanted(f *statement.Fill) bool { return r.Contains(f.At) && !r.known[f.ID] }

func (r *Records) add(f *statement.Fill, order int64) {
	r.known[f.ID] = true
	if f.Quantity.Sign() <= 0 {
		r.problems = append(r.problems, fmt.Sprintf("The quantity of %s is zero.", f.Symbol))
		return
	}
	r.fills = append(r.fills, orderedFill{Fill: f, order: order})
}

// AddCash adds cash in a currency or a coin. Coins that are not money are skipped, and an
// amount of 0 too.
func (r *Records) AddCash(c statement.Cash) {
	if !r.Contains(c.At) {
		return
	}
	coin := strings.ToUpper(c.Currency)
	currency, isMoney := statement.CashCurrency(coin, r.query.Currency)
	switch {
	case !isMoney:
		r.moved[coin] = r.moved[coin].Add(c.Amount)
		r.skipped = append(r.skipped, statement.ReasonCoins)
	case c.Amount.IsZero():
		r.skipped = append(r.skipped, statement.ReasonNoAmount)
	default:
		c.Currency = currency
		r.cash = append(r.cash, &c)
	}
}

// Skip counts a record that has nothing to import.
func (r *Records) Skip(at time.Time, reason string) {
	if r.Contains(at) {
		r.skipped = append(r.skipped, reason)
	}
}

// Fail counts a record that should be imported and cannot be. The sentence is for the
// user.
func (r *Records) Fail(at time.Time, format string, args ...any) {
	if r.Contains(at) {
		r.problems = append(r.problems, fmt.Sprintf(format, args...))
	}
}

// Tell adds a sentence for the user, once.
func (r *Records) Tell(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.messages, text) {
		r.messages = append(r.messages, text)
	}
}

// Contains reports whether a time is in the query.
func (r *Records) Contains(at time.Time) bool {
	return !at.Before(r.query.From) && at.Before(r.query.To)
}

// Len returns the number of rows.
func (r *Records) Len() int { return len(r.fills) + len(r.cash) + len(r.problems) + len(r.skipped) }

// Delivery returns what was collected, complete. The records must not be used
// afterwards.
func (r *Records) Delivery() Delivery {
	s := &statement.Statement{Broker: r.broker, Format: statement.Executions, Source: statement.FromStatement, Zone: "UTC"}
	if r.IsNewestFirst {
		slices.Reverse(r.fills)
		slices.Reverse(r.cash)
	}
	slices.SortStableFunc(r.fills, func(a, b orderedFill) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.order, b.order)) })
	slices.SortStableFunc(r.cash, func(a, b *statement.Cash) int { return a.At.Compare(b.At) })
	number := func() int { s.Rows++; return s.Rows }
	for _, f := range r.fills {
		f.Row = number()
		s.Fills = append(s.Fills, f.Fill)
	}
	for _, c := range r.cash {
		c.Row = number()
		s.Cash = append(s.Cash, c)
	}
	for _, text := range r.problems {
		s.Problems = append(s.Problems, statement.Problem{Row: number(), Message: text})
	}
	for _, reason := range r.skipped {
		s.Skipped = append(s.Skipped, statement.Skip{Row: number(), Reason: reason})
	}
	r.tellSums()
	return Delivery{Statement: s, Messages: r.messages}
}

// tellSums says what was not counted.
func (r *Records) tellSums() {
	if len(r.fees) > 0 {
		r.Tell("Fees in other coins than those of the pair (%s in all) are kept with their fills but not counted, as %s doesn't state their price.",
			listAmounts(r.fees), r.broker)
	}
	if len(r.moved) > 0 {
		r.Tell("Coins that moved without a trade (%s in all) were left out. If they changed a position, enter the change by hand.", listAmounts(r.moved))
	}
	if len(r.foreign) > 0 {
		r.Tell("Some fills are in %s, the account is in %s: their amounts were taken as they are.",
			strings.Join(slices.Sorted(maps.Keys(r.foreign)), ", "), r.query.Currency)
	}
}

// listAmounts returns amounts with their coins, in the order of the coins.
func listAmounts(amounts map[string]decimal.Decimal) string {
	var list []string
	for _, coin := range slices.Sorted(maps.Keys(amounts)) {
		list = append(list, amounts[coin].String()+" "+coin)
	}
	return strings.Join(list, ", ")
}
