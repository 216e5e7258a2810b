package playbook

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// EachAnnotatedTrade calls a function for each annotated trade, user by user and without
// orphans, so the caller can check that each exists. It is a step.
func EachAnnotatedTrade(ctx context.Context, tx *db.Tx, fn func(journal.UserID, journal.TradeID) error) error {
	return db.Each(ctx, tx, func(row db.Scanner) error {
		var user journal.UserID
		var trade journal.TradeID
		if err := row.Scan(&user, &trade); err != nil {
			return err
		}
		return fn(user, trade)
	}, `SELECT m.user_id, m.trade_id FROM trade_annotations m
		WHERE NOT EXISTS (SELECT 1 FROM orphaned_annotations o WHERE o.user_id = m.user_id AND o.trade_id = m.trade_id)
		ORDER BY m.user_id, m.trade_id`)
}
