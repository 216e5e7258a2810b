package ledger

import (
	"context"
	"slices"

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

// CheckAccountOwner is a step for packages that refer to accounts: it answers nil
// for an account of the owner, and that there is none for any other id.
func CheckAccountOwner(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AccountID) error {
	_, err := findAccount(ctx, tx, owner, id)
	return err
}

// LockTrade is a step for packages that write something on trades: it gives
// the account of a trade of the owner and holds that account's lock, so that
// the trade cannot be regrouped away before the transaction ends.
func LockTrade(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradeID) (journal.AccountID, error) {
	account, err := accountOf(ctx, tx, owner, "trades", string(id), "trade")
	if err != nil {
		return "", err
	}
	if _, err := lockAccount(ctx, tx, owner, account); err != nil {
		return "", err
	}
	// It may have gone while we waited for the lock.
	return accountOf(ctx, tx, owner, "trades", string(id), "trade")
}

// InstrumentType is a step for packages that write something on trades: it
// returns the type of the instrument of a trade of the owner.
func InstrumentType(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradeID) (string, error) {
	trades, err := TradesByID(ctx, tx, owner, []journal.TradeID{id})
	if err != nil {
		return "", err
	}
	if len(trades) == 0 {
		return "", journal.NotFound("trade")
	}
	return trades[0].Instrument.Type, nil
}

// TouchTrade raises the revision of a trade and its account, because something
// that figures depend on was written on the trade. It is a step; the account
// must be locked, as [LockTrade] leaves it.
func TouchTrade(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, id journal.TradeID) error {
	b, err := readBookWith(ctx, tx, owner, account, tx.Lock())
	if err != nil {
		return err
	}
	b.revision = b.account.Revision + 1
	b.change.Changed = []journal.TradeID{id}
	_, err = tx.Exec(ctx, `UPDATE trades SET revision = $1 WHERE user_id = $2 AND id = $3`, b.revision, owner, id)
	if err != nil {
		return err
	}
	return b.store(ctx)
}

// MissingTrades tells which of some ids are no trades of the owner. It is a
// step.
func MissingTrades(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.TradeID) ([]journal.TradeID, error) {
	var missing []journal.TradeID
	for part := range slices.Chunk(ids, 500) {
		args := []any{owner}
		there := map[journal.TradeID]bool{}
		err := db.Each(ctx, tx, func(row db.Scanner) error {
			var id journal.TradeID
			err := row.Scan(&id)
			there[id] = true
			return err
		}, `SELECT id FROM trades WHERE user_id = $1 AND id IN `+db.In(&args, part)+` ORDER BY id`, args...)
		if err != nil {
			return nil, err
		}
		for _, id := range part {
			if !there[id] {
				missing = append(missing, id)
			}
		}
	}
	return missing, nil
}
