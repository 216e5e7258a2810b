package installation

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// RelatedRecords returns the records whose changes are a record's history: the record
// itself, and for a trade also its fills and their imports. Changes of its notes and
// attachments, and of deleted fills, are found by the trade itself.
func (i *Installation) RelatedRecords(ctx context.Context, owner journal.UserID, key history.Key) ([]history.Key, error) {
	keys := []history.Key{key}
	if key.Type != "trade" {
		return keys, nil
	}
	err := i.DB.View(ctx, func(tx *db.Tx) error {
		detail, err := ledger.ReadTrade(ctx, tx, owner, journal.TradeID(key.ID))
		if journal.IsKind(err, journal.KindNotFound) {
			return nil // it was deleted, or has never been
		}
		if err != nil {
			return err
		}
		batches := map[journal.BatchID]bool{}
		for _, f := range detail.Fills {
			keys = append(keys, history.Key{Type: "execution", ID: string(f.ID)})
			if f.Batch != nil && !batches[*f.Batch] {
				batches[*f.Batch] = true
				keys = append(keys, history.Key{Type: "import", ID: string(*f.Batch)})
			}
		}
		return nil
	})
	return keys, err
}
