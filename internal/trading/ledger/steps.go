package ledger

import (
	"context"
	"maps"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// CheckAccountOwner returns a not-found error unless the account is the owner's. It is a
// step for packages referring to accounts.
func CheckAccountOwner(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AccountID) error {
	_, err := findAccount(ctx, tx, owner, id)
	return err
}

// CheckTradeOwner returns an error if the trade does not exist or is not the owner's. It
// is a step for packages reading what belongs to a trade.
func CheckTradeOwner(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradeID) error {
	_, err := findAccountID(ctx, tx, owner, "trades", id, "trade")
	return err
}

// LockTrade locks the account of an owner's trade and returns it, so no regrouping
// removes the trade before the transaction ends. It is a step for packages that annotate
// trades.
func LockTrade(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradeID) (account journal.AccountID, err error) {
	text := accountOf("trades")
	if lock := tx.Lock(); lock != "" {
		err := tx.QueryRow(ctx, text+lock+` OF accounts`, owner, id).Scan(&account)
		if err != nil {
			return "", db.NotFound(err, "trade")
		}
		// The trade may have been removed during the wait for the lock. Most callers touch
		// the account at the end.
		tx.Prefetch(func(tx *db.Tx) { _, _ = readBookWith(ctx, tx, owner, account, tx.Lock()) })
	}
	return findAccountID(ctx, tx, owner, "trades", id, "trade")
}

// LockTrades locks the accounts of several trades and returns them, as [LockTrade] does
// for one. It locks in id order, so two writers cannot deadlock. If a trade is not the
// owner's, it returns a not-found error.
func LockTrades(
	ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.TradeID,
) (map[journal.TradeID]journal.AccountID, error) {
	found, err := accountsOfTrades(ctx, tx, owner, ids)
	if err != nil {
		return nil, err
	}
	for _, account := range slices.Compact(slices.Sorted(maps.Values(found))) {
		if _, err := LockAccount(ctx, tx, owner, account); err != nil {
			return nil, err
		}
	}
	// A trade may have been removed during the wait for a lock.
	return accountsOfTrades(ctx, tx, owner, ids)
}

// SelectTrades returns those of some trades that are in an account, by id. It is a step.
func SelectTrades(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, ids []journal.TradeID,
) (list []journal.TradeID, err error) {
	found, err := accountsOfTrades(ctx, tx, owner, ids)
	for id, of := range found {
		if of == account {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return list, err
}

func accountsOfTrades(
	ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.TradeID,
) (map[journal.TradeID]journal.AccountID, error) {
	found := make(map[journal.TradeID]journal.AccountID, len(ids))
	err := db.EachIn(ctx, tx, ids, func(row db.Scanner) error {
		var id journal.TradeID
		var account journal.AccountID
		err := row.Scan(&id, &account)
		if journal.AllowsAccount(ctx, account) {
			found[id] = account
		}
		return err
	}, `SELECT trades.id, accounts.id FROM trades JOIN accounts
			ON accounts.user_id = trades.user_id AND accounts.number = trades.account
		WHERE trades.user_id = $1 AND trades.id IN $keys ORDER BY trades.id`, owner)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if found[id] == "" {
			return nil, journal.NotFound("trade")
		}
	}
	return found, nil
}

// InstrumentType returns a trade's instrument type. It is a step.
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

// TouchTrades raises an account's revision and some of its trades', after a change to
// their annotations that figures depend on. It is a step; the account must be locked, as
// by [LockTrade] or [LockTrades].
func TouchTrades(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, ids ...journal.TradeID) error {
	_, err := touch(ctx, tx, owner, account, ids, false)
	return err
}

// touch raises an account's revision and some of its trades', or for all trades ends the
// log before the new revision, which it returns.
func touch(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, ids []journal.TradeID, all bool,
) (int64, error) {
	b, err := readBookWith(ctx, tx, owner, account, tx.Lock())
	if err != nil {
		return 0, err
	}
	b.revision = nextRevision(b.account.Revision)
	b.change.Changed = ids
	if all {
		b.loggedSince = b.revision
	}
	err = db.QueueIn(ctx, tx, ids, `UPDATE trades SET revision = $1 WHERE user_id = $2 AND id IN $keys`, b.revision, owner)
	if err != nil {
		return 0, err
	}
	return b.revision, b.saveAccount(ctx)
}

// MissingTrades returns the ids that are not the owner's trades. It is a step.
func MissingTrades(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.TradeID) ([]journal.TradeID, error) {
	found := make(map[journal.TradeID]bool, len(ids))
	err := db.EachIn(ctx, tx, ids, func(row db.Scanner) error {
		id, err := db.Single[journal.TradeID](row)
		found[id] = true
		return err
	}, `SELECT id FROM trades WHERE user_id = $1 AND id IN $keys ORDER BY id`, owner)
	return slices.DeleteFunc(slices.Clone(ids), func(id journal.TradeID) bool { return found[id] }), err
}

// TradesByID returns the owner's trades with the given ids, in no order. It is a step,
// for callers keeping copied trades; see also [TouchedSince].
func TradesByID(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.TradeID) ([]Trade, error) {
	accounts, err := Accounts(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	known := indexByNumber(accounts)
	list, err := db.ListIn(ctx, tx, ids, func(row db.Scanner) (Trade, error) {
		t := listedTrade{}
		err := row.Scan(t.scan()...)
		return t.toTrade(known[t.account]), err
	}, clearRank(tradesSelect)+` WHERE trades.user_id = $1 AND trades.id IN $keys`, owner)
	return slices.DeleteFunc(list, func(t Trade) bool { return !journal.AllowsAccount(ctx, t.Account) }), err
}

// TouchAccount raises an account's revision after a change to an unknown set of its
// trades that figures depend on, such as a deleted tag. Copies of its trades must then be
// read again.
func TouchAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error {
	_, err := touch(ctx, tx, owner, account, nil, true)
	return err
}
