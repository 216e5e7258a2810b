package imports

import (
	"bytes"
	"context"

	"fillbook/internal/backup"
	"fillbook/internal/db"
	"fillbook/internal/imports/statement"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
)

// maxUnpacked returns the limit of the unpacked size of a backup's zip. Reading
// JSON takes several times its length in memory, so the limit is lower than for
// other archives. A large zip may contain images, which are not compressible.
func maxUnpacked(size int64) int64 { return max(40<<20, 2*size) }

// readBackup reads the zip of a JSON backup and its files. It returns nil if
// the upload is something else.
func readBackup(up Upload) (*content, error) {
	r := bytes.NewReader(up.Data)
	if !backup.IsZip(r, r.Size()) {
		return nil, nil //nolint:nilnil // most files are not backups
	}
	archive, err := backup.OpenZip(r, r.Size(), maxUnpacked(r.Size()))
	if err != nil {
		return nil, err
	}
	return &content{backup: archive.Document, archive: archive}, nil
}

// restore stores a backup under a batch. It may contain several accounts; each
// is found by its name or created.
func (s *Service) restore(ctx context.Context, tx *db.Tx, b *Batch, up Upload, c *content) (Result, error) {
	s.running.setStage(b.ID, "writing", c.backup.Rows())
	done, err := backup.Restore(ctx, tx, backup.Services{Ledger: s.ledger, Clock: s.clock, BarsLimit: s.barsLimit}, backup.Order{
		Owner: b.UserID, Document: c.backup, Into: up.Account,
		Batch: func(context.Context, *db.Tx, journal.AccountID) (journal.BatchID, error) { return b.ID, nil },
	})
	if err != nil {
		return Result{}, err
	}
	problems := make([]Problem, len(done.Errors))
	for i, p := range done.Errors {
		problems[i] = Problem(p)
	}
	if isNothing(c.backup, done) {
		return Result{}, nothingToImport(problems, backupReport(c.backup.Rows(), done.Inserted, done.CashInserted, done.Skipped+done.CashSkipped))
	}
	c.restored = &done
	result := Result{
		BatchID: b.ID, Format: backupFormat, Inserted: done.Inserted, Skipped: done.Skipped, Completed: done.Completed, Trades: done.Trades,
		Annotated: done.Annotated, CashInserted: done.CashInserted, CashSkipped: done.CashSkipped, SetupsUpserted: done.SetupsUpserted,
		Warnings: newWarnings(), Reconciliation: []Reconciliation{},
		Restored: &Restored{
			Accounts: len(done.Accounts), Notes: done.Notes, Tags: done.Tags, Missed: done.Missed, MissedUpdated: done.MissedUpdated,
			Routines: done.Routines, NoteTemplates: done.NoteTemplates, Views: done.Views, BarAliases: done.BarAliases, BarSources: done.BarSources, Bars: done.Bars, Connections: done.Connections,
		},
	}
	result.addWarningTexts(done.Warnings)
	if len(done.Accounts) == 1 {
		result.AccountID = done.Accounts[0].ID
	}
	b.Account = result.AccountID
	result.setProblems(problems)
	result.setRows(backupReport(c.backup.Rows(), done.Inserted, done.CashInserted, done.Skipped+done.CashSkipped))
	return result, nil
}

// isNothing reports whether a file contained nothing that is new or already
// stored. Fillbook's own backup of an empty journal is valid.
func isNothing(doc *backup.Document, done backup.Result) bool {
	rows := done.Inserted + done.Skipped + done.Completed + done.CashInserted + done.CashSkipped
	words := len(doc.Tags) + len(doc.Setups) + len(doc.Notes) + len(doc.Missed) + len(doc.NoteTemplates) + len(doc.Views) + len(doc.Routine.Items) + len(doc.Preferences) + doc.Settings.Count() + len(doc.ImportLayouts) + len(doc.ImportKinds) + len(doc.BarAliases) + len(doc.BarSources) + len(doc.Bars)
	return rows+words == 0 && (doc.Format == "" || len(done.Errors) > 0)
}

// backupFormat is the format of a backup.
const backupFormat = "backup"

// attach stores the files of a backup after its rows are committed. After a
// crash the same import stores the missing files.
func (s *Service) attach(ctx context.Context, owner journal.UserID, c *content, result *Result) error {
	if c.restored == nil {
		return nil
	}
	before := len(c.restored.Errors)
	n, err := backup.AttachFiles(ctx, s.files, owner, c.archive, c.restored)
	if err != nil {
		return err
	}
	result.Restored.Attachments = n
	result.Warnings = newWarnings()
	result.addWarningTexts(c.restored.Warnings)
	for _, p := range c.restored.Errors[before:] {
		result.Errors = append(result.Errors, Problem(p))
		result.ErrorCount++
	}
	return nil
}

// previewBackup returns the preview of a restore.
func (s *Service) previewBackup(ctx context.Context, owner journal.UserID, up Upload, c *content) (Preview, error) {
	p := Preview{
		Headers: []string{}, SampleRows: []map[string]string{}, SuggestedMapping: map[string]string{},
		DetectedBroker: "Fillbook", Reason: "it is a JSON backup", Format: backupFormat, Source: string(statement.FromBackup),
		RowCount: c.backup.Rows(), AccountID: up.Account, Errors: []Problem{}, Warnings: newWarnings(), MissingMapping: []string{},
		Reconciliation: []Reconciliation{}, SampleTrades: []SampleTrade{}, MappingNote: noteBackupMapping, ZoneNote: noteBackupZone,
		UnknownKinds: []UnknownKind{}, ZoneFrom: ZoneFromFile,
	}
	err := s.db.View(ctx, func(tx *db.Tx) error {
		plan, err := backup.Preview(ctx, tx, owner, c.backup, up.Account)
		if err == nil {
			p.setPlan(plan)
		}
		return err
	})
	return p, err
}

func (p *Preview) setPlan(plan backup.Plan) {
	p.NewRows, p.Duplicates, p.Completed = plan.New, plan.Duplicates, plan.Completed
	p.CashRows, p.CashDuplicates = plan.CashNew+plan.CashDuplicates, plan.CashDuplicates
	p.setRows(backupReport(p.RowCount, plan.New, plan.CashNew, plan.Duplicates+plan.CashDuplicates))
	p.setOutcome(accountPreviews(plan))
	for _, problem := range plan.Errors[:min(len(plan.Errors), maxProblems)] {
		p.Errors = append(p.Errors, Problem(problem))
	}
	p.ErrorCount = len(plan.Errors)
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
