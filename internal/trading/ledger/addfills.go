package ledger

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// AddFills stores several fills entered by hand in one account, as one step, and regroups
// their streams once. Each is compared with the stored fills as [Service.AddExecution]
// does. Equal fills in one call are all stored, unless they carry the same external id.
// Every outcome has its trades, also for already stored fills.
func (s *Service) AddFills(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, fills []NewFill,
) (InsertResult, error) {
	_, arrivals, warnings, err := s.enterFills(ctx, tx, owner, account, fills)
	if err != nil {
		return InsertResult{}, err
	}
	result := newInsertResult(arrivals)
	if result.Inserted > 0 {
		result.Warnings = warnings
	}
	return result, addTradesOfDuplicates(ctx, tx, owner, &result)
}

// enterFills stores fills entered by hand, or completes the stored ones they repeat.
func (s *Service) enterFills(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, fills []NewFill,
) (b *book, arrivals []*arrival, warnings []string, err error) {
	checked, invalid := checkFills(fills)
	if len(checked) == 1 {
		s.numbers.prefetchEntry(ctx, tx, owner, account, checked[0])
		history.Prefetch(ctx, tx, owner, account)
	}
	if b, err = s.openBook(ctx, tx, owner, account); err != nil {
		return nil, nil, nil, err
	}
	if invalid != nil {
		return nil, nil, nil, invalid
	}
	defer s.numbers.remember(b)
	if arrivals, warnings, err = b.newArrivals(ctx, checked); err != nil {
		return nil, nil, nil, err
	}
	var compared []*arrival
	for i, a := range arrivals {
		if !fills[i].AllowDuplicate {
			compared = append(compared, a)
		}
	}
	if err := b.findKnownFills(ctx, compared); err != nil {
		return nil, nil, nil, err
	}
	if _, err := b.applyDeleted(ctx, arrivals, false); err != nil {
		return nil, nil, nil, err
	}
	_, err = b.storeArrivals(ctx, arrivals, importSource{})
	return b, arrivals, warnings, err
}

// findKnownFills finds the stored fills new ones repeat. It returns a conflict if a
// different fill, stored or earlier in the same call, has the same external id.
func (b *book) findKnownFills(ctx context.Context, arrivals []*arrival) error {
	d := &deduper{b: b, claimed: fillSet{}}
	if err := d.matchExternalIDs(ctx, arrivals); err != nil {
		return err
	}
	earlier := make(map[*fill]*arrival, len(arrivals))
	for _, a := range arrivals {
		earlier[a.fill] = a
	}
	for _, a := range arrivals {
		first := earlier[a.known]
		switch {
		case a.known == nil:
		case first == nil:
			if err := b.checkSameFill(ctx, a); err != nil {
				return err
			}
		case *first.key != *a.key || !first.sameDeal(a.fill) || !first.sameInstant(&a.fill.fillTime):
			return externalIDConflict()
		}
	}
	if err := d.matchContent(ctx, arrivals); err != nil {
		return err
	}
	if err := d.matchPrecision(ctx, arrivals); err != nil {
		return err
	}
	for _, a := range arrivals { // the earlier one in the call may be stored under another row
		if first := earlier[a.known]; first != nil && first.known != nil {
			a.known = first.known
		}
	}
	return nil
}

// storeArrivals stores an import's new fills, and completes known ones. The account's
// revision is raised only if a row has changed.
func (b *book) storeArrivals(ctx context.Context, arrivals []*arrival, from importSource) (*knownFills, error) {
	known, err := b.planKnown(ctx, arrivals, from)
	if err != nil {
		return nil, err
	}
	first := b.nextSeq
	if err := b.assignNumbers(ctx, arrivals, from); err != nil {
		return nil, err
	}
	if err := b.regroupArrivals(ctx, arrivals, known); err != nil {
		return nil, err
	}
	if err := b.storeKnown(ctx, known); err != nil {
		return nil, err
	}
	if b.nextSeq == first && len(known.changed) == 0 {
		return known, nil
	}
	if err := b.recordFills(arrivals, known, from); err != nil {
		return nil, err
	}
	return known, b.close(ctx)
}

func addTradesOfDuplicates(ctx context.Context, tx *db.Tx, owner journal.UserID, result *InsertResult) error {
	var ids []journal.ExecutionID
	for _, outcome := range result.Outcomes {
		if outcome.Duplicate {
			ids = append(ids, outcome.ID)
		}
	}
	trades, err := TradesByExecution(ctx, tx, owner, ids)
	for i, outcome := range result.Outcomes {
		if outcome.Duplicate {
			result.Outcomes[i].Trades = trades[outcome.ID]
		}
	}
	return err
}
