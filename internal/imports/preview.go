package imports

import (
	"cmp"
	"context"
	"slices"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
)

// Preview is what a file turned out to be, before anything is written.
type Preview struct {
	Headers          []string
	SampleRows       []map[string]string
	SuggestedMapping map[string]string
	DetectedBroker   string
	Reason           string // why it was taken for that
	SuggestedZone    string
	Format           string
	Source           string
	RowCount         int
	AccountID        journal.AccountID
	PendingAccount   *ledger.NewAccount
	DateOrder        string
	NewRows          int
	Duplicates       int
	CashRows         int
	CashDuplicates   int
	Errors           []Problem
	ErrorCount       int
	Warnings         []string
	MissingMapping   []string
	Reconciliation   []Reconciliation
	SampleTrades     []SampleTrade
	Journal          *JournalSummary
	// Outcome is nil while it cannot be told.
	Outcome *Outcome
}

// SampleTrade is one of the trades that the file's own fills make.
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
}

// JournalSummary sums up a file that is a journal or a backup.
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

// Inspect reads a file and tells what it is and what a commit would do. It
// writes nothing.
func (s *Service) Inspect(ctx context.Context, owner journal.UserID, up Upload) (Preview, error) {
	account, err := s.account(ctx, owner, up.Account)
	if err != nil {
		return Preview{}, err
	}
	c, err := s.read(ctx, owner, up, account)
	if err != nil {
		return Preview{}, err
	}
	if c.backup != nil {
		return s.previewBackup(ctx, owner, up, c)
	}
	if c.statement == nil {
		return c.preview(up), nil
	}
	defer s.thrift.enter(c.rows())()
	planned := newPlan(c.statement, *account)
	p := c.preview(up) // after the plan, so that it tells nothing of a row that stays out
	c.statement.Fills = nil
	p.ErrorCount = len(planned.problems)
	p.Errors = append(p.Errors, planned.problems[:min(len(planned.problems), told)]...)
	err = s.db.View(ctx, func(tx *db.Tx) error { return p.foresee(ctx, tx, owner, *account, planned) })
	return p, err
}

// preview is what the file alone tells.
func (c *content) preview(up Upload) Preview {
	p := Preview{
		Headers: append([]string{}, c.headers...), SampleRows: []map[string]string{}, SuggestedMapping: map[string]string{},
		DetectedBroker: c.found.Preset.Broker, Reason: c.found.Reason, SuggestedZone: c.found.Preset.Zone,
		Format: string(c.found.Preset.Format), Source: string(statement.FromCSV), AccountID: up.Account,
		Errors: []Problem{}, Warnings: []string{}, Reconciliation: []Reconciliation{}, SampleTrades: []SampleTrade{},
	}
	for target, name := range c.suggested {
		p.SuggestedMapping[string(target)] = name
	}
	samples := c.samples
	if st := c.statement; st != nil {
		p.Source, p.RowCount, p.DateOrder = string(st.Source), st.Rows, string(st.DateOrder)
		p.Warnings = append(p.Warnings, st.Warnings...)
		p.Reconciliation = reconcile(st)
		p.SampleTrades = sampleTrades(st)
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
	return p
}

func missing(err error) []string {
	if err == nil {
		return []string{}
	}
	refusal := err.(*journal.Error) //nolint:errorlint,forcetypeassert // isMappingRequired has seen that it is one
	list, _ := refusal.Details["missing"].([]string)
	return list
}

// asObject names the cells of a row by their columns. Columns without a name
// are left out.
func asObject(headers, cells []string) map[string]string {
	row := map[string]string{}
	for i, cell := range cells {
		if i < len(headers) && headers[i] != "" {
			row[headers[i]] = cell
		}
	}
	return row
}

// sampleTrades gives the latest trades that the file's fills make.
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
	}
	if t.QtyRemaining.IsZero() {
		closed := time.UnixMicro(t.Last.At).UTC()
		trade.Status, trade.ClosedAt = "closed", &closed
	}
	return trade
}

func summarize(st *statement.Statement) *JournalSummary {
	sum := &JournalSummary{Executions: len(st.Fills), Cash: len(st.Cash), Annotated: len(st.Marks), Accounts: 1}
	for range st.Trades() {
		sum.Trades++
	}
	setups, tags := map[string]bool{}, map[string]bool{}
	for _, m := range st.Marks {
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
