package backup

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// Plan is what a restore would do.
type Plan struct {
	Accounts []PlannedAccount
	// New and Duplicates count the fills in all accounts.
	New, Duplicates int
	// Completed counts the duplicates completing a stored fill.
	Completed int
	// CashNew and CashDuplicates count the cash transactions.
	CashNew, CashDuplicates int
	// The number of records in the file, including stored ones.
	Annotations, Orphans, Tags, Setups, Notes, Missed, Routines, Preferences, Files int
	Errors                                                                          []Problem
}

// PlannedAccount is the destination of an account in the file.
type PlannedAccount struct {
	// Account has no id where it would be made.
	ledger.Account
	New, Duplicates int
	Ahead           ledger.InsertPreview
}

// Preview reports what [Restore] would do with a document, inside a read transaction. It
// writes nothing.
func Preview(ctx context.Context, tx *db.Tx, owner journal.UserID, doc *Document, into journal.AccountID) (Plan, error) {
	targets, err := findTargets(ctx, tx, owner, doc, into)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{
		Tags: len(doc.Tags), Setups: len(doc.Setups), Notes: len(doc.Notes), Missed: len(doc.Missed),
		Routines: len(doc.Routine.Items), Preferences: len(doc.Preferences), Files: len(doc.Attachments),
		Errors: append([]Problem{}, doc.Problems...),
	}
	for i, t := range targets {
		b := &doc.Accounts[i]
		plan.Annotations += len(b.Trades)
		plan.Orphans += len(b.Orphans)
		account, err := plan.addFills(ctx, tx, owner, doc, b, t)
		if err != nil {
			return Plan{}, err
		}
		if err := plan.addCash(ctx, tx, owner, b, t); err != nil {
			return Plan{}, err
		}
		if t.isNew || t.account.ID != "" {
			plan.Accounts = append(plan.Accounts, account)
		}
	}
	return plan, nil
}

func (p *Plan) addFills(
	ctx context.Context, tx *db.Tx, owner journal.UserID, doc *Document, b *Bundle, t target,
) (PlannedAccount, error) {
	fills, _, problems := b.NewFills()
	p.Errors = append(p.Errors, problems...)
	if t.isNew && doc.isOurs() {
		hideRepeatedIDs(fills)
	}
	account := PlannedAccount{Account: t.account}
	if len(fills) > 0 {
		var err error
		if account.Ahead, err = ledger.PreviewInsert(ctx, tx, owner, t.account.ID, fills); err != nil {
			return PlannedAccount{}, err
		}
	}
	account.Duplicates = count(account.Ahead.Known)
	account.New = len(fills) - account.Duplicates
	p.New += account.New
	p.Duplicates += account.Duplicates
	p.Completed += count(account.Ahead.Completed)
	return account, nil
}

func (p *Plan) addCash(ctx context.Context, tx *db.Tx, owner journal.UserID, b *Bundle, t target) error {
	list, places, problems := b.NewCash(t.account.BaseCurrency)
	p.Errors = append(p.Errors, problems...)
	repeated := 0
	if !t.isNew && len(list) > 0 {
		ahead, err := ledger.PreviewCash(ctx, tx, owner, t.account.ID, list, ledger.CashOptions{Archived: b.archivedCash(places)})
		if err != nil {
			return err
		}
		repeated = ahead.Skipped
	}
	p.CashDuplicates += repeated
	p.CashNew += len(list) - repeated
	return nil
}

func count(flags []bool) (n int) {
	for _, flag := range flags {
		if flag {
			n++
		}
	}
	return n
}
