package imports

import (
	"fmt"
	"slices"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/ledger"
)

// Result is a commit's result, as the API returns it and as it is stored in the batch.
type Result struct {
	BatchID   journal.BatchID   `json:"import_batch_id"`
	AccountID journal.AccountID `json:"account_id"`
	Format    string            `json:"format"`
	// Inserted, Skipped and Completed count fills, Trades the created or changed trades,
	// Annotated those with new annotations.
	Inserted       int       `json:"inserted"`
	Skipped        int       `json:"skipped" doc:"Fills that were stored already and say nothing new, that the broker has withdrawn, or that were deleted by hand if the import is not an upload."`
	Completed      int       `json:"completed" doc:"Stored fills that this file completed or corrected."`
	Withdrawn      int       `json:"withdrawn" doc:"Stored fills that were removed because the broker has canceled them."`
	Annotated      int       `json:"annotated"`
	Trades         int       `json:"trades"`
	CashInserted   int       `json:"cash_inserted"`
	CashSkipped    int       `json:"cash_skipped"`
	SetupsUpserted int       `json:"setups_upserted"`
	Errors         []Problem `json:"errors"`
	ErrorCount     int       `json:"error_count"`
	Warnings
	Reconciliation []Reconciliation `json:"reconciliation"`
	// Rows is nil in results stored before rows were counted.
	Rows             *RowCounts      `json:"rows,omitzero" doc:"What became of every data row; absent from results that older versions stored."`
	SkippedRows      []SkippedRow    `json:"skipped_rows" doc:"The first 200 skipped rows; a backup lists none. skipped_reasons counts all."`
	SkippedReasons   []SkippedReason `json:"skipped_reasons" doc:"How many rows were skipped for each reason, the most frequent first; the rarest beyond 50 reasons are counted together."`
	CorporateActions []FileAction    `json:"corporate_actions" doc:"The corporate actions that the file states; reversing the import deletes those that it recorded."`
	// UnmatchedClosings are the sales that close a position by the file, and found none.
	UnmatchedClosings []UnmatchedClosing `json:"unmatched_closing" doc:"New sales that close a position by the file while nothing is held, each with the request that adds the position; at most 200. Nothing is added without a request."`
	// Restored counts the other records in a backup.
	Restored *Restored `json:"restored,omitzero"`

	// recorded reports that ledger rows name the batch.
	recorded bool
}

// Restored counts the records in a backup other than fills and cash.
type Restored struct {
	Accounts int `json:"accounts"`
	Notes    int `json:"notes"`
	Tags     int `json:"tags"`
	Missed   int `json:"missed_trades"`
	Routines int `json:"routines"`
	Views    int `json:"views"`
	Rates    int `json:"rates" doc:"Typed exchange rates."`

	Strategies int `json:"strategies" doc:"Decisions about strategies, and what was written on them."`

	NoteTemplates    int `json:"note_templates"`
	CorporateActions int `json:"corporate_actions"`
	TradingRules     int `json:"trading_rules"`
	Goals            int `json:"goals"`

	BarAliases int `json:"bar_aliases"`
	BarSources int `json:"bar_sources" doc:"Price providers, which are switched off and need their key again."`
	Channels   int `json:"channels" doc:"Channels, which are switched off and need their address and keys again."`
	Bars       int `json:"bars" doc:"Price bars that were not stored before."`

	Connections int `json:"connections" doc:"Connections to brokers, which need their key again."`

	MissedUpdated int `json:"missed_trades_updated" doc:"Stored missed trades whose empty fields were filled."`

	Attachments int `json:"attachments"`
}

// Reconciliation compares a total in the file with the computed one.
type Reconciliation struct {
	Item       string          `json:"item"`
	File       decimal.Decimal `json:"file"`
	Computed   decimal.Decimal `json:"computed"`
	Difference decimal.Decimal `json:"difference"`
}

func reconcile(s *statement.Statement) []Reconciliation {
	list := []Reconciliation{}
	for _, t := range s.Totals {
		list = append(list, Reconciliation{Item: t.Item, File: t.Stated, Computed: t.Computed, Difference: t.Difference()})
	}
	return list
}

// maxProblems is how many problems a result lists; the count includes all.
const maxProblems = 1000

// setRows puts a report on the rows into the result.
func (r *Result) setRows(rows RowReport) {
	r.Rows, r.SkippedRows, r.SkippedReasons = &rows.Counts, rows.Skipped, rows.Reasons
}

// addMissing adds lists missing in a result from an older version.
func (r *Result) addMissing() {
	if r.SkippedRows == nil {
		r.SkippedRows = []SkippedRow{}
	}
	if r.SkippedReasons == nil {
		r.SkippedReasons = []SkippedReason{}
	}
	if r.CorporateActions == nil {
		r.CorporateActions = []FileAction{}
	}
	if r.UnmatchedClosings == nil {
		r.UnmatchedClosings = []UnmatchedClosing{}
	}
	if r.Details == nil {
		texts := r.Sentences
		r.Warnings = newWarnings()
		r.addWarningTexts(texts)
	}
}

func (r *Result) setProblems(problems []Problem) {
	r.ErrorCount = len(problems)
	r.Errors = problems[:min(len(problems), maxProblems)]
	if r.Errors == nil {
		r.Errors = []Problem{}
	}
}

// setWithdrawn counts the fills canceled by the broker, and warns about those edited by
// the user.
func (r *Result) setWithdrawn(gone ledger.WithdrawResult) {
	r.Withdrawn = gone.Removed
	for _, id := range gone.Edited {
		r.addWarningTexts([]string{fmt.Sprintf("The broker canceled fill %s, which you had edited. It was removed.", id)})
	}
}

// add returns the sum of a batch's result and a further delivery's, whose rows are
// numbered after the earlier ones.
func (r *Result) add(next Result, earlierRows int) Result {
	sum := *r
	sum.Inserted += next.Inserted
	sum.Skipped += next.Skipped
	sum.Completed += next.Completed
	sum.Withdrawn += next.Withdrawn
	sum.Annotated += next.Annotated
	sum.Trades += next.Trades
	sum.CashInserted += next.CashInserted
	sum.CashSkipped += next.CashSkipped
	sum.SetupsUpserted += next.SetupsUpserted
	sum.ErrorCount += next.ErrorCount
	sum.Errors = slices.Clone(r.Errors)
	for _, p := range next.Errors[:min(len(next.Errors), maxProblems-len(r.Errors))] {
		sum.Errors = append(sum.Errors, Problem{Row: earlierRows + p.Row, Message: p.Message})
	}
	sum.CorporateActions = next.CorporateActions // deliveries repeat them and record none
	sum.UnmatchedClosings = slices.Clone(r.UnmatchedClosings)
	for _, u := range next.UnmatchedClosings[:min(len(next.UnmatchedClosings), max(0, maxUnmatchedClosings-len(r.UnmatchedClosings)))] {
		u.Row += earlierRows
		sum.UnmatchedClosings = append(sum.UnmatchedClosings, u)
	}
	sum.Reconciliation = slices.Concat(r.Reconciliation, next.Reconciliation)
	sum.Warnings = r.Warnings.merge(next.Warnings)
	sum.setRows(r.rowReport().add(next.rowReport(), earlierRows))
	return sum
}

// rowReport returns the report on the rows.
func (r *Result) rowReport() RowReport {
	report := RowReport{Skipped: r.SkippedRows, Reasons: r.SkippedReasons}
	if r.Rows != nil {
		report.Counts = *r.Rows
	}
	return report
}
