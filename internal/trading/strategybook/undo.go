package strategybook

import (
	"context"

	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// Undoers undo changes to strategies.
func (s *Service) Undoers() []history.TypeUndoer {
	r := history.TableRecords(recordHistory, table, s.clock)
	r.FindObstacle = func(ctx context.Context, u *history.Undoing, record *Record) (history.Key, error) {
		err := ledger.CheckAccountOwner(ctx, u.Tx, u.Owner, record.Account)
		if journal.IsKind(err, journal.KindNotFound) {
			return history.Key{Type: "account", ID: string(record.Account)}, nil
		}
		return history.Key{}, err
	}
	r.Changed = func(ctx context.Context, u *history.Undoing, before, after *Record) error {
		record := after
		if record == nil {
			record = before
		}
		account, err := ledger.LockAccount(ctx, u.Tx, u.Owner, record.Account)
		if err != nil {
			return err
		}
		_, err = ledger.RaiseRevision(ctx, u.Tx, u.Owner, account, record.tradeIDs())
		return err
	}
	return []history.TypeUndoer{{Type: "strategy", Undoer: r}}
}
