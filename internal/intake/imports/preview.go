package imports

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/parallel"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
)

// Preview describes a file and the result of importing it. Nothing is written.
type Preview struct {
	Headers          []string
	SampleRows       []map[string]string
	SuggestedMapping map[string]string
	DetectedBroker   string
	Reason           string // why that broker was detected
	// MappingNote explains why there is no suggested mapping, or that a mapping is
	// ignored; ZoneNote why there is no suggested zone.
	MappingNote    string
	AcceptsMapping bool // a column mapping changes how the file is read
	SuggestedZone  string
	ZoneNote       string
	ZoneFrom       ZoneSource
	// DefaultZoneFrom is empty unless times or days were read in the default zone.
	DefaultZoneFrom DefaultZoneSource
	// Signature identifies the file's layout. It depends on the file's kind and its
	// column names, not on the upload options. Empty for a backup.
	Signature string
	// FileAccount is the account named in the file, empty if it names none or several.
	FileAccount string
	Format      string
	Source      string
	RowCount    int
	// Rows is nil while columns must be named.
	Rows           *RowCounts
	SkippedRows    []SkippedRow
	SkippedReasons []SkippedReason
	// Currency is nil for a backup, whose accounts have their own.
	Currency       *FileCurrency
	AccountID      journal.AccountID
	PendingAccount *ledger.NewAccount
	DateOrder      string
	NewRows        int
	Duplicates     int
	Completed      int // duplicates that complete the stored fill
	CashRows       int
	CashDuplicates int
	Errors         []Problem
	ErrorCount     int
	Warnings
	MissingMapping []string
	// Actions are the corporate actions that the file states.
	Actions []FileAction
	// UnmatchedClosings are the sales that close a position by the file, and find none.
	UnmatchedClosings []UnmatchedClosing
	Reconciliation    []Reconciliation
	SampleTrades      []SampleTrade
	Journal           *JournalSummary
	// UnknownKinds are the words whose kind only the user knows.
	UnknownKinds []UnknownKind
	// Outcome is nil if it is unknown.
	Outcome *Outcome
}

// MappingTarget is something a column can be mapped to.
type MappingTarget struct {
	Name  string `json:"name" doc:"The key in column_mapping."`
	Label string `json:"label" doc:"The name for people."`
}

// MappingTargets lists everything a column can be mapped to.
func MappingTargets() []MappingTarget {
	var list []MappingTarget
	for _, target := range statement.Targets() {
		list = append(list, MappingTarget{Name: string(target), Label: target.Label()})
	}
	return list
}

// SampleTrade is a trade formed by the file's fills.
type SampleTrade struct {
	Symbol     string          `json:"symbol"`
	Type       string          `json:"instrument_type"`
	Direction  string          `json:"direction"`
	Status     string          `json:"status"`
	Quantity   decimal.Decimal `json:"quantity"`
	OpenedAt   time.Time       `json:"opened_at"`
	ClosedAt   *time.Time      `json:"closed_at"`
	EntryPrice decimal.Decimal `json:"avg_entry_price"`
	ExitPrice  decimal.Null    `json:"avg_exit_price"`
	NetPnL     decimal.Null    `json:"net_pnl"`
	// OptionRight, Strike and Expiry are an option's contract; Multiplier is null if the
	// file does not state it.
	OptionRight *string      `json:"option_right" doc:"call or put; null without an option, as are strike and expiry."`
	Strike      decimal.Null `json:"strike"`
	Expiry      *journal.Day `json:"expiry"`
	Multiplier  decimal.Null `json:"multiplier" doc:"null if it is not known from the file."`
}

// JournalSummary sums up a journal or a backup.
type JournalSummary struct {
	Trades       int        `json:"trades"`
	Executions   int        `json:"executions"`
	Cash         int        `json:"cash_transactions"`
	Annotated    int        `json:"annotated"`
	Setups       int        `json:"setups"`
	Tags         int        `json:"tags"`
	Notes        int        `json:"notes"`
	MissedTrades int        `json:"missed_trades"`
	Accounts     int        `json:"accounts"`
	First        *time.Time `json:"first"`
	Last         *time.Time `json:"last"`
}

// Inspect reads a file and returns what it contains and what a commit would do.
// It writes nothing.
func (s *Service) Inspect(ctx context.Context, owner journal.UserID, up Upload) (Preview, error) {
	account, c, err := s.open(ctx, owner, &up)
	if err != nil {
		return Preview{}, err
	}
	if c.backup != nil {
		return s.previewBackup(ctx, owner, up, c)
	}
	currency, err := s.compareCurrency(ctx, owner, c, account)
	if err != nil {
		return Preview{}, err
	}
	if c.statement == nil {
		p := c.preview(up)
		p.Currency = &currency
		return p, nil
	}
	defer s.startLarge(c.rows())()
	planned := newPlan(c.statement, *account, up.Origin)
	p := c.preview(up) // after newPlan, which removes invalid rows from the statement
	p.Currency = &currency
	p.ErrorCount = len(planned.problems)
	p.Errors = append(p.Errors, planned.problems[:min(len(planned.problems), maxProblems)]...)
	var trades []SampleTrade
	parallel.Run(
		func() {
			err = s.db.View(ctx, func(tx *db.Tx) error { return s.previewPlan(ctx, tx, owner, *account, planned, up, &p) })
		},
		func() {
			trades = sampleTrades(c.statement)
			c.statement.Fills = nil // releases their memory
		},
	)
	p.SampleTrades = trades
	return p, err
}

// preview returns the part of the preview that depends on the file alone, without its
// trades.
func (c *content) preview(up Upload) Preview {
	p := Preview{
		Headers: append([]string{}, c.headers...), SampleRows: []map[string]string{}, SuggestedMapping: map[string]string{},
		DetectedBroker: c.found.Preset.Broker, Reason: c.found.Reason, RowCount: c.rows(),
		Format: string(c.found.Preset.Format), Source: string(statement.FromCSV), AccountID: up.Account,
		Errors: []Problem{}, Actions: []FileAction{}, UnmatchedClosings: []UnmatchedClosing{}, Warnings: newWarnings(), Reconciliation: []Reconciliation{}, SampleTrades: []SampleTrade{},
	}
	for target, name := range c.suggested {
		p.SuggestedMapping[string(target)] = name
	}
	samples := c.samples
	if st := c.statement; st != nil {
		p.Source, p.DateOrder, p.FileAccount = string(st.Source), string(st.DateOrder), st.Account.Name
		p.addWarnings(st.Warnings)
		p.Reconciliation = reconcile(st)
		if len(st.Headers) > 0 {
			p.Headers, samples = st.Headers, st.Samples
		}
		if st.Format == statement.JournalTrades {
			p.Journal = summarize(st)
		}
	}
	for _, cells := range samples {
		p.SampleRows = append(p.SampleRows, asObject(p.Headers, cells))
	}
	p.MissingMapping = missing(c.mapping)
	p.SkippedRows, p.SkippedReasons = []SkippedRow{}, []SkippedReason{}
	p.UnknownKinds = []UnknownKind{}
	if c.statement != nil {
		p.UnknownKinds = unknownKinds(c.statement)
	}
	c.note(&p)
	p.Signature, p.ZoneFrom = c.signature(), c.zoneSource()
	if p.ZoneFrom == ZoneUnknown || p.ZoneFrom == ZoneOfDays {
		p.DefaultZoneFrom = c.defaultZone.from
	}
	return p
}

// setRows puts a report on the rows into the preview.
func (p *Preview) setRows(rows RowReport) {
	p.Rows, p.SkippedRows, p.SkippedReasons = &rows.Counts, rows.Skipped, rows.Reasons
}

// The notes in a preview without a suggestion.
const (
	noteOwnReader     = "This file has a reader of its own, so column_mapping is ignored."
	noteNoColumns     = "No column of this file was recognized. Name the columns with column_mapping."
	noteBackupMapping = "A backup needs no column_mapping."
	noteBackupZone    = "Every time in a backup names its time zone."
	noteZoneUnknown   = "The file does not say which time zone its times are in. They are read as %s unless you send source_tz."
	noteZoneNotNeeded = "No time zone needed: each time in this file has its own, or is only a date."
	noteZoneLater     = "Name the columns first; the time zone shows when the times are read."
)

// note sets the suggested zone and the notes.
func (c *content) note(p *Preview) {
	p.AcceptsMapping = !c.hasOwnReader()
	switch {
	case c.hasOwnReader():
		p.MappingNote = noteOwnReader
	case len(p.SuggestedMapping) == 0:
		p.MappingNote = noteNoColumns
	}
	p.SuggestedZone = c.suggestedZone()
	switch {
	case p.SuggestedZone != "":
	case c.statement == nil:
		p.ZoneNote = noteZoneLater
	case c.statement.ZoneIsUnknown():
		p.ZoneNote = fmt.Sprintf(noteZoneUnknown, c.statement.Zone)
	default:
		p.ZoneNote = noteZoneNotNeeded
	}
}

func missing(err error) []string {
	if err == nil {
		return []string{}
	}
	refusal := err.(*journal.Error) //nolint:errorlint // isMappingRequired has seen that it is one
	list, _ := refusal.Details["missing"].([]string)
	return list
}

// asObject names a row's cells by their columns. Columns without a name are left out.
func asObject(headers, cells []string) map[string]string {
	row := map[string]string{}
	for i, cell := range cells {
		if i < len(headers) && headers[i] != "" {
			row[headers[i]] = cell
		}
	}
	return row
}

// sampleTrades returns the latest trades formed by the file's fills.
func sampleTrades(st *statement.Statement) []SampleTrade {
	list := []SampleTrade{}
	for _, t := range st.Latest(20) {
		list = append(list, sampleTrade(t))
	}
	return list
}

func sampleTrade(t statement.Trade) SampleTrade {
	trade := SampleTrade{
		Symbol: t.Fill.Symbol, Type: cmp.Or(t.Fill.Type, instruments.TypeStock), Direction: string(t.Direction), Status: "open", Quantity: t.QtyOpened,
		OpenedAt: time.UnixMicro(t.First.At).UTC(), EntryPrice: t.AvgEntry, ExitPrice: t.AvgExit, NetPnL: t.NetPnL,
		Strike: t.Fill.Strike, Multiplier: t.Fill.Multiplier,
	}
	if t.Fill.Right != "" {
		trade.OptionRight = &t.Fill.Right
	}
	if t.Fill.Expiry != "" {
		trade.Expiry = &t.Fill.Expiry
	}
	if t.QtyRemaining.IsZero() {
		closed := time.UnixMicro(t.Last.At).UTC()
		trade.Status, trade.ClosedAt = "closed", &closed
	}
	return trade
}

func summarize(st *statement.Statement) *JournalSummary {
	sum := &JournalSummary{Executions: len(st.Fills), Cash: len(st.Cash), Annotated: len(st.Annotations), Accounts: 1}
	for range st.Trades() {
		sum.Trades++
	}
	setups, tags := map[string]bool{}, map[string]bool{}
	for _, m := range st.Annotations {
		for _, name := range m.Setups {
			setups[name] = true
		}
		for _, name := range slices.Concat(m.Tags, m.Mistakes) {
			tags[name] = true
		}
		if m.Notes != "" {
			sum.Notes++
		}
	}
	sum.Setups, sum.Tags = len(setups), len(tags)
	if n := len(st.Fills); n > 0 {
		sum.First, sum.Last = &st.Fills[0].At, &st.Fills[n-1].At
	}
	return sum
}
