package tradeview

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// ReadMany reads some trades of the owner, in the order of their ids in the
// call. Ids that are not trades of the owner are left out.
func ReadMany(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.TradeID) ([]View, error) {
	return newReader(ctx, tx, owner).readMany(ids)
}
