// Package oracle computes a journal's figures slowly and by other means than package
// analytics, so tests can compare the two on random journals. It is written from
// docs/metrics.md and shares no code and no types with analytics.
//
// It computes with fractions and has no columns, caches, scales or running totals: each
// figure is computed directly from the trade list. A fraction is converted to a float at
// the end, and only if the page defines the figure as a float.
//
// Answers are trees shaped like the API's JSON: see [Object] and [Differences]. Random
// figures (intervals, shuffles, probabilities) are not predicted; their values are
// [Unpredicted].
package oracle

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
	"time"
)

// Account is an account with the fields needed for figures.
type Account struct {
	ID, Name string
	Starting *big.Rat
	Currency string
}

// Trade is a closed trade. Risk, MFE and Volume are nil when unknown; Grade is 0
// without one.
type Trade struct {
	ID, Account, Symbol, Instrument string
	Long                            bool
	OpenedAt, ClosedAt              time.Time
	Net, Gross, Fees, Entry, Volume *big.Rat
	Risk, MFE                       *big.Rat
	Grade                           int
	Setups, Tags                    []string
	// Rules are the states of its setups' rules.
	Rules []Rule
	// The fields that order trades at one instant, besides the symbol: the contract
	// (Strike nil without one) and lot, the account name, the broker's id for the first
	// fill and its arrival number.
	Right, Expiry, Lot    string
	Strike                *big.Rat
	AccountName, External string
	Arrival               int
	// Parts are what the trade realized, and when; none means all at ClosedAt.
	Parts []Part
	// Removed marks a trade whose exits were all removals: it does not count.
	Removed bool
	// open is set for a trade still open.
	open bool
	// within is a breakeven result's greatest distance from zero; nil means 0.
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

// Journal is the data behind the figures.
type Journal struct {
	Accounts []Account
	Trades   []Trade
	// Open are trades still open. Only their parts have figures.
	Open []Trade
	Cash []Cash
	// Names are setup and tag names by id, and Mistakes the tags marked as mistakes.
	Names    map[string]string
	Mistakes map[string]bool
	// Checklists are each setup's rules.
	Checklists map[string][]string
	// ToleranceAmount and ToleranceR are the breakeven tolerance, at most one set, and
	// Tolerance is the setting as answers show it.
	ToleranceAmount, ToleranceR *big.Rat
	Tolerance                   any
}

// Question is a query. Empty filters accept everything.
type Question struct {
	Accounts                           []string
	From, To                           *time.Time
	ByOpening                          bool
	Symbols, Instruments, Setups, Tags []string
	Side                               string
	Zone                               *time.Location
	// OpenOnly selects open trades, which only have figures for what they realized;
	// ClosedOnly selects closed trades.
	OpenOnly, ClosedOnly bool
	// Realized selects results by when they were realized.
	Realized bool
	Sequence
}

// basis returns the instant that decides a trade's date.
func (q *Question) basis(t *Trade) time.Time {
	if q.ByOpening && !q.Realized {
		return t.OpenedAt
	}
	return t.ClosedAt
}

func (q *Question) isInPeriod(at time.Time) bool {
	return (q.From == nil || !at.Before(*q.From)) && (q.To == nil || !at.After(*q.To))
}

// isNarrowed reports whether the question filters by anything besides accounts
// and dates.
func (q *Question) isNarrowed() bool {
	return q.OpenOnly || q.Sequence != Sequence{} || q.Realized && q.ClosedOnly || q.Side != "" || len(q.Symbols)+len(q.Instruments)+len(q.Setups)+len(q.Tags) > 0
}

// accepts reports whether a trade passes all filters except for the period and the
// sequence.
func (q *Question) accepts(t *Trade) bool {
	side := "short"
	if t.Long {
		side = "long"
	}
	return q.acceptsStatus(t) && isAllowed(q.Accounts, t.Account) && isAllowed(q.Symbols, t.Symbol) && isAllowed(q.Instruments, t.Instrument) &&
		(q.Side == "" || q.Side == side) && isAnyAllowed(q.Setups, t.Setups) && isAnyAllowed(q.Tags, t.Tags)
}

// acceptsStatus reports whether a trade's status passes. Without realized results only
// closed trades are tested.
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

// SelectTrades returns the trades in question in closing order. If results count when
// realized, a trade occurs once for each part.
func (j *Journal) SelectTrades(q *Question) []*Trade {
	var list []*Trade
	all := j.listCounted(q)
	for i := range all {
		if t := &all[i]; j.accepts(q, t) && q.isInPeriod(q.basis(t)) {
			j.setTolerance(t)
			list = append(list, t)
		}
	}
	return sortByClosing(list)
}

// setTolerance sets a trade's breakeven tolerance.
func (j *Journal) setTolerance(t *Trade) {
	t.within = j.ToleranceAmount
	if j.ToleranceR != nil {
		t.within = nil
		if t.Risk != nil && t.Risk.Sign() > 0 {
			t.within = mul(j.ToleranceR, t.Risk)
		}
	}
}

// sortByClosing sorts trades by closing and sortByOpening by opening, with ties as in
// docs/metrics.md.
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

// compareInstrument compares the instruments, and then the accounts.
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

// startingBalance returns the starting balance total for the accounts in scope.
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

func (t *Trade) isWin() bool {
	return t.counts() && t.Net.Sign() > 0 && t.Net.Cmp(orZero(t.within)) > 0
}

func (t *Trade) isLoss() bool {
	return t.counts() && t.Net.Sign() < 0 && neg(t.Net).Cmp(orZero(t.within)) > 0
}

// counts reports whether the trade is in counts and averages.
func (t *Trade) counts() bool { return !t.Removed }

// listCounting returns the trades that count.
func listCounting(list []*Trade) []*Trade { return filterTrades(list, (*Trade).counts) }

func (t *Trade) holdTime() time.Duration { return t.ClosedAt.Sub(t.OpenedAt) }

// size returns the entry notional without sign.
func (t *Trade) size() *big.Rat { return new(big.Rat).Abs(t.Entry) }

// r returns the result in risk units, or nil without a risk.
func (t *Trade) r() *big.Rat {
	if t.Risk == nil || t.Risk.Sign() <= 0 {
		return nil
	}
	return quo(t.Net, t.Risk)
}

// filterTrades returns the trades for which holds is true.
func filterTrades(list []*Trade, holds func(*Trade) bool) []*Trade {
	var out []*Trade
	for _, t := range list {
		if holds(t) {
			out = append(out, t)
		}
	}
	return out
}
