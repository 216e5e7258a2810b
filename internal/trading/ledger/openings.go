package ledger

import (
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// OpenedTrade is when a trade opened, and in which account.
type OpenedTrade struct {
	Account journal.AccountID
	At      time.Time
}

// OpeningsSince returns the owner's trades opened since an instant. It is a step.
func OpeningsSince(ctx context.Context, tx *db.Tx, owner journal.UserID, since time.Time) (list []OpenedTrade, err error) {
	accounts, err := Accounts(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	for _, a := range accounts {
		scan := func(row db.Scanner) (o OpenedTrade, err error) {
			var at int64
			err = row.Scan(&at)
			return OpenedTrade{a.ID, db.FromMicros(at)}, err
		}
		opened, err := db.List(ctx, tx, scan, `SELECT DISTINCT opened_at FROM trades WHERE user_id = $1 AND account = $2 AND opened_at >= $3`,
			owner, a.number, since.UnixMicro())
		if err != nil {
			return nil, err
		}
		list = append(list, opened...)
	}
	return list, nil
}

// TradesBegunBefore returns an account's trades whose first fill is a position that was
// held before. It is a step.
func TradesBegunBefore(ctx context.Context, tx *db.Tx, owner journal.UserID, account Account) ([]journal.TradeID, error) {
	scan := func(row db.Scanner) (id journal.TradeID, err error) {
		err = row.Scan(&id)
		return id, err
	}
	// SQLite joins in the order of a CROSS JOIN; else it would begin with all trades.
	return db.List(ctx, tx, scan, `SELECT t.id FROM executions AS e`+tx.Using("executions_opening")+` CROSS JOIN trades AS t
		WHERE e.user_id = $1 AND e.account = $2 AND e.`+isOpening+`
		AND t.user_id = $1 AND t.stream = e.stream AND t.opened_at = e.executed_at AND t.first_seq = e.seq`, owner, account.number)
}
