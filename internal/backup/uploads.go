package backup

import (
	"bytes"
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/imports"
	"fillbook/internal/trading/playbook"
)

// Uploads opens imported backups. It implements [imports.Backups].
type Uploads struct {
	Services
	Files *playbook.Service // takes the attachments
}

// maxUnpacked returns the unpacked size limit for a backup zip. Reading JSON takes
// several times its length in memory, so the limit is lower than for other archives. A
// large zip may contain images, which are not compressible.
func maxUnpacked(size int64) int64 { return max(40<<20, 2*size) }

// OpenZip returns the backup in a zip file, or nil if the file is something else.
func (u Uploads) OpenZip(data []byte) (imports.Backup, error) {
	r := bytes.NewReader(data)
	if !IsZip(r, r.Size()) {
		return nil, nil // most files are not backups
	}
	archive, err := OpenZip(r, r.Size(), maxUnpacked(r.Size()))
	if err != nil {
		return nil, err
	}
	return &upload{Uploads: u, doc: archive.Document, archive: archive}, nil
}

// Decode returns the backup in a JSON text.
func (u Uploads) Decode(text []byte) (imports.Backup, error) {
	doc, err := Decode(text)
	if err != nil {
		return nil, err
	}
	return &upload{Uploads: u, doc: doc}, nil
}

// upload is an uploaded backup. It implements [imports.Backup].
type upload struct {
	Uploads
	doc     *Document
	archive *Archive // nil for plain JSON
	done    Result
}

// Rows returns the number of fills and cash rows.
func (u *upload) Rows() int { return u.doc.Rows() }

// Preview reports what Restore would do.
func (u *upload) Preview(ctx context.Context, tx *db.Tx, owner journal.UserID, into journal.AccountID) (imports.RestorePlan, error) {
	plan, err := Preview(ctx, tx, owner, u.doc, into)
	if err != nil {
		return imports.RestorePlan{}, err
	}
	result := imports.RestorePlan{
		New: plan.New, Duplicates: plan.Duplicates, Completed: plan.Completed, CashNew: plan.CashNew, CashDuplicates: plan.CashDuplicates,
		Annotations: plan.Annotations, Setups: plan.Setups, Tags: plan.Tags, Notes: plan.Notes, Missed: plan.Missed,
		Problems: convertProblems(plan.Errors),
	}
	for _, a := range plan.Accounts {
		result.Accounts = append(result.Accounts, imports.PlannedAccount{Account: a.Account, Ahead: a.Ahead})
	}
	return result, nil
}

// Restore stores the backup under a batch.
func (u *upload) Restore(
	ctx context.Context, tx *db.Tx, owner journal.UserID, into journal.AccountID, batch journal.BatchID,
) (imports.RestoreResult, error) {
	done, err := Restore(ctx, tx, u.Services, Order{
		Owner: owner, Document: u.doc, Into: into,
		Batch: func(context.Context, *db.Tx, journal.AccountID) (journal.BatchID, error) { return batch, nil },
	})
	if err != nil {
		return imports.RestoreResult{}, err
	}
	u.done = done
	result := imports.RestoreResult{
		Inserted: done.Inserted, Skipped: done.Skipped, Completed: done.Completed, CashInserted: done.CashInserted, CashSkipped: done.CashSkipped,
		Trades: done.Trades, Annotated: done.Annotated, SetupsUpserted: done.SetupsUpserted,
		Others: imports.Restored{
			Accounts: len(done.Accounts), Notes: done.Notes, Tags: done.Tags, Missed: done.Missed, MissedUpdated: done.MissedUpdated,
			Routines: done.Routines, NoteTemplates: done.NoteTemplates, CorporateActions: done.CorporateActions, Views: done.Views, TradingRules: done.TradingRules, Goals: done.Goals, Rates: done.Rates, Strategies: done.Strategies, BarAliases: done.BarAliases,
			BarSources: done.BarSources, Channels: done.Channels, Bars: done.Bars, Connections: done.Connections,
		},
		Problems: convertProblems(done.Errors), Warnings: done.Warnings, IsEmpty: u.isEmpty(),
	}
	if len(done.Accounts) == 1 {
		result.Account = done.Accounts[0].ID
	}
	return result, nil
}

// isEmpty reports whether a file contained nothing new or already stored. Fillbook's own
// backup of an empty journal is valid.
func (u *upload) isEmpty() bool {
	doc, done := u.doc, &u.done
	rows := done.Inserted + done.Skipped + done.Completed + done.CashInserted + done.CashSkipped
	words := len(doc.Tags) + len(doc.Setups) + len(doc.Notes) + len(doc.Missed) + len(doc.NoteTemplates) + len(doc.CorporateActions) + len(doc.Views) + len(doc.TradingRules) + len(doc.Goals) + len(doc.Rates) + len(doc.Routine.Items) + len(doc.Preferences) + doc.Settings.Count() + len(doc.ImportLayouts) + len(doc.ImportKinds) + len(doc.BarAliases) + len(doc.BarSources) + len(doc.Channels) + len(doc.Bars)
	return rows+words == 0 && (doc.Format == "" || len(done.Errors) > 0)
}

// Attach stores the attached files.
func (u *upload) Attach(ctx context.Context, owner journal.UserID, result *imports.RestoreResult) error {
	n, err := AttachFiles(ctx, u.Files, owner, u.archive, &u.done)
	if err != nil {
		return err
	}
	result.Others.Attachments = n
	result.Problems, result.Warnings = convertProblems(u.done.Errors), u.done.Warnings
	return nil
}

func convertProblems(list []Problem) []imports.Problem {
	converted := make([]imports.Problem, len(list))
	for i, p := range list {
		converted[i] = imports.Problem(p)
	}
	return converted
}
