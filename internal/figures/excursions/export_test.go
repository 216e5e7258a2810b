package excursions

import (
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/trading/ledger"
)

// SetLockWait sets how long a refresh waits for an account lock.
func (s *Service) SetLockWait(d time.Duration) { s.lockWait = d }

// SetSliceFills sets how many fills are read at a time when all trades are computed.
func (s *Service) SetSliceFills(n int) { s.sliceFills = n }

// MeasureAll computes all results in an account without storing them, and returns how
// many are worth keeping.
func (s *Service) MeasureAll(ctx context.Context, owner journal.UserID, account ledger.Account) (int, error) {
	r := &refresh{owner: owner, account: account, fresh: map[journal.TradeID][]byte{}}
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		r.lookup, err = bars.LoadLookup(ctx, tx, owner)
		return err
	})
	if err == nil {
		err = s.computeAll(ctx, r)
	}
	return len(r.all), err
}
