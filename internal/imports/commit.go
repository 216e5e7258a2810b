package imports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"fillbook/internal/db"
	"fillbook/internal/imports/statement"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
)

// Commit imports a file: it makes a batch and stores everything that the file
// says in one transaction. Parsing ends when the client goes away; once the file
// is parsed, the import goes on to its end without the client. Where columns must
// be named first the batch is left pending, and the refusal carries its id.
func (s *Service) Commit(ctx context.Context, by Actor, up Upload) (Result, error) {
	account, c, err := s.prepare(ctx, by.UserID, up)
	if err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime)
	defer cancel()
	batch := s.newBatch(by.UserID, up, c)
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		if up.Account != "" {
			if err := ledger.CheckAccountOwner(ctx, tx, by.UserID, up.Account); err != nil {
				return err
			}
		}
		return insertBatch(ctx, tx, batch)
	})
	if err != nil {
		return Result{}, err
	}
	return s.finish(ctx, by, batch.ID, up, account, c)
}

// Finish commits a batch that waits, with the file that it was made for. A
// batch that is committed already gives its answer again.
func (s *Service) Finish(ctx context.Context, by Actor, id journal.BatchID, up Upload) (Result, error) {
	batch, err := s.Batch(ctx, by.UserID, id)
	if err != nil {
		return Result{}, err
	}
	if done, err := batch.accepts(up); err != nil || done {
		return resultOf(batch), err
	}
	batch.complete(&up)
	account, c, err := s.prepare(ctx, by.UserID, up)
	if err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime)
	defer cancel()
	return s.finish(ctx, by, id, up, account, c)
}

// prepare reads the file for its account, and makes sure that there is room to
// store it.
func (s *Service) prepare(ctx context.Context, owner journal.UserID, up Upload) (*ledger.Account, *content, error) {
	account, err := s.account(ctx, owner, up.Account)
	if err != nil {
		return nil, nil, err
	}
	c, err := s.read(ctx, owner, up, account)
	if err != nil {
		return nil, nil, err
	}
	return account, c, s.db.CheckRoom(0)
}

// accepts tells whether a file may finish the batch, or that it has.
func (b Batch) accepts(up Upload) (done bool, err error) {
	switch {
	case b.Status == Failed || b.Status == Reversed:
		return false, journal.Conflict("This import is %s; upload the file as a new one.", b.Status)
	case b.SHA256 != up.hash():
		return false, journal.Conflict("This is not the file that the import was begun with.")
	}
	return b.Status == Committed, nil
}

func resultOf(b Batch) Result {
	if b.Result == nil {
		return Result{}
	}
	return *b.Result
}

// complete fills in what the first try said and this one does not.
func (b Batch) complete(up *Upload) {
	if up.Account == "" {
		up.Account = b.Account
	}
	if up.Zone == "" {
		up.Zone = b.Zone
	}
	if up.Order == "" {
		up.Order = b.DateOrder
	}
	if len(up.Mapping) == 0 && b.ColumnMapping != nil {
		_ = json.Unmarshal([]byte(*b.ColumnMapping), &up.Mapping) // it is our own JSON; an empty mapping is no harm
	}
}

// account finds the account that an upload names, nil where it names none.
func (s *Service) account(ctx context.Context, owner journal.UserID, id journal.AccountID) (*ledger.Account, error) {
	if id == "" {
		return nil, nil //nolint:nilnil // no account is a good answer: backups name their own
	}
	a, err := s.ledger.Account(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	return &a, nil
}

// newBatch describes an upload before anything of it is stored.
func (s *Service) newBatch(owner journal.UserID, up Upload, c *content) Batch {
	b := Batch{
		ID: journal.NewID[journal.BatchID](), UserID: owner, Account: up.Account, FileName: nullText(up.FileName),
		SHA256: up.hash(), Status: Pending, CreatedAt: s.clock(), UpdatedAt: s.clock(), Zone: up.Zone, DateOrder: up.Order,
	}
	b.describe(up, c)
	return b
}

// describe notes what the file turned out to be.
func (b *Batch) describe(up Upload, c *content) {
	switch {
	case c.backup != nil:
		b.Source, b.Format, b.Broker = string(statement.FromBackup), backupFormat, "Fillbook"
		b.RowCount = c.backup.Rows()
		return
	case c.statement != nil:
		b.Source, b.Format, b.Broker = string(c.statement.Source), string(c.statement.Format), c.statement.Broker
		b.RowCount = c.statement.Rows
	default:
		b.Source, b.Format, b.Broker = string(statement.FromCSV), string(c.found.Preset.Format), c.found.Preset.Broker
		b.RowCount = c.rows()
	}
	if b.Zone = up.Zone; b.Zone == "" && c.statement != nil && len(up.Mapping) > 0 {
		b.Zone = c.statement.Zone
	}
	b.DateOrder = up.Order
	if len(up.Mapping) > 0 {
		text, err := json.Marshal(up.Mapping)
		if err == nil {
			b.ColumnMapping = nullText(string(text))
		}
	}
}

// noteZone tells which clock the rows were read by, where the file is of a sort
// that is known to run by one. A batch that waits does not say so: there it
// would be taken for the word of whoever comes back to finish it.
func (b *Batch) noteZone(c *content) {
	if b.Zone == "" && c.statement != nil && c.found.Preset.Zone != "" {
		b.Zone = c.statement.Zone
	}
}

// finish stores what was read under a batch that exists, and marks the batch
// as failed where that cannot be done.
func (s *Service) finish(
	ctx context.Context, by Actor, id journal.BatchID, up Upload, account *ledger.Account, c *content,
) (Result, error) {
	if c.mapping != nil {
		return Result{}, named(c.mapping, id)
	}
	if err := s.refuseOtherCurrency(ctx, by.UserID, up, c, account); err != nil {
		return Result{}, named(err, id)
	}
	defer s.startLarge(c.rows())()
	s.running.begin(id, up.Watch)
	defer s.running.leave(id)
	var result Result
	tries := 0
	err := s.db.Update(ctx, func(tx *db.Tx) (err error) {
		if tries++; tries > 1 { // the first try has spent what was read
			if c, err = s.read(ctx, by.UserID, up, account); err != nil {
				return err
			}
		}
		b, err := lockBatch(ctx, tx, by.UserID, id)
		if err != nil {
			return err
		}
		if done, err := b.accepts(up); err != nil || done {
			result = resultOf(b)
			return err
		}
		b.describe(up, c)
		b.noteZone(c)
		if result, err = s.store(ctx, tx, &b, up, c); err != nil {
			return err
		}
		b.Status, b.Result = Committed, &result
		if err := settle(ctx, tx, b, s.clock()); err != nil {
			return err
		}
		return s.audit(ctx, tx, by, ActionCommit, id)
	})
	if err != nil {
		s.fail(ctx, by.UserID, id)
		return Result{}, named(err, id)
	}
	err = s.attach(ctx, by.UserID, c, &result)
	return result, err
}

// named adds the batch to a refusal, so that the client can come back to it.
func named(err error, id journal.BatchID) error {
	var refusal *journal.Error
	if !errors.As(err, &refusal) {
		return fmt.Errorf("import %s: %w", id, err)
	}
	told := *refusal
	told.Details = map[string]any{"import_batch_id": string(id)}
	maps.Copy(told.Details, refusal.Details)
	return &told
}

// fail marks a batch as failed, unless somebody else has finished it. Its
// transaction has left nothing behind. That it cannot be marked is no reason
// to hide why it failed: it stays pending, which is true as well.
func (s *Service) fail(ctx context.Context, owner journal.UserID, id journal.BatchID) {
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		b, err := lockBatch(ctx, tx, owner, id)
		if err != nil || b.Status != Pending {
			return err
		}
		b.Status = Failed
		return settle(ctx, tx, b, s.clock())
	})
	if err != nil && !journal.IsKind(err, journal.KindNotFound) {
		s.log.WarnContext(ctx, "a failed import could not be marked", "import", id, "error", err)
	}
}

// store writes the rows of a batch.
func (s *Service) store(ctx context.Context, tx *db.Tx, b *Batch, up Upload, c *content) (Result, error) {
	if c.backup != nil {
		return s.restore(ctx, tx, b, up, c)
	}
	accounts, err := ledger.ResolveScope(ctx, tx, b.UserID, []journal.AccountID{up.Account}, ledger.ToList)
	if err != nil {
		return Result{}, err
	}
	b.Account = accounts[0].ID
	p := newPlan(c.statement, accounts[0])
	c.statement.Fills = nil
	if p.empty() {
		return Result{}, nothingToImport(p.problems, p.report(knownRows{}))
	}
	if err := s.storeKinds(ctx, tx, b.UserID, c, up.Kinds); err != nil {
		return Result{}, err
	}
	s.running.enter(b.ID, "writing", len(p.fills)+len(p.cash))
	return s.write(ctx, tx, b, c.statement, p)
}

// nothingToImport refuses a file without a row that could be stored, with the
// problem of its first row or the reason why most rows were skipped.
func nothingToImport(problems []Problem, rows RowReport) error {
	refusal := journal.Invalid("There is nothing in this file that could be imported.")
	switch {
	case len(problems) > 0:
		refusal.Message = fmt.Sprintf("None of the rows could be imported. Row %d: %s", problems[0].Row, problems[0].Message)
		refusal.Details = map[string]any{"errors": problems[:min(len(problems), 20)], "rows": rows.Counts, "skipped_reasons": rows.Reasons}
	case len(rows.Reasons) > 0:
		refusal.Message = fmt.Sprintf("There is nothing in this file that could be imported: all %d rows were skipped, most of them for this reason: %s.",
			rows.Counts.Skipped, rows.Reasons[0].Reason)
		refusal.Details = map[string]any{"rows": rows.Counts, "skipped_reasons": rows.Reasons}
	}
	return refusal
}
