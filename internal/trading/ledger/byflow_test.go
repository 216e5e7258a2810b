package ledger

import (
	"context"
	"math"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// FlowsByStream returns the steps of an account's trades, read by stream however few there
// are.
func FlowsByStream(ctx context.Context, tx *db.Tx, owner journal.UserID, account Account) ([]TradeFlow, error) {
	return listFlowsOf(ctx, tx, owner, account, math.MinInt64, math.MaxInt64, 0)
}
