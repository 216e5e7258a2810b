package statement

import (
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
)

// quote is a rate stated by the file: one unit of from costs rate of to.
type quote struct {
	row      int
	at       time.Time
	from, to string
	rate     decimal.Decimal
}

// maxQuoteAge is how far in time a rate may be from the cash row it converts.
const maxQuoteAge = 7 * 24 * time.Hour

// rateScale is how many decimals an inverted rate has.
const rateScale = 10

// Rate notes a rate stated by the row: one unit of from costs rate of to. Cash in a
// foreign currency is converted with the nearest rate in the file.
func (w *cells) Rate(from, to string, rate decimal.Decimal, at time.Time) {
	w.r.Out.noteRate(quote{row: w.Number, at: at, from: strings.ToUpper(from), to: strings.ToUpper(to), rate: rate})
}

func (s *Statement) noteRate(q quote) {
	if q.from == "" || q.to == "" || q.from == q.to || q.rate.Sign() <= 0 {
		return
	}
	s.quotes = append(s.quotes, q)
}

// convertCash converts cash in foreign currencies into the account's with the stated
// rates. The note keeps the original amount. Rows without a rate stay as they are.
func (s *Statement) convertCash(home string) {
	if home == "" || len(s.quotes) == 0 {
		return
	}
	rates := map[string]*rateList{}
	for _, q := range s.quotes {
		foreign := q.from
		if q.from == home {
			foreign, q.rate = q.to, decimal.New(1).DivRound(q.rate, rateScale)
		} else if q.to != home {
			continue
		}
		if rates[foreign] == nil {
			rates[foreign] = &rateList{byRow: map[int]decimal.Decimal{}}
		}
		rates[foreign].byRow[q.row] = q.rate
		rates[foreign].byTime = append(rates[foreign].byTime, q)
	}
	for _, list := range rates {
		slices.SortStableFunc(list.byTime, func(a, b quote) int { return a.at.Compare(b.at) })
	}
	for _, c := range s.Cash {
		if c.Currency == "" || strings.EqualFold(c.Currency, home) {
			continue
		}
		if rate, ok := rates[strings.ToUpper(c.Currency)].nearest(c); ok {
			c.convert(rate, home)
		}
	}
}

// rateList are the rates for one currency.
type rateList struct {
	byRow  map[int]decimal.Decimal
	byTime []quote
}

// nearest returns the cash row's own rate, or the nearest in time.
func (l *rateList) nearest(c *Cash) (rate decimal.Decimal, found bool) {
	if l == nil {
		return decimal.Zero, false
	}
	if rate, ok := l.byRow[c.Row]; ok {
		return rate, true
	}
	after, _ := slices.BinarySearchFunc(l.byTime, c.At, func(q quote, at time.Time) int { return q.at.Compare(at) })
	age := maxQuoteAge
	for _, i := range []int{after - 1, after} {
		if i < 0 || i >= len(l.byTime) {
			continue
		}
		if a := c.At.Sub(l.byTime[i].at).Abs(); a <= age {
			rate, age, found = l.byTime[i].rate, a, true
		}
	}
	return rate, found
}

// convert puts the amount into another currency.
func (c *Cash) convert(rate decimal.Decimal, home string) {
	const cents = 2
	original := c.Amount.String() + " " + strings.ToUpper(c.Currency) + " at " + rate.String()
	c.Note = strings.TrimSpace(c.Note + " (" + original + ")")
	c.Amount, c.Currency = c.Amount.Mul(rate).Round(cents), home
}
