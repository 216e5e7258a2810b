package ledger

import (
	"cmp"
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
	// OpenedAt is in microseconds since 1970.
	OpenedAt int64
	// Parts are in time order. An opening has a negative quantity; so has what a corporate
	// action adds.
	Parts []matching.RealizedPart
}

// ListTradeFlows returns an account's trades that were opened between two instants in
// microseconds since 1970, both included, in opening order. It is a step.
func ListTradeFlows(ctx context.Context, tx *db.Tx, owner journal.UserID, account Account, from, to int64) ([]TradeFlow, error) {
	return listFlowsOf(ctx, tx, owner, account, from, to, maxSpanReads)
}

// listFlowsOf is ListTradeFlows that reads up to some trades one by one.
func listFlowsOf(ctx context.Context, tx *db.Tx, owner journal.UserID, account Account, from, to int64, apart int) ([]TradeFlow, error) {
	spans, err := db.List(ctx, tx, scanTradeSpan, tradeSpanSelect+` AND account = $2 AND opened_at >= $3 AND opened_at <= $4
		ORDER BY opened_at, first_seq, stream`, owner, account.number, from, to)
	if err != nil {
		return nil, err
	}
	return listFlows(ctx, tx, owner, account, spans, apart)
}

// FindTradeFlows returns the trades with the given ids that are in an account, in opening
// order. It is a step.
func FindTradeFlows(ctx context.Context, tx *db.Tx, owner journal.UserID, account Account, ids []journal.TradeID) ([]TradeFlow, error) {
	var spans []tradeSpan
	err := db.EachIn(ctx, tx, ids, func(row db.Scanner) error {
		s, err := scanTradeSpan(row)
		spans = append(spans, s)
		return err
	}, tradeSpanSelect+` AND account = $2 AND id IN $keys`, owner, account.number)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(spans, func(a, b tradeSpan) int {
		return cmp.Or(a.first.Compare(b.first), cmp.Compare(a.stream, b.stream))
	})
	return listFlows(ctx, tx, owner, account, spans, maxSpanReads)
}

// FindOpenings returns when those of the given trades were opened that are in an account, in
// microseconds since 1970. It is a step.
func FindOpenings(ctx context.Context, tx *db.Tx, owner journal.UserID, account Account, ids []journal.TradeID) (map[journal.TradeID]int64, error) {
	opened := make(map[journal.TradeID]int64, len(ids))
	err := db.EachIn(ctx, tx, ids, func(row db.Scanner) error {
		var id journal.TradeID
		var at int64
		err := row.Scan(&id, &at)
		opened[id] = at
		return err
	}, `SELECT id, opened_at FROM trades WHERE user_id = $1 AND account = $2 AND id IN $keys`, owner, account.number)
	return opened, err
}

const tradeSpanSelect = `
	SELECT id, stream, opened_at, first_seq, COALESCE(last_at, list_at), last_seq, head, is_open
	FROM trades WHERE user_id = $1`

// listFlows reads the steps of trades, up to some of them one by one.
func listFlows(ctx context.Context, tx *db.Tx, owner journal.UserID, account Account, spans []tradeSpan, apart int) ([]TradeFlow, error) {
	if len(spans) == 0 {
		return nil, nil
	}
	streams, err := loadStreamKeys(ctx, tx, owner, []Account{account})
	if err != nil {
		return nil, err
	}
	list, places := make([]TradeFlow, len(spans)), make(map[journal.TradeID]int, len(spans))
	for i, s := range spans {
		list[i] = TradeFlow{ID: s.id, Instrument: streams[s.stream].key.toInstrument(), OpenedAt: s.first.At}
		places[s.id] = i
	}
	return list, eachFlow(ctx, tx, owner, spans, apart, func(r RealizedTrade) error {
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

// eachFlow calls fn with the steps of each trade, in no order. It reads up to some trades one
// by one.
func eachFlow(ctx context.Context, tx *db.Tx, owner journal.UserID, spans []tradeSpan, apart int, fn func(RealizedTrade) error) error {
	w := &spanReader{spans: spans, eachFill: true, openings: true, fn: fn}
	slices.SortFunc(w.spans, compareSpans)
	if len(spans) > apart || len(spans) == 0 {
		return eachOfStreams(ctx, tx, owner, w)
	}
	events, err := loadAllEvents(ctx, tx, owner)
	for i := 0; i < len(spans) && err == nil; i++ {
		one := &spanReader{eachFill: true, openings: true, fn: fn, events: events}
		err = one.readSpan(ctx, tx, owner, &spans[i])
	}
	return err
}
