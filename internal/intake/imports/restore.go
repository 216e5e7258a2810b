package imports

import (
	"cmp"
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/ledger"
)

// Backups opens uploaded backups. Package backup implements it.
type Backups interface {
	// OpenZip returns the backup in a zip file, or nil if the file is something else.
	OpenZip(data []byte) (Backup, error)
	// Decode returns the backup in a JSON text.
	Decode(text []byte) (Backup, error)
}

// Backup is an uploaded backup.
type Backup interface {
	// Rows returns the number of fills and cash rows.
	Rows() int
	// Preview reports what Restore would do.
	Preview(ctx context.Context, tx *db.Tx, owner journal.UserID, into journal.AccountID) (RestorePlan, error)
	// Restore stores the backup under a batch. It may contain several accounts; each
	// is found by its name or created, unless into takes the only one.
	Restore(ctx context.Context, tx *db.Tx, owner journal.UserID, into journal.AccountID, batch journal.BatchID) (RestoreResult, error)
	// Attach stores the attached files after Restore was committed, and adds their
	// number, problems and warnings to the result.
	Attach(ctx context.Context, owner journal.UserID, result *RestoreResult) error
}

// RestorePlan is what restoring a backup would do.
type RestorePlan struct {
	New, Duplicates, Completed, CashNew, CashDuplicates int
	// How many records of each kind the backup contains.
	Annotations, Setups, Tags, Notes, Missed int
	Accounts                                 []PlannedAccount
	Problems                                 []Problem
}

// PlannedAccount is an account in a backup. It has no id if it would be created.
type PlannedAccount struct {
	ledger.Account
	Ahead ledger.InsertPreview
}

// RestoreResult is what restoring a backup did.
type RestoreResult struct {
	// Account is the restored account if there is only one.
	Account                           journal.AccountID
	Inserted, Skipped, Completed      int
	CashInserted, CashSkipped         int
	Trades, Annotated, SetupsUpserted int
	Others                            Restored
	Problems                          []Problem
	Warnings                          []string
	// IsEmpty reports that the file contained nothing new or stored.
	IsEmpty bool
}

// report returns where the backup's rows went.
func (r *RestoreResult) report(rows int) RowReport {
	return backupReport(rows, r.Inserted, r.CashInserted, r.Skipped+r.CashSkipped)
}

// restore stores a backup under a batch.
func (s *Service) restore(ctx context.Context, tx *db.Tx, b *Batch, up Upload, c *content) (Result, error) {
	s.running.setStage(b.ID, "writing", c.backup.Rows())
	done, err := c.backup.Restore(ctx, tx, b.UserID, up.Account, b.ID)
	if err != nil {
		return Result{}, err
	}
	if done.IsEmpty {
		return Result{}, nothingToImport(done.Problems, done.report(c.backup.Rows()))
	}
	c.restored = &done
	result := Result{
		BatchID: b.ID, Format: backupFormat, Inserted: done.Inserted, Skipped: done.Skipped, Completed: done.Completed, Trades: done.Trades,
		Annotated: done.Annotated, CashInserted: done.CashInserted, CashSkipped: done.CashSkipped, SetupsUpserted: done.SetupsUpserted,
		Warnings: newWarnings(), Reconciliation: []Reconciliation{}, Restored: &done.Others, AccountID: done.Account,
	}
	result.addWarningTexts(done.Warnings)
	b.Account = result.AccountID
	result.setProblems(done.Problems)
	result.setRows(done.report(c.backup.Rows()))
	return result, nil
}

// backupFormat is the format for backups.
const backupFormat = "backup"

// attach stores a backup's files after its rows are committed. After a crash the same
// import stores the missing files.
func (s *Service) attach(ctx context.Context, owner journal.UserID, c *content, result *Result) error {
	if c.restored == nil {
		return nil
	}
	before := len(c.restored.Problems)
	if err := c.backup.Attach(ctx, owner, c.restored); err != nil {
		return err
	}
	result.Restored = &c.restored.Others
	result.Warnings = newWarnings()
	result.addWarningTexts(c.restored.Warnings)
	for _, p := range c.restored.Problems[before:] {
		result.Errors = append(result.Errors, p)
		result.ErrorCount++
	}
	return nil
}

// previewBackup returns a restore's preview.
func (s *Service) previewBackup(ctx context.Context, owner journal.UserID, up Upload, c *content) (Preview, error) {
	p := Preview{
		Headers: []string{}, SampleRows: []map[string]string{}, SuggestedMapping: map[string]string{},
		DetectedBroker: "Fillbook", Reason: "it is a JSON backup", Format: backupFormat, Source: string(statement.FromBackup),
		RowCount: c.backup.Rows(), AccountID: up.Account, Errors: []Problem{}, Warnings: newWarnings(), MissingMapping: []string{},
		Reconciliation: []Reconciliation{}, SampleTrades: []SampleTrade{}, MappingNote: noteBackupMapping, ZoneNote: noteBackupZone,
		UnknownKinds: []UnknownKind{}, ZoneFrom: ZoneFromFile,
	}
	err := s.db.View(ctx, func(tx *db.Tx) error {
		plan, err := c.backup.Preview(ctx, tx, owner, up.Account)
		if err == nil {
			p.setPlan(plan)
		}
		return err
	})
	return p, err
}

func (p *Preview) setPlan(plan RestorePlan) {
	p.NewRows, p.Duplicates, p.Completed = plan.New, plan.Duplicates, plan.Completed
	p.CashRows, p.CashDuplicates = plan.CashNew+plan.CashDuplicates, plan.CashDuplicates
	p.setRows(backupReport(p.RowCount, plan.New, plan.CashNew, plan.Duplicates+plan.CashDuplicates))
	p.setOutcome(accountPreviews(plan))
	p.Errors = append(p.Errors, plan.Problems[:min(len(plan.Problems), maxProblems)]...)
	p.ErrorCount = len(plan.Problems)
	p.Journal = &JournalSummary{
		Executions: plan.New + plan.Duplicates, Cash: p.CashRows, Annotated: plan.Annotations, Setups: plan.Setups, Tags: plan.Tags,
		Notes: plan.Notes, MissedTrades: plan.Missed, Accounts: len(plan.Accounts),
	}
	if len(plan.Accounts) != 1 {
		return
	}
	if a := plan.Accounts[0]; a.ID != "" {
		p.AccountID = a.ID
	} else {
		p.PendingAccount = &ledger.NewAccount{
			Name: a.Name, Broker: a.Broker, Type: a.Type, BaseCurrency: a.BaseCurrency, StartingBalance: a.StartingBalance,
		}
	}
}

// accountPreviews returns the previews for accounts in a backup, with their currencies.
func accountPreviews(plan RestorePlan) (list []ledger.InsertPreview, currencies []string) {
	for _, a := range plan.Accounts {
		list, currencies = append(list, a.Ahead), append(currencies, cmp.Or(a.BaseCurrency, "USD"))
	}
	return list, currencies
}
