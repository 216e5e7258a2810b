// Package oracle computes the figures of a journal slowly and by other means
// than package analytics, so that the two can be held against each other on
// random journals. It is written from docs/metrics.md and shares no code and no
// types with analytics.
//
// It counts in fractions and knows no column, cache, scale or running total:
// each figure is worked out from the list of trades anew, the way a person would
// with the page of definitions beside a pile of confirmations. A fraction becomes
// a float at the very end, and only where the page says that the figure is one.
//
// Answers are trees in the shape of the JSON of the API: see [Object] and
// [Differences]. What chance decides (intervals, shuffles, probabilities) is not
// foretold; such places hold [Unsaid].
package oracle

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
	"time"
)

// Account is an account as figures see it.
type Account struct {
	ID, Name string
	Starting *big.Rat
	Currency string
}

// Trade is a closed trade. Risk, MFE and Volume are nil when unknown; Grade is 0 without
// one.
type Trade struct {
	ID, Account, Symbol, Instrument string
	Long                            bool
	OpenedAt, ClosedAt              time.Time
	Net, Gross, Fees, Entry, Volume *big.Rat
	Risk, MFE                       *big.Rat
	Grade                           int
	Setups, Tags                    []string
	// What trades of one instant are ordered by, beside the symbol: the contract
	// (Strike nil without one) and lot, the name of the account, the broker's id of
	// the first fill and its place in the order of arrival.
	Right, Expiry, Lot    string
	Strike                *big.Rat
	AccountName, External string
	Arrival               int
	// Parts are what the trade realized, and when; none means all at ClosedAt.
	Parts []Part
	// open is set for a trade that is not flat yet.
	open bool
	// within is how far from zero the result is breakeven; nil is nothing.
	within *big.Rat
}

// Part is what a trade realized at one instant.
type Part struct {
	At                       time.Time
	Net, Gross, Fees, Volume *big.Rat
}

// Cash is a cash transaction; Flow marks deposits and withdrawals.
type Cash struct {
	ID, Account string
	At          time.Time
	Amount      *big.Rat
	Flow        bool
}

// Journal is everything that figures are made of.
type Journal struct {
	Accounts []Account
	Trades   []Trade
	// Open are trades that are not flat yet. Only their parts have figures.
	Open []Trade
	Cash []Cash
	// Names are those of setups and tags by their id, and Mistakes the tags that
	// are mistakes.
	Names    map[string]string
	Mistakes map[string]bool
	// ToleranceAmount and ToleranceR are the breakeven tolerance, at most one of
	// them, and Tolerance is the preference as answers show it.
	ToleranceAmount, ToleranceR *big.Rat
	Tolerance                   any
}

// Question is what is asked for. Empty filters let everything through.
type Question struct {
	Accounts                           []string
	From, To                           *time.Time
	ByOpening                          bool
	Symbols, Instruments, Setups, Tags []string
	Side                               string
	Zone                               *time.Location
	// OpenOnly asks for trades that are not closed, which have no figures save
	// for what they realized; ClosedOnly for those that are.
	OpenOnly, ClosedOnly bool
	// Realized asks for results when they were realized.
	Realized bool
}

// basis is the instant that places a trade in time.
func (q *Question) basis(t *Trade) time.Time {
	if q.ByOpening && !q.Realized {
		return t.OpenedAt
	}
	return t.ClosedAt
}

func (q *Question) isInPeriod(at time.Time) bool {
	return (q.From == nil || !at.Before(*q.From)) && (q.To == nil || !at.After(*q.To))
}

// isNarrowed reports whether anything besides accounts and dates is asked for.
func (q *Question) isNarrowed() bool {
	return q.OpenOnly || q.Realized && q.ClosedOnly || q.Side != "" || len(q.Symbols)+len(q.Instruments)+len(q.Setups)+len(q.Tags) > 0
}

// accepts tests everything but the period.
func (q *Question) accepts(t *Trade) bool {
	side := "short"
	if t.Long {
		side = "long"
	}
	return q.acceptsStatus(t) && isAllowed(q.Accounts, t.Account) && isAllowed(q.Symbols, t.Symbol) && isAllowed(q.Instruments, t.Instrument) &&
		(q.Side == "" || q.Side == side) && isAnyAllowed(q.Setups, t.Setups) && isAnyAllowed(q.Tags, t.Tags)
}

// acceptsStatus tests whether a trade is open. Without realized results an open
// trade has none, so only closed ones are there to be tested.
func (q *Question) acceptsStatus(t *Trade) bool {
	if t.open {
		return !q.ClosedOnly
	}
	return !q.OpenOnly
}

func isAllowed(filter []string, value string) bool {
	return len(filter) == 0 || slices.Contains(filter, value)
}

func isAnyAllowed(filter, values []string) bool {
	return len(filter) == 0 || slices.ContainsFunc(values, func(v string) bool { return slices.Contains(filter, v) })
}

// SelectTrades gives the trades of a question in the order of closing. Where results
// count when they are realized, a trade is there once for each part.
func (j *Journal) SelectTrades(q *Question) []*Trade {
	var list []*Trade
	all := j.listCounted(q)
	for i := range all {
		if t := &all[i]; q.accepts(t) && q.isInPeriod(q.basis(t)) {
			j.setTolerance(t)
			list = append(list, t)
		}
	}
	return sortByClosing(list)
}

// setTolerance notes how far from zero the result of a trade is breakeven.
func (j *Journal) setTolerance(t *Trade) {
	t.within = j.ToleranceAmount
	if j.ToleranceR != nil {
		t.within = nil
		if t.Risk != nil && t.Risk.Sign() > 0 {
			t.within = mul(j.ToleranceR, t.Risk)
		}
	}
}

// sortByClosing sorts trades by their end, opening by their beginning; those of one
// instant by what they are.
func sortByClosing(list []*Trade) []*Trade {
	return sortedCopy(list, func(a, b *Trade) int {
		return cmp.Or(a.ClosedAt.Compare(b.ClosedAt), a.OpenedAt.Compare(b.OpenedAt), a.compareInstrument(b), a.compareArrival(b))
	})
}

func sortByOpening(list []*Trade) []*Trade {
	return sortedCopy(list, func(a, b *Trade) int {
		return cmp.Or(a.OpenedAt.Compare(b.OpenedAt), a.compareInstrument(b), a.ClosedAt.Compare(b.ClosedAt), a.compareArrival(b))
	})
}

// compareInstrument compares what was traded, and then where.
func (t *Trade) compareInstrument(u *Trade) int {
	strikes := 0
	switch {
	case t.Strike != nil && u.Strike != nil:
		strikes = t.Strike.Cmp(u.Strike)
	case t.Strike != nil:
		strikes = 1
	case u.Strike != nil:
		strikes = -1
	}
	return cmp.Or(strings.Compare(t.Symbol, u.Symbol), strings.Compare(t.Right, u.Right), strikes,
		strings.Compare(t.Expiry, u.Expiry), strings.Compare(t.Lot, u.Lot), strings.Compare(t.AccountName, u.AccountName))
}

// compareArrival compares the first fills.
func (t *Trade) compareArrival(u *Trade) int {
	return cmp.Or(strings.Compare(t.External, u.External), cmp.Compare(t.Arrival, u.Arrival))
}

func sortedCopy[T any](list []T, order func(a, b T) int) []T {
	list = slices.Clone(list)
	slices.SortStableFunc(list, order)
	return list
}

// startingBalance is the sum of the startingBalance balances of the accounts in scope.
func (j *Journal) startingBalance(q *Question) *big.Rat {
	total := new(big.Rat)
	for _, a := range j.Accounts {
		if isAllowed(q.Accounts, a.ID) {
			total = add(total, a.Starting)
		}
	}
	return total
}

func (j *Journal) currency(q *Question) string {
	for _, a := range j.Accounts {
		if isAllowed(q.Accounts, a.ID) {
			return a.Currency
		}
	}
	return ""
}

func (t *Trade) isWin() bool  { return t.Net.Sign() > 0 && t.Net.Cmp(orZero(t.within)) > 0 }
func (t *Trade) isLoss() bool { return t.Net.Sign() < 0 && neg(t.Net).Cmp(orZero(t.within)) > 0 }

func (t *Trade) holdTime() time.Duration { return t.ClosedAt.Sub(t.OpenedAt) }

// size is the entry notional without sign.
func (t *Trade) size() *big.Rat { return new(big.Rat).Abs(t.Entry) }

// r is the result in units of the risk; nil without one.
func (t *Trade) r() *big.Rat {
	if t.Risk == nil || t.Risk.Sign() <= 0 {
		return nil
	}
	return quo(t.Net, t.Risk)
}

// filterTrades gives the trades for which something holds.
func filterTrades(list []*Trade, holds func(*Trade) bool) []*Trade {
	var out []*Trade
	for _, t := range list {
		if holds(t) {
			out = append(out, t)
		}
	}
	return out
}
