package ledger

import (
	"context"
	"maps"
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

// LockTrades is LockTrade for several trades. It locks their accounts in the
// order of their ids, so that two writers cannot wait for each other. If one
// of the trades is not the owner's, there is no such trade.
func LockTrades(
	ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.TradeID,
) (map[journal.TradeID]journal.AccountID, error) {
	found, err := accountsOfTrades(ctx, tx, owner, ids)
	if err != nil {
		return nil, err
	}
	for _, account := range slices.Compact(slices.Sorted(maps.Values(found))) {
		if _, err := lockAccount(ctx, tx, owner, account); err != nil {
			return nil, err
		}
	}
	// One may have gone while we waited for a lock.
	return accountsOfTrades(ctx, tx, owner, ids)
}

func accountsOfTrades(
	ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.TradeID,
) (map[journal.TradeID]journal.AccountID, error) {
	found := make(map[journal.TradeID]journal.AccountID, len(ids))
	for part := range slices.Chunk(ids, 500) {
		args := []any{owner}
		err := db.Each(ctx, tx, func(row db.Scanner) error {
			var id journal.TradeID
			var account journal.AccountID
			err := row.Scan(&id, &account)
			found[id] = account
			return err
		}, `SELECT trades.id, accounts.id FROM trades JOIN accounts
				ON accounts.user_id = trades.user_id AND accounts.number = trades.account
			WHERE trades.user_id = $1 AND trades.id IN `+db.In(&args, part)+` ORDER BY trades.id`, args...)
		if err != nil {
			return nil, err
		}
	}
	for _, id := range ids {
		if found[id] == "" {
			return nil, journal.NotFound("trade")
		}
	}
	return found, nil
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

// TouchTrades raises the revision of an account and of some of its trades,
// because something that figures depend on was written on them. It is a step;
// the account must be locked, as [LockTrade] and [LockTrades] leave it.
func TouchTrades(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, ids ...journal.TradeID) error {
	b, err := readBookWith(ctx, tx, owner, account, tx.Lock())
	if err != nil {
		return err
	}
	b.revision = b.account.Revision + 1
	b.change.Changed = ids
	for part := range slices.Chunk(ids, 500) {
		args := []any{b.revision, owner}
		_, err := tx.Exec(ctx, `UPDATE trades SET revision = $1 WHERE user_id = $2 AND id IN `+db.In(&args, part), args...)
		if err != nil {
			return err
		}
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
