package tradeview

import (
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// Ranking is the order of a query's trades.
type Ranking struct {
	Trades []ledger.RankedTrade
	// Total is the trade count without the limit and the cursor.
	Total int
}

// Ranker selects and ranks a query's trades in the caller's snapshot, faster than the
// database, and by any filter.
type Ranker func(ctx context.Context, tx *db.Tx, owner journal.UserID, q Query) (Ranking, error)

// eachRanked reads ranked trades part by part.
func (r *reader) eachRanked(ranked []ledger.RankedTrade, fn func(*View) error) error {
	if len(ranked) > fewTrades {
		if err := r.loadFew(); err != nil {
			return err
		}
	}
	for part := range slices.Chunk(ranked, ChunkSize) {
		ids := make([]journal.TradeID, len(part))
		for i := range part {
			ids[i] = part[i].ID
		}
		views, err := r.readMany(ids)
		if err != nil {
			return err
		}
		for i := range views { // one for each rank: all are read from one snapshot
			views[i].Rank = part[i]
		}
		if err := callEach(views, fn); err != nil {
			return err
		}
	}
	return nil
}
