package imports

import (
	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/journal"
)

// Result is the answer to a commit, as the API gives it and as it is kept for
// whoever asks again.
type Result struct {
	BatchID   journal.BatchID   `json:"import_batch_id"`
	AccountID journal.AccountID `json:"account_id"`
	Format    string            `json:"format"`
	// Inserted and Skipped count fills, Trades the trades that were created or
	// changed, Annotated those that received marks.
	Inserted       int              `json:"inserted"`
	Skipped        int              `json:"skipped"`
	Annotated      int              `json:"annotated"`
	Trades         int              `json:"trades"`
	CashInserted   int              `json:"cash_inserted"`
	CashSkipped    int              `json:"cash_skipped"`
	SetupsUpserted int              `json:"setups_upserted"`
	Errors         []Problem        `json:"errors"`
	ErrorCount     int              `json:"error_count"`
	Warnings       []string         `json:"warnings"`
	Reconciliation []Reconciliation `json:"reconciliation"`
	// Restored counts what else a backup brought.
	Restored *Restored `json:"restored,omitzero"`
}

// Restored counts what a backup brought beside fills and cash.
type Restored struct {
	Accounts int `json:"accounts"`
	Notes    int `json:"notes"`
	Tags     int `json:"tags"`
	Missed   int `json:"missed_trades"`
	Routines int `json:"routines"`

	MissedUpdated int `json:"missed_trades_updated" doc:"Stored missed trades whose empty fields were filled."`

	Attachments int `json:"attachments"`
}

// Reconciliation holds a total that the file states against what was read.
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

// told is how many problems an answer lists; the count is of all.
const told = 1000

func (r *Result) tell(problems []Problem) {
	r.ErrorCount = len(problems)
	r.Errors = problems[:min(len(problems), told)]
	if r.Errors == nil {
		r.Errors = []Problem{}
	}
}
