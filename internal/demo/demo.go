// Package demo generates a two-year trading journal, for new users to explore and for
// screenshots.
//
// [Compose] generates the journal. It is pure and has no clock: the same last day results
// in the same journal to the byte, and another last day in nearly the same one, moved
// along the calendar. Every instrument has a random walk from day to day and, inside each
// day, from bar to bar (prices.go). A simulated trader trades these prices in three
// accounts (trader.go), with plans, stops, targets and mistakes (plan.go). The trader's
// results go through phases, among them a losing one with revenge trades and a day with
// overtrading, so every report has data.
//
// To keep the phases independent of the random numbers, the trader partly sees the
// future: between two ways to take a trade the better one is chosen more or less often,
// depending on how far the account is from its intended result.
//
// Most sold options are spreads: a further option is bought with the same order (options.go).
// The last two are proposed as strategies, the others are accepted.
//
// Price bars follow the same walk and go through every fill (bars.go). In a user's own
// journal they are used only for trades whose fills lie inside them, so they are not taken
// for the prices of the user's trades; see [bars.SampleLayout]. In the demo user's journal
// they are ordinary bars.
//
// Tables and texts are in data.json. [Fill] stores a journal through the other packages'
// services, and [Seed] does so for the demo user (writer.go).
package demo

import (
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/rules"
)

// Story is a whole journal. Records refer to each other by name, and to trades by the
// opening fill's external id, because they have no ids before they are stored.
type Story struct {
	// First and Last are the first and last day. Nothing happens after 22:00 UTC on the
	// last day.
	First, Last journal.Day
	Accounts    []Account
	Setups      []Setup
	Tags        []Tag
	Notes       []Note
	Missed      []Missed
	Routine     []RoutineItem
	Rules       []rules.Rule
	Goals       []rules.Goal
	Enrollments []Enrollment
	Bars        []BarSeries
}

// Account is a trading account with all its records.
type Account struct {
	ledger.NewAccount
	Fills       []ledger.NewFill // in time order; every one has an external id
	Cash        []Cash           // in time order
	Annotations []Annotations
	Spreads     []Spread
	Pictures    []Picture
}

// Spread is a sold option and the bought one that limits its loss, accepted as a strategy.
type Spread struct {
	Openings [2]string
	At       time.Time
}

// Cash is a cash transaction.
type Cash struct {
	ledger.NewCash
	Opening string // of its trade; empty if none
}

// Annotations are a trade's annotations.
type Annotations struct {
	Opening             string
	Notes               string
	Setups, Tags        []string // by name
	Rules               []RuleAnswer
	Risk, Stop, Target  decimal.Null
	Worst, Best         decimal.Null // excursions, in money, without sign
	Mood                string
	Confidence, Quality int // 1 to 5; 0 for none
	ReviewedAt          time.Time
}

// RuleAnswer is whether a trade followed one of its setup's rules.
type RuleAnswer struct {
	Rule  string
	State playbook.RuleState
}

// Picture is a screenshot on a trade.
type Picture struct {
	Opening string
	Name    string
	PNG     []byte
}

// Setup is a playbook setup.
type Setup struct {
	Name, Description, Thesis string
	Direction                 string // long, short or empty
	Checklist                 []string
}

// Tag is a trade tag.
type Tag struct {
	Name, Color, Description string
	Mistake                  bool
}

// Note is a note, a daily log or a weekly review.
type Note struct {
	Type    string // as notes name it
	Day     journal.Day
	Title   string
	Body    string
	Symbols []SymbolNote
	Account string // by name; empty for none
}

// SymbolNote is a daily log's part about one symbol.
type SymbolNote struct{ Symbol, Body string }

// Missed is a trade seen but not taken.
type Missed struct {
	Account, Setup      string // by name; empty for none
	Symbol              string
	Long                bool
	At                  time.Time
	Entry, Stop, Target decimal.Null
	Reason, Outcome     string
	Notes               string
}

// RoutineItem is a line in the daily checklist, with the days it was done.
type RoutineItem struct {
	Title    string
	Stage    string
	Weekdays []int
	Start    journal.Day
	End      journal.Day // the first day without it; empty for none
	Done     []journal.Day
	// Follows reports whether the item continues the one before it under a new schedule.
	Follows bool
}

// years is the journal's length.
const years = 2

// firstDay returns the first day of the journal ending on the given day.
func firstDay(last journal.Day) journal.Day { return journal.DayOf(last.Time().AddDate(-years, 0, 1)) }

// Compose generates the journal ending on the given day.
func Compose(last journal.Day) Story {
	s, story := composeAccounts(last, true)
	story.Setups, story.Tags = s.Setups, s.Tags
	story.Notes = s.composeNotes()
	story.Missed = s.composeMissed()
	story.Routine = s.composeRoutine()
	story.Rules, story.Goals = s.composeRules(), s.composeGoals()
	story.Enrollments = s.composeEnrollments()
	story.Bars = s.composeBars()
	return story
}

// composeAccounts generates the accounts. Pictures are optional, because drawing them
// takes a large part of the time.
func composeAccounts(last journal.Day, pictures bool) (*simulation, Story) {
	s := newSimulation(firstDay(last), last)
	s.run()
	story := Story{First: s.first, Last: s.last}
	for _, a := range s.accounts {
		story.Accounts = append(story.Accounts, s.composeAccount(a, pictures))
	}
	return s, story
}
