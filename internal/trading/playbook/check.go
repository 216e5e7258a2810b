package playbook

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// EachAnnotatedTrade calls a function for each annotated trade, user by user, with whether
// it is an orphan, so the caller can check which exist. It is a step.
func EachAnnotatedTrade(ctx context.Context, tx *db.Tx, fn func(user journal.UserID, trade journal.TradeID, isOrphan bool) error) error {
	return db.Each(ctx, tx, func(row db.Scanner) error {
		var user journal.UserID
		var trade journal.TradeID
		var isOrphan bool
		if err := row.Scan(&user, &trade, &isOrphan); err != nil {
			return err
		}
		return fn(user, trade, isOrphan)
	}, `SELECT m.user_id, m.trade_id, EXISTS (
			SELECT 1 FROM orphaned_annotations o WHERE o.user_id = m.user_id AND o.trade_id = m.trade_id)
		FROM trade_annotations m ORDER BY m.user_id, m.trade_id`)
}
