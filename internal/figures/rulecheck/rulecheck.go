// Package rulecheck evaluates trading rules and goals: which trades kept a rule, which
// broke it, and what the results without the broken ones are. docs/metrics.md has the
// definitions.
//
// The ground rule: at an opening, only what was closed before it is known.
//
// The package has no I/O and no state. Package oracle computes the same slowly.
package rulecheck

import (
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/trading/tradefilter"
)

// Verdict is whether a trade kept a rule.
type Verdict uint8

// The verdicts. A rule judges no trades outside its accounts, validity and weekdays.
const (
	NotJudged Verdict = iota
	Kept
	Broken
	Unknown
)

// Break is one violation of a rule. A larger value is worse, except for cool_down and
// min_reward_risk. A rule can have one for each trade of a journal, so a Break is small.
type Break struct {
	// Place is the trade's in the query, and the closing trade's if the day broke the rule.
	Place int32
	// OfDay is set if the day broke the rule, and not the trade.
	OfDay        bool
	day          int64 // since 1970
	at           int64 // microseconds since 1970
	Value, Limit decimal.Null
}

// Day returns the day on which the rule was broken.
func (b *Break) Day() journal.Day { return analytics.DayName(b.day) }

// At returns the instant at which the rule was broken.
func (b *Break) At() time.Time { return time.UnixMicro(b.at).UTC() }

// EntryStep is a position after a fill that opened it or added to it.
type EntryStep struct {
	At int64 // microseconds since 1970
	// Quantity is the position, and Notional the same × price × multiplier, both without
	// sign.
	Quantity, Notional decimal.Decimal
	// Price is the fill's, and Average the average entry price before it. AddsToLoser
	// reports that the price is worse than the average.
	Price, Average decimal.Decimal
	AddsToLoser    bool
}

// Capital is what an account's equity is computed from, besides its trades.
type Capital struct {
	Starting decimal.Decimal
	Cash     []analytics.CashEvent // in order
}

// Facts are what rules need besides columns.
type Facts struct {
	Tolerance tradefilter.Tolerance
	Now       time.Time
	// Began are the trades whose first fill is a position held before; nil means none. They
	// are not judged and count nowhere.
	Began *analytics.TradeIDs
	// Entries returns the steps of a trade with several entries, nil for the others.
	Entries func(journal.TradeID) []EntryStep
	Capital map[journal.AccountID]Capital
	// Mixed is set if the rule's accounts have several currencies, so that their amounts
	// cannot be added.
	Mixed bool
	// Gap is how many trades a part of a judgement has; 0 means the usual number.
	Gap int
}
