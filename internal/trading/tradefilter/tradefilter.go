// Package tradefilter defines the trade filter: its parameters, how they are parsed, and
// what they mean. Lists, exports, figures and saved views all take this filter. Package
// analytics tests trades with it.
//
// The package has no I/O and no state.
package tradefilter

import (
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Filter selects trades. The zero value selects all.
type Filter struct {
	Scope journal.Scope
	// ByOpening makes the period test every trade's opening. Otherwise it tests when a
	// closed trade closed and an open one opened.
	ByOpening bool
	Status    Status
	// Currency is the currency that amounts are converted into; empty leaves them in the
	// accounts' own. Conditions on amounts test the own currency.
	Currency string
	Conditions
}

// Conditions are a trade's tests besides its account, its period and its status. A trade
// must pass all that are set; one list's values are alternatives. A trade without a value
// is not in its range.
type Conditions struct {
	Symbols         []string
	Roots           []string
	InstrumentTypes []string
	Side            Side
	OptionRights    []string
	// DTE is how many days lie from the opening to the expiry.
	DTE Range
	// Weekdays (0 is Sunday), Hours and Sessions are the opening's, in Zone; nil means
	// UTC. Sessions are always New York's.
	Weekdays []int
	Hours    []int
	Sessions []Session
	Zone     *time.Location

	// AfterLosses and AfterWins are how many losses or wins in a row must have closed
	// before the trade opened, on the same day in Zone; 0 tests nothing. NthOfDay is the
	// trade's number among that day's openings, from 1. All look at every trade in the
	// filter's accounts, whatever the other conditions.
	AfterLosses, AfterWins int
	NthOfDay               Range

	Outcomes []Outcome
	PnL, R   Range
	HasR     journal.Opt[bool]
	Hold     Range // seconds from the opening to the closing

	// MAER to OpeningRange are ranges for what the price did during the trade and what
	// was known at its entry. MAE and MFE are in multiples of the initial risk.
	MAER, MFER, ExitEfficiency                   Range
	ATRPct, GapPct, RelativeVolume, OpeningRange Range
	// HasExcursion is whether MAE and MFE are known, from bars or typed.
	HasExcursion journal.Opt[bool]

	Setups    []journal.SetupID
	SetupMode Mode
	Tags      []journal.TagID
	TagMode   Mode
	// Mistake is whether the trade has a tag that is a mistake.
	Mistake         journal.Opt[bool]
	Qualities       []int
	EmotionalStates []string // folded, see package textindex
	Reviewed        journal.Opt[bool]
	HasNote         journal.Opt[bool]
	HasAttachment   journal.Opt[bool]
	// RuleStates are states for one rule in the trade's setups: the one with the text
	// Rule, or any if that is empty. Rule alone selects trades on which it has a state.
	RuleStates []RuleState
	Rule       string
	// RulesBroken and RulesKept are trading rules; the trade must have broken (kept) any of
	// them.
	RulesBroken, RulesKept []journal.TradingRuleID
	Batch                  journal.BatchID
	// Trades are the only trades that pass; none means all.
	Trades []journal.TradeID
	// Words must all be found in the notes, the symbol or the trade's tags. They are
	// folded.
	Words []string
}

// Range is a number range including both ends; an absent end is unbounded.
type Range struct{ Min, Max decimal.Null }

// IsSet reports whether the range has an end.
func (r Range) IsSet() bool { return r.Min.Valid || r.Max.Valid }

// Contains reports whether a number is in the range.
func (r Range) Contains(d decimal.Decimal) bool {
	return (!r.Min.Valid || d.Cmp(r.Min.Decimal) >= 0) && (!r.Max.Valid || d.Cmp(r.Max.Decimal) <= 0)
}

// Status selects trades by whether they are open.
type Status string

// The statuses; empty means both.
const (
	Open   Status = "open"
	Closed Status = "closed"
)

// Includes reports whether open trades have the status, or closed ones.
func (s Status) Includes(open bool) bool { return s == "" || (s == Open) == open }

// Side is a trade's direction.
type Side string

// The sides.
const (
	Long  Side = "long"
	Short Side = "short"
)

// Outcome is how a closed trade ended, by its net result and its owner's breakeven
// tolerance.
type Outcome string

// The outcomes.
const (
	Win       Outcome = "win"
	Loss      Outcome = "loss"
	Breakeven Outcome = "breakeven"
)

// Mode is how a tag or setup list is tested.
type Mode string

// The modes: at least one of the list, every one, or none. The zero value is
// [Any]. [None] with an empty list selects trades without any.
const (
	Any  Mode = "any"
	All  Mode = "all"
	None Mode = "none"
)

// RuleState is whether a trade followed a rule of its setup.
type RuleState string

// The states of a rule.
const (
	Followed      RuleState = "followed"
	Broken        RuleState = "broken"
	NotApplicable RuleState = "not_applicable"
)

// Session is a part of the US-equity trading day, on the clock of New York.
type Session string

// The sessions. Weekends have the same clock as other days.
const (
	Premarket  Session = "premarket"
	Regular    Session = "rth"
	Afterhours Session = "afterhours"
	Overnight  Session = "overnight"
)

// Sessions returns the sessions in the day's order.
func Sessions() []Session { return []Session{Premarket, Regular, Afterhours, Overnight} }

// IsEmpty reports whether the conditions test nothing.
func (c *Conditions) IsEmpty() bool {
	return len(c.Symbols) == 0 && len(c.InstrumentTypes) == 0 && c.Side == "" && c.Batch == "" && !c.Reviewed.Set &&
		!c.TestsSetups() && !c.TestsTags() && !c.testsMore()
}

// NeedsColumns reports whether a list cannot test the conditions in the database.
func (c *Conditions) NeedsColumns() bool {
	return isOtherMode(c.SetupMode) || isOtherMode(c.TagMode) || c.testsMore()
}

func isOtherMode(m Mode) bool { return m == All || m == None }

// testsMore reports whether one of the conditions is set that the database does
// not test.
func (c *Conditions) testsMore() bool {
	return len(c.Roots) > 0 || len(c.OptionRights) > 0 || c.DTE.IsSet() || len(c.Weekdays) > 0 || len(c.Hours) > 0 ||
		len(c.Sessions) > 0 || c.TestsResult() || c.R.IsSet() || c.HasR.Set || c.Mistake.Set || len(c.Qualities) > 0 ||
		len(c.EmotionalStates) > 0 || c.HasNote.Set || c.HasAttachment.Set || len(c.Words) > 0 || c.TestsRules() || c.TestsTradingRules() ||
		c.testsExcursion() || len(c.Trades) > 0 || c.TestsSequence()
}

// testsExcursion reports whether one of the conditions tests what the price did.
func (c *Conditions) testsExcursion() bool {
	return c.MAER.IsSet() || c.MFER.IsSet() || c.ExitEfficiency.IsSet() || c.ATRPct.IsSet() || c.GapPct.IsSet() ||
		c.RelativeVolume.IsSet() || c.OpeningRange.IsSet() || c.HasExcursion.Set
}

// TestsSequence reports whether the trades before a trade on its day matter.
func (c *Conditions) TestsSequence() bool {
	return c.AfterLosses > 0 || c.AfterWins > 0 || c.NthOfDay.IsSet()
}

// WithoutSequence returns the conditions without those of [Conditions.TestsSequence].
func (c Conditions) WithoutSequence() Conditions {
	c.AfterLosses, c.AfterWins, c.NthOfDay = 0, 0, Range{}
	return c
}

// TestsRules reports whether the states of rules matter.
func (c *Conditions) TestsRules() bool { return len(c.RuleStates) > 0 || c.Rule != "" }

// TestsTradingRules reports whether verdicts of trading rules matter.
func (c *Conditions) TestsTradingRules() bool { return len(c.RulesBroken) > 0 || len(c.RulesKept) > 0 }

// TestsResult reports whether one of the conditions tests the net result or the
// closing of the whole trade.
func (c *Conditions) TestsResult() bool {
	return len(c.Outcomes) > 0 || c.PnL.IsSet() || c.Hold.IsSet()
}

// WithoutResult returns the conditions without those of [Conditions.TestsResult].
func (c Conditions) WithoutResult() Conditions {
	c.Outcomes, c.PnL, c.Hold = nil, Range{}, Range{}
	return c
}

// TestsLabels reports whether setups, tags or grades of a trade matter.
func (c *Conditions) TestsLabels() bool {
	return c.TestsSetups() || c.TestsTags() || c.Mistake.Set || len(c.Qualities) > 0
}

// WithoutLabels returns the conditions without those of [Conditions.TestsLabels].
func (c Conditions) WithoutLabels() Conditions {
	c.Setups, c.SetupMode, c.Tags, c.TagMode, c.Mistake, c.Qualities = nil, "", nil, "", journal.Opt[bool]{}, nil
	return c
}

// UsesZone reports whether the result of the conditions depends on their zone.
func (c *Conditions) UsesZone() bool {
	return len(c.Weekdays) > 0 || len(c.Hours) > 0 || c.DTE.IsSet() || c.TestsSequence()
}

// TestsSetups reports whether the setups of a trade matter.
func (c *Conditions) TestsSetups() bool { return len(c.Setups) > 0 || c.SetupMode == None }

// TestsTags reports whether the tags of a trade matter, apart from Mistake.
func (c *Conditions) TestsTags() bool { return len(c.Tags) > 0 || c.TagMode == None }

// MatchesSetups reports whether the setups of a trade pass.
func (c *Conditions) MatchesSetups(have []journal.SetupID) bool {
	return matchesMode(c.SetupMode, c.Setups, have)
}

// MatchesTags reports whether the tags of a trade pass.
func (c *Conditions) MatchesTags(have []journal.TagID) bool {
	return matchesMode(c.TagMode, c.Tags, have)
}

func matchesMode[T comparable](mode Mode, want, have []T) bool {
	has := func(id T) bool { return slices.Contains(have, id) }
	switch {
	case mode == None && len(want) == 0:
		return len(have) == 0
	case mode == None:
		return !slices.ContainsFunc(want, has)
	case mode == All:
		return !slices.ContainsFunc(want, func(id T) bool { return !has(id) })
	}
	return len(want) == 0 || slices.ContainsFunc(want, has)
}
