package ledger

import (
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// This file finds fills' trades. Fills do not store them: a trade has the positions of its
// first and its last fill, so a change to a trade does not write its fills.

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
	switch {
	case l.trade == "":
		return nil
	case l.flip == "":
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

// linkStored sets the trades in which one stream's fills are stored. old are its trades
// that were read, in order. A trade before them that shares its last fill with the first
// one is left out in both links and next, because it does not change.
func (r *regrouping) linkStored(old []*tradeRow, fills, removed []*fill) {
	for _, f := range removed {
		f.links = links{}
		if !f.belongsToNoTrade() {
			f.links = findLinks(old, f.position())
		}
	}
	for _, f := range fills {
		if f.state != stored || r.apart[f] {
			continue
		}
		f.links = findLinks(old, f.position())
		if t := r.crossing[f]; t != nil {
			f.links.add(t.id)
		}
	}
}

// findLinks returns the trades at a position in one stream, whose trades are in order.
func findLinks(trades []*tradeRow, p matching.Position) (l links) {
	i, _ := slices.BinarySearchFunc(trades, p, func(t *tradeRow, p matching.Position) int { return t.Last.Compare(p) })
	for ; i < len(trades) && trades[i].First.Compare(p) <= 0; i++ {
		l.add(trades[i].id)
	}
	return l
}

// tradeOfFill and flipOfFill select the trades of a row of executions whose user is $1: the
// stream's last trade that begins before the fill, or with all of it, and the one that
// begins with its rest. A fill that only closes can belong to none. The signs make SQLite use both columns of the index, which it does
// not for a comparison with columns of the same type.
const (
	tradeOfFill = `(SELECT CASE WHEN executions.unmatched = executions.quantity THEN NULL ELSE t.id END FROM trades AS t WHERE t.user_id = $1 AND t.stream = executions.stream
		AND (t.opened_at, t.first_seq) <= (+executions.executed_at, +executions.seq)
		AND (t.head IS NULL OR t.first_seq <> executions.seq)
		ORDER BY t.opened_at DESC, t.first_seq DESC LIMIT 1)`
	flipOfFill = `(SELECT t.id FROM trades AS t WHERE t.user_id = $1 AND t.stream = executions.stream
		AND t.opened_at = executions.executed_at AND t.first_seq = executions.seq AND t.head IS NOT NULL)`
	// tradeBeforeFill selects the stream's last trade that begins before the fill.
	tradeBeforeFill = `(SELECT t.id FROM trades AS t WHERE t.user_id = $1 AND t.stream = executions.stream
		AND (t.opened_at, t.first_seq) < (+executions.executed_at, +executions.seq)
		ORDER BY t.opened_at DESC, t.first_seq DESC LIMIT 1)`
	linkColumns = tradeOfFill + ` AS trade_id, ` + flipOfFill + ` AS flip_trade_id`
)

// linkedSelect is fillSelect with linkColumns.
var linkedSelect = fillSelectOnly + `, ` + linkColumns + ` FROM executions `

// scanLinkedFill reads a row of linkedSelect.
func (a *accountRows) scanLinkedFill(row db.Scanner) (*fill, error) {
	f := &fill{}
	err := row.Scan(append(f.scan(), f.links.scan()...)...)
	f.setID(&a.account)
	return f, err
}

// loadLinks reads a fill's links.
func (a *accountRows) loadLinks(ctx context.Context, f *fill) (l links, err error) {
	err = a.tx.QueryRow(ctx, `SELECT `+linkColumns+` FROM executions WHERE user_id = $1 AND account = $2 AND executed_at = $3 AND seq = $4`,
		a.owner, a.account.number, f.at, f.seq).Scan(l.scan()...)
	return l, err
}

// scan lists the destinations for linkColumns.
func (l *links) scan() []any { return []any{&l.trade, &l.flip} }

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
			err := row.Scan(append([]any{&seq}, in.scan()...)...)
			if id, asked := byNumber[numbered{account, seq}]; asked {
				found[id] = in.list()
			}
			return err
		}, `SELECT seq, `+linkColumns+` FROM executions`, "")
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}
