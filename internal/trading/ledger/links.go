package ledger

import (
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// This file assigns trades to fills, stores that and looks it up.

// links are a fill's trades: the one it closes and the one it opens for a fill crossing
// zero, else only the first.
type links struct {
	trade, flip journal.TradeID
}

// add adds one of the fill's trades; calls are in time order.
func (l *links) add(id journal.TradeID) {
	if l.trade == "" {
		l.trade = id
	} else {
		l.flip = id
	}
}

func (l links) list() []journal.TradeID {
	if l.flip == "" {
		return []journal.TradeID{l.trade}
	}
	return []journal.TradeID{l.trade, l.flip}
}

// linkFills sets every fill's new trades.
func (r *regrouping) linkFills(ids []journal.TradeID) {
	for i := range r.trades {
		for _, part := range r.trades[i].Parts {
			r.byID[part.FillID].next.add(ids[i])
		}
	}
	for f, t := range r.crossing {
		f.next.add(t.id)
	}
}

// previousTrades returns the trades a fill was in: those it is linked to. A repair
// prefers the trades at the fill's position and uses the links only if none.
func (r *regrouping) previousTrades(f *fill) []journal.TradeID {
	var found []journal.TradeID
	if r.repair {
		i, _ := slices.BinarySearchFunc(r.old, f.position(), func(t *tradeRow, p matching.Position) int { return t.Last.Compare(p) })
		for ; i < len(r.old) && r.old[i].First.Compare(f.position()) <= 0; i++ {
			found = append(found, r.old[i].id)
		}
	}
	if len(found) == 0 {
		return f.links.list()
	}
	return found
}

// writeLinks updates links in otherwise unchanged fills.
func (a *accountRows) writeLinks(ctx context.Context, fills []*fill) error {
	rows := make([][]any, len(fills))
	for i, f := range fills {
		rows[i] = []any{f.next.trade, f.next.flip, int64(a.owner), a.account.number, f.at, f.seq}
	}
	return a.tx.UpdateMany(ctx, "executions", []string{"trade_id", "flip_trade_id"},
		[]string{"user_id", "account", "executed_at", "seq"}, rows)
}

// TradesByExecution returns some executions' trades, as one step. Executions that are not
// the owner's are left out.
func TradesByExecution(
	ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.ExecutionID,
) (map[journal.ExecutionID][]journal.TradeID, error) {
	found := make(map[journal.ExecutionID][]journal.TradeID, len(ids))
	places, err := findFills(ctx, tx, owner, ids)
	if err != nil {
		return nil, err
	}
	type numbered struct{ account, seq int64 }
	byNumber := make(map[numbered]journal.ExecutionID, len(places))
	byAccount := map[int64][]matching.Position{}
	for id, at := range places {
		byNumber[numbered{at.account.number, at.Seq}] = id
		byAccount[at.account.number] = append(byAccount[at.account.number], at.Position)
	}
	for account, at := range byAccount {
		err := eachAt(ctx, tx, owner, account, at, func(row db.Scanner) error {
			var seq int64
			var in links
			err := row.Scan(&seq, &in.trade, &in.flip)
			if id, asked := byNumber[numbered{account, seq}]; asked {
				found[id] = in.list()
			}
			return err
		}, `SELECT seq, trade_id, flip_trade_id FROM executions`, "")
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}
