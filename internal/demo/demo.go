// Package demo generates a trading journal of two years, for new users to
// explore and for screenshots.
//
// [Compose] generates the journal, called the story. It is pure and has no clock:
// the same last day results in the same story to the byte, and another last day in
// nearly the same one, moved along the calendar. Every instrument has a random walk
// from day to day and, inside each day, from bar to bar (prices.go). A simulated
// trader trades these prices (trader.go), with plans, stops, targets and mistakes,
// in three accounts (stocks.go, options.go, futures.go, crypto.go). The trader
// learns slowly, has a good run, loses for seven weeks with revenge trades and a
// day of overtrading, returns with small size, takes profits too early for some
// months, and then does well. So every report has data.
//
// To keep this course independent of the random numbers, the trader can see the
// future to a degree: of two ways to take a trade the better one is chosen more or
// less often, depending on how far the account is from the course.
//
// Notes are composed of sentences (words.go, words.txt) with the figures of their
// trade. [Fill] stores a story through the services of the other packages, and
// [Seed] does so for the user of the demo (writer.go).
package demo

import (
	"slices"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/matching"
)

// The kinds of instruments, as executions call them.
const (
	kindStock  = "stock"
	kindOption = "option"
	kindFuture = "future"
	kindCrypto = "crypto"
)

// Story is a whole journal. Records refer to each other by name, because they
// have no ids before they are stored.
type Story struct {
	// First and Last are the first and last day. Nothing happens after 22:00 UTC
	// of the last day.
	First, Last journal.Day
	Accounts    []Account
	Setups      []Setup
	Tags        []Tag
	Notes       []Note
	Missed      []Missed
	Routine     []RoutineItem
}

// Account is a trading account with all of its records.
type Account struct {
	Name, Broker, Type, Currency string
	StartingBalance              decimal.Decimal
	Fills                        []Execution // in time order
	Cash                         []Cash      // in time order
	Annotations                  []Annotations
	Pictures                     []Picture
}

// Execution is one fill.
type Execution struct {
	// ID is the broker's; it is unique in the account.
	ID       string
	Symbol   string
	Kind     string
	Contract Contract // of an option
	Side     matching.Side
	Quantity decimal.Decimal
	Price    decimal.Decimal
	// Fees and Commission are costs.
	Fees, Commission decimal.Decimal
	Multiplier       decimal.Decimal
	At               time.Time
}

// Contract is what an option is about; it is empty for anything else.
type Contract struct {
	Right  string // call or put
	Strike decimal.Decimal
	Expiry journal.Day
}

// Cash is a cash transaction.
type Cash struct {
	Type   string // as cash transactions call it
	Amount decimal.Decimal
	At     time.Time
	Note   string
	// Opening is the id of the fill that opened the trade it belongs to;
	// empty if there is none.
	Opening string
}

// Annotations are the annotations of a trade.
type Annotations struct {
	// Opening is the id of the fill that opened the trade.
	Opening             string
	Notes               string
	Setups, Tags        []string // by name
	Risk, Stop, Target  decimal.Null
	Worst, Best         decimal.Null // excursions, in money, without sign
	Mood                string
	Confidence, Quality int // 1 to 5; 0 for none
	ReviewedAt          time.Time
}

// Picture is a screenshot on a trade.
type Picture struct {
	Opening string // the id of the fill that opened the trade
	Name    string
	PNG     []byte
}

// Setup is a pattern of the playbook.
type Setup struct {
	Name, Description, Thesis string
	Direction                 string // long, short or empty
	Checklist                 []string
}

// Tag is a tag of trades.
type Tag struct {
	Name, Color, Description string
	Mistake                  bool
}

// Note is a page of the journal: a note, a daily log or a weekly review.
type Note struct {
	Type  string // as notes call it
	Day   journal.Day
	Title string
	Body  string
	// Symbols are remarks on single symbols, in the order written.
	Symbols []SymbolNote
	// Account is the name of the account that it is about; empty for none.
	Account string
}

// SymbolNote is the part of a daily log about one symbol.
type SymbolNote struct{ Symbol, Body string }

// Missed is a trade that was seen and not taken.
type Missed struct {
	Account, Setup      string // by name; empty for none
	Symbol              string
	Long                bool
	At                  time.Time
	Entry, Stop, Target decimal.Null
	Reason, Outcome     string
	Notes               string
}

// RoutineItem is a line of the daily checklist, with the days it was done.
type RoutineItem struct {
	Title    string
	Stage    string
	Weekdays []int
	Start    journal.Day
	End      journal.Day // the first day without it; empty for none
	Done     []journal.Day
	// Follows means that the item continues the one before it under a new schedule.
	Follows bool
}

// years is how long the story is.
const years = 2

// Compose generates the story that ends on the given day.
func Compose(last journal.Day) Story {
	w, story := played(last, true)
	story.Setups, story.Tags = slices.Clone(setups), slices.Clone(tags)
	story.Notes = w.notes()
	story.Missed = w.missed()
	story.Routine = w.routine()
	return story
}

// played generates the accounts of the story. It skips the pictures if they are
// not needed, because drawing them takes a large part of the time.
func played(last journal.Day, pictures bool) (*world, Story) {
	first := journal.DayOf(last.Time().AddDate(-years, 0, 1))
	w := newWorld(first, last)
	w.pictures = pictures
	w.live()
	story := Story{First: first, Last: last}
	for _, d := range w.desks {
		story.Accounts = append(story.Accounts, d.report(w))
	}
	return w, story
}
