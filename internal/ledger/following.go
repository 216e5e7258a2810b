package ledger

import (
	"context"
	"slices"

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

// Steps for whoever keeps a copy of the trades and follows their changes; see
// also [TouchedSince].

// TradesByID gives those of some trades that the owner has, in no order.
func TradesByID(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.TradeID) ([]Trade, error) {
	accounts, err := Accounts(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	known := byNumber(accounts)
	var found []Trade
	for part := range slices.Chunk(ids, 500) {
		args := []any{owner}
		list, err := db.List(ctx, tx, func(row db.Scanner) (Trade, error) {
			t := listedTrade{}
			err := row.Scan(t.scan()...)
			return t.trade(known[t.account]), err
		}, unranked(tradesSelect)+` WHERE trades.user_id = $1 AND trades.id IN `+db.In(&args, part), args...)
		if err != nil {
			return nil, err
		}
		found = append(found, list...)
	}
	return found, nil
}

// TouchAccount raises the revision of an account because something that
// figures depend on has changed for trades that nobody counts, as when a tag
// goes: copies of its trades must be read anew.
func TouchAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error {
	b, err := readBookWith(ctx, tx, owner, account, tx.Lock())
	if err != nil {
		return err
	}
	b.revision = b.account.Revision + 1
	b.since = b.revision
	return b.store(ctx)
}
