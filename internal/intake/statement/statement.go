// Package statement reads files from brokers, platforms and journals into fills, cash,
// annotations of trades, and the totals a file states about itself.
//
// A file arrives as text tables (package tabular). A [Preset] describes one export from
// one broker: by which column names it is recognized, what each column is ([Layout]), the
// zone for its times and the meaning of its signs. A file of an unknown kind takes the
// same path with the user's column mapping, which becomes a layout. Questions about a
// whole column, such as whether 1,234 is a thousand or 03/04 is in March, are decided
// over the whole column; undecided ones are put to the user, never guessed silently.
//
// The package is pure: no database, no clock of its own, no files. An unreadable row
// becomes a Problem with its number and a sentence; it never stops the rows around it.
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

// Format is what a row contains.
type Format string

// The formats. A file of executions has a row per fill, a journal a row per finished
// trade.
const (
	Executions    Format = "executions"
	JournalTrades Format = "journal_trades"
)

// Source is the file's kind, as the API names it.
type Source string

// The sources. A table is csv, be it delimited text or a workbook and whatever its
// publisher calls it; statement is a document with its own shape: MetaTrader reports and
// XML.
const (
	FromCSV       Source = "csv"
	FromStatement Source = "statement"
	FromBackup    Source = "backup"
)

// Statement is everything read from a file.
type Statement struct {
	Broker string
	// Layout is the preset's key; see [Preset.Key].
	Layout string
	Format Format
	Source Source
	// ByNames reports that no preset decided what the columns are: the file has none, or
	// the user chose other columns.
	ByNames bool
	// Headers are the table's column names, and Samples its first rows, for a person to
	// look at.
	Headers []string
	Samples [][]string
	// otherNames are further names for the same columns; see [Reader.AddNames].
	otherNames []string
	// Rows counts the data rows, including those with nothing to import.
	Rows int
	// Fills are in the order they happened as far as the file shows: fills within an
	// instant are in order of arrival.
	Fills       []*Fill
	Cash        []*Cash
	Annotations []*Annotations
	Problems    []Problem
	// Actions are the corporate actions that the file states.
	Actions []Action
	// Skipped lists the data rows with nothing to import, in their order, and Joined maps
	// rows that only add to another row to that row. Every data row from 1 to Rows is in
	// Fills, Cash, Annotations, Problems, Skipped or Joined.
	Skipped []Skip
	Joined  map[int]int
	// UnknownKinds are the unknown kind words.
	UnknownKinds []UnknownKind
	warningList
	// Totals compares what the file says about itself with what was read.
	Totals []Total
	// Zone is the zone in which times without one were read, and DateOrder the order of
	// day and month; ambiguous means that the user should choose.
	Zone      string
	DateOrder parse.DateOrder
	Account   Account

	zoneFacts
	accounts      accountList
	statedActions []statedAction
	// companies are the first words of the companies' names, by symbol.
	companies map[string][]string
	// reasons are for rows without records so far.
	reasons map[int]string
	// currencies are those of fills; derivedCurrency says that the account's is the first
	// one and not stated.
	currencies      []string
	derivedCurrency bool
	// quotes are the rates stated in the file.
	quotes []quote
	// unknownMoney is the money in rows with unknown kinds, by word in file order.
	unknownMoney []*leftMoney
}

// zoneFacts are the facts about time zones.
type zoneFacts struct {
	// unzonedTimes and unzonedDays report a time, or a day without a time, without a
	// zone; zoneAsked reports a time with an unknown zone.
	unzonedTimes, unzonedDays, zoneAsked bool
	// columnZone is the zone in a time column's name, in a zone column or above the
	// table. valueZone is the one in the last time with a zone, and severalZones reports
	// that others differ.
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
	ID         string // the broker's, empty if none
	Kind       matching.Kind
	EventID    string // joins an option's fill with its underlying's, empty if none
	// BasisEstimated reports that an opening's price is not the real cost.
	BasisEstimated bool
	Right          string // call or put
	Strike         decimal.Null
	Expiry         journal.Day
	Lot            string
	Details        map[string]string // further values to keep
	DateOnly       bool              // the file has the day and no time
	// NoTime reports that the file has no time, NoSeconds only hours and minutes,
	// ZeroFraction a fraction of a second equal to 0; ZoneAssumed reports that the source
	// named no zone.
	NoTime, NoSeconds, ZeroFraction, ZoneAssumed bool
	// FeesKnown and CommissionKnown report a stated cost, even if it is 0. A cost other
	// than 0 is always known.
	FeesKnown, CommissionKnown bool
	// MultiplierAssumed reports a Multiplier missing from the file.
	MultiplierAssumed bool
	// PartialQuantity reports that the file shows parts of fills, and may not show all
	// parts here.
	PartialQuantity bool
	Effect          parse.Effect // whether it opens or closes, by the file
	PositionAfter   decimal.Null // the signed position after this fill, if the file states it
	StatedCashFlow  decimal.Null // stated cash movement, costs included

	isSplit bool // see [KindSplit]
	// sellsHeld reports a plain sale in a layout with a word of its own for selling short.
	sellsHeld bool
	// hasResult reports a result stated for the fill, whether it counts or not.
	hasResult bool
}

// Cash is money moved without a fill. Type is an API word: deposit, withdrawal, fee,
// dividend, interest or adjustment; Amount is signed.
type Cash struct {
	Row      int
	Type     string
	Amount   decimal.Decimal
	Currency string
	At       time.Time
	Note     string
}

// The cash types the readers themselves decide on.
const (
	cashFee        = "fee"
	cashAdjustment = "adjustment"
	cashDeposit    = "deposit"
	cashWithdrawal = "withdrawal"
)

// Annotations are what the file's owner added to the trade of Fill.
type Annotations struct {
	Row                    int
	Fill                   *Fill
	Tags, Mistakes, Setups []string
	// A stop in a broker's or platform's report is LastStop: it may have been trailed. A
	// planned stop is StopPrice.
	annotations.Values
}

// Problem states why a row was left out.
type Problem struct {
	Row     int
	Message string
}

// Total is a figure the file states about itself, and what was read.
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

// WarnCurrency adds a warning about amounts in another currency than the account's.
func (s *warningList) WarnCurrency(rows, account string) {
	s.AddWarning(Warning{
		Code: CurrencyNotConverted,
		Text: fmt.Sprintf("Some rows are in %s, the account is in %s: their amounts were taken as they are.", rows, account),
	})
}

// State notes a stated total. Totals are checked when everything is read; see
// [Statement.Sum] for the items.
func (s *Statement) State(item string, stated decimal.Decimal) {
	s.Totals = append(s.Totals, Total{Item: item, Stated: stated})
}

// StatedZone returns the zone stated for times: by their columns, or the same one in all
// times with a zone; otherwise it is empty.
func (s *zoneFacts) StatedZone() string {
	if s.columnZone == "" && !s.severalZones {
		return s.valueZone
	}
	return s.columnZone
}

// noteValueZone notes the zone named by a time.
func (s *zoneFacts) noteValueZone(zone string) {
	s.severalZones = s.severalZones || s.valueZone != "" && s.valueZone != zone
	s.valueZone = zone
}

// Unzoned reports whether the file has times, and days without a time, without a zone,
// neither in their text nor in their column's name.
func (s *zoneFacts) Unzoned() (times, days bool) { return s.unzonedTimes, s.unzonedDays }

func (s *zoneFacts) noteUnzoned(m parse.Moment) {
	if m.DateOnly {
		s.unzonedDays = true
	} else {
		s.unzonedTimes = true
	}
}

// ZoneIsUnknown reports whether times without a zone were read in the default zone
// because neither file nor user names one.
func (s *zoneFacts) ZoneIsUnknown() bool { return s.zoneAsked }
