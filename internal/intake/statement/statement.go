// Package statement reads the file of a broker, platform or journal into fills,
// cash, annotations of trades, and the totals that the file states about itself.
//
// A file arrives as tables of text (package tabular). A [Preset]
// describes one export of one broker: by which column names it is recognized, what
// each column is ([Layout]), the zone of its times and the meaning of its signs. Reading a
// file of an unknown kind takes the same path with a mapping that the user
// chose. What can only be decided over a whole column, such as whether 1,234
// is a thousand or whether 03/04 is in March, is decided over the whole
// column, and what cannot be decided becomes a question to the user, never a
// silent guess.
//
// The package is pure: no database, no clock of its own, no files. A row that
// cannot be read becomes a Problem with its number and a sentence; it never
// stops the rows around it.
package statement

import (
	"fmt"
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/trading/annotations"
	"fillbook/internal/trading/matching"
)

// Format is what a row of a file contains.
type Format string

// The formats. A file of executions has a row a fill, a journal a row a
// finished trade.
const (
	Executions    Format = "executions"
	JournalTrades Format = "journal_trades"
)

// Source is the kind of file, as the API names it.
type Source string

// The sources. A table is csv, be it delimited text or a workbook and whatever
// its publisher calls it; statement is a document with a shape of its own: the
// reports of MetaTrader and XML.
const (
	FromCSV       Source = "csv"
	FromStatement Source = "statement"
	FromBackup    Source = "backup"
)

// Statement is everything that was read from a file.
type Statement struct {
	Broker string
	// Layout is the key of the preset that read the file; see [Preset.Key].
	Layout string
	Format Format
	Source Source
	// ByNames reports that no preset has decided what the columns are: the file has
	// none, or the user chose other columns.
	ByNames bool
	// Headers are the column names of the table that was read, and Samples its
	// first rows, for a person to look at.
	Headers []string
	Samples [][]string
	// otherNames are those of the same columns that a reader has added; see [Reader.AddNames].
	otherNames []string
	// Rows counts the data rows, those that hold nothing to import included.
	Rows int
	// Fills are in the order in which they happened as far as the file shows:
	// fills of one instant are in the order of arrival.
	Fills       []*Fill
	Cash        []*Cash
	Annotations []*Annotations
	Problems    []Problem
	// Skipped lists the data rows that hold nothing to import, in their order,
	// and Joined maps rows that only add to another row to that row. Every data
	// row from 1 to Rows is in Fills, Cash, Annotations, Problems, Skipped or Joined.
	Skipped []Skip
	Joined  map[int]int
	// UnknownKinds are the words for kinds of rows that are not known.
	UnknownKinds []UnknownKind
	warningList
	// Totals compares what the file says about itself with what was read.
	Totals []Total
	// Zone is the name of the zone that times without one were read in, and
	// DateOrder the order of day and month; ambiguous means that the user
	// should choose.
	Zone      string
	DateOrder parse.DateOrder
	Account   Account

	zoneFacts
	accounts accountList
	// reasons are those of rows that emitted nothing so far.
	reasons map[int]string
	// currencies are those of fills; derivedCurrency says that the account's is
	// the first of them and not stated.
	currencies      []string
	derivedCurrency bool
	// quotes are the rates that the file states.
	quotes []quote
	// unknownMoney is the money of rows of unknown kinds, by the word in the order
	// of the file.
	unknownMoney []*leftMoney
}

// zoneFacts are what is known about the zones of times.
type zoneFacts struct {
	// unzonedTimes and unzonedDays report that a time, or a day without a time, has
	// no zone; zoneAsked that the zone of a time is unknown.
	unzonedTimes, unzonedDays, zoneAsked bool
	// columnZone is the zone in the name of a time column, in a column for zones or
	// above the table. valueZone is the one in the last time that has a zone, and
	// severalZones reports that others have another.
	columnZone, valueZone string
	severalZones          bool
}

// Account is what a file states about its account.
type Account struct {
	Name, Type, Currency string
}

// Fill is one execution.
type Fill struct {
	Row        int
	Symbol     string
	Type       string // stock if empty
	Side       matching.Side
	Quantity   decimal.Decimal
	Price      decimal.Decimal
	Fees       decimal.Decimal // costs are positive
	Commission decimal.Decimal
	Multiplier decimal.Null
	StatedPnL  decimal.Null
	At         time.Time
	ID         string // the broker's, empty if there is none
	Right      string // call or put
	Strike     decimal.Null
	Expiry     journal.Day
	Lot        string
	Details    map[string]string // further values to keep
	DateOnly   bool              // the file has the day and no time
	// NoTime reports that the file has no time of day, NoSeconds that it has only
	// hours and minutes, ZeroFraction that it has a fraction of a second, which is
	// 0, ZoneAssumed that the source named no zone.
	NoTime, NoSeconds, ZeroFraction, ZoneAssumed bool
	// FeesKnown and CommissionKnown report that the file states the cost, even if
	// it is 0. A cost other than 0 is always known.
	FeesKnown, CommissionKnown bool
	// MultiplierAssumed reports that the file does not state Multiplier.
	MultiplierAssumed bool
	// PartialQuantity reports that the file shows parts of fills, and may not
	// show all parts of this one.
	PartialQuantity bool
	Effect          parse.Effect // whether the file says that it opens or closes
	PositionAfter   decimal.Null // the signed position after this fill, if the file states it
	StatedCashFlow  decimal.Null // what the file says that the fill moved in cash, costs included

	isSplit bool // see [KindSplit]
	// hasResult reports that the file states a result of its own for the fill,
	// whether it counts or not.
	hasResult bool
}

// Cash is money that moved without a fill. Type is a word of the API: deposit,
// withdrawal, fee, dividend, interest or adjustment; Amount is signed.
type Cash struct {
	Row      int
	Type     string
	Amount   decimal.Decimal
	Currency string
	At       time.Time
	Note     string
}

// The cash types that the readers themselves decide on.
const (
	cashFee        = "fee"
	cashAdjustment = "adjustment"
	cashDeposit    = "deposit"
	cashWithdrawal = "withdrawal"
)

// Annotations are what the owner of the file added to the trade of Fill.
type Annotations struct {
	Row                    int
	Fill                   *Fill
	Tags, Mistakes, Setups []string
	// A stop that a report of a broker or platform shows is LastStop: it may have
	// been trailed. A stop that the trader planned with is StopPrice.
	annotations.Values
}

// Problem states why a row was left out.
type Problem struct {
	Row     int
	Message string
}

// Total is a figure that the file states about itself, and what was read.
type Total struct {
	Item     string
	Stated   decimal.Decimal
	Computed decimal.Decimal
}

// Difference is what is unexplained: what was read less what is stated.
func (t Total) Difference() decimal.Decimal { return t.Computed.Sub(t.Stated) }

// AddWarning adds a warning, once.
func (s *warningList) AddWarning(w Warning) {
	const enough = 50
	if len(s.Warnings) < enough && !slices.Contains(s.Warnings, w) {
		s.Warnings = append(s.Warnings, w)
	}
}

// WarnCurrency adds a warning that amounts of some rows are not in the currency
// of the account.
func (s *warningList) WarnCurrency(rows, account string) {
	s.AddWarning(Warning{
		Code: CurrencyNotConverted,
		Text: fmt.Sprintf("Some rows are in %s, the account is in %s: their amounts were taken as they are.", rows, account),
	})
}

// State notes a total of the file beside what was read. Totals are checked
// when everything is read; see the items of [Statement.Sum].
func (s *Statement) State(item string, stated decimal.Decimal) {
	s.Totals = append(s.Totals, Total{Item: item, Stated: stated})
}

// StatedZone returns the zone that the file states for its times: by their columns,
// or the same one in all that have a zone; otherwise it is empty.
func (s *zoneFacts) StatedZone() string {
	if s.columnZone == "" && !s.severalZones {
		return s.valueZone
	}
	return s.columnZone
}

// noteValueZone notes the zone that a time names.
func (s *zoneFacts) noteValueZone(zone string) {
	s.severalZones = s.severalZones || s.valueZone != "" && s.valueZone != zone
	s.valueZone = zone
}

// Unzoned reports whether the file has times, and days without a time, that have
// no zone, neither in their text nor in the name of their column.
func (s *zoneFacts) Unzoned() (times, days bool) { return s.unzonedTimes, s.unzonedDays }

func (s *zoneFacts) noteUnzoned(m parse.Moment) {
	if m.DateOnly {
		s.unzonedDays = true
	} else {
		s.unzonedTimes = true
	}
}

// ZoneIsUnknown reports whether the file has times without a zone that were read
// in the default zone because neither file nor user names one.
func (s *zoneFacts) ZoneIsUnknown() bool { return s.zoneAsked }
