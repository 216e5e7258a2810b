package ledger

import (
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// TradeFlow is a trade as the steps in which it was opened and closed.
type TradeFlow struct {
	ID         journal.TradeID
	Instrument Instrument
	// Parts are in time order. An opening has a negative quantity.
	Parts []matching.RealizedPart
}

// ListTradeFlows returns an account's trades that were opened between two instants in
// microseconds since 1970, both included, in opening order. It is a step.
func ListTradeFlows(ctx context.Context, tx *db.Tx, owner journal.UserID, account Account, from, to int64) ([]TradeFlow, error) {
	spans, err := db.List(ctx, tx, scanTradeSpan, `
		SELECT id, stream, opened_at, first_seq, COALESCE(last_at, list_at), last_seq, head, is_open
		FROM trades WHERE user_id = $1 AND account = $2 AND opened_at >= $3 AND opened_at <= $4
		ORDER BY opened_at, first_seq, stream`, owner, account.number, from, to)
	if err != nil || len(spans) == 0 {
		return nil, err
	}
	streams, err := loadStreamKeys(ctx, tx, owner, []Account{account})
	if err != nil {
		return nil, err
	}
	list, places := make([]TradeFlow, len(spans)), make(map[journal.TradeID]int, len(spans))
	for i, s := range spans {
		list[i] = TradeFlow{ID: s.id, Instrument: streams[s.stream].key.toInstrument()}
		places[s.id] = i
	}
	return list, eachFlow(ctx, tx, owner, spans, func(r RealizedTrade) error {
		list[places[r.ID]].Parts = r.Parts
		return nil
	})
}

// CountTradesOpened returns how many of an account's trades were opened between two instants
// in microseconds since 1970, both included. It is a step.
func CountTradesOpened(ctx context.Context, tx *db.Tx, owner journal.UserID, account Account, from, to int64) (n int, err error) {
	err = tx.QueryRow(ctx, `SELECT COUNT(*) FROM trades WHERE user_id = $1 AND account = $2 AND opened_at >= $3 AND opened_at <= $4`,
		owner, account.number, from, to).Scan(&n)
	return n, err
}

// eachFlow calls fn with the steps of each trade, in no order.
func eachFlow(ctx context.Context, tx *db.Tx, owner journal.UserID, spans []tradeSpan, fn func(RealizedTrade) error) error {
	w := &spanReader{spans: spans, eachFill: true, openings: true, fn: fn}
	slices.SortFunc(w.spans, compareSpans)
	return eachOfStreams(ctx, tx, owner, w)
}
