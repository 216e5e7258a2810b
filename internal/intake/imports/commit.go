package imports

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
)

// Commit imports a file: it creates a batch and stores the file's content in one
// transaction. If the client disconnects before that transaction begins, the work stops
// and the batch stays pending; afterwards the import continues without the client. If
// columns must be named first, the batch stays pending, and the error contains its id.
func (s *Service) Commit(ctx context.Context, by Actor, up Upload) (Result, error) {
	account, c, err := s.prepare(ctx, by.UserID, &up)
	if err != nil {
		return Result{}, err
	}
	batch := s.newBatch(by.UserID, up, c)
	batch.Token = by.TokenID
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

// Finish commits a pending batch with its file. For a committed batch it returns the
// stored result.
func (s *Service) Finish(ctx context.Context, by Actor, id journal.BatchID, up Upload) (Result, error) {
	batch, err := s.Batch(ctx, by.Principal, id)
	if err != nil {
		return Result{}, err
	}
	if done, err := batch.accepts(up); err != nil || done {
		return resultOf(batch), err
	}
	batch.complete(&up)
	account, c, err := s.prepare(ctx, by.UserID, &up)
	if err != nil {
		return Result{}, err
	}
	return s.finish(ctx, by, id, up, account, c)
}

// prepare reads the file for its account and checks the free disk space.
func (s *Service) prepare(ctx context.Context, owner journal.UserID, up *Upload) (*ledger.Account, *content, error) {
	account, c, err := s.open(ctx, owner, up)
	if err != nil {
		return nil, nil, err
	}
	return account, c, s.db.CheckRoom(0)
}

// open reads an upload's file, and sets the account for one with only a default account,
// unless the file is a backup.
func (s *Service) open(ctx context.Context, owner journal.UserID, up *Upload) (*ledger.Account, *content, error) {
	id := cmp.Or(up.Account, up.DefaultAccount)
	account, err := s.account(ctx, owner, id)
	if err != nil {
		return nil, nil, err
	}
	c, err := s.read(ctx, owner, *up, account)
	if err == nil && c.backup == nil {
		up.Account = id
	}
	return account, c, err
}

// accepts returns an error if a file cannot finish the batch, and reports
// whether the batch is already committed.
func (b Batch) accepts(up Upload) (done bool, err error) {
	switch {
	case b.Status == Failed || b.Status == Reversed:
		return false, journal.Conflict("This import is %s; upload the file as a new one.", b.Status)
	case b.SHA256 != up.hash():
		return false, journal.Conflict("This is not the file that the import was started with.")
	}
	return b.Status == Committed, nil
}

func resultOf(b Batch) Result {
	if b.Result == nil {
		return Result{}
	}
	return *b.Result
}

// complete adds options from the first attempt missing in this one.
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
	if len(up.Kinds) == 0 {
		up.Kinds = b.Kinds
	}
	if len(up.Mapping) == 0 && b.ColumnMapping != nil {
		_ = json.Unmarshal([]byte(*b.ColumnMapping), &up.Mapping) // valid JSON written by describe
	}
}

// account returns an upload's account, or nil if it names none.
func (s *Service) account(ctx context.Context, owner journal.UserID, id journal.AccountID) (*ledger.Account, error) {
	if id == "" {
		return nil, nil // backups name their own accounts
	}
	a, err := s.ledger.Account(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	return &a, nil
}

// newBatch returns an upload's batch before its rows are stored.
func (s *Service) newBatch(owner journal.UserID, up Upload, c *content) Batch {
	b := Batch{
		ID: journal.NewID[journal.BatchID](), UserID: owner, Account: up.Account, FileName: nullText(up.FileName),
		SHA256: up.hash(), Status: Pending, CreatedAt: s.clock(), UpdatedAt: s.clock(), Zone: up.Zone, DateOrder: up.Order, Kinds: up.Kinds,
		Origin: cmp.Or(up.Origin, FromUpload),
	}
	b.describe(up, c)
	return b
}

// describe sets the batch fields that depend on the file's content.
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

// noteZone sets the zone used for reading, if it is the preset's or a default. A pending
// batch does not have it, because Finish would treat it as the user's choice.
func (b *Batch) noteZone(c *content) {
	if b.Zone != "" || c.statement == nil {
		return
	}
	if c.found.Preset.Zone != "" || c.statement.ZoneIsUnknown() {
		b.Zone = c.statement.Zone
	}
}

// noteKinds sets the kinds used for reading.
func (b *Batch) noteKinds(c *content) {
	if b.Kinds = nil; c.statement != nil {
		b.Kinds = c.usedKinds()
	}
}

// finish stores a file's content under an existing batch, and marks the batch as failed
// if it cannot.
func (s *Service) finish(
	ctx context.Context, by Actor, id journal.BatchID, up Upload, account *ledger.Account, c *content,
) (Result, error) {
	if c.mapping != nil {
		return Result{}, addBatch(c.mapping, id)
	}
	if err := s.checkCurrency(ctx, by.UserID, up, c, account); err != nil {
		return Result{}, addBatch(err, id)
	}
	defer s.startLarge(c.rows())()
	s.running.begin(id, up.Watch)
	defer s.running.end(id)
	var result Result
	tries := 0
	work, begin, cancel := waitForClient(ctx)
	defer cancel()
	isBegun := false
	err := s.update(work, by.UserID, c, func(tx *db.Tx) (err error) {
		if !isBegun {
			if err := begin(); err != nil {
				return err
			}
			isBegun = true
		}
		ctx := work
		if tries++; tries > 1 { // the first attempt has modified the statement
			if c, err = s.read(ctx, by.UserID, up, account); err != nil {
				return err
			}
		}
		b, err := lockBatch(ctx, tx, by.Principal, id)
		if err != nil {
			return err
		}
		if done, err := b.accepts(up); err != nil || done {
			result = resultOf(b)
			return err
		}
		b.describe(up, c)
		b.noteZone(c)
		b.noteKinds(c)
		b.ignoresActions = up.IgnoreActions
		history.Bundle(tx, by.UserID)
		if result, err = s.store(ctx, tx, &b, up, c); err != nil {
			return err
		}
		recordCommit(tx, &b, result, c.backup != nil)
		b.Status, b.Result = Committed, &result
		if err := updateBatch(ctx, tx, b, s.clock()); err != nil {
			return err
		}
		return s.audit(ctx, tx, by, ActionCommit, id)
	})
	if err != nil && !isBegun && ctx.Err() != nil {
		return Result{}, addBatch(err, id) // the client has left; the batch can be finished later
	}
	ctx = work
	if err != nil {
		s.fail(ctx, by.Principal, id)
		return Result{}, addBatch(err, id)
	}
	err = s.attach(ctx, by.UserID, c, &result)
	return result, err
}

// waitForClient returns the context for a write, which ends with the client's until begin
// is called, and after commitTime. begin returns an error if the client has left.
func waitForClient(client context.Context) (work context.Context, begin func() error, cancel context.CancelFunc) {
	work, cancel = context.WithTimeout(context.WithoutCancel(client), commitTime)
	stop := context.AfterFunc(client, cancel)
	return work, func() error {
		if !stop() {
			return client.Err()
		}
		return nil
	}, cancel
}

// longRows is the number of rows from which a file is stored in parts, so others do not
// wait for it. A part takes about as long as this many rows.
const longRows = 2000

// update runs the transaction for storing a file's content.
func (s *Service) update(ctx context.Context, owner journal.UserID, c *content, fn func(*db.Tx) error) error {
	if c.backup == nil && c.rows() < longRows {
		return s.db.Update(ctx, fn)
	}
	return s.db.UpdateInParts(ctx, int64(owner), fn)
}

// addBatch adds the batch id to an error, so the client can finish it.
func addBatch(err error, id journal.BatchID) error {
	var refusal *journal.Error
	if !errors.As(err, &refusal) {
		return fmt.Errorf("import %s: %w", id, err)
	}
	extended := *refusal
	extended.Details = map[string]any{"import_batch_id": string(id)}
	maps.Copy(extended.Details, refusal.Details)
	return &extended
}

// fail marks a pending batch as failed, after its transaction was rolled back. If this
// fails too, the batch stays pending and the error is only logged.
func (s *Service) fail(ctx context.Context, by identity.Principal, id journal.BatchID) {
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		b, err := lockBatch(ctx, tx, by, id)
		if err != nil || b.Status != Pending {
			return err
		}
		b.Status = Failed
		if s.failed != nil {
			if err := s.failed(ctx, tx, b); err != nil {
				return err
			}
		}
		return updateBatch(ctx, tx, b, s.clock())
	})
	if err != nil && !journal.IsKind(err, journal.KindNotFound) {
		s.log.WarnContext(ctx, "cannot mark failed import", "import", id, "error", err)
	}
}

// store writes a batch's rows.
func (s *Service) store(ctx context.Context, tx *db.Tx, b *Batch, up Upload, c *content) (Result, error) {
	if c.backup != nil {
		return s.restore(ctx, tx, b, up, c)
	}
	accounts, err := ledger.ResolveScope(ctx, tx, b.UserID, []journal.AccountID{up.Account}, ledger.ToList)
	if err != nil {
		return Result{}, err
	}
	b.Account = accounts[0].ID
	p := newPlan(c.statement, accounts[0], b.Origin)
	c.statement.Fills = nil
	if p.isEmpty() {
		return Result{}, nothingToImport(p.problems, p.report(knownRows{}))
	}
	if err := s.storeKinds(ctx, tx, b.UserID, c, up.Kinds); err != nil {
		return Result{}, err
	}
	if err := tx.ReleaseWriter(ctx); err != nil { // finding duplicates takes time
		return Result{}, err
	}
	s.running.setStage(b.ID, "writing", len(p.fills)+len(p.cash))
	return s.write(ctx, tx, b, c.statement, p)
}

// nothingToImport returns the error for a file without a row to store. It names
// the first problem, or the reason why most rows were skipped.
func nothingToImport(problems []Problem, rows RowReport) error {
	refusal := journal.Invalid("The file contains nothing to import.")
	switch {
	case len(problems) > 0:
		refusal.Message = fmt.Sprintf("None of the rows could be imported. Row %d: %s", problems[0].Row, problems[0].Message)
		refusal.Details = map[string]any{"errors": problems[:min(len(problems), 20)], "rows": rows.Counts, "skipped_reasons": rows.Reasons}
	case len(rows.Reasons) > 0:
		refusal.Message = fmt.Sprintf("The file contains nothing to import. All %d rows were skipped, most of them because: %s.",
			rows.Counts.Skipped, rows.Reasons[0].Reason)
		refusal.Details = map[string]any{"rows": rows.Counts, "skipped_reasons": rows.Reasons}
	}
	return refusal
}
