package imports

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
)

// Delivery is what a connection or a hook sends.
type Delivery struct {
	Account   journal.AccountID
	Origin    Origin          // FromConnection or FromHook
	OriginID  string          // the connection or the hook
	Batch     journal.BatchID // the batch to add to; empty for a new one
	Statement *statement.Statement
	Withdrawn []string          // ids of fills canceled by the broker
	Replaced  map[string]string // new id of a corrected fill to its old one
}

// Deliver stores a delivery and returns its result. It is a step in the caller's
// transaction and leaves the Statement as it is, so the transaction can be tried again.
//
// The batch is committed, and can be reversed. Its stored result is the sum over its
// deliveries, with consecutive row numbers. A batch reversed in the meantime is not added
// to: the delivery gets a new one. If there is nothing to store and no batch yet, no
// batch is made and Result.BatchID is empty. Rows that cannot be stored are in the result
// and are no error.
func (s *Service) Deliver(ctx context.Context, tx *db.Tx, owner journal.UserID, d Delivery) (Result, error) {
	accounts, err := ledger.ResolveScope(ctx, tx, owner, []journal.AccountID{d.Account}, ledger.ToList)
	if err != nil {
		return Result{}, err
	}
	b, isNew, err := s.deliveryBatch(ctx, tx, owner, d)
	if err != nil {
		return Result{}, err
	}
	st := copyStatement(d.Statement)
	warnOtherCurrency(st, accounts[0].BaseCurrency)
	defer s.startLarge(st.Rows)()
	s.running.begin(b.ID, nil)
	defer s.running.end(b.ID)
	p := newPlan(st, accounts[0], d.Origin)
	p.withdrawn, p.replaced, p.part = d.Withdrawn, d.Replaced, &ledger.Part{}
	history.Bundle(tx, owner)
	result, err := s.write(ctx, tx, &b, st, p)
	if err != nil {
		return Result{}, fmt.Errorf("storing a delivery of %s %s: %w", d.Origin, d.OriginID, err)
	}
	if isNew && !result.recorded {
		result.BatchID = ""
		return result, nil
	}
	recordDelivery(tx, &b, isNew, result, st.Rows, p.part)
	return result, s.storeDelivery(ctx, tx, b, isNew, result, st.Rows)
}

// deliveryBatch returns a delivery's batch, and whether it is new and not stored yet.
func (s *Service) deliveryBatch(ctx context.Context, tx *db.Tx, owner journal.UserID, d Delivery) (b Batch, isNew bool, err error) {
	if d.Batch != "" {
		b, err = lockBatch(ctx, tx, identity.Principal{UserID: owner}, d.Batch)
		switch {
		case err != nil:
			return Batch{}, false, fmt.Errorf("reading the import of %s %s: %w", d.Origin, d.OriginID, err)
		case b.Origin != d.Origin || b.OriginID != d.OriginID || b.Account != d.Account:
			return Batch{}, false, fmt.Errorf("import %s is not of %s %s and its account", b.ID, d.Origin, d.OriginID)
		case b.Status == Committed:
			return b, false, nil
		}
	}
	st := d.Statement
	return Batch{
		ID: journal.NewID[journal.BatchID](), UserID: owner, Account: d.Account, Origin: d.Origin, OriginID: d.OriginID,
		Source: string(st.Source), Format: string(st.Format), Broker: st.Broker, Zone: st.Zone, Status: Committed,
		CreatedAt: s.clock(), UpdatedAt: s.clock(),
	}, true, nil
}

// storeDelivery stores a delivery's batch with the sum of its results. A new batch is
// audited like a file import.
func (s *Service) storeDelivery(ctx context.Context, tx *db.Tx, b Batch, isNew bool, result Result, rows int) error {
	sum := result
	if b.Result != nil {
		sum = b.Result.add(result, b.RowCount)
	}
	b.Result, b.RowCount = &sum, b.RowCount+rows
	if isNew {
		if err := insertBatch(ctx, tx, b); err != nil {
			return err
		}
		by := Actor{Principal: identity.Principal{UserID: b.UserID}}
		if err := s.audit(ctx, tx, by, ActionCommit, b.ID); err != nil {
			return err
		}
	}
	return updateBatch(ctx, tx, b, s.clock())
}

// copyStatement returns a statement copy that can be planned and stored without changing
// the original.
func copyStatement(st *statement.Statement) *statement.Statement {
	c := *st
	c.Fills, c.Warnings = slices.Clone(st.Fills), slices.Clone(st.Warnings)
	c.Annotations = make([]*statement.Annotations, len(st.Annotations))
	for i, m := range st.Annotations {
		own := *m
		c.Annotations[i] = &own
	}
	return &c
}

// warnOtherCurrency warns about a statement in another currency than the
// account's. There is no user to ask, as with an upload.
func warnOtherCurrency(st *statement.Statement, account string) {
	if found := st.FileCurrency(account); found != "" && !strings.EqualFold(found, account) {
		st.Warn("The fills are in %s, the account is in %s: their amounts were taken as they are.", found, account)
	}
}

// ReadDelivered reads a fetched file like an upload. It writes nothing. The account may
// be empty if the file is only looked at.
func (s *Service) ReadDelivered(
	ctx context.Context, owner journal.UserID, account journal.AccountID, name string, data []byte,
) (*statement.Statement, error) {
	into, err := s.account(ctx, owner, account)
	if err != nil {
		return nil, err
	}
	if into == nil {
		into = &ledger.Account{}
	}
	c, err := s.read(ctx, owner, Upload{FileName: name, Data: data, Account: account}, into)
	switch {
	case err != nil:
		return nil, err
	case c.backup != nil:
		return nil, journal.InvalidField("file", "The broker sent a Fillbook backup instead of a report.")
	case c.mapping != nil:
		return nil, c.mapping
	}
	return c.statement, nil
}
