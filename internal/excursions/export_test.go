package excursions

import (
	"context"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
)

// SetLockWait sets how long a refresh waits for the lock of an account.
func (s *Service) SetLockWait(d time.Duration) { s.lockWait = d }

// MeasureAll computes the results of all trades of an account without storing them, and
// returns how many are available.
func (s *Service) MeasureAll(ctx context.Context, owner journal.UserID, account ledger.Account) (n int, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		m, err := newMeter(ctx, tx, owner)
		if err != nil {
			return err
		}
		return ledger.EachPosition(ctx, tx, owner, account, m.hasSeries, func(i ledger.Instrument, list []ledger.Position) error {
			return m.measure(i, list, func(_ journal.TradeID, r Result) {
				if r.IsAvailable() {
					n++
				}
			})
		})
	})
	return n, err
}
